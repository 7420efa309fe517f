// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/solver/expand.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)1 << 20)
#define MOST_CHILDREN 1000000 /* joint moves of one position */

/* The stack of fans: blocks in a row, kept when they are empty. */
struct fan_block {
    struct fan_block *before, *after;
    size_t used, size;
    uint64_t room[];
};

/* Some children of a fan, in lanes that hold their parent. */
struct span {
    struct fan *fan;
    const struct place *parent;
    uint32_t first, n; /* children */
    uint32_t lane;
};

struct expander {
    struct reasoner *r;
    const struct code *code;
    struct batch *narrow, *wide; /* 64 lanes, and as many as there are; may be the same */
    struct fan_block *block;
    uint64_t *states;            /* scratch: lanes of the widest */
    uint64_t *sets;              /* scratch: legal moves of all lanes */
    uint32_t *counts;            /* scratch */
    int16_t *goals;              /* scratch */
    struct place *children_here; /* scratch: by lane */
    struct span *spans;          /* scratch */
    struct list legal;           /* scratch */
    struct state state, next;    /* scratch */
    uint64_t fans, children;
};

static bool no_memory(struct error *error)
{
    return error_set(error, ERROR_MEMORY, "out of memory");
}

struct expander *expander_new(struct reasoner *r, const struct code *code, struct error *error)
{
    struct expander *e = calloc(1, sizeof *e);
    if (!e) return no_memory(error), NULL;
    e->r = r;
    e->code = code;
    if (!code) return e;
    e->narrow = batch_new(code, 64, 0, error);
    e->wide = e->narrow ? batch_new(code, 0, 0, error) : NULL;
    if (!e->wide) return expander_free(e), NULL;
    uint32_t words = 1;
    for (uint32_t role = 0; role < code->nroles; role++)
        if (batch_set_words(e->wide, role) > words) words = batch_set_words(e->wide, role);
    e->states = calloc((size_t)e->wide->lanes * (e->wide->state_words + 1), sizeof *e->states);
    e->sets = calloc((size_t)e->wide->lanes * words, sizeof *e->sets);
    e->counts = calloc(e->wide->lanes, sizeof *e->counts);
    e->goals = calloc((size_t)e->wide->lanes * code->nroles, sizeof *e->goals);
    e->children_here = calloc(e->wide->lanes, sizeof *e->children_here);
    e->spans = calloc(e->wide->lanes, sizeof *e->spans);
    if (!e->states || !e->sets || !e->counts || !e->goals || !e->children_here || !e->spans)
        return no_memory(error), expander_free(e), NULL;
    return e;
}

void expander_free(struct expander *e)
{
    if (!e) return;
    batch_free(e->narrow);
    batch_free(e->wide);
    struct fan_block *b = e->block;
    while (b && b->after) b = b->after;
    while (b) {
        struct fan_block *before = b->before;
        free(b);
        b = before;
    }
    free(e->states);
    free(e->sets);
    free(e->counts);
    free(e->goals);
    free(e->children_here);
    free(e->spans);
    list_done(&e->legal);
    state_done(&e->state);
    state_done(&e->next);
    free(e);
}

uint64_t expander_fans(const struct expander *e)
{
    return e->fans;
}

uint64_t expander_children(const struct expander *e)
{
    return e->children;
}

/* --- The stack ------------------------------------------------------------------------------------------ */

static void *push(struct expander *e, size_t bytes)
{
    bytes = (bytes + 7) & ~(size_t)7;
    if (!e->block || e->block->used + bytes > e->block->size) {
        struct fan_block *next = e->block ? e->block->after : NULL;
        if (next && next->size < bytes) { /* too small for this: it and what follows goes */
            while (next) {
                struct fan_block *after = next->after;
                free(next);
                next = after;
            }
            e->block->after = NULL;
        }
        if (!next) {
            size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
            next = malloc(sizeof *next + size);
            if (!next) return NULL;
            *next = (struct fan_block){.before = e->block, .size = size};
            if (e->block) e->block->after = next;
        }
        next->used = 0;
        e->block = next;
    }
    void *at = (char *)e->block->room + e->block->used;
    e->block->used += bytes;
    return at;
}

void fan_close(struct expander *e, struct fan *f)
{
    if (!f->block) return;
    e->block = f->block;
    e->block->used = f->mark;
    f->block = NULL;
}

