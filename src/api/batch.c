// SPDX-License-Identifier: GPL-3.0-or-later
/* All parts of a batch, and the arrays in which callers see them. */
#include "api/batch_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the team is to do now. */
struct task {
    struct ludens_batch *b;
    const int32_t *actions;
    bool joint;
    uint32_t role;
    uint8_t *rows;
    uint32_t *counts;
    const uint64_t *packed;
    uint64_t sweeps;
    const atomic_bool *stop;
    struct batch_tally *tallies;
    double *sums;
    struct fault {
        enum lanes_fault kind;
        uint32_t lane, role;
    } * faults;
};

/* --- Life ----------------------------------------------------------------------------------------------- */

static bool set_rules(struct ludens_batch *b, const struct ludens_batch_options *o, struct error *error)
{
    struct lanes_rules *r = &b->rules;
    r->nroles = r->code->nroles;
    r->keep = o->keep;
    r->max_steps = o->max_steps;
    r->idle = calloc(r->nroles, sizeof *r->idle);
    bool good = r->idle != NULL;
    for (uint32_t i = 0; i < r->nroles && good; i++) {
        uint32_t moves = r->code->roles[i].n;
        if (moves > r->actions) r->actions = moves;
        good = (r->idle[i] = calloc(moves + 1, sizeof **r->idle)) != NULL;
    }
    uint32_t n = r->code->nbits > r->actions ? r->code->nbits : r->actions;
    r->order = calloc(n + 1, sizeof *r->order);
    if (!good || !r->order) return error_set(error, ERROR_MEMORY, "there is no memory left");
    for (uint32_t i = 0; i < n; i++) r->order[i] = i;
    return lanes_find_idle(r, error);
}

static void forget_goals(struct ludens_batch *b, uint32_t lane)
{
    for (uint32_t r = 0; r < b->rules.nroles; r++) {
        b->goals.goals[(size_t)r * b->stride + lane] = LUDENS_NO_GOAL;
        b->goals.rewards[(size_t)r * b->stride + lane] = 0;
    }
}

