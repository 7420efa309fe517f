// SPDX-License-Identifier: GPL-3.0-or-later
#include "player/audition.h"

#include "player/player.h"
#include "search/prove.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const struct arm player_arms[] = {
    {"own", ""}, /* behind it the most promising first: when the start clock is short only these play */
    {"minimax", "kind=minimax,minimax=alphabeta"},
    {"rave", "playout=uniform"},
    {"cutoff", "playout=mast+fast,sampler=gibbs,tau=10,weight=1,cutoff=on,urgency=on"},
    {"sharp", "decisive=parry"},
};

uint32_t player_arms_count(void)
{
    return sizeof player_arms / sizeof *player_arms;
}

bool audition_apply(struct player_config *config, uint32_t arm, struct error *error)
{
    return player_config_apply(config, player_arms[arm].options, error);
}

enum {
    TRIALS = 8,      /* bouts to find out how long a match is */
    TRIAL_SIMS = 20, /* a move */
    FAIR = 16,       /* matches that every candidate should get */
    /* With less they mislead, with more there are too few matches to tell: docs/strength.md */
    LEAST_SIMS = 100,
    MOST_SIMS = 400,
    ABREAST = 24,  /* bouts at a time on a thread, at most */
    LANES = 4,     /* of a player by the clock: sweeps with few lanes are slow ones */
    LESSON = 2000, /* simulations that tables have seen before the first */
    FEWEST = 4,
    MEMORY = 64,   /* MB, of a player */
    LARGE = 50000, /* facts, moves and gates: players of such a circuit take long to make */
};

static const double SHARE = 0.6;      /* of the start clock */
static const double NO_CLOCK = 10;    /* seconds where nobody said how long it is */
static const double PRIOR = 0.45;     /* points of a candidate of which nothing is known, */
static const double PRIOR_GAMES = 10; /* and so many matches that stand for it */
/* What it must come to to be chosen. Few simulations flatter who is slow and knows much, so it must win the
 * more clearly the slower it is: so much more for every halving. */
static const double BETTER = 0.6, SLOWER = 0.08;
/* A match that both hold for decided is: what is left of it would take most of the time and tell nothing. */
static const double SURE = 90;
static const double SLACK = 1.3;  /* larger trees and tables than in the trial are slower */
static const double GLANCE = 0.1; /* seconds at most to find out how fast a candidate is */

struct audition {
    const struct game *game;
    struct engine *engine;
    struct player_config configs[AUDITION_ARMS];
    double speed[AUDITION_ARMS]; /* simulations a second in play, against the first; 1 where they count */
    bool out[AUDITION_ARMS];     /* takes no part */
    uint32_t arms;
    uint64_t seed;
    struct budget budget;
    bool in_steps; /* what is counted: steps, else simulations */
    pthread_mutex_t lock;
    uint32_t sims;    /* a move, of the first */
    uint32_t abreast; /* bouts at a time on a thread */
    uint32_t lanes;   /* of a player */
    uint32_t most;    /* bouts for whose players a thread has lanes */
    uint32_t threads;
    /* under the lock */
    uint32_t begun[AUDITION_ARMS], bouts, wanted;
    double points[AUDITION_ARMS];
    uint32_t games[AUDITION_ARMS];
    uint64_t simulations;  /* made */
    uint64_t spent, limit; /* of what is counted; limit 0: by the clock */
    uint64_t lessons;      /* spent before the first bout */
    uint32_t ended;
    double lasts; /* seconds that bouts have taken, in the mean; 0: none has ended */
    struct error error;
};

/* A match on a driver. */
struct bout {
    struct player *players[MCTS_MAX_ROLES];
    struct hand *hands[MCTS_MAX_ROLES];
    struct state state;
    uint32_t arm, role, waiting;
    double began;
    double value[2]; /* for two: what each expects, when it last thought; negative: it has not yet */
    bool over;
};

