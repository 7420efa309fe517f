// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/touch.h"

#include "analysis/analysis_internal.h"
#include "base/clock.h"

#define TRIED_MAX 256 /* moves of one role */

/* ---- by their names */

/* The coordinates of a board in the order of its facts; heights of a stack are none. */
struct coordinates {
    uint32_t n, axis[4];
};

static struct coordinates coordinates_of(const struct board *b)
{
    struct coordinates c = {0};
    for (uint32_t arg = 0; arg < b->arity; arg++) {
        if (arg == b->x_arg) c.axis[c.n++] = 0;
        if (arg == b->y_arg && !b->compound) c.axis[c.n++] = 1;
        for (uint32_t i = 0; i < b->nplane_args && !b->stacked; i++)
            if (arg == b->plane_arg[i]) c.axis[c.n++] = 2 + i;
    }
    return c;
}

/* The cell that arguments `at`, `at` + 1, ... of a move name, or NOWHERE. */
static uint32_t named_cell(const struct board *b, const struct coordinates *c, const struct terms *t,
                           term move, uint32_t at)
{
    uint32_t place[4] = {0};
    if (at + c->n > term_get(t, move)->nargs) return NOWHERE;
    for (uint32_t i = 0; i < c->n; i++) {
        term value = term_arg(t, move, at + i);
        uint32_t axis = c->axis[i];
        place[axis] = value < b->nterms && term_get(t, value)->nargs == 0 ? b->cell_of[axis][value] : NOWHERE;
        if (place[axis] == NOWHERE) return NOWHERE;
        if (b->compound) place[1] = b->cell_of[1][value];
    }
    uint32_t plane = place[2];
    if (b->nplane_args > 1 && !b->stacked) plane = plane * b->plane_axis[1].n + place[3];
    uint32_t cell = board_cell(b, plane, place[0], place[1]);
    return picture_is_cell(b, cell) ? cell : NOWHERE;
}

static const struct action *action_of(const struct board *b, const struct term_node *node)
{
    for (uint32_t i = 0; i < b->nactions; i++)
        if (b->actions[i].name == node->head && b->actions[i].arity == node->nargs) return &b->actions[i];
    return NULL;
}

uint32_t touch_named(const struct analysis *a, uint32_t board, const struct terms *terms, term move,
                     uint32_t *cells)
{
    const struct board *b = &a->boards.v[board];
    const struct term_node *node = term_get(terms, move);
    const struct action *action = b->stacked ? NULL : action_of(b, node);
    struct coordinates c = coordinates_of(b);
    uint32_t n = 0, at = 0;
    if (action && action->from > action->to && action->to >= 0) { /* where to comes first */
        cells[0] = named_cell(b, &c, terms, move, (uint32_t)action->from);
        cells[1] = named_cell(b, &c, terms, move, (uint32_t)action->to);
        if (cells[0] != NOWHERE && cells[1] != NOWHERE) return 2;
    }
    if (action) at = (uint32_t)(action->from >= 0 ? action->from : action->to);
    while (at < node->nargs && n < TOUCH_MAX) {
        uint32_t cell = named_cell(b, &c, terms, move, at);
        if (cell != NOWHERE && !(n && cells[n - 1] == cell)) cells[n++] = cell;
        at += cell != NOWHERE ? c.n : 1;
    }
    return n;
}

/* The board on which a move names most: one that knows such moves before others. */
static void find_named(const struct analysis *a, const struct terms *terms, term move, struct touch *out)
{
    uint32_t cells[TOUCH_MAX];
    bool known = false;
    *out = (struct touch){0};
    for (uint32_t i = 0; i < a->boards.n; i++) {
        const struct board *b = &a->boards.v[i];
        bool knows = action_of(b, term_get(terms, move)) != NULL;
        uint32_t n = touch_named(a, i, terms, move, cells);
        if (n == 0 || (out->n && known >= knows)) continue;
        known = knows;
        out->board = b->parent;
        out->n = n;
        for (uint32_t k = 0; k < n; k++) out->cells[k] = picture_root_cell(a, i, cells[k]);
        for (uint32_t k = 0; k < n; k++)
            if (out->cells[k] == NOWHERE) out->n = 0;
    }
}

/* ---- by what they do */

struct trial_move {
    struct picture after;
    bool known; /* there is such a picture */
};

static bool same_touch(const struct touch *x, const struct touch *y)
{
    if (x->n != y->n || (x->n && x->board != y->board)) return false;
    for (uint32_t i = 0; i < x->n; i++)
        if (x->cells[i] != y->cells[i]) return false;
    return true;
}

/* Moves that do not say enough: those without a place, and those that share their only cell. */
static bool wants_trial(const struct touch *all, uint32_t n, uint32_t i)
{
    if (all[i].n == 0) return true;
    for (uint32_t j = 0; j < n && all[i].n == 1; j++)
        if (j != i && same_touch(&all[i], &all[j])) return true;
    return false;
}

static uint32_t pile(const struct board *b, uint32_t cell)
{
    return b->stacked ? cell % (b->x.n * b->y.n) : cell;
}

