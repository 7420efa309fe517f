// SPDX-License-Identifier: GPL-3.0-or-later
/* What a move does, read off the circuit: with this move made and all others left out, and with what makes it
 * legal taken for granted, most gates become constants or copies of others, and most bits keep their values.
 * Of the others it is known which bits they are read from. */
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
    uint32_t words;    /* of a set of bits */
    edge *form;        /* by wire: what it is the same as; itself, if nothing simpler */
    uint64_t *support; /* by wire: the bits it depends on */
    uint32_t *met;     /* by edge: the gate that read it last */
    bool *in_loop;     /* by gate */
    uint64_t *set;     /* by move: SETS sets */
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
    uint32_t wire = wire_gate(p->c, g), left = 0;
    uint64_t *support = p->support + (size_t)wire * p->words;
    edge last = EDGE_TRUE;
    if (p->form[wire] == EDGE_TRUE) return; /* taken for granted */
    memset(support, p->in_loop[g] ? 0xff : 0, p->words * 8);
    p->form[wire] = wire << 1;
    if (p->in_loop[g]) return;
    for (uint32_t i = 0; i < gate->n; i++) {
        edge e = form_of(p, p->c->edges.v[gate->first + i]);
        if (e == EDGE_TRUE || p->met[e] == g + 1) continue;
        if (e == EDGE_FALSE || p->met[e ^ 1] == g + 1) {
            p->form[wire] = EDGE_FALSE;
            return;
        }
        p->met[e] = g + 1;
        last = e;
        left++;
        join(support, support_of(p, e), p->words);
    }
    if (left < 2) p->form[wire] = last;
}

/* This edge is true. */
static void grant(struct prover *p, edge e, uint32_t depth)
{
    uint32_t wire = e >> 1, gates = wire_gate(p->c, 0);
    if (wire == 0 || depth == LEGAL_DEPTH) return;
    if (wire < gates) {
        p->form[wire] = EDGE_TRUE ^ (e & 1);
    } else if (!(e & 1) && !p->in_loop[wire - gates]) {
        const struct gate *gate = &p->c->gates.v[wire - gates];
        p->form[wire] = EDGE_TRUE;
        for (uint32_t i = 0; i < gate->n; i++) grant(p, p->c->edges.v[gate->first + i], depth + 1);
    }
}

static void reset(struct prover *p, uint32_t move)
{
    const struct circuit *c = p->c;
    for (uint32_t w = 0; w < wire_gate(c, c->ngates); w++) p->form[w] = w << 1;
    for (uint32_t m = 0; m < c->nmoves; m++) p->form[wire_move(c, m)] = m == move ? EDGE_TRUE : EDGE_FALSE;
    memset(p->met, 0, 2 * (size_t)wire_gate(c, c->ngates) * sizeof *p->met);
}

static void simplify_all(struct prover *p)
{
    for (uint32_t g = 0; g < p->c->ngates; g++) simplify(p, g);
}

static void put_bit(uint64_t *set, uint32_t bit)
{
    set[bit / 64] |= 1ull << bit % 64;
}

static void study(struct prover *p, uint32_t move, const uint32_t *kept, uint32_t nkept)
{
    const struct circuit *c = p->c;
    uint64_t *set = p->set + (size_t)move * SETS * p->words;
    reset(p, move);
    simplify_all(p);
    join(set + READ * p->words, support_of(p, c->legal[move]), p->words);
    reset(p, move);
    grant(p, c->legal[move], 0);
    simplify_all(p);
    for (uint32_t i = 0; i < nkept; i++) {
        uint32_t bit = kept[i], wire = wire_bit(c, bit);
        edge next = form_of(p, c->next[bit]);
        if (next == p->form[wire]) continue;
        put_bit(set + CHANGED * p->words, bit);
        if (next == EDGE_TRUE)
            put_bit(set + SET * p->words, bit);
        else if (next == EDGE_FALSE)
            put_bit(set + CLEARED * p->words, bit);
        else if (next == (wire << 1 | 1))
            put_bit(set + INVERTED * p->words, bit);
        else
            join(set + READ * p->words, support_of(p, next), p->words);
    }
}

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

/* Made twice it has done nothing. */
static bool undoes_itself(const struct prover *p, uint32_t m)
{
    const uint64_t *a = p->set + (size_t)m * SETS * p->words;
    for (uint32_t i = 0; i < p->words; i++, a++)
        if ((a[CHANGED * p->words] & ~a[INVERTED * p->words]) || (a[CHANGED * p->words] & a[READ * p->words]))
            return false;
    return true;
}

static void list_skips(const struct prover *p, struct commute *c)
{
    for (uint32_t l = 0; l < c->nmoves; l++)
        for (uint32_t m = 0; m <= l; m++)
            if (m < l ? commutes(p, l, m) : undoes_itself(p, l)) {
                c->skip[(size_t)l * c->words + m / 64] |= 1ull << m % 64;
                c->any = true;
            }
}

void commute_prove(struct commute *c, struct space *s)
{
    *c = (struct commute){.nmoves = s->nmoves, .words = (s->nmoves + 63) / 64};
    uint32_t nkept;
    const uint32_t *kept = space_kept(s, &nkept);
    if (!kept || s->nmoves < 2 || s->nmoves > MOST_MOVES) return;
    struct prover p = {.c = s->code->circuit, .words = (s->code->circuit->nbits + 63) / 64};
    uint32_t wires = wire_gate(p.c, p.c->ngates);
    if (2.0 * c->nmoves * ((double)(p.c->edges.n + wires) * p.words) > MOST_WORK) return;
    p.form = malloc(wires * sizeof *p.form);
    p.support = calloc((size_t)wires * p.words, 8);
    p.met = malloc(2 * (size_t)wires * sizeof *p.met);
    p.in_loop = calloc(p.c->ngates + 1, sizeof *p.in_loop);
    p.set = calloc((size_t)c->nmoves * SETS * p.words, 8);
    c->skip = calloc((size_t)c->nmoves * c->words, 8);
    if (p.form && p.support && p.met && p.in_loop && p.set && c->skip) {
        for (uint32_t i = 0; i < p.c->nbits; i++) put_bit(p.support + (size_t)wire_bit(p.c, i) * p.words, i);
        for (uint32_t i = 0; i < p.c->loops.n; i++)
            memset(p.in_loop + p.c->loops.v[i].first, true, p.c->loops.v[i].n * sizeof *p.in_loop);
        for (uint32_t m = 0; m < c->nmoves; m++) study(&p, m, kept, nkept);
        list_skips(&p, c);
    }
    free(p.form);
    free(p.support);
    free(p.met);
    free(p.in_loop);
    free(p.set);
}
