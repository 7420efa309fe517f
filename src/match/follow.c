// SPDX-License-Identifier: GPL-3.0-or-later
#include "match/follow.h"

#include "game/trace.h"

#include <stdio.h>
#include <string.h>

struct follower {
    const struct record *r;
    struct reasoner *x;
    struct state *states;
    follow_difference *differs;
    void *data;
};

static void say(struct follower *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct follower *f, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    f->differs(f->data, text);
}

/* Make all states. An illegal move ends it: there is nothing behind it. */
static bool make_states(struct follower *f, struct error *error)
{
    struct reasoner *x = f->x;
    uint32_t joint[RECORD_MAX_ROLES];
    bool over;
    if (!x->ops->initial(x, &f->states[0])) return *error = x->error, false;
    for (uint32_t i = 0; i < f->r->nsteps; i++) {
        if (!x->ops->terminal(x, &f->states[i], &over)) return *error = x->error, false;
        if (over) return error_set(error, ERROR_INPUT, "the game is over after %u moves", i);
        if (!record_joint(f->r, i, x, &f->states[i], joint, error)) return false;
        if (!x->ops->next(x, &f->states[i], joint, &f->states[i + 1])) return *error = x->error, false;
    }
    return true;
}

static bool compare_end(struct follower *f, struct error *error)
{
    const struct record *r = f->r;
    bool over;
    if (!f->x->ops->terminal(f->x, &f->states[r->nsteps], &over)) return *error = f->x->error, false;
    if (over && r->ending != RECORD_COMPLETED) say(f, "the game is over by the rules, but not in the record");
    if (!over && r->ending == RECORD_COMPLETED)
        say(f, "the game is over in the record, but not by the rules");
    for (uint32_t i = 0; i < r->nroles && over; i++) {
        int goal;
        if (!reasoner_goal(f->x, &f->states[r->nsteps], i, &goal)) return *error = f->x->error, false;
        if (goal != r->rewards[i] && r->ending == RECORD_COMPLETED)
            say(f, "the record gives %.100s %d, the rules %d", r->roles[i], r->rewards[i], goal);
    }
    return true;
}

static bool compare_states(struct follower *f, struct error *error)
{
    const struct record *r = f->r;
    struct heap *heap = r->states ? heap_new(0) : NULL;
    struct heap_guard guard;
    volatile bool good = !r->states;
    if (good) return true;
    if (!heap) return error_set(error, ERROR_MEMORY, "out of memory");
    if (HEAP_ENTER(heap, &guard, error)) {
        struct trace_lines lines;
        trace_lines_init(&lines, heap);
        for (uint32_t i = 0; i <= r->nsteps; i++) {
            trace_lines_clear(&lines);
            if (!trace_facts(f->x, &f->states[i], &lines))
                heap_fail(heap, f->x->error.code, "%s", f->x->error.text);
            bool same = lines.v.n == r->states[i].n;
            for (uint32_t k = 0; same && k < lines.v.n; k++)
                same = strcmp(lines.v.v[k], r->states[i].facts[k]) == 0;
            if (!same) say(f, "the state after %u moves is another one in the record", i);
        }
        heap_leave(heap);
        good = true;
    }
    heap_free(heap);
    return good;
}

bool record_follow(const struct record *r, struct reasoner *reasoner, struct state *states,
                   follow_difference *differs, void *data, struct error *error)
{
    struct follower f = {r, reasoner, states, differs, data};
    return make_states(&f, error) && compare_end(&f, error) && compare_states(&f, error);
}
