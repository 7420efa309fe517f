// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/solver/expand.h"

#include "base/hash.h"
#include "base/rng.h"
#include "circuit/transpose.h"
#include "search/solver/prospects.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)1 << 20)
#define MOST_CHILDREN 1000000 /* joint moves of one position */
#define FEW_PARENTS 3         /* are put into their lanes one after the other */

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
    uint64_t *states;           /* scratch: lanes of the widest */
    uint64_t *sets;             /* scratch: legal moves of all lanes, role after role */
    uint32_t *counts;           /* scratch: role * lanes + lane */
    int16_t *goals;             /* scratch */
    struct place **at, *looked; /* scratch: by lane */
    struct span *spans;         /* scratch */
    struct list legal, all;     /* scratch */
    uint32_t *role_counts;      /* scratch: by role */
    struct state state, next;   /* scratch */
    uint64_t *folds; /* by bit: what it adds to the keys, then to the checks, of all symmetric states; NULL:
                        every position is one of its own */
    uint32_t nfolds; /* states that are one */
    struct prospects *prospects; /* NULL: nobody wants to know what can still come */
    int16_t *ranges;             /* scratch: of them, two a role */
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
    e->role_counts = calloc(r->game->nroles, sizeof *e->role_counts);
    if (!e->role_counts) return no_memory(error), expander_free(e), NULL;
    if (!code) return e;
    e->narrow = batch_new(code, 64, 0, error);
    e->wide = e->narrow ? batch_new(code, 0, 0, error) : NULL;
    if (!e->wide) return expander_free(e), NULL;
    uint32_t words = 1;
    for (uint32_t role = 0; role < code->nroles; role++) words += batch_set_words(e->wide, role);
    e->states = calloc((size_t)e->wide->lanes * (e->wide->state_words + 1), sizeof *e->states);
    e->sets = calloc((size_t)e->wide->lanes * words, sizeof *e->sets);
    e->counts = calloc((size_t)e->wide->lanes * code->nroles, sizeof *e->counts);
    e->goals = calloc((size_t)e->wide->lanes * code->nroles, sizeof *e->goals);
    e->at = calloc(e->wide->lanes, sizeof *e->at);
    e->looked = calloc(e->wide->lanes, sizeof *e->looked);
    e->spans = calloc(e->wide->lanes, sizeof *e->spans);
    if (!e->states || !e->sets || !e->counts || !e->goals || !e->at || !e->looked || !e->spans)
        return no_memory(error), expander_free(e), NULL;
    return e;
}

