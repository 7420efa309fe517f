// SPDX-License-Identifier: GPL-3.0-or-later
#include "match/together.h"

#include "search/driver.h"

#include <stdlib.h>

struct party {
    struct match *match;
    uint32_t waiting; /* hands that are not done yet */
    bool started, over;
    struct error why;
};

/* A hand that could not be given a lane yet. */
struct waiting_hand {
    struct hand *hand;
    struct budget budget;
};

struct together {
    struct driver *driver;
    struct party **parties;
    uint32_t n, cap;
    struct waiting_hand *queue; /* first come, first served */
    uint32_t first, queued, queue_cap;
    double clock, ticked;
};

struct together *together_new(struct driver *driver)
{
    struct together *t = calloc(1, sizeof *t);
    if (t) t->driver = driver;
    return t;
}

void together_free(struct together *t)
{
    if (!t) return;
    for (uint32_t i = 0; i < t->n; i++) free(t->parties[i]);
    free(t->parties);
    free(t->queue);
    free(t);
}

uint32_t together_count(const struct together *t)
{
    return t->n;
}

double together_clock(struct together *t)
{
    double now = clock_now();
    if (t->n) t->clock += (now - t->ticked) / t->n;
    t->ticked = now;
    return t->clock;
}

/* --- Hands ---------------------------------------------------------------------------------------------- */

static void serve_queue(struct together *t)
{
    while (t->first < t->queued && driver_room(t->driver) > 0) {
        struct waiting_hand *e = &t->queue[t->first++];
        driver_add(t->driver, e->hand, &e->budget);
    }
    if (t->first == t->queued) t->first = t->queued = 0;
}

/* Without memory: the search is left out, and the player's first move is as good as any. */
static bool enqueue(struct together *t, struct hand *hand, const struct budget *budget)
{
    if (t->queued == t->queue_cap) {
        uint32_t cap = t->queue_cap ? t->queue_cap * 2 : 256;
        struct waiting_hand *grown = realloc(t->queue, cap * sizeof *grown);
        if (!grown) return false;
        t->queue = grown;
        t->queue_cap = cap;
    }
    t->queue[t->queued++] = (struct waiting_hand){hand, *budget};
    return true;
}

static void submit(struct together *t, struct party *p)
{
    for (uint32_t r = 0; r < p->match->game->nroles; r++) {
        struct seat *s = p->match->seats[r];
        struct hand *hand;
        struct budget budget;
        if (!s->ops->task || !s->ops->task(s, &hand, &budget)) continue;
        hand->owner = p;
        p->waiting += enqueue(t, hand, &budget);
    }
}

/* --- Matches -------------------------------------------------------------------------------------------- */

static bool stopped(const struct match *m)
{
    return m->stop && atomic_load_explicit(m->stop, memory_order_relaxed);
}

static bool go_on(struct party *p)
{
    struct match *m = p->match;
    if (!p->started) {
        match_begun(m);
        p->started = true;
    } else if (!match_answer(m, &p->why)) {
        return false;
    }
    if (stopped(m)) return error_set(&p->why, ERROR_CANCELLED, "aborted");
    return m->terminal || match_ask(m, &p->why);
}

/* As far as it goes without anybody thinking. */
static void advance(struct together *t, struct party *p)
{
    struct error ignored;
    bool good = true;
    while (good && !p->over && p->waiting == 0) {
        good = go_on(p);
        p->over = !good || p->match->terminal;
        if (!p->over) submit(t, p);
    }
    if (!p->over) return;
    if (!match_finish(p->match, good ? &p->why : &ignored) && good && !p->why.code)
        error_set(&p->why, ERROR_INTERNAL, "the match could not be finished");
}

bool together_add(struct together *t, struct match *m)
{
    if (t->n == t->cap) {
        uint32_t cap = t->cap ? t->cap * 2 : 64;
        struct party **grown = realloc(t->parties, cap * sizeof *grown);
        if (!grown) return false;
        t->parties = grown;
        t->cap = cap;
    }
    struct party *p = calloc(1, sizeof *p);
    if (!p) return false;
    p->match = m;
    together_clock(t);
    t->parties[t->n++] = p;
    if (match_begin(m, &p->why)) {
        submit(t, p);
        advance(t, p);
    } else {
        struct error ignored;
        match_finish(m, &ignored);
        p->over = true;
    }
    return true;
}

static struct match *find_over(struct together *t, struct error *error)
{
    for (uint32_t i = 0; i < t->n; i++) {
        struct party *p = t->parties[i];
        if (!p->over) continue;
        struct match *m = p->match;
        together_clock(t);
        *error = p->why;
        t->parties[i] = t->parties[--t->n];
        free(p);
        return m;
    }
    return NULL;
}

struct match *together_next(struct together *t, struct error *error)
{
    for (;;) {
        struct match *m = find_over(t, error);
        if (m || t->n == 0) return m;
        serve_queue(t);
        struct hand *h = driver_run(t->driver);
        if (!h) continue;
        struct party *p = h->owner;
        p->waiting--;
        advance(t, p);
    }
}
