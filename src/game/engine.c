// SPDX-License-Identifier: GPL-3.0-or-later
#include "game/engine.h"

#include "base/clock.h"
#include "circuit/derive.h"
#include "circuit/jit.h"

#include <pthread.h>
#include <stdlib.h>

struct engine {
    const struct game *game;
    struct ground_limits limits;
    atomic_bool cancel;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t done;
    enum engine_status status; /* under the lock */
    /* written by the thread before it changes the status */
    struct circuit *circuit;
    struct code *code;
    struct error error;
    struct engine_report report;
    pthread_mutex_t extras_lock; /* of what follows, made once: nobody who only wants to know how things stand
                                  * waits for it */
    struct extra {
        struct derived made;
        bool tried;
        double given;   /* the most seconds that were not enough */
        uint32_t begun; /* how often it was begun */
    } foresight, outlook;
    struct movers *movers;
    bool watched; /* movers were looked for */
    struct lone_moves *lone;
};

/* What is left of the seconds, or an error when nothing is. */
static bool time_left(struct engine *e, double begun, struct ground_limits *left)
{
    *left = e->limits;
    left->cancel = &e->cancel;
    if (e->limits.seconds <= 0) return true;
    left->seconds = e->limits.seconds - (clock_now() - begun);
    return left->seconds > 0 || error_set(&e->error, ERROR_TIME, "out of time");
}

static bool make(struct engine *e)
{
    double begun = clock_now(), since = clock_thread(), now;
    struct engine_report *report = &e->report;
    struct ground_limits left;
    if (!time_left(e, begun, &left)) return false;
    struct ground *ground = ground_build(e->game->program, &left, &report->ground, &e->error);
    report->ground_seconds = (now = clock_thread()) - since;
    if (!ground) return error_prefix(&e->error, "grounding");
    report->ground_rules = ground->rules.n;
    report->ground_literals = ground->literals.n;
    report->ground_atoms = ground->natoms;
    since = now;
    if (time_left(e, begun, &left)) e->circuit = circuit_build(ground, &left, &e->error);
    report->circuit_seconds = (now = clock_thread()) - since;
    ground_free(ground);
    if (!e->circuit) return false;
    report->circuit_bytes = e->circuit->heap->peak;
    since = now;
    if (time_left(e, begun, &left)) e->code = code_build(e->circuit, &left, &e->error);
    report->code_seconds = clock_thread() - since;
    if (!e->code) return error_prefix(&e->error, "laying out the circuit");
    report->code_bytes = e->code->heap->peak;
    /* Machine code is welcome but not needed: without it, the interpreter sweeps. */
    struct error unimportant;
    uint32_t widths[4], n = batch_widths(widths);
    since = clock_thread();
    for (uint32_t i = 0; i < n && time_left(e, begun, &left); i++)
        if (code_compile(e->code, widths[i], &left, &unimportant))
            report->machine_bytes += code_machine(e->code, widths[i])->bytes;
    report->machine_seconds = clock_thread() - since;
    return true;
}

static void *work(void *engine)
{
    struct engine *e = engine;
    bool good = make(e);
    pthread_mutex_lock(&e->lock);
    e->status = good ? ENGINE_READY : ENGINE_FAILED;
    pthread_cond_broadcast(&e->done);
    pthread_mutex_unlock(&e->lock);
    return NULL;
}

struct engine *engine_start(const struct game *game, const struct ground_limits *limits, struct error *error)
{
    struct engine *e = calloc(1, sizeof *e);
    if (!e) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    e->game = game;
    if (limits) e->limits = *limits;
    atomic_init(&e->cancel, false);
    pthread_mutex_init(&e->lock, NULL);
    pthread_mutex_init(&e->extras_lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&e->done, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&e->thread, NULL, work, e) == 0) return e;
    error_set(error, ERROR_SYSTEM, "no thread to ground the rules in");
    pthread_cond_destroy(&e->done);
    pthread_mutex_destroy(&e->lock);
    pthread_mutex_destroy(&e->extras_lock);
    free(e);
    return NULL;
}

void engine_cancel(struct engine *e)
{
    atomic_store(&e->cancel, true);
}

