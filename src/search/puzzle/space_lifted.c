// SPDX-License-Identifier: GPL-3.0-or-later
/* A puzzle on a reasoner, one state at a time. A packed state is one word: the number of a state that is kept
 * here. What makes two states the same are their facts without those of the counter that analysis/turns.c
 * saw. The counter's facts depend on the depth alone: they are noted by depth, and put into a kept state when
 * it is wanted at another depth than the one it was met at. */
#include "analysis/analysis.h"
#include "base/hash.h"
#include "search/puzzle/space.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 16 };

struct kept {
    struct state state;
    uint64_t hash;
    uint32_t *facts, n; /* sorted; NULL: the state's words tell */
    uint32_t depth;     /* the state's */
};

struct lifted_space {
    struct space base;
    struct kept *kept;
    uint32_t n, cap;
    uint32_t *index; /* number + 1 */
    uint64_t mask;
    size_t used, limit;
    symbol counter; /* 0: none */
    uint32_t counter_arity;
    struct list legal, facts, whole;
    struct state next, here;
    struct list ticks; /* by depth: the counter's fact, 0: none or not known */
};

static struct lifted_space *self(struct space *s)
{
    return (struct lifted_space *)s;
}

static bool trouble(struct space *s)
{
    s->trouble = s->reasoner->error;
    return false;
}