void expander_free(struct expander *e)
{
    if (!e) return;
    batch_free(e->narrow);
    batch_free(e->wide);
    prospects_free(e->prospects);
    free(e->ranges);
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
    free(e->at);
    free(e->looked);
    free(e->spans);
    list_done(&e->legal);
    list_done(&e->all);
    free(e->role_counts);
    free(e->folds);
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

uint32_t expander_lanes(const struct expander *e)
{
    return e->wide ? e->wide->lanes : 0;
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

static void fingerprint_state(struct place *p)
{
    p->key = hash_bytes(p->state, (size_t)p->words * sizeof *p->state);
    uint64_t h = p->words;
    for (uint32_t i = 0; i < p->words; i++) h = hash_mix(h + 0x632be59bd9b4e019u, p->state[i]);
    p->check = h ? h : 1;
}

/* Of all positions that are the same but for a symmetry, those of the one with the least key. All are added
 * up in one go from what the bits of the state count for in each. */
static void fingerprint_folded(const struct expander *e, struct place *p)
{
    uint64_t sum[2 * (1 + SYMMETRY_MOST)] = {0};
    uint32_t n = e->nfolds;
    for (uint32_t w = 0; w < p->words; w++)
        for (uint64_t rest = p->state[w]; rest; rest &= rest - 1) {
            const uint64_t *part = e->folds + (size_t)(w * 64 + (uint32_t)__builtin_ctzll(rest)) * 2 * n;
            for (uint32_t i = 0; i < 2 * n; i++) sum[i] += part[i];
        }
    uint32_t least = 0;
    for (uint32_t i = 1; i < n; i++)
        if (sum[i] < sum[least]) least = i;
    p->key = sum[least];
    p->check = sum[n + least] ? sum[n + least] : 1;
}

static void fingerprint(const struct expander *e, struct place *p)
{
    if (e->folds)
        fingerprint_folded(e, p);
    else
        fingerprint_state(p);
}

bool expander_fold(struct expander *e, const struct symmetry *s, struct error *error)
{
    e->nfolds = s->n + 1;
    e->folds = calloc((size_t)(s->nbits + 1) * 2 * e->nfolds, sizeof *e->folds);
    if (!e->folds) return no_memory(error);
    for (uint32_t b = 0; b < s->nbits; b++)
        for (uint32_t i = 0; i < e->nfolds; i++) {
            uint64_t seed = i ? s->bit[i - 1][b] : b;
            uint64_t *part = e->folds + (size_t)b * 2 * e->nfolds + i;
            part[0] = rng_splitmix(&seed);
            part[e->nfolds] = rng_splitmix(&seed);
        }
    return true;
}

bool expander_look_out(struct expander *e, const struct code *outlook, struct error *error)
{
    if (!e->ranges) e->ranges = calloc(2 * (size_t)e->code->nroles, sizeof *e->ranges);
    if (!e->ranges) return no_memory(error);
    if (!e->prospects) e->prospects = prospects_new(e->code, outlook, e->wide->lanes, error);
    return e->prospects != NULL;
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

/* The moves of all roles by the reasoner. */
static bool ask_moves(struct expander *e, const struct state *s, struct place *p, struct error *error)
{
    struct reasoner *r = e->r;
    uint32_t nroles = r->game->nroles;
    uint64_t joints = 1;
    e->all.n = 0;
    for (uint32_t role = 0; role < nroles; role++) {
        if (!r->ops->legal(r, s, role, &e->legal)) return *error = r->error, false;
        uint32_t n = e->role_counts[role] = e->legal.n;
        if (!n) return no_move(e, role, error);
        joints = joints * n > UINT32_MAX ? UINT32_MAX : joints * n;
        p->choosers += n > 1;
        for (uint32_t i = 0; i < n; i++)
            if (!list_push(&e->all, e->legal.v[i])) return no_memory(error);
    }
    uint32_t *moves = push(e, (nroles + e->all.n) * sizeof *moves);
    if (!moves) return no_memory(error);
    memcpy(moves, e->role_counts, nroles * sizeof *moves);
    memcpy(moves + nroles, e->all.v, e->all.n * sizeof *moves);
    p->moves = moves;
    p->joints = (uint32_t)joints;
    return true;
}

/* End, goals and moves of a state by the reasoner. */
static bool describe(struct expander *e, const struct state *s, const struct opening *how, struct place *p,
                     struct error *error)
{
    struct reasoner *r = e->r;
    uint64_t *words = push(e, s->words * sizeof *words);
    if (!words) return no_memory(error);
    memcpy(words, s->w, s->words * sizeof *words);
    *p = (struct place){.state = words, .words = s->words};
    if (!r->ops->terminal(r, s, &p->end)) return *error = r->error, false;
    if (!how->leaves) fingerprint(e, p);
    if ((p->end || how->goals) && !ask_goals(e, s, p, error)) return false;
    return p->end || (!how->moves && (how->leaves || how->lazily)) || ask_moves(e, s, p, error);
}

bool place_read(struct expander *e, const struct state *s, struct place *out, struct error *error)
{
    static const struct opening plain = {0};
    return describe(e, s, &plain, out, error);
}

/* --- Fans ----------------------------------------------------------------------------------------------- */

/* The fan, once its moves are known; its children have no state yet. */
static bool list_joints(struct expander *e, struct fan *f, struct error *error)
{
    uint32_t nroles = e->r->game->nroles;
    const uint32_t *moves = f->count + nroles;
    uint64_t n = 1;
    f->stride = push(e, nroles * sizeof *f->stride);
    f->moves = push(e, nroles * sizeof *f->moves);
    if (!f->stride || !f->moves) return no_memory(error);
    f->choosers = f->mover = 0;
    for (uint32_t role = 0; role < nroles; moves += f->count[role++]) f->moves[role] = moves;
    for (uint32_t role = nroles; role-- > 0;) {
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

static bool load(struct expander *e, const struct place *p, struct error *error)
{
    if (!state_reserve(&e->state, p->words)) return no_memory(error);
    memcpy(e->state.w, p->state, p->words * sizeof *p->state);
    e->state.words = p->words;
    return true;
}

static bool child_by_reasoner(struct expander *e, const struct place *p, const struct opening *how,
                              struct fan *f, uint32_t k, struct error *error)
{
    struct reasoner *r = e->r;
    uint32_t nroles = r->game->nroles, *joint = e->role_counts;
    if (!load(e, p, error)) return false;
    for (uint32_t role = 0; role < nroles; role++) joint[role] = fan_move(f, role, k);
    if (!r->ops->next(r, &e->state, joint, &e->next)) return *error = r->error, false;
    return describe(e, &e->next, how, &f->child[k], error);
}

static void lanes_below(uint64_t mask[BATCH_MAX_WORDS], uint32_t n)
{
    for (uint32_t w = 0; w < BATCH_MAX_WORDS; w++)
        mask[w] = n >= 64 * (w + 1) ? ~0ull : n <= 64 * w ? 0 : (1ull << n % 64) - 1;
}

static bool read_goals(struct expander *e, struct batch *b, struct place *const *at, uint32_t n,
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
        for (uint32_t role = 0; role < nroles && at[i]->end; role++)
            if (goals[role] == BATCH_GOAL_UNDEFINED) return no_goal(e, role, error);
        at[i]->goals = goals;
    }
    return true;
}

/* What was read of a lane, written down with its place. */
static bool keep_moves(struct expander *e, struct batch *b, uint32_t lane, struct place *p,
                       struct error *error)
{
    uint32_t nroles = e->r->game->nroles, lanes = e->wide->lanes, total = 0, only;
    uint64_t joints = 1;
    for (uint32_t role = 0; role < nroles; role++) {
        uint32_t n = e->counts[role * lanes + lane];
        if (!n) return no_move(e, role, error);
        joints = joints * n > UINT32_MAX ? UINT32_MAX : joints * n;
        p->choosers += n > 1;
        total += n;
    }
    uint32_t *moves = push(e, (nroles + total) * sizeof *moves), *to = moves + nroles;
    if (!moves) return no_memory(error);
    const uint64_t *sets = e->sets;
    for (uint32_t role = 0; role < nroles; role++) {
        uint32_t words = batch_set_words(b, role);
        const uint64_t *set = sets + (size_t)lane * words;
        moves[role] = e->counts[role * lanes + lane];
        if (batch_forced(b, role, &only)) *to++ = only, words = 0;
        for (uint32_t w = 0; w < words; w++)
            for (uint64_t left = set[w]; left; left &= left - 1)
                *to++ = w * 64 + (uint32_t)__builtin_ctzll(left);
        sets += (size_t)lanes * batch_set_words(b, role);
    }
    p->moves = moves;
    p->joints = (uint32_t)joints;
    return true;
}

/* The legal moves of a role in lanes 0 .. n - 1: how many, and sets of them. */
static void read_sets(struct batch *b, uint32_t role, uint32_t n, uint64_t *sets, uint32_t *counts)
{
    const uint64_t *wires = batch_legal_wires(b, role);
    uint32_t all = b->code->roles[role].n, words = batch_set_words(b, role), only;
    bool forced = batch_forced(b, role, &only);
    for (uint32_t i = 0; i < ((n + 63) & ~63u); i++) counts[i] = forced;
    for (uint32_t s = 0; s < words && !forced; s++)
        for (uint32_t w = 0; w * 64 < n; w++)
            transpose_count(wires + (size_t)s * 64 * b->words + w, b->words,
                            all - s * 64 < 64 ? all - s * 64 : 64, sets + (size_t)w * 64 * words + s, words,
                            counts + w * 64);
}

/* The moves of the places in lanes 0 .. n - 1, as the last view saw them; of those that are not an end. */
static bool read_moves(struct expander *e, struct batch *b, struct place *const *at, uint32_t n,
                       struct error *error)
{
    uint32_t nroles = e->r->game->nroles, lanes = e->wide->lanes;
    uint64_t *sets = e->sets;
    for (uint32_t role = 0; role < nroles; role++) {
        read_sets(b, role, n, sets, e->counts + role * lanes);
        sets += (size_t)lanes * batch_set_words(b, role);
    }
    for (uint32_t i = 0; i < n; i++)
        if (!at[i]->end && !keep_moves(e, b, i, at[i], error)) return false;
    return true;
}

static void lanes_between(uint64_t mask[BATCH_MAX_WORDS], uint32_t from, uint32_t to)
{
    uint64_t below[BATCH_MAX_WORDS];
    lanes_below(below, from);
    lanes_below(mask, to);
    for (uint32_t w = 0; w < BATCH_MAX_WORDS; w++) mask[w] &= ~below[w];
}

/* Every parent into its lanes: by turning all of them at once, where they are many. */
static void put_parents(struct expander *e, struct batch *b, const struct span *spans, uint32_t nspans,
                        uint32_t n)
{
    size_t words = b->state_words;
    for (uint32_t s = 0; s < nspans && nspans <= FEW_PARENTS; s++) {
        uint64_t mask[BATCH_MAX_WORDS];
        lanes_between(mask, spans[s].lane, spans[s].lane + spans[s].n);
        batch_restart_from(b, mask, spans[s].parent->state);
    }
    if (nspans <= FEW_PARENTS) return;
    for (uint32_t s = 0; s < nspans; s++)
        for (uint32_t i = 0; i < spans[s].n; i++)
            memcpy(e->states + (spans[s].lane + i) * words, spans[s].parent->state,
                   words * sizeof *e->states);
    batch_put_states(b, n, e->states);
}

/* Children that are ends, and which others are not; where none is, nothing is turned. */
static bool read_ends(struct expander *e, struct batch *b, const struct span *spans, uint32_t nspans,
                      uint32_t n, struct error *error)
{
    uint64_t wanted[BATCH_MAX_WORDS], any = 0;
    lanes_below(wanted, n);
    for (uint32_t w = 0; w < b->words; w++) any |= wanted[w] &= b->terminal[w];
    for (uint32_t s = 0; s < nspans; s++)
        for (uint32_t i = 0; i < spans[s].n; i++) {
            uint32_t lane = spans[s].lane + i;
            struct place *child = e->at[lane] = &spans[s].fan->child[spans[s].first + i];
            *child = (struct place){.words = b->state_words};
            child->end = wanted[lane / 64] >> lane % 64 & 1;
            if (!child->end) continue;
            uint64_t *state = push(e, b->state_words * sizeof *state);
            if (!state) return no_memory(error);
            batch_get_state(b, lane, state);
            child->state = state;
        }
    return !any || read_goals(e, b, e->at, n, wanted, error);
}

/* What can still come in lanes 0 .. n - 1. */
static bool read_outlook(struct expander *e, const struct batch *b, struct place *const *at, uint32_t n,
                         struct error *error)
{
    size_t bytes = 2 * e->code->nroles * sizeof *e->ranges;
    prospects_look(e->prospects, b);
    for (uint32_t lane = 0; lane < n; lane++) {
        if (at[lane]->end || !prospects_of(e->prospects, lane, e->ranges)) continue;
        int16_t *ranges = push(e, bytes);
        if (!ranges) return no_memory(error);
        at[lane]->outlook = memcpy(ranges, e->ranges, bytes);
    }
    return true;
}

const int16_t *expander_outlook(struct expander *e, const uint64_t *state)
{
    prospects_look_from(e->prospects, state);
    return prospects_of(e->prospects, 0, e->ranges) ? e->ranges : NULL;
}

/* Where the children of the spans are in lanes 0 .. n - 1 after a step and a view. */
static bool read_children(struct expander *e, struct batch *b, const struct span *spans, uint32_t nspans,
                          uint32_t n, const struct opening *how, struct error *error)
{
    uint32_t words = b->state_words;
    uint64_t *states = push(e, (size_t)((n + 63) & ~63u) * words * sizeof *states);
    uint64_t wanted[BATCH_MAX_WORDS], any = 0;
    if (!states) return no_memory(error);
    batch_get_states(b, n, states);
    struct place **at = e->at;
    for (uint32_t s = 0; s < nspans; s++)
        for (uint32_t i = 0; i < spans[s].n; i++) {
            uint32_t lane = spans[s].lane + i;
            struct place *child = at[lane] = &spans[s].fan->child[spans[s].first + i];
            *child = (struct place){.state = states + (size_t)lane * words, .words = words};
            child->end = b->terminal[lane / 64] >> lane % 64 & 1;
            if (!how->leaves) fingerprint(e, child);
        }
    if ((how->moves || !how->leaves) && !read_moves(e, b, at, n, error)) return false;
    if (e->prospects && !how->leaves && !read_outlook(e, b, at, n, error)) return false;
    lanes_below(wanted, n);
    for (uint32_t w = 0; w < b->words; w++) any |= wanted[w] &= how->goals ? ~0ull : b->terminal[w];
    return !any || read_goals(e, b, at, n, wanted, error);
}

static void set_moves(struct batch *b, const struct span *s, uint32_t nroles)
{
    const struct fan *f = s->fan;
    for (uint32_t role = 0; role < nroles; role++) {
        const uint32_t *moves = f->moves[role];
        if (f->count[role] == f->n) /* the only one who chooses */
            for (uint32_t i = 0; i < s->n; i++) batch_set_move(b, s->lane + i, role, moves[s->first + i]);
        else if (f->count[role] == 1)
            for (uint32_t i = 0; i < s->n; i++) batch_set_move(b, s->lane + i, role, moves[0]);
        else
            for (uint32_t i = 0; i < s->n; i++)
                batch_set_move(b, s->lane + i, role, fan_move(f, role, s->first + i));
    }
}

/* A round: parents in lanes 0 .. n - 1, their moves made. */
static bool run_lanes(struct expander *e, struct batch *b, const struct span *spans, uint32_t nspans,
                      uint32_t n, const struct opening *how, struct error *error)
{
    uint32_t nroles = e->r->game->nroles;
    put_parents(e, b, spans, nspans, n);
    batch_view_first(b, n);
    for (uint32_t s = 0; s < nspans; s++) set_moves(b, &spans[s], nroles);
    batch_step(b);
    if (how->nbits) batch_fill_rows(b, how->bits, how->nbits, how->row);
    batch_view_first(b, n);
    if (how->ends) return read_ends(e, b, spans, nspans, n, error);
    return read_children(e, b, spans, nspans, n, how, error);
}

/* The moves of places that nobody has looked at. */
static bool look_first(struct expander *e, const struct place *const *p, uint32_t n, struct fan *f,
                       struct error *error)
{
    struct batch *b = n <= e->narrow->lanes ? e->narrow : e->wide;
    for (uint32_t i = 0, lane = 0; i < n; i++) {
        if (!p[i]->moves) {
            e->looked[lane] = (struct place){0};
            e->at[lane] = &e->looked[lane];
            e->spans[lane] = (struct span){&f[i], p[i], 0, 1, lane};
            lane++;
        }
        if (!lane || (lane < b->lanes && i + 1 < n)) continue;
        put_parents(e, b, e->spans, lane, lane);
        batch_view_first(b, lane);
        if (!read_moves(e, b, e->at, lane, error)) return false;
        for (; lane > 0; lane--) e->spans[lane - 1].fan->count = e->looked[lane - 1].moves;
    }
    return true;
}

static bool ask_first(struct expander *e, const struct place *p, struct fan *f, struct error *error)
{
    struct place looked = {0};
    if (p->moves) return true;
    if (!load(e, p, error) || !ask_moves(e, &e->state, &looked, error)) return false;
    f->count = looked.moves;
    return true;
}

bool fans_make(struct expander *e, const struct place *const *p, struct fan *f, const struct fan_part *parts,
               uint32_t nparts, const struct opening *how, struct error *error)
{
    bool by_reasoner = !e->code || how->lazily;
    uint64_t total = 0;
    for (uint32_t i = 0; i < nparts; i++) {
        total += parts[i].n;
        for (uint32_t k = 0; k < parts[i].n && by_reasoner; k++)
            if (!child_by_reasoner(e, p[parts[i].fan], how, &f[parts[i].fan], parts[i].first + k, error))
                return false;
    }
    if (by_reasoner) return true;
    struct batch *b = total <= e->narrow->lanes ? e->narrow : e->wide;
    struct span *spans = e->spans;
    uint32_t nspans = 0, lane = 0;
    for (uint32_t i = 0; i < nparts; i++)
        for (uint32_t done = 0, k; done < parts[i].n; done += k) {
            k = parts[i].n - done < b->lanes - lane ? parts[i].n - done : b->lanes - lane;
            spans[nspans++] =
                (struct span){&f[parts[i].fan], p[parts[i].fan], parts[i].first + done, k, lane};
            lane += k;
            if (lane < b->lanes) continue;
            if (!run_lanes(e, b, spans, nspans, lane, how, error)) return false;
            nspans = lane = 0;
        }
    return !lane || run_lanes(e, b, spans, nspans, lane, how, error);
}

static bool list_all(struct expander *e, const struct place *const *p, uint32_t n, const struct opening *how,
                     struct fan *f, struct error *error)
{
    bool by_reasoner = !e->code || how->lazily;
    f[0].block = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!push(e, 0)) return no_memory(error);
        f[i] = (struct fan){.block = e->block, .mark = e->block->used, .count = p[i]->moves};
    }
    if (!by_reasoner && !look_first(e, p, n, f, error)) return false;
    for (uint32_t i = 0; i < n; i++)
        if ((by_reasoner && !ask_first(e, p[i], &f[i], error)) || !list_joints(e, &f[i], error)) return false;
    return true;
}

bool fans_list(struct expander *e, const struct place *const *p, uint32_t n, const struct opening *how,
               struct fan *f, struct error *error)
{
    bool ok = list_all(e, p, n, how, f, error);
    if (!ok) fan_close(e, f);
    return ok;
}

bool fans_open(struct expander *e, const struct place *const *p, uint32_t n, const struct opening *how,
               struct fan *f, struct error *error)
{
    if (!fans_list(e, p, n, how, f, error)) return false;
    bool ok = true;
    struct fan_part *parts = push(e, n * sizeof *parts);
    if (!parts) return fan_close(e, f), no_memory(error);
    for (uint32_t i = 0; i < n; i++) parts[i] = (struct fan_part){i, 0, f[i].n};
    ok = how->lazily || fans_make(e, p, f, parts, n, how, error);
    if (!ok) fan_close(e, f);
    return ok;
}

bool fan_open(struct expander *e, const struct place *p, struct fan *f, struct error *error)
{
    static const struct opening plain = {0};
    return fans_open(e, &p, 1, &plain, f, error);
}