void *expander_room(struct expander *e, size_t bytes)
{
    return push(e, bytes);
}

struct expander_mark expander_mark(const struct expander *e)
{
    return (struct expander_mark){e->block, e->block ? e->block->used : 0};
}

void expander_release(struct expander *e, struct expander_mark mark)
{
    struct fan_block *first = mark.block;
    if (!first) /* it was empty */
        for (first = e->block; first && first->before; first = first->before) continue;
    e->block = first;
    if (first) first->used = mark.used;
}

/* --- One place ------------------------------------------------------------------------------------------ */

static void fingerprint(struct place *p)
{
    p->key = hash_bytes(p->state, (size_t)p->words * sizeof *p->state);
    uint64_t h = p->words;
    for (uint32_t i = 0; i < p->words; i++) h = hash_mix(h + 0x632be59bd9b4e019u, p->state[i]);
    p->check = h ? h : 1;
}

static bool no_goal(struct expander *e, uint32_t role, struct error *error)
{
    return error_set(error, ERROR_INPUT, "%s does not have exactly one goal at an end of the game",
                     e->r->game->role_names[role]);
}

static bool no_move(struct expander *e, uint32_t role, struct error *error)
{
    return error_set(error, ERROR_INPUT, "role %s has no legal move in a state that is not the end",
                     e->r->game->role_names[role]);
}

static bool ask_goals(struct expander *e, const struct state *s, struct place *p, struct error *error)
{
    uint32_t nroles = e->r->game->nroles;
    int16_t *goals = push(e, nroles * sizeof *goals);
    if (!goals) return no_memory(error);
    p->goals = goals;
    for (uint32_t role = 0; role < nroles; role++) {
        int goal;
        if (!reasoner_goal(e->r, s, role, &goal)) return *error = e->r->error, false;
        if (goal == GOAL_UNDEFINED && p->end) return no_goal(e, role, error);
        goals[role] = (int16_t)goal;
    }
    return true;
}

/* End, goals and number of moves of a state by the reasoner. */
static bool describe(struct expander *e, const struct state *s, const struct opening *how, struct place *p,
                     struct error *error)
{
    struct reasoner *r = e->r;
    uint32_t nroles = r->game->nroles;
    uint64_t *words = push(e, s->words * sizeof *words);
    if (!words) return no_memory(error);
    memcpy(words, s->w, s->words * sizeof *words);
    *p = (struct place){.state = words, .words = s->words};
    if (!r->ops->terminal(r, s, &p->end)) return *error = r->error, false;
    if (!how->leaves) fingerprint(p);
    if ((p->end || how->goals) && !ask_goals(e, s, p, error)) return false;
    if (p->end || how->leaves || how->lazily) return true;
    uint64_t joints = 1;
    for (uint32_t role = 0; role < nroles; role++) {
        e->legal.n = 0;
        if (!r->ops->legal(r, s, role, &e->legal)) return *error = r->error, false;
        if (!e->legal.n) return no_move(e, role, error);
        joints = joints * e->legal.n > UINT32_MAX ? UINT32_MAX : joints * e->legal.n;
        p->choosers += e->legal.n > 1;
    }
    p->joints = (uint32_t)joints;
    return true;
}

bool place_read(struct expander *e, const struct state *s, struct place *out, struct error *error)
{
    static const struct opening plain = {0};
    return describe(e, s, &plain, out, error);
}

/* --- Fans ----------------------------------------------------------------------------------------------- */

/* Room for the fan once the moves of all roles are known to be `total`, with `n` joint moves. */
static bool make_room(struct expander *e, struct fan *f, struct error *error)
{
    uint32_t nroles = e->r->game->nroles;
    f->count = push(e, nroles * sizeof *f->count);
    f->stride = push(e, nroles * sizeof *f->stride);
    f->moves = push(e, nroles * sizeof *f->moves);
    return (f->count && f->stride && f->moves) || no_memory(error);
}

static bool number_joints(struct expander *e, struct fan *f, struct error *error)
{
    uint64_t n = 1;
    f->choosers = f->mover = 0;
    for (uint32_t role = e->r->game->nroles; role-- > 0;) {
        if (f->count[role] == 0) return no_move(e, role, error);
        f->stride[role] = (uint32_t)n;
        n *= f->count[role];
        if (f->count[role] > 1) f->choosers++, f->mover = role;
        if (n > MOST_CHILDREN)
            return error_set(error, ERROR_MEMORY, "a position has more than %u joint moves", MOST_CHILDREN);
    }
    f->n = (uint32_t)n;
    f->child = push(e, f->n * sizeof *f->child);
    if (!f->child) return no_memory(error);
    memset(f->child, 0, f->n * sizeof *f->child);
    e->fans++;
    e->children += f->n;
    return true;
}

