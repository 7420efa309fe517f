// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/lanes.h"

#include <stdlib.h>
#include <string.h>

#define FOR_WORDS(g, w) for (uint32_t w = 0; w < (g)->b->words; w++)
#define FOR_LANES(lane, word, mask)                                                                    \
    for (uint64_t left = (mask); left && ((lane) = (word)*64 + (uint32_t)__builtin_ctzll(left), true); \
         left &= left - 1)

/* --- Bits to bytes -------------------------------------------------------------------------------------- */

static void spread_anywhere(const uint64_t *bits, uint32_t words, uint8_t *out)
{
    for (uint32_t i = 0; i < words * 8; i++) {
        uint64_t x = (bits[i / 8] >> i % 8 * 8 & 255) * 0x0101010101010101u & 0x8040201008040201u;
        x = (x + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
        memcpy(out + i * 8, &x, 8);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>
__attribute__((target("avx2"))) static void spread_avx2(const uint64_t *bits, uint32_t words, uint8_t *out)
{
    /* each byte of four eight times, then one bit of each */
    const __m256i eight = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit = _mm256_set1_epi64x((long long)0x8040201008040201), one = _mm256_set1_epi8(1);
    for (uint32_t i = 0; i < words * 2; i++) {
        __m256i x = _mm256_set1_epi32((int)(bits[i / 2] >> i % 2 * 32));
        x = _mm256_and_si256(_mm256_shuffle_epi8(x, eight), bit);
        x = _mm256_and_si256(_mm256_cmpeq_epi8(x, bit), one);
        _mm256_storeu_si256((__m256i *)(out + (size_t)i * 32), x);
    }
}

__attribute__((target("avx512bw"))) static void spread_avx512(const uint64_t *bits, uint32_t words,
                                                              uint8_t *out)
{
    for (uint32_t i = 0; i < words; i++)
        _mm512_storeu_si512(out + (size_t)i * 64, _mm512_maskz_set1_epi8(bits[i], 1));
}
#endif

void (*lanes_spread)(const uint64_t *bits, uint32_t words, uint8_t *out) = spread_anywhere;

__attribute__((constructor)) static void choose_spread(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) lanes_spread = spread_avx2;
    if (__builtin_cpu_supports("avx512bw")) lanes_spread = spread_avx512;
#endif
}

/* --- Who chooses ---------------------------------------------------------------------------------------- */

/* Lanes in which the role has a move, and in which it has several. */
static void count_two(const struct batch *b, uint32_t role, uint64_t *one, uint64_t *two)
{
    const uint64_t *legal = batch_legal_wires(b, role);
    memset(one, 0, b->words * 8);
    memset(two, 0, b->words * 8);
    for (uint32_t m = 0; m < b->code->roles[role].n; m++)
        for (uint32_t w = 0; w < b->words; w++, legal++) {
            two[w] |= one[w] & *legal;
            one[w] |= *legal;
        }
}

static bool any(const struct batch *b, const uint64_t *mask)
{
    return batch_any(b, mask);
}

static uint32_t count(const struct batch *b, const uint64_t *mask)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < b->words; w++) n += (uint32_t)__builtin_popcountll(mask[w]);
    return n;
}

/* One look at the lanes: single moves of roles while others choose are idle. */
static void note_idle(struct lanes_rules *rules, const struct batch *b)
{
    uint64_t one[BATCH_MAX_WORDS], two[BATCH_MAX_WORDS], others[BATCH_MAX_WORDS];
    for (uint32_t r = 0; r < rules->nroles; r++) {
        const uint64_t *legal = batch_legal_wires(b, r);
        memset(others, 0, sizeof others);
        for (uint32_t k = 0; k < rules->nroles; k++) {
            count_two(b, k, one, two);
            for (uint32_t w = 0; w < b->words && k != r; w++) others[w] |= two[w];
        }
        count_two(b, r, one, two);
        for (uint32_t m = 0; m < rules->code->roles[r].n; m++)
            for (uint32_t w = 0; w < b->words; w++, legal++)
                if (*legal & ~two[w] & others[w] & ~b->terminal[w]) rules->idle[r][m] = true;
    }
}

