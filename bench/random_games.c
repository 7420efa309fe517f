// SPDX-License-Identifier: GPL-3.0-or-later
/* Random games on the lifted engine, one line of figures: what bench/lifted/run compares with Prolog.
 *
 *     random_games GAME SECONDS LIMIT SEED
 *
 * Plays until SECONDS of processor time are used and at least one game is over, but not longer than LIMIT.
 * Prints: status, games, transitions, seconds, facts of the initial state, legal moves there. Setting up is
 * not counted; it goes to standard error. */
#include "base/clock.h"
#include "base/rng.h"
#include "game/reasoner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 1000 };

struct player {
    struct reasoner *r;
    struct rng rng;
    struct state initial, state, next;
    struct list moves;
    uint32_t *joint;
    double start, seconds, limit;
    uint64_t games, transitions;
};

static bool out_of_time(const struct player *p)
{
    double used = clock_thread() - p->start;
    return used >= p->limit || (p->games && used >= p->seconds);
}

/* One game; a word for why the bench must end, or NULL. */
static const char *play_game(struct player *p)
{
    struct reasoner *r = p->r;
    if (!state_copy(&p->state, &p->initial)) return "error";
    for (int step = 0;; step++) {
        bool end;
        if (!r->ops->terminal(r, &p->state, &end)) return "error";
        if (end || step == MAX_STEPS) break;
        /* Asking for the time of the processor is a system call. */
        if (step % 32 == 31 && out_of_time(p)) return p->games ? "ok" : "time";
        for (uint32_t i = 0; i < r->game->nroles; i++) {
            if (!r->ops->legal(r, &p->state, i, &p->moves)) return "error";
            if (p->moves.n == 0) return "unplayable";
            p->joint[i] = p->moves.v[rng_below(&p->rng, p->moves.n)];
        }
        if (!r->ops->next(r, &p->state, p->joint, &p->next)) return "error";
        struct state swap = p->state;
        p->state = p->next;
        p->next = swap;
        p->transitions++;
    }
    for (uint32_t i = 0; i < r->game->nroles; i++)
        if (!r->ops->goals(r, &p->state, i, &p->moves)) return "error";
    p->games++;
    return out_of_time(p) ? "ok" : NULL;
}

int main(int argc, char **argv)
{
    struct error error;
    if (argc != 5) {
        fputs("usage: random_games GAME SECONDS LIMIT SEED\n", stderr);
        return 2;
    }
    double begin = clock_thread();
    struct game *game = game_load(argv[1], 0, NULL, &error);
    struct player p = {.r = game ? reasoner_lifted(game, 0, &error) : NULL};
    if (!p.r) {
        fprintf(stderr, "random_games: %s\n", error.text);
        return 2;
    }
    p.joint = calloc(game->nroles, sizeof *p.joint);
    if (!p.joint) return 2;
    p.seconds = atof(argv[2]);
    p.limit = atof(argv[3]);
    rng_init(&p.rng, strtoull(argv[4], NULL, 10));
    uint32_t facts = 0, moves = 0;
    const char *status = NULL;
    if (!p.r->ops->initial(p.r, &p.initial) || !p.r->ops->facts(p.r, &p.initial, &p.moves)) status = "error";
    facts = p.moves.n;
    for (uint32_t i = 0; i < game->nroles && !status; i++) {
        if (!p.r->ops->legal(p.r, &p.initial, i, &p.moves)) status = "error";
        moves += p.moves.n;
    }
    p.start = clock_thread();
    fprintf(stderr, "ready in %.1f ms\n", 1e3 * (p.start - begin));
    while (!status) status = play_game(&p);
    if (strcmp(status, "error") == 0) fprintf(stderr, "random_games: %s\n", p.r->error.text);
    printf("%s %llu %llu %.6f %u %u\n", status, (unsigned long long)p.games,
           (unsigned long long)p.transitions, clock_thread() - p.start, facts, moves);
    free(p.joint);
    state_done(&p.initial);
    state_done(&p.state);
    state_done(&p.next);
    list_done(&p.moves);
    reasoner_free(p.r);
    game_free(game);
    return 0;
}
