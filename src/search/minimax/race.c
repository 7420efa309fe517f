// SPDX-License-Identifier: GPL-3.0-or-later
/* Chinese Checkers (003 section IV-A), and whatever has its shape: a star or another board of fields with six
 * neighbours, pieces that bear the names of the roles and step to a neighbour or jump over pieces, and a home
 * for each role that pieces do not leave and that ends the game when it is full.
 *
 * All this is found by asking the rules: the neighbours of a field are where a piece that is alone goes; a
 * home is where it cannot leave from; that jumps are jumps is tried with placements at random. A position is
 * worth the number of moves a lone player would need (race_table.h). Roles differ by a turn of the board; the
 * table is made for the first. It has the fields of the middle and the role's two corners: who stands in
 * another corner is counted from the nearest such field, and the moves to there are added.
 *
 * Without a table (not made yet, and no time for it) it is the steps that all pieces have to go.
 *
 * At first sight moves are good that come closer to home. */
#include "search/minimax/race_table.h"
#include "search/minimax/squares.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

#define SLOWEST 20.0f       /* so many moves are 0 points, twice as many -1 */
#define STEPS_PER_MOVE 3.0f /* without a table */
#define LONG_ENOUGH 60.0    /* seconds in which a table may be made */
#define TRIALS 24

struct runner {
    uint8_t field[RACE_MAX_FIELDS];    /* by cell number (see `number`): in the table's numbering */
    uint8_t distance[RACE_MAX_FIELDS]; /* steps to home by cell number */
};

struct race {
    struct evaluator base;
    struct squares squares;
    uint32_t nroles, nfields, pieces;
    uint8_t *number; /* by cell of the board: its field, RACE_NOWHERE: none */
    uint16_t cell[RACE_MAX_FIELDS];
    int q[RACE_MAX_FIELDS], r[RACE_MAX_FIELDS]; /* from the middle */
    uint8_t beside[RACE_MAX_FIELDS][6];
    bool home[MINIMAX_MAX_ROLES][RACE_MAX_FIELDS], start[MINIMAX_MAX_ROLES][RACE_MAX_FIELDS];
    struct runner runner[MINIMAX_MAX_ROLES];
    struct race_board lone;            /* of the first role, renumbered */
    uint8_t order_of[RACE_MAX_FIELDS]; /* table's number -> field */
    uint8_t inner[RACE_MAX_FIELDS],
        extra[RACE_MAX_FIELDS]; /* by table's number: the field it counts as, moves */
    struct race_table *table;
};

/* --- Judging -------------------------------------------------------------------------------------------- */

static float lone_moves(const struct race *x, uint32_t role, const uint8_t *fields)
{
    const struct runner *runner = &x->runner[role];
    uint8_t at[RACE_MAX_PIECES];
    float more = 0;
    if (!x->table) {
        for (uint32_t i = 0; i < x->pieces; i++) more += runner->distance[fields[i]];
        return more / STEPS_PER_MOVE;
    }
    for (uint32_t i = 0; i < x->pieces; i++) {
        uint8_t field = runner->field[fields[i]];
        at[i] = x->inner[field];
        more += x->extra[field];
        for (uint32_t k = 0; k < i; k++)
            if (at[k] == at[i]) { /* somebody is there already: the nearest that is free */
                uint8_t free = 0;
                for (bool used = true; used && free < x->lone.ninner; free += used) {
                    used = false;
                    for (uint32_t j = 0; j < i; j++) used |= at[j] == free;
                }
                at[i] = free < x->lone.ninner ? free : at[i];
                k = i;
            }
    }
    for (uint32_t i = 0; i < x->pieces; i++)
        for (uint32_t k = 0; k < i; k++)
            if (at[i] == at[k]) return more + SLOWEST;
    return more + (float)race_table_moves(x->table, at);
}

static void values(const struct evaluator *e, const struct place *p, float *out)
{
    const struct race *x = (const struct race *)e;
    uint8_t fields[MINIMAX_MAX_ROLES][RACE_MAX_PIECES];
    uint32_t n[MINIMAX_MAX_ROLES] = {0};
    for (uint32_t w = 0; w < p->words; w++)
        for (uint64_t left = p->state[w]; left; left &= left - 1) {
            uint32_t bit = w * 64 + (uint32_t)__builtin_ctzll(left), role = x->squares.owner[bit];
            if (role < x->nroles && n[role] < x->pieces)
                fields[role][n[role]++] = x->number[x->squares.cell[bit]];
        }
    for (uint32_t role = 0; role < x->nroles; role++) {
        float moves = n[role] == x->pieces ? lone_moves(x, role, fields[role]) : 2 * SLOWEST;
        out[role] = evaluator_band(1 - moves / SLOWEST, x->nroles);
    }
}

