// SPDX-License-Identifier: GPL-3.0-or-later
/* What stands on a board: the pieces, whose they are, which one is the empty cell, and which arguments of
 * moves say where a piece comes from and goes to.
 *
 * All of it is read off the differences between a state and the next. A piece belongs to the role whose moves
 * put it on cells: the role whose move names the cell, or the only role that had a choice.
 */
#include "analysis/analysis_internal.h"

#include <strings.h>

#define OWNER_SHARE 0.9  /* of the appearances of a piece that must be one role's */
#define ACTION_SHARE 0.6 /* of the moves of a kind that must have a piece leave (or reach) a cell */
#define ACTION_MAX_ARITY 16

struct watcher {
    struct analysis *a;
    const struct sample *s;
    struct board *b;
    uint32_t nterms;
    uint32_t *cell, *piece;    /* by term: where the fact is, and what; NOWHERE if it is not of the board */
    uint64_t arrivals;         /* of a piece on a cell */
    uint64_t from_nothing;     /* ... about which nothing was said before */
    uint32_t *before, *after;  /* by cell: piece */
    uint64_t *votes;           /* by piece * nroles + role: appearances on cells that no move names */
    uint64_t *named_votes;     /* ... on cells that the role's move names, which count before the others */
    bool *yields;              /* by piece: seen to give way to another */
    uint32_t width, coords[4]; /* coordinate arguments of the facts, ascending */
};

static uint32_t add_piece(struct analysis *a, struct board *b, uint32_t *cap, const struct terms *t,
                          term fact)
{
    for (uint32_t p = 0; p < b->npieces; p++) {
        bool same = true;
        for (uint32_t i = 0; i < b->ncontents && same; i++)
            same = b->pieces[p].contents[i] == term_arg(t, fact, b->contents_arg[i]);
        if (same) return p;
    }
    if (b->npieces == *cap) b->pieces = vec_grow(a->heap, b->pieces, cap, *cap + 1, sizeof *b->pieces);
    struct piece *p = &b->pieces[b->npieces];
    *p = (struct piece){.owner = -1, .contents = heap_cut(a->heap, (b->ncontents + 1) * sizeof(term))};
    for (uint32_t i = 0; i < b->ncontents; i++) p->contents[i] = term_arg(t, fact, b->contents_arg[i]);
    return b->npieces++;
}

/* All pieces and cells that occur, and how many of each. */
static void take_stock(struct watcher *w)
{
    struct board *b = w->b;
    const struct sample *s = w->s;
    uint32_t cap = 0, found;
    for (uint32_t i = 0; i < s->facts.n; i++) {
        term fact = s->facts.v[i];
        const struct term_node *node = term_get(s->terms, fact);
        if (w->cell[fact] != NOWHERE || node->head != b->name || node->nargs != b->arity) continue;
        w->piece[fact] = add_piece(w->a, b, &cap, s->terms, fact);
        board_find(w->a, b, s->terms, fact, &w->cell[fact], &found);
        if (w->cell[fact] == NOWHERE || b->exists[w->cell[fact]]) continue;
        b->exists[w->cell[fact]] = true;
        b->nexists++;
    }
    uint32_t *now = heap_alloc(w->a->heap, b->npieces * sizeof *now);
    for (uint32_t i = 0; i < s->shots.n; i++) {
        heap_poll(s->heap);
        const struct snapshot *shot = &s->shots.v[i];
        memset(now, 0, b->npieces * sizeof *now);
        for (uint32_t j = 0; j < shot->nfacts; j++) {
            uint32_t p = w->piece[s->facts.v[shot->facts + j]];
            if (p == NOWHERE) continue;
            b->pieces[p].count++;
            if (++now[p] > b->pieces[p].most) b->pieces[p].most = now[p];
        }
    }
    heap_release(w->a->heap, now);
}

static void fill(const struct watcher *w, const struct snapshot *shot, uint32_t *cells)
{
    memset(cells, 0xff, w->b->cells * sizeof *cells);
    for (uint32_t j = 0; j < shot->nfacts; j++) {
        term fact = w->s->facts.v[shot->facts + j];
        if (w->cell[fact] != NOWHERE) cells[w->cell[fact]] = w->piece[fact];
    }
}

