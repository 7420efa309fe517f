// SPDX-License-Identifier: GPL-3.0-or-later
#include "game/trial.h"

#include "base/clock.h"
#include "game/playout.h"
#include "game/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum fault_kind {
    FAULT_ENGINE,
    FAULT_NO_MOVE,
    FAULT_REPEATS,
    FAULT_TOO_LONG,
    FAULT_NO_GOAL,
    FAULT_SEVERAL_GOALS,
    FAULT_BAD_GOAL,
    FAULT_NO_GOAL_YET,
    FAULT_GOAL_FALLS,
    FAULT_COUNT
};

static const struct {
    bool error;
    const char *id, *hint;
} kinds[FAULT_COUNT] = {
    [FAULT_ENGINE] = {true, "gave-up", NULL},
    [FAULT_NO_MOVE] = {true, "no-legal-move",
                       "give every role a move in every state that is not final, be it a noop"},
    [FAULT_REPEATS] = {true, "endless", "count the steps and end the game after so many"},
    [FAULT_TOO_LONG] = {false, "too-long",
                        "count the steps and end the game after so many, or allow more with --steps"},
    [FAULT_NO_GOAL] = {true, "no-goal-value", "give every role a goal in every final state"},
    [FAULT_SEVERAL_GOALS] = {true, "several-goal-values",
                             "make the conditions of the goals exclude each other"},
    [FAULT_BAD_GOAL] = {true, "goal-out-of-range", "goal values are whole numbers from 0 to 100"},
    [FAULT_NO_GOAL_YET] = {false, "goal-undefined",
                           "the standard wants exactly one goal value in every state"},
    [FAULT_GOAL_FALLS] = {false, "goal-falls", "the standard wants goals to never fall during a game"},
};

/* The faults of one kind and role: how many games have it, and what the first looked like. */
struct fault {
    uint32_t games, last_game; /* number + 1 of the last game counted */
    uint32_t game, step;
    const char *text, *state;
};

struct visit {
    uint64_t hash; /* 0: free */
    uint32_t step;
};

struct trials {
    struct reasoner *r;
    const struct trial_options *o;
    struct heap *heap;
    struct fault *faults; /* [kind][role] */
    struct playout play;
    struct list list;
    uint32_t game;
    int *goal;          /* by role: the last one defined in this game */
    struct visit *seen; /* the states of this game: open addressing */
    uint32_t seen_mask;
    double end; /* when time is up; 0: never */
};

/* A few facts of the state, for people to recognise it. */
static const char *describe_state(struct trials *t)
{
    struct text out;
    struct trace_lines facts;
    text_init(&out, t->heap);
    trace_lines_init(&facts, t->heap);
    if (!trace_facts(t->r, &t->play.state, &facts)) return "(unknown)";
    uint32_t shown = 0;
    for (; shown < facts.v.n && out.n < 400; shown++)
        text_printf(&out, shown ? " %s" : "%s", facts.v.v[shown]);
    if (shown < facts.v.n) text_printf(&out, " and %u more", facts.v.n - shown);
    trace_lines_clear(&facts);
    return out.n ? text_str(&out) : "nothing";
}

