// SPDX-License-Identifier: GPL-3.0-or-later
/* The batch: memory of one thread's lanes, and the bookkeeping around the sweeper.
 *
 * Moves: `written` says that batch_choose or batch_choose_first wrote the slots of moves since the last step;
 * else they hold what was chosen last, or are all zero (`clean`), and are cleared when moves come one by one.
 * The slot of a role that has but one move is always one. Moves given one by one wait in `given` until the
 * step, so that they may come before or after the choosing.
 */
#include "circuit/batch.h"

#include "base/pages.h"
#include "base/rng.h"
#include "circuit/sweep.h"
#include "circuit/transpose.h"

#include <assert.h>
#include <stdlib.h>

struct given_move {
    uint32_t slot, lane;
};

/* What one code needs: that of all turns, or that of one. */
struct side {
    const struct code *code;
    struct choices choices;
    bool clean; /* the slots of moves are all zero */
};

struct batch_inside {
    uint64_t *mem;      /* slots, then the loops' cuts */
    struct side *sides; /* the first is that of all turns; turn t is t + 1 */
    uint32_t nsides;
    struct side *now;  /* which the last view was swept by */
    bool *dirty;       /* of the choices */
    uint64_t *initial; /* state words */
    bool written;
    struct given_move *given;
    uint32_t ngiven, given_cap;
    uint64_t *block; /* one allocation for all that is aligned */
};

#if defined(__x86_64__)
static inline uint64_t ticks_now(void)
{
    return __builtin_ia32_rdtsc();
}
#else
#include "base/clock.h"
static inline uint64_t ticks_now(void)
{
    return (uint64_t)(clock_now() * 1e9);
}
#endif

#define TICKS_BEGIN(b) uint64_t ticks_begin = (b)->ticks ? ticks_now() : 0
#define TICKS_END(b, part) \
    if ((b)->ticks) (b)->ticks[part] += ticks_now() - ticks_begin

static const struct sweeper *const sweepers[] = {&sweeper_64, &sweeper_256, &sweeper_512};

uint32_t batch_widths(uint32_t widths[4])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < sizeof sweepers / sizeof *sweepers; i++)
        if (sweepers[i]->available()) widths[n++] = sweepers[i]->lanes;
    return n;
}

static const struct sweeper *find_sweeper(uint32_t lanes)
{
    const struct sweeper *found = NULL;
    for (uint32_t i = 0; i < sizeof sweepers / sizeof *sweepers; i++)
        if (sweepers[i]->available() && (lanes == 0 || lanes == sweepers[i]->lanes)) found = sweepers[i];
    return found;
}

/* --- Setting up ----------------------------------------------------------------------------------------- */

/* Lay the trees of all choosing roles out in the scratch memory; returns how many vectors they need. */
static uint32_t plan_choices(const struct code *code, struct choices *c, bool *dirty)
{
    uint32_t at = 0;
    c->n = 0;
    for (uint32_t r = 0; r < code->nroles; r++) {
        const struct code_role *role = &code->roles[r];
        if (role->n == 0 || role->forced) continue;
        struct choice *ch = &c->v[c->n++];
        ch->legal = role->legal;
        ch->does = role->does;
        ch->at[0] = at;
        for (uint32_t l = 0, n = (role->n + CHOICE_BLOCK - 1) / CHOICE_BLOCK;; l++, n = (n + 1) / 2) {
            ch->levels = l;
            ch->nodes[l] = n;
            ch->planes[l] = 1;
            at += n * (6 + l); /* with all planes it can ever need */
            if (n == 1) break;
        }
        choice_layout(ch);
        ch->dirty = dirty;
        dirty += ch->nodes[0];
    }
    return at;
}

static uint64_t *slot(const struct batch *b, uint32_t slot)
{
    return b->inside->mem + (size_t)slot * b->words;
}

static void fill(const struct batch *b, uint32_t with_ones)
{
    memset(slot(b, with_ones), 0xff, b->words * 8);
}

static void *zeroed(size_t n, size_t size)
{
    return calloc(n ? n : 1, size);
}

struct batch *batch_new(const struct code *code, uint32_t lanes, uint64_t seed, struct error *error)
{
    const struct sweeper *sweeper = find_sweeper(lanes);
    if (sweeper && code_machine(code, sweeper->lanes)) code = code->compiled;
    return batch_new_interpreted(code, lanes, seed, error);
}