bool lanes_find_idle(struct lanes_rules *rules, struct error *error)
{
    enum { SWEEPS = 64 };
    struct batch *b = batch_new(rules->code, 0, 1, error);
    if (!b) return false;
    for (uint32_t i = 0; i < SWEEPS; i++) {
        uint64_t moving[BATCH_MAX_WORDS], ended[BATCH_MAX_WORDS];
        batch_view(b);
        for (uint32_t w = 0; w < b->words; w++) {
            ended[w] = b->terminal[w];
            moving[w] = ~ended[w];
        }
        note_idle(rules, b);
        batch_choose(b, moving);
        batch_step(b);
        batch_restart(b, ended);
    }
    batch_free(b);
    return true;
}

/* Where nobody has several moves: whose only one is not idle, else the first role's. */
static void find_awake(struct lanes *g, uint64_t *open)
{
    const struct batch *b = g->b;
    for (uint32_t r = 0; r < b->nroles; r++) {
        const uint64_t *legal = batch_legal_wires(b, r);
        for (uint32_t m = 0; m < b->code->roles[r].n; m++)
            for (uint32_t w = 0; w < b->words; w++, legal++) {
                uint64_t mine = g->rules->idle[r][m] ? 0 : *legal & open[w];
                g->players[r * b->words + w] |= mine;
                open[w] &= ~mine;
            }
    }
    FOR_WORDS(g, w) g->players[w] |= open[w];
}

void lanes_look(struct lanes *g)
{
    const struct batch *b = g->b;
    uint64_t one[BATCH_MAX_WORDS], two[BATCH_MAX_WORDS], open[BATCH_MAX_WORDS], active[BATCH_MAX_WORDS];
    lanes_view(g);
    if (g->looked) return;
    g->looked = true;
    FOR_WORDS(g, w)
    {
        open[w] = active[w] = g->used[w] & ~b->terminal[w] & ~g->over[w];
        g->crowded[w] = g->stuck[w] = 0;
    }
    for (uint32_t r = 0; r < b->nroles; r++) {
        count_two(b, r, one, two);
        FOR_WORDS(g, w)
        {
            uint64_t mine = open[w] & two[w];
            g->players[r * b->words + w] = mine;
            g->crowded[w] |= active[w] & two[w] & ~mine;
            g->stuck[w] |= active[w] & ~one[w];
            open[w] &= ~mine;
        }
    }
    if (any(b, open)) find_awake(g, open);
}

/* --- Life ----------------------------------------------------------------------------------------------- */

bool lanes_init(struct lanes *g, const struct lanes_rules *rules, uint32_t first, uint32_t n, uint64_t seed,
                struct error *error)
{
    *g = (struct lanes){.rules = rules, .first = first, .n = n, .b = batch_new(rules->code, 0, seed, error)};
    if (!g->b) return false;
    batch_seed_part(g->b, seed, first / 64);
    for (uint32_t i = 0; i < n; i++) g->used[i / 64] |= 1ull << i % 64;
    size_t words = g->b->words;
    g->players = calloc(rules->nroles, words * 8);
    g->scratch = calloc((size_t)g->b->lanes * rules->nroles, sizeof *g->scratch);
    g->saved = calloc(rules->code->nbits + 1, words * 8);
    if (rules->max_steps) g->age = calloc(g->b->lanes, sizeof *g->age);
    if (g->players && g->scratch && g->saved && (g->age || !rules->max_steps)) return true;
    return error_set(error, ERROR_MEMORY, "there is no memory left");
}

void lanes_done(struct lanes *g)
{
    batch_free(g->b);
    free(g->players);
    free(g->scratch);
    free(g->saved);
    free(g->age);
}

void lanes_view(struct lanes *g)
{
    if (!g->viewed) batch_view(g->b);
    g->viewed = true;
}

void lanes_restart(struct lanes *g, const uint64_t *mask)
{
    batch_restart(g->b, mask);
    g->viewed = g->looked = false;
    FOR_WORDS(g, w)
    {
        uint32_t lane;
        g->over[w] &= ~mask[w];
        g->ended[w] &= ~mask[w];
        g->given_up[w] &= ~mask[w];
        if (g->age) FOR_LANES(lane, w, mask[w]) g->age[lane] = 0;
    }
}

