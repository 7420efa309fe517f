// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/scc.h"

#include "base/vec.h"

struct visit {
    uint32_t node, at; /* at: next outgoing edge to look at */
};

uint32_t scc_find(struct heap *heap, uint32_t n, const uint32_t *first, const uint32_t *to,
                  uint32_t *component)
{
    uint32_t *index = heap_zalloc(heap, ((size_t)n + 1) * sizeof *index); /* 0: not seen yet */
    uint32_t *low = heap_zalloc(heap, ((size_t)n + 1) * sizeof *low);
    uint32_t seen = 0, count = 0;
    struct vec_u32 stack = {0};
    VEC(struct visit) path = {0};
    for (uint32_t u = 0; u < n; u++) component[u] = UINT32_MAX; /* also: is still on the stack */
    for (uint32_t start = 0; start < n; start++) {
        if (index[start]) continue;
        vec_push(heap, &path, (struct visit){start, first[start]});
        while (path.n) {
            struct visit *v = &vec_last(&path);
            uint32_t u = v->node;
            if (!index[u]) {
                index[u] = low[u] = ++seen;
                vec_push(heap, &stack, u);
            }
            if (v->at < first[u + 1]) {
                uint32_t w = to[v->at++];
                if (!index[w])
                    vec_push(heap, &path, (struct visit){w, first[w]});
                else if (component[w] == UINT32_MAX && index[w] < low[u])
                    low[u] = index[w];
                continue;
            }
            if (low[u] == index[u]) {
                uint32_t w;
                do component[w = vec_pop(&stack)] = count;
                while (w != u);
                count++;
            }
            path.n--;
            if (path.n && low[u] < low[vec_last(&path).node]) low[vec_last(&path).node] = low[u];
            heap_poll(heap);
        }
    }
    heap_release(heap, index);
    heap_release(heap, low);
    vec_free(heap, &stack);
    vec_free(heap, &path);
    return count;
}

void scc_sort(uint32_t n, const uint32_t *component, uint32_t count, uint32_t *start, uint32_t *order)
{
    memset(start, 0, ((size_t)count + 1) * sizeof *start);
    for (uint32_t u = 0; u < n; u++) start[component[u] + 1]++;
    for (uint32_t c = 0; c < count; c++) start[c + 1] += start[c];
    for (uint32_t u = 0; u < n; u++) order[start[component[u]]++] = u;
    for (uint32_t c = count; c > 0; c--) start[c] = start[c - 1];
    start[0] = 0;
}