struct batch *batch_new_interpreted(const struct code *code, uint32_t lanes, uint64_t seed,
                                    struct error *error)
{
    const struct sweeper *sweeper = find_sweeper(lanes);
    if (!sweeper) {
        error_set(error, ERROR_INPUT, "this processor cannot sweep %u lanes at once", lanes);
        return NULL;
    }
    struct batch *b = zeroed(1, sizeof *b);
    struct batch_inside *in = b ? b->inside = zeroed(1, sizeof *in) : NULL;
    if (!in) goto no_memory;
    b->code = code;
    b->sweeper = sweeper;
    b->lanes = sweeper->lanes;
    b->words = sweeper->lanes / 64;
    b->nroles = code->nroles;
    b->state_words = (code->nbits + 63) / 64;
    in->initial = zeroed(b->state_words, sizeof *in->initial);
    in->given_cap = b->lanes * code->nroles;
    in->given = zeroed(in->given_cap, sizeof *in->given);
    in->nsides = 1 + (code->turns ? code->circuit->period : 0);
    in->sides = zeroed(in->nsides, sizeof *in->sides);
    in->dirty = zeroed((code->nmoves / CHOICE_BLOCK + code->nroles) * (size_t)in->nsides, sizeof *in->dirty);
    if (!in->initial || !in->given || !in->sides || !in->dirty) goto no_memory;
    in->now = in->sides;
    size_t scratch = 0, cuts = 0;
    for (uint32_t i = 0; i < in->nsides; i++) {
        struct side *side = &in->sides[i];
        side->code = i ? code->turns[i - 1] : code;
        side->choices.v = zeroed(code->nroles, sizeof *side->choices.v);
        if (!side->choices.v) goto no_memory;
        size_t need = plan_choices(side->code, &side->choices,
                                   in->dirty + (code->nmoves / CHOICE_BLOCK + code->nroles) * (size_t)i);
        if (need > scratch) scratch = need;
        for (uint32_t k = 0; k < side->code->segments.n; k++)
            if (side->code->segments.v[k].cut_n > cuts) cuts = side->code->segments.v[k].cut_n;
    }
    struct choices *c = &in->sides[0].choices;
    size_t n = c->nsources = c->n;
    c->sources = zeroed(n + 1, sizeof *c->sources);
    c->round_planes = zeroed(n, sizeof *c->round_planes);
    size_t vectors =
        code->nslots + cuts + scratch + CHOICE_LEVELS * n + n * n + n + CHOICE_PLANES * n + 2 * (n + 1);
    size_t bytes = vectors * b->words * 8;
    in->block = pages_alloc(bytes, PAGES_LARGE / 8);
    if (!in->block || !c->sources || !c->round_planes) goto no_memory;
    memset(in->block, 0, bytes);
    uint64_t *at = in->block;
#define TAKE(n) (at += (size_t)(n)*b->words, at - (size_t)(n)*b->words)
    in->mem = TAKE(code->nslots + cuts);
    c->scratch = TAKE(scratch);
    c->rounds = TAKE(CHOICE_LEVELS * n);
    c->takes = TAKE(n * n);
    c->used = TAKE(n);
    c->drawn = TAKE(CHOICE_PLANES * n);
    for (uint32_t i = 0; i <= n; i++) c->sources[i].s0 = TAKE(1), c->sources[i].s1 = TAKE(1);
#undef TAKE
    fill(b, SLOT_ONES);
    for (uint32_t k = 0; k < in->nsides; k++) {
        struct choices *own = &in->sides[k].choices, all = *c;
        all.n = own->n;
        all.v = own->v;
        *own = all; /* the rest is shared */
        for (uint32_t i = 0; i < in->sides[k].code->ones.n; i++) fill(b, in->sides[k].code->ones.v[i]);
    }
    for (uint32_t i = 0; i < code->nbits; i++)
        in->initial[i / 64] |= (uint64_t)code->circuit->init[i] << i % 64;
    batch_restart(b, slot(b, SLOT_ONES));
    b->terminal = in->mem + (size_t)code->terminal * b->words;
    batch_seed(b, seed);
    return b;
no_memory:
    batch_free(b);
    error_set(error, ERROR_MEMORY, "no memory for a batch of %u lanes", sweeper->lanes);
    return NULL;
}

