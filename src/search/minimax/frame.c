// SPDX-License-Identifier: GPL-3.0-or-later
/* The frame of all three searches: a node is counted, looked up, opened, its moves are ordered and tried,
 * what comes out is written down. What differs is small and has a function each: which value is better
 * (takes), what the next move must beat (narrow), when the rest cannot matter (cut).
 *
 *     one number (paranoid, Best-Reply Search): fail-soft alpha-beta, values as the root player sees them,
 *     so that ours are MAX nodes and all others MIN nodes
 *     vectors (max^n): the mover's own entry; shallow pruning where all roles together cannot have more than
 *     eval->most: a mover who is sure of more than that less what the one before him has elsewhere is not
 *     asked further
 *
 * Two plies above the horizon the nodes below are opened together, as many as there are lanes: their leaves
 * are hundreds, and one sweep brings them all. The first of them is opened alone, for it may be enough.
 */
#include "search/minimax/minimax_internal.h"

#include <math.h>
#include <string.h>

#define GROUP_LANES 512u
#define GROUP_NODES 64u
#define MIN_SALT 0x9d39247e33776d41u

struct window {
    float alpha, beta;
    float limit;     /* max^n: a mover who has more than this here need not go on */
    uint32_t before; /* max^n: who moved last */
};

static bool visit(struct minimax *m, const struct place *p, enum whose whose, uint32_t depth, uint32_t ply,
                  struct window w, const struct opened *ready, float *out);

static bool fail(struct minimax *m)
{
    m->over = true;
    return false;
}

static bool spent(struct minimax *m)
{
    const struct budget *b = &m->budget;
    if (b->simulations && m->nodes >= b->simulations) m->over = true;
    if (b->steps && m->nodes >= b->steps) m->over = true;
    return m->over;
}

/* Looked at where time goes: before positions are opened. */
static bool late(struct minimax *m)
{
    if (m->budget.expansions && expander_fans(m->expander) - m->fans_before >= m->budget.expansions)
        m->over = true;
    if (budget_over(&m->budget)) m->over = true;
    return m->over;
}

/* --- Opening -------------------------------------------------------------------------------------------- */

static uint32_t places_of(const struct minimax *m, enum whose whose)
{
    return whose == WHOSE_THEIRS ? m->nroles - 1 : 1;
}

/* The places that are opened for a node: itself, or copies in which each opponent has the turn. */
static bool list_places(struct minimax *m, const struct place *p, enum whose whose, const struct place **out)
{
    if (whose != WHOSE_THEIRS) {
        *out = p;
        return true;
    }
    for (uint32_t role = 0, k = 0; role < m->nroles; role++) {
        if (role == m->role) continue;
        struct place *copy = expander_room(m->expander, sizeof *copy);
        uint64_t *state = expander_room(m->expander, p->words * sizeof *state);
        if (!copy || !state) return error_set(&m->error, ERROR_MEMORY, "out of memory");
        memcpy(state, p->state, p->words * sizeof *state);
        passing_give(&m->passing, state, role);
        *copy = (struct place){.state = state, .words = p->words}; /* moves not counted */
        out[k++] = copy;
    }
    return true;
}

static struct opening opening_at(const struct minimax *m, enum whose whose, uint32_t depth)
{
    struct opening how = {.leaves = depth == 1, .goals = m->eval->wants_goals};
    how.lazily = m->opt.one_by_one || !m->code;
    if (whose == WHOSE_THEIRS) { /* afterwards it is our turn */
        how.bits = m->passing.bits;
        how.nbits = m->passing.nbits;
        how.row = &m->passing.row[m->role];
    }
    return how;
}

/* The moves of an opened node, numbered as they come. *mover: who chooses. */
static struct candidate *list_moves(struct minimax *m, const struct opened *o, enum whose whose, uint32_t *n,
                                    uint32_t *mover)
{
    *n = 0;
    for (uint32_t i = 0; i < o->n; i++) *n += o->fans[i].n;
    struct candidate *c = expander_room(m->expander, *n * sizeof *c);
    *mover = whose == WHOSE_THEIRS ? m->nroles : o->fans[0].mover;
    if (!c) return error_set(&m->error, ERROR_MEMORY, "out of memory"), m->over = true, NULL;
    for (uint32_t i = 0, k = 0; i < o->n; i++) {
        const struct fan *f = &o->fans[i];
        uint32_t role = f->mover;
        if (f->choosers > 1)
            return error_set(&m->error, ERROR_INPUT, "several roles choose at once"), m->over = true, NULL;
        if (whose == WHOSE_THEIRS) role = i < m->role ? i : i + 1;
        for (uint32_t j = 0; j < f->n; j++, k++)
            c[k] = (struct candidate){i, j, k, role, fan_move(f, role, j), 0, &f->child[j]};
    }
    return c;
}

