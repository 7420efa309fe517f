// SPDX-License-Identifier: GPL-3.0-or-later
/* Boards by template: a state predicate two of whose arguments are coordinates that determine the rest.
 *
 * For each predicate all pairs of arguments are tried as coordinates (and, if that does not do, one or two
 * further arguments as planes); a pair stays if the dependency holds in every sampled state and the facts
 * really spread over two dimensions. What is left is ranked: alike axes, side by side, before the contents.
 */
#include "analysis/analysis_internal.h"

#include <stdlib.h>

#define SHOTS_TRIED 400 /* snapshots a dependency is tried on, at least, evenly spaced */
#define CELLS_MAX 65536

/* One way to read a predicate as a board. */
struct reading {
    uint32_t x, y, plane[2], nplanes;
    enum board_kind kind;
    int score;
};

static uint32_t place(const struct finder *f, term fact, uint32_t arg)
{
    return f->index[arg * f->nterms + term_arg(f->s->terms, fact, arg)];
}

static uint32_t cell_of(const struct finder *f, const struct reading *r, term fact)
{
    uint32_t plane = 0;
    for (uint32_t i = 0; i < r->nplanes; i++)
        plane = plane * f->axis[r->plane[i]].n + place(f, fact, r->plane[i]);
    return (plane * f->axis[r->y].n + place(f, fact, r->y)) * f->axis[r->x].n + place(f, fact, r->x);
}

static bool is_coordinate(const struct reading *r, uint32_t arg)
{
    return arg == r->x || arg == r->y || (r->nplanes > 0 && arg == r->plane[0]) ||
           (r->nplanes > 1 && arg == r->plane[1]);
}

static bool same_contents(const struct finder *f, const struct reading *r, term a, term b)
{
    for (uint32_t arg = 0; arg < f->p->arity; arg++)
        if (!is_coordinate(r, arg) && term_arg(f->s->terms, a, arg) != term_arg(f->s->terms, b, arg))
            return false;
    return true;
}

static uint32_t ncontents(const struct finder *f, const struct reading *r)
{
    return f->p->arity - 2 - r->nplanes;
}

/* The cell determines the contents in every snapshot. */
static bool cells_determine(struct finder *f, const struct reading *r)
{
    for (uint32_t i = 0; i < f->s->shots.n; i += f->step) {
        heap_poll(f->s->heap);
        const struct snapshot *shot = &f->s->shots.v[i];
        f->now++;
        for (uint32_t j = 0; j < shot->nfacts; j++) {
            term fact = f->s->facts.v[shot->facts + j];
            if (f->s->predicate_of.v[fact] != f->predicate) continue;
            uint32_t cell = cell_of(f, r, fact);
            if (f->stamp[cell] == f->now) return false; /* two facts: equal cells, so different contents */
            f->stamp[cell] = f->now;
        }
    }
    return true;
}

/* The contents determine the cell in every snapshot, and some snapshot has several. */
static bool contents_determine(struct finder *f, const struct reading *r)
{
    if (f->p->most > 64) return false; /* tokens are few */
    for (uint32_t i = 0; i < f->s->shots.n; i += f->step) {
        heap_poll(f->s->heap);
        const struct snapshot *shot = &f->s->shots.v[i];
        for (uint32_t j = 0; j < shot->nfacts; j++) {
            term fact = f->s->facts.v[shot->facts + j];
            if (f->s->predicate_of.v[fact] != f->predicate) continue;
            for (uint32_t k = 0; k < j; k++) {
                term other = f->s->facts.v[shot->facts + k];
                if (f->s->predicate_of.v[other] == f->predicate && same_contents(f, r, fact, other))
                    return false;
            }
        }
    }
    return f->p->most > 1;
}

/* Do some of these facts share x and plane but not y, or (across = true) y and plane but not x? */
static bool spreads(struct finder *f, const struct reading *r, const term *facts, uint32_t n, bool across)
{
    f->now++;
    for (uint32_t i = 0; i < n; i++) {
        if (f->s->predicate_of.v[facts[i]] != f->predicate) continue;
        uint32_t cell = cell_of(f, r, facts[i]), nx = f->axis[r->x].n;
        uint32_t here = cell % nx, key = across ? cell / nx : cell / (nx * f->axis[r->y].n) * nx + here;
        uint32_t there = across ? here : cell / nx;
        if (f->stamp[key] == f->now && f->first[key] != there) return true;
        if (f->stamp[key] != f->now) f->stamp[key] = f->now, f->first[key] = there;
    }
    return false;
}

/* Two dimensions: neither coordinate determines the other over all states. */
static bool two_dimensional(struct finder *f, const struct reading *r)
{
    return spreads(f, r, f->p->facts.v, f->p->facts.n, false) &&
           spreads(f, r, f->p->facts.v, f->p->facts.n, true);
}

