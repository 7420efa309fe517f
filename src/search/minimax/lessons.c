// SPDX-License-Identifier: GPL-3.0-or-later
/* What one search has found out about a game, for others: finding out takes longer than many a look. */
#include "search/minimax/minimax_internal.h"

#include <stdlib.h>
#include <string.h>

struct minimax_lessons {
    enum minimax_policy policy;
    struct analysis *analysis; /* evaluations may point into it */
    struct passing passing;
    struct evaluator *eval;
    struct minimax_report report;
};

struct minimax_lessons *minimax_take_lessons(struct minimax *m)
{
    if (!m->ready || m->lessons || !m->eval || m->eval->notes) return NULL;
    struct minimax_lessons *l = malloc(sizeof *l);
    if (!l) return NULL;
    *l = (struct minimax_lessons){.policy = m->policy,
                                  .analysis = m->analysis,
                                  .passing = m->passing,
                                  .eval = m->eval,
                                  .report = m->report};
    m->analysis = NULL;
    m->eval = NULL;
    m->refused = true;
    return l;
}

void minimax_lessons_free(struct minimax_lessons *l)
{
    if (!l) return;
    evaluator_free(l->eval);
    analysis_free(l->analysis);
    free(l);
}

void minimax_lend(struct minimax *m, const struct minimax_lessons *l)
{
    m->lessons = l;
}

void lessons_use(struct minimax *m)
{
    const struct minimax_lessons *l = m->lessons;
    struct minimax_report *r = &m->report;
    m->policy = l->policy;
    m->passing = l->passing;
    m->eval = l->eval;
    r->evaluation = l->report.evaluation;
    r->shaped = l->report.shaped;
    r->explains = l->report.explains;
    r->travels = l->report.travels;
    r->turns = l->report.turns;
    memcpy(r->remark, l->report.remark, sizeof r->remark);
    m->ready = true;
}