/* What the probes are chosen by. */
struct probes {
    struct minimax *m;
    const struct place *const *nodes;
    struct opened *opened;
    uint32_t n, each, ply;
    enum whose whose;
};

static uint32_t known_move(const struct minimax *m, const struct place *p, enum whose whose);

/* In each node the move that will be looked at first. */
static void pick(void *data, struct fan *f, uint32_t nfans, uint32_t *joint)
{
    struct probes *x = data;
    (void)f;
    for (uint32_t i = 0; i < nfans; i++) joint[i] = UINT32_MAX;
    for (uint32_t i = 0; i < x->n && !x->m->over; i++) {
        uint32_t n, mover;
        struct candidate *c = list_moves(x->m, &x->opened[i], x->whose, &n, &mover);
        if (!c) return;
        order_candidates(x->m, x->nodes[i], c, n, x->ply, known_move(x->m, x->nodes[i], x->whose), false,
                         mover == x->m->role);
        order_next(c, 0, n);
        joint[i * x->each + c[0].fan] = c[0].joint;
    }
}

/* Several nodes of a kind at once: out[i] for p[i]. `probing`: with one child each. */
static bool open_nodes(struct minimax *m, const struct place *const *p, uint32_t n, enum whose whose,
                       uint32_t depth, uint32_t ply, bool probing, struct opened *out)
{
    uint32_t each = places_of(m, whose);
    const struct place **places = expander_room(m->expander, n * each * sizeof *places);
    struct fan *fans = expander_room(m->expander, n * each * sizeof *fans);
    struct opening how = opening_at(m, whose, depth);
    if (!places || !fans) return error_set(&m->error, ERROR_MEMORY, "out of memory"), fail(m);
    for (uint32_t i = 0; i < n; i++) {
        if (!list_places(m, p[i], whose, places + (size_t)i * each)) return fail(m);
        out[i] = (struct opened){fans + (size_t)i * each, places + (size_t)i * each, each};
    }
    if (late(m)) return false;
    struct probes x = {m, p, out, n, each, ply, whose};
    bool good = probing ? fans_probe(m->expander, places, n * each, &how, fans, pick, &x, &m->error)
                        : fans_open(m->expander, places, n * each, &how, fans, &m->error);
    return (good && !m->over) || fail(m);
}

/* Children that come one by one, or after the first proved not to be enough. */
static bool have_child(struct minimax *m, const struct opened *o, enum whose whose, uint32_t depth,
                       const struct candidate *c)
{
    if (c->child->state) return true;
    struct opening how = opening_at(m, whose, depth);
    if (!how.lazily)
        return !late(m) && (fans_rest(m->expander, o->places, o->n, &how, o->fans, &m->error) || fail(m));
    return fan_child(m->expander, o->places[c->fan], &how, &o->fans[c->fan], c->joint, &m->error) || fail(m);
}

/* --- What differs --------------------------------------------------------------------------------------- */

static bool takes(const struct minimax *m, bool ours, uint32_t mover, const float *v, const float *best)
{
    if (m->width == 1) return ours ? v[0] > best[0] : v[0] < best[0];
    return v[mover] > best[mover] || (v[mover] == best[mover] && v[m->role] < best[m->role]);
}

static void narrow(const struct minimax *m, bool ours, const float *best, struct window *w)
{
    if (m->width > 1) return;
    if (ours && best[0] > w->alpha) w->alpha = best[0];
    if (!ours && best[0] < w->beta) w->beta = best[0];
}

/* Equal values are not cut in max^n: which of them it is may matter to us. */
static bool cut(const struct minimax *m, uint32_t mover, const float *best, const struct window *w)
{
    if (m->width == 1) return w->alpha >= w->beta;
    return m->eval->most > 0 && mover != w->before && best[mover] > w->limit;
}