void lanes_load(struct lanes *g, const uint64_t *packed)
{
    lanes_restart(g, g->used);
    batch_put_rows(g->b, g->rules->order, g->rules->code->nbits, packed, NULL, g->n);
    lanes_view(g);
    FOR_WORDS(g, w) g->over[w] = g->ended[w] = g->used[w] & g->b->terminal[w];
}

/* --- Moving --------------------------------------------------------------------------------------------- */

static bool is_legal(const struct batch *b, uint32_t lane, uint32_t role, int32_t move)
{
    if (move < 0 || (uint32_t)move >= b->code->roles[role].n) return false;
    return batch_legal_wires(b, role)[(size_t)move * b->words + lane / 64] >> lane % 64 & 1;
}

/* What the lane is told: a move, or LANES_RANDOM, or LANES_WAIT. */
static int32_t told(const struct lanes *g, const int32_t *actions, bool joint, uint32_t lane)
{
    return actions[joint ? (size_t)lane * g->rules->nroles : lane];
}

static bool is_move(int32_t action)
{
    return action != LANES_RANDOM && action != LANES_WAIT;
}

enum lanes_fault lanes_check(struct lanes *g, const int32_t *actions, bool joint, uint32_t *lane,
                             uint32_t *role)
{
    const struct batch *b = g->b;
    lanes_look(g);
    FOR_WORDS(g, w)
    {
        FOR_LANES(*lane, w, g->stuck[w]) return LANES_STUCK;
        if (!actions) continue;
        if (!joint) /* by player: the masks are at hand */
            for (*role = 0; *role < b->nroles; ++*role) FOR_LANES(*lane, w, g->players[*role * b->words + w])
                {
                    if (!is_move(actions[*lane])) continue;
                    if (g->crowded[w] >> *lane % 64 & 1) return LANES_CROWDED;
                    if (!is_legal(b, *lane, *role, actions[*lane])) return LANES_ILLEGAL;
                }
        else
            FOR_LANES(*lane, w, g->used[w] & ~b->terminal[w] & ~g->over[w])
            {
                if (!is_move(told(g, actions, joint, *lane))) continue;
                for (*role = 0; *role < b->nroles; ++*role)
                    if (!is_legal(b, *lane, *role, actions[(size_t)*lane * b->nroles + *role]))
                        return LANES_ILLEGAL;
            }
    }
    return LANES_FINE;
}

/* Moves of the lanes of the mask, given from outside. */
static void put_moves(struct lanes *g, const int32_t *actions, bool joint, const uint64_t *mask)
{
    struct batch *b = g->b;
    uint64_t others[BATCH_MAX_WORDS];
    uint32_t lane;
    for (uint32_t r = 0; r < b->nroles && !joint; r++) { /* those who do not choose have one move */
        const uint64_t *mine = g->players + (size_t)r * b->words;
        FOR_WORDS(g, w) others[w] = mask[w] & ~mine[w];
        if (any(b, others)) batch_choose_first(b, r, g->rules->order, b->code->roles[r].n, others);
        FOR_WORDS(g, w)
        FOR_LANES(lane, w, mask[w] & mine[w]) batch_set_move(b, lane, r, (uint32_t)actions[lane]);
    }
    FOR_WORDS(g, w)
    if (joint) FOR_LANES(lane, w, mask[w])
    for (uint32_t r = 0; r < b->nroles; r++)
        batch_set_move(b, lane, r, (uint32_t)actions[(size_t)lane * b->nroles + r]);
}

/* Lanes that have gone on for too long. */
static void grow_old(struct lanes *g, const uint64_t *moved)
{
    uint32_t lane;
    FOR_WORDS(g, w) g->given_up[w] &= g->over[w];
    if (g->age) FOR_WORDS(g, w)
    FOR_LANES(lane, w, moved[w])
    if (++g->age[lane] >= g->rules->max_steps && !(g->b->terminal[w] >> lane % 64 & 1))
        g->given_up[w] |= 1ull << lane % 64;
}

static void note(const struct lanes_goals *out, uint32_t role, uint32_t lane, int16_t goal)
{
    out->goals[(size_t)role * out->stride + lane] = goal;
    out->rewards[(size_t)role * out->stride + lane] = goal > 0 ? (float)goal / 100 : 0;
}

