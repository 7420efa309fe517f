// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/minimax/patterns.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

#define SIDE ((uint32_t)PATTERNS_SIDE)
#define CELLS ((uint32_t)PATTERNS_CELLS)
#define STAGES ((uint32_t)PATTERNS_STAGES)
#define SHAPES ((uint32_t)PATTERNS_SHAPES)

static const uint32_t power[] = {1, 3, 9, 27, 81, 243, 729, 2187, 6561};

static uint8_t cell_number(uint32_t x, uint32_t y)
{
    return (uint8_t)(y * SIDE + x);
}

/* A line of n squares from (x, y) in a direction. */
static struct patterns_shape straight(uint32_t x, uint32_t y, int dx, int dy, uint32_t n, uint32_t base)
{
    struct patterns_shape s = {.n = (uint8_t)n, .base = base};
    for (uint32_t i = 0; i < SIDE; i++) {
        s.cell[i] = i < n ? cell_number(x, y) : 0;
        x += (uint32_t)dx;
        y += (uint32_t)dy;
    }
    return s;
}

static void lay_out(struct patterns *p)
{
    uint32_t n = 0, diagonals = 4 * power[SIDE], base[SIDE + 1] = {0}, corners = diagonals;
    for (uint32_t length = 4; length <= SIDE; length++) {
        base[length] = corners;
        corners += power[length];
    }
    p->of_stage = corners + power[SIDE];
    for (uint32_t i = 0; i < SIDE; i++) {
        uint32_t kind = (i < SIDE / 2 ? i : SIDE - 1 - i) * power[SIDE];
        p->shape[n++] = straight(0, i, 1, 0, SIDE, kind);
        p->shape[n++] = straight(i, 0, 0, 1, SIDE, kind);
    }
    for (uint32_t length = 4; length <= SIDE; length++) {
        uint32_t off = SIDE - length;
        p->shape[n++] = straight(off, 0, 1, 1, length, base[length]);
        p->shape[n++] = straight(SIDE - 1 - off, 0, -1, 1, length, base[length]);
        if (off == 0) continue;
        p->shape[n++] = straight(0, off, 1, 1, length, base[length]);
        p->shape[n++] = straight(SIDE - 1, off, -1, 1, length, base[length]);
    }
    for (uint32_t k = 0; k < 8; k++) { /* two ways to lie in each corner */
        struct patterns_shape s = {.n = SIDE, .base = corners};
        for (uint32_t i = 0; i < SIDE; i++) {
            uint32_t x = i % 4, y = i / 4, swap = x;
            if (k & 4) x = y, y = swap;
            s.cell[i] = cell_number(k & 1 ? SIDE - 1 - x : x, k & 2 ? SIDE - 1 - y : y);
        }
        p->shape[n++] = s;
    }
    for (uint32_t k = 0; k < SHAPES; k++)
        for (uint32_t i = 0; i < p->shape[k].n; i++)
            for (uint32_t digit = 1; digit < 3; digit++)
                p->worth[p->shape[k].cell[i]][digit - 1][k] =
                    (uint16_t)(digit * power[p->shape[k].n - 1 - i]);
}

static uint32_t stage_of(uint32_t taken)
{
    uint32_t stage = taken < 4 ? 0 : (taken - 4) / 5;
    return stage < STAGES ? stage : STAGES - 1;
}

void patterns_look(const struct patterns *p, const uint64_t *state, uint32_t words,
                   struct patterns_view *view)
{
    view->n = 0;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = state[w]; left; left &= left - 1) {
            uint32_t bit = w * 64 + (uint32_t)__builtin_ctzll(left);
            if (p->squares.cell[bit] == SQUARES_NONE || view->n == CELLS) continue;
            view->cell[view->n] = (uint8_t)p->squares.cell[bit];
            view->owner[view->n++] = (uint8_t)p->squares.owner[bit];
        }
}

/* Eight numbers at once; wherever they lie. */
typedef uint16_t eight __attribute__((vector_size(16)));
typedef uint16_t eight_anywhere __attribute__((vector_size(16), aligned(2), may_alias));

/* A square is a digit to the base of three: empty 0, own 1, somebody else's 2. */
void patterns_number(const struct patterns *p, const struct patterns_view *view, uint32_t role,
                     uint32_t number[PATTERNS_SHAPES])
{
    uint16_t code[PATTERNS_ROOM];
    eight a = {0}, b = a, c = a, d = a, e = a, f = a;
    uint32_t first = stage_of(view->n) * p->of_stage;
    for (uint32_t i = 0; i < view->n; i++) {
        const eight_anywhere *w = (const eight_anywhere *)p->worth[view->cell[i]][view->owner[i] != role];
        a += w[0], b += w[1], c += w[2], d += w[3], e += w[4], f += w[5];
    }
    eight sum[PATTERNS_ROOM / 8] = {a, b, c, d, e, f};
    memcpy(code, sum, sizeof code);
    for (uint32_t k = 0; k < SHAPES; k++) number[k] = first + p->shape[k].base + code[k];
}

