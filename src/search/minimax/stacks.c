// SPDX-License-Identifier: GPL-3.0-or-later
/* Focus (003 section IV-B), and whatever has its shape: a board of stacks whose pieces bear the names of the
 * roles, and counts from 0 upwards of what each role has captured, in all or from each other role. The
 * largest number such a count can have is what wins.
 *
 *     1000 for each piece still needed, by whichever way needs fewer; heights squared of all own pieces
 *
 * At first sight moves are good that bring many pieces together, and that gain a stack. */
#include "search/minimax/squares.h"

#include <stdlib.h>
#include <string.h>

#define NEEDED 1000.0f
#define SCALE 5500.0f /* so that points stay between -1 and 1 */

/* A bit that says how much was captured. */
struct tally {
    uint16_t role, from; /* from = nroles: from all together */
    uint16_t number;
};

/* A stack. */
struct pile {
    uint8_t height;
    uint16_t top; /* whose */
};

struct stacks {
    struct evaluator base;
    struct squares squares;
    uint32_t nroles, ground; /* squares of the ground floor */
    struct tally *tally;     /* by bit; role = nroles: none */
    uint32_t all, each;      /* what wins; 0: does not count */
    /* the position that moves were looked at in last */
    uint64_t seen;
    struct pile *before, *after;
};

static float needed(const struct stacks *x, const uint16_t *captured)
{
    uint32_t all = UINT32_MAX, each = UINT32_MAX;
    if (x->all) all = captured[x->nroles] < x->all ? x->all - captured[x->nroles] : 0;
    if (x->each) {
        each = 0;
        for (uint32_t from = 0; from < x->nroles; from++)
            if (captured[from] != UINT16_MAX && captured[from] < x->each) each += x->each - captured[from];
    }
    return (float)(all < each ? all : each);
}

static void values(const struct evaluator *e, const struct place *p, float *out)
{
    const struct stacks *x = (const struct stacks *)e;
    uint16_t captured[MINIMAX_MAX_ROLES][MINIMAX_MAX_ROLES + 1];
    float squares[MINIMAX_MAX_ROLES] = {0};
    for (uint32_t role = 0; role < x->nroles; role++) memset(captured[role], 0xff, sizeof captured[role]);
    for (uint32_t w = 0; w < p->words; w++)
        for (uint64_t left = p->state[w]; left; left &= left - 1) {
            uint32_t bit = w * 64 + (uint32_t)__builtin_ctzll(left);
            const struct tally *t = &x->tally[bit];
            if (t->role < x->nroles) captured[t->role][t->from] = t->number;
            if (x->squares.owner[bit] >= x->nroles) continue;
            float height = (float)(x->squares.cell[bit] / x->ground + 1);
            squares[x->squares.owner[bit]] += height * height;
        }
    for (uint32_t role = 0; role < x->nroles; role++) {
        float raw = squares[role] - NEEDED * needed(x, captured[role]);
        out[role] = evaluator_band(1 + raw / SCALE, x->nroles);
    }
}

static void piles_of(const struct stacks *x, const struct place *p, struct pile *out)
{
    memset(out, 0, x->ground * sizeof *out);
    for (uint32_t w = 0; w < p->words; w++)
        for (uint64_t left = p->state[w]; left; left &= left - 1) {
            uint32_t bit = w * 64 + (uint32_t)__builtin_ctzll(left), cell = x->squares.cell[bit];
            if (cell == SQUARES_NONE || cell / x->ground + 1 <= out[cell % x->ground].height) continue;
            out[cell % x->ground] = (struct pile){(uint8_t)(cell / x->ground + 1), x->squares.owner[bit]};
        }
}

static float order(const struct evaluator *e, const struct place *p, const struct place *child, uint32_t role,
                   uint32_t move)
{
    struct stacks *x = (struct stacks *)e;
    (void)move;
    if (!child) return 0;
    if (!p->key || p->key != x->seen) piles_of(x, p, x->before);
    x->seen = p->key;
    piles_of(x, child, x->after);
    float together = 0, gained = 0, lost = 0;
    for (uint32_t i = 0; i < x->ground; i++) {
        const struct pile *a = &x->before[i], *b = &x->after[i];
        lost += (float)a->height - (float)b->height; /* captured, or back from the reserve */
        gained += (float)(b->height && b->top == role) - (float)(a->height && a->top == role);
        bool grown = b->height > a->height || (b->height == a->height && b->height && b->top != a->top);
        if (grown && b->top == role && b->height > together) together = b->height;
    }
    return together + (lost > 0 ? lost : 0) + 0.1f * gained;
}