/* ... and not even within one. */
static bool two_dimensional_at_once(struct finder *f, const struct reading *r)
{
    bool across = false, along = false;
    for (uint32_t i = 0; i < f->s->shots.n; i += f->step) {
        heap_poll(f->s->heap);
        const struct snapshot *shot = &f->s->shots.v[i];
        if (!along) along = spreads(f, r, f->s->facts.v + shot->facts, shot->nfacts, false);
        if (!across) across = spreads(f, r, f->s->facts.v + shot->facts, shot->nfacts, true);
    }
    return across && along;
}

/* A table: every combination of the two coordinates occurs. Good enough for coordinates that nothing orders.
 */
static bool is_table(struct finder *f, const struct reading *r)
{
    uint32_t n = 0, cells = f->axis[r->x].n * f->axis[r->y].n;
    if (ncontents(f, r) == 0 || r->nplanes > 0 || cells < 6) return false;
    f->now++;
    for (uint32_t i = 0; i < f->p->facts.n; i++) {
        uint32_t cell = cell_of(f, r, f->p->facts.v[i]);
        n += f->stamp[cell] != f->now;
        f->stamp[cell] = f->now;
    }
    return n == cells;
}

static bool same_axis(const struct axis *a, const struct axis *b)
{
    return a->n == b->n && memcmp(a->value, b->value, a->n * sizeof *a->value) == 0;
}

/* Do all contents look like further coordinates? One that is alone must have no value that is none; of
 * several half the values will do. */
static bool more_coordinates(const struct finder *f, const struct reading *r)
{
    for (uint32_t arg = 0; arg < f->p->arity; arg++) {
        if (is_coordinate(r, arg)) continue;
        uint32_t like = 0;
        for (uint32_t i = 0; i < f->axis[arg].n; i++) {
            term value = f->axis[arg].value[i];
            like += f->index[r->x * f->nterms + value] != NOWHERE ||
                    f->index[r->y * f->nterms + value] != NOWHERE;
        }
        if (ncontents(f, r) == 1 ? like < f->axis[arg].n : 2 * like < f->axis[arg].n) return false;
    }
    return true;
}

static bool names_role(const struct finder *f, uint32_t arg)
{
    for (uint32_t role = 0; role < f->a->game->nroles; role++)
        if (f->index[arg * f->nterms + f->a->game->roles[role]] != NOWHERE) return true;
    return false;
}

/* Try a reading; keep it in *best if it holds and ranks higher. `loose`: tokens will do. */
static void consider(struct finder *f, struct reading r, bool loose, struct reading *best)
{
    uint64_t cells = (uint64_t)f->axis[r.x].n * f->axis[r.y].n;
    for (uint32_t i = 0; i < r.nplanes; i++) {
        cells *= f->axis[r.plane[i]].n;
        if (f->axis[r.plane[i]].n < 2) return;
    }
    if (f->axis[r.x].n < 2 || f->axis[r.y].n < 2 || cells > CELLS_MAX) return;
    if (names_role(f, r.x) || names_role(f, r.y) || (r.nplanes > 0 && more_coordinates(f, &r))) return;
    bool ordered = f->ordered[r.x] && f->ordered[r.y];
    r.score = ordered ? 16 : 0;
    r.score += same_axis(&f->axis[r.x], &f->axis[r.y]) ? 8 : 0;
    r.score += r.y == r.x + 1 ? 4 : 0;
    r.score += r.y + 1 < f->p->arity && !is_coordinate(&r, r.y + 1) ? 2 : 0;
    if (r.score <= best->score || (!ordered && !is_table(f, &r)) || f->p->most < 2 || !two_dimensional(f, &r))
        return;
    if (ncontents(f, &r) == 0) {
        /* (heap a 3) is no board: a heap has one size at a time. */
        if (!two_dimensional_at_once(f, &r)) return;
        r.kind = BOARD_MARKS;
    } else if (cells_determine(f, &r)) {
        r.kind = BOARD_CELLS;
    } else {
        /* Things with a place, or cells that some sheets fill twice. (line 1 1 1 2) is neither: its ends are
         * both places. */
        if (!loose || !ordered || more_coordinates(f, &r)) return;
        if (!contents_determine(f, &r) && !two_dimensional_at_once(f, &r)) return;
        r.kind = BOARD_TOKENS;
    }
    *best = r;
}