void batch_free(struct batch *b)
{
    if (!b) return;
    struct batch_inside *in = b->inside;
    if (in) {
        if (in->sides) {
            free(in->sides[0].choices.sources);
            free(in->sides[0].choices.round_planes);
        }
        for (uint32_t i = 0; in->sides && i < in->nsides; i++) free(in->sides[i].choices.v);
        free(in->sides);
        free(in->initial);
        free(in->given);
        free(in->dirty);
        free(in->block);
        free(in);
    }
    free(b);
}

void batch_seed(struct batch *b, uint64_t seed)
{
    batch_seed_part(b, seed, 0);
}

void batch_seed_part(struct batch *b, uint64_t seed, uint32_t word)
{
    struct choices *c = &b->inside->sides[0].choices;
    for (uint32_t i = 0; i <= c->nsources; i++) {
        struct choice_source *s = &c->sources[i];
        s->behind = 0;
        for (uint32_t w = 0; w < b->words; w++) {
            uint64_t x = seed;
            x = rng_splitmix(&x) + word + w;
            /* the source for tosses is the same however many roles choose */
            x = rng_splitmix(&x) + (i < c->nsources ? i + 1 : 0);
            s->s0[w] = rng_splitmix(&x);
            s->s1[w] = rng_splitmix(&x);
        }
    }
}

/* --- States --------------------------------------------------------------------------------------------- */

static inline uint32_t at_most_64(uint32_t n)
{
    return n < 64 ? n : 64;
}

/* One lane's bits of n slots (at most 64) as a word. */
static inline uint64_t lane_word(const uint64_t *at, uint32_t stride, uint32_t n, uint32_t shift)
{
    uint64_t word = 0;
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4, at += 4 * (size_t)stride)
        word |= ((at[0] >> shift & 1) | (at[stride] >> shift & 1) << 1 | (at[2 * stride] >> shift & 1) << 2 |
                 (at[3 * stride] >> shift & 1) << 3)
                << i;
    for (; i < n; i++, at += stride) word |= (*at >> shift & 1) << i;
    return word;
}

void batch_set_state(struct batch *b, uint32_t lane, const uint64_t *state)
{
    TICKS_BEGIN(b);
    uint64_t *at = slot(b, SLOT_BITS) + lane / 64, bit = 1ull << lane % 64;
    for (uint32_t i = 0; i < b->code->nbits; i++, at += b->words)
        *at = (*at & ~bit) | ((state[i / 64] >> i % 64 & 1) << lane % 64);
    TICKS_END(b, BATCH_REST);
}

void batch_get_state(struct batch *b, uint32_t lane, uint64_t *state)
{
    TICKS_BEGIN(b);
    const uint64_t *at = slot(b, SLOT_BITS) + lane / 64;
    for (uint32_t w = 0; w < b->state_words; w++, at += 64 * (size_t)b->words) {
        uint32_t n = b->code->nbits - w * 64;
        state[w] = lane_word(at, b->words, n < 64 ? n : 64, lane % 64);
    }
    TICKS_END(b, BATCH_REST);
}

void batch_get_states(struct batch *b, uint32_t lanes, uint64_t *out)
{
    TICKS_BEGIN(b);
    for (uint32_t s = 0; s < b->state_words; s++)
        b->sweeper->get_rows(SLOT_BITS + s * 64, NULL, at_most_64(b->code->nbits - s * 64), out + s,
                             b->state_words, lanes, NULL, b->inside->mem);
    TICKS_END(b, BATCH_REST);
}

void batch_restart_from(struct batch *b, const uint64_t *mask, const uint64_t *state)
{
    TICKS_BEGIN(b);
    b->sweeper->restart(state, b->code->nbits, mask, b->inside->mem);
    TICKS_END(b, BATCH_REST);
}

void batch_restart(struct batch *b, const uint64_t *mask)
{
    batch_restart_from(b, mask, b->inside->initial);
}

void batch_set_all(struct batch *b, const uint64_t *states)
{
    memcpy(slot(b, SLOT_BITS), states, batch_state_bytes(b));
}

void batch_set_lanes(struct batch *b, const uint64_t *states, const uint64_t *mask)
{
    uint64_t *to = slot(b, SLOT_BITS);
    for (uint32_t i = 0; i < b->code->nbits; i++)
        for (uint32_t w = 0; w < b->words; w++, to++, states++) *to = (*to & ~mask[w]) | (*states & mask[w]);
}