static float order(const struct evaluator *e, const struct place *p, const struct place *child, uint32_t role,
                   uint32_t move)
{
    const struct race *x = (const struct race *)e;
    uint32_t from = x->squares.from[role][move], to = x->squares.to[role][move];
    (void)p, (void)child;
    if (from == SQUARES_NONE || to == SQUARES_NONE) return 0;
    const uint8_t *distance = x->runner[role].distance;
    return (float)distance[x->number[from]] - (float)distance[x->number[to]];
}

static void race_free(struct evaluator *e)
{
    struct race *x = (struct race *)e;
    squares_done(&x->squares);
    race_table_free(x->table);
    free(x->number);
    free(x);
}

/* --- Asking the rules ----------------------------------------------------------------------------------- */

struct question {
    struct race *x;
    const struct evaluator_source *from;
    struct state empty, asked; /* without pieces */
    struct list legal;
};

static void put_piece(struct question *k, uint32_t role, uint32_t field)
{
    uint32_t bit = k->x->squares.bit[(size_t)role * k->x->squares.cells + k->x->cell[field]];
    if (bit != UINT32_MAX) k->asked.w[bit / 64] |= 1ull << bit % 64;
}

/* A board with nothing on it, the role to move. */
static bool clear(struct question *k, uint32_t role)
{
    if (!state_copy(&k->asked, &k->empty)) return false;
    passing_give(k->from->passing, k->asked.w, role);
    return true;
}

/* The fields that pieces of a role can go to from a field. */
static bool ask(struct question *k, uint32_t role, uint32_t from, bool *out)
{
    const struct squares *s = &k->x->squares;
    struct reasoner *r = k->from->reasoner;
    memset(out, 0, RACE_MAX_FIELDS);
    k->legal.n = 0;
    if (!r->ops->legal(r, &k->asked, role, &k->legal)) return false;
    for (uint32_t i = 0; i < k->legal.n; i++) {
        uint32_t a = s->from[role][k->legal.v[i]], b = s->to[role][k->legal.v[i]];
        if (a != SQUARES_NONE && b != SQUARES_NONE && k->x->number[a] == from) out[k->x->number[b]] = true;
    }
    return true;
}

static const int direction[6][2] = {{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}};

static uint8_t field_at(const struct race *x, int q, int r)
{
    for (uint32_t f = 0; f < x->nfields; f++)
        if (x->q[f] == q && x->r[f] == r) return (uint8_t)f;
    return RACE_NOWHERE;
}

/* Fields, and where they lie from the middle. A board whose diagonal goes the other way is mirrored. */
static bool find_fields(struct race *x, const struct board *b)
{
    int sum_x = 0, sum_y = 0;
    x->number = malloc(b->cells);
    if (!x->number) return false;
    memset(x->number, RACE_NOWHERE, b->cells);
    for (uint32_t c = 0; c < b->cells; c++) {
        if (x->squares.bit[c] == UINT32_MAX) continue; /* the first role is never there */
        if (x->nfields == RACE_MAX_FIELDS) return false;
        x->number[c] = (uint8_t)x->nfields;
        x->cell[x->nfields++] = (uint16_t)c;
        sum_x += (int)(c % b->x.n);
        sum_y += (int)(c / b->x.n);
    }
    int n = (int)x->nfields;
    if (n < 7) return false;
    if (sum_x % n || sum_y % n) return false;
    for (uint32_t f = 0; f < x->nfields; f++) {
        x->q[f] = (int)(x->cell[f] % b->x.n) - sum_x / n;
        x->r[f] = (int)(x->cell[f] / b->x.n) - sum_y / n;
    }
    for (uint32_t f = 0; f < x->nfields; f++)
        for (uint32_t d = 0; d < 6; d++)
            x->beside[f][d] = field_at(x, x->q[f] + direction[d][0], x->r[f] + direction[d][1]);
    return true;
}

/* A piece alone goes to all neighbours; but where it does not leave is home, with all that it can reach
 * there. */
