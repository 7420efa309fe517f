// SPDX-License-Identifier: GPL-3.0-or-later
/* Who takes part, how many matches there is time for, and who is chosen. */
#include "player/audition_internal.h"

#include "search/judgement.h"

#include <math.h>
#include <stdlib.h>

enum {
    TRIAL_SIMS = 20, /* a move */
    FAIR = 10,       /* matches that every candidate should get */
    FEWEST = 4,
    ALONE = 2, /* fewest where it is only one */
    /* With less they mislead, with more there are too few matches to tell: docs/strength.md */
    LEAST_SIMS = 100,
    MOST_SIMS = 1500,
    LANES = 4,     /* of a player by the clock: sweeps with few lanes are slow ones */
    WIRED = 8,     /* of one on the wires, which sweeps alone */
    SEVERAL = 3,   /* candidates that matches are planned for: most of the time goes to the best of them */
    MEMORY = 64,   /* MB, of a player */
    LARGE = 50000, /* facts, moves and gates: players of such a circuit take long to make */
};

static const double SHARE = 0.75;  /* of the start clock */
static const double NO_CLOCK = 10; /* seconds where nobody said how long it is */
static const double SLACK = 1.3;   /* larger trees and tables than in the trial are slower */
static const double GLANCE = 0.1;  /* seconds at most to find out how fast a candidate is */
/* In which who judges positions finds out about the game: a share of what is left, in seconds at most; where
 * that is little, up to so many seconds if they are no more than this share. */
static const double FIRST_LOOK = 0.15, LONG_LOOK = 1.5, SHORT_LOOK = 0.4, LARGE_SHARE = 0.3;
/* and so many times as much where pieces are turned: there it learns in several rounds (fitted.c). */
static const double LONGER = 2.5;
static const double HOPELESS = 0.42; /* of whom no more can be hoped is not heard */

/* It plays as the player itself does: decisive moves make no difference where none can be seen. */
static bool is_same(const struct audition *a, uint32_t arm)
{
    const struct player_config *c = &a->configs[arm], *own = &a->configs[0];
    return c->kind == own->kind && c->playout == own->playout && c->cutoff == own->cutoff &&
           c->implicit == own->implicit && c->horizon == own->horizon &&
           (c->decisive == own->decisive || !a->signs[arm].foreseen);
}

/* Minimax counts something else, and the wires hang on the processor: they can be compared by the clock
 * alone. */
static bool fits(const struct audition *a, uint32_t arm)
{
    const struct arm *x = &player_arms[arm];
    uint32_t nroles = a->game->nroles;
    bool clock = audition_minimax(a, arm) || audition_wires(a, arm);
    return arm == 0 || (nroles >= x->few && nroles <= x->many && !(clock && a->limit) && !is_same(a, arm));
}

static bool make_configs(struct audition *a, const struct player_config *config, struct error *error)
{
    bool foreseen =
        config->decisive && engine_foresight(a->engine, budget_seconds(&a->budget, 0.1), a->budget.stop);
    a->arms = player_arms_count();
    for (uint32_t i = 0; i < a->arms; i++) {
        struct player_config *c = &a->configs[i];
        a->signs[i] = (struct arm_signs){.speed = 1, .foreseen = foreseen};
        *c = *config;
        c->arm = ARM_OFF;
        c->lanes = a->lanes;
        c->threads = 1;
        c->memory = MEMORY;
        c->device = 0; /* its code takes longer to make than a glance */
        if (!player_arm_apply(c, i, error)) return false;
        if (audition_wires(a, i)) c->lanes = a->wired;
        a->dear[i] = 1;
        a->out[i] = a->unfit[i] = !fits(a, i);
    }
    return true;
}

/* What kind of game it is, everybody may know. */
static void note_game(struct audition *a, bool travels, bool turns, bool shaped)
{
    for (uint32_t i = 0; i < a->arms; i++) {
        a->signs[i].travels = travels;
        a->signs[i].turns = turns;
        a->signs[i].shaped = shaped;
    }
}