static struct window below(const struct minimax *m, uint32_t mover, const float *best, bool any,
                           const struct window *w)
{
    struct window next = *w;
    next.before = mover;
    next.limit = any && m->width > 1 ? m->eval->most - best[mover] : INFINITY;
    return next;
}

static enum whose after(enum whose whose)
{
    return whose == WHOSE_RULES ? WHOSE_RULES : whose == WHOSE_OURS ? WHOSE_THEIRS : WHOSE_OURS;
}

/* --- The table ------------------------------------------------------------------------------------------ */

static uint64_t key_of(const struct place *p, enum whose whose)
{
    return whose == WHOSE_THEIRS ? p->key ^ MIN_SALT : p->key;
}

static uint64_t check_of(const struct place *p, enum whose whose)
{
    uint64_t check = whose == WHOSE_THEIRS ? p->check ^ MIN_SALT : p->check;
    return check ? check : 1;
}

/* The move that the table would look at first. */
static uint32_t known_move(const struct minimax *m, const struct place *p, enum whose whose)
{
    if (!m->has_table) return TWODEEP_NO_MOVE;
    const struct twodeep_entry *e = twodeep_find(&m->table, key_of(p, whose), check_of(p, whose));
    return e ? e->move : TWODEEP_NO_MOVE;
}

/* True: the table answers. *known is a move to look at first. */
static bool look_up(struct minimax *m, const struct place *p, enum whose whose, uint32_t depth,
                    struct window *w, uint32_t *known, float *out)
{
    const struct twodeep_entry *e = twodeep_find(&m->table, key_of(p, whose), check_of(p, whose));
    if (!e) return false;
    *known = e->move;
    if (e->depth < depth && !e->ends) return false;
    bool enough = e->bound == BOUND_EXACT || (e->bound == BOUND_LOWER && e->value[0] >= w->beta) ||
                  (e->bound == BOUND_UPPER && e->value[0] <= w->alpha);
    if (!enough) return false;
    memcpy(out, e->value, m->width * sizeof *out);
    m->horizon |= !e->ends;
    return true;
}

static void write_down(struct minimax *m, const struct place *p, enum whose whose, uint32_t depth,
                       const struct window *asked, bool was_cut, uint32_t move, const float *best)
{
    enum bound bound = BOUND_EXACT;
    if (m->width > 1 && was_cut) return; /* nothing is known but for him */
    if (m->width == 1 && best[0] >= asked->beta) bound = BOUND_LOWER;
    if (m->width == 1 && best[0] <= asked->alpha) bound = BOUND_UPPER;
    struct twodeep_news news = {depth, move, bound, !m->horizon, best};
    twodeep_store(&m->table, key_of(p, whose), check_of(p, whose), &news);
}

/* --- A node --------------------------------------------------------------------------------------------- */

/* Nodes that are opened together, two plies above the horizon. */
struct group {
    struct opened *opened; /* of candidates first .. end - 1, which are in order */
    uint32_t first, end;
    struct expander_mark mark; /* what they take is given back before the next */
    bool marked;
};

static bool open_group(struct minimax *m, struct group *g, struct candidate *c, uint32_t n, uint32_t i,
                       enum whose whose, uint32_t ply)
{
    const struct place *places[GROUP_NODES];
    uint32_t which[GROUP_NODES], count = 0, lanes = 0, end = i;
    bool alone = i == 0 && m->width == 1;
    if (g->marked) expander_release(m->expander, g->mark);
    g->mark = expander_mark(m->expander);
    g->marked = true;
    bool probing = m->width == 1 && !alone;
    uint32_t most = probing ? EXPANDER_PROBES / places_of(m, after(whose)) : GROUP_NODES;
    for (; end < n && count < most; end++) {
        if (end > i) order_next(c, end, n);
        const struct place *child = c[end].child;
        if (child->end) continue;
        if (count && (alone || (!probing && lanes + child->joints > GROUP_LANES))) break;
        lanes += child->joints * places_of(m, after(whose));
        which[count] = end;
        places[count++] = child;
    }
    struct opened together[GROUP_NODES];
    g->opened = expander_room(m->expander, (end - i + 1) * sizeof *g->opened);
    if (!g->opened) return error_set(&m->error, ERROR_MEMORY, "out of memory"), fail(m);
    g->first = i;
    g->end = end;
    if (count && !open_nodes(m, places, count, after(whose), 1, ply + 1, probing, together)) return false;
    for (uint32_t k = 0; k < count; k++) g->opened[which[k] - i] = together[k];
    return true;
}

