// SPDX-License-Identifier: GPL-3.0-or-later
/* Rolit and Othello (003 section IV-C, after Buro): an 8x8 board on which pieces that bear the names of the
 * roles are put and turned, and the one with most of them wins. A position is worth the mean of what its
 * patterns were worth in random games of the very game, at that stage: the lines across and up, the diagonals
 * of at least four squares, and the 2x4 corners, each square empty, own, or somebody else's.
 *
 *     12 stages x (4 lines x 3^8 + 3^4 + 3^5 + 3^6 + 3^7 + 3^8 + 3^8) = 511,272 patterns
 *
 * At first sight corners are best, and squares beside them worst. */
#include "base/rng.h"
#include "search/minimax/samples.h"
#include "search/minimax/squares.h"

#include <stdlib.h>
#include <string.h>

#define SIDE 8u
#define CELLS 64u
#define STAGES 12u
#define SHAPES 42u /* 16 lines, 18 diagonals, 8 corners */
#define POSITIONS 60000u
#define FAITH 20.0f /* games at the mean that a pattern is counted with from the beginning */

struct shape {
    uint8_t n, cell[SIDE];
    uint32_t base; /* where its patterns begin within a stage; the same for those that symmetry makes alike */
};

struct lines {
    struct evaluator base;
    struct squares squares;
    uint32_t nroles;
    struct shape shape[SHAPES];
    uint32_t patterns; /* of a stage */
    float *worth;      /* stage * patterns + pattern: the mean goal, 0..100 */
};

static const uint32_t power[] = {1, 3, 9, 27, 81, 243, 729, 2187, 6561};

static uint8_t cell_number(uint32_t x, uint32_t y)
{
    return (uint8_t)(y * SIDE + x);
}

/* A line of n squares from (x, y) in a direction. */
static struct shape straight(uint32_t x, uint32_t y, int dx, int dy, uint32_t n, uint32_t base)
{
    struct shape s = {.n = (uint8_t)n, .base = base};
    for (uint32_t i = 0; i < SIDE; i++) {
        s.cell[i] = i < n ? cell_number(x, y) : 0;
        x += (uint32_t)dx;
        y += (uint32_t)dy;
    }
    return s;
}

static void lay_out(struct lines *l)
{
    uint32_t n = 0, diagonals = 4 * power[SIDE], base[SIDE + 1] = {0}, corners = diagonals;
    for (uint32_t length = 4; length <= SIDE; length++) {
        base[length] = corners;
        corners += power[length];
    }
    l->patterns = corners + power[SIDE];
    for (uint32_t i = 0; i < SIDE; i++) {
        uint32_t kind = (i < SIDE / 2 ? i : SIDE - 1 - i) * power[SIDE];
        l->shape[n++] = straight(0, i, 1, 0, SIDE, kind);
        l->shape[n++] = straight(i, 0, 0, 1, SIDE, kind);
    }
    for (uint32_t length = 4; length <= SIDE; length++) {
        uint32_t off = SIDE - length;
        l->shape[n++] = straight(off, 0, 1, 1, length, base[length]);
        l->shape[n++] = straight(SIDE - 1 - off, 0, -1, 1, length, base[length]);
        if (off == 0) continue;
        l->shape[n++] = straight(0, off, 1, 1, length, base[length]);
        l->shape[n++] = straight(SIDE - 1, off, -1, 1, length, base[length]);
    }
    for (uint32_t k = 0; k < 8; k++) { /* two ways to lie in each corner */
        struct shape s = {.n = SIDE, .base = corners};
        for (uint32_t i = 0; i < SIDE; i++) {
            uint32_t x = i % 4, y = i / 4, swap = x;
            if (k & 4) x = y, y = swap;
            s.cell[i] = cell_number(k & 1 ? SIDE - 1 - x : x, k & 2 ? SIDE - 1 - y : y);
        }
        l->shape[n++] = s;
    }
}

/* Who is on each square: a role, nroles for nobody's pieces, 255 for nothing. Returns how many are taken. */
static uint32_t read_board(const struct lines *l, const uint64_t *state, uint32_t words, uint8_t *at)
{
    uint32_t taken = 0;
    memset(at, 0xff, CELLS);
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = state[w]; left; left &= left - 1) {
            uint32_t bit = w * 64 + (uint32_t)__builtin_ctzll(left);
            if (l->squares.cell[bit] == SQUARES_NONE) continue;
            at[l->squares.cell[bit]] = (uint8_t)l->squares.owner[bit];
            taken++;
        }
    return taken;
}

static uint32_t stage_of(uint32_t taken)
{
    uint32_t stage = taken < 4 ? 0 : (taken - 4) / 5;
    return stage < STAGES ? stage : STAGES - 1;
}

/* The number of each shape's pattern, as a role sees it. */
static void number_patterns(const struct lines *l, const uint8_t *at, uint32_t role, uint32_t *out)
{
    uint8_t digit[CELLS];
    for (uint32_t i = 0; i < CELLS; i++) digit[i] = at[i] == 0xff ? 0 : at[i] == role ? 1 : 2;
    for (uint32_t k = 0; k < SHAPES; k++) {
        const struct shape *s = &l->shape[k];
        uint32_t code = 0;
        for (uint32_t i = 0; i < s->n; i++) code = 3 * code + digit[s->cell[i]];
        out[k] = s->base + code;
    }
}

