// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/relax.h"

#include "base/clock.h"
#include "circuit/transpose.h"

#include <stdlib.h>
#include <string.h>

enum { WORTH_A_LOOK = 2000 }; /* wires: smaller circuits are measured before the clock has moved */
enum { MOST_WIRES = 200000, MOST_LAYERS = 250, MOST_CONJUNCTS = 2048, CONJUNCT_DEPTH = 100, LOOK_DEPTH = 6 };

/* The cost of an edge being true is cost[edge]; of its being false, cost[edge ^ 1]. */
typedef uint8_t lanes[RELAX_LANES];

struct relax {
    const struct circuit *c;
    const uint32_t *kept;
    uint32_t nkept, nwires;
    double deadline;
    bool *free_bit; /* counts time */
    lanes *cost;
    int *values; /* goals of the role, descending */
    edge *value_edge;
    uint32_t nvalues;
    edge *conjunct; /* of the highest goal */
    uint32_t nconjuncts;
    /* Only gates that read something that fell since they were looked at can fall. */
    uint32_t pass;               /* counts passes over gates, of all looks */
    uint32_t *fell_at, *seen_at; /* pass, by wire and by gate */
    /* of the walk back */
    uint32_t epoch, *seen; /* by edge */
    edge *stack;
};

/* --- Kernels -------------------------------------------------------------------------------------------- */

/* These are vector loops in every build: without vectors, and with a sanitizer in every step, tests would
 * take minutes. */
#if defined(__GNUC__) && !defined(__clang__)
#define KERNEL __attribute__((optimize("O3"), no_sanitize("address", "undefined")))
#else
#define KERNEL
#endif
#define INLINE KERNEL static inline __attribute__((always_inline))

/* Half of the lanes. As vectors, and not as arrays, they stay in registers; as loops over their elements the
 * compiler finds the instructions. */
typedef uint8_t half __attribute__((vector_size(RELAX_LANES / 2), may_alias));
#define EACH for (int k = 0; k < RELAX_LANES / 2; k++)

/* Costs fall to these; true if one did. */
INLINE bool lower(half *cost, const half *to)
{
    half before = *cost, after = before;
    EACH after[k] = before[k] < (*to)[k] ? before[k] : (*to)[k];
    *cost = after;
    uint64_t fell[sizeof before / 8];
    before ^= after;
    memcpy(fell, &before, sizeof before);
    return (fell[0] | fell[1] | fell[2] | fell[3]) != 0;
}

INLINE half *half_of(lanes *cost, edge e)
{
    return (half *)cost[e];
}

INLINE bool idle(const struct relax *r, const edge *in, uint32_t n, uint32_t seen_at)
{
    for (uint32_t i = 0; i < n; i++)
        if (r->fell_at[in[i] >> 1] >= seen_at) return false;
    return true;
}

/* The gates from first to end, `all` of them or only those that may have changed; true if something fell. */
INLINE bool gates_body(struct relax *r, uint32_t first, uint32_t end, bool all)
{
    const struct circuit *c = r->c;
    lanes *cost = r->cost;
    bool some = false;
    r->pass++;
    for (uint32_t g = first; g < end; g++) {
        const edge *in = &c->edges.v[c->gates.v[g].first];
        uint32_t n = c->gates.v[g].n, wire = wire_gate(c, g);
        if (!all && idle(r, in, n, r->seen_at[g])) continue;
        r->seen_at[g] = r->pass;
        bool fell = false;
        for (int h = 0; h < 2; h++) {
            half one = {0}, zero = ~one;
            for (uint32_t i = 0; i < n; i++) {
                half t = half_of(cost, in[i])[h], f = half_of(cost, in[i] ^ 1)[h];
                EACH one[k] = one[k] > t[k] ? one[k] : t[k];
                EACH zero[k] = zero[k] < f[k] ? zero[k] : f[k];
            }
            fell |= lower(half_of(cost, 2 * wire) + h, &one) | lower(half_of(cost, 2 * wire + 1) + h, &zero);
        }
        if (fell) r->fell_at[wire] = r->pass;
        some |= fell;
    }
    return some;
}