/* The cell that arguments `at`, `at` + 1, ... of a move name, or NOWHERE. */
static uint32_t named_cell(const struct watcher *w, term move, uint32_t at)
{
    const struct board *b = w->b;
    const struct terms *t = w->s->terms;
    uint32_t place[4] = {0}, arg_of[4] = {b->x_arg, b->y_arg, b->plane_arg[0], b->plane_arg[1]};
    if (at + w->width > term_get(t, move)->nargs) return NOWHERE;
    for (uint32_t axis = 0; axis < 2 + b->nplane_args; axis++) {
        uint32_t offset = 0;
        while (w->coords[offset] != arg_of[axis]) offset++;
        term value = term_arg(t, move, at + offset);
        place[axis] = value < b->nterms ? b->cell_of[axis][value] : NOWHERE;
        if (place[axis] == NOWHERE) return NOWHERE;
    }
    uint32_t plane = place[2];
    if (b->nplane_args > 1) plane = plane * b->plane_axis[1].n + place[3];
    return board_cell(b, plane, place[0], place[1]);
}

static bool names_cell(const struct watcher *w, term move, uint32_t cell)
{
    for (uint32_t at = 0; at < term_get(w->s->terms, move)->nargs; at++)
        if (named_cell(w, move, at) == cell) return true;
    return false;
}

/* The role that changed the cell: the only one whose move names it (*named = true), or the only one with a
 * choice; -1: hard to say. */
static int who_did(const struct watcher *w, const struct snapshot *shot, uint32_t cell, bool *named)
{
    int naming = -1, choosing = -1;
    uint32_t nnaming = 0, nchoosing = 0;
    for (uint32_t role = 0; role < w->a->game->nroles; role++) {
        if (w->s->choices.v[shot->choices + role] > 1) choosing = (int)role, nchoosing++;
        if (names_cell(w, w->s->moves.v[shot->moves + role], cell)) naming = (int)role, nnaming++;
    }
    *named = nnaming == 1;
    return nnaming == 1 ? naming : nchoosing == 1 ? choosing : -1;
}

/* Was a move made in the i-th snapshot? Then `before` and `after` are filled in. */
static bool step_at(struct watcher *w, uint32_t i)
{
    const struct snapshot *shot = &w->s->shots.v[i];
    if (shot->moves == NOWHERE || i + 1 == w->s->shots.n || shot[1].ply != shot->ply + 1) return false;
    fill(w, shot, w->before);
    fill(w, shot + 1, w->after);
    return true;
}

/* Look at everything that came to a cell in one step. */
static void vote(struct watcher *w, const struct snapshot *shot)
{
    for (uint32_t c = 0; c < w->b->cells; c++) {
        if (w->before[c] == w->after[c]) continue;
        if (w->before[c] != NOWHERE) w->yields[w->before[c]] = true;
        if (w->after[c] == NOWHERE) continue;
        w->arrivals++;
        w->from_nothing += w->before[c] == NOWHERE;
        bool named;
        int role = who_did(w, shot, c, &named);
        uint64_t *votes = named ? w->named_votes : w->votes;
        if (role >= 0) votes[w->after[c] * w->a->game->nroles + (uint32_t)role]++;
    }
}

static uint64_t sum(const uint64_t *votes, uint32_t n)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < n; i++) all += votes[i];
    return all;
}

static void decide_owners(struct watcher *w)
{
    uint32_t nroles = w->a->game->nroles;
    for (uint32_t p = 0; p < w->b->npieces; p++) {
        struct piece *piece = &w->b->pieces[p];
        const uint64_t *votes = w->named_votes + p * nroles;
        if (sum(votes, nroles) == 0) votes = w->votes + p * nroles;
        uint64_t all = sum(votes, nroles);
        for (uint32_t role = 0; role < nroles && all > 0; role++)
            if ((double)votes[role] >= OWNER_SHARE * (double)all) piece->owner = (int)role;
        /* A piece that never moved may bear its owner's name. */
        for (uint32_t i = 0; i < w->b->ncontents && all == 0; i++)
            for (uint32_t role = 0; role < nroles; role++)
                if (piece->contents[i] == w->a->game->roles[role]) piece->owner = (int)role;
    }
}

