// SPDX-License-Identifier: GPL-3.0-or-later
/* A thread of the audition: its driver, the players whose tables all others of their kind borrow, and as many
 * bouts abreast as there are places. */
#include "player/audition_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    LESSON = 2000, /* simulations that tables have seen before the first bout */
    LEARNING = 10, /* times as long have for that who learn what positions are worth, all roles together */
};

static void note_trouble(struct audition *a, const struct error *error)
{
    pthread_mutex_lock(&a->lock);
    if (!a->error.code) a->error = *error;
    pthread_mutex_unlock(&a->lock);
}

void audition_lend(const struct audition *a, uint32_t arm, struct player *p)
{
    if (audition_implicit(a, arm) && a->judgement) player_lend_judgement(p, a->judgement);
    if (audition_minimax(a, arm) && a->lessons) player_lend_lessons(p, a->lessons);
}

bool audition_judges(const struct audition *a, uint32_t arm, const struct player *p)
{
    if (audition_implicit(a, arm)) return player_judgement(p);
    const struct minimax_report *r = player_report(p)->minimax;
    return r && r->evaluation && strcmp(r->evaluation, "none") != 0;
}

/* The first place that is free gets the next bout. */
static bool fill(struct stage *s, struct error *error)
{
    for (uint32_t i = 0; i < s->audition->abreast; i++) {
        uint32_t arm, role;
        uint64_t seed;
        while (!s->bouts[i] && queue_next(s->audition, &arm, &role, &seed)) {
            s->bouts[i] = bout_new(s, arm, role, seed, error);
            if (!s->bouts[i] || !bout_begin(s, s->bouts[i], error) || !bout_go_on(s, s->bouts[i], error))
                return false;
            if (!s->bouts[i]->over) break;
            bout_free(s->bouts[i], s->audition->game->nroles);
            s->bouts[i] = NULL;
        }
    }
    return true;
}

static void clear(struct stage *s, const struct bout *which)
{
    for (uint32_t i = 0; i < AUDITION_ABREAST; i++) {
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
        good = bout_go_on(s, b, &error);
        if (b->over) clear(s, b);
    }
    if (!good && error.code && error.code != ERROR_TIME && error.code != ERROR_CANCELLED)
        note_trouble(a, &error);
    while (driver_run(s->driver)) continue; /* lanes are given back before the players go */
    clear(s, NULL);
    return NULL;
}

static bool make_model(struct stage *s, uint32_t arm, uint32_t role, double share, struct error *error)
{
    struct audition *a = s->audition;
    struct player_config config = a->configs[arm];
    struct budget budget = {.simulations = a->limit ? 1 + a->limit / 100 : LESSON,
                            .deadline = a->limit ? a->budget.deadline
                                                 : clock_now() + budget_seconds(&a->budget, share),
                            .stop = a->budget.stop};
    config.lanes = AUDITION_ABREAST;
    struct player *p = s->models[arm][role] = player_new(&config, a->game, a->engine, role, a->seed, error);
    if (!p) return false;
    player_join(p, s->driver);
    audition_lend(a, arm, p);
    if (!player_ponder(p, &budget, error)) return false;
    const struct mcts_stats *stats = &player_report(p)->stats;
    bool must = audition_minimax(a, arm) || (audition_implicit(a, arm) && !a->judgement);
    if (arm && must && !audition_judges(a, arm, p)) s->lacks[arm] = true;
    pthread_mutex_lock(&a->lock);
    a->spent += a->in_steps ? stats->steps : stats->simulations;
    pthread_mutex_unlock(&a->lock);
    return true;
}

/* It has to learn, and nobody has lessons for it. */
static bool takes_time(const struct audition *a, uint32_t arm)
{
    return audition_minimax(a, arm) ? !a->lessons : audition_implicit(a, arm) && !a->judgement;
}

/* In play tables have seen hundreds of thousands of simulations, in a match with few a move next to none: who
 * learns would seem worse than it is. So all matches on a stage learn together, and begin with something. */
static bool make_models(struct stage *s, struct error *error)
{
    struct audition *a = s->audition;
    uint32_t nroles = a->game->nroles, kinds = 0;
    bool good = true;
    for (uint32_t i = 0; i < a->arms; i++) kinds += a->out[i] ? 0 : takes_time(a, i) ? LEARNING : 1;
    double share = 0.45 / kinds;
    for (uint32_t i = 0; i < a->arms && good; i++) {
        uint32_t models = audition_by_role(a, i) ? nroles : 1;
        for (uint32_t role = 0; role < models && !a->out[i] && good; role++)
            good = make_model(s, i, role, share * (takes_time(a, i) ? LEARNING : 1) / models, error);
    }
    return good;
}

void stage_done(struct stage *s)
{
    for (uint32_t i = 0; i < ARMS_MOST; i++)
        for (uint32_t role = 0; role < MCTS_MAX_ROLES; role++) player_free(s->models[i][role]);
    driver_free(s->driver);
    reasoner_free(s->reasoner);
}

bool stage_init(struct stage *s, struct audition *a, struct error *error)
{
    const struct code *code = engine_code(a->engine);
    *s = (struct stage){.audition = a, .reasoner = reasoner_circuit(a->game, code, error)};
    if (s->reasoner) s->driver = driver_new(s->reasoner, code, a->most * audition_bout_lanes(a), error);
    if (s->driver) return true;
    stage_done(s);
    return false;
}

static void on_all(struct stage *stages, uint32_t n, void *(*what)(void *))
{
    for (uint32_t i = 1; i < n; i++)
        stages[i].started = pthread_create(&stages[i].thread, NULL, what, &stages[i]) == 0;
    what(&stages[0]);
    for (uint32_t i = 1; i < n; i++) {
        if (stages[i].started)
            pthread_join(stages[i].thread, NULL);
        else
            what(&stages[i]);
    }
}

static void *prepare(void *data)
{
    struct stage *s = data;
    struct error error = {0};
    if (!make_models(s, &error)) note_trouble(s->audition, &error);
    return NULL;
}

/* Who lacks something on one of them plays no matches; it has found out how good it is when its speed was
 * taken, so it may be chosen all the same. */
void stages_prepare(struct stage *stages, uint32_t n)
{
    struct audition *a = stages->audition;
    on_all(stages, n, prepare);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t arm = 0; arm < a->arms; arm++) a->out[arm] |= stages[i].lacks[arm];
}

void stages_run(struct stage *stages, uint32_t n)
{
    on_all(stages, n, run_stage);
}