void batch_put_rows(struct batch *b, const uint32_t *bits, uint32_t nbits, const uint64_t *rows,
                    const uint32_t *order, uint32_t lanes)
{
    TICKS_BEGIN(b);
    uint32_t words = (nbits + 63) / 64;
    for (uint32_t k = 0; k < words; k++)
        b->sweeper->put_rows(SLOT_BITS, bits + k * 64, at_most_64(nbits - k * 64), rows + k, words, order,
                             lanes, b->inside->mem);
    TICKS_END(b, BATCH_REST);
}

void batch_get_rows(struct batch *b, const uint32_t *bits, uint32_t nbits, uint64_t *rows, uint32_t lanes)
{
    TICKS_BEGIN(b);
    uint32_t words = (nbits + 63) / 64;
    for (uint32_t k = 0; k < words; k++)
        b->sweeper->get_rows(SLOT_BITS, bits + k * 64, at_most_64(nbits - k * 64), rows + k, words, lanes,
                             NULL, b->inside->mem);
    TICKS_END(b, BATCH_REST);
}

void batch_fill_rows(struct batch *b, const uint32_t *bits, uint32_t nbits, const uint64_t *row)
{
    TICKS_BEGIN(b);
    for (uint32_t i = 0; i < nbits; i++)
        memset(slot(b, SLOT_BITS + bits[i]), row[i / 64] >> i % 64 & 1 ? 0xff : 0, b->words * 8);
    TICKS_END(b, BATCH_REST);
}

const uint64_t *batch_state_wires(const struct batch *b)
{
    return slot(b, SLOT_BITS);
}

static const struct code_role *role_now(const struct batch *b, uint32_t role)
{
    return &b->inside->now->code->roles[role];
}

const uint64_t *batch_legal_wires(const struct batch *b, uint32_t role)
{
    return slot(b, role_now(b, role)->legal);
}

/* --- Looking -------------------------------------------------------------------------------------------- */

static void sweep_phase(struct batch *b, const struct code *code, enum circuit_phase phase)
{
    uint32_t first = phase == PHASE_VIEW ? 0 : code->phase_end[phase - 1];
    b->sweeper->sweep(code, first, code->phase_end[phase], b->inside->mem);
}

static void view_by(struct batch *b, struct side *side)
{
    b->inside->now = side;
    b->terminal = slot(b, side->code->terminal);
    sweep_phase(b, side->code, PHASE_VIEW);
}

void batch_view(struct batch *b)
{
    TICKS_BEGIN(b);
    view_by(b, b->inside->sides);
    TICKS_END(b, BATCH_VIEW);
}

/* Have all lanes these bits as they are in the turn? */
static bool in_turn(const struct batch *b, uint32_t turn)
{
    const struct circuit *c = b->code->circuit;
    for (uint32_t i = 0; i < c->turn_bits.n; i++) {
        const uint64_t *at = slot(b, SLOT_BITS + c->turn_bits.v[i]);
        uint64_t wanted = c->turn_values[turn * c->turn_bits.n + i] ? ~(uint64_t)0 : 0, differs = 0;
        for (uint32_t w = 0; w < b->words; w++) differs |= at[w] ^ wanted;
        if (differs) return false;
    }
    return true;
}

void batch_view_turn(struct batch *b)
{
    TICKS_BEGIN(b);
    struct batch_inside *in = b->inside;
    uint32_t turns = in->nsides - 1, side = 0;
    /* after one turn the next is likely */
    uint32_t guess = turns ? (uint32_t)(in->now - in->sides) % turns : 0;
    for (uint32_t t = 0; t < turns && !side; t++)
        if (in_turn(b, (guess + t) % turns)) side = 1 + (guess + t) % turns;
    view_by(b, &in->sides[side]);
    TICKS_END(b, BATCH_VIEW);
}

uint32_t batch_turns(const struct batch *b)
{
    return b->inside->nsides > 1 ? b->inside->nsides - 1 : 1;
}

uint32_t batch_legal(struct batch *b, uint32_t lane, uint32_t role, uint32_t *out)
{
    TICKS_BEGIN(b);
    const struct code_role *r = role_now(b, role);
    const uint64_t *at = slot(b, r->legal) + lane / 64;
    uint32_t n = 0;
    if (r->forced && r->legal == r->does) return out[0] = r->only, 1;
    for (uint32_t m = 0; m < r->n; m += 64, at += 64 * (size_t)b->words)
        for (uint64_t set = lane_word(at, b->words, r->n - m < 64 ? r->n - m : 64, lane % 64); set;
             set &= set - 1)
            out[n++] = m + (uint32_t)__builtin_ctzll(set);
    TICKS_END(b, BATCH_REST);
    return n;
}

