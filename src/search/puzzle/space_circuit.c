// SPDX-License-Identifier: GPL-3.0-or-later
/* A puzzle on the circuit.
 *
 *     state of the circuit = kept bits (packed state) + ticking bits (a row per depth, the same for all)
 *
 * With some bits kept only (space_of_bits) there are frozen ones, too: the same for all at all depths.
 *
 * Parents are put into the lanes and viewed once, for their legal moves; then every pair of a parent and a
 * move gets a lane of its own: put, view, step, get, view. Sweeps are always as full as there is work. */
#include "search/puzzle/space.h"
#include "search/puzzle/ticking.h"

#include <stdlib.h>

struct circuit_space {
    struct space base;
    struct batch *batch;
    uint32_t nkept, nticking, nfrozen;
    uint32_t *kept, *ticking, *frozen; /* bits */
    uint64_t *frozen_row;
    uint32_t tick_words, ticks, tick_cap;
    uint64_t *tick;  /* by depth: the ticking bits as a row */
    uint64_t *drift; /* at the last of these depths: kept bits, of which those that are time are right */
    /* of the children under way */
    uint64_t *row;
    uint32_t *parent, *move, *tick_at;
    int16_t *goal;
    /* of the parents: a copy, since a sink may move the table they are from */
    uint64_t *parents;
    uint64_t *legal, *child_legal;
    uint32_t *count;
    uint32_t *listed; /* legal moves of one lane */
};

static struct circuit_space *self(struct space *s)
{
    return (struct circuit_space *)s;
}

static bool no_memory(struct space *s)
{
    return error_set(&s->trouble, ERROR_MEMORY, "out of memory");
}

/* --- Time ----------------------------------------------------------------------------------------------- */

/* The ticking bits at one depth more: whatever is moved, and wherever. They may read time that is kept, since
 * moves depend on it. */
static bool tick_on(struct circuit_space *s)
{
    if (s->ticks == s->tick_cap) {
        uint32_t cap = s->tick_cap ? 2 * s->tick_cap : 64;
        uint64_t *grown = realloc(s->tick, (size_t)cap * s->tick_words * 8);
        if (!grown) return no_memory(&s->base);
        s->tick = grown;
        s->tick_cap = cap;
    }
    uint64_t *last = s->tick + (size_t)(s->ticks - 1) * s->tick_words;
    batch_put_rows(s->batch, s->kept, s->nkept, s->drift, NULL, 1);
    if (s->nfrozen) batch_fill_rows(s->batch, s->frozen, s->nfrozen, s->frozen_row);
    batch_fill_rows(s->batch, s->ticking, s->nticking, last);
    batch_view(s->batch);
    batch_set_move(s->batch, 0, 0, 0);
    batch_step(s->batch);
    batch_get_rows(s->batch, s->ticking, s->nticking, last + s->tick_words, 1);
    batch_get_rows(s->batch, s->kept, s->nkept, s->drift, 1);
    s->ticks++;
    return true;
}

static bool tick_until(struct circuit_space *s, uint32_t depth)
{
    while (s->nticking && s->ticks <= depth)
        if (!tick_on(s)) return false;
    return true;
}

static bool tick_for(struct circuit_space *s, const uint32_t *depth, uint32_t n)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++)
        if (depth[i] > most) most = depth[i];
    return tick_until(s, most);
}

static bool all_alike(const uint32_t *depth, uint32_t n)
{
    bool alike = true;
    for (uint32_t i = 1; i < n; i++) alike &= depth[i] == depth[0];
    return alike;
}

/* Row order[i] at depth[order[i]] into lane i; without an order, one after the other. `alike`: all depths are
 * the same. */
static void put(struct circuit_space *s, const uint64_t *rows, const uint32_t *depth, bool alike,
                const uint32_t *order, uint32_t n)
{
    batch_put_rows(s->batch, s->kept, s->nkept, rows, order, n);
    if (s->nfrozen) batch_fill_rows(s->batch, s->frozen, s->nfrozen, s->frozen_row);
    if (!s->nticking) return;
    if (alike) {
        batch_fill_rows(s->batch, s->ticking, s->nticking, s->tick + (size_t)depth[0] * s->tick_words);
        return;
    }
    for (uint32_t i = 0; i < n; i++) s->tick_at[i] = depth[order ? order[i] : i];
    batch_put_rows(s->batch, s->ticking, s->nticking, s->tick, s->tick_at, n);
}

