// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/tally.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

bool tally_name(struct tally_names *names, struct mcts *m)
{
    uint32_t n = mcts_actions(m);
    uint64_t of = n ? tree_node(m->tree, m->tree->root)->hash : 0;
    struct heap_guard guard;
    struct error error;
    if (names->v && names->n == n && names->of == of) return true;
    uint64_t *v = realloc(names->v, (n + 1) * sizeof *v);
    struct heap *heap = v ? heap_new(0) : NULL;
    volatile bool good = false;
    if (v) names->v = v;
    names->n = 0;
    if (heap && HEAP_ENTER(heap, &guard, &error)) {
        struct text t;
        text_init(&t, heap);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t role, move = mcts_action(m, i, &role);
            t.n = 0;
            reasoner_print_move(m->reasoner, role, move, true, &t);
            v[i] = hash_mix(hash_bytes(text_str(&t), t.n), role);
        }
        names->n = n;
        names->of = of;
        good = true;
        heap_leave(heap);
    }
    heap_free(heap);
    return good;
}

void tally_names_done(struct tally_names *names)
{
    free(names->v);
    *names = (struct tally_names){0};
}

char *tally_write(struct mcts *m, const struct tally_names *names, struct tally_head *head, size_t *size)
{
    head->moves = names->n;
    *size = sizeof *head + names->n * sizeof(struct tally_move);
    char *out = malloc(*size), *to = out + sizeof *head;
    if (!out) return NULL;
    memcpy(out, head, sizeof *head);
    for (uint32_t i = 0; i < names->n; i++, to += sizeof(struct tally_move)) {
        struct tally_move move = {names->v[i], mcts_known(m, i)};
        memcpy(to, &move, sizeof move);
    }
    return out;
}

bool tally_read(const char *bytes, size_t size, struct tally_head *head)
{
    if (size < sizeof *head) return false;
    memcpy(head, bytes, sizeof *head);
    return (size - sizeof *head) / sizeof(struct tally_move) == head->moves &&
           (size - sizeof *head) % sizeof(struct tally_move) == 0;
}

void tally_pour(const char *bytes, struct mcts *m, const struct tally_names *names)
{
    struct tally_head head;
    memcpy(&head, bytes, sizeof head);
    for (uint32_t i = 0; i < head.moves; i++) {
        struct tally_move move;
        uint32_t at = i; /* the same engine has the same order */
        memcpy(&move, bytes + sizeof head + i * sizeof move, sizeof move);
        if (at >= names->n || names->v[at] != move.name)
            for (at = 0; at < names->n && names->v[at] != move.name;) at++;
        if (at < names->n) mcts_pool_add(m, at, &move.known);
    }
    mcts_add_stats(&m->stats, &head.stats);
}