void batch_legal_sets(struct batch *b, uint32_t role, uint64_t *out, uint32_t *count)
{
    TICKS_BEGIN(b);
    const struct code_role *r = role_now(b, role);
    uint32_t set_words = (r->n + 63) / 64;
    memset(count, 0, b->lanes * sizeof *count);
    for (uint32_t s = 0; s < set_words; s++)
        b->sweeper->get_rows(r->legal + s * 64, NULL, at_most_64(r->n - s * 64), out + s, set_words, b->lanes,
                             count, b->inside->mem);
    TICKS_END(b, BATCH_REST);
}

/* --- Moving --------------------------------------------------------------------------------------------- */

void batch_choose(struct batch *b, const uint64_t *mask)
{
    TICKS_BEGIN(b);
    b->sweeper->choose(&b->inside->now->choices, mask, b->inside->mem);
    b->inside->written = true;
    b->inside->now->clean = false;
    TICKS_END(b, BATCH_CHOOSE);
}

/* The numbers of 64 lanes as planes: rounds j and j + 1 from one word. */
static void turn_draws(struct batch *b, uint32_t w, uint32_t j, const uint64_t *draws)
{
    const struct choices *c = &b->inside->sides[0].choices;
    uint64_t mixed[64], plane[64];
    uint32_t count[64] = {0}, planes = (c->n - j > 1 ? 2 : 1) * CHOICE_PLANES;
    for (uint32_t i = 0; i < 64; i++) mixed[i] = batch_mix(draws[w * 64 + i], j / 2);
    transpose_count(mixed, 1, 64, plane, 1, count);
    for (uint32_t i = 0; i < planes; i++) c->drawn[(size_t)(j * CHOICE_PLANES + i) * b->words + w] = plane[i];
}

/* The same for one lane. */
static void place_draw(struct batch *b, uint32_t lane, uint32_t j, uint64_t draw)
{
    const struct choices *c = &b->inside->sides[0].choices;
    uint64_t *at = c->drawn + (size_t)j * CHOICE_PLANES * b->words + lane / 64;
    uint32_t shift = lane % 64, planes = (c->n - j > 1 ? 2 : 1) * CHOICE_PLANES;
    draw = batch_mix(draw, j / 2);
    for (uint32_t i = 0; i < planes; i++, at += b->words)
        *at = (*at & ~(1ull << shift)) | (draw >> i & 1) << shift;
}

static void place_draws(struct batch *b, const uint64_t *mask, const uint64_t *draws)
{
    enum { FEW = 4 }; /* lanes that are not worth turning a matrix for */
    for (uint32_t w = 0; w < b->words; w++)
        for (uint32_t j = 0; j < b->inside->now->choices.n; j += 2)
            if (__builtin_popcountll(mask[w]) > FEW)
                turn_draws(b, w, j, draws);
            else
                for (uint64_t left = mask[w]; left; left &= left - 1) {
                    uint32_t lane = w * 64 + (uint32_t)__builtin_ctzll(left);
                    place_draw(b, lane, j, draws[lane]);
                }
}

void batch_choose_drawn(struct batch *b, const uint64_t *mask, const uint64_t *draws)
{
    struct choices *c = &b->inside->now->choices;
    place_draws(b, mask, draws);
    c->given = true;
    batch_choose(b, mask);
    c->given = false;
}

static void clear_moves(struct batch *b)
{
    if (b->inside->now->clean) return;
    b->inside->now->clean = true;
    for (uint32_t r = 0; r < b->nroles; r++)
        if (!role_now(b, r)->forced)
            memset(slot(b, role_now(b, r)->does), 0, (size_t)role_now(b, r)->n * b->words * 8);
}

uint64_t *batch_move_wires(struct batch *b, uint32_t role)
{
    struct side *now = b->inside->now;
    const struct code_role *r = role_now(b, role);
    if (r->forced) return NULL;
    if (!b->inside->written) clear_moves(b);
    b->inside->written = true;
    now->clean = false;
    for (uint32_t i = 0; i < now->choices.n; i++)
        if (now->choices.v[i].does == r->does)
            memset(now->choices.v[i].dirty, true, now->choices.v[i].nodes[0]);
    return slot(b, r->does);
}

