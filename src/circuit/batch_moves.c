// SPDX-License-Identifier: GPL-3.0-or-later
/* Moves: what is legal, choosing, and the step.
 *
 * `written` says that batch_choose or batch_choose_first wrote the slots of moves since the last step; else
 * they hold what was chosen last, or are all zero (`clean`), and are cleared when moves come one by one. The
 * slot of a role that has but one move is always one. Moves given one by one wait in `given` until the step,
 * so that they may come before or after the choosing.
 */
#include "circuit/batch_internal.h"
#include "circuit/transpose.h"

#include <assert.h>
#include <string.h>

const uint64_t *batch_legal_wires(const struct batch *b, uint32_t role)
{
    list_legal(b);
    return slot(b, role_now(b, role)->legal);
}

uint32_t batch_legal(struct batch *b, uint32_t lane, uint32_t role, uint32_t *out)
{
    TICKS_BEGIN(b);
    const struct code_role *r = role_now(b, role);
    const uint64_t *at = slot(b, r->legal) + lane / 64;
    uint32_t n = 0;
    if (r->forced && r->legal == r->does) return out[0] = r->only, 1;
    list_legal(b);
    for (uint32_t m = 0; m < r->n; m += 64, at += 64 * (size_t)b->words)
        for (uint64_t set = transpose_get(at, b->words, at_most_64(r->n - m), lane % 64); set; set &= set - 1)
            out[n++] = m + (uint32_t)__builtin_ctzll(set);
    TICKS_END(b, BATCH_REST);
    return n;
}

void batch_legal_sets_of(struct batch *b, uint32_t role, uint32_t lanes, uint64_t *out, uint32_t *count)
{
    TICKS_BEGIN(b);
    const struct code_role *r = role_now(b, role);
    uint32_t set_words = (r->n + 63) / 64;
    list_legal(b);
    memset(count, 0, lanes * sizeof *count);
    for (uint32_t s = 0; s < set_words; s++)
        b->sweeper->get_rows(r->legal + s * 64, NULL, at_most_64(r->n - s * 64), out + s, set_words, lanes,
                             count, b->inside->mem);
    TICKS_END(b, BATCH_REST);
}

void batch_legal_sets(struct batch *b, uint32_t role, uint64_t *out, uint32_t *count)
{
    batch_legal_sets_of(b, role, b->lanes, out, count);
}

/* --- Choosing ---------------------------------------------------------------------------------------------
 */

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

/* The same where only one role has a choice, and half of the bits are needed. */
static void turn_half_draws(struct batch *b, uint32_t w, const uint64_t *draws)
{
    const struct choices *c = &b->inside->sides[0].choices;
    uint64_t half[32];
    draws += w * 64;
    for (uint32_t i = 0; i < 32; i++) half[i] = (uint32_t)draws[i] | draws[i + 32] << 32;
    transpose_32(half);
    for (uint32_t i = 0; i < CHOICE_PLANES; i++) c->drawn[(size_t)i * b->words + w] = half[i];
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
    uint32_t choosing = b->inside->now->choices.n;
    for (uint32_t w = 0; w < b->words; w++)
        for (uint32_t j = 0; j < choosing; j += 2)
            if (choosing == 1 && __builtin_popcountll(mask[w]) > FEW)
                turn_half_draws(b, w, draws);
            else if (__builtin_popcountll(mask[w]) > FEW)
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
    for (uint32_t i = 0; i < b->inside->now->choices.n; i++) choice_wipe(&b->inside->now->choices.v[i]);
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
        if (now->choices.v[i].does == r->does) choice_soil(&now->choices.v[i]);
    return slot(b, r->does);
}

const uint64_t *batch_made_wires(const struct batch *b, uint32_t role)
{
    return slot(b, role_now(b, role)->does);
}

void batch_choose_first(struct batch *b, uint32_t role, const uint32_t *order, uint32_t n,
                        const uint64_t *mask)
{
    TICKS_BEGIN(b);
    list_legal(b);
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

static void add_sums(struct batch *b)
{
    struct batch_inside *in = b->inside;
    const struct code *code = in->now->code;
    const uint32_t *base = code->circuit->move_base;
    b->sweeper->clear_sums(&code->sums, in->mem);
    for (uint32_t r = 0; r < b->nroles; r++) {
        const struct code_role *role = &code->roles[r];
        for (uint32_t i = 0; i < in->now->choices.n; i++) {
            const struct choice *c = &in->now->choices.v[i];
            if (c->does == role->does && role->n >= CODE_MANY_MOVES)
                b->sweeper->add_sums(&code->sums, base[r], role, c->hot, c->nhot, in->mem);
        }
        for (uint32_t i = 0; i < in->ngiven; i++) {
            uint32_t move = in->given[i].slot - role->does, block = move / CHOICE_BLOCK;
            if (in->given[i].slot >= role->does && move < role->n)
                b->sweeper->add_sums(&code->sums, base[r], role, &block, 1, in->mem);
        }
    }
}

void batch_step(struct batch *b)
{
    TICKS_BEGIN(b);
    struct batch_inside *in = b->inside;
    if (in->ngiven > 0 || !in->written) apply_given(b);
    if (in->now->code->sums.first) add_sums(b);
    sweep_phase(b, in->now->code, PHASE_STEP);
    /* moves that are never legal are not among those choosing writes afresh */
    for (uint32_t i = 0; i < in->ngiven; i++) slot(b, in->given[i].slot)[in->given[i].lane / 64] = 0;
    in->ngiven = 0;
    in->written = false;
    TICKS_END(b, BATCH_STEP);
}
