// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/minimax/minimax_internal.h"

#include "base/hash.h"
#include "base/rng.h"
#include "search/solver/outcomes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_BYTES 512 /* of table for each position of a budget: ten of them and more */
#define SURE 1e-3f

struct minimax *minimax_new(struct reasoner *reasoner, const struct code *code, uint32_t role,
                            const struct minimax_options *options, struct error *error)
{
    struct minimax *m = calloc(1, sizeof *m);
    if (!m) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    m->opt = *options;
    m->reasoner = reasoner;
    m->code = code;
    m->nroles = reasoner->game->nroles;
    m->role = role;
    m->halt = &m->halted;
    m->policy = options->policy == MINIMAX_ALPHABETA ? MINIMAX_PARANOID : options->policy;
    uint64_t seed = options->seed ^ 0x6d696e696d6178u;
    m->salt = rng_splitmix(&seed);
    m->expander = expander_new(reasoner, options->one_by_one ? NULL : code, error);
    if (!m->expander) return minimax_free(m), NULL;
    m->history = calloc(HISTORY_SLOTS, sizeof *m->history);
    m->line = calloc(MINIMAX_MAX_PLY + 2, sizeof *m->line);
    m->heap = heap_new(0);
    if (!m->history || !m->line || !m->heap) {
        error_set(error, ERROR_MEMORY, "out of memory");
        return minimax_free(m), NULL;
    }
    order_fade(m);
    return m;
}

void minimax_free(struct minimax *m)
{
    if (!m) return;
    helpers_free(m);
    if (m->lessons) m->eval = NULL;
    expander_free(m->expander);
    analysis_free(m->analysis);
    evaluator_free(m->eval);
    twodeep_done(&m->table);
    heap_free(m->heap);
    free(m->history);
    free(m->line);
    free(m);
}

/* --- Values --------------------------------------------------------------------------------------------- */

static void add_noise(const struct minimax *m, const struct place *p, float *v)
{
    uint64_t h = p->key ^ m->salt;
    if (!p->key)
        for (uint32_t i = 0; i < p->words; i++) h = hash_mix(h, p->state[i]);
    for (uint32_t role = 0; role < m->nroles; role++) {
        h = hash_mix(h, role + 1);
        v[role] += (float)m->opt.noise * (float)(h >> 40) * 0x1p-24f;
    }
}

void minimax_judge(struct minimax *m, const struct place *p, float *out)
{
    float v[MINIMAX_MAX_ROLES], *to = m->width > 1 ? out : v;
    if (p->end) {
        for (uint32_t role = 0; role < m->nroles; role++) to[role] = p->goals[role];
    } else {
        m->eval->values(m->eval, p, to);
        if (m->opt.noise > 0) add_noise(m, p, to);
    }
    if (m->width > 1) return;
    out[0] = 2 * v[m->role];
    for (uint32_t role = 0; role < m->nroles; role++) out[0] -= v[role];
}

/* --- Finding out about the game ------------------------------------------------------------------------- */

static bool refuse(struct minimax *m, const char *why)
{
    m->refused = true;
    snprintf(m->report.remark, sizeof m->report.remark, "%s: not a game for minimax", why);
    return false;
}

/* A part of what is left of the time. */
static struct budget part_of(const struct budget *budget, double share)
{
    return (struct budget){.deadline = budget_share(budget, share), .stop = budget->stop};
}

static bool analyse(struct minimax *m, const struct budget *budget)
{
    struct budget part = part_of(budget, 0.25);
    m->analysis = evaluator_look(m->reasoner, m->opt.seed, &part);
    m->reasoner->deadline = budget->deadline;
    return m->analysis != NULL;
}

static void choose_policy(struct minimax *m, const struct budget *budget)
{
    struct budget part = part_of(budget, 0.2);
    m->reasoner->deadline = part.deadline;
    passing_find(&m->passing, m->analysis, m->reasoner, m->opt.one_by_one ? NULL : m->code, m->opt.seed,
                 &part);
    m->reasoner->deadline = budget->deadline;
    if (m->policy != MINIMAX_BRS || (m->passing.sound && !m->opt.one_by_one)) return;
    m->policy = MINIMAX_PARANOID;
    if (m->nroles == 2) return; /* it is the same */
    snprintf(m->report.remark, sizeof m->report.remark, "paranoid instead of BRS: %s", m->passing.why);
}