static void found(struct trials *t, enum fault_kind kind, uint32_t role, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void found(struct trials *t, enum fault_kind kind, uint32_t role, const char *format, ...)
{
    struct fault *f = &t->faults[kind * t->r->game->nroles + role];
    if (f->last_game == t->game + 1) return;
    f->last_game = t->game + 1;
    if (f->games++) return;
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    f->text = heap_strdup(t->heap, text, strlen(text));
    f->game = t->game;
    f->step = t->play.ply;
    f->state = describe_state(t);
}

/* Remember the state; if it was there before in this game, say when. */
static bool repeated(struct trials *t, uint32_t *step)
{
    uint64_t hash = state_hash(&t->play.state) | 1;
    uint32_t i = (uint32_t)(hash >> 32) & t->seen_mask;
    for (; t->seen[i].hash; i = (i + 1) & t->seen_mask)
        if (t->seen[i].hash == hash) return *step = t->seen[i].step, true;
    t->seen[i] = (struct visit){hash, t->play.ply};
    return false;
}

static bool check_goals(struct trials *t)
{
    const struct game *g = t->r->game;
    for (uint32_t role = 0; role < g->nroles; role++) {
        struct list *v = &t->list;
        v->n = 0;
        if (!t->r->ops->goals(t->r, &t->play.state, role, v)) return false;
        bool end = t->play.terminal;
        for (uint32_t i = 0; i < v->n; i++)
            if (v->v[i] > 100)
                found(t, FAULT_BAD_GOAL, role, "role %s has the goal %d", g->role_names[role], (int)v->v[i]);
        if ((int)role == g->chance && v->n == 0) continue; /* it wants nothing */
        if (end && v->n == 0)
            found(t, FAULT_NO_GOAL, role, "role %s has no goal at the end", g->role_names[role]);
        if (end && v->n > 1)
            found(t, FAULT_SEVERAL_GOALS, role, "role %s has %u goals at the end, %u and %u%s",
                  g->role_names[role], v->n, v->v[0], v->v[1], v->n > 2 ? " among them" : "");
        if (!end && v->n != 1)
            found(t, FAULT_NO_GOAL_YET, role, "role %s has %u goals during the game", g->role_names[role],
                  v->n);
        if (t->o->strict && v->n == 1) {
            if (t->goal[role] > (int)v->v[0])
                found(t, FAULT_GOAL_FALLS, role, "the goal of role %s falls from %d to %u",
                      g->role_names[role], t->goal[role], v->v[0]);
            t->goal[role] = (int)v->v[0];
        }
    }
    return true;
}

/* Look at the current state; false: the game cannot go on. */
static bool check_state(struct trials *t, bool moved)
{
    const struct game *g = t->r->game;
    if (!moved) {
        /* The playout stops at a role without moves, which is what we are after, or because the engine gave
         * up. */
        for (uint32_t role = 0; role < g->nroles && t->r->error.code == ERROR_INPUT; role++)
            if (t->play.legal[role].n == 0) {
                found(t, FAULT_NO_MOVE, role, "role %s has no legal move, and the game is not over",
                      g->role_names[role]);
                return false;
            }
        found(t, FAULT_ENGINE, 0, "the rules cannot be evaluated: %s", t->r->error.text);
        return false;
    }
    if ((t->play.terminal || t->o->strict) && !check_goals(t)) {
        found(t, FAULT_ENGINE, 0, "the goals cannot be evaluated: %s", t->r->error.text);
        return false;
    }
    if (t->play.terminal) return false;
    uint32_t before;
    if (repeated(t, &before))
        found(t, FAULT_REPEATS, 0,
              "the state after step %u comes again after step %u, so the game need not end", before,
              t->play.ply);
    if (t->play.ply >= t->o->steps) {
        found(t, FAULT_TOO_LONG, 0, "the game is not over after %u steps", t->play.ply);
        return false;
    }
    return true;
}

/* False: time was up before the end. */
static bool play_game(struct trials *t, struct trial *result)
{
    memset(t->seen, 0, ((size_t)t->seen_mask + 1) * sizeof *t->seen);
    for (uint32_t role = 0; role < t->r->game->nroles; role++) t->goal[role] = GOAL_UNDEFINED;
    result->begun++;
    bool moved = playout_begin(&t->play, t->o->seed, t->game);
    while (check_state(t, moved)) {
        heap_poll(t->heap);
        if (t->end && clock_now() > t->end) return false;
        playout_choose(&t->play);
        moved = playout_move(&t->play);
    }
    result->games++;
    if (!moved || !t->play.terminal) return true;
    if (!result->ended || t->play.ply < result->shortest) result->shortest = t->play.ply;
    if (t->play.ply > result->longest) result->longest = t->play.ply;
    result->ended++;
    return true;
}

static void report(const struct trials *t, struct diags *d, const struct trial *result)
{
    for (uint32_t kind = 0; kind < FAULT_COUNT; kind++)
        for (uint32_t role = 0; role < t->r->game->nroles; role++) {
            const struct fault *f = &t->faults[kind * t->r->game->nroles + role];
            bool known = kind == FAULT_TOO_LONG && t->faults[FAULT_REPEATS * t->r->game->nroles].games;
            if (!f->games || known) continue;
            diag_add(d, kinds[kind].error, kinds[kind].id, DIAG_NOWHERE, 0, kinds[kind].hint,
                     "%s (%u of %u games)", f->text, f->games, result->begun);
            diag_note(d,
                      "first in game %u of seed %" PRIu64
                      " (engine %s) after %u step%s, where these are true: %s",
                      f->game + 1, t->o->seed, t->r->ops->name, f->step, f->step == 1 ? "" : "s", f->state);
        }
}

void trial_run(struct reasoner *reasoner, const struct trial_options *options, struct diags *diags,
               struct trial *result)
{
    struct heap *heap = diags->heap;
    uint32_t nroles = reasoner->game->nroles, size = 64;
    while (size < 2 * (uint64_t)options->steps + 2) size *= 2;
    struct trials t = {.r = reasoner, .o = options, .heap = heap, .seen_mask = size - 1};
    *result = (struct trial){0};
    t.faults = heap_zalloc(heap, FAULT_COUNT * (nroles + 1) * sizeof *t.faults);
    t.goal = heap_zalloc(heap, (nroles + 1) * sizeof *t.goal);
    t.seen = heap_alloc(heap, (size_t)size * sizeof *t.seen);
    struct heap_guard guard;
    struct error error = {0};
    if (!playout_init(&t.play, reasoner)) heap_fail(heap, ERROR_MEMORY, "no memory for a game");
    /* The playout's memory is not the heap's, so catch and rethrow. */
    if (HEAP_ENTER(heap, &guard, &error)) {
        t.end = options->seconds > 0 ? clock_now() + options->seconds : 0;
        reasoner->deadline = t.end; /* one question may take longer than all games */
        for (; t.game < options->games && !t.faults[FAULT_ENGINE * nroles].games; t.game++)
            if (!play_game(&t, result)) break;
        report(&t, diags, result);
        heap_leave(heap);
    }
    reasoner->deadline = 0;
    playout_done(&t.play);
    list_done(&t.list);
    if (error.code) heap_fail(heap, error.code, "%s", error.text);
}