/* --- Children ------------------------------------------------------------------------------------------- */

/* What ended lanes among the first n brought; true if there were any. */
static bool read_goals(struct circuit_space *s, uint32_t n, int16_t *goal)
{
    struct batch *b = s->batch;
    uint64_t ended[BATCH_MAX_WORDS] = {0}, any = 0;
    for (uint32_t i = 0; i < n; i++) goal[i] = SPACE_GOES_ON;
    for (uint32_t w = 0; w * 64 < n; w++) {
        ended[w] = b->terminal[w];
        if (n - w * 64 < 64) ended[w] &= (1ull << (n - w * 64)) - 1;
        any |= ended[w];
    }
    if (!any) return false;
    batch_park(b, ended);
    batch_collect_goals(b, goal, NULL);
    for (uint32_t i = 0; i < n; i++)
        if (goal[i] == BATCH_GOAL_UNDEFINED) goal[i] = 0;
    return true;
}

/* Among the first n lanes, is there one that has ended and has legal moves all the same? */
static bool cut_off(struct circuit_space *s, uint32_t n)
{
    const struct batch *b = s->batch;
    if (!batch_any(b, b->terminal)) return false;
    batch_legal_sets(s->batch, 0, s->child_legal, s->count);
    for (uint32_t i = 0; i < n; i++)
        if (s->count[i] && (b->terminal[i / 64] >> i % 64 & 1)) return true;
    return false;
}

/* The pairs collected so far become children. */
static bool flush(struct circuit_space *s, const uint32_t *depth, bool alike, uint32_t n, brood_sink *sink,
                  void *to)
{
    struct batch *b = s->batch;
    put(s, s->parents, depth, alike, s->parent, n);
    batch_view(b);
    batch_set_moves(b, 0, s->move, n);
    batch_step(b);
    batch_get_rows(b, s->kept, s->nkept, s->row, n);
    batch_view(b);
    bool early = s->base.avoid && cut_off(s, n);
    read_goals(s, n, s->goal);
    return sink(to, &(struct brood){n, s->row, s->parent, s->move, s->goal, early});
}

static bool expand(struct space *base, const uint64_t *states, const uint32_t *depth, uint32_t n,
                   brood_sink *sink, void *to)
{
    struct circuit_space *s = self(base);
    uint32_t words = base->words, set_words = batch_set_words(s->batch, 0), pairs = 0;
    if (!tick_for(s, depth, n)) return false;
    memcpy(s->parents, states, (size_t)n * words * 8);
    bool alike = all_alike(depth, n);
    put(s, states, depth, alike, NULL, n);
    batch_view(s->batch);
    batch_legal_sets(s->batch, 0, s->legal, s->count);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t w = 0; w < set_words; w++)
            for (uint64_t set = (s->legal[(size_t)i * set_words + w] | (base->always ? base->always[w] : 0)) &
                                (base->avoid && base->avoid[i] ? ~base->avoid[i][w] : ~(uint64_t)0);
                 set; set &= set - 1) {
                s->parent[pairs] = i;
                s->move[pairs++] = w * 64 + (uint32_t)__builtin_ctzll(set);
                if (pairs < base->lanes) continue;
                if (!flush(s, depth, alike, pairs, sink, to)) return false;
                pairs = 0;
            }
    return pairs == 0 || flush(s, depth, alike, pairs, sink, to);
}

/* --- Games to the end ----------------------------------------------------------------------------------- */

