// SPDX-License-Identifier: GPL-3.0-or-later
/* The stages in order, inside the limits. Two heaps: one for the result (with the terms), one for the rest.
 */
#include "ground/ground.h"

#include "base/clock.h"
#include "ground/ground_internal.h"

/* Chosen on the corpus: sheets that stay below are grounded plainly, which makes the better circuits. */
#define SPLIT_INSTANCES 100000
#define LARGE_TABLE 200000
#define PATIENCE 2000000

/* Whose fault was it? The clause that took the most work. */
static void blame(const struct grounder *g, struct ground_report *report)
{
    const struct clause *worst = NULL;
    for (uint32_t i = 0; i < g->clauses.n; i++)
        if (!worst || g->clauses.v[i].work > worst->work) worst = &g->clauses.v[i];
    if (!worst || !worst->work) return;
    const struct program *p = g->program;
    uint32_t relation = p->rules.v[worst->rule].relation;
    snprintf(report->worst, sizeof report->worst, "%s", symbol_name(p->terms, p->relations.v[relation].name));
}

/* The result is written while the scratch heap is still full: together they must stay within the limit. */
static void share_limit(struct grounder *g, struct ground *out)
{
    for (uint32_t i = 0; i < g->predicates.n; i++) table_drop_indexes(g->heap, &g->predicates.v[i].table);
    size_t limit = g->limits.bytes;
    if (limit) out->heap->limit = limit > g->heap->used ? limit - g->heap->used : 1;
}

static void build(struct grounder *g, struct ground *out)
{
    g->report->stage = "flat rules";
    predicate_get(g, g->program->keyword[KW_ROLE], 0, 0);
    shapes_find(g);
    flatten_program(g);
    strata_find(g);
    register_heads(g);
    g->report->stage = "possible atoms";
    reach_all(g);
    g->report->stage = "ground rules";
    emit_all(g);
    g->report->stage = "numbering";
    share_limit(g, out);
    finish(g, out);
}

static struct grounder *grounder_new(struct heap *scratch, struct ground *out, const struct program *program,
                                     const struct ground_limits *limits, struct ground_report *report)
{
    struct grounder *g = heap_zalloc(scratch, sizeof *g);
    g->heap = scratch;
    g->program = program;
    g->terms = out->terms;
    g->report = report;
    if (limits) g->limits = *limits;
    if (!g->limits.split_instances) g->limits.split_instances = SPLIT_INSTANCES;
    if (!g->limits.large_table) g->limits.large_table = LARGE_TABLE;
    if (!g->limits.patience) g->limits.patience = PATIENCE;
    return g;
}

struct ground *ground_build(const struct program *program, const struct ground_limits *limits,
                            struct ground_report *report, struct error *error)
{
    struct ground_report ignored;
    if (!report) report = &ignored;
    *report = (struct ground_report){.stage = "start"};
    double begin = clock_now();
    struct heap *scratch = heap_new(limits ? limits->bytes : 0), *kept = heap_new(limits ? limits->bytes : 0);
    if (!scratch || !kept) {
        heap_free(scratch);
        heap_free(kept);
        error_set(error, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    if (limits) {
        scratch->deadline = kept->deadline = limits->seconds > 0 ? begin + limits->seconds : 0;
        scratch->cancel = kept->cancel = limits->cancel;
    }
    struct heap_guard outer, inner;
    struct grounder *volatile g = NULL;
    struct ground *volatile out = NULL;
    volatile bool done = false;
    if (HEAP_ENTER(kept, &outer, error)) {
        if (HEAP_ENTER(scratch, &inner, error)) {
            out = heap_zalloc(kept, sizeof *out);
            out->heap = kept;
            out->terms = terms_clone(kept, program->terms);
            g = grounder_new(scratch, out, program, limits, report);
            build(g, out);
            heap_leave(scratch);
            done = true;
        }
        heap_leave(kept);
    }
    report->seconds = clock_now() - begin;
    report->peak_bytes = scratch->peak + kept->peak;
    if (g && !done) blame(g, report);
    heap_free(scratch);
    if (!done) {
        if (error && error->code == ERROR_MEMORY && limits && kept->limit < limits->bytes)
            error_set(error, ERROR_MEMORY, "more than the allowed %zu MB of memory needed",
                      limits->bytes >> 20);
        heap_free(kept);
        return NULL;
    }
    kept->limit = 0; /* the limits were those of the work, not of the result */
    kept->deadline = 0;
    kept->cancel = NULL;
    return out;
}

void ground_free(struct ground *g)
{
    if (g) heap_free(g->heap);
}
