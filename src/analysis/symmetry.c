// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/symmetry.h"

#include "base/clock.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLIP_X = 1, FLIP_Y = 2, SWAP = 4, WAYS = 8 };
enum { MOST_ARGS = 6 };
enum part { NOT, IS_X, IS_Y, PARTS }; /* what an argument is on the board */
#define NOWHERE UINT32_MAX

/* A layout: what each argument of a kind of facts or moves is, three values to an argument. */
typedef uint32_t layout;

struct finder {
    const struct ground *g;
    const struct analysis *a;
    const struct board *board;
    uint32_t nterms, nmoves;
    uint32_t *fact_of;           /* by term */
    uint32_t *move_of;           /* by term, role after role; moves as ground->move has them */
    uint32_t *rules;             /* by atom: its first rule; one more entry */
    uint32_t *fact, *move;       /* the way that is tried: where facts and moves go */
    uint64_t *plain, *exchanged; /* by atom: the rules as they are, and with their inputs exchanged; 0: not
                                    looked at yet */
    const struct symmetry_limits *limits;
    uint32_t looks; /* at terms and atoms; now and then at the clock, too */
    bool over;      /* there is no time left: what is not known by now is not found out */
};

static void finder_done(struct finder *f)
{
    free(f->fact_of);
    free(f->move_of);
    free(f->rules);
    free(f->fact);
    free(f->move);
    free(f->plain);
    free(f->exchanged);
}

static bool is_over(struct finder *f)
{
    enum { LOOKS = 1024 };
    const struct symmetry_limits *l = f->limits;
    if (f->over || f->looks++ % LOOKS) return f->over;
    f->over = (l->cancel && atomic_load(l->cancel)) || (l->deadline > 0 && clock_now() >= l->deadline);
    return f->over;
}

static void number_rules(struct finder *f)
{
    const struct ground *g = f->g;
    for (uint32_t atom = 0, r = 0; atom <= g->natoms; atom++) {
        while (r < g->rules.n && g->rules.v[r].head < atom) r++;
        f->rules[atom] = r;
    }
}

static bool finder_init(struct finder *f)
{
    const struct ground *g = f->g;
    f->nterms = g->terms->nodes.n;
    f->nmoves = g->move_base[g->nroles] - g->nfacts;
    f->fact_of = malloc(f->nterms * sizeof *f->fact_of);
    f->move_of = malloc((size_t)f->nterms * g->nroles * sizeof *f->move_of);
    f->rules = calloc(g->natoms + 1, sizeof *f->rules);
    f->fact = calloc(g->nfacts + 1, sizeof *f->fact);
    f->move = calloc(f->nmoves + 1, sizeof *f->move);
    f->plain = calloc(g->natoms + 1, sizeof *f->plain);
    f->exchanged = calloc(g->natoms + 1, sizeof *f->exchanged);
    if (!f->fact_of || !f->move_of || !f->rules || !f->fact || !f->move || !f->plain || !f->exchanged)
        return false;
    memset(f->fact_of, 0xff, f->nterms * sizeof *f->fact_of);
    memset(f->move_of, 0xff, (size_t)f->nterms * g->nroles * sizeof *f->move_of);
    for (uint32_t i = 0; i < g->nfacts; i++) f->fact_of[g->fact[i]] = i;
    for (uint32_t r = 0; r < g->nroles; r++)
        for (uint32_t m = g->move_base[r]; m < g->move_base[r + 1]; m++)
            f->move_of[(size_t)r * f->nterms + g->move[m - g->nfacts]] = m - g->nfacts;
    number_rules(f);
    return true;
}

/* --- Terms ---------------------------------------------------------------------------------------------- */

static uint32_t place_on(const struct axis *axis, term value)
{
    uint32_t i = 0;
    while (i < axis->n && axis->value[i] != value) i++;
    return i < axis->n ? i : NOWHERE;
}

static enum part part_of(layout l, uint32_t arg)
{
    while (arg-- > 0) l /= PARTS;
    return l % PARTS;
}

/* Where a term goes; 0: nowhere, or it is too late. Each x belongs to the y of the same number. */
static term image(struct finder *f, term t, layout l, uint32_t way)
{
    const struct term_node *node = term_get(f->g->terms, t);
    const struct axis *axes[] = {&f->board->x, &f->board->y};
    uint32_t at[2][MOST_ARGS], arg[2][MOST_ARGS], n[2] = {0};
    term args[MOST_ARGS];
    if (is_over(f)) return 0;
    if (node->nargs > MOST_ARGS) return l ? 0 : t;
    for (uint32_t i = 0; i < node->nargs; i++) {
        enum part p = part_of(l, i);
        args[i] = term_arg(f->g->terms, t, i);
        if (p == NOT) continue;
        uint32_t k = p - IS_X, where = place_on(axes[k], args[i]);
        if (where == NOWHERE) return 0;
        if (way & (k ? FLIP_Y : FLIP_X)) where = axes[k]->n - 1 - where;
        at[k][n[k]] = where;
        arg[k][n[k]++] = i;
    }
    if (way & SWAP && n[0] != n[1]) return 0;
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = 0; i < n[k]; i++)
            args[arg[k][i]] = axes[k]->value[way & SWAP ? at[1 - k][i] : at[k][i]];
    return term_find(f->g->terms, node->head, args, node->nargs);
}

