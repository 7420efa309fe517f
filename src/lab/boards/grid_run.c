// SPDX-License-Identifier: GPL-3.0-or-later
/* Workers that take chunks: first the first chunk of every point, then the second of every point, ..., so
 * that an experiment cut short shows an even picture. */
#include "lab/boards/grid.h"
#include "lab/play/run.h"

#include <pthread.h>
#include <stdlib.h>

struct work {
    const struct grid *grid;
    struct db *db;
    int64_t id;
    const struct run_options *options;
    pthread_mutex_t lock;
    uint32_t next, chunks, points; /* next chunk: chunk * points + point */
    atomic_bool stop;              /* somebody failed, or we were asked to */
    uint32_t busy;                 /* workers */
    struct run_progress progress;
    struct error error; /* the first */
    double began;
};

static uint32_t chunk_games(const struct grid *g, uint32_t from)
{
    return g->number - from < g->together ? g->number - from : g->together;
}

static bool play_chunk(struct work *w, uint32_t job, struct error *error)
{
    const struct grid *g = w->grid;
    uint32_t point = job % w->points, from = job / w->points * g->together, n = chunk_games(g, from), there;
    struct grid_point p = grid_point(g, point % g->across.n, point / g->across.n);
    if (!grid_there(w->db, w->id, &p, from, n, &there, error)) return false;
    if (there < n) {
        struct grid_game *games = calloc(n, sizeof *games);
        bool good = games && grid_play(g, &p, from, n, &w->stop, games, error) &&
                    grid_write(w->db, w->id, &p, from, n, games, error);
        if (!games) error_set(error, ERROR_MEMORY, "out of memory");
        free(games);
        if (!good) return false;
    }
    pthread_mutex_lock(&w->lock);
    w->progress.done += n;
    w->progress.played += n - there;
    pthread_mutex_unlock(&w->lock);
    return true;
}

static void *worker(void *data)
{
    struct work *w = data;
    struct error error = {0};
    for (bool good = true; good;) {
        pthread_mutex_lock(&w->lock);
        uint32_t job = w->next < w->chunks * w->points && !atomic_load(&w->stop) ? w->next++ : UINT32_MAX;
        pthread_mutex_unlock(&w->lock);
        if (job == UINT32_MAX) break;
        const struct run_options *o = w->options;
        if (o->parts == 0 || job % o->parts == o->part) good = play_chunk(w, job, &error);
    }
    pthread_mutex_lock(&w->lock);
    /* being stopped is no failure */
    if (error.code && error.code != ERROR_CANCELLED && !w->error.code) w->error = error;
    if (error.code) atomic_store(&w->stop, true);
    w->busy--;
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* Until all workers are done: pass on the wish to stop, show progress. */
static void watch(struct work *w)
{
    const struct run_options *o = w->options;
    for (bool busy = true; busy;) {
        struct timespec pause = {.tv_nsec = 100000000};
        nanosleep(&pause, NULL);
        if (o->stop && atomic_load(o->stop)) atomic_store(&w->stop, true);
        pthread_mutex_lock(&w->lock);
        struct run_progress *p = &w->progress;
        busy = w->busy > 0;
        p->elapsed = clock_now() - w->began;
        p->left = p->played ? p->elapsed / (double)p->played * (double)(p->total - p->done) : -1;
        struct run_progress copy = *p;
        pthread_mutex_unlock(&w->lock);
        if (o->progress) o->progress(o->data, &copy);
    }
}

bool grid_run(const struct grid *g, struct db *db, int64_t id, const struct run_options *o,
              struct run_progress *summary, struct error *error)
{
    struct work w = {.grid = g,
                     .db = db,
                     .id = id,
                     .options = o,
                     .chunks = (g->number + g->together - 1) / g->together,
                     .points = g->across.n * g->along.n,
                     .began = clock_now()};
    pthread_mutex_init(&w.lock, NULL);
    w.progress.total = (uint64_t)w.points * g->number;
    pthread_t *threads = calloc(o->jobs, sizeof *threads);
    uint32_t started = 0;
    for (; threads && started < o->jobs; started++) {
        pthread_mutex_lock(&w.lock);
        bool good = pthread_create(&threads[started], NULL, worker, &w) == 0;
        w.busy += good;
        pthread_mutex_unlock(&w.lock);
        if (!good) break;
    }
    if (started == 0) error_set(&w.error, ERROR_SYSTEM, "no thread could be started");
    watch(&w);
    for (uint32_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
    free(threads);
    pthread_mutex_destroy(&w.lock);
    *summary = w.progress;
    if (w.error.code) *error = w.error;
    return !w.error.code;
}
