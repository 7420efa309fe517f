// SPDX-License-Identifier: GPL-3.0-or-later
/* Invariants: a lane is free, fresh (its state is there, its first move is given), or playing. A lane whose
 * playout has ended may be in use again while that one's goals are still to be collected; until then it
 * cannot end a second time, so goals are collected before it does. */
#include "search/wires/wires.h"

#include "search/wires/history.h"
#include "search/wires/orders.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ROLES = 64 };

struct ended {
    struct wires_group *group;
    uint32_t began, ended;
    bool cut;
};

struct wires {
    struct batch *batch;
    const struct policy *policy;
    uint32_t nroles, lanes, words;
    uint32_t turns; /* playouts begin when it is their turn, one of so many; 1: at once */
    struct orders orders;
    struct history history;
    bool guided, records;
    wires_over *over;
    void *data;
    struct wires_limits limits;
    struct wires_group *first, **end; /* those with playouts that have not begun */
    uint32_t waiting, playing, now;
    uint64_t busy[BATCH_MAX_WORDS];            /* fresh or playing */
    uint64_t fresh[BATCH_MAX_WORDS];           /* their first move is given */
    uint64_t many[MAX_ROLES][BATCH_MAX_WORDS]; /* by role: those with a choice */
    struct wires_group **group;                /* by lane: whose playout it is */
    uint32_t *began, *until; /* by lane: the round of the first choice; when it is too long */
    uint32_t soonest;        /* before this none is */
    struct ended *ended;     /* by lane: what is parked there */
    uint64_t parked[BATCH_MAX_WORDS];
    uint32_t nparked;
    uint64_t **last; /* by role: the wires of what was played in the step before */
    uint64_t *wires; /* all of them */
    int16_t *goals;
    uint32_t *moves;
};