void batch_choose_first(struct batch *b, uint32_t role, const uint32_t *order, uint32_t n,
                        const uint64_t *mask)
{
    TICKS_BEGIN(b);
    if (batch_move_wires(b, role))
        b->sweeper->choose_first(role_now(b, role), order, n, mask, b->inside->mem);
    TICKS_END(b, BATCH_CHOOSE);
}

void batch_toss(struct batch *b, double p, uint64_t *mask)
{
    struct choices *c = &b->inside->sides[0].choices;
    double scaled = p * (1u << CHOICE_PLANES);
    if (scaled >= (1u << CHOICE_PLANES))
        memset(mask, 0xff, b->words * 8);
    else
        b->sweeper->toss(&c->sources[c->nsources], scaled > 0 ? (uint32_t)scaled : 0, mask);
}

void batch_set_move(struct batch *b, uint32_t lane, uint32_t role, uint32_t move)
{
    struct batch_inside *in = b->inside;
    if (role_now(b, role)->forced) return;
    assert(in->ngiven < in->given_cap);
    in->given[in->ngiven++] = (struct given_move){role_now(b, role)->does + move, lane};
}

void batch_set_moves(struct batch *b, uint32_t role, const uint32_t *moves, uint32_t lanes)
{
    struct batch_inside *in = b->inside;
    const struct code_role *r = role_now(b, role);
    if (r->forced) return;
    assert(in->ngiven + lanes <= in->given_cap);
    struct given_move *to = in->given + in->ngiven;
    for (uint32_t i = 0; i < lanes; i++) to[i] = (struct given_move){r->does + moves[i], i};
    in->ngiven += lanes;
}

/* Bring the moves given one by one into the wires. */
static void apply_given(struct batch *b)
{
    struct batch_inside *in = b->inside;
    if (!in->written) clear_moves(b);
    in->written = true;
    for (uint32_t i = 0; i < in->ngiven; i++)
        slot(b, in->given[i].slot)[in->given[i].lane / 64] |= 1ull << in->given[i].lane % 64;
}

void batch_moves(struct batch *b, uint32_t role, uint32_t *out)
{
    TICKS_BEGIN(b);
    uint32_t n = b->code->roles[role].n;
    uint32_t planes = n > 1 ? 32 - (uint32_t)__builtin_clz(n - 1) : 0;
    uint64_t plane[32 * BATCH_MAX_WORDS];
    apply_given(b);
    b->sweeper->encode(role_now(b, role)->does, n, planes, plane, b->inside->mem);
    memset(out, 0, b->lanes * sizeof *out);
    for (uint32_t k = 0; k < planes; k += 8)
        for (uint32_t eight = 0; eight < b->lanes / 8; eight++) {
            uint64_t x = 0;
            for (uint32_t j = k; j < planes && j < k + 8; j++)
                x |= (plane[j * b->words + eight / 8] >> eight % 8 * 8 & 255) << (j - k) * 8;
            x = transpose_8(x);
            for (uint32_t i = 0; i < 8; i++) out[eight * 8 + i] |= (uint32_t)(x >> i * 8 & 255) << k;
        }
    TICKS_END(b, BATCH_REST);
}

void batch_step(struct batch *b)
{
    TICKS_BEGIN(b);
    struct batch_inside *in = b->inside;
    if (in->ngiven > 0 || !in->written) apply_given(b);
    sweep_phase(b, in->now->code, PHASE_STEP);
    /* moves that are never legal are not among those choosing writes afresh */
    for (uint32_t i = 0; i < in->ngiven; i++) slot(b, in->given[i].slot)[in->given[i].lane / 64] = 0;
    in->ngiven = 0;
    in->written = false;
    TICKS_END(b, BATCH_STEP);
}

/* --- Goals ---------------------------------------------------------------------------------------------- */

void batch_park(struct batch *b, const uint64_t *mask)
{
    TICKS_BEGIN(b);
    b->sweeper->park(b->code->parks.v, b->code->parks.n, mask, b->inside->mem);
    for (uint32_t w = 0; w < b->words; w++) {
        assert(!(b->parked[w] & mask[w]));
        b->parked[w] |= mask[w];
    }
    TICKS_END(b, BATCH_GOAL);
}