static bool open_by_reasoner(struct expander *e, const struct place *p, const struct opening *how,
                             struct fan *f, struct error *error)
{
    struct reasoner *r = e->r;
    if (!state_reserve(&e->state, p->words)) return no_memory(error);
    memcpy(e->state.w, p->state, p->words * sizeof *p->state);
    e->state.words = p->words;
    for (uint32_t role = 0; role < r->game->nroles; role++) {
        e->legal.n = 0;
        if (!r->ops->legal(r, &e->state, role, &e->legal)) return *error = r->error, false;
        f->count[role] = e->legal.n;
        f->moves[role] = push(e, e->legal.n * sizeof(uint32_t));
        if (!f->moves[role]) return no_memory(error);
        memcpy(f->moves[role], e->legal.v, e->legal.n * sizeof(uint32_t));
    }
    if (!number_joints(e, f, error)) return false;
    for (uint32_t k = 0; k < f->n && !how->lazily; k++)
        if (!fan_child(e, p, how, f, k, error)) return false;
    return true;
}

bool fan_child(struct expander *e, const struct place *p, const struct opening *how, struct fan *f,
               uint32_t k, struct error *error)
{
    struct reasoner *r = e->r;
    uint32_t nroles = r->game->nroles, *joint = push(e, nroles * sizeof *joint);
    if (!joint || !state_reserve(&e->state, p->words)) return no_memory(error);
    memcpy(e->state.w, p->state, p->words * sizeof *p->state);
    e->state.words = p->words;
    for (uint32_t role = 0; role < nroles; role++) joint[role] = fan_move(f, role, k);
    if (!r->ops->next(r, &e->state, joint, &e->next)) return *error = r->error, false;
    return describe(e, &e->next, how, &f->child[k], error);
}

static void lanes_below(uint64_t mask[BATCH_MAX_WORDS], uint32_t n)
{
    for (uint32_t w = 0; w < BATCH_MAX_WORDS; w++)
        mask[w] = n >= 64 * (w + 1) ? ~0ull : n <= 64 * w ? 0 : (1ull << n % 64) - 1;
}

static bool read_goals(struct expander *e, struct batch *b, struct place *child, uint32_t n,
                       const uint64_t *wanted, struct error *error)
{
    uint32_t nroles = e->r->game->nroles;
    batch_park(b, wanted);
    batch_collect_goals(b, e->goals, NULL);
    for (uint32_t i = 0; i < n; i++) {
        if (!(wanted[i / 64] >> i % 64 & 1)) continue;
        int16_t *goals = push(e, nroles * sizeof *goals);
        if (!goals) return no_memory(error);
        memcpy(goals, e->goals + (size_t)i * nroles, nroles * sizeof *goals);
        for (uint32_t role = 0; role < nroles && child[i].end; role++)
            if (goals[role] == BATCH_GOAL_UNDEFINED) return no_goal(e, role, error);
        child[i].goals = goals;
    }
    return true;
}

/* How many moves the children in lanes 0 .. n - 1 have. */
static bool count_moves(struct expander *e, struct batch *b, struct place *child, uint32_t n,
                        struct error *error)
{
    for (uint32_t role = 0; role < e->r->game->nroles; role++) {
        batch_legal_sets(b, role, e->sets, e->counts);
        for (uint32_t i = 0; i < n; i++) {
            if (child[i].end) continue;
            if (e->counts[i] == 0) return no_move(e, role, error);
            uint64_t joints = (uint64_t)child[i].joints * e->counts[i];
            child[i].joints = joints > UINT32_MAX ? UINT32_MAX : (uint32_t)joints;
            child[i].choosers += e->counts[i] > 1;
        }
    }
    return true;
}

static bool read_moves(struct expander *e, struct batch *b, uint32_t lane, struct fan *f, struct error *error)
{
    for (uint32_t role = 0; role < e->r->game->nroles; role++) {
        uint32_t most = b->code->roles[role].n, *moves = push(e, most * sizeof *moves);
        if (!moves) return no_memory(error);
        f->moves[role] = moves;
        f->count[role] = batch_legal(b, lane, role, moves);
    }
    return number_joints(e, f, error);
}