/* Of the time, to learn what positions are worth; where pieces are turned there are several rounds of it. */
#define LEARNING 0.4
#define LONGER 0.75

static bool choose_evaluator(struct minimax *m, const struct budget *budget, enum minimax_eval which)
{
    struct budget part = part_of(budget, m->analysis && evaluator_turns(m->analysis) ? LONGER : LEARNING);
    struct evaluator_source from = {.reasoner = m->reasoner,
                                    .code = m->code,
                                    .analysis = m->analysis,
                                    .passing = &m->passing,
                                    .which = which,
                                    .fitted = m->opt.policy == MINIMAX_ALPHABETA && which == EVAL_AUTO,
                                    .seed = m->opt.seed,
                                    .budget = &part};
    evaluator_free(m->eval);
    m->reasoner->deadline = part.deadline;
    m->eval = evaluator_new(&from);
    m->reasoner->deadline = budget->deadline;
    m->report.evaluation = m->eval ? m->eval->name : "";
    m->report.shaped = m->eval && m->eval->shaped;
    m->report.explains = m->eval ? m->eval->explains : 0;
    return m->eval != NULL;
}

/* Between what the root player's score can be at an end. */
static void find_limits(struct minimax *m)
{
    struct outcomes *o = outcomes_new(m->reasoner->game, m->code, 0);
    m->best = INFINITY;
    m->worst = -INFINITY;
    if (!o) return;
    m->best = (float)outcomes_high(o, m->role);
    m->worst = (float)outcomes_low(o, m->role);
    for (uint32_t role = 0; role < m->nroles; role++) {
        if (role == m->role) continue;
        m->best -= (float)outcomes_low(o, role);
        m->worst -= (float)outcomes_high(o, role);
    }
    outcomes_free(o);
}

/* Once, as soon as there is time for it. Until then: paranoid, everything worth the same. */
static bool set_up(struct minimax *m, const struct budget *budget, struct error *error)
{
    if (m->ready && m->eval) return true;
    if (m->nroles == 1) return refuse(m, "one player");
    if (m->nroles > MINIMAX_MAX_ROLES) return refuse(m, "more than 64 roles");
    enum minimax_policy wanted = m->opt.policy == MINIMAX_ALPHABETA ? MINIMAX_PARANOID : m->opt.policy;
    m->report.remark[0] = '\0';
    if (m->lessons) {
        lessons_use(m);
    } else if (m->analysis || analyse(m, budget)) {
        if (m->analysis->turns == TURNS_SIMULTANEOUS) return refuse(m, "several choose at once");
        m->policy = wanted;
        m->report.travels = evaluator_travels(m->analysis);
        m->report.turns = evaluator_turns(m->analysis);
        choose_policy(m, budget);
        m->ready = true;
    } else {
        if (wanted == MINIMAX_BRS) m->policy = MINIMAX_PARANOID;
        snprintf(m->report.remark, sizeof m->report.remark, "no time yet to find out about the game");
    }
    m->width = m->policy == MINIMAX_MAXN ? m->nroles : 1;
    m->root = 0; /* what was thought before was thought by other rules */
    find_limits(m);
    twodeep_done(&m->table);
    m->has_table = false;
    return m->lessons || choose_evaluator(m, budget, m->ready ? m->opt.eval : EVAL_NONE) ||
           error_set(error, ERROR_MEMORY, "out of memory");
}

/* A table for what a few thinks like this one can visit: memory that nobody needs has to be cleared all the
 * same. One that is there and large enough is kept. */
static void fit_table(struct minimax *m, const struct budget *b)
{
    uint64_t count = b->simulations && (!b->steps || b->simulations < b->steps) ? b->simulations : b->steps;
    size_t bytes = m->opt.memory;
    if (count && count < bytes / TABLE_BYTES) bytes = count * TABLE_BYTES;
    if (!m->opt.table || (m->has_table && bytes <= m->table_bytes)) return;
    twodeep_done(&m->table);
    m->has_table = twodeep_init(&m->table, bytes, m->width);
    m->table_bytes = bytes;
}