/* What ended games brought, and nothing where one ended before. */
static void note_goals(struct lanes *g, const uint64_t *before, const uint64_t *ended,
                       const struct lanes_goals *out)
{
    struct batch *b = g->b;
    uint32_t lane;
    FOR_WORDS(g, w)
    FOR_LANES(lane, w, before[w])
    for (uint32_t r = 0; r < b->nroles; r++) note(out, r, g->first + lane, BATCH_GOAL_UNDEFINED);
    if (!any(b, ended)) return;
    batch_park(b, ended);
    batch_collect_goals(b, g->scratch, NULL);
    FOR_WORDS(g, w)
    FOR_LANES(lane, w, ended[w])
    for (uint32_t r = 0; r < b->nroles; r++) note(out, r, g->first + lane, g->scratch[lane * b->nroles + r]);
}

/* Who moves how: at random, as given; who stands still is not among the moved. */
struct turn {
    uint64_t moved[BATCH_MAX_WORDS], chance[BATCH_MAX_WORDS], given[BATCH_MAX_WORDS];
    uint64_t still[BATCH_MAX_WORDS]; /* over, or told to wait */
};

static void plan_turn(const struct lanes *g, const int32_t *actions, bool joint, struct turn *t)
{
    uint32_t lane;
    FOR_WORDS(g, w)
    {
        uint64_t waiting = 0, chance = 0;
        t->moved[w] = g->used[w] & ~g->over[w] & ~g->b->terminal[w];
        if (actions) FOR_LANES(lane, w, t->moved[w])
            {
                int32_t action = told(g, actions, joint, lane);
                waiting |= (uint64_t)(action == LANES_WAIT) << lane % 64;
                chance |= (uint64_t)(action == LANES_RANDOM) << lane % 64;
            }
        t->moved[w] &= ~waiting;
        t->still[w] = g->over[w] | waiting;
        t->chance[w] = actions ? chance : t->moved[w];
        t->given[w] = t->moved[w] & ~t->chance[w];
    }
}

void lanes_step(struct lanes *g, const int32_t *actions, bool joint, const struct lanes_goals *goals)
{
    struct batch *b = g->b;
    struct turn t;
    uint64_t ended[BATCH_MAX_WORDS], before[BATCH_MAX_WORDS];
    lanes_view(g);
    plan_turn(g, actions, joint, &t);
    FOR_WORDS(g, w) before[w] = g->ended[w] & ~g->over[w];
    bool held = any(b, t.still);
    if (held) memcpy(g->saved, batch_state_wires(b), batch_state_bytes(b));
    if (any(b, t.chance)) batch_choose(b, t.chance);
    if (any(b, t.given)) put_moves(g, actions, joint, t.given);
    batch_step(b);
    if (held) batch_set_lanes(b, g->saved, t.still);
    batch_view(b);
    grow_old(g, t.moved);
    FOR_WORDS(g, w) ended[w] = t.moved[w] & b->terminal[w];
    note_goals(g, before, ended, goals);
    FOR_WORDS(g, w)
    {
        uint32_t lane;
        ended[w] |= g->given_up[w] & t.moved[w];
        g->ended[w] = (g->over[w] & g->ended[w]) | ended[w];
        if (g->rules->keep) g->over[w] |= ended[w];
        if (g->age && !g->rules->keep) FOR_LANES(lane, w, ended[w]) g->age[lane] = 0;
    }
    g->viewed = true;
    g->looked = false;
    if (!g->rules->keep && any(b, ended)) {
        batch_restart(b, ended);
        g->viewed = false;
    }
}