/* A legal move of a lane, with probability in proportion to its weight. */
static uint32_t draw(struct circuit_space *s, uint32_t lane, uint32_t set_words, const float *weight)
{
    const uint64_t *set = s->legal + (size_t)lane * set_words;
    float sum = 0;
    for (uint32_t w = 0; w < set_words; w++)
        for (uint64_t left = set[w]; left; left &= left - 1)
            sum += weight[w * 64 + (uint32_t)__builtin_ctzll(left)];
    float at = (float)rng_unit(&s->base.rng) * sum;
    uint32_t last = 0;
    for (uint32_t w = 0; w < set_words; w++)
        for (uint64_t left = set[w]; left; left &= left - 1) {
            last = w * 64 + (uint32_t)__builtin_ctzll(left);
            at -= weight[last];
            if (at < 0) return last;
        }
    return last;
}

static void choose(struct circuit_space *s, const struct roll *r, const uint64_t *busy)
{
    struct batch *b = s->batch;
    if (!r->weight) {
        batch_choose(b, busy);
        batch_moves(b, 0, s->move);
        return;
    }
    uint32_t set_words = batch_set_words(b, 0);
    batch_legal_sets(b, 0, s->legal, s->count);
    for (uint32_t i = 0; i < r->n; i++)
        if (busy[i / 64] >> i % 64 & 1) {
            s->move[i] = draw(s, i, set_words, r->weight);
            batch_set_move(b, i, 0, s->move[i]);
        }
}

static void roll(struct space *base, struct roll *r, struct turn *turn)
{
    struct circuit_space *s = self(base);
    struct batch *b = s->batch;
    uint64_t busy[BATCH_MAX_WORDS] = {0};
    for (uint32_t i = 0; i < r->n; i++) {
        r->length[i] = 0;
        r->goal[i] = SPACE_GOES_ON;
        busy[i / 64] |= 1ull << i % 64;
    }
    if (!tick_for(s, r->depth, r->n)) return;
    put(s, r->state, r->depth, all_alike(r->depth, r->n), NULL, r->n);
    for (uint32_t step = 0;; step++) {
        batch_view(b);
        if (read_goals(s, r->n, s->goal))
            for (uint32_t i = 0; i < r->n; i++)
                if (s->goal[i] != SPACE_GOES_ON && (busy[i / 64] >> i % 64 & 1)) {
                    r->goal[i] = s->goal[i];
                    busy[i / 64] &= ~(1ull << i % 64);
                }
        if (step == r->max_steps || !batch_any(b, busy) || turn_over(turn)) return;
        choose(s, r, busy);
        for (uint32_t i = 0; i < r->n; i++)
            if (busy[i / 64] >> i % 64 & 1) {
                r->moves[(size_t)i * r->max_steps + r->length[i]++] = s->move[i];
                turn->used++;
            }
        batch_step(b);
    }
}

static bool follow(struct space *base, const uint32_t *moves, uint32_t n, legal_sink *sink, void *to)
{
    struct circuit_space *s = self(base);
    put(s, base->root, &(uint32_t){0}, true, NULL, 1);
    for (uint32_t i = 0; i < n; i++) {
        batch_view(s->batch);
        sink(to, i, s->listed, batch_legal(s->batch, 0, 0, s->listed));
        batch_set_move(s->batch, 0, 0, moves[i]);
        batch_step(s->batch);
    }
    return true;
}

/* --- Life ----------------------------------------------------------------------------------------------- */

static const uint32_t *kept(struct space *base, uint32_t *n)
{
    *n = self(base)->nkept;
    return self(base)->kept;
}

static void release(struct space *base)
{
    struct circuit_space *s = self(base);
    batch_free(s->batch);
    free(s->kept);
    free(s->ticking);
    free(s->frozen);
    free(s->frozen_row);
    free(s->tick);
    free(s->drift);
    free(s->row);
    free(s->parents);
    free(s->parent);
    free(s->move);
    free(s->tick_at);
    free(s->goal);
    free(s->legal);
    free(s->child_legal);
    free(s->count);
    free(s->listed);
    free(base->root);
    free(s);
}

static const struct space_ops ops = {
    .expand = expand, .roll = roll, .follow = follow, .kept = kept, .free = release};