INLINE bool bits_body(struct relax *r)
{
    const struct circuit *c = r->c;
    bool some = false;
    for (uint32_t b = 0; b < c->nbits; b++)
        for (uint32_t side = 0; side < 2; side++) {
            bool fell = false;
            for (int h = 0; h < 2; h++) {
                half after = half_of(r->cost, c->next[b] ^ side)[h]; /* a move later */
                EACH after[k] = (uint8_t)(after[k] + (after[k] < RELAX_NEVER - 1));
                fell |= lower(half_of(r->cost, 2 * wire_bit(c, b) + side) + h, &after);
            }
            if (fell) r->fell_at[wire_bit(c, b)] = r->pass;
            some |= fell;
        }
    return some;
}

INLINE bool moves_body(struct relax *r)
{
    const struct circuit *c = r->c;
    bool some = false;
    for (uint32_t m = 0; m < c->nmoves; m++) {
        half *made = half_of(r->cost, 2 * wire_move(c, m)), *legal = half_of(r->cost, c->legal[m]);
        bool fell = lower(made, legal) | lower(made + 1, legal + 1);
        if (fell) r->fell_at[wire_move(c, m)] = r->pass;
        some |= fell;
    }
    return some;
}

typedef bool gates_kernel(struct relax *r, uint32_t first, uint32_t end, bool all);
typedef bool wires_kernel(struct relax *r);

#define VERSION(target, name)                                                                       \
    KERNEL target static bool gates_##name(struct relax *r, uint32_t first, uint32_t end, bool all) \
    {                                                                                               \
        return gates_body(r, first, end, all);                                                      \
    }                                                                                               \
    KERNEL target static bool bits_##name(struct relax *r)                                          \
    {                                                                                               \
        return bits_body(r);                                                                        \
    }                                                                                               \
    KERNEL target static bool moves_##name(struct relax *r)                                         \
    {                                                                                               \
        return moves_body(r);                                                                       \
    }

VERSION(, any)

/* Chosen once, before main: no thread ever sees it change. */
static gates_kernel *run_gates = gates_any;
static wires_kernel *run_bits = bits_any, *run_moves = moves_any;

