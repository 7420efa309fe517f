// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/play/run.h"

#include "base/pool.h"
#include "lab/play/play.h"
#include "lab/stats/stats.h"
#include "match/together.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEARTBEAT 10 /* seconds */
#define PATIENCE 3   /* failures after which a cell is given up */
#define PAUSE 0.5    /* seconds between two looks at games of others */

struct job {
    uint32_t cell, number;
};

/* The games of one row of the experiment that are still to be played, in order: jobs[next] to jobs[n-1].
 * Those before `busy` were in the hands of others when we came by. */
struct row {
    struct job *jobs;
    uint64_t n, next, busy;
    uint32_t workers;
};

struct run {
    struct schedule *schedule;
    struct db *db;
    const struct run_options *o;
    struct play_table *tables; /* by row of the spec: the game's engine */
    atomic_bool halt;          /* nobody needs the games under way any more */

    pthread_mutex_t lock; /* guards everything below */
    pthread_cond_t change;
    struct row *rows; /* by row of the spec */
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
    for (uint32_t k = 0; k < run->schedule->spec->ngames; k++)
        for (uint64_t i = run->rows[k].next; i < run->rows[k].n; i++) left[run->rows[k].jobs[i].cell]++;
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

/* The row to go on with: where fewest are at work, and of those the one least far. NULL: nothing is left. */
static struct row *find_row(struct run *run)
{
    struct row *best = NULL;
    for (uint32_t i = 0; i < run->schedule->spec->ngames; i++) {
        struct row *row = &run->rows[i];
        if (row->next >= row->n) continue;
        if (!best || row->workers < best->workers ||
            (row->workers == best->workers && row->jobs[row->next].number < best->jobs[best->next].number))
            best = row;
    }
    return best;
}

/* Nothing is left but games of others. Who stays looks at them again after a while: they are done then, or
 * whoever played them is gone. False: there are none. */
static bool await_others(struct run *run)
{
    uint64_t left = 0;
    for (uint32_t i = 0; i < run->schedule->spec->ngames; i++) left += run->rows[i].busy;
    if (!left || !run->o->stay) return false;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(PAUSE * 1e9);
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&run->change, &run->lock, &until);
    for (uint32_t i = 0; i < run->schedule->spec->ngames; i++) {
        struct row *row = &run->rows[i];
        if (row->next < row->n) continue; /* another was quicker */
        row->n = row->busy;
        row->next = row->busy = 0;
    }
    return true;
}

/* A worker sits down at a row, which it leaves with leave_row. */
static struct row *join_row(struct run *run)
{
    struct row *row = NULL;
    pthread_mutex_lock(&run->lock);
    while (!run->enough && !stopped(run) && !(row = find_row(run)) && await_others(run))
        ;
    if (row) row->workers++;
    pthread_mutex_unlock(&run->lock);
    return row;
}

static void leave_row(struct run *run, struct row *row)
{
    pthread_mutex_lock(&run->lock);
    row->workers--;
    pthread_mutex_unlock(&run->lock);
}

/* Others have played a game of this cell: how many more? Those need not be claimed one by one. */
static bool skip_played(struct run *run, struct row *row, uint32_t cell, struct error *error)
{
    const struct schedule_cell *c = &run->schedule->cells[cell];
    bool *done = calloc(c->number + 1, sizeof *done);
    double seconds;
    if (!done) return error_set(error, ERROR_MEMORY, "out of memory");
    bool good = db_done(run->db, c->id, done, c->number, &seconds, error);
    pthread_mutex_lock(&run->lock);
    uint64_t kept = row->next;
    for (uint64_t i = row->next; i < row->n && good; i++) {
        struct job job = row->jobs[i];
        if (job.cell == cell && done[job.number])
            run->progress.done++;
        else
            row->jobs[kept++] = job;
    }
    if (good) row->n = kept;
    pthread_mutex_unlock(&run->lock);
    free(done);
    return good;
}

