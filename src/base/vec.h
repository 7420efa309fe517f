/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growable arrays on a heap. `VEC(type)` declares one in place:
 *
 *     VEC(uint32_t) ids = {0};            // or a struct member
 *     vec_push(heap, &ids, 7);
 *     for (uint32_t i = 0; i < ids.n; i++) use(ids.v[i]);
 *     vec_free(heap, &ids);               // optional: the heap frees it in the end
 *
 * Growing may move the elements: keep indices, not pointers.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/heap.h"

#include <string.h>

#define VEC(type)        \
    struct {             \
        type *v;         \
        uint32_t n, cap; \
    }

struct vec_u32 {
    uint32_t *v;
    uint32_t n, cap;
};

void *vec_grow(struct heap *heap, void *v, uint32_t *cap, uint64_t want, size_t size);

#define vec_reserve(heap, vec, want)                                                                      \
    ((uint64_t)(want) > (vec)->cap                                                                        \
         ? (void)((vec)->v = vec_grow((heap), (vec)->v, &(vec)->cap, (uint64_t)(want), sizeof *(vec)->v)) \
         : (void)0)
#define vec_push(heap, vec, ...) \
    (vec_reserve((heap), (vec), (uint64_t)(vec)->n + 1), (void)((vec)->v[(vec)->n++] = (__VA_ARGS__)))
#define vec_pop(vec) ((vec)->v[--(vec)->n])
#define vec_last(vec) ((vec)->v[(vec)->n - 1])
#define vec_resize_zero(heap, vec, size)                                                       \
    do {                                                                                       \
        uint32_t vec_new_n = (uint32_t)(size);                                                 \
        vec_reserve((heap), (vec), vec_new_n);                                                 \
        if (vec_new_n > (vec)->n)                                                              \
            memset((vec)->v + (vec)->n, 0, (size_t)(vec_new_n - (vec)->n) * sizeof *(vec)->v); \
        (vec)->n = vec_new_n;                                                                  \
    } while (0)
#define vec_clear(vec) ((void)((vec)->n = 0))
#define vec_free(heap, vec) (heap_release((heap), (vec)->v), (vec)->v = NULL, (vec)->n = (vec)->cap = 0)

#endif