static bool find_reading(struct finder *f, struct reading *best)
{
    uint32_t n = f->p->arity;
    *best = (struct reading){.score = -1};
    for (uint32_t x = 0; x < n; x++)
        for (uint32_t y = x + 1; y < n; y++) consider(f, (struct reading){.x = x, .y = y}, false, best);
    if (best->score >= 0) return true;
    /* Planes must leave something that is not a coordinate. */
    for (uint32_t x = 0; n > 3 && x < n; x++)
        for (uint32_t y = x + 1; y < n; y++)
            for (uint32_t p = 0; p < n; p++)
                if (p != x && p != y)
                    consider(f, (struct reading){.x = x, .y = y, .plane = {p}, .nplanes = 1}, false, best);
    if (best->score >= 0) return true;
    for (uint32_t x = 0; n > 4 && x < n; x++)
        for (uint32_t y = x + 1; y < n; y++)
            for (uint32_t p = 0; p < n; p++)
                for (uint32_t q = p + 1; q < n; q++)
                    if (p != x && p != y && q != x && q != y)
                        consider(f, (struct reading){.x = x, .y = y, .plane = {p, q}, .nplanes = 2}, false,
                                 best);
    if (best->score >= 0) return true;
    for (uint32_t x = 0; x < n; x++)
        for (uint32_t y = x + 1; y < n; y++) consider(f, (struct reading){.x = x, .y = y}, true, best);
    return best->score >= 0;
}

/* The different values of one argument, in the order they were met. */
static void gather(struct finder *f, uint32_t arg)
{
    VEC(term) values = {0};
    uint32_t *index = f->index + arg * f->nterms;
    memset(index, 0xff, f->nterms * sizeof *index);
    for (uint32_t i = 0; i < f->p->facts.n; i++) {
        term v = term_arg(f->s->terms, f->p->facts.v[i], arg);
        if (index[v] != NOWHERE) continue;
        index[v] = values.n;
        vec_push(f->s->heap, &values, v);
    }
    f->ordered[arg] = axis_order(f->s, values.v, values.n, &f->axis[arg]);
    if (f->axis[arg].n == 0) { /* too many values: not a coordinate */
        f->axis[arg].n = 1;
        f->axis[arg].value = values.v;
    }
    for (uint32_t i = 0; i < f->axis[arg].n; i++) index[f->axis[arg].value[i]] = i;
}

/* Does one coordinate determine the argument, in all states? */
static bool follows(struct finder *f, uint32_t coordinate, uint32_t arg)
{
    f->now++;
    for (uint32_t i = 0; i < f->p->facts.n; i++) {
        uint32_t at = place(f, f->p->facts.v[i], coordinate);
        term value = term_arg(f->s->terms, f->p->facts.v[i], arg);
        if (f->stamp[at] == f->now && f->first[at] != value) return false;
        f->stamp[at] = f->now;
        f->first[at] = value;
    }
    return true;
}

uint32_t *finder_copy_index(struct finder *f, uint32_t arg)
{
    uint32_t *copy = heap_cut(f->a->heap, f->nterms * sizeof *copy);
    return memcpy(copy, f->index + arg * f->nterms, f->nterms * sizeof *copy);
}

void finder_add(struct finder *f, struct board *b)
{
    struct analysis *a = f->a;
    const struct sample *s = f->s;
    b->name = f->p->name;
    b->arity = f->p->arity;
    b->cells = b->planes * b->x.n * b->y.n;
    b->exists = heap_cut(a->heap, b->cells * sizeof *b->exists);
    memset(b->exists, 0, b->cells * sizeof *b->exists);
    pieces_find(a, s, b);
    vec_push(a->heap, &a->boards, *b);
}

static void keep(struct finder *f, const struct reading *r)
{
    struct board b = {.kind = r->kind, .x_arg = r->x, .y_arg = r->y, .planes = 1, .nterms = f->nterms};
    /* Letters across and numbers upwards, as chess players write; otherwise the first coordinate across. */
    if (f->axis[r->x].order == AXIS_NUMBERS && f->axis[r->y].order == AXIS_NAMES)
        b.x_arg = r->y, b.y_arg = r->x;
    b.x = f->axis[b.x_arg];
    b.y = f->axis[b.y_arg];
    b.cell_of[0] = finder_copy_index(f, b.x_arg);
    b.cell_of[1] = finder_copy_index(f, b.y_arg);
    b.nplane_args = r->nplanes;
    for (uint32_t i = 0; i < r->nplanes; i++) {
        b.plane_arg[i] = r->plane[i];
        b.plane_axis[i] = f->axis[r->plane[i]];
        b.cell_of[2 + i] = finder_copy_index(f, r->plane[i]);
        b.planes *= b.plane_axis[i].n;
    }
    /* What follows from one coordinate says nothing, unless nothing else is left: (wall a 1 b 2 none). */
    for (uint32_t arg = 0; arg < f->p->arity; arg++)
        if (!is_coordinate(r, arg) && !follows(f, r->x, arg) && !follows(f, r->y, arg))
            b.contents_arg[b.ncontents++] = arg;
    for (uint32_t arg = 0; b.ncontents == 0 && arg < f->p->arity; arg++)
        if (!is_coordinate(r, arg)) b.contents_arg[b.ncontents++] = arg;
    b.fast_template = r->kind == BOARD_CELLS && r->nplanes == 0 && r->x == 0 && r->y == 1;
    finder_add(f, &b);
}

