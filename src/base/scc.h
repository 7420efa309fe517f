/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strongly connected components of a directed graph (Tarjan), without recursion: graphs here are chains of
 * any length. */
#ifndef BASE_SCC_H
#define BASE_SCC_H

#include "base/heap.h"

/* Node u has edges to to[first[u]] .. to[first[u + 1] - 1]; `first` has n + 1 entries. Fills in component[u],
 * numbered so that a node's successors have smaller or equal numbers, and returns how many there are. */
uint32_t scc_find(struct heap *heap, uint32_t n, const uint32_t *first, const uint32_t *to,
                  uint32_t *component);

/* The nodes sorted by component, stable: order[start[c]] .. order[start[c + 1] - 1] are component c. `start`
 * has count + 1 entries. */
void scc_sort(uint32_t n, const uint32_t *component, uint32_t count, uint32_t *start, uint32_t *order);

#endif