/* As batch_play does, but from where the lanes are, and only those in use. */
void lanes_play(struct lanes *g, uint64_t sweeps, const atomic_bool *stop, struct batch_tally *tally)
{
    struct batch *b = g->b;
    uint64_t ended[BATCH_MAX_WORDS], moving[BATCH_MAX_WORDS], young[BATCH_MAX_WORDS] = {0};
    if (any(b, g->over)) {
        memcpy(ended, g->over, sizeof ended);
        lanes_restart(g, ended);
    }
    lanes_view(g);
    for (uint64_t i = 0, clock = 1;; i++, clock++) {
        uint64_t ends = 0, twice = 0;
        bool last = i == sweeps || (stop && atomic_load_explicit(stop, memory_order_relaxed));
        FOR_WORDS(g, w)
        {
            ended[w] = b->terminal[w] & g->used[w];
            moving[w] = g->used[w] & ~ended[w];
            young[w] |= ended[w];
            ends |= ended[w];
            twice |= ended[w] & b->parked[w];
        }
        if (ends) {
            if (twice) batch_tally_goals(b, tally);
            batch_park(b, ended);
            tally->games += count(b, ended);
        }
        if (last) break;
        tally->transitions += count(b, moving);
        batch_choose(b, moving);
        batch_step(b);
        if (clock == g->rules->max_steps) {
            FOR_WORDS(g, w)
            {
                ends |= ended[w] |= g->used[w] & ~young[w];
                young[w] = 0;
            }
            clock = 0;
        }
        if (ends) batch_restart(b, ended);
        batch_view(b);
    }
    if (any(b, b->parked)) batch_tally_goals(b, tally);
    if (g->age) memset(g->age, 0, b->lanes * sizeof *g->age);
    memset(g->ended, 0, sizeof g->ended);
    memset(g->given_up, 0, sizeof g->given_up);
    lanes_restart(g, ended);
}

/* --- Looking -------------------------------------------------------------------------------------------- */

/* Counts in bit planes, a lane a bit. */
struct counter {
    uint64_t plane[24][BATCH_MAX_WORDS];
    uint32_t planes;
};

static void counter_add(struct counter *c, uint32_t w, uint64_t carry)
{
    for (uint32_t k = 0; carry; k++) {
        if (k == c->planes) memset(c->plane[c->planes++], 0, sizeof c->plane[0]);
        uint64_t both = c->plane[k][w] & carry;
        c->plane[k][w] ^= carry;
        carry = both;
    }
}

static void counter_read(const struct counter *c, uint32_t words, uint32_t *out)
{
    uint8_t bytes[BATCH_MAX_LANES];
    memset(out, 0, (size_t)words * 64 * sizeof *out);
    for (uint32_t k = 0; k < c->planes; k++) {
        lanes_spread(c->plane[k], words, bytes);
        for (uint32_t i = 0; i < words * 64; i++) out[i] += (uint32_t)bytes[i] << k;
    }
}

void lanes_legal(struct lanes *g, uint32_t role, uint8_t *rows, uint32_t stride, uint32_t *counts)
{
    const struct batch *b = g->b;
    bool players = role == UINT32_MAX;
    uint32_t n = players ? g->rules->actions : b->code->roles[role].n;
    uint32_t words = (g->n + 63) / 64;
    struct counter counter = {.planes = 0};
    lanes_look(g);
    for (uint32_t m = 0; m < n; m++) {
        uint64_t row[BATCH_MAX_WORDS] = {0};
        for (uint32_t r = players ? 0 : role; r < (players ? b->nroles : role + 1); r++) {
            if (m >= b->code->roles[r].n) continue;
            const uint64_t *legal = batch_legal_wires(b, r) + (size_t)m * b->words;
            const uint64_t *mine = g->players + (size_t)r * b->words;
            for (uint32_t w = 0; w < words; w++)
                row[w] |= legal[w] & (players ? mine[w] : g->used[w] & ~b->terminal[w] & ~g->over[w]);
        }
        for (uint32_t w = 0; w < words && counts; w++) counter_add(&counter, w, row[w]);
        if (rows) lanes_spread(row, words, rows + (size_t)m * stride + g->first);
    }
    if (counts) counter_read(&counter, words, counts + g->first);
}

void lanes_players(struct lanes *g, uint8_t *out)
{
    uint32_t words = (g->n + 63) / 64, lane;
    lanes_look(g);
    memset(out + g->first, 0, (size_t)words * 64);
    if (g->rules->nroles == 2) { /* the usual case */
        lanes_spread(g->players + g->b->words, words, out + g->first);
        return;
    }
    for (uint32_t r = 1; r < g->rules->nroles; r++)
        for (uint32_t w = 0; w < words; w++)
            FOR_LANES(lane, w, g->players[r * g->b->words + w]) out[g->first + lane] = (uint8_t)r;
}

void lanes_ended(const struct lanes *g, uint8_t *out)
{
    uint32_t words = (g->n + 63) / 64, lane;
    lanes_spread(g->ended, words, out + g->first);
    for (uint32_t w = 0; w < words; w++) FOR_LANES(lane, w, g->given_up[w]) out[g->first + lane] = 2;
}
