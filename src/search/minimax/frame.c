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
 * Nodes are opened before they are visited, many together (ahead.c); here what is there is used.
 */
#include "search/minimax/minimax_internal.h"

#include <math.h>
#include <string.h>

#define GROUP_NODES 256u
#define GROUP_GROWTH 4u /* after a first move that was not good enough so many, then so many times more */
#define MIN_SALT 0x9d39247e33776d41u

struct window {
    float alpha, beta;
    float limit;     /* max^n: a mover who has more than this here need not go on */
    uint32_t before; /* max^n: who moved last */
};

static bool visit(struct minimax *m, const struct place *p, struct ask ask, struct window w,
                  const struct opened *ready, float *out);

static bool spent(struct minimax *m)
{
    const struct budget *b = &m->budget;
    if (b->simulations && m->nodes >= b->simulations) m->over = true;
    if (b->steps && m->nodes >= b->steps) m->over = true;
    return m->over;
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

bool frame_known(const struct minimax *m, const struct place *p, enum whose whose, struct twodeep_entry *out)
{
    return m->has_table && twodeep_find(&m->table, key_of(p, whose), check_of(p, whose), out);
}

void frame_fetch(const struct minimax *m, const struct place *p, enum whose whose)
{
    twodeep_fetch(&m->table, key_of(p, whose));
}

/* True: the table answers. *known is a move to look at first. */
static bool look_up(struct minimax *m, const struct place *p, enum whose whose, uint32_t depth,
                    struct window *w, uint32_t *known, float *out)
{
    struct twodeep_entry e;
    if (!frame_known(m, p, whose, &e)) return false;
    *known = e.move;
    if (e.depth < depth && !e.ends) return false;
    bool enough = e.bound == BOUND_EXACT || (e.bound == BOUND_LOWER && e.value[0] >= w->beta) ||
                  (e.bound == BOUND_UPPER && e.value[0] <= w->alpha);
    if (!enough) return false;
    memcpy(out, e.value, m->width * sizeof *out);
    m->horizon |= !e.ends;
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

/* Children that are opened together. */
struct group {
    uint32_t end, size; /* of candidates, which are in order up to there */
    struct expander_mark mark;
    bool marked; /* what they take is given back before the next */
};

static void close_group(struct minimax *m, struct group *g)
{
    if (g->marked) expander_release(m->expander, g->mark);
    g->marked = false;
}

/* The child of candidate i and of as many after it as will be needed at the same time. */
static bool open_group(struct minimax *m, struct group *g, const struct opened *o, uint32_t i, struct ask ask)
{
    const struct place *places[GROUP_NODES];
    uint32_t number[GROUP_NODES], n = 0;
    struct opened *opened[GROUP_NODES];
    struct ask below = ahead_below(m, ask, i == 0);
    bool alone = i == 0 && (ask.expect == EXPECT_CUT || ask.expect == EXPECT_MIXED);
    double leaves = 0;
    g->size = alone ? 1 : ask.expect == EXPECT_CUT ? g->size * GROUP_GROWTH : GROUP_NODES;
    if (g->size > GROUP_NODES) g->size = GROUP_NODES;
    g->mark = expander_mark(m->expander);
    g->marked = true;
    for (g->end = i; g->end < o->nmoves && n < g->size; g->end++) {
        if (g->end > i) order_next(o->moves, g->end, o->nmoves);
        const struct candidate *c = &o->moves[g->end];
        if (!c->child->state) break;
        if (c->child->end || o->below[c->number]) continue;
        leaves += ahead_leaves(m, c->child, below);
        if (leaves > AHEAD_LEAVES && g->end > i) break;
        number[n] = c->number;
        places[n++] = c->child;
    }
    if (g->end == i) g->end++;
    if (!n || (n == 1 && leaves > AHEAD_LEAVES)) return true; /* it will be opened when it is visited */
    memset(opened, 0, n * sizeof *opened);
    if (!ahead_open(m, places, n, below, opened)) return false;
    for (uint32_t k = 0; k < n; k++) o->below[number[k]] = opened[k];
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

static bool try_moves(struct minimax *m, const struct place *p, const struct opened *o, struct ask ask,
                      struct window asked, uint32_t known, float *best)
{
    struct candidate *c = o->moves;
    uint32_t n = o->nmoves, chosen = 0;
    bool ours = o->mover == m->role, any = false, was_cut = false, lazily = ahead_lazily(m);
    float value[MINIMAX_MAX_ROLES];
    struct window w = asked;
    struct group group = {.size = 1};
    order_candidates(m, p, o, ask, known);
    for (uint32_t i = 0; i < n && !was_cut; i++) {
        if (i >= group.end) {
            close_group(m, &group);
            order_next(c, i, n);
        }
        if (!c[i].child->state && !ahead_child(m, o, ask, &c[i])) return false;
        const struct place *child = c[i].child;
        bool inside = ask.depth > 1 && !child->end;
        if (inside && !lazily && i >= group.end && !o->below[c[i].number] &&
            !open_group(m, &group, o, i, ask))
            return false;
        struct window next = below(m, o->mover, best, any, &w);
        if (!visit(m, child, ahead_below(m, ask, i == 0), next, inside ? o->below[c[i].number] : NULL, value))
            return false;
        if (ask.ply == 0) note_root(m, &c[i], &w, value);
        if (!any || takes(m, ours, o->mover, value, best)) {
            memcpy(best, value, m->width * sizeof *best);
            chosen = i;
            any = true;
            keep_line(m, ask.ply, &c[i]);
        }
        narrow(m, ours, best, &w);
        was_cut = i + 1 < n && cut(m, o->mover, best, &w);
    }
    if (was_cut) order_cut(m, &c[chosen], ask.depth, ask.ply);
    if (m->has_table) write_down(m, p, ask.whose, ask.depth, &asked, was_cut, c[chosen].number, best);
    return true;
}

static bool visit(struct minimax *m, const struct place *p, struct ask ask, struct window w,
                  const struct opened *ready, float *out)
{
    m->nline[ask.ply] = 0;
    if (spent(m)) return false;
    m->nodes++;
    if (p->end || ask.depth == 0 || ask.ply >= MINIMAX_MAX_PLY) {
        m->horizon |= !p->end;
        minimax_judge(m, p, out);
        return true;
    }
    uint32_t known = TWODEEP_NO_MOVE;
    float answer[MINIMAX_MAX_ROLES];
    bool horizon = m->horizon; /* elsewhere */
    if (m->has_table && look_up(m, p, ask.whose, ask.depth, &w, &known, answer)) {
        if (ask.ply > 0) return memcpy(out, answer, m->width * sizeof *out), true;
        m->horizon = horizon; /* at the root a move is wanted, too */
    }
    struct expander_mark mark = expander_mark(m->expander);
    struct opened *now = NULL;
    m->horizon = false;
    bool good = ready || ahead_open(m, &p, 1, ask, &now);
    good = good && try_moves(m, p, ready ? ready : now, ask, w, known, out);
    m->horizon |= horizon;
    expander_release(m->expander, mark);
    return good;
}

bool frame_search(struct minimax *m, const struct place *root, uint32_t depth, float *value)
{
    struct window all = {-INFINITY, INFINITY, INFINITY, m->nroles};
    struct ask ask = {WHOSE_RULES, EXPECT_CUT, depth, 0};
    if (m->width > 1) ask.expect = m->nroles == 2 && m->eval->most > 0 ? EXPECT_MIXED : EXPECT_WHOLE;
    if (m->policy == MINIMAX_BRS)
        ask.whose = passing_holds(&m->passing, root->state, m->role) ? WHOSE_OURS : WHOSE_THEIRS;
    m->horizon = false;
    m->moves_new.n = 0;
    return visit(m, root, ask, all, NULL, value);
}