static void lanes_between(uint64_t mask[BATCH_MAX_WORDS], uint32_t from, uint32_t to)
{
    uint64_t below[BATCH_MAX_WORDS];
    lanes_below(below, from);
    lanes_below(mask, to);
    for (uint32_t w = 0; w < BATCH_MAX_WORDS; w++) mask[w] &= ~below[w];
}

static void lanes_of(const struct span *spans, uint32_t n, uint64_t mask[BATCH_MAX_WORDS])
{
    memset(mask, 0, BATCH_MAX_WORDS * sizeof *mask);
    for (uint32_t s = 0; s < n; s++) {
        uint64_t some[BATCH_MAX_WORDS];
        lanes_between(some, spans[s].lane, spans[s].lane + spans[s].n);
        for (uint32_t w = 0; w < BATCH_MAX_WORDS; w++) mask[w] |= some[w];
    }
}

static void put_parent(struct batch *b, const struct place *p, uint32_t lane, uint32_t n)
{
    uint64_t mask[BATCH_MAX_WORDS];
    lanes_between(mask, lane, lane + n);
    batch_restart_from(b, mask, p->state);
}

/* Where the children of the spans are in lanes 0 .. n - 1 after a step and a view. */
static bool read_children(struct expander *e, struct batch *b, const struct span *spans, uint32_t nspans,
                          uint32_t n, const struct opening *how, struct error *error)
{
    uint32_t words = b->state_words;
    batch_get_states(b, n, e->states);
    uint64_t *states = push(e, (size_t)n * words * sizeof *states), wanted[BATCH_MAX_WORDS], any = 0;
    if (!states) return no_memory(error);
    memcpy(states, e->states, (size_t)n * words * sizeof *states);
    lanes_of(spans, nspans, wanted);
    struct place *child = e->children_here;
    for (uint32_t i = 0; i < n; i++) {
        child[i] = (struct place){.state = states + (size_t)i * words, .words = words};
        child[i].end = b->terminal[i / 64] >> i % 64 & 1;
        child[i].joints = !child[i].end;
        if (!how->leaves) fingerprint(&child[i]);
    }
    if (!how->leaves && !count_moves(e, b, child, n, error)) return false;
    for (uint32_t w = 0; w < b->words; w++) any |= wanted[w] &= how->goals ? ~0ull : b->terminal[w];
    if (any && !read_goals(e, b, child, n, wanted, error)) return false;
    for (uint32_t s = 0; s < nspans; s++)
        memcpy(spans[s].fan->child + spans[s].first, child + spans[s].lane, spans[s].n * sizeof *child);
    return true;
}

/* A round: parents in their lanes, their moves made. */
static bool run_lanes(struct expander *e, struct batch *b, const struct span *spans, uint32_t nspans,
                      uint32_t n, const struct opening *how, struct error *error)
{
    uint32_t nroles = e->r->game->nroles;
    for (uint32_t s = 0; s < nspans; s++) put_parent(b, spans[s].parent, spans[s].lane, spans[s].n);
    batch_view(b);
    for (uint32_t s = 0; s < nspans; s++) {
        struct fan *f = spans[s].fan;
        if (!f->n && !read_moves(e, b, spans[s].lane, f, error)) return false;
        for (uint32_t role = 0; role < nroles; role++)
            for (uint32_t i = 0; i < spans[s].n; i++)
                batch_set_move(b, spans[s].lane + i, role, fan_move(f, role, spans[s].first + i));
    }
    batch_step(b);
    if (how->nbits) batch_fill_rows(b, how->bits, how->nbits, how->row);
    batch_view(b);
    return read_children(e, b, spans, nspans, n, how, error);
}

/* The moves of places of which nobody has counted them. */
static bool look_first(struct expander *e, const struct place *const *p, uint32_t n, struct fan *f,
                       struct error *error)
{
    struct batch *b = n <= e->narrow->lanes ? e->narrow : e->wide;
    for (uint32_t from = 0; from < n; from += b->lanes) {
        uint32_t to = n - from < b->lanes ? n : from + b->lanes;
        for (uint32_t i = from; i < to; i++)
            if (!p[i]->joints && !f[i].n) put_parent(b, p[i], i - from, 1);
        batch_view(b);
        for (uint32_t i = from; i < to; i++)
            if (!p[i]->joints && !f[i].n && !read_moves(e, b, i - from, &f[i], error)) return false;
    }
    return true;
}