static bool find_home(struct question *k, uint32_t role)
{
    struct race *x = k->x;
    bool go[RACE_MAX_FIELDS];
    uint8_t home[RACE_MAX_FIELDS];
    uint32_t n = 0;
    for (uint32_t f = 0; f < x->nfields; f++) {
        uint32_t beside = 0, gone = 0, all = 0;
        if (!clear(k, role)) return false;
        put_piece(k, role, f);
        if (!ask(k, role, f, go)) return false;
        for (uint32_t d = 0; d < 6; d++) {
            if (x->beside[f][d] == RACE_NOWHERE) continue;
            beside++;
            gone += go[x->beside[f][d]];
        }
        for (uint32_t to = 0; to < x->nfields; to++) all += go[to];
        if (all != gone) return false;
        x->home[role][f] = gone < beside;
        if (gone < beside) home[n++] = (uint8_t)f;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!clear(k, role)) return false;
        put_piece(k, role, home[i]);
        if (!ask(k, role, home[i], go)) return false;
        for (uint32_t to = 0; to < x->nfields; to++)
            if (go[to] && !x->home[role][to]) x->home[role][to] = true, home[n++] = (uint8_t)to;
    }
    return n == x->pieces;
}

/* A full home is the end, and the best there is. */
static bool home_wins(struct question *k, uint32_t role)
{
    struct reasoner *r = k->from->reasoner;
    bool end = false;
    int goal = 0;
    if (!clear(k, role)) return false;
    for (uint32_t f = 0; f < k->x->nfields; f++)
        if (k->x->home[role][f]) put_piece(k, role, f);
    return r->ops->terminal(r, &k->asked, &end) && end && reasoner_goal(r, &k->asked, role, &goal) &&
           goal == 100;
}

static bool jumps_are_jumps(struct question *k, uint32_t role)
{
    struct race *x = k->x;
    struct race_board plain = {.nfields = x->nfields};
    struct rng rng;
    memcpy(plain.beside, x->beside, sizeof plain.beside);
    rng_init(&rng, role + 1);
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        bool taken[RACE_MAX_FIELDS] = {false}, go[RACE_MAX_FIELDS], model[RACE_MAX_FIELDS];
        uint8_t field = 0, to[RACE_MAX_FIELDS];
        if (!clear(k, role)) return false;
        for (uint32_t i = 0; i < x->pieces;
             i++) { /* close together, so that there is something to jump over */
            do field = (uint8_t)rng_below(&rng, x->nfields);
            while (taken[field] || abs(x->q[field]) + abs(x->r[field]) > 4);
            taken[field] = true;
            put_piece(k, role, field);
        }
        if (!ask(k, role, field, go)) return false;
        memset(model, 0, sizeof model);
        uint32_t n = race_reach(&plain, taken, field, to);
        for (uint32_t i = 0; i < n; i++) model[to[i]] = !x->home[role][field] || x->home[role][to[i]];
        if (memcmp(go, model, sizeof go) != 0) return false;
    }
    return true;
}

/* --- One table for all ---------------------------------------------------------------------------------- */

/* A sixth of a turn, so many times. */
static void turn(int *q, int *r, uint32_t times)
{
    for (; times; times--) {
        int old = *q;
        *q = -*r;
        *r += old;
    }
}

/* Turn the role's board until its home and start lie where the first role's are. */
static bool turn_to_first(struct race *x, uint32_t role, uint8_t *to)
{
    for (uint32_t times = 0; times < 6; times++) {
        bool fits = true;
        for (uint32_t f = 0; f < x->nfields && fits; f++) {
            int q = x->q[f], r = x->r[f];
            turn(&q, &r, times);
            to[f] = field_at(x, q, r);
            fits = to[f] != RACE_NOWHERE && x->home[role][f] == x->home[0][to[f]] &&
                   x->start[role][f] == x->start[0][to[f]];
        }
        if (fits) return true;
    }
    return false;
}

static uint32_t radius(const struct race *x, uint32_t f)
{
    int a = abs(x->q[f]), b = abs(x->r[f]), c = abs(x->q[f] + x->r[f]);
    return (uint32_t)(a > b ? (a > c ? a : c) : (b > c ? b : c));
}

/* The fields of the table first: the middle, and the first role's two corners. The middle is the largest
 * hexagon that is all there. */
static void number_fields(struct race *x, uint8_t *number)
{
    uint32_t size = 0, n = 0;
    for (uint32_t count = 1;; size++) {
        uint32_t there = 0;
        for (uint32_t f = 0; f < x->nfields; f++) there += radius(x, f) <= size + 1;
        count += 6 * (size + 1);
        if (there != count) break;
    }
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t f = 0; f < x->nfields; f++) {
            bool inner = radius(x, f) <= size || x->home[0][f] || x->start[0][f];
            if (inner == (pass == 1)) continue;
            number[f] = (uint8_t)n;
            x->order_of[n++] = (uint8_t)f;
        }
        if (pass == 0) x->lone.ninner = n;
    }
}

