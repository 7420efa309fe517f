// SPDX-License-Identifier: GPL-3.0-or-later
/* Random games on the circuit of one sheet: what bench/tail/run compares.
 *
 *     transitions GAME SECONDS LIMIT
 *
 * Gets ready within the limit and prints how long it took and how large the circuit is. Then for each line on
 * standard input plays for so many seconds of processor time with all lanes, half as long one state at a
 * time, and prints the transitions per second of both. All lines are "name value" pairs. Uses only what older
 * trees have, too: the same file is compiled against each. */
#include "base/clock.h"
#include "base/rng.h"
#include "game/engine.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

enum { MAX_STEPS = 1000 };

static atomic_bool stop;

static void strike(int signal)
{
    (void)signal;
    atomic_store(&stop, true);
}

/* Let `stop` become true when so much processor time is used. */
static void wind(double seconds)
{
    struct itimerval t = {
        .it_value = {(time_t)seconds, (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)}};
    atomic_store(&stop, false);
    setitimer(ITIMER_PROF, &t, NULL);
}

static bool play_batch(const struct code *code, double seconds, struct error *error)
{
    static const char *const part[BATCH_PARTS] = {"view", "choose", "step", "goal", "rest"};
    uint64_t ticks[BATCH_PARTS] = {0}, all = 0;
    struct batch_tally tally = {0};
    struct batch *b = batch_new(code, 0, 1, error);
    if (!b) return false;
    b->ticks = ticks;
    wind(seconds);
    double began = clock_thread();
    batch_play(b, NULL, 0, MAX_STEPS, &stop, &tally);
    printf("transitions %.1f games %llu lanes %u", (double)tally.transitions / (clock_thread() - began),
           (unsigned long long)tally.games, b->lanes);
    for (int i = 0; i < BATCH_PARTS; i++) all += ticks[i];
    for (int i = 0; i < BATCH_PARTS; i++) printf(" %s %.1f", part[i], 100.0 * (double)ticks[i] / (double)all);
    batch_free(b);
    return true;
}

static bool play_single(const struct game *game, const struct code *code, double seconds, struct error *error)
{
    struct reasoner *r = reasoner_circuit(game, code, error);
    struct state initial = {0}, state = {0};
    struct list moves = {0};
    struct rng rng;
    uint64_t transitions = 0;
    uint32_t *joint = calloc(game->nroles + 1, sizeof *joint);
    if (!r || !joint || !r->ops->initial(r, &initial)) return false;
    rng_init(&rng, 1);
    wind(seconds);
    double began = clock_thread();
    while (!atomic_load(&stop)) {
        if (!state_copy(&state, &initial)) return false;
        for (uint32_t step = 0; step < MAX_STEPS && !atomic_load(&stop); step++) {
            bool end;
            if (!r->ops->terminal(r, &state, &end)) return false;
            if (end) break;
            for (uint32_t i = 0; i < game->nroles; i++) {
                if (!r->ops->legal(r, &state, i, &moves)) return false;
                joint[i] = moves.n ? moves.v[rng_below(&rng, moves.n)] : 0;
            }
            if (!r->ops->next(r, &state, joint, &state)) return false;
            transitions++;
        }
    }
    printf(" single %.1f", (double)transitions / (clock_thread() - began));
    free(joint);
    list_done(&moves);
    state_done(&initial);
    state_done(&state);
    reasoner_free(r);
    return true;
}

static bool tell_sizes(struct engine *engine)
{
    static const char *const phase[PHASE_COUNT] = {"view", "goal", "step"};
    const struct engine_report *report = engine_report(engine);
    const struct code *code = engine_code(engine);
    const struct circuit *c = code->circuit;
    printf("ready %.4f bits %u moves %u gates %u edges %u loops %u slots %u",
           report->ground_seconds + report->circuit_seconds + report->code_seconds + report->machine_seconds,
           c->nbits, c->nmoves, c->ngates, c->edges.n, c->loops.n, code->nslots);
    for (uint32_t p = 0, from = 0; p < PHASE_COUNT; from = c->phase_end[p++])
        printf(" gates_%s %u", phase[p], c->phase_end[p] - from);
    printf("\n");
    return fflush(stdout) == 0;
}

int main(int argc, char **argv)
{
    struct error error = {0};
    if (argc != 4) {
        fputs("usage: transitions GAME SECONDS LIMIT\n", stderr);
        return 2;
    }
    double seconds = atof(argv[2]);
    struct ground_limits limits = {.seconds = atof(argv[3])};
    struct game *game = game_load(argv[1], 0, NULL, &error);
    struct engine *engine = game ? engine_start(game, &limits, &error) : NULL;
    if (engine && engine_wait(engine, -1) != ENGINE_READY) error = *engine_error(engine);
    const struct code *code = engine ? engine_code(engine) : NULL;
    signal(SIGPROF, strike);
    bool good = code && tell_sizes(engine);
    for (char line[16]; good && fgets(line, sizeof line, stdin);) {
        good = play_batch(code, seconds, &error) && play_single(game, code, seconds / 2, &error);
        printf("\n");
        fflush(stdout);
    }
    if (!good) fprintf(stderr, "transitions: %s\n", error.text);
    engine_free(engine);
    if (game) game_free(game);
    return !good;
}
