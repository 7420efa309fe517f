// SPDX-License-Identifier: GPL-3.0-or-later
/* What moves do: with each move of a role made, every bit has a next value (forms.h). If some leave it as it
 * is that is what becomes of it when nothing is done, else what most moves make of it; the others have to do
 * with its part. */
#include "analysis/factors_internal.h"

#include "base/hash.h"

#include <stdlib.h>

/* One turn: what is known then, and who may choose among which moves. */
struct turn {
    struct finder *f;
    uint32_t number;
    uint32_t *possible, n; /* moves of the role that is studied */
};

struct touch {
    uint32_t bit, move;
    uint64_t value;
};

static int by_bit_and_value(const void *a, const void *b)
{
    const struct touch *x = a, *y = b;
    if (x->bit != y->bit) return x->bit < y->bit ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

#define ASKED 0x85ebca77c2b2ae63ull /* instead of a bit: what is asked for */

static uint64_t pair_hash(uint64_t a, uint64_t b)
{
    return hash_mix(hash_mix(0x9fb21c651e98df25, a), b);
}

static void claim(const struct turn *t, uint32_t move, uint32_t wire, uint64_t what)
{
    vec_push(t->f->heap, &t->f->claims, (struct claim){t->number, move, wire, what});
}

/* --- What moves do -------------------------------------------------------------------------------------- */

/* One bit's touches by the moves of a role. */
static void judge_bit(const struct turn *t, uint32_t bit, const struct touch *v, uint32_t n)
{
    struct finder *f = t->f;
    const struct circuit *c = f->c;
    uint32_t most = t->n - n, wire = wire_bit(c, bit);
    uint64_t untouched = forms_value(&f->forms, c->next[bit]), usual = untouched;
    uint64_t own = forms_value(&f->forms, wire << 1);
    for (uint32_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && v[k].value == v[i].value; k++) {
        }
        if (usual != own && (k - i > most || v[i].value == own)) most = k - i, usual = v[i].value;
    }
    f->stays[bit] &= usual == own;
    for (uint32_t i = 0; i < n; i++)
        if (v[i].value != usual) claim(t, v[i].move, wire, pair_hash(bit, v[i].value));
    if (n < t->n) finder_join_below(f, c->next[bit], wire);
    if (n == t->n || usual == untouched) return;
    bool *met = heap_zalloc(f->heap, c->nmoves * sizeof *met);
    for (uint32_t i = 0; i < n; i++) met[v[i].move] = true;
    for (uint32_t i = 0; i < t->n; i++)
        if (!met[t->possible[i]]) claim(t, t->possible[i], wire, pair_hash(bit, untouched));
    heap_release(f->heap, met);
}

static void study_role(const struct turn *t)
{
    struct finder *f = t->f;
    const struct circuit *c = f->c;
    VEC(struct touch) touches = {0};
    for (uint32_t i = 0; i < t->n && f->sets > 1; i++) {
        forms_make(&f->forms, t->possible[i]);
        for (uint32_t bit = 0; bit < c->nbits; bit++) {
            if (!f->read[bit] || f->dull[wire_bit(c, bit)]) continue;
            if (!f->forms.is_touched[c->next[bit] >> 1]) continue;
            uint64_t value = forms_value(&f->forms, c->next[bit]);
            vec_push(f->heap, &touches, (struct touch){bit, t->possible[i], value});
            if (f->sets > 1) finder_join_below(f, c->next[bit], wire_bit(c, bit));
        }
        finder_undo(f);
    }
    if (touches.n) qsort(touches.v, touches.n, sizeof *touches.v, by_bit_and_value);
    for (uint32_t bit = 0, at = 0; bit < c->nbits; bit++) {
        uint32_t first = at;
        while (at < touches.n && touches.v[at].bit == bit) at++;
        if (f->read[bit] && !f->dull[wire_bit(c, bit)]) judge_bit(t, bit, touches.v + first, at - first);
    }
    vec_free(f->heap, &touches);
}

/* What it asks for, one after the other. */
static void study_legal(const struct turn *t, uint32_t move, edge e)
{
    struct finder *f = t->f;
    uint32_t gates = wire_gate(f->c, 0), wire = e >> 1;
    uint64_t value = forms_value(&f->forms, e);
    if (value == FORM_TRUE) return;
    if (!(e & 1) && wire >= gates && !f->forms.in_loop[wire - gates]) {
        const struct gate *g = &f->c->gates.v[wire - gates];
        for (uint32_t i = 0; i < g->n; i++) study_legal(t, move, f->c->edges.v[g->first + i]);
        return;
    }
    finder_join_below(f, e, wire);
    uint32_t bit = finder_set(f, wire); /* or the wire, where only time is left of it */
    claim(t, move, bit <= f->c->nbits && !f->dull[bit] ? bit : 0, pair_hash(ASKED, value));
}

