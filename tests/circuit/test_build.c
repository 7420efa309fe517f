// SPDX-License-Identifier: GPL-3.0-or-later
/* Random ground programs, played on the rules themselves and on the circuit made from them: legal moves, end,
 * goals and facts must agree in every state reached by legal moves. */
#include "../testing.h"

#include "base/rng.h"
#include "circuit/circuit.h"

#include <stdio.h>

/* Derived atoms have levels: rules use atoms of their own level positively (so there are cycles) and lower
 * ones either way. Level 0 is the view, upper levels may use moves. */
struct shape {
    uint32_t facts, roles, moves, derived, levels, rules, literals;
    bool adding;    /* facts are a store and pits */
    uint32_t kinds; /* not 0: facts are pieces of so many kinds on cells, and moves take what is on one to
                       another */
    bool clocked;   /* the first facts are whose turn it is, a count of steps, and who had which */
};

static void add_rule(struct ground *g, uint32_t head, uint32_t n, const uint32_t *literals)
{
    struct ground_rule rule = {.head = head, .first = g->literals.n, .n = n};
    for (uint32_t i = 0; i < n; i++) vec_push(g->heap, &g->literals, literals[i]);
    vec_push(g->heap, &g->rules, rule);
}

/* Rules for fact f as board games have them: a piece comes from where the move began. Now and then it is
 * another fact that decides, or another one as well. */
static void selection_rules(struct rng *rng, struct ground *g, const struct shape *s, uint32_t head,
                            uint32_t f)
{
    uint32_t cells = s->facts / s->kinds, kind = f % s->kinds;
    for (uint32_t m = 0; m < s->roles * s->moves; m++) {
        uint32_t from = m % s->moves % cells, to = m % s->moves / cells % cells;
        if (to != f / s->kinds) continue;
        uint32_t what = rng_below(rng, 30) ? from * s->kinds + kind : rng_below(rng, s->facts);
        uint32_t literals[3] = {(s->facts + m) << 1, what << 1, rng_below(rng, s->facts) << 1 | 1};
        add_rule(g, head, 2 + (rng_below(rng, 40) == 0), literals);
        if (rng_below(rng, 40) == 0)
            add_rule(g, head, 2, (uint32_t[]){literals[0], rng_below(rng, s->facts) << 1});
    }
}

/* A store, and pits that moves add to it: the last facts are sums of what is in the store and in the move's
 * pit. */
enum { STORE = 5, PITS = 4, DEEP = 6, SUMS = STORE + DEEP - 1, STORE_FACTS = STORE + PITS * DEEP + SUMS };

static void adding_rules(struct rng *rng, struct ground *g, uint32_t head, uint32_t f)
{
    uint32_t first = STORE_FACTS - SUMS;
    if (f < first) { /* something that changes all the time */
        add_rule(g, head, 2, (uint32_t[]){(f + 3) % first << 1, (STORE_FACTS + f % PITS) << 1 | 1});
        add_rule(g, head, 2, (uint32_t[]){f << 1 | 1, (STORE_FACTS + f % PITS) << 1});
        return;
    }
    for (uint32_t pit = 0; pit < PITS; pit++)
        for (uint32_t a = 0; a < STORE; a++) {
            uint32_t sum = f - first, literals[4] = {(STORE_FACTS + pit) << 1, a << 1};
            if (sum < a || sum - a >= DEEP || rng_below(rng, 40) == 0) continue;
            literals[2] = (STORE + pit * DEEP + sum - a) << 1;
            literals[3] = (STORE + pit * DEEP) << 1 | 1;
            add_rule(g, head, 3 + (rng_below(rng, 60) == 0), literals);
        }
}

/* Two turns, a count of steps, and for each count and turn a fact that remembers it: half of these never come
 * true. */
enum { TURNS = 2, COUNTS = 6, CLOCK_FACTS = TURNS + COUNTS + COUNTS * TURNS };

static void clock_rules(struct ground *g, uint32_t head, uint32_t f)
{
    if (f < TURNS) {
        add_rule(g, head, 1, (uint32_t[]){(1 - f) << 1});
    } else if (f < TURNS + COUNTS) {
        if (f > TURNS) add_rule(g, head, 1, (uint32_t[]){(f - 1) << 1});
    } else {
        uint32_t k = f - TURNS - COUNTS;
        add_rule(g, head, 2, (uint32_t[]){k % TURNS << 1, (TURNS + k / TURNS) << 1});
        add_rule(g, head, 1, (uint32_t[]){f << 1});
    }
}