/* Who is on each square: a role, nroles for nobody's pieces, 255 for nothing. */
static void read_board(const struct patterns *p, const uint64_t *state, uint32_t words, uint8_t *at)
{
    struct patterns_view view;
    patterns_look(p, state, words, &view);
    memset(at, 0xff, CELLS);
    for (uint32_t i = 0; i < view.n; i++) at[view.cell[i]] = view.owner[i];
}

/* Random games tell. */
static bool plays_like_it(const struct patterns *p, const struct evaluator_source *from)
{
    enum { GAMES = 6, TOO_LONG = 200 };
    struct reasoner *r = from->reasoner;
    struct state now = {0}, next = {0};
    struct list legal = {0};
    struct rng rng;
    bool good = true, turned = false;
    rng_init(&rng, from->seed);
    for (uint32_t game = 0; game < GAMES && good; game++) {
        bool end = false;
        uint8_t at[CELLS], before[CELLS];
        good = r->ops->initial(r, &now);
        memset(before, 0xff, sizeof before);
        for (uint32_t step = 0; good && !end && step < TOO_LONG; step++) {
            uint32_t joint[MINIMAX_MAX_ROLES];
            read_board(p, now.w, now.words, at);
            for (uint32_t i = 0; i < CELLS; i++) {
                good &= before[i] == 0xff || at[i] != 0xff;
                turned |= before[i] != 0xff && at[i] != before[i];
            }
            memcpy(before, at, sizeof at);
            good = good && !budget_over(from->budget) && r->ops->terminal(r, &now, &end);
            for (uint32_t role = 0; role < p->nroles && good && !end; role++) {
                legal.n = 0;
                good = r->ops->legal(r, &now, role, &legal) && legal.n > 0;
                if (good) joint[role] = legal.v[rng_below(&rng, legal.n)];
            }
            if (!good || end) break;
            good = r->ops->next(r, &now, joint, &next);
            struct state swap = now;
            now = next;
            next = swap;
        }
        uint32_t count[256] = {0}, most = 0;
        int goal, best = 0;
        for (uint32_t i = 0; i < CELLS; i++) count[at[i]]++;
        for (uint32_t role = 0; role < p->nroles; role++) most = count[role] > most ? count[role] : most;
        for (uint32_t role = 0; role < p->nroles && good && end; role++)
            if ((good = reasoner_goal(r, &now, role, &goal)) && goal > best) best = goal;
        for (uint32_t role = 0; role < p->nroles && good && end; role++)
            good = reasoner_goal(r, &now, role, &goal) && (goal == best) == (count[role] == most);
        good &= end;
    }
    state_done(&now);
    state_done(&next);
    list_done(&legal);
    return good && turned;
}

bool patterns_init(struct patterns *p, const struct evaluator_source *from)
{
    const struct board *board = from->analysis->boards.n ? &from->analysis->boards.v[0] : NULL;
    uint32_t nroles = from->reasoner->game->nroles;
    if (!board || board->x.n != SIDE || board->y.n != SIDE || board->planes != 1 || nroles > 8) return false;
    if (board->nactions != 1 || board->actions[0].from >= 0 || board->actions[0].to < 0) return false;
    *p = (struct patterns){.nroles = nroles};
    lay_out(p);
    p->count = STAGES * p->of_stage;
    return squares_init(&p->squares, from, board);
}

void patterns_done(struct patterns *p)
{
    squares_done(&p->squares);
}

/* --- Evaluations by them -------------------------------------------------------------------------------- */

static float order(const struct evaluator *e, const struct place *place, const struct place *child,
                   uint32_t role, uint32_t move)
{
    uint32_t to = ((const struct patterned *)e)->patterns.squares.to[role][move];
    (void)place, (void)child;
    if (to >= CELLS) return 0;
    uint32_t x = to % SIDE, y = to / SIDE;
    uint32_t ex = x < SIDE - 1 - x ? x : SIDE - 1 - x,
             ey = y < SIDE - 1 - y ? y : SIDE - 1 - y; /* from the edge */
    if (ex == 0 && ey == 0) return 3;
    if (ex <= 1 && ey <= 1) return -3;
    return ex == 0 || ey == 0 ? 1 : 0;
}

static void patterned_free(struct evaluator *e)
{
    struct patterned *x = (struct patterned *)e;
    patterns_done(&x->patterns);
    free(x->weight);
    free(x);
}

struct patterned *patterned_new(const struct evaluator_source *from)
{
    struct patterned *x = calloc(1, sizeof *x);
    if (!x || !patterns_init(&x->patterns, from)) return free(x), NULL;
    x->base = (struct evaluator){.order = order, .free = patterned_free};
    x->weight = calloc(x->patterns.count, sizeof *x->weight);
    if (x->weight && plays_like_it(&x->patterns, from)) return x;
    patterned_free(&x->base);
    return NULL;
}