static uint32_t power(uint32_t n)
{
    uint32_t p = 1;
    while (n-- > 0) p *= PARTS;
    return p;
}

/* Of facts: as the boards have it that share the axes; all others stay. */
static layout layout_of_fact(const struct finder *f, const struct term_node *node)
{
    for (uint32_t i = 0; i < f->a->boards.n; i++) {
        const struct board *b = &f->a->boards.v[i];
        if (b->name != node->head || b->arity != node->nargs || b->compound || b->arity > MOST_ARGS) continue;
        bool same = b->x.n == f->board->x.n && b->y.n == f->board->y.n;
        for (uint32_t k = 0; k < b->x.n && same; k++) same = b->x.value[k] == f->board->x.value[k];
        for (uint32_t k = 0; k < b->y.n && same; k++) same = b->y.value[k] == f->board->y.value[k];
        if (same) return IS_X * power(b->x_arg) + IS_Y * power(b->y_arg);
    }
    return 0;
}

static bool exchange_facts(struct finder *f, uint32_t way)
{
    const struct ground *g = f->g;
    for (uint32_t i = 0; i < g->nfacts; i++) {
        term to = image(f, g->fact[i], layout_of_fact(f, term_get(g->terms, g->fact[i])), way);
        if (!to || f->fact_of[to] == NOWHERE) return false;
        f->fact[i] = f->fact_of[to];
    }
    return true;
}

/* --- Rules ---------------------------------------------------------------------------------------------- */

enum { DEEPEST = 5000 }; /* rules on rules; or they go round in circles */
/* Kinds of what is hashed, far apart: numbers of facts and moves are small. */
static const uint64_t FACT = 0x9ae16a3b2f90404f, MOVE = 0xc949c7defebe6bd1, BODY = 0x6c62272e07bb0142,
                      ATOM = 0xd6e8feb86659fd93;

/* What an atom comes to, whatever the order of rules and bodies, as far as it was reached. 0: too deep, or
 * too late. */
static uint64_t atom_hash(struct finder *f, uint32_t atom, uint64_t *known, bool exchanged, uint32_t depth)
{
    const struct ground *g = f->g;
    uint64_t rules = 0;
    if (is_over(f)) return 0;
    if (atom == GROUND_NONE) return 1;
    if (atom < g->nfacts) return hash_mix(FACT, exchanged ? f->fact[atom] : atom);
    if (atom < g->nfacts + f->nmoves)
        return hash_mix(MOVE, exchanged ? f->move[atom - g->nfacts] : atom - g->nfacts);
    if (known[atom] || depth > DEEPEST) return known[atom];
    for (uint32_t r = f->rules[atom]; r < f->rules[atom + 1]; r++) {
        uint64_t body = 0;
        for (uint32_t i = 0; i < g->rules.v[r].n; i++) {
            uint32_t literal = g->literals.v[g->rules.v[r].first + i];
            uint64_t h = atom_hash(f, literal >> 1, known, exchanged, depth + 1);
            if (!h) return 0;
            body += hash_mix(h, 5 + (literal & 1));
        }
        rules += hash_mix(BODY, body);
    }
    rules = hash_mix(ATOM, rules);
    return known[atom] = rules ? rules : 1;
}

static bool same(struct finder *f, uint32_t here, uint32_t there)
{
    uint64_t x = atom_hash(f, here, f->exchanged, true, 0);
    return x && x == atom_hash(f, there, f->plain, false, 0);
}

/* --- Moves ---------------------------------------------------------------------------------------------- */

static bool is_like(const struct finder *f, uint32_t m, const struct term_node *kind)
{
    const struct term_node *node = term_get(f->g->terms, f->g->move[m]);
    return node->head == kind->head && node->nargs == kind->nargs;
}

/* All moves of a kind, laid out so, go where what is legal says. */
static bool exchange_kind(struct finder *f, uint32_t role, const struct term_node *kind, layout l,
                          uint32_t way)
{
    const struct ground *g = f->g;
    for (uint32_t m = g->move_base[role] - g->nfacts; m < g->move_base[role + 1] - g->nfacts; m++) {
        if (!is_like(f, m, kind)) continue;
        term to = image(f, g->move[m], l, way);
        uint32_t goes = to ? f->move_of[(size_t)role * f->nterms + to] : NOWHERE;
        if (goes == NOWHERE || !same(f, g->legal[m], g->legal[goes])) return false;
        f->move[m] = goes;
    }
    return true;
}