static struct ground *random_ground(struct rng *rng, const struct shape *s)
{
    struct heap *heap = heap_new(0);
    struct ground *g = heap_zalloc(heap, sizeof *g);
    g->heap = heap;
    g->terms = terms_new(heap);
    g->nroles = s->roles;
    g->nfacts = s->facts;
    uint32_t nmoves = s->roles * s->moves, inputs = s->facts + nmoves;
    /* first s->derived general atoms, then legal per move, next per fact, terminal, two goals per role */
    uint32_t legal0 = inputs + s->derived, next0 = legal0 + nmoves, terminal = next0 + s->facts,
             goal0 = terminal + 1;
    g->natoms = goal0 + 2 * s->roles;
    char name[32];
    g->atom = heap_zalloc(heap, g->natoms * sizeof *g->atom);
    g->fact = heap_alloc(heap, (s->facts + 1) * sizeof *g->fact);
    g->init = heap_zalloc(heap, s->facts + 1);
    g->next = heap_alloc(heap, (s->facts + 1) * sizeof *g->next);
    for (uint32_t f = 0; f < s->facts; f++) {
        snprintf(name, sizeof name, "f%u", f);
        g->fact[f] = term_atom(g->terms, symbol_intern(g->terms, name, strlen(name)));
        g->init[f] = rng_below(rng, 3) == 0;
        g->next[f] = rng_below(rng, 10) ? next0 + f : GROUND_NONE;
        if (s->clocked && f < CLOCK_FACTS) g->init[f] = f == 0 || f == TURNS, g->next[f] = next0 + f;
    }
    g->move_base = heap_alloc(heap, (s->roles + 1) * sizeof *g->move_base);
    g->move = heap_alloc(heap, (nmoves + 1) * sizeof *g->move);
    g->legal = heap_alloc(heap, (nmoves + 1) * sizeof *g->legal);
    for (uint32_t r = 0; r <= s->roles; r++) g->move_base[r] = s->facts + r * s->moves;
    for (uint32_t m = 0; m < nmoves; m++) {
        snprintf(name, sizeof name, "m%u", m);
        g->move[m] = term_atom(g->terms, symbol_intern(g->terms, name, strlen(name)));
        g->legal[m] = legal0 + m;
    }
    g->terminal = terminal;
    for (uint32_t r = 0; r < s->roles; r++)
        for (uint32_t k = 0; k < 2; k++)
            vec_push(heap, &g->goals, (struct ground_goal){r, k ? 100 : 0, goal0 + 2 * r + k});
    uint32_t per_level = s->derived / s->levels;
    for (uint32_t a = inputs; a < g->natoms; a++) {
        bool general = a < legal0, is_next = a >= next0 && a < terminal;
        uint32_t level = general ? (a - inputs) / per_level : 0;
        uint32_t view_end = inputs + per_level; /* level 0 never uses moves */
        uint32_t own_end = general ? inputs + (level + 1) * per_level : is_next ? legal0 : view_end;
        uint32_t below = general ? inputs + level * per_level : own_end;
        if (own_end > legal0) own_end = legal0;
        if (below > own_end) below = own_end;
        bool may_move = general ? level > 0 : is_next;
        bool always = !general && a >= legal0 && a < next0 && (a - legal0) % s->moves == 0;
        if ((s->kinds || s->adding) && a >= legal0 && a < next0) always |= rng_below(rng, 3) > 0;
        uint32_t rules = always ? 1 : rng_below(rng, s->rules + 1);
        if (a == terminal) rules = 1;
        if (is_next && s->kinds) selection_rules(rng, g, s, a, a - next0);
        if (is_next && s->adding) adding_rules(rng, g, a, a - next0);
        if (is_next && s->clocked && a - next0 < CLOCK_FACTS) {
            clock_rules(g, a, a - next0);
            continue;
        }
        for (uint32_t r = 0; r < rules; r++) {
            struct ground_rule rule = {.head = a, .first = g->literals.n};
            rule.n = always ? 0 : 1 + rng_below(rng, s->literals);
            for (uint32_t i = 0; i < rule.n; i++) {
                uint32_t kind = rng_below(rng, 10), atom, negated = rng_below(rng, 3) == 0;
                if (kind < 3 || own_end <= inputs) {
                    atom = rng_below(rng, s->facts);
                } else if (kind < 6 && may_move) {
                    atom = s->facts + rng_below(rng, nmoves);
                } else {
                    atom = inputs + rng_below(rng, own_end - inputs);
                    if (atom >= below) negated = 0;
                }
                vec_push(heap, &g->literals, atom << 1 | negated);
            }
            vec_push(heap, &g->rules, rule);
        }
    }
    return g;
}

/* The reference: least fixpoint level by level, found by brute repetition from false in order of levels.
 * Since rules of one level only negate lower levels, computing levels in order is exact. */