#define FOR_BITS(w, i, mask)                                                           \
    for (uint32_t k_##i = 0, i; k_##i < (w)->words; k_##i++)                           \
        for (uint64_t left_##i = (mask)[k_##i];                                        \
             left_##i && (i = k_##i * 64 + (uint32_t)__builtin_ctzll(left_##i), true); \
             left_##i &= left_##i - 1)

static bool any(const struct wires *w, const uint64_t *mask)
{
    return batch_any(w->batch, mask);
}

/* The wires of what the role before a role played last. */
static const uint64_t *before(const struct wires *w, uint32_t role)
{
    return w->last[role_before(role, w->nroles)];
}

/* --- Setting up ----------------------------------------------------------------------------------------- */

bool wires_fit(const struct policy *p, const struct code *code)
{
    return code && code->nroles <= MAX_ROLES && orders_fit(p, code);
}

static bool setup(struct wires *w, const struct code *code, uint64_t seed)
{
    size_t all = 0;
    w->group = calloc(w->lanes, sizeof(struct wires_group *));
    w->began = calloc(w->lanes, sizeof *w->began);
    w->until = calloc(w->lanes, sizeof *w->until);
    w->ended = calloc(w->lanes, sizeof *w->ended);
    w->goals = calloc((size_t)w->lanes * w->nroles, sizeof *w->goals);
    w->moves = calloc(w->lanes, sizeof *w->moves);
    w->last = calloc(w->nroles, sizeof(uint64_t *));
    for (uint32_t r = 0; r < w->nroles; r++) all += code->roles[r].n;
    w->wires = aligned_alloc(64, (all + 1) * 64);
    if (!w->group || !w->began || !w->until || !w->ended || !w->goals || !w->moves || !w->last || !w->wires)
        return false;
    memset(w->wires, 0, (all + 1) * 64);
    uint64_t *at = w->wires;
    for (uint32_t r = 0; r < w->nroles; r++) {
        w->last[r] = at;
        at += (size_t)code->roles[r].n * w->words;
    }
    w->guided = !policy_is_uniform(w->policy);
    w->turns = batch_turns_pay(w->batch) ? batch_turns(w->batch) : 1;
    return orders_init(&w->orders, w->policy, w->batch->code, w->words, seed) &&
           (!w->records || history_init(&w->history, w->nroles, w->lanes));
}

struct wires *wires_new(const struct code *code, const struct policy *policy, bool records, uint64_t seed,
                        wires_over *over, void *data, struct error *error)
{
    struct wires *w = calloc(1, sizeof *w);
    if (!w) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    w->batch = batch_new(code, 0, seed, error);
    if (!w->batch) {
        free(w);
        return NULL;
    }
    w->policy = policy;
    w->nroles = code->nroles;
    w->lanes = w->batch->lanes;
    w->words = w->batch->words;
    w->records = records;
    w->over = over;
    w->data = data;
    w->limits.steps = UINT32_MAX / 2;
    w->soonest = UINT32_MAX;
    w->end = &w->first;
    if (setup(w, code, seed)) return w;
    wires_free(w);
    return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
}

void wires_free(struct wires *w)
{
    if (!w) return;
    orders_done(&w->orders);
    history_done(&w->history);
    batch_free(w->batch);
    free(w->group);
    free(w->began);
    free(w->until);
    free(w->ended);
    free(w->goals);
    free(w->moves);
    free(w->last);
    free(w->wires);
    free(w);
}

void wires_limit(struct wires *w, const struct wires_limits *limits)
{
    w->limits = *limits;
}

uint32_t wires_lanes(const struct wires *w)
{
    return w->lanes;
}

uint32_t wires_waiting(const struct wires *w)
{
    return w->waiting;
}

uint32_t wires_playing(const struct wires *w)
{
    return w->playing;
}

void wires_clear(struct wires *w)
{
    w->first = NULL;
    w->end = &w->first;
    w->waiting = w->playing = w->nparked = 0;
    memset(w->busy, 0, sizeof w->busy);
    memset(w->fresh, 0, sizeof w->fresh);
    memset(w->parked, 0, sizeof w->parked);
    memset(w->batch->parked, 0, sizeof w->batch->parked);
}

bool wires_moves(struct wires *w, const struct wires_playout *p, const uint32_t **moves,
                 const uint8_t **forced)
{
    if (!w->records || !history_read(&w->history, p->lane, p->began, p->ended, w->now)) return false;
    *moves = w->history.out;
    *forced = w->history.forced;
    return true;
}

void wires_learned(struct wires *w, const uint32_t *moves, const uint8_t *forced, uint32_t steps)
{
    for (uint32_t t = 1; t < steps; t++)
        for (uint32_t r = 0; r < w->nroles; r++) {
            size_t at = (size_t)t * w->nroles + r;
            uint32_t last = moves[at - r - w->nroles + role_before(r, w->nroles)];
            orders_replied(&w->orders, r, last);
            if (!forced[at]) orders_learned(&w->orders, r, last, moves[at]);
        }
}

/* --- Beginning ------------------------------------------------------------------------------------------ */

static uint32_t turn_of(const struct wires *w, const uint64_t *state)
{
    for (uint32_t t = 0; t < w->turns && w->turns > 1; t++)
        if (batch_in_turn(w->batch, state, t)) return t;
    return BATCH_ANY_TURN;
}

void wires_put(struct wires *w, struct wires_group *g)
{
    g->turn = turn_of(w, g->state);
    g->begun = g->over = 0;
    g->next = NULL;
    *w->end = g;
    w->end = &g->next;
    w->waiting += g->wanted;
}

static void begin_lane(struct wires *w, struct wires_group *g, uint32_t lane)
{
    uint32_t most = w->limits.steps;
    if (w->limits.cut && w->limits.cut < most) most = w->limits.cut;
    w->group[lane] = g;
    w->began[lane] = w->now + 1 + (g->moves != NULL);
    w->until[lane] = w->began[lane] + most;
    if (w->until[lane] < w->soonest) w->soonest = w->until[lane];
}

static uint32_t first_of(const uint64_t *mask)
{
    uint32_t i = 0;
    while (!mask[i]) i++;
    return i * 64 + (uint32_t)__builtin_ctzll(mask[i]);
}

/* Free lanes get playouts of a group that is waiting; false: there are too few of them. */
static bool begin_group(struct wires *w, struct wires_group *g)
{
    uint64_t mask[BATCH_MAX_WORDS] = {0};
    uint32_t n = 0, left = g->wanted - g->begun;
    for (uint32_t i = 0; i < w->words && n < left; i++)
        for (uint64_t idle = ~w->busy[i]; idle && n < left; idle &= idle - 1, n++) {
            mask[i] |= idle & -idle;
            begin_lane(w, g, i * 64 + (uint32_t)__builtin_ctzll(idle));
        }
    if (n == 0) return false;
    if (g->begun == 0) g->lane = first_of(mask);
    batch_restart_from(w->batch, mask, g->state);
    for (uint32_t i = 0; i < w->words; i++) {
        w->busy[i] |= mask[i];
        if (g->moves) w->fresh[i] |= mask[i];
    }
    g->begun += n;
    w->waiting -= n;
    w->playing += n;
    return g->begun == g->wanted;
}

/* The turn that lanes under way are in after this step, and those that begin should be in, too. */
static uint32_t turn_to_come(const struct wires *w)
{
    if (!any(w, w->busy)) return w->first ? w->first->turn : BATCH_ANY_TURN;
    uint32_t turn = batch_turn(w->batch);
    return turn == BATCH_ANY_TURN ? turn : (turn + 1) % w->turns;
}

/* What is waiting begins, group by group, where there are lanes and it is its turn. */
static void begin(struct wires *w)
{
    uint32_t turn = turn_to_come(w);
    for (struct wires_group **at = &w->first; *at;) {
        struct wires_group *g = *at;
        if (turn != BATCH_ANY_TURN && g->turn != BATCH_ANY_TURN && g->turn != turn) {
            at = &g->next;
            continue;
        }
        if (!begin_group(w, g)) return;
        *at = g->next;
        if (!*at) w->end = at;
    }
}

/* --- Choosing ------------------------------------------------------------------------------------------- */

/* Those that have just begun make their first moves, group by group. */
static void give_first_moves(struct wires *w, uint32_t role, uint64_t *does)
{
    for (uint32_t i = 0; i < w->words && does; i++)
        for (uint64_t left = w->fresh[i]; left; left &= left - 1) {
            uint32_t lane = i * 64 + (uint32_t)__builtin_ctzll(left);
            does[(size_t)w->group[lane]->moves[role] * w->words + i] |= left & -left;
        }
}

/* Lanes that have a good reply do not explore; for a role that has no choice nothing is one. */
static void keep_replies(struct wires *w, uint64_t *explore)
{
    uint64_t open[BATCH_MAX_WORDS], left[BATCH_MAX_WORDS];
    for (uint32_t r = 0; r < w->nroles; r++) {
        for (uint32_t i = 0; i < w->words; i++) left[i] = open[i] = explore[i] & w->many[r][i];
        if (!any(w, open)) continue;
        orders_reply(&w->orders, r, batch_legal_wires(w->batch, r), NULL, before(w, r), left);
        for (uint32_t i = 0; i < w->words; i++) explore[i] &= ~(open[i] & ~left[i]);
    }
}

static void choose_role(struct wires *w, uint32_t role, const uint64_t *lanes, const uint64_t *greedy)
{
    struct batch *b = w->batch;
    uint64_t open[BATCH_MAX_WORDS], *does = batch_move_wires(b, role);
    const uint64_t *legal = batch_legal_wires(b, role), *many = w->many[role];
    if (!does) return;
    give_first_moves(w, role, does);
    for (uint32_t i = 0; i < w->words; i++) open[i] = lanes[i] & ~many[i];
    w->orders.weave->only(legal, does, b->code->roles[role].n, open);
    for (uint32_t i = 0; i < w->words; i++) open[i] = many[i] & greedy[i];
    orders_reply(&w->orders, role, legal, does, before(w, role), open);
    orders_choose(&w->orders, role, legal, does, before(w, role), open);
}

static void record_role(struct wires *w, uint32_t role)
{
    uint32_t move;
    if (batch_forced(w->batch, role, &move)) {
        history_fill(&w->history, w->now, role, move);
        return;
    }
    batch_moves(w->batch, role, w->moves);
    history_write(&w->history, w->now, role, w->moves, w->many[role]);
}

/* Which lanes have a choice, and by what they make it. */
static void look_at_role(struct wires *w, uint32_t role, const uint64_t *lanes, bool guided)
{
    uint32_t move;
    const uint64_t *legal = batch_legal_wires(w->batch, role);
    memset(w->many[role], 0, sizeof w->many[role]);
    if (batch_forced(w->batch, role, &move)) return;
    w->orders.weave->many(legal, w->batch->code->roles[role].n, lanes, w->many[role]);
    if (guided) orders_tend(&w->orders, role, legal, lanes, w->now);
}

/* Some lanes explore, by uniform choice; the others are greedy. All explore before anything was learned. */
static void choose(struct wires *w)
{
    struct batch *b = w->batch;
    uint64_t lanes[BATCH_MAX_WORDS], explore[BATCH_MAX_WORDS] = {0}, greedy[BATCH_MAX_WORDS];
    bool guided = w->guided && orders_ready(&w->orders);
    for (uint32_t i = 0; i < w->words; i++) lanes[i] = w->busy[i] & ~w->fresh[i];
    for (uint32_t r = 0; r < w->nroles && (guided || w->records); r++) look_at_role(w, r, lanes, guided);
    if (!guided || !w->policy->values)
        memset(explore, 0xff, sizeof explore);
    else if (w->policy->sampler.kind == SAMPLE_GREEDY)
        batch_toss(b, (double)w->policy->sampler.epsilon, explore);
    for (uint32_t i = 0; i < w->words; i++) explore[i] &= lanes[i];
    if (guided && w->policy->lgr) keep_replies(w, explore);
    for (uint32_t i = 0; i < w->words; i++) greedy[i] = lanes[i] & ~explore[i];
    if (any(w, explore)) batch_choose(b, explore);
    if (guided)
        for (uint32_t r = 0; r < w->nroles; r++) choose_role(w, r, lanes, greedy);
    else
        for (uint32_t r = 0; r < w->nroles && any(w, w->fresh); r++)
            give_first_moves(w, r, batch_move_wires(b, r));
    for (uint32_t r = 0; r < w->nroles && w->records; r++) record_role(w, r);
    memset(w->fresh, 0, sizeof w->fresh);
}

/* What was played becomes what was played last. */
static void remember(struct wires *w)
{
    for (uint32_t r = 0; r < w->nroles; r++)
        memcpy(w->last[r], batch_made_wires(w->batch, r), (size_t)w->batch->code->roles[r].n * w->words * 8);
}

/* --- Ending --------------------------------------------------------------------------------------------- */

static void tell(struct wires *w, uint32_t lane, const struct ended *e, const float *reward)
{
    struct wires_playout p = {.group = e->group,
                              .reward = reward,
                              .steps = e->ended - e->began,
                              .cut = e->cut,
                              .lane = lane,
                              .began = e->began,
                              .ended = e->ended};
    w->playing--;
    e->group->over++;
    w->over(w->data, &p);
}

static void collect(struct wires *w)
{
    uint64_t mask[BATCH_MAX_WORDS];
    float reward[MAX_ROLES];
    if (w->nparked == 0) return;
    batch_collect_goals(w->batch, w->goals, mask);
    w->nparked = 0;
    FOR_BITS(w, i, mask)
    {
        const int16_t *goals = w->goals + (size_t)i * w->nroles;
        for (uint32_t r = 0; r < w->nroles; r++)
            reward[r] = goals[r] != BATCH_GOAL_UNDEFINED ? goals[r] : w->ended[i].cut ? 50 : 0;
        tell(w, i, &w->ended[i], reward);
    }
}

/* Lanes that have ended, or been broken off with the goals of where they are. */
static void park(struct wires *w, const uint64_t *mask, bool cut)
{
    bool twice = false;
    for (uint32_t i = 0; i < w->words; i++) twice |= (mask[i] & w->batch->parked[i]) != 0;
    if (twice) collect(w);
    FOR_BITS(w, i, mask)
    {
        w->ended[i] = (struct ended){w->group[i], w->began[i], w->now + 1, cut};
        w->nparked++;
    }
    batch_park(w->batch, mask);
    for (uint32_t i = 0; i < w->words; i++) w->busy[i] &= ~mask[i];
}

static void draw(struct wires *w, uint32_t lane)
{
    float reward[MAX_ROLES];
    struct ended e = {w->group[lane], w->began[lane], w->now + 1, true};
    for (uint32_t r = 0; r < w->nroles; r++) reward[r] = 50;
    w->busy[lane / 64] &= ~((uint64_t)1 << lane % 64);
    tell(w, lane, &e, reward);
}

static bool is_fresh(const struct wires *w, uint32_t lane)
{
    return w->fresh[lane / 64] >> lane % 64 & 1;
}

/* Playouts that have gone on for too long. */
static void break_off(struct wires *w)
{
    uint64_t late[BATCH_MAX_WORDS] = {0};
    if (w->now + 1 < w->soonest) return;
    w->soonest = UINT32_MAX;
    FOR_BITS(w, i, w->busy)
    {
        late[i / 64] |= (uint64_t)(w->now + 1 >= w->until[i] && !is_fresh(w, i)) << i % 64;
        if (w->until[i] < w->soonest && w->until[i] > w->now + 1) w->soonest = w->until[i];
    }
    if (!any(w, late)) return;
    if (w->limits.cut && w->limits.cut_by_goal) {
        park(w, late, true);
        return;
    }
    FOR_BITS(w, i, late) draw(w, i);
}

void wires_round(struct wires *w)
{
    w->now++;
    if (w->records) history_begin(&w->history, w->now);
    choose(w);
    if (w->orders.roles[0].rankings) remember(w);
    batch_step(w->batch);
    begin(w);
    if (w->turns > 1)
        batch_view_lanes(w->batch, w->busy);
    else
        batch_view(w->batch);
    uint64_t ended[BATCH_MAX_WORDS] = {0};
    for (uint32_t i = 0; i < w->words; i++) ended[i] = w->busy[i] & w->batch->terminal[i];
    if (any(w, ended)) park(w, ended, false);
    break_off(w);
    /* what has ended must not wait long to be learned from: where few play, few are waited for */
    if (w->nparked * 8 > w->playing || !any(w, w->busy)) collect(w);
}
