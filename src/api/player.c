// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/api.h"
#include "api/budget.h"

#include "player/thoughts.h"

#include <stdlib.h>

struct ludens_player {
    struct player *player;
    const struct game *game;
    uint32_t role;
    struct ludens_thought *moves; /* of the thoughts told last */
};

struct ludens_player *ludens_player_new(struct ludens_game *game, uint32_t role, const char *who,
                                        uint64_t seed, struct ludens_error *error)
{
    struct error inside = {0};
    struct player_config config;
    if (role >= game->game->nroles)
        return refuse(error, ERROR_INPUT, "there is no role %u: this game has %u, counted from 0", role,
                      game->game->nroles),
               NULL;
    struct ludens_player *p = calloc(1, sizeof *p);
    if (!p) return no_memory(error), NULL;
    struct engine *engine = game_engine(game, &inside);
    if (engine && player_config_parse(who, &config, &inside))
        p->player = player_new(&config, game->game, engine, role, seed, &inside);
    p->game = game->game;
    p->role = role;
    if (p->player) return p;
    free(p);
    tell(error, &inside);
    return NULL;
}

void ludens_player_free(struct ludens_player *player)
{
    if (!player) return;
    player_free(player->player);
    free(player->moves);
    free(player);
}

static bool same_game(const struct ludens_player *p, const struct ludens_engine *e,
                      struct ludens_error *error)
{
    return e->reasoner->game == p->game ||
           refuse(error, ERROR_INPUT, "the player plays %s, and the engine is of another game",
                  p->game->name);
}

bool ludens_player_think(struct ludens_player *player, struct ludens_engine *engine,
                         const struct ludens_budget *budget, uint32_t *move, struct ludens_error *error)
{
    struct error inside = {0};
    struct budget b = budget_from(budget);
    uint32_t mine;
    if (!same_game(player, engine, error) || !budget_is_sound(budget, error)) return false;
    if (!player_think(player->player, &b, &mine, &inside)) return tell(error, &inside);
    struct reasoner *r = engine_ask(engine);
    if (!reasoner_carry_move(r, player_reasoner(player->player), player->role, mine, move))
        return tell(error, &r->error);
    engine_learn(engine, player->role, *move);
    return true;
}

bool ludens_player_ponder(struct ludens_player *player, const struct ludens_budget *budget,
                          struct ludens_error *error)
{
    struct error inside = {0};
    struct budget b = budget_from(budget);
    if (!budget_is_sound(budget, error)) return false;
    return player_ponder(player->player, &b, &inside) || tell(error, &inside);
}

bool ludens_player_advance(struct ludens_player *player, struct ludens_engine *engine, const uint32_t *joint,
                           struct ludens_error *error)
{
    struct error inside = {0};
    if (!same_game(player, engine, error)) return false;
    for (uint32_t role = 0; role < player->game->nroles; role++)
        if (!engine_knows(engine, role, joint[role]))
            return refuse(error, ERROR_INPUT, "there is no move %u of %s", joint[role],
                          player->game->role_names[role]);
    return player_advance(player->player, engine_ask(engine), joint, &inside) || tell(error, &inside);
}

bool ludens_player_goto(struct ludens_player *player, const struct ludens_state *state,
                        struct ludens_error *error)
{
    struct error inside = {0};
    const struct state *words = state_words(state, error);
    if (!words || !same_game(player, state->engine, error)) return false;
    return player_goto(player->player, engine_ask(state->engine), words, &inside) || tell(error, &inside);
}

/* Moves are told as numbers of the engine. */
static bool tell_moves(struct ludens_player *p, struct ludens_engine *e, struct ludens_thoughts *out,
                       struct ludens_error *error)
{
    struct mcts *m = player_search(p->player);
    uint32_t n = m ? mcts_moves(m, p->role, NULL, 0) : 0;
    struct mcts_move *all = calloc(n + 1, sizeof *all);
    free(p->moves);
    p->moves = calloc(n + 1, sizeof *p->moves);
    bool good = (all && p->moves) || no_memory(error);
    if (good && n) mcts_moves(m, p->role, all, n);
    for (uint32_t i = 0; i < n && good; i++) {
        struct ludens_thought *t = &p->moves[i];
        *t = (struct ludens_thought){0, all[i].n, (double)all[i].mean, (double)all[i].low,
                                     (double)all[i].high};
        good = reasoner_carry_move(engine_ask(e), player_reasoner(p->player), p->role, all[i].move, &t->move);
        if (good)
            engine_learn(e, p->role, t->move);
        else
            tell(error, &e->reasoner->error);
    }
    free(all);
    out->moves = p->moves;
    out->count = n;
    return good;
}

bool ludens_player_thoughts(struct ludens_player *player, struct ludens_engine *engine,
                            struct ludens_thoughts *out, struct ludens_error *error)
{
    const struct player_report *r = player_report(player->player);
    struct ludens_error trouble;
    if (!same_game(player, engine, error)) return false;
    tell(&trouble, &r->trouble);
    *out = (struct ludens_thoughts){.simulations = r->stats.simulations,
                                    .expansions = r->stats.expansions,
                                    .steps = r->stats.steps,
                                    .seconds = r->stats.seconds,
                                    .nodes = r->nodes,
                                    .depth = r->stats.max_depth,
                                    .value = (double)r->value,
                                    .circuit = r->engine && strcmp(r->engine, "circuit") == 0,
                                    .trouble = trouble.code};
    snprintf(out->trouble_text, sizeof out->trouble_text, "%s", trouble.code ? trouble.text : "");
    return tell_moves(player, engine, out, error);
}

size_t ludens_player_json(struct ludens_player *player, char *buffer, size_t size)
{
    json_t *j = thoughts_json(player->player, player->role);
    char *text = j ? json_dumps(j, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) : NULL;
    size_t n = put_text(text, text ? strlen(text) : 0, buffer, size);
    free(text);
    json_decref(j);
    return n;
}