static void values(const struct evaluator *e, const struct place *p, float *out)
{
    const struct lines *l = (const struct lines *)e;
    uint8_t at[CELLS];
    uint32_t pattern[SHAPES];
    const float *worth = l->worth + (size_t)stage_of(read_board(l, p->state, p->words, at)) * l->patterns;
    for (uint32_t role = 0; role < l->nroles; role++) {
        float sum = 0;
        number_patterns(l, at, role, pattern);
        for (uint32_t k = 0; k < SHAPES; k++) sum += worth[pattern[k]];
        out[role] = evaluator_band(sum / SHAPES * (float)l->nroles / 100 - 1, l->nroles);
    }
}

static float order(const struct evaluator *e, const struct place *p, const struct place *child, uint32_t role,
                   uint32_t move)
{
    const struct lines *l = (const struct lines *)e;
    uint32_t to = l->squares.to[role][move];
    (void)p, (void)child;
    if (to >= CELLS) return 0;
    uint32_t x = to % SIDE, y = to / SIDE;
    uint32_t ex = x < SIDE - 1 - x ? x : SIDE - 1 - x,
             ey = y < SIDE - 1 - y ? y : SIDE - 1 - y; /* from the edge */
    if (ex == 0 && ey == 0) return 3;
    if (ex <= 1 && ey <= 1) return -3;
    return ex == 0 || ey == 0 ? 1 : 0;
}

static void lines_free(struct evaluator *e)
{
    struct lines *l = (struct lines *)e;
    squares_done(&l->squares);
    free(l->worth);
    free(l);
}

static bool learn(struct lines *l, const struct evaluator_source *from)
{
    struct samples s;
    size_t n = (size_t)STAGES * l->patterns;
    struct samples_order wanted = {.wanted = POSITIONS, .seed = from->seed};
    float *games = malloc(n * sizeof *games);
    l->worth = malloc(n * sizeof *l->worth);
    bool good = games && l->worth && samples_play(&s, from->code, &wanted, from->budget);
    float mean = 100 / (float)l->nroles;
    for (size_t i = 0; i < n && good; i++) games[i] = FAITH, l->worth[i] = FAITH * mean;
    for (uint32_t i = 0; good && i < s.n; i++) {
        uint8_t at[CELLS];
        uint32_t pattern[SHAPES], stage = stage_of(read_board(l, samples_state(&s, i), s.words, at));
        for (uint32_t role = 0; role < l->nroles; role++) {
            number_patterns(l, at, role, pattern);
            for (uint32_t k = 0; k < SHAPES; k++) {
                size_t to = (size_t)stage * l->patterns + pattern[k];
                games[to]++;
                l->worth[to] += s.outcome[(size_t)i * l->nroles + role];
            }
        }
    }
    for (size_t i = 0; i < n && good; i++) l->worth[i] /= games[i];
    if (good) samples_done(&s);
    free(games);
    return good;
}

/* Random games: squares are taken once and for all, pieces change hands, who has most at the end has the best
 * goal. */
static bool plays_like_it(const struct lines *l, const struct evaluator_source *from)
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
            read_board(l, now.w, now.words, at);
            for (uint32_t i = 0; i < CELLS; i++) {
                good &= before[i] == 0xff || at[i] != 0xff;
                turned |= before[i] != 0xff && at[i] != before[i];
            }
            memcpy(before, at, sizeof at);
            good = good && !budget_over(from->budget) && r->ops->terminal(r, &now, &end);
            for (uint32_t role = 0; role < l->nroles && good && !end; role++) {
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
        for (uint32_t role = 0; role < l->nroles; role++) most = count[role] > most ? count[role] : most;
        for (uint32_t role = 0; role < l->nroles && good && end; role++)
            if ((good = reasoner_goal(r, &now, role, &goal)) && goal > best) best = goal;
        for (uint32_t role = 0; role < l->nroles && good && end; role++)
            good = reasoner_goal(r, &now, role, &goal) && (goal == best) == (count[role] == most);
        good &= end;
    }
    state_done(&now);
    state_done(&next);
    list_done(&legal);
    return good && turned;
}

struct evaluator *evaluator_lines(const struct evaluator_source *from)
{
    const struct board *board = from->analysis->boards.n ? &from->analysis->boards.v[0] : NULL;
    uint32_t nroles = from->reasoner->game->nroles;
    if (!board || board->x.n != SIDE || board->y.n != SIDE || board->planes != 1 || nroles > 8) return NULL;
    if (board->nactions != 1 || board->actions[0].from >= 0 || board->actions[0].to < 0) return NULL;
    struct lines *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    *l = (struct lines){.base = {.name = "lines", .values = values, .order = order, .free = lines_free},
                        .nroles = nroles};
    lay_out(l);
    if (squares_init(&l->squares, from, board) && plays_like_it(l, from) && learn(l, from)) return &l->base;
    lines_free(&l->base);
    return NULL;
}