static bool set_up(struct ludens_batch *b, const struct ludens_batch_options *o, struct error *error)
{
    uint32_t widths[4], width = widths[batch_widths(widths) - 1];
    uint32_t threads = o->threads ? o->threads : (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (!set_rules(b, o, error)) return false;
    b->lanes = o->lanes;
    if (o->device == LUDENS_GPU) return batch_gpu_open(b, o, error);
    b->stride = (b->lanes + 63) / 64 * 64;
    uint32_t nparts = (b->lanes + width - 1) / width;
    b->parts = calloc(nparts, sizeof *b->parts);
    b->players = calloc(b->stride, 1);
    b->ended = calloc(b->stride, 1);
    b->goals.stride = b->stride;
    b->goals.goals = malloc((size_t)b->stride * b->rules.nroles * sizeof *b->goals.goals);
    b->goals.rewards = malloc((size_t)b->stride * b->rules.nroles * sizeof *b->goals.rewards);
    b->legal = calloc(b->rules.nroles + 1, sizeof *b->legal);
    b->counts = calloc(b->rules.nroles + 1, sizeof *b->counts);
    if (!b->parts || !b->players || !b->ended || !b->goals.goals || !b->goals.rewards || !b->legal ||
        !b->counts)
        return error_set(error, ERROR_MEMORY, "there is no memory left");
    for (uint32_t lane = 0; lane < b->stride; lane++) forget_goals(b, lane);
    for (; b->nparts < nparts; b->nparts++) {
        uint32_t first = b->nparts * width, n = b->lanes - first < width ? b->lanes - first : width;
        if (!lanes_init(&b->parts[b->nparts], &b->rules, first, n, o->seed, error))
            return lanes_done(&b->parts[b->nparts]), false;
    }
    b->team = team_new(threads < nparts ? threads : nparts);
    return b->team || error_set(error, ERROR_SYSTEM, "no more threads");
}

struct ludens_batch *ludens_batch_new(struct ludens_game *game, const struct ludens_batch_options *options,
                                      struct ludens_error *error)
{
    struct error inside = {0};
    if (options->lanes < 1 || options->lanes > LUDENS_MAX_LANES)
        return refuse(error, ERROR_INPUT, "a batch has 1 to %u lanes, not %u", LUDENS_MAX_LANES,
                      options->lanes),
               NULL;
    if (game->game->nroles > sizeof((struct ludens_batch_tally *)0)->goals / sizeof(double))
        return refuse(error, ERROR_INPUT, "%s has too many roles for a batch", game->game->name), NULL;
    if (options->device != LUDENS_PROCESSOR && options->device != LUDENS_GPU)
        return refuse(error, ERROR_INPUT, "there is no device %d", (int)options->device), NULL;
    const struct code *code = game_code(game, error);
    struct ludens_batch *b = code ? calloc(1, sizeof *b) : NULL;
    if (!b) return code ? no_memory(error) : false, NULL;
    b->game = game;
    b->rules.code = code;
    if (set_up(b, options, &inside)) return b;
    ludens_batch_free(b);
    tell(error, &inside);
    return NULL;
}

void ludens_batch_free(struct ludens_batch *b)
{
    if (!b) return;
    batch_gpu_close(b);
    team_free(b->team);
    for (uint32_t i = 0; i < b->nparts; i++) lanes_done(&b->parts[i]);
    for (uint32_t r = 0; b->rules.idle && r < b->rules.nroles; r++) free(b->rules.idle[r]);
    for (uint32_t r = 0; b->legal && r <= b->rules.nroles; r++) free(b->legal[r]);
    for (uint32_t r = 0; b->counts && r <= b->rules.nroles; r++) free(b->counts[r]);
    free(b->rules.idle);
    free(b->rules.order);
    free(b->parts);
    free(b->players);
    free(b->ended);
    free(b->goals.goals);
    free(b->goals.rewards);
    free(b->legal);
    free(b->counts);
    free(b->states);
    free(b->packed);
    free(b->planes);
    free(b);
}

enum ludens_device ludens_batch_device(const struct ludens_batch *batch)
{
    return batch->there ? LUDENS_GPU : LUDENS_PROCESSOR;
}

bool ludens_batch_failure(const struct ludens_batch *batch, struct ludens_error *error)
{
    if (!batch->failure.code) return false;
    tell(error, &batch->failure);
    return true;
}

bool ludens_batch_copy(struct ludens_batch *batch, const void *array, size_t bytes, void *to,
                       struct ludens_error *error)
{
    if (batch->there) return batch_gpu_copy(batch, array, bytes, to, error);
    memcpy(to, array, bytes);
    return true;
}

uint32_t ludens_batch_lanes(const struct ludens_batch *batch)
{
    return batch->lanes;
}

uint32_t ludens_batch_stride(const struct ludens_batch *batch)
{
    return batch->stride;
}

uint32_t ludens_batch_threads(const struct ludens_batch *batch)
{
    return batch->there ? 1 : team_size(batch->team);
}

uint32_t ludens_batch_moves(const struct ludens_batch *batch, uint32_t role)
{
    return role < batch->rules.nroles ? batch->rules.code->roles[role].n : 0;
}

uint32_t ludens_batch_actions(const struct ludens_batch *batch)
{
    return batch->rules.actions;
}

static void team_do(struct task *t, void (*work)(void *data, uint32_t piece))
{
    team_work(t->b->team, t->b->nparts, work, t);
}

void ludens_batch_reset(struct ludens_batch *batch, const uint8_t *which)
{
    if (batch->there) batch_gpu_reset(batch, which);
    for (uint32_t i = 0; i < batch->nparts; i++) {
        struct lanes *g = &batch->parts[i];
        uint64_t mask[BATCH_MAX_WORDS] = {0};
        for (uint32_t lane = 0; lane < g->n; lane++) {
            if (which && !which[g->first + lane]) continue;
            mask[lane / 64] |= 1ull << lane % 64;
            forget_goals(batch, g->first + lane);
        }
        lanes_restart(g, mask);
    }
}

void ludens_batch_seed(struct ludens_batch *batch, uint64_t seed)
{
    if (batch->there) gpu_lanes_seed(batch->there, seed);
    for (uint32_t i = 0; i < batch->nparts; i++)
        batch_seed_part(batch->parts[i].b, seed, batch->parts[i].first / 64);
}

/* --- Looking -------------------------------------------------------------------------------------------- */

static void do_players(void *data, uint32_t piece)
{
    struct task *t = data;
    lanes_players(&t->b->parts[piece], t->b->players);
}

const uint8_t *ludens_batch_player(struct ludens_batch *batch)
{
    struct task t = {.b = batch};
    if (batch->there) return batch_gpu_array(batch, GPU_ARRAY_PLAYER, 0, NULL);
    team_do(&t, do_players);
    return batch->players;
}

static void do_legal(void *data, uint32_t piece)
{
    struct task *t = data;
    lanes_legal(&t->b->parts[piece], t->role, t->rows, t->b->stride, t->counts);
}

/* Where the array of a role or the players is. */
static bool find_array(const struct ludens_batch *b, uint32_t role, uint32_t *at, struct ludens_error *error)
{
    *at = role == LUDENS_PLAYER ? b->rules.nroles : role;
    return *at <= b->rules.nroles && (role == LUDENS_PLAYER || role < b->rules.nroles)
               ? true
               : refuse(error, ERROR_INPUT, "there is no role %u: this game has %u, counted from 0", role,
                        b->rules.nroles);
}

const uint8_t *ludens_batch_legal(struct ludens_batch *batch, uint32_t role, struct ludens_error *error)
{
    uint32_t at;
    if (!find_array(batch, role, &at, error)) return NULL;
    if (batch->there) return batch_gpu_array(batch, GPU_ARRAY_LEGAL, at, error);
    size_t rows = role == LUDENS_PLAYER ? batch->rules.actions : batch->rules.code->roles[role].n;
    if (!batch->legal[at]) batch->legal[at] = malloc(rows * batch->stride + 1);
    if (!batch->legal[at]) return no_memory(error), NULL;
    struct task t = {.b = batch, .role = role, .rows = batch->legal[at]};
    team_do(&t, do_legal);
    return batch->legal[at];
}

const uint32_t *ludens_batch_counts(struct ludens_batch *batch, uint32_t role, struct ludens_error *error)
{
    uint32_t at;
    if (!find_array(batch, role, &at, error)) return NULL;
    if (batch->there) return batch_gpu_array(batch, GPU_ARRAY_COUNTS, at, error);
    if (!batch->counts[at]) batch->counts[at] = malloc(batch->stride * sizeof **batch->counts);
    if (!batch->counts[at]) return no_memory(error), NULL;
    struct task t = {.b = batch, .role = role, .counts = batch->counts[at]};
    team_do(&t, do_legal);
    return batch->counts[at];
}

uint32_t ludens_batch_planes(const struct ludens_batch *batch)
{
    return batch->rules.code->nbits;
}

uint32_t ludens_batch_plane_fact(const struct ludens_batch *batch, uint32_t plane, bool *opposite)
{
    const struct circuit *c = batch->rules.code->circuit;
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < c->nfacts && plane < c->nbits; i++) {
        if (c->fact_edge[i] >> 1 != wire_bit(c, plane)) continue;
        *opposite = c->fact_edge[i] & 1;
        found = i;
        if (!*opposite) break;
    }
    return found;
}