static uint32_t coordinates(layout l)
{
    uint32_t n = 0;
    for (; l; l /= PARTS) n += l % PARTS != NOT;
    return n;
}

/* Whatever arguments are coordinates: as many as can be. */
static bool exchange_like(struct finder *f, uint32_t role, uint32_t m, uint32_t way)
{
    const struct term_node *kind = term_get(f->g->terms, f->g->move[m]);
    uint32_t nargs = kind->nargs <= MOST_ARGS ? kind->nargs : 0;
    for (uint32_t n = nargs + 1; n-- > 0;)
        for (layout l = 0; l < power(nargs); l++)
            if (coordinates(l) == n && exchange_kind(f, role, kind, l, way)) return true;
    return false;
}

static bool exchange_moves(struct finder *f, uint32_t way)
{
    const struct ground *g = f->g;
    memset(f->move, 0xff, f->nmoves * sizeof *f->move);
    for (uint32_t role = 0; role < g->nroles; role++)
        for (uint32_t m = g->move_base[role] - g->nfacts; m < g->move_base[role + 1] - g->nfacts; m++)
            if (f->move[m] == NOWHERE && !exchange_like(f, role, m, way)) return false;
    return true;
}

/* --- All of it ------------------------------------------------------------------------------------------ */

static bool is_onto(const uint32_t *to, uint32_t n)
{
    bool *hit = calloc(n + 1, sizeof *hit), good = hit;
    for (uint32_t i = 0; i < n && good; i++) {
        good = !hit[to[i]];
        hit[to[i]] = true;
    }
    free(hit);
    return good;
}

static bool is_symmetry(struct finder *f, uint32_t way)
{
    const struct ground *g = f->g;
    if (way & SWAP && f->board->x.n != f->board->y.n) return false;
    memset(f->exchanged, 0, g->natoms * sizeof *f->exchanged);
    if (!exchange_facts(f, way) || !is_onto(f->fact, g->nfacts) || !same(f, g->terminal, g->terminal))
        return false;
    if (!exchange_moves(f, way) || !is_onto(f->move, f->nmoves)) return false;
    for (uint32_t i = 0; i < g->nfacts; i++)
        if (!same(f, g->next[i], g->next[f->fact[i]])) return false;
    for (uint32_t i = 0; i < g->goals.n; i++)
        if (!same(f, g->goals.v[i].atom, g->goals.v[i].atom)) return false;
    return true;
}

/* Where the bits of the circuit go, by the facts that they stand for: each to one of its own. */
static bool exchange_bits(const struct finder *f, const struct circuit *c, const uint32_t *fact_in_circuit,
                          const uint32_t *fact_in_ground, uint32_t *bit)
{
    memset(bit, 0xff, c->nbits * sizeof *bit);
    for (uint32_t i = 0; i < c->nfacts; i++) {
        uint32_t there = fact_in_circuit[f->fact[fact_in_ground[i]]];
        if (there == NOWHERE) return false;
        edge from = c->fact_edge[i], to = c->fact_edge[there];
        if (from >> 1 == 0 || from >> 1 > c->nbits) {
            if (from != to) return false;
            continue;
        }
        uint32_t b = (from >> 1) - 1, goes = (to >> 1) - 1;
        if (to >> 1 == 0 || goes >= c->nbits || (from ^ to) & 1) return false;
        if (bit[b] != NOWHERE && bit[b] != goes) return false;
        bit[b] = goes;
    }
    for (uint32_t b = 0; b < c->nbits; b++)
        if (bit[b] == NOWHERE) return false;
    return is_onto(bit, c->nbits);
}

/* Facts and moves of ground rules and circuit as numbers of the other. */
struct matching {
    uint32_t *fact_in_circuit, *fact_in_ground;
    uint32_t *move_in_circuit, *move_in_ground;
};

/* The facts of one as numbers of the other. The terms of the ground rules may grow. */
static bool match_facts(const struct finder *f, const struct circuit *c, uint32_t *in_circuit,
                        uint32_t *in_ground)
{
    memset(in_circuit, 0xff, f->g->nfacts * sizeof *in_circuit);
    for (uint32_t i = 0; i < c->nfacts; i++) {
        term t = term_import(f->g->terms, c->terms, c->fact[i]);
        if (t >= f->nterms || f->fact_of[t] == NOWHERE) return false;
        in_ground[i] = f->fact_of[t];
        in_circuit[in_ground[i]] = i;
    }
    return true;
}