/* What is known of its evaluation. */
static void note_judgement(struct audition *a, uint32_t arm, const struct player *p)
{
    const struct minimax_report *report = player_report(p)->minimax;
    const struct judgement *j = player_judgement(p);
    struct arm_signs *signs = &a->signs[arm];
    if (arm && !audition_judges(a, arm, p)) a->out[arm] = a->unfit[arm] = true;
    if (j) {
        signs->explains = (double)judgement_explains(j);
        signs->at_once = judgement_at_once(j);
        note_game(a, judgement_travels(j), judgement_turns(j), judgement_shaped(j));
    }
    if (!report) return;
    signs->explains = (double)report->explains;
    note_game(a, report->travels, report->turns, report->shaped);
}

static double time_to_learn(const struct audition *a)
{
    double times = a->signs[0].turns ? LONGER : 1;
    double least = fmin(SHORT_LOOK, budget_seconds(&a->budget, LARGE_SHARE));
    return fmin(fmax(budget_seconds(&a->budget, FIRST_LOOK * times), least), LONG_LOOK * times);
}

/* Simulations a second with so many lanes, 0: as in play; of minimax, positions. A second of this thread's:
 * on a busy machine a glance says nothing else. */
static bool take_speed(struct audition *a, uint32_t arm, uint32_t lanes, double seconds, double *speed,
                       struct error *error)
{
    struct player_config config = a->configs[arm];
    bool minimax = audition_minimax(a, arm), good = true;
    config.lanes = lanes;
    struct player *p = player_new(&config, a->game, a->engine, 0, a->seed, error);
    if (!p) return false;
    struct mcts_stats stats = {0};
    double share = 1;
    audition_lend(a, arm, p);
    double first = minimax ? time_to_learn(a) : seconds / 2;
    for (int look = 0; look < 2 && good; look++) { /* first it gets ready */
        double began = clock_now(), worked = clock_thread();
        struct budget b = {.deadline = began + (look ? seconds : first), .stop = a->budget.stop};
        good = player_ponder(p, &b, error);
        stats = player_report(p)->stats;
        share = (clock_thread() - worked) / fmax(clock_now() - began, 1e-6);
    }
    if (minimax) note_judgement(a, arm, p);
    if (minimax && !a->lessons && !a->unfit[arm]) a->lessons = player_take_lessons(p);
    player_free(p);
    *speed = (stats.simulations + 1.0) / fmax(stats.seconds * share, 1e-5);
    a->signs[arm].decided = (double)stats.decided / fmax((double)stats.simulations, 1);
    return good;
}

/* Who judges positions in its tree finds out how, once for all its players. */
static bool find_judgement(struct audition *a, struct error *error)
{
    uint32_t arm = 0;
    while (arm < a->arms && (a->out[arm] || !audition_implicit(a, arm))) arm++;
    if (arm == a->arms) return true;
    struct player *p = player_new(&a->configs[arm], a->game, a->engine, 0, a->seed, error);
    if (!p) return false;
    struct budget b = {.simulations = 1, .stop = a->budget.stop};
    if (!a->limit) /* half of it is for the search */
        b.deadline = clock_now() + 2 * time_to_learn(a);
    bool good = player_ponder(p, &b, error);
    for (uint32_t i = arm; i < a->arms; i++)
        if (!a->out[i] && audition_implicit(a, i)) note_judgement(a, i, p);
    a->judgement = player_take_judgement(p);
    player_free(p);
    return good;
}

/* How fast the candidates are in play: a glance at the first position with each. Those on the wires sweep
 * half empty in a bout. */