static void set_goals(const struct batch *b, uint32_t role, uint32_t w, uint64_t lanes, int value,
                      int16_t *goals)
{
    for (; lanes; lanes &= lanes - 1)
        goals[(w * 64 + (uint32_t)__builtin_ctzll(lanes)) * b->nroles + role] = (int16_t)value;
}

void batch_collect_goals(struct batch *b, int16_t *goals, uint64_t *mask)
{
    TICKS_BEGIN(b);
    if (mask) memcpy(mask, b->parked, b->words * 8);
    sweep_phase(b, b->code, PHASE_GOAL);
    for (uint32_t w = 0; w < b->words; w++) {
        if (!b->parked[w]) continue;
        for (uint64_t left = b->parked[w]; left; left &= left - 1) {
            int16_t *row = goals + (w * 64 + (uint32_t)__builtin_ctzll(left)) * b->nroles;
            for (uint32_t r = 0; r < b->nroles; r++) row[r] = BATCH_GOAL_UNDEFINED;
        }
        for (uint32_t r = 0; r < b->nroles; r++) {
            uint64_t once = 0, twice = 0;
            for (uint32_t i = 0; i < b->code->goals.n; i++) {
                const struct code_goal *g = &b->code->goals.v[i];
                if (g->role != r) continue;
                uint64_t lanes = slot(b, g->slot)[w] & b->parked[w];
                set_goals(b, r, w, lanes, (int)g->value, goals);
                twice |= once & lanes;
                once |= lanes;
            }
            set_goals(b, r, w, twice, BATCH_GOAL_UNDEFINED, goals); /* several values at once */
        }
    }
    memset(b->parked, 0, sizeof b->parked);
    TICKS_END(b, BATCH_GOAL);
}

uint32_t batch_lane_goals(struct batch *b, uint32_t lane, uint32_t role, uint32_t *out)
{
    TICKS_BEGIN(b);
    uint64_t mask[BATCH_MAX_WORDS] = {0};
    uint32_t n = 0;
    mask[lane / 64] = 1ull << lane % 64;
    assert(!(b->parked[lane / 64] & mask[lane / 64]));
    b->sweeper->park(b->code->parks.v, b->code->parks.n, mask, b->inside->mem);
    sweep_phase(b, b->code, PHASE_GOAL);
    for (uint32_t i = 0; i < b->code->goals.n; i++) {
        const struct code_goal *g = &b->code->goals.v[i];
        if (g->role == role && slot(b, g->slot)[lane / 64] >> lane % 64 & 1) out[n++] = g->value;
    }
    TICKS_END(b, BATCH_GOAL);
    return n;
}

/* --- Random games --------------------------------------------------------------------------------------- */

void batch_tally_goals(struct batch *b, struct batch_tally *tally)
{
    TICKS_BEGIN(b);
    sweep_phase(b, b->code, PHASE_GOAL);
    const struct code *code = b->code;
    for (uint32_t w = 0; w < b->words; w++) {
        uint64_t parked = b->parked[w], defined = parked;
        if (!parked) continue;
        for (uint32_t r = 0; r < b->nroles; r++) {
            uint64_t once = 0, twice = 0;
            for (uint32_t i = 0; i < code->goals.n; i++) {
                if (code->goals.v[i].role != r) continue;
                uint64_t x = slot(b, code->goals.v[i].slot)[w];
                twice |= once & x;
                once |= x;
            }
            defined &= once & ~twice;
        }
        for (uint32_t i = 0; i < code->goals.n; i++) {
            const struct code_goal *g = &code->goals.v[i];
            int n = __builtin_popcountll(slot(b, g->slot)[w] & defined);
            if (tally->goal_count) tally->goal_count[i] += (uint64_t)n;
            if (tally->goal_sum) tally->goal_sum[g->role] += (double)g->value * n;
        }
        tally->undefined_goals += (uint64_t)__builtin_popcountll(parked & ~defined);
    }
    memset(b->parked, 0, sizeof b->parked);
    TICKS_END(b, BATCH_GOAL);
}

static uint32_t popcount(const struct batch *b, const uint64_t *mask)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < b->words; w++) n += (uint32_t)__builtin_popcountll(mask[w]);
    return n;
}

static uint64_t ticks_spent(const struct batch *b)
{
    uint64_t sum = 0;
    for (int i = 0; b->ticks && i < BATCH_PARTS; i++) sum += b->ticks[i];
    return sum;
}