/* A thread with its driver. */
struct stage {
    struct audition *audition;
    struct reasoner *reasoner;
    struct driver *driver;
    /* Whose tables all players of a kind have here; of minimax one for each of two roles. */
    struct player *models[AUDITION_ARMS][2];
    struct bout *bouts[ABREAST];
    pthread_t thread;
    bool started;
};

/* --- Who is next ---------------------------------------------------------------------------------------- */

/* What is expected of it in play. */
static double posterior(const struct audition *a, uint32_t arm)
{
    if (arm == 0) return BETTER;
    double slower = a->speed[arm] < 1 ? -log2(a->speed[arm]) : 0;
    return (a->points[arm] + PRIOR * PRIOR_GAMES) / (a->games[arm] + PRIOR_GAMES) - SLOWER * slower;
}

/* Bouts under way count as even, so that not all go to the same. */
static double promise(const struct audition *a, uint32_t arm)
{
    double open = a->begun[arm] - a->games[arm], n = a->begun[arm] + 1.0;
    double mean = (a->points[arm] + 0.5 * open + 0.5) / n;
    return mean + sqrt(0.5 * log(a->bouts + 2.0) / n);
}

static uint32_t most_promising(const struct audition *a)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < a->arms; i++)
        if (!a->out[i] && (!best || promise(a, i) > promise(a, best))) best = i;
    return best;
}

/* The next bout: false when there is none any more. */
static bool next_bout(struct audition *a, uint32_t *arm, uint32_t *role, uint64_t *seed)
{
    pthread_mutex_lock(&a->lock);
    bool more = !a->error.code && !budget_over(&a->budget) && (!a->limit || a->spent < a->limit) &&
                a->bouts < a->wanted;
    /* What cannot end in time is not begun: those under way end the sooner. */
    if (a->budget.deadline > 0 && a->lasts > 0 && clock_now() + a->lasts > a->budget.deadline) more = false;
    if (more) {
        *arm = a->bouts < TRIALS ? 0 : most_promising(a);
        *role = a->begun[*arm] % a->game->nroles;
        *seed = a->seed + ++a->bouts * 0x9e3779b97f4a7c15u;
        a->begun[*arm]++;
    }
    pthread_mutex_unlock(&a->lock);
    return more;
}

static void note_trouble(struct audition *a, const struct error *error)
{
    pthread_mutex_lock(&a->lock);
    if (!a->error.code) a->error = *error;
    pthread_mutex_unlock(&a->lock);
}

/* --- Bouts ---------------------------------------------------------------------------------------------- */

static void bout_free(struct bout *b, uint32_t nroles)
{
    for (uint32_t i = 0; i < nroles; i++) player_free(b->players[i]);
    state_done(&b->state);
    free(b);
}

/* Everybody is asked for a move. */
static bool ask(struct stage *s, struct bout *b, struct error *error)
{
    struct audition *a = s->audition;
    struct budget budget = {.deadline = a->budget.deadline, .stop = a->budget.stop};
    b->waiting = 0;
    for (uint32_t i = 0; i < a->game->nroles; i++) {
        budget.simulations = 1 + (uint64_t)(a->speed[i == b->role ? b->arm : 0] * a->sims);
        if (!player_begin(b->players[i], &budget, false, &b->hands[i], error)) return false;
        if (!b->hands[i]) continue;
        b->hands[i]->owner = b;
        b->waiting++;
        driver_add(s->driver, b->hands[i], &budget);
    }
    return true;
}

static bool is_minimax(const struct audition *a, uint32_t arm)
{
    return a->configs[arm].kind == PLAYER_MINIMAX;
}

static const struct player *model_of(const struct stage *s, uint32_t arm, uint32_t role)
{
    return s->models[arm][is_minimax(s->audition, arm) ? role : 0];
}