static void keep_line(struct minimax *m, uint32_t ply, const struct candidate *c)
{
    uint32_t rest = m->nline[ply + 1];
    m->line[ply][0] = (struct minimax_step){c->role, c->move};
    memcpy(&m->line[ply][1], m->line[ply + 1], rest * sizeof **m->line);
    m->nline[ply] = rest + 1;
}

static void note_root(struct minimax *m, const struct candidate *c, const struct window *w, const float *v)
{
    struct minimax_move move = {c->move, m->width > 1 ? v[m->role] : v[0], true};
    if (m->width == 1) move.exact = v[0] > w->alpha && v[0] < w->beta;
    vec_push(m->heap, &m->moves_new, move);
}

static bool try_moves(struct minimax *m, const struct place *p, const struct opened *o, enum whose whose,
                      uint32_t depth, uint32_t ply, struct window asked, uint32_t known, float *best)
{
    uint32_t n, mover, chosen = 0;
    struct candidate *c = list_moves(m, o, whose, &n, &mover);
    if (!c) return false;
    bool ours = mover == m->role, any = false, was_cut = false, lazily = m->opt.one_by_one || !m->code;
    float value[MINIMAX_MAX_ROLES];
    struct window w = asked;
    struct group group = {0};
    order_candidates(m, p, c, n, ply, known, depth > 2 && !lazily, ours);
    for (uint32_t i = 0; i < n && !was_cut; i++) {
        const struct opened *ready = NULL;
        if (i >= group.end) order_next(c, i, n);
        if (!have_child(m, o, whose, depth, &c[i])) return false;
        if (depth == 2 && !lazily && !c[i].child->end) {
            if (i >= group.end && !open_group(m, &group, c, n, i, whose, ply)) return false;
            ready = &group.opened[i - group.first];
        }
        struct window next = below(m, mover, best, any, &w);
        if (!visit(m, c[i].child, after(whose), depth - 1, ply + 1, next, ready, value)) return false;
        if (ply == 0) note_root(m, &c[i], &w, value);
        if (!any || takes(m, ours, mover, value, best)) {
            memcpy(best, value, m->width * sizeof *best);
            chosen = i;
            any = true;
            keep_line(m, ply, &c[i]);
        }
        narrow(m, ours, best, &w);
        was_cut = i + 1 < n && cut(m, mover, best, &w);
    }
    if (was_cut) order_cut(m, &c[chosen], depth, ply);
    if (m->has_table) write_down(m, p, whose, depth, &asked, was_cut, c[chosen].number, best);
    return true;
}

static bool visit(struct minimax *m, const struct place *p, enum whose whose, uint32_t depth, uint32_t ply,
                  struct window w, const struct opened *ready, float *out)
{
    m->nline[ply] = 0;
    if (spent(m)) return false;
    m->nodes++;
    if (p->end || depth == 0 || ply >= MINIMAX_MAX_PLY) {
        m->horizon |= !p->end;
        minimax_judge(m, p, out);
        return true;
    }
    uint32_t known = TWODEEP_NO_MOVE;
    float answer[MINIMAX_MAX_ROLES];
    bool horizon = m->horizon; /* elsewhere */
    if (m->has_table && look_up(m, p, whose, depth, &w, &known, answer)) {
        if (ply > 0) return memcpy(out, answer, m->width * sizeof *out), true;
        m->horizon = horizon; /* at the root a move is wanted, too */
    }
    struct expander_mark mark = expander_mark(m->expander);
    struct opened alone;
    m->horizon = false;
    bool good = ready || open_nodes(m, &p, 1, whose, depth, ply, false, &alone);
    good = good && try_moves(m, p, ready ? ready : &alone, whose, depth, ply, w, known, out);
    m->horizon |= horizon;
    expander_release(m->expander, mark);
    return good;
}

bool frame_search(struct minimax *m, const struct place *root, uint32_t depth, float *value)
{
    struct window all = {-INFINITY, INFINITY, INFINITY, m->nroles};
    enum whose whose = WHOSE_RULES;
    if (m->policy == MINIMAX_BRS)
        whose = passing_holds(&m->passing, root->state, m->role) ? WHOSE_OURS : WHOSE_THEIRS;
    m->horizon = false;
    m->moves_new.n = 0;
    return visit(m, root, whose, depth, 0, all, NULL, value);
}