/* Something that is the role's own, or nobody's, stands on the square. */
static bool is_arrival(const struct picture *p, const struct square *q, uint32_t role)
{
    if (q->things.n == 0) return false;
    int owner = p->a->boards.v[q->things.v[0].board].pieces[q->things.v[0].piece].owner;
    return owner == (int)role || owner < 0;
}

/* The only place, besides those it names, where the move brings something that not all moves bring there;
 * NOWHERE: there is none, or several. */
static uint32_t target_of(const struct picture *now, const struct trial_move *tried, const uint32_t *which,
                          uint32_t n, uint32_t mine, const struct touch *touch, uint32_t role, uint32_t *on)
{
    uint32_t found = NOWHERE;
    for (uint32_t c = 0; c < now->ncanvases; c++) {
        const struct board *b = &now->a->boards.v[now->canvases[c].board];
        if (touch->n && touch->board != now->canvases[c].board) continue;
        for (uint32_t cell = 0; cell < b->cells; cell++) {
            const struct square *after = &tried[mine].after.canvases[c].squares[cell];
            if (square_same(after, &now->canvases[c].squares[cell])) continue;
            if (!is_arrival(&tried[mine].after, after, role)) continue;
            if (touch->n && pile(b, cell) == pile(b, touch->cells[0])) continue;
            bool common = n > 1;
            for (uint32_t k = 0; k < n && common; k++)
                common = !tried[which[k]].known ||
                         square_same(after, &tried[which[k]].after.canvases[c].squares[cell]);
            if (common) continue;
            if (found != NOWHERE && (found != pile(b, cell) || *on != now->canvases[c].board)) return NOWHERE;
            found = pile(b, cell);
            *on = now->canvases[c].board;
        }
    }
    return found;
}

/* (drop 4): one argument is the column of the cell, and only that. */
static void find_zone(const struct analysis *a, const struct terms *terms, term move, struct touch *t)
{
    const struct board *b = &a->boards.v[t->board];
    uint32_t x = t->cells[0] % b->x.n, y = t->cells[0] / b->x.n % b->y.n;
    if (b->compound || term_get(terms, move)->nargs != 1) return;
    term value = term_arg(terms, move, 0);
    bool column = b->x.value[x] == value, row = b->y.value[y] == value;
    if (value < b->nterms && b->cell_of[0][value] != NOWHERE && column)
        t->zone = ZONE_COLUMN;
    else if (value < b->nterms && row)
        t->zone = ZONE_ROW;
}

static void draw_state(struct heap *heap, const struct analysis *a, struct reasoner *r, struct glyph **glyphs,
                       const struct state *s, struct picture *out, bool *known)
{
    struct list facts = {0};
    *known = r->ops->facts(r, s, &facts);
    if (*known) picture_make(out, heap, a, glyphs, r->terms, &facts);
    list_done(&facts);
}

struct trial_list {
    uint32_t which[TRIED_MAX], n;
};

static void try_moves(const struct analysis *a, struct heap *heap, struct reasoner *r, const struct state *s,
                      uint32_t role, const struct list *legal, uint32_t *joint, struct glyph **glyphs,
                      double deadline, const struct trial_list *list, struct touch *out)
{
    struct picture now;
    struct trial_move *tried = heap_zalloc(heap, (legal->n + 1) * sizeof *tried);
    struct state next = {0};
    bool known;
    draw_state(heap, a, r, glyphs, s, &now, &known);
    for (uint32_t k = 0; k < list->n && known; k++) {
        uint32_t i = list->which[k];
        joint[role] = legal->v[i];
        if (clock_now() > deadline || !r->ops->next(r, s, joint, &next)) break;
        draw_state(heap, a, r, glyphs, &next, &tried[i].after, &tried[i].known);
    }
    state_done(&next);
    for (uint32_t k = 0; k < list->n && known; k++) {
        uint32_t i = list->which[k], on = 0;
        if (!tried[i].known) continue;
        uint32_t cell = target_of(&now, tried, list->which, list->n, i, &out[i], role, &on);
        if (cell == NOWHERE) continue;
        bool nameless = out[i].n == 0;
        out[i].board = on;
        out[i].guessed = nameless;
        out[i].cells[out[i].n++] = cell;
        if (nameless) find_zone(a, r->terms, r->ops->move_term(r, role, legal->v[i]), &out[i]);
    }
}

void touch_moves(const struct analysis *a, struct heap *heap, struct reasoner *r, const struct state *s,
                 uint32_t role, const struct list *legal, const uint32_t *others, struct glyph **glyphs,
                 double deadline, struct touch *out)
{
    struct trial_list list = {.n = 0};
    bool many = legal->n > TRIED_MAX;
    for (uint32_t i = 0; i < legal->n; i++)
        find_named(a, r->terms, r->ops->move_term(r, role, legal->v[i]), &out[i]);
    for (uint32_t i = 0; i < legal->n && !many; i++)
        if (wants_trial(out, legal->n, i)) list.which[list.n++] = i;
    if (list.n < 2 || a->boards.n == 0) return;
    uint32_t *joint = heap_alloc(heap, a->game->nroles * sizeof *joint);
    memcpy(joint, others, a->game->nroles * sizeof *joint);
    try_moves(a, heap, r, s, role, legal, joint, glyphs, deadline, &list, out);
}