static struct bout *bout_new(struct stage *s, uint32_t arm, uint32_t role, uint64_t seed, struct error *error)
{
    struct audition *a = s->audition;
    struct bout *b = calloc(1, sizeof *b);
    if (!b) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    b->arm = arm;
    b->role = role;
    b->began = clock_now();
    b->value[0] = b->value[1] = -1;
    for (uint32_t i = 0; i < a->game->nroles; i++) {
        b->players[i] = player_new(&a->configs[i == role ? arm : 0], a->game, a->engine, i, seed + i, error);
        if (!b->players[i]) return bout_free(b, a->game->nroles), NULL;
        player_join(b->players[i], s->driver);
        player_borrow(b->players[i], model_of(s, i == role ? arm : 0, i));
    }
    if (s->reasoner->ops->initial(s->reasoner, &b->state)) return b;
    *error = s->reasoner->error;
    bout_free(b, a->game->nroles);
    return NULL;
}

/* Own goal against the mean of the others', as a share. */
static bool points_of(struct stage *s, const struct bout *b, double *out)
{
    uint32_t nroles = s->audition->game->nroles;
    double own = 0, others = 0;
    for (uint32_t i = 0; i < nroles; i++) {
        int goal;
        if (!reasoner_goal(s->reasoner, &b->state, i, &goal)) return false;
        if (goal == GOAL_UNDEFINED) goal = 0;
        *(i == b->role ? &own : &others) += goal;
    }
    *out = 0.5 + (own - others / (nroles - 1)) / 200;
    return true;
}

static void close_bout(struct audition *a, struct bout *b, double points)
{
    double took = clock_now() - b->began;
    pthread_mutex_lock(&a->lock);
    a->points[b->arm] += points;
    a->games[b->arm]++;
    a->ended++;
    a->lasts += (took - a->lasts) / (a->lasts > 0 ? 4 : 1);
    pthread_mutex_unlock(&a->lock);
    b->over = true;
}

/* What a role expects of a game for two in which one gets what the other does not: as its search has it, and
 * for certain where that has proved it. False: there is nothing to be said. */
static bool expects(const struct bout *b, uint32_t role, double *value, bool *certain)
{
    const struct mcts *m = player_search(b->players[role]);
    if (!m || !prove_is_on(m) || !m->constant_sum || m->sum != 100) return false;
    struct bound bound = prove_root(m, role);
    *certain = bound.low == bound.high;
    if (!*certain && player_report(b->players[role])->stats.simulations == 0) return false;
    *value = *certain ? (double)bound.low : (double)player_report(b->players[role])->value;
    return true;
}

/* Somebody has proved how it ends, or both hold it for decided: its points as a share, else -1. */
static double foregone(struct bout *b)
{
    for (uint32_t i = 0; i < 2; i++) {
        bool certain;
        double value;
        if (!expects(b, i, &value, &certain)) continue;
        b->value[i] = value;
        if (certain) return (i == b->role ? value : 100 - value) / 100;
    }
    if (b->value[0] < 0 || b->value[1] < 0) return -1;
    double own = b->value[b->role], other = 100 - b->value[1 - b->role];
    return fmin(own, other) > SURE ? 1 : fmax(own, other) < 100 - SURE ? 0 : -1;
}

/* Everybody has decided: make the moves. */
static bool move_on(struct stage *s, struct bout *b, struct error *error)
{
    struct audition *a = s->audition;
    uint32_t joint[MCTS_MAX_ROLES], nroles = a->game->nroles;
    struct state next = {0};
    bool terminal = false;
    uint64_t simulations = 0, steps = 0;
    for (uint32_t i = 0; i < nroles; i++) {
        uint32_t move;
        if (!player_end(b->players[i], &move, error)) return false;
        const struct mcts_stats *stats = &player_report(b->players[i])->stats;
        simulations += stats->simulations;
        steps += stats->steps;
        if (reasoner_carry_move(s->reasoner, player_reasoner(b->players[i]), i, move, &joint[i])) continue;
        return *error = s->reasoner->error, false;
    }
    pthread_mutex_lock(&a->lock);
    a->simulations += simulations;
    a->spent += a->in_steps ? steps : simulations;
    pthread_mutex_unlock(&a->lock);
    double points = nroles == 2 ? foregone(b) : -1;
    if (points >= 0) return close_bout(a, b, points), true;
    if (!s->reasoner->ops->next(s->reasoner, &b->state, joint, &next) ||
        !s->reasoner->ops->terminal(s->reasoner, &next, &terminal)) {
        state_done(&next);
        return *error = s->reasoner->error, false;
    }
    state_done(&b->state);
    b->state = next;
    if (terminal) {
        if (!points_of(s, b, &points)) return *error = s->reasoner->error, false;
        return close_bout(a, b, points), true;
    }
    for (uint32_t i = 0; i < nroles; i++)
        if (!player_advance(b->players[i], s->reasoner, joint, error)) return false;
    return ask(s, b, error);
}