static int by_size(const void *a, const void *b)
{
    const struct board *x = a, *y = b;
    return x->nexists != y->nexists ? (x->nexists < y->nexists) - (x->nexists > y->nexists)
                                    : (x->name > y->name) - (x->name < y->name);
}

void boards_find(struct analysis *a, const struct sample *s)
{
    struct finder f = {.a = a, .s = s, .step = s->shots.n / SHOTS_TRIED + 1};
    f.stamp = heap_zalloc(a->heap, CELLS_MAX * sizeof *f.stamp);
    f.first = heap_zalloc(a->heap, CELLS_MAX * sizeof *f.first);
    for (uint32_t i = 0; i < s->predicates.n; i++) {
        struct reading best;
        bool found = false;
        f.predicate = i;
        f.p = &s->predicates.v[i];
        if (!f.p->flat || f.p->arity < 2 || f.p->arity > 8) continue;
        f.nterms = s->terms->nodes.n;
        f.index = heap_alloc(a->heap, (size_t)f.p->arity * f.nterms * sizeof *f.index);
        for (uint32_t arg = 0; arg < f.p->arity; arg++) gather(&f, arg);
        if (find_reading(&f, &best)) {
            keep(&f, &best);
            found = true;
        }
        for (uint32_t arg = 0; !found && arg < f.p->arity; arg++) found = board_named(&f, arg);
        heap_release(a->heap, f.index);
    }
    if (a->boards.n > 1) qsort(a->boards.v, a->boards.n, sizeof *a->boards.v, by_size);
    heap_release(a->heap, f.stamp);
    heap_release(a->heap, f.first);
}

bool board_find(const struct analysis *a, const struct board *b, const struct terms *terms, term fact,
                uint32_t *cell, uint32_t *piece)
{
    const struct term_node *node = term_get(terms, fact);
    if (node->head != b->name || node->nargs != b->arity) return false;
    const term *args = term_args(terms, fact);
    uint32_t at[4] = {0}, arg[4] = {b->x_arg, b->y_arg, b->plane_arg[0], b->plane_arg[1]};
    *cell = *piece = NOWHERE;
    for (uint32_t i = 0; i < b->ncontents; i++)
        if (term_get(terms, args[b->contents_arg[i]])->nargs > 0) return true;
    for (uint32_t p = 0; p < b->npieces && *piece == NOWHERE; p++) {
        bool same = true;
        for (uint32_t i = 0; i < b->ncontents && same; i++)
            same = b->pieces[p].contents[i] == args[b->contents_arg[i]];
        if (same) *piece = p;
    }
    for (uint32_t i = 0; i < 2 + b->nplane_args; i++) {
        at[i] = args[arg[i]] < b->nterms ? b->cell_of[i][args[arg[i]]] : NOWHERE;
        if (at[i] == NOWHERE) return true;
    }
    uint32_t plane = at[2];
    if (b->nplane_args > 1) plane = plane * b->plane_axis[1].n + at[3];
    *cell = board_cell(b, plane, at[0], at[1]);
    return true;
}

static uint32_t cell_at(const struct board *b, const term *args, uint32_t nargs, int first)
{
    if (first < 0 || (uint32_t)first + 1 >= nargs) return UINT32_MAX;
    term a = args[first], c = args[first + 1];
    term x = b->x_arg < b->y_arg ? a : c, y = b->x_arg < b->y_arg ? c : a;
    uint32_t ix = x < b->nterms ? b->cell_of[0][x] : UINT32_MAX,
             iy = y < b->nterms ? b->cell_of[1][y] : UINT32_MAX;
    return ix == UINT32_MAX || iy == UINT32_MAX ? UINT32_MAX : board_cell(b, 0, ix, iy);
}

void board_trip(const struct board *b, const struct terms *terms, term move, uint32_t *from, uint32_t *to)
{
    const struct term_node *n = term_get(terms, move);
    *from = *to = UINT32_MAX;
    for (uint32_t i = 0; i < b->nactions; i++) {
        const struct action *a = &b->actions[i];
        if (a->name != n->head || a->arity != n->nargs) continue;
        *from = cell_at(b, term_args(terms, move), n->nargs, a->from);
        *to = cell_at(b, term_args(terms, move), n->nargs, a->to);
    }
}
