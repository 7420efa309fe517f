// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/bench_run.h"

#include "base/clock.h"
#include "event.h"
#include "game/playout.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct worker {
    const struct bench_setting *setting;
    const struct bench_run *run;
    const atomic_bool *stop;
    atomic_uint *running; /* workers that have begun: on a busy machine a thread may be late */
    uint64_t seed;
    pthread_t thread;
    bool failed;
    struct error error;
    uint64_t games, transitions, ticks[BATCH_PARTS];
    double seconds;
};

static void play_lifted(struct worker *w)
{
    struct reasoner *r = reasoner_lifted(w->setting->game, 0, &w->error);
    struct playout p;
    w->failed = !r;
    if (!r) return;
    bool good = playout_init(&p, r);
    double began = clock_thread();
    for (uint64_t game = 0; good && !atomic_load(w->stop); game++) {
        good = playout_begin(&p, w->seed, game);
        while (good && !p.terminal && p.ply < w->setting->max_steps && !atomic_load(w->stop)) {
            playout_choose(&p);
            good = playout_move(&p);
        }
        for (uint32_t role = 0; good && p.terminal && role < w->setting->game->nroles; role++) {
            int goal;
            good = reasoner_goal(r, &p.state, role, &goal);
        }
        w->transitions += p.ply;
        w->games += p.terminal;
    }
    w->seconds = clock_thread() - began;
    if (!good) w->failed = true, w->error = r->error;
    playout_done(&p);
    reasoner_free(r);
}

static void play_events(struct worker *w)
{
    struct event *e = event_new(w->setting->code->circuit);
    struct rng rng;
    w->failed = !e && !error_set(&w->error, ERROR_MEMORY, "out of memory");
    if (!e) return;
    rng_init(&rng, w->seed);
    double began = clock_thread();
    event_play(e, &rng, w->setting->max_steps, w->stop, &w->games, &w->transitions, NULL);
    w->seconds = clock_thread() - began;
    event_free(e);
}

static void play_circuit(struct worker *w)
{
    struct batch *b = (w->run->engine == BENCH_MACHINE ? batch_new : batch_new_interpreted)(
        w->setting->code, w->run->lanes, w->seed, &w->error);
    struct batch_tally tally = {0};
    w->failed = !b;
    if (!b) return;
    if (w->run->profile) b->ticks = w->ticks;
    double began = clock_thread();
    batch_play(b, NULL, 0, w->setting->max_steps, w->stop, &tally);
    w->seconds = clock_thread() - began;
    w->games = tally.games;
    w->transitions = tally.transitions;
    batch_free(b);
}

static void *work(void *worker)
{
    static void (*const play[])(struct worker *) = {[BENCH_LIFTED] = play_lifted,
                                                    [BENCH_EVENT] = play_events,
                                                    [BENCH_CIRCUIT] = play_circuit,
                                                    [BENCH_MACHINE] = play_circuit};
    struct worker *w = worker;
    atomic_fetch_add(w->running, 1);
    play[w->run->engine](w);
    return NULL;
}

static void sleep_for(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

bool bench_run(const struct bench_setting *setting, struct bench_run *run, uint32_t repetition,
               struct error *error)
{
    struct worker *workers = calloc(run->threads, sizeof *workers);
    atomic_bool stop = false;
    atomic_uint running = 0;
    uint32_t started = 0;
    bool good = true;
    if (!workers) return error_set(error, ERROR_MEMORY, "out of memory");
    double began = clock_now();
    for (; started < run->threads && good; started++) {
        struct worker *w = &workers[started];
        *w = (struct worker){.setting = setting, .run = run, .stop = &stop, .running = &running};
        w->seed = setting->seed + ((uint64_t)repetition << 32) + started;
        if (pthread_create(&w->thread, NULL, work, w) == 0) continue;
        good = error_set(error, ERROR_SYSTEM, "no more threads");
        break;
    }
    while (good && atomic_load(&running) < started) sleep_for(0.0005);
    if (good) sleep_for(setting->seconds);
    atomic_store(&stop, true);
    double one = 0;
    for (uint32_t i = 0; i < started; i++) {
        struct worker *w = &workers[i];
        pthread_join(w->thread, NULL);
        if (w->failed && good) good = false, *error = w->error;
        run->games += w->games;
        run->transitions += w->transitions;
        one += w->seconds;
        for (int p = 0; p < BATCH_PARTS; p++) run->ticks[p] += w->ticks[p];
    }
    run->seconds += run->threads == 1 ? one : clock_now() - began;
    free(workers);
    return good;
}