static bool no_memory(struct space *s)
{
    return error_set(&s->trouble, ERROR_MEMORY, "out of memory");
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool note_tick(struct lifted_space *s, uint32_t depth, term fact)
{
    while (s->ticks.n <= depth)
        if (!list_push(&s->ticks, 0)) return no_memory(&s->base);
    s->ticks.v[depth] = fact;
    return true;
}

/* s->facts: the facts of a state that count, sorted. */
static bool key_of(struct lifted_space *s, const struct state *state, uint32_t depth)
{
    struct reasoner *r = s->base.reasoner;
    uint32_t n = 0;
    s->facts.n = 0;
    if (!r->ops->facts(r, state, &s->facts)) return trouble(&s->base);
    for (uint32_t i = 0; i < s->facts.n; i++) {
        term t = s->facts.v[i];
        const struct term_node *node = term_get(r->terms, t);
        if (node->head == s->counter && node->nargs == s->counter_arity) {
            if (!note_tick(s, depth, t)) return false;
            continue;
        }
        s->facts.v[n++] = t;
    }
    s->facts.n = n;
    qsort(s->facts.v, n, sizeof *s->facts.v, compare);
    return true;
}

static bool same(const struct lifted_space *s, const struct kept *k, const struct state *state, uint64_t hash)
{
    if (k->hash != hash) return false;
    if (!s->counter) return state_equal(&k->state, state);
    return k->n == s->facts.n && memcmp(k->facts, s->facts.v, k->n * sizeof *k->facts) == 0;
}

static bool enlarge(struct lifted_space *s)
{
    if (s->n < s->cap) return true;
    uint32_t cap = s->cap ? 2 * s->cap : 1024;
    struct kept *kept = realloc(s->kept, cap * sizeof *kept);
    if (kept) s->kept = kept;
    uint32_t *index = kept ? calloc(2 * (size_t)cap, sizeof *index) : NULL;
    if (!index) return false;
    s->cap = cap;
    s->mask = 2 * (uint64_t)cap - 1;
    for (uint32_t i = 0; i < s->n; i++) {
        uint64_t at = s->kept[i].hash & s->mask;
        while (index[at]) at = (at + 1) & s->mask;
        index[at] = i + 1;
    }
    free(s->index);
    s->index = index;
    return true;
}

/* The number of a state, which is kept if it is new. */
static bool intern(struct lifted_space *s, const struct state *state, uint32_t depth, uint64_t *number)
{
    uint64_t hash;
    if (s->counter) {
        if (!key_of(s, state, depth)) return false;
        hash = hash_bytes(s->facts.v, s->facts.n * sizeof *s->facts.v);
    } else {
        hash = state_hash(state);
    }
    if (!enlarge(s)) return no_memory(&s->base);
    uint64_t at = hash & s->mask;
    for (; s->index[at]; at = (at + 1) & s->mask)
        if (same(s, &s->kept[s->index[at] - 1], state, hash)) {
            *number = s->index[at] - 1;
            return true;
        }
    struct kept k = {.hash = hash, .depth = depth};
    size_t facts = s->counter ? (s->facts.n + 1) * sizeof *k.facts : 0;
    if (s->used + facts + state->words * 8 + 64 > s->limit)
        return error_set(&s->base.trouble, ERROR_MEMORY, "the memory for states is used up");
    if (facts && !(k.facts = malloc(facts))) return no_memory(&s->base);
    if (!state_copy(&k.state, state)) return free(k.facts), no_memory(&s->base);
    if (facts) memcpy(k.facts, s->facts.v, s->facts.n * sizeof *k.facts);
    k.n = s->counter ? s->facts.n : 0;
    s->used += facts + state->words * 8 + 64;
    s->index[at] = s->n + 1;
    *number = s->n;
    s->kept[s->n++] = k;
    return true;
}

/* The state of that number at a depth, in s->here. */
static bool recall(struct lifted_space *s, uint64_t number, uint32_t depth)
{
    struct reasoner *r = s->base.reasoner;
    const struct kept *k = &s->kept[number];
    if (!s->counter || k->depth == depth) return state_copy(&s->here, &k->state) || no_memory(&s->base);
    s->whole.n = 0;
    for (uint32_t i = 0; i < k->n; i++)
        if (!list_push(&s->whole, k->facts[i])) return no_memory(&s->base);
    if (depth < s->ticks.n && s->ticks.v[depth] && !list_push(&s->whole, s->ticks.v[depth]))
        return no_memory(&s->base);
    return r->ops->assemble(r, s->whole.v, s->whole.n, &s->here) || trouble(&s->base);
}

static bool goal_of(struct lifted_space *s, const struct state *state, int16_t *goal)
{
    struct reasoner *r = s->base.reasoner;
    bool ended;
    int value;
    if (!r->ops->terminal(r, state, &ended)) return trouble(&s->base);
    *goal = SPACE_GOES_ON;
    if (!ended) return true;
    if (!reasoner_goal(r, state, 0, &value)) return trouble(&s->base);
    *goal = (int16_t)(value == GOAL_UNDEFINED ? 0 : value);
    return true;
}

static void notice(struct lifted_space *s, uint32_t move)
{
    if (move >= s->base.nmoves) s->base.nmoves = move + 1;
}

static bool expand_one(struct lifted_space *s, uint64_t number, uint32_t depth, uint32_t parent,
                       brood_sink *sink, void *to)
{
    struct reasoner *r = s->base.reasoner;
    struct list legal = {0};
    struct state from_here = {0};
    bool good = recall(s, number, depth) && (state_copy(&from_here, &s->here) || no_memory(&s->base)) &&
                (r->ops->legal(r, &from_here, 0, &legal) || trouble(&s->base));
    for (uint32_t i = 0; i < legal.n && good; i++) {
        uint64_t child = 0;
        int16_t goal;
        uint32_t move = legal.v[i], from = parent;
        notice(s, move);
        good = r->ops->next(r, &from_here, &move, &s->next) || trouble(&s->base);
        good = good && goal_of(s, &s->next, &goal) &&
               (goal != SPACE_GOES_ON || intern(s, &s->next, depth + 1, &child));
        good = good && sink(to, &(struct brood){1, &child, &from, &move, &goal, false});
    }
    list_done(&legal);
    state_done(&from_here);
    return good;
}

static bool expand(struct space *base, const uint64_t *states, const uint32_t *depth, uint32_t n,
                   brood_sink *sink, void *to)
{
    uint64_t parents[LANES]; /* a copy, since the sink may move the table they are from */
    memcpy(parents, states, n * sizeof *parents);
    for (uint32_t i = 0; i < n; i++)
        if (!expand_one(self(base), parents[i], depth[i], i, sink, to)) return false;
    return true;
}

/* Moves met for the first time in this game have no weight yet. */
static float weight_of(const struct roll *r, uint32_t move)
{
    return move < r->nweights ? r->weight[move] : 1;
}

static uint32_t draw(struct lifted_space *s, const struct roll *r)
{
    float sum = 0;
    uint32_t n = s->legal.n;
    if (!r->weight) return s->legal.v[rng_below(&s->base.rng, n)];
    for (uint32_t i = 0; i < n; i++) sum += weight_of(r, s->legal.v[i]);
    float at = (float)rng_unit(&s->base.rng) * sum;
    for (uint32_t i = 0; i < n; i++) {
        at -= weight_of(r, s->legal.v[i]);
        if (at < 0) return s->legal.v[i];
    }
    return s->legal.v[n - 1];
}

static bool roll_one(struct lifted_space *s, struct roll *r, uint32_t i, struct turn *turn)
{
    struct reasoner *reasoner = s->base.reasoner;
    struct state here = {0};
    bool good = recall(s, r->state[i], r->depth[i]) && (state_copy(&here, &s->here) || no_memory(&s->base));
    while (good && (good = goal_of(s, &here, &r->goal[i])) && r->goal[i] == SPACE_GOES_ON) {
        if (r->length[i] == r->max_steps || turn_over(turn)) break;
        s->legal.n = 0;
        good = reasoner->ops->legal(reasoner, &here, 0, &s->legal) || trouble(&s->base);
        if (!good || s->legal.n == 0) break;
        for (uint32_t k = 0; k < s->legal.n; k++) notice(s, s->legal.v[k]);
        uint32_t move = draw(s, r);
        good = reasoner->ops->next(reasoner, &here, &move, &s->next) || trouble(&s->base);
        if (!good) break;
        struct state swap = here;
        here = s->next;
        s->next = swap;
        r->moves[(size_t)i * r->max_steps + r->length[i]++] = move;
        turn->used++;
    }
    state_done(&here);
    return good;
}

static void roll(struct space *base, struct roll *r, struct turn *turn)
{
    bool good = true;
    for (uint32_t i = 0; i < r->n; i++) {
        r->length[i] = 0;
        r->goal[i] = SPACE_GOES_ON;
        good = good && roll_one(self(base), r, i, turn);
    }
}

static bool follow(struct space *base, const uint32_t *moves, uint32_t n, legal_sink *sink, void *to)
{
    struct lifted_space *s = self(base);
    struct reasoner *r = base->reasoner;
    struct state here = {0};
    bool good = state_copy(&here, &s->kept[base->root[0]].state) || no_memory(base);
    for (uint32_t i = 0; i < n && good; i++) {
        s->legal.n = 0;
        good = r->ops->legal(r, &here, 0, &s->legal) || trouble(base);
        if (!good) break;
        sink(to, i, s->legal.v, s->legal.n);
        good = r->ops->next(r, &here, &moves[i], &s->next) || trouble(base);
        struct state swap = here;
        here = s->next;
        s->next = swap;
    }
    state_done(&here);
    return good;
}

static void release(struct space *base)
{
    struct lifted_space *s = self(base);
    for (uint32_t i = 0; i < s->n; i++) {
        state_done(&s->kept[i].state);
        free(s->kept[i].facts);
    }
    free(s->kept);
    free(s->index);
    list_done(&s->legal);
    list_done(&s->facts);
    list_done(&s->whole);
    list_done(&s->ticks);
    state_done(&s->next);
    state_done(&s->here);
    free(base->root);
    free(s);
}

static const struct space_ops ops = {.expand = expand, .roll = roll, .follow = follow, .free = release};

/* A quick look at a few games: is there a fact that counts the moves? */
static void find_counter(struct lifted_space *s, uint64_t seed)
{
    struct error error;
    struct analysis_options o = {.games = 3, .steps = 40, .states = 100, .seconds = 0.3, .seed = seed};
    o.deadline = s->base.reasoner->deadline;
    o.cancel = s->base.reasoner->cancel;
    struct analysis *a = analysis_new(s->base.reasoner, &o, &error);
    if (a && a->counter) { /* atoms have the same number in every store */
        s->counter = a->counter;
        s->counter_arity = a->counter_arity;
    }
    analysis_free(a);
}

struct space *space_lifted(struct reasoner *reasoner, const struct state *root, bool exact, size_t memory,
                           uint64_t seed, struct error *error)
{
    struct lifted_space *s = calloc(1, sizeof *s);
    if (!s) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    s->base = (struct space){.ops = &ops, .reasoner = reasoner, .words = 1, .lanes = LANES, .most = 100};
    s->limit = memory;
    rng_init(&s->base.rng, seed);
    if (!exact) find_counter(s, seed);
    s->base.merges = s->counter != 0;
    s->base.root = calloc(1, 8);
    if (!s->base.root) no_memory(&s->base);
    if (!s->base.root || !intern(s, root, 0, s->base.root)) {
        *error = s->base.trouble;
        release(&s->base);
        return NULL;
    }
    return &s->base;
}
