// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/spec/schedule.h"

#include "base/hash.h"
#include "base/sha1.h"
#include "base/text.h"
#include "player/arms.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define MAX_ASSIGNMENTS 100000

const uint8_t *schedule_assignments(struct heap *heap, uint32_t nplayers, uint32_t nroles, uint32_t *count)
{
    uint64_t all = 1, n = 0;
    for (uint32_t r = 0; r < nroles && all <= MAX_ASSIGNMENTS; r++) all *= nplayers;
    if (nplayers > nroles)
        heap_fail(heap, ERROR_INPUT, "%u players are too many for %u seat%s", nplayers, nroles,
                  nroles == 1 ? "" : "s");
    if (all > MAX_ASSIGNMENTS)
        heap_fail(heap, ERROR_INPUT, "%u players have too many ways to sit on %u seats", nplayers, nroles);
    uint8_t *rows = heap_alloc(heap, all * nroles);
    /* Numbers in base nplayers, from both ends: k and its mirror image. Where those are the same (a number in
     * the middle, only with an odd number of players) it is taken once. */
    for (uint64_t i = 0; i < all; i++) {
        uint64_t k = i % 2 ? all - 1 - i / 2 : i / 2, rest = k, seen = 0;
        uint8_t *row = rows + n * nroles;
        for (uint32_t r = nroles; r-- > 0; rest /= nplayers) {
            row[r] = (uint8_t)(rest % nplayers);
            seen |= (uint64_t)1 << row[r];
        }
        n += seen == ((uint64_t)1 << nplayers) - 1;
    }
    *count = (uint32_t)n;
    return rows;
}

void schedule_print_budget(const struct match_budget *b, char out[SCHEDULE_BUDGET_TEXT])
{
    size_t n = 0;
    const char *and = "";
    out[0] = '\0';
    if (b->simulations)
        n += (size_t)snprintf(out, SCHEDULE_BUDGET_TEXT, "%" PRIu64 " simulations", b->simulations), and =
                                                                                                         ", ";
    if (b->steps)
        n += (size_t)snprintf(out + n, SCHEDULE_BUDGET_TEXT - n, "%s%" PRIu64 " steps", and, b->steps),
            and = ", ";
    if (b->expansions)
        n += (size_t)snprintf(out + n, SCHEDULE_BUDGET_TEXT - n, "%s%" PRIu64 " expansions", and,
                              b->expansions),
            and = ", ";
    if (b->seconds > 0) n += (size_t)snprintf(out + n, SCHEDULE_BUDGET_TEXT - n, "%s%g s", and, b->seconds);
    if (b->start_seconds > 0)
        n += (size_t)snprintf(out + n, SCHEDULE_BUDGET_TEXT - n, ", start %g s", b->start_seconds);
    if (b->start_simulations || b->start_steps)
        snprintf(out + n, SCHEDULE_BUDGET_TEXT - n, ", start %" PRIu64,
                 b->start_simulations + b->start_steps);
}

/* Games of the same players and budgets come out otherwise since: 2, counted searches have one lane; 3,
 * N-grams learn moves that had no alternative; 4, the papers' players play for the difference of two goals
 * (where these add up to 100 it is the same, but rules do not show that); 5, FAST takes all others for
 * opponents of its own role where there are several; 6, means above a proved move stay what they are. Who is
 * not concerned keeps the number, and so does whoever chooses how to search. */
static int search_version(const char *text, uint32_t nroles)
{
    struct player_config c;
    struct error ignored;
    if (!player_config_parse(text, &c, &ignored)) return 2; /* a player elsewhere */
    if (c.arm >= ARM_FIRST && !player_arm_apply(&c, (uint32_t)c.arm - ARM_FIRST, &ignored)) return 2;
    bool fast = c.playout == PLAYOUT_FAST || c.playout == PLAYOUT_MAST_FAST;
    if (c.kind == PLAYER_SEARCH && c.solver != SOLVER_OFF && c.arm != ARM_AUTO) return 6;
    if (c.goals && nroles > 2 && fast) return 5;
    if (c.goals && nroles == 2 && c.kind == PLAYER_SEARCH && c.solver == SOLVER_OFF) return 4;
    return c.playout == PLAYOUT_NST || c.playout == PLAYOUT_NST_WIRES ? 3 : 2;
}