void engine_free(struct engine *e)
{
    if (!e) return;
    engine_cancel(e);
    pthread_join(e->thread, NULL);
    free(e->movers);
    free(e->lone);
    derived_done(&e->foresight.made);
    derived_done(&e->outlook.made);
    code_free(e->code);
    circuit_free(e->circuit);
    pthread_cond_destroy(&e->done);
    pthread_mutex_destroy(&e->lock);
    pthread_mutex_destroy(&e->extras_lock);
    free(e);
}

enum engine_status engine_poll(struct engine *e)
{
    return engine_wait(e, 0);
}

enum engine_status engine_wait(struct engine *e, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    if (seconds > 0) {
        long long ns = until.tv_nsec + (long long)(seconds * 1e9);
        until.tv_sec += (time_t)(ns / 1000000000);
        until.tv_nsec = (long)(ns % 1000000000);
    }
    pthread_mutex_lock(&e->lock);
    int late = 0;
    while (e->status == ENGINE_WORKING && seconds != 0 && !late)
        late = seconds < 0 ? pthread_cond_wait(&e->done, &e->lock)
                           : pthread_cond_timedwait(&e->done, &e->lock, &until);
    enum engine_status status = e->status;
    pthread_mutex_unlock(&e->lock);
    return status;
}

const struct code *engine_code(struct engine *e)
{
    return engine_poll(e) == ENGINE_READY ? e->code : NULL;
}

/* A player asks before every move: what was not done in so many seconds is not begun again for less than
 * twice as many. */
static bool worth_trying(const struct extra *x, double seconds)
{
    return !x->tried && (seconds <= 0 || seconds >= 2 * x->given);
}

static const struct code *extra_code(struct engine *e, struct extra *x, derivation *how, double seconds,
                                     const atomic_bool *cancel)
{
    struct error error = {0};
    if (engine_poll(e) != ENGINE_READY) return NULL;
    pthread_mutex_lock(&e->extras_lock);
    if (worth_trying(x, seconds)) {
        x->begun++;
        if (!derived_make(&x->made, how, e->circuit, seconds, cancel, &error)) {
            x->tried = error.code != ERROR_TIME && error.code != ERROR_CANCELLED; /* else it is tried again */
            if (error.code == ERROR_TIME && seconds > x->given) x->given = seconds;
        }
    }
    x->tried |= x->made.code != NULL;
    const struct code *code = x->made.code;
    pthread_mutex_unlock(&e->extras_lock);
    return code;
}

const struct code *engine_foresight(struct engine *e, double seconds, const atomic_bool *cancel)
{
    return extra_code(e, &e->foresight, circuit_foresee, seconds, cancel);
}

const struct code *engine_outlook(struct engine *e, double seconds, const atomic_bool *cancel)
{
    return extra_code(e, &e->outlook, circuit_outlook, seconds, cancel);
}

uint32_t engine_derivations(struct engine *e)
{
    pthread_mutex_lock(&e->extras_lock);
    uint32_t n = e->foresight.begun + e->outlook.begun;
    pthread_mutex_unlock(&e->extras_lock);
    return n;
}

static void watch(struct engine *e, double seconds)
{
    struct error error = {0};
    struct reasoner *r = reasoner_circuit(e->game, e->code, &error);
    if (r) e->movers = movers_find(r, seconds, &e->watched);
    reasoner_free(r);
}

const struct movers *engine_movers(struct engine *e, double seconds)
{
    if (engine_poll(e) != ENGINE_READY) return NULL;
    pthread_mutex_lock(&e->extras_lock);
    if (!e->watched) watch(e, seconds);
    const struct movers *movers = e->movers;
    pthread_mutex_unlock(&e->extras_lock);
    return movers;
}

const struct lone_moves *engine_lone_moves(struct engine *e)
{
    if (engine_poll(e) != ENGINE_READY) return NULL;
    pthread_mutex_lock(&e->extras_lock);
    if (!e->lone) e->lone = circuit_lone_moves(e->circuit);
    const struct lone_moves *lone = e->lone;
    pthread_mutex_unlock(&e->extras_lock);
    return lone;
}

const struct error *engine_error(struct engine *e)
{
    return engine_poll(e) == ENGINE_FAILED ? &e->error : NULL;
}

const struct engine_report *engine_report(struct engine *e)
{
    return engine_poll(e) == ENGINE_WORKING ? NULL : &e->report;
}
