// SPDX-License-Identifier: GPL-3.0-or-later
/* What a move does, read off the circuit: with this move made and all others left out, and with what makes it
 * legal taken for granted, most gates become constants or copies of others, and most bits keep their values.
 * Of the others it is known which bits they are read from.
 *
 * The circuit is gone through once with no move made at all; a move then touches only the gates that come
 * out differently with it, which are put back afterwards. */
#include "search/puzzle/commute.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MOVES = 1500, LEGAL_DEPTH = 64 };
#define MOST_WORK 4e7 /* words touched */

/* Sets of bits, by move: what may change; of that, what is inverted, set and cleared whatever it was; what
 * must be known for that and for the move to be legal. */
enum { CHANGED, INVERTED, SET, CLEARED, READ, SETS };

struct prover {
    const struct circuit *c;
    uint32_t words, wires;            /* words of a set of bits */
    edge *form, *base_form;           /* by wire: what it is the same as; itself, if nothing simpler */
    uint64_t *support, *base_support; /* by wire: the bits it depends on */
    uint32_t *reader, *first_reader;  /* by wire: the gates that read it, reader[first .. next first - 1] */
    uint64_t *pending;                /* a set of gates */
    uint32_t *touched, ntouched;      /* wires that are not as they were with no move made */
    bool *is_touched, *granted;       /* by wire */
    uint32_t *met, meeting;           /* by edge: in which simplification it was read last */
    bool *in_loop;                    /* by gate */
    uint64_t *set;                    /* by move: SETS sets */
    bool *undoes;                     /* by move: made twice it has done nothing */
    double work;
};

static edge form_of(const struct prover *p, edge e)
{
    return p->form[e >> 1] ^ (e & 1);
}

static uint64_t *support_of(const struct prover *p, edge e)
{
    return p->support + (size_t)(e >> 1) * p->words;
}

static void join(uint64_t *to, const uint64_t *more, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++) to[i] |= more[i];
}

/* A gate as far as its inputs are known. */
static void simplify(struct prover *p, uint32_t g)
{
    const struct gate *gate = &p->c->gates.v[g];
    uint32_t wire = wire_gate(p->c, g), left = 0, now = ++p->meeting;
    uint64_t *support = p->support + (size_t)wire * p->words;
    edge last = EDGE_TRUE;
    p->work += (gate->n + 1.0) * p->words;
    memset(support, p->in_loop[g] ? 0xff : 0, p->words * 8);
    p->form[wire] = wire << 1;
    if (p->in_loop[g]) return;
    for (uint32_t i = 0; i < gate->n; i++) {
        edge e = form_of(p, p->c->edges.v[gate->first + i]);
        if (e == EDGE_TRUE || p->met[e] == now) continue;
        if (e == EDGE_FALSE || p->met[e ^ 1] == now) {
            p->form[wire] = EDGE_FALSE;
            return;
        }
        p->met[e] = now;
        last = e;
        left++;
        join(support, support_of(p, e), p->words);
    }
    if (left < 2) p->form[wire] = last;
}

/* --- With a move made ----------------------------------------------------------------------------------- */

/* This wire is not as it was: those who read it are to be looked at. */
static void touch(struct prover *p, uint32_t wire)
{
    if (!p->is_touched[wire]) p->touched[p->ntouched++] = wire;
    p->is_touched[wire] = true;
    for (uint32_t i = p->first_reader[wire]; i < p->first_reader[wire + 1]; i++)
        p->pending[p->reader[i] / 64] |= 1ull << p->reader[i] % 64;
}

/* This edge is true. */
static void grant(struct prover *p, edge e, uint32_t depth)
{
    uint32_t wire = e >> 1, gates = wire_gate(p->c, 0);
    if (wire == 0 || depth == LEGAL_DEPTH) return;
    if (wire < gates) {
        p->form[wire] = EDGE_TRUE ^ (e & 1);
        touch(p, wire);
    } else if (!(e & 1) && !p->in_loop[wire - gates] && !p->granted[wire]) {
        const struct gate *gate = &p->c->gates.v[wire - gates];
        p->form[wire] = EDGE_TRUE;
        p->granted[wire] = true;
        touch(p, wire);
        for (uint32_t i = 0; i < gate->n; i++) grant(p, p->c->edges.v[gate->first + i], depth + 1);
    }
}

