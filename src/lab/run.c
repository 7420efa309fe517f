// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/run.h"

#include "lab/play.h"
#include "lab/stats.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define HEARTBEAT 10 /* seconds */
#define PATIENCE 3   /* failures after which a cell is given up */

struct job {
    uint32_t cell, number;
};

struct run {
    struct schedule *schedule;
    struct db *db;
    const struct run_options *o;
    struct play_table *tables; /* by row of the spec: the game's engine */

    pthread_mutex_t lock; /* guards everything below */
    pthread_cond_t change;
    struct job *jobs; /* in the order they are played */
    uint64_t njobs, next;
    uint32_t workers; /* still at work */
    bool enough;      /* `finished` said so, or the database failed */
    struct run_progress progress;
    double *spent;     /* by cell: seconds of its games */
    uint32_t *counted; /* by cell: how many those are */
    uint32_t *failures;
    struct error fatal, failure; /* of the database; of the last game that could not be played */
};

double run_score(const struct schedule *schedule, const int *goals, const uint32_t *seats, uint32_t nroles)
{
    if (schedule->spec->measure == MEASURE_WINS) return stats_score(goals, seats, nroles, 0);
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t r = 0; r < nroles; r++)
        if (seats[r] == 0) sum += goals[r] < 0 ? 0 : goals[r], n++;
    return n ? sum / n : 0;
}

static bool stopped(const struct run *run)
{
    return run->o->stop && atomic_load_explicit(run->o->stop, memory_order_relaxed);
}

/* Seconds until all is done, from what games of each cell have taken so far. */
static double estimate(const struct run *run)
{
    double sum = 0, known = 0, seconds = 0, unknown = 0;
    uint64_t games = 0;
    uint32_t *left = calloc(run->schedule->ncells, sizeof *left);
    if (!left) return -1;
    for (uint64_t i = run->next; i < run->njobs; i++) left[run->jobs[i].cell]++;
    for (uint32_t i = 0; i < run->schedule->ncells; i++) {
        games += run->counted[i];
        seconds += run->spent[i];
        if (run->counted[i])
            known += left[i] * run->spent[i] / run->counted[i];
        else
            unknown += left[i];
    }
    free(left);
    if (games == 0) return -1;
    sum = known + unknown * seconds / (double)games;
    return sum / run->o->jobs;
}

/* ---- workers ---- */

/* The next game that is ours; false when there is none. */
static bool take(struct run *run, struct job *out)
{
    struct error error;
    for (;;) {
        pthread_mutex_lock(&run->lock);
        bool there = !run->enough && !stopped(run) && run->next < run->njobs;
        if (there) *out = run->jobs[run->next++];
        bool hopeless = there && run->failures[out->cell] >= PATIENCE;
        if (hopeless) run->progress.failed++;
        pthread_mutex_unlock(&run->lock);
        if (!there) return false;
        if (hopeless) continue;
        enum db_claim claim;
        bool good = db_claim(run->db, run->schedule->cells[out->cell].id, out->number, &claim, &error);
        if (good && claim == DB_CLAIMED) return true;
        pthread_mutex_lock(&run->lock);
        if (!good) run->enough = true, run->fatal = error;
        if (good && claim == DB_PLAYED) run->progress.done++;
        if (good && claim == DB_BUSY) run->progress.elsewhere++;
        pthread_mutex_unlock(&run->lock);
        if (!good) return false;
    }
}

static void finish(struct run *run, const struct job *job, struct play_outcome *out)
{
    const struct schedule_cell *c = &run->schedule->cells[job->cell];
    struct error error;
    bool good = db_finish(run->db, &out->record, &error);
    pthread_mutex_lock(&run->lock);
    if (good) {
        run->progress.done++;
        run->progress.played++;
        run->spent[job->cell] += out->record.seconds;
        run->counted[job->cell]++;
        if (run->o->finished && !run->o->finished(run->o->data, c, job->number,
                                                  run_score(run->schedule, out->record.goals,
                                                            out->record.seats, out->record.nroles)))
            run->enough = true;
    } else {
        run->enough = true;
        run->fatal = error;
    }
    pthread_mutex_unlock(&run->lock);
}

static void give_up(struct run *run, const struct job *job, const struct error *why)
{
    const struct schedule_cell *c = &run->schedule->cells[job->cell];
    struct error error;
    bool good = db_release(run->db, c->id, job->number, &error);
    pthread_mutex_lock(&run->lock);
    if (why->code != ERROR_CANCELLED) {
        run->failure = *why;
        error_prefix(&run->failure, "%.60s, %.60s, game %u", run->schedule->spec->games[c->game].label,
                     run->schedule->spec->pairings[c->pairing].label, job->number);
        run->failures[job->cell]++;
        run->progress.failed++;
    }
    if (!good) run->enough = true, run->fatal = error;
    pthread_mutex_unlock(&run->lock);
}

static void *work(void *data)
{
    struct run *run = data;
    struct job job;
    while (take(run, &job)) {
        const struct schedule_cell *c = &run->schedule->cells[job.cell];
        struct error error = {0};
        struct play_outcome out = {0};
        if (play_game(run->schedule, c, job.number, &run->tables[c->game], run->o->stop, &out, &error))
            finish(run, &job, &out);
        else
            give_up(run, &job, &error);
        play_outcome_done(&out);
    }
    pthread_mutex_lock(&run->lock);
    run->workers--;
    pthread_cond_signal(&run->change);
    pthread_mutex_unlock(&run->lock);
    return NULL;
}