static void do_states(void *data, uint32_t piece)
{
    struct task *t = data;
    const struct lanes *g = &t->b->parts[piece];
    const uint64_t *wires = batch_state_wires(g->b);
    for (uint32_t i = 0; i < t->b->rules.code->nbits; i++, wires += g->b->words)
        lanes_spread(wires, (g->n + 63) / 64, t->b->states + (size_t)i * t->b->stride + g->first);
}

const uint8_t *ludens_batch_states(struct ludens_batch *batch)
{
    struct task t = {.b = batch};
    if (batch->there) return batch_gpu_array(batch, GPU_ARRAY_STATES, 0, NULL);
    if (!batch->states) batch->states = malloc((size_t)batch->rules.code->nbits * batch->stride + 1);
    if (batch->states) team_do(&t, do_states);
    return batch->states;
}

static void do_packed(void *data, uint32_t piece)
{
    struct task *t = data;
    const struct lanes *g = &t->b->parts[piece];
    batch_get_states(g->b, g->n, t->b->packed + (size_t)g->first * g->b->state_words);
}

const uint64_t *ludens_batch_packed(struct ludens_batch *batch)
{
    struct task t = {.b = batch};
    if (batch->there) return batch_gpu_array(batch, GPU_ARRAY_PACKED, 0, NULL);
    size_t words = (batch->rules.code->nbits + 63) / 64;
    if (!batch->packed) batch->packed = malloc((words * batch->stride + 1) * 8);
    if (batch->packed) team_do(&t, do_packed);
    return batch->packed;
}

static void do_load(void *data, uint32_t piece)
{
    struct task *t = data;
    struct lanes *g = &t->b->parts[piece];
    lanes_load(g, t->packed + (size_t)g->first * g->b->state_words);
}