#if defined(__x86_64__)
VERSION(__attribute__((target("avx2"))), 256)
VERSION(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2"))), 512)

__attribute__((constructor)) static void choose_kernel(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        run_gates = gates_512, run_bits = bits_512, run_moves = moves_512;
    else if (__builtin_cpu_supports("avx2"))
        run_gates = gates_256, run_bits = bits_256, run_moves = moves_256;
}
#endif

/* --- Settling ------------------------------------------------------------------------------------------- */

/* Gates of a phase; a loop again and again until it is still. */
static bool settle_gates(struct relax *r, uint32_t first, uint32_t end, bool all)
{
    const struct circuit *c = r->c;
    bool fell = false;
    for (uint32_t i = 0; i < c->loops.n && first < end; i++) {
        const struct loop *l = &c->loops.v[i];
        if (l->first < first) continue;
        if (l->first >= end) break;
        fell |= run_gates(r, first, l->first, all);
        bool again = run_gates(r, l->first, l->first + l->n, all);
        for (; again; again = run_gates(r, l->first, l->first + l->n, false)) fell = true;
        first = l->first + l->n;
    }
    return run_gates(r, first, end, all) || fell;
}

/* A bit for each lane: what it is costs nothing, the other is never. */
static void spread(uint64_t bits, uint8_t *one, uint8_t *zero)
{
    for (uint32_t i = 0; i < RELAX_LANES; i += 8, bits >>= 8) {
        uint64_t x = (bits & 255) * 0x0101010101010101u & 0x8040201008040201u; /* byte i has bit i */
        x = (((x & 0x7f7f7f7f7f7f7f7fu) + 0x7f7f7f7f7f7f7f7fu) | x) & 0x8080808080808080u;
        x = (x << 1) - (x >> 7); /* 255 in each byte that was not 0 */
        uint64_t not = ~x;
        memcpy(zero + i, &x, 8);
        memcpy(one + i, &not, 8);
    }
}

static void begin(struct relax *r, const uint64_t *states, uint32_t n)
{
    const struct circuit *c = r->c;
    uint32_t words = (r->nkept + 63) / 64 ? (r->nkept + 63) / 64 : 1;
    memset(r->cost, RELAX_NEVER, (size_t)r->nwires * 2 * sizeof *r->cost);
    memset(r->cost[EDGE_TRUE], 0, sizeof *r->cost);
    for (uint32_t b = 0; b < c->nbits; b++)
        if (r->free_bit[b]) memset(r->cost[2 * wire_bit(c, b)], 0, 2 * sizeof *r->cost);
    for (uint32_t w = 0; w * 64 < r->nkept; w++) {
        uint64_t bit[64];
        transpose_count(states + w, words, n, bit, 1, NULL);
        for (uint32_t i = 0; i < 64 && w * 64 + i < r->nkept; i++) {
            uint32_t wire = wire_bit(c, r->kept[w * 64 + i]);
            /* lanes that are not used are like the first */
            if (n < 64 && bit[i] & 1) bit[i] |= ~(uint64_t)0 << n;
            spread(bit[i], r->cost[2 * wire], r->cost[2 * wire + 1]);
        }
    }
    for (uint32_t m = 0; m < c->nmoves; m++) memset(r->cost[2 * wire_move(c, m) + 1], 0, sizeof *r->cost);
    for (uint32_t i = 0; i < c->loops.n; i++)
        for (uint32_t k = 0; k < c->loops.v[i].cut_n; k++)
            memset(r->cost[c->cuts.v[c->loops.v[i].cut_first + k]], 0, sizeof *r->cost);
}

static uint8_t value_cost(const struct relax *r, uint32_t value, uint32_t lane)
{
    uint8_t goal = r->cost[r->value_edge[value]][lane], end = r->cost[r->c->terminal][lane];
    return goal > end ? goal : end;
}

static bool all_reached(const struct relax *r, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (r->nvalues && value_cost(r, 0, k) == RELAX_NEVER) return false;
    return true;
}

/* Until the highest goal can be reached in all lanes or nothing changes any more; false: broken off. */
static bool settle(struct relax *r, uint32_t n)
{
    const struct circuit *c = r->c;
    for (uint32_t layer = 0; layer < MOST_LAYERS; layer++) {
        if (r->deadline > 0 && r->nwires > WORTH_A_LOOK && clock_now() > r->deadline) return false;
        settle_gates(r, 0, c->phase_end[PHASE_VIEW], layer == 0);
        bool fell = run_moves(r);
        settle_gates(r, c->phase_end[PHASE_VIEW], c->ngates, layer == 0);
        if (all_reached(r, n)) return true;
        if (!(run_bits(r) || fell)) return true;
    }
    return false;
}

/* --- Reading -------------------------------------------------------------------------------------------- */

/* May it cost a move although nothing has to be waited for: a move that is made, or a gate that reads moves.
 */
static inline bool hides_move(const struct circuit *c, edge e)
{
    uint32_t wire = e >> 1;
    if (wire >= wire_gate(c, 0)) return wire >= wire_gate(c, c->phase_end[PHASE_GOAL]);
    return !(e & 1) && wire > c->nbits;
}

/* Moves on the way back through what first made each thing possible. */
static uint32_t walk_back(struct relax *r, uint32_t value, uint32_t lane)
{
    const struct circuit *c = r->c;
    uint32_t n = 0, moves = 0;
    if (++r->epoch == 0) {
        memset(r->seen, 0, (size_t)r->nwires * 2 * sizeof *r->seen);
        r->epoch = 1;
    }
#define NEED(e)                                                                                \
    do {                                                                                       \
        edge need_e = (e);                                                                     \
        if ((r->cost[need_e][lane] || hides_move(c, need_e)) && r->seen[need_e] != r->epoch) { \
            r->seen[need_e] = r->epoch;                                                        \
            r->stack[n++] = need_e;                                                            \
        }                                                                                      \
    } while (0)
    NEED(c->terminal);
    NEED(r->value_edge[value]);
    while (n > 0) {
        edge e = r->stack[--n];
        uint32_t wire = e >> 1, inverted = e & 1;
        if (wire == 0) continue;
        if (wire <= c->nbits) {
            NEED(c->next[wire - 1] ^ inverted);
        } else if (wire < wire_gate(c, 0)) {
            moves++;
            NEED(c->legal[wire - wire_move(c, 0)]);
        } else {
            const struct gate *g = &c->gates.v[wire - wire_gate(c, 0)];
            const edge *in = &c->edges.v[g->first];
            uint32_t least = 0;
            for (uint32_t i = 0; i < g->n; i++) {
                if (!inverted)
                    NEED(in[i]);
                else if (r->cost[in[i] ^ 1][lane] < r->cost[in[least] ^ 1][lane])
                    least = i;
            }
            if (inverted) NEED(in[least] ^ 1);
        }
    }
#undef NEED
    return moves;
}

/* Conjuncts of an edge that do not hold; what is not a conjunction counts as one. */
static uint32_t missing(const struct relax *r, edge e, uint32_t lane, uint32_t depth)
{
    const struct circuit *c = r->c;
    uint32_t n = 0;
    if (r->cost[e][lane] == 0) return 0;
    if (e == r->value_edge[0]) { /* the highest goal's are listed */
        for (uint32_t i = 0; i < r->nconjuncts; i++) n += r->cost[r->conjunct[i]][lane] != 0;
        return n ? n : 1;
    }
    if (e & 1 || e >> 1 < wire_gate(c, 0) || depth == LOOK_DEPTH) return 1;
    const struct gate *g = &c->gates.v[(e >> 1) - wire_gate(c, 0)];
    for (uint32_t i = 0; i < g->n; i++) n += missing(r, c->edges.v[g->first + i], lane, depth + 1);
    return n ? n : 1;
}

void relax_look(struct relax *r, const uint64_t *states, uint32_t n, int beyond, bool with_plan,
                struct relax_view *out)
{
    begin(r, states, n);
    bool still = settle(r, n);
    for (uint32_t k = 0; k < n; k++) {
        out[k] = (struct relax_view){.bound = -1, .layers = RELAX_NEVER};
        for (uint32_t v = 0; v < r->nvalues && !out[k].present; v++)
            if (r->cost[r->value_edge[v]][k] == 0) out[k].present = r->values[v];
        for (uint32_t v = 0; v < r->nvalues; v++) {
            uint8_t cost = value_cost(r, v, k);
            if (cost == RELAX_NEVER && still) continue;
            out[k].bound = r->values[v];
            out[k].layers = out[k].plan = cost;
            out[k].missing = missing(r, r->value_edge[v], k, 0);
            if (with_plan && cost < RELAX_NEVER && r->values[v] > beyond) {
                uint32_t plan = walk_back(r, v, k); /* moves that are made twice count once */
                if (plan > cost) out[k].plan = plan;
            }
            break;
        }
    }
}

void relax_until(struct relax *r, double deadline)
{
    r->deadline = deadline;
}

uint32_t relax_conjuncts(const struct relax *r)
{
    return r->nconjuncts;
}

uint64_t relax_holds(const struct relax *r, uint32_t conjunct)
{
    const uint8_t *cost = r->cost[r->conjunct[conjunct]];
    uint64_t holds = 0, x;
    for (uint32_t i = 0; i < RELAX_LANES; i += 8) {
        memcpy(&x, cost + i, 8);
        x = ~(((x & 0x7f7f7f7f7f7f7f7fu) + 0x7f7f7f7f7f7f7f7fu) | x) & 0x8080808080808080u; /* bytes of 0 */
        holds |= ((x >> 7) * 0x0102040810204080u >> 56) << i;
    }
    return holds;
}

bool relax_ends_by_itself(const struct relax *r, uint32_t lane)
{
    return r->cost[r->c->terminal][lane] == 0;
}

/* --- Life ----------------------------------------------------------------------------------------------- */

void relax_free(struct relax *r)
{
    if (!r) return;
    free(r->free_bit);
    free(r->cost);
    free(r->values);
    free(r->value_edge);
    free(r->conjunct);
    free(r->fell_at);
    free(r->seen_at);
    free(r->seen);
    free(r->stack);
    free(r);
}

static void list_values(struct relax *r)
{
    const struct circuit *c = r->c;
    for (uint32_t i = 0; i < c->goals.n; i++) {
        const struct circuit_goal *g = &c->goals.v[i];
        uint32_t at = r->nvalues;
        if (g->role != 0 || g->e == EDGE_FALSE) continue;
        for (; at > 0 && r->values[at - 1] < (int)g->value; at--) {
            r->values[at] = r->values[at - 1];
            r->value_edge[at] = r->value_edge[at - 1];
        }
        r->values[at] = (int)g->value;
        r->value_edge[at] = g->e;
        r->nvalues++;
    }
}

/* Conjunctions within conjunctions are one. */
static void list_conjuncts(struct relax *r, edge e, uint32_t depth)
{
    const struct circuit *c = r->c;
    if (e & 1 || e >> 1 < wire_gate(c, 0) || depth == CONJUNCT_DEPTH) {
        for (uint32_t i = 0; i < r->nconjuncts; i++)
            if (r->conjunct[i] == e) return;
        if (r->nconjuncts < MOST_CONJUNCTS) r->conjunct[r->nconjuncts++] = e;
        return;
    }
    const struct gate *g = &c->gates.v[(e >> 1) - wire_gate(c, 0)];
    for (uint32_t i = 0; i < g->n; i++) list_conjuncts(r, c->edges.v[g->first + i], depth + 1);
}

struct relax *relax_new(const struct circuit *c, const uint32_t *kept, uint32_t nkept)
{
    uint32_t nwires = wire_gate(c, c->ngates);
    struct relax *r = nwires <= MOST_WIRES ? calloc(1, sizeof *r) : NULL;
    if (!r) return NULL;
    *r = (struct relax){.c = c, .kept = kept, .nkept = nkept, .nwires = nwires};
    r->free_bit = malloc(c->nbits + 1);
    r->cost = aligned_alloc(64, (size_t)nwires * 2 * sizeof *r->cost);
    r->values = malloc((c->goals.n + 1) * sizeof *r->values);
    r->value_edge = malloc((c->goals.n + 1) * sizeof *r->value_edge);
    r->conjunct = malloc(MOST_CONJUNCTS * sizeof *r->conjunct);
    r->fell_at = calloc(nwires, sizeof *r->fell_at);
    r->seen_at = calloc(c->ngates + 1, sizeof *r->seen_at);
    r->seen = calloc((size_t)nwires * 2, sizeof *r->seen);
    r->stack = malloc((size_t)nwires * 2 * sizeof *r->stack);
    if (!r->free_bit || !r->cost || !r->values || !r->value_edge || !r->conjunct || !r->fell_at ||
        !r->seen_at || !r->seen || !r->stack) {
        relax_free(r);
        return NULL;
    }
    memset(r->free_bit, true, c->nbits + 1);
    for (uint32_t i = 0; i < nkept; i++) r->free_bit[kept[i]] = false;
    list_values(r);
    if (r->nvalues) list_conjuncts(r, r->value_edge[0], 0);
    return r;
}