/* ---- the whole ---- */

static bool wanted(const struct run *run, uint32_t cell)
{
    return !run->o->rows || run->o->rows[run->schedule->cells[cell].game];
}

/* Several machines divide an experiment without talking to each other. */
static bool is_ours(const struct run_options *o, uint32_t cell, uint32_t number)
{
    return o->parts == 0 || ((uint64_t)cell + number) % o->parts == o->part;
}

/* All games that are not played yet: number by number, so that every cell grows at the same pace. */
static bool list_jobs(struct run *run, struct error *error)
{
    struct schedule *schedule = run->schedule;
    uint32_t most = 0;
    for (uint32_t i = 0; i < schedule->ncells; i++)
        if (schedule->cells[i].number > most) most = schedule->cells[i].number;
    bool **done = calloc(schedule->ncells, sizeof *done);
    run->jobs = malloc((schedule->total + 1) * sizeof *run->jobs);
    bool good = (done && run->jobs) || error_set(error, ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < schedule->ncells && good; i++) {
        const struct schedule_cell *c = &schedule->cells[i];
        done[i] = calloc(c->number, sizeof *done[i]);
        good = done[i] ? db_done(run->db, c->id, done[i], c->number, &run->spent[i], error)
                       : error_set(error, ERROR_MEMORY, "out of memory");
        for (uint32_t k = 0; k < c->number && good; k++) run->counted[i] += done[i][k];
        run->progress.done += wanted(run, i) ? run->counted[i] : 0;
        run->progress.total += wanted(run, i) ? c->number : 0;
    }
    for (uint32_t number = 0; number < most && good; number++)
        for (uint32_t i = 0; i < schedule->ncells; i++)
            if (wanted(run, i) && is_ours(run->o, i, number) && number < schedule->cells[i].number &&
                !done[i][number])
                run->jobs[run->njobs++] = (struct job){i, number};
    for (uint32_t i = 0; i < schedule->ncells && done; i++) free(done[i]);
    free(done);
    return good;
}

static void tell(struct run *run, double began)
{
    run->progress.elapsed = clock_now() - began;
    run->progress.left = estimate(run);
    struct run_progress p = run->progress;
    if (!run->o->progress) return;
    pthread_mutex_unlock(&run->lock);
    run->o->progress(run->o->data, &p);
    pthread_mutex_lock(&run->lock);
}

/* Start the workers, beat the heart while they work, wait for all. */
static bool supervise(struct run *run, struct error *error)
{
    pthread_t *threads = calloc(run->o->jobs, sizeof *threads);
    uint32_t n = 0;
    double began = clock_now(), beaten = began;
    if (!threads) return error_set(error, ERROR_MEMORY, "out of memory");
    pthread_mutex_lock(&run->lock);
    while (n < run->o->jobs && pthread_create(&threads[n], NULL, work, run) == 0) n++, run->workers++;
    while (run->workers > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 250000000;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&run->change, &run->lock, &until);
        if (clock_now() - beaten > HEARTBEAT) {
            struct error ignored; /* a claim will tell if the database is gone */
            pthread_mutex_unlock(&run->lock);
            db_heartbeat(run->db, &ignored);
            pthread_mutex_lock(&run->lock);
            beaten = clock_now();
        }
        tell(run, began);
    }
    pthread_mutex_unlock(&run->lock);
    for (uint32_t i = 0; i < n; i++) pthread_join(threads[i], NULL);
    free(threads);
    return n > 0 || error_set(error, ERROR_SYSTEM, "no thread could be started");
}

bool run_experiment(struct schedule *schedule, struct db *db, const struct run_options *o,
                    struct run_progress *summary, struct error *error)
{
    struct run run = {.schedule = schedule, .db = db, .o = o};
    pthread_mutex_init(&run.lock, NULL);
    pthread_cond_init(&run.change, NULL);
    run.tables = calloc(schedule->spec->ngames, sizeof *run.tables);
    run.spent = calloc(schedule->ncells + 1, sizeof *run.spent);
    run.counted = calloc(schedule->ncells + 1, sizeof *run.counted);
    run.failures = calloc(schedule->ncells + 1, sizeof *run.failures);
    bool good = (run.tables && run.spent && run.counted && run.failures) ||
                error_set(error, ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; run.tables && i < schedule->spec->ngames; i++)
        play_table_init(&run.tables[i], schedule->games[i]);
    good = good && list_jobs(&run, error) && supervise(&run, error);
    *summary = run.progress;
    if (good && run.fatal.code) good = (*error = run.fatal, false);
    if (good && run.failure.code) good = (*error = run.failure, false);
    for (uint32_t i = 0; run.tables && i < schedule->spec->ngames; i++) play_table_done(&run.tables[i]);
    free(run.tables);
    free(run.jobs);
    free(run.spent);
    free(run.counted);
    free(run.failures);
    pthread_cond_destroy(&run.change);
    pthread_mutex_destroy(&run.lock);
    return good;
}