static bool called_blank(const struct watcher *w, const struct piece *p)
{
    static const char *const names[] = {"b", "blank", "empty", "e", "none", "nothing", "free", "space"};
    if (w->b->ncontents != 1) return false;
    const char *name = symbol_name(w->s->terms, term_get(w->s->terms, p->contents[0])->head);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(name, names[i]) == 0) return true;
    return false;
}

/* The empty cell belongs to nobody and gives way; and where it is told, pieces rarely come to cells about
 * which nothing was said. The name only breaks ties, and decides in one-player games, where everything is put
 * there by the same role, and where a cell holds several things. */
static void decide_blank(struct watcher *w)
{
    struct board *b = w->b;
    uint32_t best = NOWHERE;
    if (b->kind == BOARD_CELLS && w->from_nothing * 4 > w->arrivals) return;
    for (uint32_t p = 0; p < b->npieces; p++) {
        bool called = called_blank(w, &b->pieces[p]);
        bool fits = w->a->game->nroles == 1 || b->kind != BOARD_CELLS ? called : b->pieces[p].owner < 0;
        if (!fits || !w->yields[p]) continue;
        if (best == NOWHERE || (called && !called_blank(w, &b->pieces[best])) ||
            (called == called_blank(w, &b->pieces[best]) && b->pieces[p].count > b->pieces[best].count))
            best = p;
    }
    if (best == NOWHERE) return;
    b->pieces[best].blank = true;
    b->pieces[best].owner = -1;
}

/* Do pieces stay what they are, or give way to others where they stand? */
static void count_changes(struct watcher *w)
{
    struct board *b = w->b;
    for (uint32_t c = 0; c < b->cells; c++) {
        if (w->before[c] == w->after[c] || w->after[c] == NOWHERE || b->pieces[w->after[c]].blank) continue;
        b->arrivals++;
        b->changed += w->before[c] != NOWHERE && !b->pieces[w->before[c]].blank;
    }
}

/* ---- moves */

static uint64_t *tally_of(struct watcher *w, term move, uint32_t *cap, uint64_t **tallies)
{
    struct board *b = w->b;
    const struct term_node *node = term_get(w->s->terms, move);
    uint32_t i = 0;
    while (i < b->nactions && (b->actions[i].name != node->head || b->actions[i].arity != node->nargs)) i++;
    if (i == b->nactions) {
        if (b->nactions == *cap) {
            uint32_t grown = *cap;
            b->actions = vec_grow(w->a->heap, b->actions, cap, *cap + 1, sizeof *b->actions);
            *tallies = vec_grow(w->a->heap, *tallies, &grown, *cap, 2 * ACTION_MAX_ARITY * sizeof **tallies);
        }
        b->actions[b->nactions++] =
            (struct action){.name = node->head, .arity = node->nargs, .from = -1, .to = -1};
        memset(*tallies + (size_t)i * 2 * ACTION_MAX_ARITY, 0, 2 * ACTION_MAX_ARITY * sizeof **tallies);
    }
    b->actions[i].count++;
    return *tallies + (size_t)i * 2 * ACTION_MAX_ARITY;
}

static bool is_man(const struct watcher *w, uint32_t piece, uint32_t role)
{
    if (piece == NOWHERE || w->b->pieces[piece].blank) return false;
    return w->b->pieces[piece].owner == (int)role || w->b->pieces[piece].owner < 0;
}

/* For each kind of move and each argument: how often a man of the mover left the cell that begins there, and
 * how often one arrived. */