static bool take_speeds(struct audition *a, struct error *error)
{
    double glance = fmin((a->budget.deadline - clock_now()) / (20 * a->arms), GLANCE), alone;
    for (uint32_t i = 0; i < a->arms; i++) {
        struct arm_signs *signs = &a->signs[i];
        if (budget_over(&a->budget)) return error_set(error, ERROR_TIME, "no time");
        if (a->out[i]) continue;
        if (!take_speed(a, i, 0, glance, &signs->speed, error)) return false;
        if (!audition_wires(a, i)) continue;
        if (!take_speed(a, i, a->wired, glance, &alone, error)) return false;
        a->dear[i] = fmax(1, signs->speed / alone);
    }
    a->real = a->signs[0].speed * a->threads * a->move;
    for (uint32_t i = a->arms; i-- > 0;) {
        a->signs[i].speed /= a->signs[0].speed;
        a->signs[i].decided = a->signs[0].decided;
    }
    return true;
}

static uint32_t candidates(const struct audition *a)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < a->arms; i++) n += !a->out[i];
    return n;
}

/* What a match with each of the candidates takes, in matches of the first against itself: who is faster makes
 * more simulations. */
static double weight(const struct audition *a)
{
    double sum = 0;
    for (uint32_t i = 1; i < a->arms; i++) {
        if (a->out[i]) continue;
        sum += audition_minimax(a, i) ? 1 /* its positions take less */
                                      : 1 + (a->signs[i].speed * a->dear[i] - 1) / a->game->nroles;
    }
    return sum;
}

static uint32_t least_hoped_for(const struct audition *a)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < a->arms; i++)
        if (!a->out[i] && (!least || queue_hopes(a, i) < queue_hopes(a, least))) least = i;
    return least;
}

/* After the trial: simulations a move, so that every candidate gets its matches. False: it does not pay. */
static bool plan(struct audition *a, double seconds, double left)
{
    if (a->ended < AUDITION_TRIALS || a->simulations == 0) return false;
    double times = a->limit ? ((double)a->limit - (double)a->spent) / (double)(a->spent - a->taught)
                            : left / (seconds > 1e-6 ? seconds : 1e-6); /* as much as the trial took */
    /* Simulations a move that a candidate has, when all matches are taken together. Not even a few matches
     * with every candidate: then with those of whom most is hoped, or not at all. */
    double all = times * TRIAL_SIMS * AUDITION_TRIALS / SLACK;
    while (candidates(a) && all < LEAST_SIMS * (candidates(a) > 1 ? FEWEST : ALONE) * weight(a))
        a->out[least_hoped_for(a)] = true;
    if (!candidates(a)) return false;
    double fair = fmin(candidates(a), SEVERAL) / candidates(a) * FAIR;
    double sims = all / (fair * weight(a));
    double most = a->real > LEAST_SIMS ? fmin(a->real, MOST_SIMS) : MOST_SIMS;
    a->sims = (uint32_t)fmax(LEAST_SIMS, fmin(sims, most));
    a->wanted = UINT32_MAX;
    a->lasts = 0; /* others do now */
    /* What is under way when time is up is lost, so not too many; but full sweeps are fast ones. */
    uint32_t part = (uint32_t)(all / a->sims / weight(a) * candidates(a)) / 4 / a->threads;
    a->abreast = part < FEWEST ? FEWEST : part;
    if (a->abreast > a->most) a->abreast = a->most;
    return true;
}

static void choose(const struct audition *a, bool matches, struct audition_report *out)
{
    out->arms = a->arms;
    out->simulations = matches ? a->sims : 0;
    for (uint32_t i = 0; i < a->arms; i++) {
        out->arm[i].heard = !a->unfit[i];
        out->arm[i].points = a->points[i];
        out->arm[i].games = a->games[i];
        out->arm[i].signs = a->signs[i];
        out->arm[i].expected = a->expected[i];
        if (!a->unfit[i] && queue_expects(a, i) > queue_expects(a, out->chosen)) out->chosen = i;
    }
}