/* Steps between fields. */
static void measure(const struct race *x, const bool *to, uint8_t *out)
{
    uint8_t queue[RACE_MAX_FIELDS];
    uint32_t n = 0;
    for (uint32_t f = 0; f < x->nfields; f++) {
        out[f] = to[f] ? 0 : RACE_NOWHERE;
        if (to[f]) queue[n++] = (uint8_t)f;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t d = 0; d < 6; d++) {
            uint8_t next = x->beside[queue[i]][d];
            if (next == RACE_NOWHERE || out[next] != RACE_NOWHERE) continue;
            out[next] = (uint8_t)(out[queue[i]] + 1);
            queue[n++] = next;
        }
}

static bool make_runners(struct race *x)
{
    uint8_t number[RACE_MAX_FIELDS], turned[RACE_MAX_FIELDS];
    number_fields(x, number);
    x->lone.nfields = x->nfields;
    x->lone.pieces = x->pieces;
    memset(x->lone.beside, RACE_NOWHERE, sizeof x->lone.beside);
    for (uint32_t f = 0; f < x->nfields; f++) {
        x->lone.home[number[f]] = x->home[0][f];
        for (uint32_t d = 0; d < 6; d++)
            if (x->beside[f][d] != RACE_NOWHERE) x->lone.beside[number[f]][d] = number[x->beside[f][d]];
    }
    for (uint32_t role = 0; role < x->nroles; role++) {
        if (!turn_to_first(x, role, turned)) return false;
        for (uint32_t f = 0; f < x->nfields; f++) x->runner[role].field[f] = number[turned[f]];
        /* the corner of home first, so that those behind find room */
        measure(x, x->home[role], x->runner[role].distance);
    }
    for (uint32_t n = 0; n < x->nfields; n++) { /* fields outside count from the nearest inside */
        bool only[RACE_MAX_FIELDS] = {false};
        uint8_t steps[RACE_MAX_FIELDS];
        only[x->order_of[n]] = true;
        measure(x, only, steps);
        x->inner[n] = (uint8_t)n;
        x->extra[n] = 0;
        if (n < x->lone.ninner) continue;
        x->extra[n] = RACE_NOWHERE;
        for (uint32_t k = 0; k < x->lone.ninner; k++)
            if (steps[x->order_of[k]] < x->extra[n])
                x->extra[n] = steps[x->order_of[k]], x->inner[n] = (uint8_t)k;
    }
    return true;
}

/* --- The recogniser ------------------------------------------------------------------------------------- */

static bool begin(struct question *k)
{
    struct race *x = k->x;
    struct reasoner *r = k->from->reasoner;
    if (!r->ops->initial(r, &k->empty)) return false;
    for (uint32_t role = 0; role < x->nroles; role++) {
        uint32_t n = 0;
        for (uint32_t f = 0; f < x->nfields; f++) {
            uint32_t bit = x->squares.bit[(size_t)role * x->squares.cells + x->cell[f]];
            if (bit == UINT32_MAX) return false;
            x->start[role][f] = squares_has(k->empty.w, bit);
            n += x->start[role][f];
            k->empty.w[bit / 64] &= ~(1ull << bit % 64);
        }
        if (role > 0 && n != x->pieces) return false;
        x->pieces = n;
    }
    return x->pieces >= 3 && x->pieces <= RACE_MAX_PIECES;
}

static bool recognise(struct race *x, const struct evaluator_source *from, const struct board *board)
{
    struct question k = {.x = x, .from = from};
    bool good = squares_init(&x->squares, from, board) && find_fields(x, board) && begin(&k);
    for (uint32_t role = 0; role < x->nroles && good; role++)
        good = !budget_over(from->budget) && find_home(&k, role) && home_wins(&k, role) &&
               jumps_are_jumps(&k, role);
    state_done(&k.empty);
    state_done(&k.asked);
    list_done(&k.legal);
    return good && make_runners(x);
}

struct evaluator *evaluator_race(const struct evaluator_source *from)
{
    const struct board *board = from->analysis->boards.n ? &from->analysis->boards.v[0] : NULL;
    uint32_t nroles = from->reasoner->game->nroles;
    if (!board || !from->passing->sound || board->planes != 1 || nroles > 8) return NULL;
    if (board->nactions != 1 || board->actions[0].from < 0 || board->actions[0].to < 0) return NULL;
    struct race *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    *x = (struct race){
        .base = {.name = "race", .shaped = true, .values = values, .order = order, .free = race_free},
        .nroles = nroles};
    if (!recognise(x, from, board)) return race_free(&x->base), NULL;
    double end = from->budget->deadline;
    x->table = race_table_get(&x->lone, end <= 0 || end > clock_now() + LONG_ENOUGH, from->budget);
    if (!x->table) x->base.name = "race, by steps";
    return &x->base;
}