/* What decides the games of a cell, in words; its digest is the cell's. */
static void describe(struct schedule *p, struct schedule_cell *c)
{
    const struct spec *s = p->spec;
    const struct spec_pairing *pair = &s->pairings[c->pairing];
    struct text t;
    text_init(&t, p->heap);
    text_printf(&t, "rules %s, seed %" PRIu64, p->games[c->game]->digest, s->seed);
    for (uint32_t i = 0; i < pair->n; i++) text_printf(&t, ", %s", s->players[pair->players[i]].text);
    c->key = hash_bytes(text_str(&t), t.n);
    for (uint32_t i = 0; i < pair->n; i++) {
        char budget[SCHEDULE_BUDGET_TEXT];
        schedule_print_budget(&c->budget[i], budget);
        text_printf(&t, "%s%s", i ? " / " : "; ", budget);
    }
    int version = 0;
    for (uint32_t i = 0; i < pair->n; i++) {
        int one = search_version(s->players[pair->players[i]].text, p->games[c->game]->nroles);
        version = one > version ? one : version;
    }
    text_printf(&t, "; search %d", version);
    c->settings = text_str(&t);
    sha1_hex(c->settings, t.n, c->digest, 40);
}

static void add_cell(struct schedule *p, uint32_t game, uint32_t pairing)
{
    const struct spec *s = p->spec;
    const struct spec_pairing *pair = &s->pairings[pairing];
    struct schedule_cell *c = &p->cells[p->ncells++];
    *c = (struct schedule_cell){.game = game, .pairing = pairing, .nplayers = pair->n};
    c->assignments = schedule_assignments(p->heap, pair->n, p->games[game]->nroles, &c->nassignments);
    assert(c->nassignments > 0); /* whoever plays can be seated */
    uint32_t number = s->games[game].number ? s->games[game].number : s->number;
    c->number = (number + c->nassignments - 1) / c->nassignments * c->nassignments;
    for (uint32_t i = 0; i < pair->n; i++) {
        const struct spec_player *player = &s->players[pair->players[i]];
        c->budget[i] = spec_budget(s, game, pairing, pair->players[i]);
        if (player->remote && c->budget[i].seconds <= 0)
            heap_fail(p->heap, ERROR_INPUT, "%.100s is elsewhere and needs a budget in seconds",
                      player->name);
    }
    describe(p, c);
    p->total += c->number;
}

struct schedule *schedule_new(const struct spec *spec, struct error *error)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct schedule *volatile made = NULL;
    volatile uint32_t row = 0;
    if (!heap) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    if (HEAP_ENTER(heap, &guard, error)) {
        struct schedule *p = heap_zalloc(heap, sizeof *p);
        p->games = heap_zalloc(heap, spec->ngames * sizeof *p->games);
        p->cells = heap_zalloc(heap, (size_t)spec->ngames * spec->npairings * sizeof *p->cells);
        p->heap = heap;
        p->spec = spec;
        made = p;
        for (row = 0; row < spec->ngames; row++) {
            struct error why = {0};
            if (!(p->games[row] = game_load(spec->games[row].path, 0, NULL, &why)))
                heap_fail(heap, why.code, "%s", why.text);
            if (p->games[row]->nroles > MCTS_MAX_ROLES)
                heap_fail(heap, ERROR_INPUT, "more than %d roles", MCTS_MAX_ROLES);
            for (uint32_t k = 0; k < spec->npairings; k++)
                if (!spec->empty[row * spec->npairings + k]) add_cell(p, row, k);
        }
        heap_leave(heap);
        return p;
    }
    error_prefix(error, "%.100s", spec->games[row].label);
    if (made)
        schedule_free(made);
    else
        heap_free(heap);
    return NULL;
}

void schedule_free(struct schedule *p)
{
    if (!p) return;
    for (uint32_t i = 0; i < p->spec->ngames; i++) game_free(p->games[i]);
    heap_free(p->heap);
}

void schedule_seats(const struct schedule *p, const struct schedule_cell *c, uint32_t number, uint32_t *seats)
{
    uint32_t nroles = p->games[c->game]->nroles;
    const uint8_t *row = c->assignments + (size_t)(number % c->nassignments) * nroles;
    for (uint32_t r = 0; r < nroles; r++) seats[r] = row[r];
}

uint64_t schedule_seed(const struct schedule_cell *c, uint32_t number)
{
    return hash_mix(c->key, number);
}