/* As far as it goes without a search. */
static bool go_on(struct stage *s, struct bout *b, struct error *error)
{
    while (!b->over && b->waiting == 0)
        if (budget_over(&s->audition->budget) || !move_on(s, b, error)) return false;
    return true;
}

/* --- Stages --------------------------------------------------------------------------------------------- */

/* The first place that is free gets the next bout. */
static bool fill(struct stage *s, struct error *error)
{
    for (uint32_t i = 0; i < s->audition->abreast; i++) {
        uint32_t arm, role;
        uint64_t seed;
        while (!s->bouts[i] && next_bout(s->audition, &arm, &role, &seed)) {
            s->bouts[i] = bout_new(s, arm, role, seed, error);
            if (!s->bouts[i] || !ask(s, s->bouts[i], error) || !go_on(s, s->bouts[i], error)) return false;
            if (!s->bouts[i]->over) break;
            bout_free(s->bouts[i], s->audition->game->nroles);
            s->bouts[i] = NULL;
        }
    }
    return true;
}

static void clear(struct stage *s, const struct bout *which)
{
    for (uint32_t i = 0; i < ABREAST; i++) {
        if (!s->bouts[i] || (which && s->bouts[i] != which)) continue;
        bout_free(s->bouts[i], s->audition->game->nroles);
        s->bouts[i] = NULL;
    }
}

static void *run_stage(void *data)
{
    struct stage *s = data;
    struct audition *a = s->audition;
    struct error error = {0};
    s->reasoner->deadline = a->budget.deadline;
    s->reasoner->cancel = a->budget.stop;
    bool good = true;
    while (good && (good = fill(s, &error))) {
        struct hand *h = driver_run(s->driver);
        if (!h) break;
        struct bout *b = h->owner;
        b->waiting--;
        good = go_on(s, b, &error);
        if (b->over) clear(s, b);
    }
    if (!good && error.code && error.code != ERROR_TIME && error.code != ERROR_CANCELLED)
        note_trouble(a, &error);
    while (driver_run(s->driver)) continue; /* lanes are given back before the players go */
    clear(s, NULL);
    return NULL;
}

/* In play tables have seen hundreds of thousands of simulations, in a match with few a move next to none: who
 * learns would seem worse than it is. So all matches on a stage learn together, and begin with something. */
/* Minimax is for this game, and had the time to find out what positions are worth. */
static bool judges(const struct player *p)
{
    const struct minimax_report *r = player_report(p)->minimax;
    return r && r->evaluation && strcmp(r->evaluation, "none") != 0;
}

static bool make_model(struct stage *s, uint32_t arm, uint32_t role, double share, struct error *error)
{
    struct audition *a = s->audition;
    struct player_config config = a->configs[arm];
    struct budget budget = {.simulations = a->limit ? 1 + a->limit / 100 : LESSON,
                            .deadline = a->limit ? 0 : clock_now() + budget_seconds(&a->budget, share),
                            .stop = a->budget.stop};
    config.lanes = ABREAST;
    struct player *p = s->models[arm][role] = player_new(&config, a->game, a->engine, role, a->seed, error);
    if (!p) return false;
    player_join(p, s->driver);
    if (!player_ponder(p, &budget, error)) return false;
    const struct mcts_stats *stats = &player_report(p)->stats;
    pthread_mutex_lock(&a->lock);
    a->spent += a->in_steps ? stats->steps : stats->simulations;
    if (is_minimax(a, arm) && !judges(p)) a->out[arm] = true;
    pthread_mutex_unlock(&a->lock);
    return true;
}