static bool split_bits(struct circuit_space *s, const struct circuit *c, const bool *keep, bool exact)
{
    bool *ticking = calloc(c->nbits + 1, sizeof *ticking);
    s->kept = malloc((c->nbits + 1) * sizeof *s->kept);
    s->ticking = malloc((c->nbits + 1) * sizeof *s->ticking);
    s->frozen = malloc((c->nbits + 1) * sizeof *s->frozen);
    bool good = ticking && s->kept && s->ticking && s->frozen && (exact || ticking_find(c, ticking));
    for (uint32_t i = 0; i < c->nbits && good; i++) {
        if (ticking[i])
            s->ticking[s->nticking++] = i;
        else if (keep && !keep[i])
            s->frozen[s->nfrozen++] = i;
        else
            s->kept[s->nkept++] = i;
    }
    free(ticking);
    return good;
}

static void pack(const uint64_t *state, const uint32_t *bits, uint32_t n, uint64_t *row)
{
    for (uint32_t i = 0; i < n; i++) row[i / 64] |= (state[bits[i] / 64] >> bits[i] % 64 & 1) << i % 64;
}

static bool make_room(struct circuit_space *s, const struct state *root)
{
    uint32_t lanes = s->base.lanes = s->batch->lanes, words = s->base.words = (s->nkept + 63) / 64;
    if (!words) words = s->base.words = 1; /* nothing but time changes */
    s->tick_words = (s->nticking + 63) / 64;
    s->row = malloc((size_t)lanes * words * 8);
    s->parents = malloc((size_t)lanes * words * 8);
    s->parent = malloc(lanes * sizeof *s->parent);
    s->move = malloc(lanes * sizeof *s->move);
    s->tick_at = malloc(lanes * sizeof *s->tick_at);
    s->goal = malloc(lanes * sizeof *s->goal);
    s->legal = malloc((size_t)lanes * (batch_set_words(s->batch, 0) + 1) * 8);
    s->child_legal = malloc((size_t)lanes * (batch_set_words(s->batch, 0) + 1) * 8);
    s->count = malloc(lanes * sizeof *s->count);
    s->listed = malloc((s->base.nmoves + 1) * sizeof *s->listed);
    s->base.root = calloc(words, 8);
    s->tick_cap = 64;
    s->tick = calloc((size_t)s->tick_cap * (s->tick_words + 1), 8);
    s->frozen_row = calloc(s->nfrozen / 64 + 1, 8);
    s->drift = calloc(words + 1, 8);
    if (!s->frozen_row || !s->drift || !s->row || !s->parents || !s->parent || !s->move || !s->tick_at ||
        !s->goal || !s->legal || !s->child_legal || !s->count || !s->listed || !s->base.root || !s->tick)
        return false;
    pack(root->w, s->kept, s->nkept, s->base.root);
    pack(root->w, s->kept, s->nkept, s->drift);
    pack(root->w, s->ticking, s->nticking, s->tick);
    pack(root->w, s->frozen, s->nfrozen, s->frozen_row);
    s->ticks = 1;
    return true;
}

struct space *space_of_bits(struct reasoner *reasoner, const struct code *code, const struct state *root,
                            const bool *keep, bool exact, uint64_t seed, struct error *error)
{
    struct circuit_space *s = calloc(1, sizeof *s);
    if (!s) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    s->base = (struct space){.ops = &ops, .reasoner = reasoner, .code = code, .nmoves = code->roles[0].n};
    rng_init(&s->base.rng, seed);
    s->batch = batch_new(code, 0, seed, error);
    if (!s->batch || !split_bits(s, code->circuit, keep, exact) || !make_room(s, root)) {
        if (s->batch) error_set(error, ERROR_MEMORY, "out of memory");
        release(&s->base);
        return NULL;
    }
    s->base.merges = s->nticking > 0;
    for (uint32_t i = 0; i < code->goals.n; i++)
        if (code->goals.v[i].role == 0 && (int)code->goals.v[i].value > s->base.most)
            s->base.most = (int)code->goals.v[i].value;
    return &s->base;
}

struct space *space_circuit(struct reasoner *reasoner, const struct code *code, const struct state *root,
                            bool exact, uint64_t seed, struct error *error)
{
    return space_of_bits(reasoner, code, root, NULL, exact, seed, error);
}