static bool match_moves(const struct finder *f, const struct circuit *c, uint32_t *in_circuit,
                        uint32_t *in_ground)
{
    memset(in_circuit, 0xff, f->nmoves * sizeof *in_circuit);
    for (uint32_t role = 0; role < c->nroles; role++)
        for (uint32_t m = c->move_base[role]; m < c->move_base[role + 1]; m++) {
            term t = term_import(f->g->terms, c->terms, c->move[m]);
            uint32_t there = t < f->nterms ? f->move_of[(size_t)role * f->nterms + t] : NOWHERE;
            if (there == NOWHERE) return false;
            in_ground[m] = there;
            in_circuit[there] = m;
        }
    return true;
}

/* Where the moves of the circuit go. */
static bool exchange_circuit_moves(const struct finder *f, const struct circuit *c, const struct matching *k,
                                   uint32_t *move)
{
    for (uint32_t m = 0; m < c->nmoves; m++) {
        move[m] = k->move_in_circuit[f->move[k->move_in_ground[m]]];
        if (move[m] == NOWHERE) return false;
    }
    return true;
}

static void find_ways(struct finder *f, const struct circuit *c, const struct matching *k, struct symmetry *s)
{
    for (uint32_t way = 1; way < WAYS; way++) {
        uint32_t *bit = malloc((c->nbits + 1) * sizeof *bit), *move = malloc((c->nmoves + 1) * sizeof *move);
        if (bit && move && is_symmetry(f, way) &&
            exchange_bits(f, c, k->fact_in_circuit, k->fact_in_ground, bit) &&
            exchange_circuit_moves(f, c, k, move)) {
            s->bit[s->n] = bit;
            s->move[s->n++] = move;
        } else {
            free(bit);
            free(move);
        }
    }
}

static void find(struct finder *f, const struct circuit *c, struct symmetry *s)
{
    struct matching k = {.fact_in_circuit = calloc(f->g->nfacts + 1, sizeof *k.fact_in_circuit),
                         .fact_in_ground = calloc(c->nfacts + 1, sizeof *k.fact_in_ground),
                         .move_in_circuit = calloc(f->nmoves + 1, sizeof *k.move_in_circuit),
                         .move_in_ground = calloc(c->nmoves + 1, sizeof *k.move_in_ground)};
    struct heap_guard guard;
    struct error ignored;
    bool good = k.fact_in_circuit && k.fact_in_ground && k.move_in_circuit && k.move_in_ground &&
                HEAP_ENTER(f->g->heap, &guard, &ignored);
    if (good) {
        good = match_facts(f, c, k.fact_in_circuit, k.fact_in_ground) &&
               match_moves(f, c, k.move_in_circuit, k.move_in_ground);
        heap_leave(f->g->heap);
    }
    if (good) find_ways(f, c, &k, s);
    free(k.fact_in_circuit);
    free(k.fact_in_ground);
    free(k.move_in_circuit);
    free(k.move_in_ground);
}

void symmetry_find(struct symmetry *s, const struct analysis *a, const struct ground *g,
                   const struct circuit *c, const struct symmetry_limits *limits)
{
    struct finder f = {.g = g, .a = a, .board = a->boards.n ? &a->boards.v[0] : NULL, .limits = limits};
    *s = (struct symmetry){.nbits = c->nbits, .first_move = c->move_base};
    if (f.board && !f.board->compound && finder_init(&f)) find(&f, c, s);
    finder_done(&f);
}

void symmetry_look(struct symmetry *s, struct reasoner *reasoner, const struct circuit *c,
                   const struct symmetry_limits *limits)
{
    struct analysis_options look = {.games = 10,
                                    .states = 1000,
                                    .seconds = 1,
                                    .seed = 1,
                                    .deadline = limits->deadline,
                                    .cancel = limits->cancel};
    struct ground_limits patience = {.seconds = 1, .cancel = limits->cancel};
    if (limits->deadline > 0) patience.seconds = fmin(1, fmax(0.001, limits->deadline - clock_now()));
    struct symmetry_limits until = *limits;
    struct ground_report report;
    struct error ignored;
    *s = (struct symmetry){0};
    struct analysis *a = analysis_new(reasoner, &look, &ignored);
    struct ground *g =
        a && a->boards.n ? ground_build(reasoner->game->program, &patience, &report, &ignored) : NULL;
    if (until.deadline <= 0) until.deadline = clock_now() + 1;
    if (g) symmetry_find(s, a, g, c, &until);
    ground_free(g);
    analysis_free(a);
}

void symmetry_done(struct symmetry *s)
{
    for (uint32_t i = 0; i < s->n; i++) free(s->bit[i]);
    for (uint32_t i = 0; i < s->n; i++) free(s->move[i]);
    *s = (struct symmetry){0};
}