static void ground_values(const struct ground *g, const struct shape *s, const bool *facts, const bool *moves,
                          bool *v)
{
    uint32_t inputs = g->move_base[g->nroles], per_level = s->derived / s->levels;
    memset(v, 0, g->natoms);
    memcpy(v, facts, g->nfacts);
    for (uint32_t m = 0; m < inputs - g->nfacts; m++) v[g->nfacts + m] = moves && moves[m];
    for (uint32_t level = 0; level <= s->levels; level++)
        for (bool again = true; again;) {
            again = false;
            for (uint32_t r = 0; r < g->rules.n; r++) {
                struct ground_rule rule = g->rules.v[r];
                bool general = rule.head < inputs + s->derived;
                uint32_t its = general ? (rule.head - inputs) / per_level : s->levels;
                if (its != level || v[rule.head]) continue;
                bool holds = true;
                for (uint32_t i = 0; i < rule.n && holds; i++) {
                    uint32_t l = g->literals.v[rule.first + i];
                    holds = v[l >> 1] != (l & 1);
                }
                if (holds) v[rule.head] = again = true;
            }
        }
}

static bool edge_value(const bool *w, edge e)
{
    return w[e >> 1] != (e & 1);
}

static void sweep(const struct circuit *c, bool *w, uint32_t from, uint32_t to)
{
    uint32_t loop = 0;
    while (loop < c->loops.n && c->loops.v[loop].first < from) loop++;
    for (uint32_t i = from; i < to;) {
        bool in_loop = loop < c->loops.n && c->loops.v[loop].first == i;
        uint32_t end = in_loop ? i + c->loops.v[loop].n : i + 1;
        for (uint32_t k = 0; in_loop && k < c->loops.v[loop].cut_n; k++) {
            edge cut = c->cuts.v[c->loops.v[loop].cut_first + k];
            w[cut >> 1] = !(cut & 1);
        }
        for (bool again = true; again;) {
            again = false;
            for (uint32_t g = i; g < end; g++) {
                bool x = true;
                for (uint32_t j = 0; j < c->gates.v[g].n; j++)
                    x = x && edge_value(w, c->edges.v[c->gates.v[g].first + j]);
                again |= in_loop && w[wire_gate(c, g)] != x;
                w[wire_gate(c, g)] = x;
            }
        }
        if (in_loop) loop++;
        i = end;
    }
}

static int circuit_goal_value(const struct circuit *c, const bool *w, uint32_t role, uint32_t value)
{
    for (uint32_t i = 0; i < c->goals.n; i++)
        if (c->goals.v[i].role == role && c->goals.v[i].value == value && edge_value(w, c->goals.v[i].e))
            return 1;
    return 0;
}

/* Play; true if this stage of the reduction made the circuit smaller. */
static bool compare(uint64_t seed, const struct shape *s, const char *stage)
{
    struct rng rng;
    rng_init(&rng, seed);
    struct ground *g = random_ground(&rng, s);
    struct error error = {0};
    struct circuit *c = circuit_build(g, NULL, &error);
    if (!c) fail_msg("seed %lu: %s", seed, error.text);
    uint32_t nmoves = s->roles * s->moves;
    bool *v = calloc(g->natoms, 1), *facts = calloc(s->facts, 1), *moves = calloc(nmoves, 1);
    bool *w = calloc(wire_gate(c, c->ngates), 1), *bits = calloc(c->nbits + 1, 1);
    for (int game = 0; game < 5; game++) {
        memcpy(facts, g->init, s->facts);
        memcpy(bits, c->init, c->nbits);
        for (int step = 0; step < 12; step++) {
            memset(moves, 0, nmoves);
            ground_values(g, s, facts, NULL, v);
            w[0] = true;
            memcpy(w + 1, bits, c->nbits);
            memset(w + 1 + c->nbits, 0, c->nmoves);
            sweep(c, w, 0, c->phase_end[PHASE_GOAL]);
            /* facts */
            uint32_t expected = 0, seen = 0;
            for (uint32_t f = 0; f < s->facts; f++) expected += facts[f];
            for (uint32_t f = 0; f < c->nfacts; f++) {
                if (!edge_value(w, c->fact_edge[f])) continue;
                seen++;
                uint32_t which = 0;
                while (g->fact[which] != c->fact[f]) which++;
                if (!facts[which]) fail_msg("seed %lu game %d step %d: fact %u", seed, game, step, which);
            }
            assert_int_equal(seen, expected);
            assert_int_equal(edge_value(w, c->terminal), v[g->terminal]);
            for (uint32_t i = 0; i < g->goals.n; i++)
                assert_int_equal(circuit_goal_value(c, w, g->goals.v[i].role, g->goals.v[i].value),
                                 v[g->goals.v[i].atom]);
            /* legal moves, and a random one for each role */
            for (uint32_t r = 0; r < s->roles; r++) {
                uint32_t count = 0, mine = 0;
                for (uint32_t m = r * s->moves; m < (r + 1) * s->moves; m++)
                    if (v[g->legal[m]] && rng_below(&rng, ++count) == 0) mine = m;
                uint32_t legal = 0;
                for (uint32_t m = c->move_base[r]; m < c->move_base[r + 1]; m++) {
                    uint32_t which = 0;
                    while (g->move[which] != c->move[m]) which++;
                    if (edge_value(w, c->legal[m]) != v[g->legal[which]])
                        fail_msg("seed %lu game %d step %d: legality of move %u", seed, game, step, which);
                    legal += edge_value(w, c->legal[m]);
                    w[wire_move(c, m)] = which == mine;
                }
                assert_int_equal(legal, count);
                moves[mine] = true;
            }
            if (v[g->terminal]) break;
            ground_values(g, s, facts, moves, v);
            for (uint32_t f = 0; f < s->facts; f++) facts[f] = g->next[f] != GROUND_NONE && v[g->next[f]];
            sweep(c, w, c->phase_end[PHASE_GOAL], c->ngates);
            for (uint32_t b = 0; b < c->nbits; b++) bits[b] = edge_value(w, c->next[b]);
        }
    }
    bool smaller = false;
    for (uint32_t i = 1; i < c->stages.n; i++)
        if (strcmp(c->stages.v[i].name, stage) == 0)
            smaller = c->stages.v[i].gates < c->stages.v[i - 1].gates &&
                      (!s->clocked || c->stages.v[i].bits + COUNTS <= c->stages.v[i - 1].bits);
    free(v), free(facts), free(moves), free(w), free(bits);
    circuit_free(c);
    heap_free(g->heap);
    return smaller;
}