static void watch_moves(struct watcher *w)
{
    uint32_t cap = 0;
    uint64_t *tallies = NULL;
    for (uint32_t i = 0; i < w->s->shots.n; i++) {
        heap_poll(w->s->heap);
        const struct snapshot *shot = &w->s->shots.v[i];
        if (!step_at(w, i)) continue;
        for (uint32_t role = 0; role < w->a->game->nroles; role++) {
            term move = w->s->moves.v[shot->moves + role];
            uint32_t nargs = term_get(w->s->terms, move)->nargs;
            if (nargs < w->width || nargs > ACTION_MAX_ARITY) continue;
            uint64_t *tally = tally_of(w, move, &cap, &tallies);
            for (uint32_t at = 0; at < nargs; at++) {
                uint32_t c = named_cell(w, move, at);
                if (c == NOWHERE || w->before[c] == w->after[c]) continue;
                tally[at] += is_man(w, w->before[c], role) && !is_man(w, w->after[c], role);
                tally[ACTION_MAX_ARITY + at] += is_man(w, w->after[c], role);
            }
        }
    }
    for (uint32_t i = 0; i < w->b->nactions; i++) {
        struct action *action = &w->b->actions[i];
        uint64_t *from = tallies + (size_t)i * 2 * ACTION_MAX_ARITY, *to = from + ACTION_MAX_ARITY;
        double enough = ACTION_SHARE * (double)action->count;
        for (uint32_t at = 0; at < action->arity; at++) {
            if ((double)to[at] >= enough)
                action->to = (int)at; /* the last such: where a chain of jumps ends */
            if ((double)from[at] >= enough && action->from < 0) action->from = (int)at;
        }
        if (action->from == action->to) action->from = -1;
    }
    heap_release(w->a->heap, tallies);
    /* Only moves that put something on this board are its actions. */
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->b->nactions; i++)
        if (w->b->actions[i].to >= 0) w->b->actions[kept++] = w->b->actions[i];
    w->b->nactions = kept;
}

/* Cells that no sampled game touched, but that legal moves lead to. */
static void extend_by_offers(struct watcher *w)
{
    struct board *b = w->b;
    for (uint32_t i = 0; i < w->s->offered.n; i++) {
        const struct term_node *node = term_get(w->s->terms, w->s->offered.v[i]);
        for (uint32_t k = 0; k < b->nactions; k++) {
            const struct action *action = &b->actions[k];
            if (action->name != node->head || action->arity != node->nargs) continue;
            uint32_t c = named_cell(w, w->s->offered.v[i], (uint32_t)action->to);
            if (c == NOWHERE || b->exists[c]) continue;
            b->exists[c] = true;
            b->nexists++;
        }
    }
}

void pieces_find(struct analysis *a, const struct sample *s, struct board *b)
{
    struct watcher w = {.a = a, .s = s, .b = b, .nterms = s->terms->nodes.n};
    w.cell = heap_alloc(a->heap, w.nterms * sizeof *w.cell);
    w.piece = heap_alloc(a->heap, w.nterms * sizeof *w.piece);
    memset(w.cell, 0xff, w.nterms * sizeof *w.cell);
    memset(w.piece, 0xff, w.nterms * sizeof *w.piece);
    take_stock(&w);
    for (uint32_t arg = 0; arg < b->arity; arg++) {
        bool coordinate = arg == b->x_arg || arg == b->y_arg ||
                          (b->nplane_args > 0 && arg == b->plane_arg[0]) ||
                          (b->nplane_args > 1 && arg == b->plane_arg[1]);
        if (coordinate) w.coords[w.width++] = arg;
    }
    w.before = heap_alloc(a->heap, b->cells * sizeof *w.before);
    w.after = heap_alloc(a->heap, b->cells * sizeof *w.after);
    w.votes = heap_zalloc(a->heap, (size_t)b->npieces * a->game->nroles * sizeof *w.votes);
    w.named_votes = heap_zalloc(a->heap, (size_t)b->npieces * a->game->nroles * sizeof *w.named_votes);
    w.yields = heap_zalloc(a->heap, b->npieces * sizeof *w.yields);
    for (uint32_t i = 0; i < s->shots.n; i++) {
        heap_poll(a->heap);
        if (step_at(&w, i)) vote(&w, &s->shots.v[i]);
    }
    decide_owners(&w);
    decide_blank(&w);
    for (uint32_t i = 0; i < s->shots.n; i++)
        if (step_at(&w, i)) count_changes(&w);
    if (b->kind != BOARD_TOKENS) watch_moves(&w);
    extend_by_offers(&w);
    if (b->kind == BOARD_MARKS) b->nactions = 0; /* what puts marks there is of no use to anybody else */
    heap_release(a->heap, w.cell);
    heap_release(a->heap, w.piece);
    heap_release(a->heap, w.before);
    heap_release(a->heap, w.after);
    heap_release(a->heap, w.votes);
    heap_release(a->heap, w.named_votes);
    heap_release(a->heap, w.yields);
}