void ludens_batch_load(struct ludens_batch *batch, const uint64_t *packed)
{
    struct task t = {.b = batch, .packed = packed};
    if (batch->there) {
        batch_gpu_load(batch, packed);
        return;
    }
    team_do(&t, do_load);
    for (uint32_t lane = 0; lane < batch->lanes; lane++) forget_goals(batch, lane);
}

static void do_planes(void *data, uint32_t piece)
{
    struct task *t = data;
    const struct lanes *g = &t->b->parts[piece];
    const uint64_t *wires = batch_state_wires(g->b);
    size_t words = t->b->stride / 64;
    for (uint32_t i = 0; i < t->b->rules.code->nbits; i++, wires += g->b->words)
        memcpy(t->b->planes + i * words + g->first / 64, wires, (g->n + 63) / 64 * 8);
}

const uint64_t *ludens_batch_bit_planes(struct ludens_batch *batch)
{
    struct task t = {.b = batch};
    if (batch->there) return batch_gpu_array(batch, GPU_ARRAY_PLANES, 0, NULL);
    if (!batch->planes) batch->planes = malloc((size_t)batch->rules.code->nbits * batch->stride / 8 + 8);
    if (batch->planes) team_do(&t, do_planes);
    return batch->planes;
}

/* --- One lane ------------------------------------------------------------------------------------------- */

static struct lanes *part_of(const struct ludens_batch *b, uint32_t lane)
{
    return &b->parts[lane / b->parts[0].b->lanes];
}

static bool fits(const struct ludens_batch *b, const struct ludens_engine *e, uint32_t lane,
                 struct ludens_error *error)
{
    const struct code *code = reasoner_code(e->reasoner);
    if (lane >= b->lanes) return refuse(error, ERROR_INPUT, "there is no lane %u of %u", lane, b->lanes);
    return (code && code->circuit == b->rules.code->circuit) ||
           refuse(error, ERROR_INPUT, "a batch takes states of engines on the circuit of %s alone",
                  b->game->game->name);
}

bool ludens_batch_put(struct ludens_batch *batch, uint32_t lane, const struct ludens_state *state,
                      struct ludens_error *error)
{
    bool over;
    if (!fits(batch, state->engine, lane, error)) return false;
    if (!ludens_state_terminal(state, &over, error)) return false;
    if (over) return refuse(error, ERROR_INPUT, "the game is over in this state");
    if (batch->there) return batch_gpu_put(batch, lane, state->state.w, error);
    struct lanes *g = part_of(batch, lane);
    uint64_t mask[BATCH_MAX_WORDS] = {0};
    uint32_t at = lane - g->first;
    mask[at / 64] = 1ull << at % 64;
    lanes_restart(g, mask);
    batch_set_state(g->b, at, state->state.w);
    forget_goals(batch, lane);
    return true;
}

struct ludens_state *ludens_batch_get(struct ludens_batch *batch, uint32_t lane, struct ludens_engine *engine,
                                      struct ludens_error *error)
{
    struct ludens_state *s = fits(batch, engine, lane, error) ? state_wrap(engine, error) : NULL;
    if (!s) return NULL;
    uint32_t words = (batch->rules.code->nbits + 63) / 64;
    bool good = state_reserve(&s->state, words) || no_memory(error);
    s->state.words = words;
    if (good && batch->there) {
        good = batch_gpu_get(batch, lane, s->state.w, error);
    } else if (good) {
        struct lanes *g = part_of(batch, lane);
        batch_get_state(g->b, lane - g->first, s->state.w);
    }
    if (good) return s;
    ludens_state_free(s);
    return NULL;
}

/* --- Moving --------------------------------------------------------------------------------------------- */

static const int32_t *part_actions(const struct task *t, uint32_t piece)
{
    size_t each = t->joint ? t->b->rules.nroles : 1;
    return t->actions ? t->actions + t->b->parts[piece].first * each : NULL;
}

static void do_check(void *data, uint32_t piece)
{
    struct task *t = data;
    struct fault *f = &t->faults[piece];
    f->kind = lanes_check(&t->b->parts[piece], part_actions(t, piece), t->joint, &f->lane, &f->role);
}

static void do_step(void *data, uint32_t piece)
{
    struct task *t = data;
    lanes_step(&t->b->parts[piece], part_actions(t, piece), t->joint, &t->b->goals);
}