/* --- Turns ---------------------------------------------------------------------------------------------- */

static bool is_possible(const struct finder *f, uint32_t move)
{
    return forms_value(&f->forms, f->c->legal[move]) != FORM_FALSE;
}

/* The moves of a role that are possible in this turn. */
static uint32_t list_possible(struct turn *t, uint32_t role)
{
    const struct circuit *c = t->f->c;
    t->n = 0;
    for (uint32_t m = c->move_base[role]; m < c->move_base[role + 1]; m++)
        if (is_possible(t->f, m)) t->possible[t->n++] = m;
    return t->n;
}

/* Whoever has one move makes it, what is not possible is not made. */
static void give_moves(struct turn *t, bool *chooses)
{
    const struct circuit *c = t->f->c;
    for (uint32_t role = 0; role < c->nroles; role++) {
        chooses[role] = list_possible(t, role) != 1;
        for (uint32_t m = c->move_base[role]; m < c->move_base[role + 1]; m++) {
            uint64_t open = chooses[role] ? forms_open(wire_move(c, m)) : FORM_TRUE;
            t->f->forms.given[wire_move(c, m)] = is_possible(t->f, m) ? open : FORM_FALSE;
        }
    }
}

static void study_turn(struct turn *t, bool *chooses)
{
    struct finder *f = t->f;
    const struct circuit *c = f->c;
    uint64_t *given = f->forms.given;
    bool any = false;
    for (uint32_t w = 0; w < wire_gate(c, 0); w++) given[w] = w ? forms_open(w) : FORM_TRUE;
    for (uint32_t i = 0; i < c->turn_bits.n && f->turns > 1; i++)
        given[wire_bit(c, c->turn_bits.v[i])] =
            c->turn_values[(size_t)t->number * c->turn_bits.n + i] ? FORM_TRUE : FORM_FALSE;
    finder_base(f);
    give_moves(t, chooses);
    for (uint32_t role = 0; role < c->nroles; role++) any |= chooses[role];
    for (uint32_t m = 0; m < c->nmoves; m++) {
        if (!is_possible(f, m)) continue;
        f->when[m] |= (uint16_t)(1u << t->number);
        study_legal(t, m, c->legal[m]);
    }
    for (uint32_t role = 0; role < c->nroles; role++) {
        if (!chooses[role] && (any || role)) continue;
        list_possible(t, role);
        for (uint32_t i = 0; i < t->n; i++) given[wire_move(c, t->possible[i])] = FORM_FALSE;
        finder_base(f);
        study_role(t);
        for (uint32_t i = 0; i < t->n; i++)
            given[wire_move(c, t->possible[i])] = forms_open(wire_move(c, t->possible[i]));
    }
}

static int by_move(const void *a, const void *b)
{
    const struct claim *x = a, *y = b;
    if (x->turn != y->turn) return x->turn < y->turn ? -1 : 1;
    return x->move < y->move ? -1 : x->move > y->move;
}

void finder_study(struct finder *f)
{
    enum { MOST_TURNS = 12 };
    struct turn t = {.f = f};
    f->turns = f->c->period && f->c->period <= MOST_TURNS ? f->c->period : 1;
    t.possible = heap_zalloc(f->heap, (f->c->nmoves + 1) * sizeof *t.possible);
    bool *chooses = heap_zalloc(f->heap, (f->c->nroles + 1) * sizeof *chooses);
    for (; t.number < f->turns && f->sets > 1; t.number++) study_turn(&t, chooses);
    if (f->claims.n) qsort(f->claims.v, f->claims.n, sizeof *f->claims.v, by_move);
}

/* --- Which parts a move leaves apart -------------------------------------------------------------------- */

struct timed {
    uint64_t when;
    uint32_t move;
};

/* Moves that are legal at the same times, and what kind each is in each part: 0, it does nothing there. */
struct kinds {
    struct finder *f;
    uint32_t turn;
    uint32_t n;       /* parts */
    uint32_t *number; /* by wire that stands for a set: of the part */
    uint64_t *kind;   /* by move * n + part, in this turn */
    size_t cap;
    uint64_t *when;  /* by move: what it asks of time */
    uint32_t *first; /* by turn * moves + move: its first claim; one more entry */
    struct timed *timed;
    uint32_t *group;   /* moves */
    uint64_t *scratch; /* by move */
};

