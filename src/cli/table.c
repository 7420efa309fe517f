// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/table.h"

#include "cli/human.h"
#include "net/post.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

bool table_open(struct table *t, const char *command, const char *game, const char *engine, double wait,
                int *status)
{
    struct error error;
    *t = (struct table){0};
    if (!session_open(&t->session, command, game, "lifted", status)) return false;
    if (strcmp(engine, "lifted") == 0) return true;
    struct ground_limits limits = {.seconds = 20, .bytes = (size_t)2 << 30};
    t->engine = engine_start(t->session.game, &limits, &error);
    if (t->engine && engine_wait(t->engine, strcmp(engine, "circuit") == 0 ? -1 : wait) == ENGINE_FAILED &&
        strcmp(engine, "circuit") == 0) {
        *status = command_trouble(command, engine_error(t->engine));
        table_close(t);
        return false;
    }
    return true; /* without an engine the lifted one plays on */
}

void table_close(struct table *t)
{
    engine_free(t->engine);
    session_close(&t->session);
}

uint32_t role_by_name(const struct game *game, const char *name, size_t n, struct error *error)
{
    char copy[200], known[300] = "";
    snprintf(copy, sizeof copy, "%.*s", (int)n, name);
    int role = game_role(game, copy);
    if (role >= 0) return (uint32_t)role;
    for (uint32_t i = 0; i < game->nroles; i++) {
        size_t have = strlen(known);
        snprintf(known + have, sizeof known - have, "%s%s", i ? ", " : "", game->role_names[i]);
    }
    error_set(error, ERROR_INPUT, "%s has no role '%s'; its roles are: %s", game->name, copy, known);
    return UINT32_MAX;
}

struct seat *seat_open(struct table *t, const char *who, uint32_t role, uint64_t seed, struct error *error)
{
    if (strcmp(who, "human") == 0) {
        struct human *h = human_new();
        if (!h) error_set(error, ERROR_MEMORY, "out of memory");
        return h ? &h->seat : NULL;
    }
    if (post_is_url(who))
        return error_set(error, ERROR_INPUT, "%s: players elsewhere play in `ludens match`", who), NULL;
    return seat_by_name(who, t->session.game, t->engine, role, seed, error);
}

static const char chance[] = "random"; /* known by its address: nobody was named for the seat */

bool seats_named(const char **who, const struct game *game, const struct option_list *given,
                 const char *others, struct error *error)
{
    if (game->nroles > MCTS_MAX_ROLES)
        return error_set(error, ERROR_INPUT, "more than %d roles", MCTS_MAX_ROLES);
    for (uint32_t r = 0; r < game->nroles; r++) who[r] = others;
    if (game->chance >= 0) who[game->chance] = chance;
    for (int i = 0; i < given->n; i++) {
        size_t n = strcspn(given->v[i], "=");
        if (given->v[i][n] != '=')
            return error_set(error, ERROR_INPUT, "--seat wants ROLE=PLAYER, not '%s'", given->v[i]);
        uint32_t role = role_by_name(game, given->v[i], n, error);
        if (role == UINT32_MAX) return false;
        if (who[role] != others && who[role] != chance)
            return error_set(error, ERROR_INPUT, "--seat gives %s to '%s' and to '%s'",
                             game->role_names[role], who[role], given->v[i] + n + 1);
        who[role] = given->v[i] + n + 1;
    }
    if (game->chance >= 0 && who[game->chance] == chance)
        fprintf(stderr, "ludens: the role %s is chance (GDL-II): it chooses uniformly among its moves\n",
                game->role_names[game->chance]);
    return true;
}

bool seats_open(struct seat **seats, struct table *t, const struct option_list *given, const char *others,
                uint64_t seed, struct error *error)
{
    const char *who[MCTS_MAX_ROLES];
    if (!seats_named(who, t->session.game, given, others, error)) return false;
    for (uint32_t r = 0; r < t->session.game->nroles; r++)
        if (!(seats[r] = seat_open(t, who[r], r, seed, error))) return false;
    return true;
}

void seats_free(struct seat **seats, uint32_t n)
{
    for (uint32_t r = 0; r < n; r++)
        if (seats[r]) seats[r]->ops->free(seats[r]);
}

uint64_t seed_fresh(void)
{
    uint32_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) < 0) seed = (uint32_t)time(NULL);
    return seed ? seed : 1;
}

void budget_settle(struct match_budget *b)
{
    if (!b->simulations && !b->steps && !b->expansions) return;
    if (b->steps && !b->simulations)
        b->start_steps = (uint64_t)b->start_seconds;
    else
        b->start_simulations = (uint64_t)b->start_seconds;
    b->seconds = b->start_seconds = 0;
}