static void circuits_agree_with_their_rules(void **state)
{
    static const struct shape shapes[] = {
        {4, 1, 2, 6, 2, 3, 3, false, 0, false},    {8, 2, 4, 20, 2, 3, 3, false, 0, false},
        {12, 2, 6, 60, 3, 4, 4, false, 0, false},  {20, 3, 5, 120, 4, 6, 3, false, 0, false},
        {6, 2, 12, 30, 2, 12, 2, false, 0, false},
    };
    for (uint64_t seed = 0; seed < 600; seed++) compare(seed, &shapes[seed % 5], "");
}

static void shared_selections_agree_with_their_rules(void **state)
{
    static const struct shape shapes[] = {{18, 1, 36, 6, 2, 1, 2, false, 3, false},
                                          {14, 2, 49, 20, 2, 1, 2, false, 2, false},
                                          {24, 2, 36, 20, 2, 2, 2, false, 4, false}};
    uint32_t selected = 0;
    for (uint64_t seed = 0; seed < 60; seed++)
        selected += compare(seed, &shapes[seed % 3], "selections shared");
    assert_true(selected > 12);
}

static void regrouped_sums_agree_with_their_rules(void **state)
{
    static const struct shape shapes[] = {{STORE_FACTS, 1, PITS, 6, 2, 2, 2, true, 0, false},
                                          {STORE_FACTS, 2, PITS + 2, 20, 2, 2, 2, true, 0, false}};
    uint32_t regrouped = 0;
    for (uint64_t seed = 0; seed < 60; seed++)
        regrouped += compare(seed, &shapes[seed % 2], "sums regrouped");
    assert_true(regrouped > 20);
}

static void timed_facts_agree_with_their_rules(void **state)
{
    static const struct shape shapes[] = {
        {CLOCK_FACTS + 6, 1, 4, 12, 2, 3, 3, .clocked = true},
        {CLOCK_FACTS + 12, 2, 6, 60, 3, 4, 4, .clocked = true},
    };
    uint32_t timed = 0;
    for (uint64_t seed = 0; seed < 60; seed++) timed += compare(seed, &shapes[seed % 2], "timed");
    assert_true(timed > 30);
}

static void failing_allocations_end_cleanly(void **state)
{
    static const struct shape shape = {8, 1, 16, 8, 2, 1, 2, false, 2, false};
    struct rng rng;
    rng_init(&rng, 7);
    struct ground *g = random_ground(&rng, &shape);
    for (long n = 1;; n++) {
        struct error error = {0};
        heap_inject_failure(n);
        struct circuit *c = circuit_build(g, NULL, &error);
        bool survived = heap_injection_pending();
        heap_inject_failure(0);
        if (survived) {
            assert_non_null(c);
            circuit_free(c);
            break;
        }
        assert_null(c);
        assert_int_equal(error.code, ERROR_MEMORY);
    }
    heap_free(g->heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circuits_agree_with_their_rules),
        cmocka_unit_test(shared_selections_agree_with_their_rules),
        cmocka_unit_test(regrouped_sums_agree_with_their_rules),
        cmocka_unit_test(timed_facts_agree_with_their_rules),
        cmocka_unit_test(failing_allocations_end_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