/* The next game of the row that is ours; false when there is none. */
static bool take(struct run *run, struct row *row, struct job *out)
{
    struct error error;
    for (;;) {
        pthread_mutex_lock(&run->lock);
        bool there = !run->enough && !stopped(run) && row->next < row->n;
        if (there) *out = row->jobs[row->next++];
        bool hopeless = there && run->failures[out->cell] >= PATIENCE;
        if (hopeless) run->progress.failed++;
        pthread_mutex_unlock(&run->lock);
        if (!there) return false;
        if (hopeless) continue;
        enum db_claim claim;
        bool good = db_claim(run->db, run->schedule->cells[out->cell].id, out->number, &claim, &error);
        if (good && claim == DB_CLAIMED) return true;
        pthread_mutex_lock(&run->lock);
        if (good && claim == DB_PLAYED) run->progress.done++;
        if (good && claim == DB_BUSY && run->o->stay) row->jobs[row->busy++] = *out;
        if (good && claim == DB_BUSY && !run->o->stay) run->progress.elsewhere++;
        pthread_mutex_unlock(&run->lock);
        if (good && claim == DB_PLAYED) good = skip_played(run, row, out->cell, &error);
        if (good) continue;
        pthread_mutex_lock(&run->lock);
        run->enough = true, run->fatal = error;
        pthread_mutex_unlock(&run->lock);
        return false;
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
    if (run->enough) atomic_store(&run->halt, true);
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

/* ---- one game at a time ---- */

static void play_alone(struct run *run, const struct job *job)
{
    const struct schedule_cell *c = &run->schedule->cells[job->cell];
    struct error error = {0};
    struct play_outcome out = {0};
    if (play_game(run->schedule, c, job->number, &run->tables[c->game], run->o->stop, &out, &error))
        finish(run, job, &out);
    else
        give_up(run, job, &error);
    play_outcome_done(&out);
}

/* ---- side by side ---- */

struct guest {
    struct job job;
    struct play *play;
    double began; /* on the clock of all that play together; also what it was before */
};

struct table {
    struct run *run;
    struct row *row;
    struct engine *engine;
    struct reasoner *reasoner;
    struct driver *driver;
    struct together *together;
    struct guest *guests; /* NULL play: free */
    uint32_t size;
};

/* Bytes that a game is expected to need: nodes of a few kilobytes, and what stays of earlier moves. */
static double appetite(const struct schedule *schedule, const struct schedule_cell *c)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->nplayers; i++) {
        const struct match_budget *b = &c->budget[i];
        double nodes = b->simulations ? (double)b->simulations
                       : b->steps     ? (double)b->steps / 8
                                      : (double)b->expansions;
        double need = nodes * 8e3 + 1e6, most = (double)PLAYER_POOLED_MB * (1 << 20);
        sum += need < most ? need : most;
    }
    return sum * schedule->games[c->game]->nroles / c->nplayers;
}

/* How many games a thread plays side by side, as memory allows. */
static uint32_t guests_of(const struct run *run, const struct schedule_cell *c, const struct circuit *circuit)
{
    uint32_t most = run->o->together ? run->o->together : play_together(run->schedule, c, circuit);
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2 / run->o->jobs;
    double fit = memory / appetite(run->schedule, c);
    return fit < 1 ? 1 : fit < most ? (uint32_t)fit : most;
}

static bool open_table(struct table *t, const struct schedule_cell *c, struct error *error)
{
    struct run *run = t->run;
    t->engine = play_table_engine(&run->tables[c->game], run->o->stop);
    if (!t->engine) return false;
    t->size = guests_of(run, c, engine_code(t->engine)->circuit);
    t->guests = calloc(t->size, sizeof *t->guests);
    t->reasoner = reasoner_circuit(run->schedule->games[c->game], engine_code(t->engine), error);
    t->driver = t->reasoner ? driver_new(t->reasoner, engine_code(t->engine), t->size, error) : NULL;
    t->together = t->driver ? together_new(t->driver) : NULL;
    return t->guests && t->together;
}

