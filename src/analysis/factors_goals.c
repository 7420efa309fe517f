// SPDX-License-Identifier: GPL-3.0-or-later
/* How the end and the goals read the parts. */
#include "analysis/factors_internal.h"

#define NO_PART UINT32_MAX
#define MANY (UINT32_MAX - 1)

struct reading {
    struct finder *f;
    uint32_t *part; /* by wire of the view and the goals: the set it is read from, NO_PART, or MANY */
    bool *top;      /* by gate: the outermost AND or OR of the end or a goal */
    bool *trivial;  /* by wire: it is read from parts without a choice */
    VEC(edge) args;
};

static void fill_parts(struct reading *r)
{
    struct finder *f = r->f;
    const struct circuit *c = f->c;
    for (uint32_t w = 0; w < f->forms.wires; w++) r->part[w] = NO_PART;
    for (uint32_t b = 0; b < c->nbits; b++)
        if (!f->dull[wire_bit(c, b)]) r->part[wire_bit(c, b)] = finder_set(f, wire_bit(c, b));
    for (bool again = true; again;) { /* loops want more than one pass */
        again = false;
        for (uint32_t g = 0; g < c->phase_end[PHASE_GOAL]; g++) {
            uint32_t *own = &r->part[wire_gate(c, g)], before = *own;
            for (uint32_t i = 0; i < c->gates.v[g].n; i++) {
                uint32_t in = r->part[c->edges.v[c->gates.v[g].first + i] >> 1];
                if (in != NO_PART) *own = *own == NO_PART || *own == in ? in : MANY;
            }
            again |= *own != before && c->loops.n;
        }
        heap_poll(f->heap);
    }
}

/* The operands of an AND, or, of an inverted edge, of an OR, where several parts have to do with it; those
 * that are of the same kind and hang on several parts are opened up, too. */
static void list_operands(struct reading *r, edge e)
{
    const struct circuit *c = r->f->c;
    uint32_t gates = wire_gate(c, 0);
    bool inverted = e & 1;
    vec_clear(&r->args);
    vec_push(r->f->heap, &r->args, e);
    for (uint32_t i = 0; i < r->args.n;) {
        edge at = r->args.v[i];
        if (r->part[at >> 1] != MANY || (at & 1) != inverted || r->f->forms.in_loop[(at >> 1) - gates]) {
            i++;
            continue;
        }
        const struct gate *g = &c->gates.v[(at >> 1) - gates];
        r->top[(at >> 1) - gates] = true;
        r->args.v[i] = r->args.v[--r->args.n];
        for (uint32_t k = 0; k < g->n; k++)
            vec_push(r->f->heap, &r->args, c->edges.v[g->first + k] ^ inverted);
        heap_poll(r->f->heap);
    }
}

/* The operands of the outermost AND or OR that several parts have to do with; what hangs on time alone is
 * left aside. False: there is none. */
static bool open_up(struct reading *r, edge e, enum factor_join *join)
{
    uint32_t gates = wire_gate(r->f->c, 0);
    for (bool down = true; down;) {
        if (r->part[e >> 1] != MANY || r->f->forms.in_loop[(e >> 1) - gates]) return false;
        *join = e & 1 ? JOIN_OR : JOIN_AND;
        list_operands(r, e);
        uint32_t many = 0, locals = 0;
        for (uint32_t i = 0; i < r->args.n; i++) {
            uint32_t part = r->part[r->args.v[i] >> 1];
            if (part == MANY) e = r->args.v[i];
            many += part == MANY;
            locals += part < MANY;
        }
        down = many == 1 && locals == 0;
    }
    return true;
}

static void list_one(struct reading *r, edge e)
{
    vec_clear(&r->args);
    vec_push(r->f->heap, &r->args, e);
}

static enum factor_join join_of(struct reading *r, edge root)
{
    enum factor_join join = JOIN_FUNCTION;
    uint32_t part = r->part[root >> 1];
    if (part == NO_PART) return JOIN_NONE;
    if (part != MANY) return JOIN_ONE;
    if (!open_up(r, root, &join)) return JOIN_FUNCTION;
    for (uint32_t i = 0; i < r->args.n; i++)
        if (r->part[r->args.v[i] >> 1] == MANY) return JOIN_FUNCTION;
    return join;
}