/* --- Thinking ------------------------------------------------------------------------------------------- */

/* Nothing can be better, or worse, for the root player. */
static bool settled(const struct minimax *m, float score)
{
    return fabsf(score - m->best) < SURE || fabsf(score - m->worst) < SURE;
}

static void take_over(struct minimax *m, uint32_t depth, float score)
{
    struct minimax_report *r = &m->report;
    r->depth = depth;
    r->score = score;
    r->nline = m->nline[0];
    memcpy(r->line, m->line[0], r->nline * sizeof *r->line);
    m->moves.n = 0;
    for (uint32_t i = 0; i < m->moves_new.n; i++) vec_push(m->heap, &m->moves, m->moves_new.v[i]);
}

/* Deeper and deeper. A depth that was not completed counts as far as it came: the best move known before was
 * looked at first, so that only a better one takes its place. */
static void deepen(struct minimax *m, const struct place *root)
{
    uint32_t most = m->opt.depth && m->opt.depth < MINIMAX_MAX_PLY ? m->opt.depth : MINIMAX_MAX_PLY;
    uint32_t first = m->report.depth ? m->report.depth : 1; /* a think goes on where the one before it was */
    first += m->number & 1;                                 /* not all of them the same */
    for (uint32_t depth = first; depth <= most && !m->over; depth++) {
        float value[MINIMAX_MAX_ROLES];
        bool done = frame_search(m, root, depth, value);
        float score = value[m->width > 1 ? m->role : 0];
        if (!done) {
            if (m->nline[0]) m->report.line[0] = m->line[0][0], m->report.nline = 1;
            return;
        }
        bool certain = m->width == 1 && settled(m, score);
        bool lost = certain && m->report.depth && m->report.depth < depth && score < m->report.score;
        m->report.exhausted = !m->horizon || certain;
        if (lost) { /* nothing helps: what seemed best a ply ago makes it last longest */
            m->report.depth = depth;
            m->report.score = score;
            return;
        }
        take_over(m, depth, score);
        if (m->report.exhausted) return;
    }
}

static bool own_move(const struct minimax *m, uint32_t *move)
{
    if (!m->report.nline || m->report.line[0].role != m->role) return false;
    *move = m->report.line[0].move;
    return true;
}

static void start_anew(struct minimax *m, uint64_t root)
{
    m->root = root;
    m->report.depth = m->report.nline = 0;
    m->report.exhausted = false;
    m->moves.n = 0;
    order_fade(m);
}

void minimax_look(struct minimax *m, const struct state *state, const struct budget *budget)
{
    struct place root;
    struct heap_guard guard;
    m->budget = *budget;
    m->error = (struct error){0};
    m->nodes = 0;
    m->fans_before = expander_fans(m->expander);
    m->over = false;
    struct expander_mark mark = expander_mark(m->expander);
    bool good = place_read(m->expander, state, &root, &m->error);
    if (good && root.check != m->root) start_anew(m, root.check);
    if (good && !root.end && !m->report.exhausted && HEAP_ENTER(m->heap, &guard, &m->error)) {
        deepen(m, &root);
        heap_leave(m->heap);
    }
    expander_release(m->expander, mark);
    m->report.nodes = m->nodes;
    m->report.fans = expander_fans(m->expander) - m->fans_before;
}

bool minimax_think(struct minimax *m, const struct state *state, const struct budget *budget, uint32_t *move,
                   struct error *error)
{
    double began = clock_now();
    if (m->refused || !set_up(m, budget, error)) {
        if (m->refused) error_set(error, ERROR_INPUT, "%s", m->report.remark);
        return false;
    }
    fit_table(m, budget);
    m->report.policy =
        m->opt.policy == MINIMAX_ALPHABETA && m->policy == MINIMAX_PARANOID ? MINIMAX_ALPHABETA : m->policy;
    helpers_look(m, state, budget);
    m->report.seconds = clock_now() - began;
    if (m->error.code) *error = m->error;
    return own_move(m, move);
}

const struct minimax_report *minimax_report(const struct minimax *m)
{
    return &m->report;
}

uint32_t minimax_moves(const struct minimax *m, const struct minimax_move **out)
{
    *out = m->moves.v;
    return m->moves.n;
}