/* Gates are read by later ones, except in loops, where nothing comes out differently. */
static void spread(struct prover *p)
{
    for (uint32_t w = 0; w * 64 < p->c->ngates; w++)
        while (p->pending[w]) {
            uint32_t g = w * 64 + (uint32_t)__builtin_ctzll(p->pending[w]), wire = wire_gate(p->c, g);
            p->pending[w] &= p->pending[w] - 1;
            if (p->granted[wire] || p->in_loop[g]) continue;
            simplify(p, g);
            size_t at = (size_t)wire * p->words;
            if (p->form[wire] != p->base_form[wire] ||
                memcmp(p->support + at, p->base_support + at, p->words * 8) != 0)
                touch(p, wire);
        }
}

static void put_back(struct prover *p)
{
    while (p->ntouched > 0) {
        uint32_t wire = p->touched[--p->ntouched];
        size_t at = (size_t)wire * p->words;
        p->form[wire] = p->base_form[wire];
        memcpy(p->support + at, p->base_support + at, p->words * 8);
        p->is_touched[wire] = p->granted[wire] = false;
    }
}

static void put_bit(uint64_t *set, uint32_t bit)
{
    set[bit / 64] |= 1ull << bit % 64;
}

/* Does this bit become another, which becomes this one? */
static bool trades(const struct prover *p, uint32_t bit, edge next)
{
    uint32_t other = (next >> 1) - 1;
    return next >> 1 >= 1 && other < p->c->nbits &&
           form_of(p, p->c->next[other]) == (wire_bit(p->c, bit) << 1 | (next & 1));
}

static void study(struct prover *p, uint32_t move, const uint32_t *kept, uint32_t nkept)
{
    const struct circuit *c = p->c;
    uint64_t *set = p->set + (size_t)move * SETS * p->words;
    /* what makes it legal does not depend on what is moved */
    join(set + READ * p->words, support_of(p, form_of(p, c->legal[move])), p->words);
    p->form[wire_move(c, move)] = EDGE_TRUE;
    touch(p, wire_move(c, move));
    grant(p, c->legal[move], 0);
    spread(p);
    p->undoes[move] = true;
    for (uint32_t i = 0; i < nkept; i++) {
        uint32_t bit = kept[i], wire = wire_bit(c, bit);
        edge next = form_of(p, c->next[bit]);
        if (next == p->form[wire]) continue;
        put_bit(set + CHANGED * p->words, bit);
        p->undoes[move] &= trades(p, bit, next);
        if (next == EDGE_TRUE)
            put_bit(set + SET * p->words, bit);
        else if (next == EDGE_FALSE)
            put_bit(set + CLEARED * p->words, bit);
        else if (next == (wire << 1 | 1))
            put_bit(set + INVERTED * p->words, bit);
        else
            join(set + READ * p->words, support_of(p, next), p->words);
    }
    put_back(p);
}

/* --- Pairs of moves ------------------------------------------------------------------------------------- */

/* Neither reads what the other changes, and what both change does not tell who was last. */
static bool commutes(const struct prover *p, uint32_t l, uint32_t m)
{
    const uint64_t *a = p->set + (size_t)l * SETS * p->words, *b = p->set + (size_t)m * SETS * p->words;
    uint64_t clash = 0;
    for (uint32_t i = 0; i < p->words; i++, a++, b++) {
#define BOTH(which) (a[(which)*p->words] & b[(which)*p->words])
        clash |= a[CHANGED * p->words] & b[READ * p->words];
        clash |= b[CHANGED * p->words] & a[READ * p->words];
        clash |= BOTH(CHANGED) & ~(BOTH(INVERTED) | BOTH(SET) | BOTH(CLEARED));
#undef BOTH
    }
    return clash == 0;
}

static void list_skips(const struct prover *p, struct commute *c)
{
    for (uint32_t l = 0; l < c->nmoves; l++)
        for (uint32_t m = 0; m <= l; m++)
            if (m < l ? commutes(p, l, m) : p->undoes[l]) {
                c->skip[(size_t)l * c->words + m / 64] |= 1ull << m % 64;
                c->any = true;
            }
}

/* --- Life ----------------------------------------------------------------------------------------------- */

