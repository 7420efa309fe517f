// SPDX-License-Identifier: GPL-3.0-or-later
/* Breadth-first search by sweeps against the straightforward one, a state at a time on the same circuit, in
 * one run: states expanded per second of processor time, and how many times as many.
 *
 *     puzzle_speed [SECONDS] GAME...
 *
 * The straightforward one (machine code for the circuit, a chained hash table of whole states) works for so
 * many seconds. Then the other does the same work, as many states, again and again for as long. Behind the
 * states are the positions entered for them: children made, whether new or not. `found` compares the
 * different states found per second, those that wait to be expanded included. What differs in time alone
 * counts as different where it is the straightforward one that found it. */
#include "game/engine.h"
#include "search/puzzle/frontier.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the straightforward one ---- */

struct met {
    struct met *chain;
    struct state state;
};

struct plain {
    struct reasoner *r;
    struct met **bucket, **queue;
    uint64_t mask, head, tail, cap, steps;
};

static bool plain_add(struct plain *p, const struct state *s)
{
    struct met **at = &p->bucket[state_hash(s) & p->mask];
    for (struct met *n = *at; n; n = n->chain)
        if (state_equal(&n->state, s)) return false;
    struct met *n = calloc(1, sizeof *n);
    if (!n || !state_copy(&n->state, s) || p->tail == p->cap) abort();
    n->chain = *at;
    *at = n;
    p->queue[p->tail++] = n;
    return true;
}

static void plain_run(struct plain *p, double seconds)
{
    struct list legal = {0};
    struct state next = {0};
    bool ended;
    double until = clock_thread() + seconds;
    while (p->head < p->tail && (p->head % 64 || clock_thread() < until)) {
        struct met *n = p->queue[p->head++];
        legal.n = 0;
        if (!p->r->ops->legal(p->r, &n->state, 0, &legal)) abort();
        for (uint32_t i = 0; i < legal.n; i++, p->steps++)
            if (!p->r->ops->next(p->r, &n->state, &legal.v[i], &next) ||
                !p->r->ops->terminal(p->r, &next, &ended))
                abort();
            else if (!ended)
                plain_add(p, &next);
    }
    list_done(&legal);
    state_done(&next);
}

static void plain_free(struct plain *p)
{
    for (uint64_t i = 0; i < p->tail; i++) {
        state_done(&p->queue[i]->state);
        free(p->queue[i]);
    }
    free(p->bucket);
    free(p->queue);
}

/* ---- both ---- */

struct times {
    double expanded, found;
};

static struct times measure(const char *name, double seconds)
{
    struct error error;
    struct game *game = game_load(name, 0, NULL, &error);
    struct engine *engine = game ? engine_start(game, NULL, &error) : NULL;
    if (!engine || engine_wait(engine, -1) != ENGINE_READY) {
        fprintf(stderr, "%s: %s\n", name, engine ? engine_error(engine)->text : error.text);
        exit(2);
    }
    const struct code *code = engine_code(engine);
    struct reasoner *r = reasoner_circuit(game, code, &error);
    struct state root = {0};
    struct line line;
    line_init(&line);
    double lanes_time = 0, plain_time = 0;
    uint64_t lanes_steps = 0, lanes_states = 0, lanes_found = 0;
    struct plain p = {.r = r, .mask = (1u << 22) - 1, .cap = 1u << 24};
    p.bucket = calloc(p.mask + 1, sizeof *p.bucket);
    p.queue = calloc(p.cap, sizeof *p.queue);
    if (!r || !p.bucket || !p.queue || !r->ops->initial(r, &root)) abort();
    plain_add(&p, &root);
    double begin = clock_thread();
    plain_run(&p, seconds);
    plain_time = clock_thread() - begin;
    while (lanes_time < seconds) {
        struct space *s = space_new(r, code, &root, false, 0, 1, &error);
        if (!s) abort();
        s->most = 1000; /* go on after a solution, as the other does */
        struct method *m = frontier_new(s, &line, (size_t)4 << 30);
        if (!m) abort();
        const struct frontier *f = (const struct frontier *)m;
        begin = clock_thread();
        enum method_state state = METHOD_WORKING;
        while (state == METHOD_WORKING && f->at < p.head)
            state = m->ops->run(m, &(struct turn){.steps = 1000});
        lanes_time += clock_thread() - begin;
        lanes_steps += m->steps;
        lanes_states += f->at;
        lanes_found += f->states.n;
        method_free(m);
        space_free(s);
        line_done(&line);
    }
    double plain_rate = (double)p.head / plain_time, lanes_rate = (double)lanes_states / lanes_time;
    struct times times = {lanes_rate / plain_rate,
                          (double)lanes_found / lanes_time / ((double)p.tail / plain_time)};
    printf("%-20s %5u %7u  %9.3f %9.3f %8.3f %9.3f %7.1f %7.1f\n", game->name, code->nbits,
           code->circuit->ngates, plain_rate / 1e6, (double)p.steps / plain_time / 1e6, lanes_rate / 1e6,
           (double)lanes_steps / lanes_time / 1e6, times.expanded, times.found);
    fflush(stdout);
    plain_free(&p);
    line_done(&line);
    state_done(&root);
    reasoner_free(r);
    engine_free(engine);
    game_free(game);
    return times;
}

int main(int argc, char **argv)
{
    int first = 1;
    char *end;
    double seconds = argc > 1 ? strtod(argv[1], &end) : 0, expanded = 0, found = 0;
    if (argc > 1 && end != argv[1] && !*end) first = 2;
    if (first == 1) seconds = 2;
    printf("%-20s %5s %7s  %19s %18s %7s %7s\n", "millions a second", "bits", "gates", "one by one: states,",
           "by sweeps: states,", "times", "found");
    for (int i = first; i < argc; i++) {
        struct times times = measure(argv[i], seconds);
        expanded += log(times.expanded);
        found += log(times.found);
    }
    int n = argc - first;
    if (n > 0) printf("%-20s %54s %7.1f %7.1f\n", "geometric mean", "", exp(expanded / n), exp(found / n));
    return 0;
}