/* The trial, then the bouts. */
static bool hold(struct audition *a, struct stage *stages, struct audition_report *out, struct error *error)
{
    uint32_t n = 0;
    bool good = find_judgement(a, error) && (a->limit || take_speeds(a, error));
    for (uint32_t i = 0; i < a->arms; i++) {
        a->expected[i] = player_arms[i].expected(&a->signs[i]);
        if (i && !a->limit && queue_hopes(a, i) < HOPELESS) a->out[i] = true;
    }
    while (good && n < a->threads && (good = stage_init(&stages[n], a, error))) n++;
    if (good) stages_prepare(stages, n);
    if (good && !(good = !a->error.code)) *error = a->error;
    if (good) {
        a->taught = a->spent;
        double began = clock_now();
        stages_run(stages, n);
        double now = clock_now();
        bool worth = !a->error.code && plan(a, now - began, a->budget.deadline - now);
        if (worth) stages_run(stages, n);
        good = !a->error.code;
        if (good)
            choose(a, worth, out);
        else
            *error = a->error;
    }
    while (n) stage_done(&stages[--n]);
    return good;
}

/* Everybody who thinks at the same time must have a lane. Where counts decide, the result must not depend on
 * the processor: as if it had the fewest. */
static void share_lanes(struct audition *a)
{
    uint32_t widths[4], n = batch_widths(widths), nroles = a->game->nroles;
    uint32_t there = widths[a->limit ? 0 : n - 1], each = there / (AUDITION_ABREAST * nroles);
    a->lanes = a->limit || each < 1 ? 1 : each > LANES ? LANES : each;
    a->wired = a->limit || there < WIRED * nroles ? a->lanes : WIRED;
    a->most = there / audition_bout_lanes(a);
    if (a->most > AUDITION_ABREAST) a->most = AUDITION_ABREAST;
    a->abreast = a->most;
}

static struct audition *audition_new(const struct game *game, struct engine *engine, uint32_t threads,
                                     uint64_t seed, const struct budget *budget)
{
    struct audition *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    *a = (struct audition){.game = game,
                           .engine = engine,
                           .seed = seed,
                           .wanted = AUDITION_TRIALS,
                           .threads = threads,
                           .move = budget->move,
                           .sims = TRIAL_SIMS};
    pthread_mutex_init(&a->lock, NULL);
    a->in_steps = !budget->simulations;
    a->limit = (uint64_t)(SHARE * (double)(a->in_steps ? budget->steps : budget->simulations));
    a->budget = (struct budget){.deadline = budget_share(budget, SHARE), .stop = budget->stop};
    share_lanes(a);
    if (!a->limit && !a->budget.deadline) a->budget.deadline = clock_now() + SHARE * NO_CLOCK;
    return a;
}

void audition_leave(struct budget *budget)
{
    budget->simulations -= (uint64_t)(SHARE * (double)budget->simulations);
    budget->steps -= (uint64_t)(SHARE * (double)budget->steps);
}

static void audition_free(struct audition *a)
{
    if (a) pthread_mutex_destroy(&a->lock);
    if (a) judgement_free(a->judgement);
    if (a) minimax_lessons_free(a->lessons);
    free(a);
}

bool audition_hold(const struct player_config *config, const struct game *game, struct engine *engine,
                   uint32_t threads, uint64_t seed, const struct budget *budget, struct audition_report *out,
                   struct error *error)
{
    const struct code *code = engine_code(engine);
    *out = (struct audition_report){.held = true};
    if ((uint64_t)code->circuit->nfacts + code->nmoves + code->nslots > LARGE) return true;
    double began = clock_now();
    struct audition *a = audition_new(game, engine, threads, seed, budget);
    struct stage *stages = calloc(threads, sizeof *stages);
    bool good = a && stages;
    if (!good) error_set(error, ERROR_MEMORY, "out of memory");
    good = good && make_configs(a, config, error) && hold(a, stages, out, error);
    if (good && audition_implicit(a, out->chosen)) {
        out->judgement = a->judgement;
        a->judgement = NULL;
    }
    if (good && audition_minimax(a, out->chosen)) {
        out->lessons = a->lessons;
        a->lessons = NULL;
    }
    out->seconds = clock_now() - began;
    free(stages);
    audition_free(a);
    return good;
}