static void stacks_free(struct evaluator *e)
{
    struct stacks *x = (struct stacks *)e;
    squares_done(&x->squares);
    free(x->tally);
    free(x->before);
    free(x->after);
    free(x);
}

static bool number_of(const struct terms *terms, term t, uint32_t *out)
{
    char *end;
    const struct term_node *n = term_get(terms, t);
    if (n->nargs || n->variable) return false;
    const char *text = symbol_name(terms, n->head);
    unsigned long x = strtoul(text, &end, 10);
    if (end == text || *end || x > 1000) return false;
    *out = (uint32_t)x;
    return true;
}

static uint32_t role_of(const struct game *game, term t)
{
    uint32_t role = 0;
    while (role < game->nroles && game->roles[role] != t) role++;
    return role;
}

/* (captured ROLE N) or (captured ROLE ROLE N), 0 for everybody in the beginning. */
static bool begins_at_zero(const struct circuit *c, const struct game *game, const struct term_node *like)
{
    for (uint32_t i = 0; i < c->nfacts; i++) {
        const struct term_node *n = term_get(c->terms, c->fact[i]);
        uint32_t number, e = c->fact_edge[i];
        if (n->head != like->head || n->nargs != like->nargs) continue;
        if (role_of(game, term_arg(c->terms, c->fact[i], 0)) == game->nroles) return false;
        if (!number_of(c->terms, term_arg(c->terms, c->fact[i], n->nargs - 1), &number)) return false;
        if (e >> 1 == 0 || e & 1 || c->init[(e >> 1) - 1] != (number == 0)) return false;
    }
    return true;
}

static bool find_tallies(struct stacks *x, const struct evaluator_source *from)
{
    const struct circuit *c = from->code->circuit;
    const struct game *game = from->reasoner->game;
    for (uint32_t i = 0; i < c->nfacts; i++) {
        const struct term_node *n = term_get(c->terms, c->fact[i]);
        if (n->nargs < 2 || n->nargs > 3 || n->head == x->squares.board->name) continue;
        if (!begins_at_zero(c, game, n)) continue;
        uint32_t number = 0, other = x->nroles, bit = (c->fact_edge[i] >> 1) - 1;
        number_of(c->terms, term_arg(c->terms, c->fact[i], n->nargs - 1), &number);
        if (n->nargs == 3) other = role_of(game, term_arg(c->terms, c->fact[i], 1));
        if (n->nargs == 3 && other == x->nroles) continue;
        x->tally[bit] = (struct tally){(uint16_t)role_of(game, term_arg(c->terms, c->fact[i], 0)),
                                       (uint16_t)other, (uint16_t)number};
        uint32_t *most = n->nargs == 3 ? &x->each : &x->all;
        if (number > *most) *most = number;
    }
    return x->all || x->each;
}

struct evaluator *evaluator_stacks(const struct evaluator_source *from)
{
    const struct board *board = from->analysis->boards.n ? &from->analysis->boards.v[0] : NULL;
    uint32_t nroles = from->reasoner->game->nroles, nbits = from->code->nbits;
    if (!board || !board->stacked || board->planes < 3 || nroles > 8) return NULL;
    struct stacks *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    *x = (struct stacks){.base = {.name = "stacks",
                                  .shaped = true,
                                  .values = values,
                                  .order = order,
                                  .notes = true,
                                  .order_sees = true,
                                  .free = stacks_free},
                         .nroles = nroles,
                         .ground = board->cells / board->planes};
    x->tally = malloc((nbits + 64) * sizeof *x->tally);
    x->before = calloc(x->ground, sizeof *x->before);
    x->after = calloc(x->ground, sizeof *x->after);
    bool good = x->tally && x->before && x->after && squares_init(&x->squares, from, board);
    for (uint32_t b = 0; b < nbits + 64 && good; b++) x->tally[b].role = (uint16_t)nroles;
    if (good && find_tallies(x, from)) return &x->base;
    stacks_free(&x->base);
    return NULL;
}