static void close_table(struct table *t)
{
    together_free(t->together);
    driver_free(t->driver);
    reasoner_free(t->reasoner);
    free(t->guests);
}

static bool seat_guest(struct table *t, const struct job *job)
{
    struct run *run = t->run;
    struct guest *g = t->guests;
    struct error error = {0};
    while (g->play) g++;
    g->job = *job;
    g->began = together_clock(t->together);
    g->play = play_open(run->schedule, &run->schedule->cells[job->cell], job->number, t->engine, t->driver,
                        &run->halt, &error);
    if (g->play && together_add(t->together, play_match(g->play))) return true;
    if (g->play) error_set(&error, ERROR_MEMORY, "out of memory");
    play_close(g->play);
    g->play = NULL;
    give_up(run, job, &error);
    return false;
}

static void see_off(struct table *t, const struct match *m, struct error *why)
{
    struct guest *g = t->guests;
    struct play_outcome out = {0};
    while (!g->play || play_match(g->play) != m) g++;
    if (!why->code && play_record(g->play, &out, why)) {
        out.record.seconds = together_clock(t->together) - g->began;
        finish(t->run, &g->job, &out);
    } else {
        give_up(t->run, &g->job, why);
    }
    play_outcome_done(&out);
    play_close(g->play);
    g->play = NULL;
}

/* Play games of a row together until there are none left, beginning with `job`. Games that do not go together
 * with others are played in between. */
static bool play_row(struct run *run, struct row *row, struct job *job)
{
    struct table t = {.run = run, .row = row};
    struct error error = {0};
    bool more = true;
    if (!open_table(&t, &run->schedule->cells[job->cell], &error)) {
        close_table(&t);
        return false;
    }
    while (more || together_count(t.together)) {
        while (more && together_count(t.together) < t.size) {
            if (play_pools(run->schedule, &run->schedule->cells[job->cell]))
                seat_guest(&t, job);
            else
                play_alone(run, job);
            more = take(run, row, job);
        }
        if (stopped(run)) atomic_store(&run->halt, true);
        struct match *m = together_next(t.together, &error);
        if (m) see_off(&t, m, &error);
    }
    close_table(&t);
    return true;
}