static bool make_models(struct stage *s, struct error *error)
{
    struct audition *a = s->audition;
    double share = 0.2 / (a->arms * a->threads);
    bool good = true;
    for (uint32_t i = 0; i < a->arms && good; i++)
        for (uint32_t role = 0; role < (is_minimax(a, i) ? 2 : 1) && !a->out[i] && good; role++)
            good = make_model(s, i, role, share * (is_minimax(a, i) ? 3 : 1), error);
    return good;
}

static void stage_done(struct stage *s)
{
    for (uint32_t i = 0; i < 2 * AUDITION_ARMS; i++) player_free(s->models[i / 2][i % 2]);
    driver_free(s->driver);
    reasoner_free(s->reasoner);
}

static bool stage_init(struct stage *s, struct audition *a, struct error *error)
{
    const struct code *code = engine_code(a->engine);
    *s = (struct stage){.audition = a, .reasoner = reasoner_circuit(a->game, code, error)};
    if (s->reasoner) s->driver = driver_new(s->reasoner, code, a->lanes * a->most * a->game->nroles, error);
    if (s->driver && make_models(s, error)) return true;
    stage_done(s);
    return false;
}

/* Bouts on all stages until there are as many as wanted, or no time is left. */
static void run(struct stage *stages, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        stages[i].started = pthread_create(&stages[i].thread, NULL, run_stage, &stages[i]) == 0;
    run_stage(&stages[0]);
    for (uint32_t i = 1; i < n; i++)
        if (stages[i].started) pthread_join(stages[i].thread, NULL);
}

/* --- The whole ------------------------------------------------------------------------------------------ */

static bool make_configs(struct audition *a, const struct player_config *config, struct error *error)
{
    a->arms = player_arms_count();
    bool foresight = engine_foresight(a->engine, budget_seconds(&a->budget, 0.1)) != NULL;
    for (uint32_t i = 0; i < a->arms; i++) {
        struct player_config *c = &a->configs[i];
        a->speed[i] = 1;
        *c = *config;
        c->arm = ARM_OFF;
        c->lanes = a->lanes;
        c->threads = 1;
        c->memory = MEMORY;
        if (!audition_apply(c, i, error)) return false;
        /* Playouts can look out for wins only where these can be foreseen. Minimax counts something else, so
         * that it can be compared by the clock alone. */
        a->out[i] = (c->decisive != config->decisive && !foresight) ||
                    (is_minimax(a, i) && (a->game->nroles != 2 || a->limit));
    }
    return true;
}

/* Simulations a second; of minimax, positions. */
static bool take_speed(struct audition *a, uint32_t arm, double seconds, struct error *error)
{
    struct player_config config = a->configs[arm];
    config.lanes = 0;
    struct player *p = player_new(&config, a->game, a->engine, 0, a->seed, error);
    if (!p) return false;
    bool good = true;
    struct mcts_stats stats = {0};
    for (int look = is_minimax(a, arm) ? 0 : 1; look < 2 && good; look++) { /* first it looks at the game */
        struct budget b = {.deadline = clock_now() + seconds * (look ? 1 : 5), .stop = a->budget.stop};
        good = player_ponder(p, &b, error);
        stats = player_report(p)->stats;
    }
    if (is_minimax(a, arm) && !judges(p)) a->out[arm] = true;
    player_free(p);
    a->speed[arm] = (stats.simulations + 1.0) / fmax(stats.seconds, 1e-4);
    if (is_minimax(a, arm)) a->speed[arm] /= a->threads; /* it has one */
    return good;
}