bool batch_tell_fault(const struct ludens_batch *b, enum lanes_fault kind, uint32_t lane, uint32_t role,
                      int32_t move, struct ludens_error *error)
{
    const struct game *game = b->game->game;
    if (kind == LANES_STUCK)
        return refuse(error, ERROR_INPUT, "lane %u: a role of %s has no legal move", lane, game->name);
    if (kind == LANES_CROWDED)
        return refuse(error, ERROR_INPUT, "lane %u: several roles choose here; give joint moves", lane);
    return refuse(error, ERROR_INPUT, "lane %u: move %d is not legal for %s", lane, move,
                  game->role_names[role]);
}

static bool tell_fault(const struct task *t, uint32_t piece, struct ludens_error *error)
{
    const struct fault *f = &t->faults[piece];
    uint32_t lane = t->b->parts[piece].first + f->lane;
    size_t at = t->joint ? (size_t)lane * t->b->rules.nroles + f->role : lane;
    return batch_tell_fault(t->b, f->kind, lane, f->role, t->actions ? t->actions[at] : 0, error);
}

static bool step(struct task *t, struct ludens_error *error)
{
    struct fault few[16], *many = NULL;
    bool good = true;
    if (t->b->there) return batch_gpu_step(t->b, t->actions, t->joint, error);
    t->faults = few;
    if (t->b->nparts > sizeof few / sizeof *few) t->faults = many = calloc(t->b->nparts, sizeof *many);
    if (!t->faults) return no_memory(error);
    team_do(t, do_check);
    for (uint32_t i = 0; i < t->b->nparts && good; i++)
        if (t->faults[i].kind != LANES_FINE) good = tell_fault(t, i, error);
    if (good) team_do(t, do_step);
    free(many);
    return good;
}

bool ludens_batch_step(struct ludens_batch *batch, const int32_t *actions, struct ludens_error *error)
{
    return step(&(struct task){.b = batch, .actions = actions}, error);
}

bool ludens_batch_step_joint(struct ludens_batch *batch, const int32_t *joint, struct ludens_error *error)
{
    return step(&(struct task){.b = batch, .actions = joint, .joint = true}, error);
}

const uint8_t *ludens_batch_ended(struct ludens_batch *batch)
{
    if (batch->there) return batch_gpu_array(batch, GPU_ARRAY_ENDED, 0, NULL);
    for (uint32_t i = 0; i < batch->nparts; i++) lanes_ended(&batch->parts[i], batch->ended);
    return batch->ended;
}

const int16_t *ludens_batch_goals(struct ludens_batch *batch)
{
    return batch->there ? batch_gpu_array(batch, GPU_ARRAY_GOALS, 0, NULL) : batch->goals.goals;
}

const float *ludens_batch_rewards(struct ludens_batch *batch)
{
    return batch->there ? batch_gpu_array(batch, GPU_ARRAY_REWARDS, 0, NULL) : batch->goals.rewards;
}

static void do_play(void *data, uint32_t piece)
{
    struct task *t = data;
    lanes_play(&t->b->parts[piece], t->sweeps, t->stop, &t->tallies[piece]);
}

bool ludens_batch_play(struct ludens_batch *batch, uint64_t sweeps, const struct ludens_stop *stop,
                       struct ludens_batch_tally *tally, struct ludens_error *error)
{
    uint32_t nroles = batch->rules.nroles;
    struct task t = {.b = batch, .sweeps = sweeps, .stop = stop_flag(stop)};
    if (batch->there) return batch_gpu_play(batch, sweeps, t.stop, tally, error);
    t.tallies = calloc(batch->nparts, sizeof *t.tallies);
    t.sums = calloc((size_t)batch->nparts * nroles, sizeof *t.sums);
    bool good = (t.tallies && t.sums) || no_memory(error);
    for (uint32_t i = 0; i < batch->nparts && good; i++) t.tallies[i].goal_sum = t.sums + (size_t)i * nroles;
    if (good) team_do(&t, do_play);
    memset(tally, 0, sizeof *tally);
    for (uint32_t i = 0; i < batch->nparts && good; i++) {
        tally->games += t.tallies[i].games;
        tally->steps += t.tallies[i].transitions;
        tally->undefined += t.tallies[i].undefined_goals;
        for (uint32_t r = 0; r < nroles; r++) tally->goals[r] += t.sums[(size_t)i * nroles + r];
    }
    for (uint32_t lane = 0; lane < batch->stride; lane++) forget_goals(batch, lane);
    free(t.tallies);
    free(t.sums);
    return good;
}