static uint32_t number_of(uint32_t *one, uint32_t p)
{
    while (one[p] != p) p = one[p] = one[one[p]];
    return p;
}

static void join_numbers(uint32_t *one, uint32_t p, uint32_t q)
{
    one[number_of(one, p)] = number_of(one, q);
}

static uint32_t parts_of(const struct kinds *k, uint32_t move)
{
    uint32_t parts = 0;
    for (uint32_t p = 0; p < k->n; p++) parts += k->kind[(size_t)move * k->n + p] != 0;
    return parts;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t distinct(uint64_t *v, uint32_t n)
{
    uint32_t kept = 0;
    qsort(v, n, sizeof *v, ascending);
    for (uint32_t i = 0; i < n; i++) kept += i == 0 || v[i] != v[i - 1];
    return kept;
}

/* Are they all combinations of what can be done in the parts? */
static bool is_product(const struct kinds *k, const uint32_t *group, uint32_t n)
{
    double combinations = 1;
    for (uint32_t p = 0; p < k->n; p++) {
        for (uint32_t i = 0; i < n; i++) k->scratch[i] = k->kind[(size_t)group[i] * k->n + p];
        combinations *= distinct(k->scratch, n);
        heap_poll(k->f->heap);
    }
    for (uint32_t i = 0; i < n; i++) {
        k->scratch[i] = 0;
        for (uint32_t p = 0; p < k->n; p++)
            k->scratch[i] = hash_mix(k->scratch[i], k->kind[(size_t)group[i] * k->n + p]);
    }
    return combinations == n && distinct(k->scratch, n) == n;
}

/* If every move is to be one in one part: which parts are one? */
static void join_parts_of(const struct kinds *k, uint32_t move, uint32_t *one)
{
    uint32_t last = UINT32_MAX;
    for (uint32_t p = 0; p < k->n; p++) {
        if (!k->kind[(size_t)move * k->n + p]) continue;
        if (last != UINT32_MAX) join_numbers(one, last, p);
        last = p;
    }
}

/* Do the kinds in two parts come in all combinations? */
static bool are_free(const struct kinds *k, const uint32_t *group, uint32_t n, uint32_t p, uint32_t q)
{
    double combinations = 1;
    for (uint32_t i = 0; i < n; i++) k->scratch[i] = k->kind[(size_t)group[i] * k->n + p];
    combinations *= distinct(k->scratch, n);
    for (uint32_t i = 0; i < n; i++) k->scratch[i] = k->kind[(size_t)group[i] * k->n + q];
    combinations *= distinct(k->scratch, n);
    for (uint32_t i = 0; i < n; i++)
        k->scratch[i] = pair_hash(k->kind[(size_t)group[i] * k->n + p], k->kind[(size_t)group[i] * k->n + q]);
    heap_poll_slow(k->f->heap);
    return combinations == distinct(k->scratch, n);
}

/* How many of the parts that the group has to do with are left. */
static uint32_t count_numbers(const struct kinds *k, const uint32_t *group, uint32_t n, uint32_t *one)
{
    uint32_t left = 0;
    bool *met = heap_zalloc(k->f->heap, (k->n + 1) * sizeof *met);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t p = 0; p < k->n; p++)
            if (k->kind[(size_t)group[i] * k->n + p] && !met[number_of(one, p)])
                met[number_of(one, p)] = true, left++;
    heap_release(k->f->heap, met);
    return left;
}

/* Parts whose numbers are one become one; true: there were some. */
static bool join_alike(const struct kinds *k, uint32_t *one)
{
    struct finder *f = k->f;
    uint32_t *wire = heap_zalloc(f->heap, (k->n + 1) * sizeof *wire);
    bool joined = false;
    for (uint32_t w = 1; w <= f->c->nbits; w++) {
        if (k->number[w] == UINT32_MAX) continue;
        uint32_t *first = &wire[number_of(one, k->number[w])];
        if (*first) joined |= finder_join(f, *first, w);
        *first = w;
    }
    heap_release(f->heap, wire);
    return joined;
}

/* Moves that do something in several parts: either these are one part, each move being one in one of those
 * that are left; or what can be done in one says nothing of the others. True: parts have become one. */