/* Does it read one fact each of several parts, and nothing else? Then these are no games of their own. */
static bool reads_facts(const struct reading *r, uint32_t g)
{
    const struct circuit *c = r->f->c;
    const struct gate *gate = &c->gates.v[g];
    for (uint32_t i = 0; i < gate->n; i++) {
        uint32_t wire = c->edges.v[gate->first + i] >> 1, part = r->part[wire];
        if (part == NO_PART) continue;
        if (part == MANY || wire > c->nbits) return false;
        for (uint32_t k = 0; k < i; k++)
            if (r->part[c->edges.v[gate->first + k] >> 1] == part) return false;
    }
    return true;
}

/* Parts in which nobody has ever more than one move, such as cells to be marked, are no games, either, where
 * something below the outermost AND or OR is read from several. */
static void find_trivial(struct reading *r)
{
    struct finder *f = r->f;
    const struct circuit *c = f->c;
    uint32_t *mover = heap_zalloc(f->heap, (size_t)f->forms.wires * sizeof *mover);
    for (uint32_t w = 0; w < f->forms.wires; w++) r->trivial[w] = true;
    for (uint32_t role = 0; role < c->nroles; role++) {
        for (uint32_t w = 0; w < f->forms.wires; w++) mover[w] = UINT32_MAX;
        for (uint32_t i = 0; i < f->claims.n; i++) {
            const struct claim *it = &f->claims.v[i];
            if (it->move < c->move_base[role] || it->move >= c->move_base[role + 1] || !it->wire) continue;
            uint32_t set = finder_set(f, it->wire);
            r->trivial[set] &= mover[set] == UINT32_MAX || mover[set] == it->move;
            mover[set] = it->move;
        }
    }
    for (uint32_t b = 0; b < c->nbits; b++)
        r->trivial[wire_bit(c, b)] = f->dull[wire_bit(c, b)] || r->trivial[finder_set(f, wire_bit(c, b))];
    finder_spread(f, r->trivial, c->phase_end[PHASE_GOAL]);
}

static bool join_inner(struct reading *r, const bool *needed, bool trivial)
{
    const struct circuit *c = r->f->c;
    bool joined = false;
    for (uint32_t g = 0; g < c->phase_end[PHASE_GOAL]; g++) {
        uint32_t wire = wire_gate(c, g);
        if (!needed[wire] || r->part[wire] != MANY || r->top[g]) continue;
        if (trivial ? !r->trivial[wire] : !reads_facts(r, g)) continue;
        finder_join_below(r->f, wire << 1, wire);
        joined = true;
    }
    if (joined) fill_parts(r);
    return joined;
}

static bool *needed_wires(struct finder *f)
{
    const struct circuit *c = f->c;
    bool *needed = heap_zalloc(f->heap, f->forms.wires * sizeof *needed);
    needed[c->terminal >> 1] = true;
    for (uint32_t i = 0; i < c->goals.n; i++) needed[c->goals.v[i].e >> 1] = true;
    finder_reach(f, needed);
    return needed;
}

void finder_read_goals(struct finder *f, struct factors *out)
{
    const struct circuit *c = f->c;
    struct reading r = {.f = f};
    r.part = heap_zalloc(f->heap, f->forms.wires * sizeof *r.part);
    r.trivial = heap_zalloc(f->heap, f->forms.wires * sizeof *r.trivial);
    r.top = heap_zalloc(f->heap, (c->ngates + 1) * sizeof *r.top);
    bool *needed = needed_wires(f);
    for (uint32_t w = 1; w < wire_gate(c, 0); w++) f->forms.given[w] = forms_open(w);
    finder_base(f);
    fill_parts(&r);
    find_trivial(&r);
    join_of(&r, c->terminal); /* marks what is outermost */
    for (uint32_t i = 0; i < c->goals.n; i++) join_of(&r, c->goals.v[i].e);
    join_inner(&r, needed, true);
    while (join_inner(&r, needed, false)) {
    }
    out->terminal = join_of(&r, c->terminal);
    for (uint32_t i = 0; i < c->goals.n; i++) {
        out->goal[i] = join_of(&r, c->goals.v[i].e);
        if (out->goal[i] == JOIN_ONE) list_one(&r, c->goals.v[i].e);
        for (uint32_t k = 0; k < r.args.n && out->goal[i] != JOIN_NONE && out->goal[i] != JOIN_FUNCTION;
             k++) {
            uint32_t part = r.part[r.args.v[k] >> 1];
            vec_push(f->heap, &out->operands, (struct factor_operand){i, part, r.args.v[k]});
        }
    }
    for (uint32_t b = 0; b < c->nbits; b++) f->counts[b] = needed[wire_bit(c, b)];
}
