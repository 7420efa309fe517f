/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source of weave.c, included once for each number of lanes. The including file defines
 *
 *     WORDS, SUFFIX     of a wire; what names end with
 *     TARGET            the function attribute that lets the compiler use the vectors, or nothing
 *     and, where the processor can tell in one go whether a vector has a bit set, ANY(x)
 */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(name) JOIN(name, SUFFIX)
#define FN static TARGET
#define vec NAME(vec)
#define any NAME(any)
#define load NAME(load)
#define store NAME(store)

#if WORDS == 1
typedef uint64_t vec __attribute__((may_alias));
#else
typedef uint64_t vec __attribute__((vector_size(WORDS * 8), may_alias));
#endif

FN inline bool any(vec x)
{
#if WORDS == 1
    return x != 0;
#elif defined(ANY)
    return ANY(x);
#else
    uint64_t or = 0;
    for (int w = 0; w < WORDS; w++) or |= x[w];
    return or != 0;
#endif
}

FN inline vec load(const uint64_t *words)
{
    vec x;
    memcpy(&x, words, sizeof x);
    return x;
}

FN inline void store(uint64_t *words, vec x)
{
    memcpy(words, &x, sizeof x);
}

FN void NAME(many)(const uint64_t *legal_wires, uint32_t n, const uint64_t *lanes, uint64_t *many)
{
    const vec *legal = (const vec *)legal_wires;
    vec mask = load(lanes), once = mask ^ mask, twice = once;
    for (uint32_t i = 0; i < n; i++) {
        vec x = legal[i];
        twice |= once & x;
        once |= x;
    }
    store(many, twice & mask);
}

FN void NAME(only)(const uint64_t *legal_wires, uint64_t *does_wires, uint32_t n, const uint64_t *lanes)
{
    const vec *legal = (const vec *)legal_wires;
    vec *does = (vec *)does_wires, mask = load(lanes);
    if (!any(mask)) return;
    for (uint32_t i = 0; i < n; i++) does[i] |= legal[i] & mask;
}

/* The first legal move in an order; returns the lanes without one. Whether some are left is looked at now and
 * then only. */
FN inline vec NAME(take)(const vec *legal, vec *does, const uint16_t *order, uint32_t n, vec open)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t move = order[i];
        vec x = legal[move] & open;
        does[move] |= x;
        open &= ~x;
        if ((i & 3) == 3 && !any(open)) break;
    }
    return open;
}

FN void NAME(walk)(const uint64_t *legal_wires, uint64_t *does_wires, const uint16_t *order, uint32_t n,
                   uint64_t *open)
{
    const vec *legal = (const vec *)legal_wires;
    vec *does = (vec *)does_wires, left = load(open);
    if (!any(left)) return;
    store(open, NAME(take)(legal, does, order, n, left));
}

FN uint32_t NAME(contexts)(const uint64_t *legal_wires, uint64_t *does_wires, const uint64_t *last_wires,
                           uint32_t nlast, const struct ranking *rankings, uint64_t *open, uint16_t *active)
{
    const vec *legal = (const vec *)legal_wires, *last = (const vec *)last_wires;
    vec *does = (vec *)does_wires, left = load(open);
    uint32_t nactive = 0;
    for (uint32_t j = 0; j < nlast; j++) {
        vec mine = last[j] & left;
        if (!any(mine)) continue;
        active[nactive++] = (uint16_t)j;
        left &= ~mine;
        const struct ranking *r = &rankings[j];
        left |= NAME(take)(legal, does, r->moves, r->n, mine);
    }
    store(open, left);
    return nactive;
}

FN void NAME(replies)(const uint64_t *legal_wires, uint64_t *does_wires, const uint64_t *last_wires,
                      uint32_t nlast, const struct ranking *rankings, uint64_t *open)
{
    const vec *legal = (const vec *)legal_wires, *last = (const vec *)last_wires;
    vec *does = (vec *)does_wires, left = load(open);
    for (uint32_t j = 0; j < nlast; j++) {
        if (rankings[j].reply == RANKING_NONE) continue;
        vec x = last[j] & left & legal[rankings[j].reply];
        if (does_wires) does[rankings[j].reply] |= x;
        left &= ~x;
    }
    store(open, left);
}

FN void NAME(census)(const uint64_t *legal_wires, uint32_t n, const uint64_t *lanes, bool *ever)
{
    const vec *legal = (const vec *)legal_wires;
    vec mask = load(lanes);
    for (uint32_t i = 0; i < n; i++) ever[i] |= any(legal[i] & mask);
}

static const struct weave NAME(weave) = {NAME(many),     NAME(only),    NAME(walk),
                                         NAME(contexts), NAME(replies), NAME(census)};

#undef vec
#undef any
#undef load
#undef store
#undef FN
#undef NAME
#undef JOIN
#undef JOIN_