static bool join_group(const struct kinds *k, const uint32_t *group, uint32_t n)
{
    enum { MOST_PAIRS = 20000000 };
    struct heap *heap = k->f->heap;
    bool several = false;
    for (uint32_t i = 0; i < n; i++) several |= parts_of(k, group[i]) > 1;
    if (!several || is_product(k, group, n)) return false;
    uint32_t *in_one = heap_alloc(heap, (k->n + 1) * sizeof *in_one);
    uint32_t *at_once = heap_alloc(heap, (k->n + 1) * sizeof *at_once);
    for (uint32_t p = 0; p < k->n; p++) in_one[p] = at_once[p] = p;
    for (uint32_t i = 0; i < n; i++) join_parts_of(k, group[i], in_one);
    bool apart = count_numbers(k, group, n, in_one) > 1;
    if (!apart && (double)k->n * k->n * n < MOST_PAIRS) {
        for (uint32_t p = 0; p < k->n; p++)
            for (uint32_t q = 0; q < p; q++)
                if (number_of(at_once, p) != number_of(at_once, q) && !are_free(k, group, n, p, q))
                    join_numbers(at_once, p, q);
        apart = count_numbers(k, group, n, at_once) > 1;
        if (apart && join_alike(k, at_once)) return true;
    }
    return join_alike(k, in_one);
}

static void number_parts(struct kinds *k)
{
    struct finder *f = k->f;
    k->n = 0;
    for (uint32_t w = 0; w < f->forms.wires; w++) k->number[w] = UINT32_MAX;
    for (uint32_t i = 0; i < f->claims.n; i++) {
        uint32_t set = f->claims.v[i].wire ? finder_set(f, f->claims.v[i].wire) : 0;
        if (set && k->number[set] == UINT32_MAX) k->number[set] = k->n++;
    }
}

static void fill_kinds(struct kinds *k)
{
    struct finder *f = k->f;
    size_t size = (size_t)f->c->nmoves * k->n + 1;
    if (size > k->cap) {
        heap_release(f->heap, k->kind);
        k->kind = heap_alloc(f->heap, (k->cap = size) * sizeof *k->kind);
    }
    memset(k->kind, 0, size * sizeof *k->kind);
    memset(k->when, 0, f->c->nmoves * sizeof *k->when);
    size_t from = (size_t)k->turn * f->c->nmoves;
    for (uint32_t i = k->first[from]; i < k->first[from + f->c->nmoves]; i++) {
        const struct claim *it = &f->claims.v[i];
        if (it->wire)
            k->kind[(size_t)it->move * k->n + k->number[finder_set(f, it->wire)]] += it->what;
        else
            k->when[it->move] += it->what;
    }
}

static int by_time(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    if (x->when != y->when) return x->when < y->when ? -1 : 1;
    return x->move < y->move ? -1 : x->move > y->move;
}

static bool join_role(struct kinds *k, uint32_t role)
{
    const struct circuit *c = k->f->c;
    uint32_t first = c->move_base[role], n = c->move_base[role + 1] - first;
    bool joined = false;
    for (uint32_t i = 0; i < n; i++) k->timed[i] = (struct timed){k->when[first + i], first + i};
    qsort(k->timed, n, sizeof *k->timed, by_time);
    for (uint32_t i = 0; i < n; i++) k->group[i] = k->timed[i].move;
    for (uint32_t i = 0, end; i < n && !joined; i = end) {
        for (end = i + 1; end < n && k->timed[end].when == k->timed[i].when; end++) {
        }
        joined = join_group(k, k->group + i, end - i);
    }
    return joined;
}

void finder_settle(struct finder *f)
{
    struct kinds k = {.f = f};
    uint32_t nmoves = f->c->nmoves;
    k.number = heap_alloc(f->heap, f->forms.wires * sizeof *k.number);
    k.when = heap_zalloc(f->heap, (nmoves + 1) * sizeof *k.when);
    k.first = heap_zalloc(f->heap, ((size_t)nmoves * f->turns + 1) * sizeof *k.first);
    k.timed = heap_zalloc(f->heap, (nmoves + 1) * sizeof *k.timed);
    k.group = heap_zalloc(f->heap, (nmoves + 1) * sizeof *k.group);
    k.scratch = heap_zalloc(f->heap, (nmoves + 1) * sizeof *k.scratch);
    for (uint32_t at = 0, i = 0; at <= nmoves * f->turns; k.first[at++] = i)
        while (i < f->claims.n && f->claims.v[i].turn * nmoves + f->claims.v[i].move < at) i++;
    for (bool joined = true; joined;) {
        joined = false;
        number_parts(&k);
        for (k.turn = 0; k.turn < f->turns && !joined; k.turn++) {
            fill_kinds(&k);
            for (uint32_t role = 0; role < f->c->nroles && !joined; role++) joined = join_role(&k, role);
        }
    }
}