static bool make_room(struct prover *p, uint32_t nmoves)
{
    const struct circuit *c = p->c;
    p->form = malloc(p->wires * sizeof *p->form);
    p->base_form = malloc(p->wires * sizeof *p->base_form);
    p->support = calloc((size_t)p->wires * p->words, 8);
    p->base_support = malloc((size_t)p->wires * p->words * 8);
    p->reader = malloc((c->edges.n + 1) * sizeof *p->reader);
    p->first_reader = calloc(p->wires + 2, sizeof *p->first_reader);
    p->pending = calloc(c->ngates / 64 + 1, 8);
    p->touched = malloc(p->wires * sizeof *p->touched);
    p->is_touched = calloc(p->wires, sizeof *p->is_touched);
    p->granted = calloc(p->wires, sizeof *p->granted);
    p->met = calloc(2 * (size_t)p->wires, sizeof *p->met);
    p->in_loop = calloc(c->ngates + 1, sizeof *p->in_loop);
    p->set = calloc((size_t)nmoves * SETS * p->words, 8);
    p->undoes = calloc(nmoves, sizeof *p->undoes);
    return p->form && p->base_form && p->support && p->base_support && p->reader && p->first_reader &&
           p->pending && p->touched && p->is_touched && p->granted && p->met && p->in_loop && p->set &&
           p->undoes;
}

static void release(struct prover *p)
{
    free(p->form);
    free(p->base_form);
    free(p->support);
    free(p->base_support);
    free(p->reader);
    free(p->first_reader);
    free(p->pending);
    free(p->touched);
    free(p->is_touched);
    free(p->granted);
    free(p->met);
    free(p->in_loop);
    free(p->set);
    free(p->undoes);
}

static void list_readers(struct prover *p)
{
    const struct circuit *c = p->c;
    for (uint32_t i = 0; i < c->edges.n; i++) p->first_reader[(c->edges.v[i] >> 1) + 2]++;
    for (uint32_t w = 2; w <= p->wires; w++) p->first_reader[w] += p->first_reader[w - 1];
    for (uint32_t g = 0; g < c->ngates; g++)
        for (uint32_t i = 0; i < c->gates.v[g].n; i++)
            p->reader[p->first_reader[(c->edges.v[c->gates.v[g].first + i] >> 1) + 1]++] = g;
}

/* As it is with no move made. */
static void set_base(struct prover *p)
{
    const struct circuit *c = p->c;
    for (uint32_t i = 0; i < c->loops.n; i++)
        memset(p->in_loop + c->loops.v[i].first, true, c->loops.v[i].n * sizeof *p->in_loop);
    for (uint32_t w = 0; w < p->wires; w++) p->form[w] = w << 1;
    for (uint32_t m = 0; m < c->nmoves; m++) p->form[wire_move(c, m)] = EDGE_FALSE;
    for (uint32_t i = 0; i < c->nbits; i++) put_bit(p->support + (size_t)wire_bit(c, i) * p->words, i);
    for (uint32_t g = 0; g < c->ngates; g++) simplify(p, g);
    memcpy(p->base_form, p->form, p->wires * sizeof *p->form);
    memcpy(p->base_support, p->support, (size_t)p->wires * p->words * 8);
}

void commute_prove(struct commute *c, struct space *s)
{
    *c = (struct commute){.nmoves = s->nmoves, .words = (s->nmoves + 63) / 64};
    uint32_t nkept;
    const uint32_t *kept = space_kept(s, &nkept);
    if (!kept || s->nmoves < 2 || s->nmoves > MOST_MOVES) return;
    struct prover p = {.c = s->code->circuit, .words = (s->code->circuit->nbits + 63) / 64};
    p.wires = wire_gate(p.c, p.c->ngates);
    double pairs = (double)c->nmoves * (c->nmoves + nkept) * p.words;
    if (pairs + (double)(p.c->edges.n + p.wires) * p.words > MOST_WORK) return;
    c->skip = calloc((size_t)c->nmoves * c->words, 8);
    if (c->skip && make_room(&p, c->nmoves)) {
        list_readers(&p);
        set_base(&p);
        for (uint32_t m = 0; m < c->nmoves && p.work + pairs < MOST_WORK; m++) study(&p, m, kept, nkept);
        if (p.work + pairs < MOST_WORK) list_skips(&p, c);
    }
    release(&p);
}