/* About what a round costs: the words of its operations, and as much for each move to choose from. */
static double round_cost(const struct code *code)
{
    enum { PER_MOVE = 8 };
    double cost = code->ops.n;
    for (uint32_t r = 0; r < code->nroles; r++)
        if (!code->roles[r].forced) cost += PER_MOVE * code->roles[r].n;
    if (code->phase_end[PHASE_GOAL] > code->phase_end[PHASE_VIEW]) /* goals are swept now and then only */
        cost -= code->segments.v[code->phase_end[PHASE_GOAL] - 1].end -
                code->segments.v[code->phase_end[PHASE_VIEW]].begin;
    return cost;
}

/* Is it worth a wait between games that all lanes are in the same turn? */
static bool worth_waiting(const struct batch *b)
{
    const double WITHOUT_DOUBT = 0.95;
    const struct batch_inside *in = b->inside;
    double turns = in->nsides - 1, sum = 0, length = b->code->circuit->length;
    for (uint32_t i = 1; i < in->nsides; i++) sum += round_cost(in->sides[i].code);
    return sum / turns * (length + (turns - 1) / 2) < WITHOUT_DOUBT * round_cost(b->code) * length;
}

/* Lanes that have played their games are no longer busy. */
static void count_games(struct batch *b, const uint64_t *ended, uint64_t games, uint64_t *played,
                        uint64_t *busy)
{
    for (uint32_t w = 0; w < b->words; w++)
        for (uint64_t left = ended[w]; left; left &= left - 1)
            if (++played[w * 64 + (uint32_t)__builtin_ctzll(left)] == games) busy[w] &= ~(left & -left);
}

void batch_play(struct batch *b, const uint64_t *from, uint64_t games, uint32_t max_steps,
                const atomic_bool *stop, struct batch_tally *tally)
{
    uint64_t busy[BATCH_MAX_WORDS], ended[BATCH_MAX_WORDS], moving[BATCH_MAX_WORDS];
    uint64_t waiting[BATCH_MAX_WORDS] = {
        0}; /* lanes that begin their next game when it is the first turn again */
    uint64_t young[BATCH_MAX_WORDS] = {0}; /* lanes whose game began since the clock last struck */
    uint64_t played[BATCH_MAX_LANES] = {0};
    uint64_t began = ticks_now(), spent = ticks_spent(b);
    uint32_t turns = batch_turns(b) > 1 && worth_waiting(b) ? batch_turns(b) : 1, turn = 0;
    if (!from) from = b->inside->initial;
    memset(busy, 0xff, sizeof busy);
    batch_restart_from(b, busy, from);
    for (uint64_t clock = 1; batch_any(b, busy); clock++) {
        if (stop && atomic_load_explicit(stop, memory_order_relaxed)) break;
        batch_view_turn(b);
        uint64_t any = 0, twice = 0;
        for (uint32_t w = 0; w < b->words; w++) {
            ended[w] = b->terminal[w] & busy[w] & ~waiting[w];
            waiting[w] |= ended[w];
            moving[w] = busy[w] & ~waiting[w];
            young[w] |= ended[w];
            any |= ended[w];
            twice |= ended[w] & b->parked[w];
        }
        if (any) {
            if (twice) batch_tally_goals(b, tally);
            batch_park(b, ended);
            tally->games += popcount(b, ended);
            if (games) count_games(b, ended, games, played, busy);
        }
        tally->transitions += popcount(b, moving);
        batch_choose(b, moving);
        batch_step(b);
        if (max_steps && clock == max_steps) {
            uint64_t stale[BATCH_MAX_WORDS];
            for (uint32_t w = 0; w < b->words; w++) {
                stale[w] = busy[w] & ~young[w];
                waiting[w] |= stale[w];
                young[w] = 0;
            }
            if (games) count_games(b, stale, games, played, busy);
            clock = 0;
        }
        turn = (turn + 1) % turns;
        if (turn == 0 && batch_any(b, waiting)) {
            batch_restart_from(b, waiting, from);
            memset(waiting, 0, sizeof waiting);
        }
    }
    if (batch_any(b, b->parked)) batch_tally_goals(b, tally);
    if (b->ticks) b->ticks[BATCH_REST] += ticks_now() - began - (ticks_spent(b) - spent);
}
