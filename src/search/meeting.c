// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/meeting.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct meeting {
    pthread_mutex_t lock; /* guards all but `called` */
    pthread_cond_t over;
    uint32_t members, present;
    uint64_t held; /* meetings so far */
    atomic_bool called;
};

struct meeting *meeting_new(void)
{
    struct meeting *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->over, NULL);
    return m;
}

void meeting_free(struct meeting *m)
{
    if (!m) return;
    pthread_cond_destroy(&m->over);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

void meeting_open(struct meeting *m, uint32_t members)
{
    m->members = members;
    m->present = 0;
    atomic_store(&m->called, false);
}

bool meeting_called(const struct meeting *m)
{
    return atomic_load_explicit(&m->called, memory_order_relaxed);
}

void meeting_call(struct meeting *m)
{
    atomic_store_explicit(&m->called, true, memory_order_relaxed);
}

/* All are there, and the lock is held. */
static void hold(struct meeting *m, void (*work)(void *data), void *data)
{
    work(data);
    m->present = 0;
    m->held++;
    atomic_store(&m->called, false);
    pthread_cond_broadcast(&m->over);
}

void meeting_attend(struct meeting *m, void (*work)(void *data), void *data)
{
    pthread_mutex_lock(&m->lock);
    uint64_t before = m->held;
    if (++m->present == m->members)
        hold(m, work, data);
    else
        while (m->held == before) pthread_cond_wait(&m->over, &m->lock);
    pthread_mutex_unlock(&m->lock);
}

void meeting_leave(struct meeting *m, void (*work)(void *data), void *data)
{
    pthread_mutex_lock(&m->lock);
    if (--m->members > 0 && m->present == m->members) hold(m, work, data);
    pthread_mutex_unlock(&m->lock);
}
