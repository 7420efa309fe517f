// SPDX-License-Identifier: GPL-3.0-or-later
#include "../../testing.h"

#include "random_game.h"

#include "base/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROLES 3

struct random_game random_game_kind(uint32_t i)
{
    static const uint32_t values[] = {2, 3, 5, 11};
    struct random_game kind = {.roles = 2, .constant_sum = true, .values = values[i / 5 % 4]};
    kind.layers = 3 + i % 5;
    kind.width = 4 + i % 7;
    kind.moves = 2 + i % 3;
    switch (i % 5) {
    case 0:
    case 1: break;
    case 2:
    case 3: kind.at_once = true; break;
    case 4:
        kind.constant_sum = false;
        kind.roles = i / 5 % 3 == 0 ? 2 : i / 5 % 3 == 1 ? 3 : 1;
        break;
    }
    return kind;
}

static void put_end(FILE *out, const struct random_game *kind, struct rng *rng, uint32_t position)
{
    uint32_t goal = 0;
    fprintf(out, "(final p%u)\n", position);
    for (uint32_t role = 0; role < kind->roles; role++) {
        uint32_t drawn = rng_below(rng, kind->values) * 100 / (kind->values - 1);
        goal = role == 1 && kind->constant_sum ? 100 - goal : drawn;
        fprintf(out, "(worth p%u r%u %u)\n", position, role, goal);
    }
}

/* Moves have names of their own in every role, some of them the same in many positions. */
static void put_moves(FILE *out, const struct random_game *kind, struct rng *rng, uint32_t position,
                      uint32_t first_below, uint32_t below)
{
    uint32_t count[MOST_ROLES], mover = rng_below(rng, kind->roles), joints = 1;
    for (uint32_t role = 0; role < kind->roles; role++) {
        bool chooses = role == mover || (kind->at_once && rng_below(rng, 3) > 0);
        count[role] = chooses ? 1 + rng_below(rng, kind->moves) : 1;
        joints *= count[role];
        for (uint32_t m = 0; m < count[role]; m++) fprintf(out, "(option p%u r%u m%u)\n", position, role, m);
    }
    for (uint32_t j = 0; j < joints; j++) {
        uint32_t rest = j;
        fprintf(out, "(to p%u", position);
        for (uint32_t role = 0; role < kind->roles; role++, rest /= count[role - 1])
            fprintf(out, " m%u", rest % count[role]);
        fprintf(out, " p%u)\n", first_below + rng_below(rng, below));
    }
}

/* On malloc. */
static char *make_sheet(const struct random_game *kind, uint64_t seed)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct rng rng;
    rng_init(&rng, seed);
    for (uint32_t role = 0; role < kind->roles; role++) fprintf(out, "(role r%u)\n", role);
    fputs("(init (at p0))\n"
          "(<= (legal ?r ?m) (true (at ?p)) (option ?p ?r ?m))\n"
          "(<= terminal (true (at ?p)) (final ?p))\n"
          "(<= (goal ?r ?v) (true (at ?p)) (worth ?p ?r ?v))\n"
          "(<= (next (at ?q)) (true (at ?p))",
          out);
    for (uint32_t role = 0; role < kind->roles; role++) fprintf(out, " (does r%u ?m%u)", role, role);
    fputs(" (to ?p", out);
    for (uint32_t role = 0; role < kind->roles; role++) fprintf(out, " ?m%u", role);
    fputs(" ?q))\n", out);
    for (uint32_t layer = 0, first = 0, n = 1; layer <= kind->layers; layer++) {
        uint32_t next = 1 + rng_below(&rng, kind->width), after = first + n;
        for (uint32_t i = 0; i < n; i++)
            if (layer == kind->layers || (layer > 1 && rng_below(&rng, 5) == 0))
                put_end(out, kind, &rng, first + i);
            else
                put_moves(out, kind, &rng, first + i, after, next);
        first = after, n = next;
    }
    fclose(out);
    return text;
}

struct game *random_game_load(uint32_t i)
{
    struct random_game kind = random_game_kind(i);
    struct error error = {0};
    char *sheet = make_sheet(&kind, i), name[40];
    snprintf(name, sizeof name, "random game %u", i);
    struct game *game = game_from_text(name, sheet, strlen(sheet), 0, NULL, &error);
    if (!game) fail_msg("%s\n%s", error.text, sheet);
    free(sheet);
    return game;
}
