// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/analysis_internal.h"

static void find_out(struct analysis *a, struct playout *playout, struct list *scratch,
                     const struct analysis_options *options)
{
    struct analysis_options o = *options;
    if (o.games == 0) o.games = 20;
    if (o.steps == 0) o.steps = 500;
    if (o.states == 0) o.states = 5000;
    if (o.seconds == 0) o.seconds = 5;
    a->terms = terms_clone(a->heap, a->game->program->terms);
    a->roles = heap_zalloc(a->heap, a->game->nroles * sizeof *a->roles);
    struct sample s = {.heap = a->heap, .terms = a->terms, .game = a->game};
    sample_play(a, &s, playout, scratch, &o);
    if (s.shots.n == 0) heap_fail(a->heap, a->fault.code, "%s", a->fault.text);
    turns_find(a, &s);
    boards_find(a, &s);
    boards_overlay(a, &s);
    boards_shape(a, &s);
    for (uint32_t i = 0; i < s.predicates.n; i++) vec_free(a->heap, &s.predicates.v[i].facts);
    vec_free(a->heap, &s.predicates);
    vec_free(a->heap, &s.predicate_of);
    vec_free(a->heap, &s.shots);
    vec_free(a->heap, &s.facts);
    vec_free(a->heap, &s.moves);
    vec_free(a->heap, &s.choices);
    vec_free(a->heap, &s.offered);
    vec_free(a->heap, &s.offers);
}

static struct analysis *find_out_guarded(struct playout *playout, struct list *scratch,
                                         const struct analysis_options *options, struct error *error)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    if (!heap) {
        error_set(error, ERROR_MEMORY, "no memory to look at the game");
        return NULL;
    }
    heap->cancel = options->cancel;
    heap->deadline = options->deadline;
    if (HEAP_ENTER(heap, &guard, error)) {
        struct analysis *a = heap_zalloc(heap, sizeof *a);
        a->heap = heap;
        a->game = playout->reasoner->game;
        find_out(a, playout, scratch, options);
        heap_leave(heap);
        return a;
    }
    heap_free(heap);
    return NULL;
}

struct analysis *analysis_new(struct reasoner *reasoner, const struct analysis_options *options,
                              struct error *error)
{
    /* Plain memory, which the heap does not free: it is kept outside of the guard. */
    struct playout playout;
    struct list scratch = {0};
    if (!playout_init(&playout, reasoner)) {
        *error = reasoner->error;
        return NULL;
    }
    struct analysis *a = find_out_guarded(&playout, &scratch, options, error);
    list_done(&scratch);
    playout_done(&playout);
    return a;
}

void analysis_free(struct analysis *a)
{
    if (a) heap_free(a->heap);
}

const struct board *analysis_fast_board(const struct analysis *a, bool *pieces)
{
    for (uint32_t i = 0; i < a->boards.n; i++) {
        const struct board *b = &a->boards.v[i];
        if (!b->fast_template) continue;
        *pieces = false;
        for (uint32_t p = 0; p < b->npieces; p++)
            for (uint32_t q = 0; q < p; q++)
                if (b->pieces[p].owner >= 0 && b->pieces[p].owner == b->pieces[q].owner) *pieces = true;
        return b;
    }
    return NULL;
}