static void *work(void *data)
{
    struct run *run = data;
    struct row *row;
    struct job job;
    while ((row = join_row(run))) {
        if (take(run, row, &job) &&
            (!play_pools(run->schedule, &run->schedule->cells[job.cell]) || !play_row(run, row, &job)))
            play_alone(run, &job);
        leave_row(run, row);
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
    return !run->schedule->cells[cell].later;
}

/* Several machines divide an experiment without talking to each other. */
static bool is_ours(const struct run_options *o, uint32_t cell, uint32_t number)
{
    return o->parts == 0 || ((uint64_t)cell + number) % o->parts == o->part;
}

/* Many who share a server begin at different places, so that they seldom want the same game. */
static void turn_round(struct row *row, uint64_t by)
{
    struct job *copy = row->n ? malloc(row->n * sizeof *copy) : NULL;
    if (!copy) return; /* then all begin at the first */
    for (uint64_t i = 0; i < row->n; i++) copy[i] = row->jobs[(i + by) % row->n];
    memcpy(row->jobs, copy, row->n * sizeof *copy);
    free(copy);
}

/* All games that are not played yet: number by number, so that the cells of a row grow at the same pace. */
static bool list_jobs(struct run *run, struct error *error)
{
    struct schedule *schedule = run->schedule;
    uint32_t most = 0;
    uint64_t *room = calloc(schedule->spec->ngames + 1, sizeof *room);
    bool **done = calloc(schedule->ncells + 1, sizeof *done);
    bool good = (done && room) || error_set(error, ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < schedule->ncells && good; i++) {
        const struct schedule_cell *c = &schedule->cells[i];
        if (c->number > most) most = c->number;
        room[c->game] += c->number;
        done[i] = calloc(c->number + 1, sizeof *done[i]);
        good = done[i] ? db_done(run->db, c->id, done[i], c->number, &run->spent[i], error)
                       : error_set(error, ERROR_MEMORY, "out of memory");
        for (uint32_t k = 0; k < c->number && good; k++) run->counted[i] += done[i][k];
        run->progress.done += wanted(run, i) ? run->counted[i] : 0;
        run->progress.total += wanted(run, i) ? c->number : 0;
    }
    for (uint32_t i = 0; i < schedule->spec->ngames && good; i++)
        good = (run->rows[i].jobs = malloc((room[i] + 1) * sizeof(struct job))) ||
               error_set(error, ERROR_MEMORY, "out of memory");
    for (uint32_t number = 0; number < most && good; number++)
        for (uint32_t i = 0; i < schedule->ncells; i++) {
            struct row *row = &run->rows[schedule->cells[i].game];
            if (wanted(run, i) && is_ours(run->o, i, number) && number < schedule->cells[i].number &&
                !done[i][number])
                row->jobs[row->n++] = (struct job){i, number};
        }
    struct rng rng;
    rng_init(&rng, (uint64_t)getpid() << 32 ^ (uint64_t)(clock_now() * 1e6));
    for (uint32_t i = 0; i < schedule->spec->ngames && good && run->o->stay; i++)
        turn_round(&run->rows[i], rng_next(&rng) % (run->rows[i].n + 1));
    for (uint32_t i = 0; i < schedule->ncells && done; i++) free(done[i]);
    free(done);
    free(room);
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
        if (stopped(run)) atomic_store(&run->halt, true);
        tell(run, began);
    }
    pthread_mutex_unlock(&run->lock);
    for (uint32_t i = 0; i < n; i++) pthread_join(threads[i], NULL);
    free(threads);
    return n > 0 || error_set(error, ERROR_SYSTEM, "no thread could be started");
}

/* Trees and tables come and go with every game: what one gives back the next takes, without the system in
 * between. */
static void keep_memory(void)
{
    pool_open();
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, 16 << 20);
#endif
}

bool run_experiment(struct schedule *schedule, struct db *db, const struct run_options *o,
                    struct run_progress *summary, struct error *error)
{
    struct run run = {.schedule = schedule, .db = db, .o = o};
    keep_memory();
    pthread_mutex_init(&run.lock, NULL);
    pthread_cond_init(&run.change, NULL);
    run.tables = calloc(schedule->spec->ngames, sizeof *run.tables);
    run.rows = calloc(schedule->spec->ngames + 1, sizeof *run.rows);
    run.spent = calloc(schedule->ncells + 1, sizeof *run.spent);
    run.counted = calloc(schedule->ncells + 1, sizeof *run.counted);
    run.failures = calloc(schedule->ncells + 1, sizeof *run.failures);
    bool good = (run.tables && run.rows && run.spent && run.counted && run.failures) ||
                error_set(error, ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; run.tables && i < schedule->spec->ngames; i++)
        play_table_init(&run.tables[i], schedule->games[i]);
    good = good && list_jobs(&run, error) && supervise(&run, error);
    *summary = run.progress;
    if (good && run.fatal.code) good = (*error = run.fatal, false);
    if (good && run.failure.code) good = (*error = run.failure, false);
    for (uint32_t i = 0; run.tables && i < schedule->spec->ngames; i++) play_table_done(&run.tables[i]);
    for (uint32_t i = 0; run.rows && i < schedule->spec->ngames; i++) free(run.rows[i].jobs);
    free(run.tables);
    free(run.rows);
    free(run.spent);
    free(run.counted);
    free(run.failures);
    pthread_cond_destroy(&run.change);
    pthread_mutex_destroy(&run.lock);
    return good;
}