/* How fast the candidates are in play: a glance at the first position with each. */
static bool take_speeds(struct audition *a, struct error *error)
{
    double glance = (a->budget.deadline - clock_now()) / (20 * a->arms);
    for (uint32_t i = 0; i < a->arms; i++) {
        if (budget_over(&a->budget)) return error_set(error, ERROR_TIME, "no time");
        if (!a->out[i] && !take_speed(a, i, fmin(glance, GLANCE), error)) return false;
    }
    for (uint32_t i = a->arms; i-- > 0;) a->speed[i] /= a->speed[0];
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
        sum += is_minimax(a, i) ? 1 : 1 + (a->speed[i] - 1) / a->game->nroles; /* its positions take less */
    }
    return sum;
}

/* After the trial: simulations a move, so that every candidate gets its matches. False: it does not pay. */
static bool plan(struct audition *a, double seconds, double left)
{
    if (a->ended < TRIALS || a->simulations == 0) return false;
    double times = a->limit ? ((double)a->limit - (double)a->spent) / (double)(a->spent - a->lessons)
                            : left / (seconds > 1e-6 ? seconds : 1e-6); /* as much as the trial took */
    /* Simulations a move that a candidate has, when all matches are taken together. Not even a few matches
     * with every candidate: then with those that come first, or not at all. */
    double all = times * TRIAL_SIMS * TRIALS / SLACK;
    while (a->arms > 1 && (a->out[a->arms - 1] || all < LEAST_SIMS * FEWEST * weight(a))) a->arms--;
    if (a->arms < 2) return false;
    double sims = all / (FAIR * weight(a));
    a->sims = sims > MOST_SIMS ? MOST_SIMS : sims < LEAST_SIMS ? LEAST_SIMS : (uint32_t)sims;
    a->wanted = UINT32_MAX;
    a->lasts = 0; /* others do now */
    /* What is under way when time is up is lost, so not too many; but full sweeps are fast ones. */
    uint32_t part = (uint32_t)(all / a->sims / weight(a) * candidates(a)) / 4 / a->threads;
    a->abreast = part < FEWEST ? FEWEST : part;
    if (a->abreast > a->most) a->abreast = a->most;
    return true;
}

static void choose(const struct audition *a, struct audition_report *out)
{
    out->arms = a->arms;
    out->simulations = a->sims;
    for (uint32_t i = 0; i < a->arms; i++) {
        out->arm[i].points = a->points[i];
        out->arm[i].games = a->games[i];
        out->arm[i].speed = a->speed[i];
        if (posterior(a, i) > posterior(a, out->chosen)) out->chosen = i;
    }
}

/* The trial, then the bouts. */
static bool hold(struct audition *a, struct stage *stages, struct audition_report *out, struct error *error)
{
    uint32_t n = 0;
    bool good = a->limit || take_speeds(a, error);
    while (good && n < a->threads && (good = stage_init(&stages[n], a, error))) n++;
    if (good) {
        a->lessons = a->spent;
        double began = clock_now();
        run(stages, n);
        double now = clock_now();
        bool worth = !a->error.code && plan(a, now - began, a->budget.deadline - now);
        if (worth) run(stages, n);
        if (worth) choose(a, out);
        if (a->error.code) good = (*error = a->error, false);
    }
    while (n) stage_done(&stages[--n]);
    return good;
}

/* Everybody who thinks at the same time must have a lane. Where counts decide, the result must not depend on
 * the processor: as if it had the fewest. */
static void share_lanes(struct audition *a)
{
    uint32_t widths[4], n = batch_widths(widths), nroles = a->game->nroles;
    uint32_t there = widths[a->limit ? 0 : n - 1], each = there / (ABREAST * nroles);
    a->lanes = a->limit || each < 1 ? 1 : each > LANES ? LANES : each;
    a->most = there / (a->lanes * nroles);
    if (a->most > ABREAST) a->most = ABREAST;
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
                           .wanted = TRIALS,
                           .threads = threads,
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
    out->seconds = clock_now() - began;
    free(stages);
    audition_free(a);
    return good;
}
