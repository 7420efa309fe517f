// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/playouts.h"

#include "gpu/tools.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum state { TO_MAKE, MAKING, MADE, FAILED };

/* All that are wanted; entries are few. Everything is the lock's, but what is being made is its maker's. */
struct entry {
    struct gpu_playouts playouts; /* first: it stands for the entry */
    const struct circuit *circuit;
    enum state state;
    uint32_t users;
    struct error error; /* why it failed */
    struct entry *next;
};
static struct entry *entries;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static bool is_cancelled(const struct ground_limits *limits)
{
    return limits && limits->cancel && atomic_load(limits->cancel);
}

static struct gpu_plan *plan(struct heap *heap, const void *data)
{
    const struct entry *e = data;
    return gpu_plan_new(heap, e->circuit,
                        (struct gpu_setup){.turns = 1, .roots = true, .mover = e->playouts.mover});
}

static bool make(struct gpu *gpu, struct entry *e, const struct ground_limits *limits, struct error *error)
{
    const struct ptx_options wishes = {.threads = PTX_BLOCK};
    struct gpu_playouts *p = &e->playouts;
    p->mover = gpu_find_mover(e->circuit);
    return gpu_code_make(gpu, plan, e, &wishes, 0, limits, &p->play, error) &&
           gpu_module_load(gpu, gpu_tool_text(GPU_REPEAT), 4, &p->copy.module, error) &&
           gpu_module_find(gpu, p->copy.module, GPU_TOOL_ENTRY, &p->copy.function, error);
}

static void release(struct gpu *gpu, struct entry *e)
{
    gpu_code_free(gpu, &e->playouts.play);
    gpu_code_free(gpu, &e->playouts.copy);
}

static struct entry *find(const struct circuit *c)
{
    struct entry *e = entries;
    while (e && e->circuit != c) e = e->next;
    if (e || !(e = calloc(1, sizeof *e))) return e;
    e->circuit = c;
    e->next = entries;
    return entries = e;
}

/* Nobody wants it any more. */
static void drop(struct entry *e)
{
    struct entry **at = &entries;
    while (*at != e) at = &(*at)->next;
    *at = e->next;
    free(e);
}

/* A moment, or until something has changed. */
static void wait_a_little(void)
{
    const long moment = 10000000;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += moment;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&changed, &lock, &until);
}

/* With the lock, which is given up while it is made. What was given up because its maker was no longer
 * interested is left to the next. */
static void make_or_wait(struct gpu *gpu, struct entry *e, const struct ground_limits *limits)
{
    if (e->state == MAKING) {
        wait_a_little();
        return;
    }
    e->state = MAKING;
    pthread_mutex_unlock(&lock);
    bool good = make(gpu, e, limits, &e->error);
    if (!good) release(gpu, e);
    pthread_mutex_lock(&lock);
    e->state = good ? MADE : is_cancelled(limits) ? TO_MAKE : FAILED;
    pthread_cond_broadcast(&changed);
}

const struct gpu_playouts *gpu_playouts_take(struct gpu *gpu, const struct circuit *c,
                                             const struct ground_limits *limits, struct error *error)
{
    if (!gpu_enter(gpu, error)) return NULL;
    pthread_mutex_lock(&lock);
    struct entry *e = find(c);
    if (e) e->users++;
    while (e && (e->state == TO_MAKE || e->state == MAKING) && !is_cancelled(limits))
        make_or_wait(gpu, e, limits);
    bool good = e && e->state == MADE;
    if (!e)
        error_set(error, ERROR_MEMORY, "no memory for device code");
    else if (e->state == FAILED)
        *error = e->error;
    else if (!good)
        error_set(error, ERROR_SYSTEM, "device code was not waited for");
    if (!good && e && --e->users == 0) drop(e);
    pthread_mutex_unlock(&lock);
    return good ? &e->playouts : NULL;
}

void gpu_playouts_give_back(struct gpu *gpu, const struct gpu_playouts *p)
{
    if (!p) return;
    struct entry *e = (struct entry *)p;
    pthread_mutex_lock(&lock);
    if (--e->users == 0) {
        release(gpu, e);
        drop(e);
    }
    pthread_mutex_unlock(&lock);
}
