// SPDX-License-Identifier: GPL-3.0-or-later
/* Sums over very many moves: "one of the eight hundred moves that end here was made". All of them together
 * read each move several times, although in a batch there are no more moves made than lanes. So they are
 * taken out of the gates, and each move knows the sums it is in. */
#include "base/hash.h"
#include "circuit/code_internal.h"

enum { FEWEST = 32 /* summands */, MOST = 4096 /* sums */ };

static uint32_t role_of(const struct circuit *c, uint32_t move)
{
    uint32_t r = 0;
    while (move >= c->move_base[r + 1]) r++;
    return r;
}

bool code_in_sum(const struct builder *b, edge e)
{
    const struct circuit *c = b->c;
    uint32_t first = wire_move(c, 0);
    if (!(e & 1) || e >> 1 < first || e >> 1 >= first + c->nmoves) return false;
    uint32_t move = (e >> 1) - first, role = role_of(c, move);
    return c->move_base[role + 1] - c->move_base[role] >= CODE_MANY_MOVES;
}

uint32_t code_sum_of(struct builder *b, const struct gate *gate)
{
    const edge *in = b->c->edges.v + gate->first;
    struct move_sum sum = {.first = b->summands.n, .key = 1};
    if (gate->n < FEWEST || b->c->nmoves < CODE_MANY_MOVES) return NONE;
    for (uint32_t i = 0; i < gate->n; i++) {
        if (!code_in_sum(b, in[i])) continue;
        uint32_t move = (in[i] >> 1) - wire_move(b->c, 0);
        vec_push(b->heap, &b->summands, move);
        sum.key = hash_mix(sum.key, move);
        sum.n++;
    }
    b->summands.n = sum.first;
    if (sum.n < FEWEST || b->sums.n == MOST) return NONE;
    for (uint32_t i = 0; i < b->sums.n; i++) {
        const struct move_sum *known = &b->sums.v[i];
        if (known->key == sum.key && known->n == sum.n &&
            memcmp(b->summands.v + known->first, b->summands.v + sum.first, sum.n * sizeof *b->summands.v) ==
                0)
            return known->value;
    }
    b->summands.n += sum.n;
    sum.value = code_new_value(b);
    vec_push(b->heap, &b->sums, sum);
    return sum.value;
}

void code_emit_sums(struct builder *b)
{
    struct code_sums *to = &b->code->sums;
    struct heap *heap = b->code->heap;
    if (b->sums.n == 0) return;
    uint32_t *at = to->first = heap_zalloc(heap, ((size_t)b->c->nmoves + 2) * sizeof *at);
    for (uint32_t i = 0; i < b->summands.n; i++) at[b->summands.v[i] + 2]++;
    for (uint32_t m = 0; m < b->c->nmoves; m++) at[m + 2] += at[m + 1];
    vec_resize_zero(heap, &to->of, b->summands.n);
    for (uint32_t i = 0; i < b->sums.n; i++) {
        const struct move_sum *sum = &b->sums.v[i];
        uint32_t slot = b->slot[sum->value];
        vec_push(heap, &to->slots, slot);
        for (uint32_t k = sum->first; k < sum->first + sum->n; k++)
            to->of.v[at[b->summands.v[k] + 1]++] = slot;
    }
}
