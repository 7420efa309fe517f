// SPDX-License-Identifier: GPL-3.0-or-later
/* `round` counts the work given out; a thread that sees a new round takes pieces until there are none.
 * `working` counts the threads that have not finished the round. */
#include "api/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct team {
    uint32_t n; /* threads of ours: one fewer than the team has */
    pthread_t *threads;
    pthread_mutex_t lock;
    pthread_cond_t begin, done;
    uint64_t round;
    uint32_t working;
    bool leaving;
    void (*work)(void *data, uint32_t piece);
    void *data;
    uint32_t pieces;
    atomic_uint next;
};

static void take_pieces(struct team *t)
{
    for (uint32_t i; (i = atomic_fetch_add(&t->next, 1)) < t->pieces;) t->work(t->data, i);
}

static void *run(void *team)
{
    struct team *t = team;
    uint64_t seen = 0;
    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (t->round == seen && !t->leaving) pthread_cond_wait(&t->begin, &t->lock);
        if (t->leaving) break;
        seen = t->round;
        pthread_mutex_unlock(&t->lock);
        take_pieces(t);
        pthread_mutex_lock(&t->lock);
        if (--t->working == 0) pthread_cond_signal(&t->done);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

struct team *team_new(uint32_t threads)
{
    struct team *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begin, NULL);
    pthread_cond_init(&t->done, NULL);
    t->threads = calloc(threads, sizeof *t->threads);
    bool good = t->threads != NULL;
    while (good && t->n + 1 < threads) {
        good = pthread_create(&t->threads[t->n], NULL, run, t) == 0;
        if (good) t->n++;
    }
    if (good) return t;
    team_free(t);
    return NULL;
}

void team_free(struct team *t)
{
    if (!t) return;
    pthread_mutex_lock(&t->lock);
    t->leaving = true;
    pthread_cond_broadcast(&t->begin);
    pthread_mutex_unlock(&t->lock);
    for (uint32_t i = 0; i < t->n; i++) pthread_join(t->threads[i], NULL);
    pthread_cond_destroy(&t->begin);
    pthread_cond_destroy(&t->done);
    pthread_mutex_destroy(&t->lock);
    free(t->threads);
    free(t);
}

uint32_t team_size(const struct team *t)
{
    return t->n + 1;
}

void team_work(struct team *t, uint32_t pieces, void (*work)(void *data, uint32_t piece), void *data)
{
    if (t->n == 0 || pieces == 1) {
        for (uint32_t i = 0; i < pieces; i++) work(data, i);
        return;
    }
    pthread_mutex_lock(&t->lock);
    t->work = work;
    t->data = data;
    t->pieces = pieces;
    atomic_store(&t->next, 0);
    t->working = t->n;
    t->round++;
    pthread_cond_broadcast(&t->begin);
    pthread_mutex_unlock(&t->lock);
    take_pieces(t);
    pthread_mutex_lock(&t->lock);
    while (t->working) pthread_cond_wait(&t->done, &t->lock);
    pthread_mutex_unlock(&t->lock);
}