static bool open_on_lanes(struct expander *e, const struct place *const *p, uint32_t n,
                          const struct opening *how, struct fan *f, struct error *error)
{
    uint64_t total = 0;
    bool unknown = false;
    for (uint32_t i = 0; i < n; i++) unknown |= !p[i]->joints && !f[i].n;
    if (unknown && !look_first(e, p, n, f, error)) return false;
    for (uint32_t i = 0; i < n; i++) total += f[i].n ? f[i].n : p[i]->joints;
    struct batch *b = total <= e->narrow->lanes ? e->narrow : e->wide;
    struct span *spans = e->spans;
    uint32_t nspans = 0, lane = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t all = f[i].n ? f[i].n : p[i]->joints;
        if (all > MOST_CHILDREN)
            return error_set(error, ERROR_MEMORY, "a position has more than %u joint moves", MOST_CHILDREN);
        for (uint32_t first = 0, k; first < all; first += k) {
            k = all - first < b->lanes - lane ? all - first : b->lanes - lane;
            spans[nspans++] = (struct span){&f[i], p[i], first, k, lane};
            lane += k;
            if (lane < b->lanes) continue;
            if (!run_lanes(e, b, spans, nspans, lane, how, error)) return false;
            nspans = lane = 0;
        }
    }
    return !lane || run_lanes(e, b, spans, nspans, lane, how, error);
}

/* Where the stack is, and room for what belongs to each fan. */
static bool begin_fans(struct expander *e, uint32_t n, struct fan *f, struct error *error)
{
    for (uint32_t i = 0; i < n; i++) {
        f[i] = (struct fan){0};
        if (!push(e, 0)) return no_memory(error);
        f[i].block = e->block;
        f[i].mark = e->block->used;
        if (!make_room(e, &f[i], error)) return false;
    }
    return true;
}

bool fans_rest(struct expander *e, const struct place *const *p, uint32_t n, const struct opening *how,
               struct fan *f, struct error *error)
{
    return open_on_lanes(e, p, n, how, f, error);
}

static bool probe(struct expander *e, const struct place *const *p, uint32_t n, const struct opening *how,
                  struct fan *f, fans_pick *pick, void *data, struct error *error)
{
    struct batch *b = e->narrow;
    uint32_t joint[EXPANDER_PROBES], nspans = 0;
    for (uint32_t i = 0; i < n; i++) put_parent(b, p[i], i, 1);
    batch_view(b);
    for (uint32_t i = 0; i < n; i++)
        if (!read_moves(e, b, i, &f[i], error)) return false;
    pick(data, f, n, joint);
    for (uint32_t i = 0; i < n; i++) {
        if (joint[i] == UINT32_MAX) continue;
        e->spans[nspans++] = (struct span){&f[i], p[i], joint[i], 1, i};
        for (uint32_t role = 0; role < e->r->game->nroles; role++)
            batch_set_move(b, i, role, fan_move(&f[i], role, joint[i]));
    }
    batch_step(b);
    if (how->nbits) batch_fill_rows(b, how->bits, how->nbits, how->row);
    batch_view(b);
    return read_children(e, b, e->spans, nspans, n, how, error);
}

bool fans_probe(struct expander *e, const struct place *const *p, uint32_t n, const struct opening *how,
                struct fan *f, fans_pick *pick, void *data, struct error *error)
{
    bool ok = begin_fans(e, n, f, error) && probe(e, p, n, how, f, pick, data, error);
    if (!ok) fan_close(e, f);
    return ok;
}

bool fans_open(struct expander *e, const struct place *const *p, uint32_t n, const struct opening *how,
               struct fan *f, struct error *error)
{
    bool ok = begin_fans(e, n, f, error);
    if (e->code && !how->lazily)
        ok = ok && open_on_lanes(e, p, n, how, f, error);
    else
        for (uint32_t i = 0; i < n && ok; i++) ok = open_by_reasoner(e, p[i], how, &f[i], error);
    if (!ok) fan_close(e, f);
    return ok;
}

bool fan_open(struct expander *e, const struct place *p, struct fan *f, struct error *error)
{
    static const struct opening plain = {0};
    return fans_open(e, &p, 1, &plain, f, error);
}
