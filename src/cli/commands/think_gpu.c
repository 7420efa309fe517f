// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/think_gpu.h"

#include "base/clock.h"
#include "base/rng.h"
#include "base/text.h"
#include "gpu/play.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_REPLIES 64  /* of the others at once to one move */
#define MOST_ROOTS 16384 /* moves times replies */
#define MOST_STEPS 10000 /* of a game: longer ones are given up */

/* The positions after each move, for each of some replies: all there are, or as many drawn at random, the
 * same for every move. Position i is after move i % moves and reply i / moves. */
struct roots {
    struct list moves;
    uint32_t nreplies, words;
    uint64_t *states;
};

struct verdict {
    uint32_t move;
    uint64_t games;
    double mean, margin;
};

static void roots_done(struct roots *roots)
{
    list_done(&roots->moves);
    free(roots->states);
}

/* What the others do in reply k of n; numbered if these are all there are. */
static void set_reply(const struct list *legal, uint32_t nroles, uint32_t role, uint32_t k, bool all,
                      struct rng *rng, uint32_t *joint)
{
    for (uint32_t r = 0; r < nroles; r++) {
        if (r == role) continue;
        joint[r] = legal[r].v[all ? k % legal[r].n : rng_below(rng, legal[r].n)];
        k /= legal[r].n;
    }
}

static bool find_positions(struct reasoner *r, const struct state *state, uint32_t role,
                           const struct list *legal, uint64_t combinations, uint64_t seed,
                           struct roots *roots)
{
    uint32_t nroles = r->game->nroles, n = roots->moves.n;
    uint32_t *joint = calloc(nroles, sizeof *joint);
    struct state next = {0};
    struct rng rng;
    rng_init(&rng, seed);
    bool good = joint;
    for (uint32_t k = 0; good && k < roots->nreplies; k++) {
        set_reply(legal, nroles, role, k, combinations <= roots->nreplies, &rng, joint);
        for (uint32_t m = 0; good && m < n; m++) {
            joint[role] = roots->moves.v[m];
            good = r->ops->next(r, state, joint, &next);
            if (good)
                memcpy(roots->states + (size_t)(k * n + m) * roots->words, next.w,
                       roots->words * sizeof *next.w);
        }
    }
    state_done(&next);
    free(joint);
    return good;
}

static bool find_roots(struct reasoner *r, const struct state *state, uint32_t role, uint64_t seed,
                       struct roots *roots, struct error *error)
{
    uint32_t nroles = r->game->nroles;
    struct list *legal = calloc(nroles, sizeof *legal);
    uint64_t combinations = 1;
    bool good = legal;
    for (uint32_t k = 0; good && k < nroles; k++) {
        good = r->ops->legal(r, state, k, &legal[k]);
        if (good && legal[k].n == 0)
            good = error_set(&r->error, ERROR_INPUT, "a role has no legal move here");
        if (good && k != role && combinations <= MOST_REPLIES) combinations *= legal[k].n;
    }
    if (good) {
        roots->moves = legal[role];
        legal[role] = (struct list){0};
        roots->words = state->words;
        roots->nreplies = combinations < MOST_REPLIES ? (uint32_t)combinations : MOST_REPLIES;
        while (roots->nreplies > 1 && (uint64_t)roots->nreplies * roots->moves.n > MOST_ROOTS)
            roots->nreplies--;
        roots->states =
            calloc((size_t)roots->nreplies * roots->moves.n, roots->words * sizeof *roots->states);
        good = roots->states && find_positions(r, state, role, legal, combinations, seed, roots);
    }
    if (!good) r->error.code ? (void)(*error = r->error) : (void)error_set(error, ERROR_MEMORY, "no memory");
    for (uint32_t k = 0; legal && k < nroles; k++) list_done(&legal[k]);
    free(legal);
    return good;
}

/* The mean of all replies alike, however many games each got. */
static struct verdict judge(const struct circuit *c, const struct roots *roots, uint32_t m, uint32_t role,
                            const uint64_t *sums)
{
    struct verdict v = {.move = roots->moves.v[m]};
    double variance = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < roots->nreplies; k++) {
        const uint64_t *s = sums + (size_t)(k * roots->moves.n + m) * gpu_counters(c);
        double games = 0, sum = 0, squares = 0;
        for (uint32_t i = 0; i < c->goals.n; i++) {
            if (c->goals.v[i].role != role) continue;
            double value = c->goals.v[i].value, count = (double)s[GPU_GOALS + i];
            games += count;
            sum += count * value;
            squares += count * value * value;
        }
        v.games += s[GPU_GAMES];
        if (games < 2) continue;
        v.mean += sum / games;
        variance += (squares - sum * sum / games) / (games - 1) / games;
        n++;
    }
    v.mean = n ? v.mean / n : NAN;
    v.margin = n ? 1.96 * sqrt(fmax(variance, 0)) / n : NAN;
    return v;
}

static int by_mean(const void *a, const void *b)
{
    const struct verdict *x = a, *y = b;
    double p = isnan(x->mean) ? -1 : x->mean, q = isnan(y->mean) ? -1 : y->mean;
    return p != q ? (p < q) - (p > q) : (x->move > y->move) - (x->move < y->move);
}

static void print_text(struct reasoner *r, uint32_t role, const struct verdict *v, uint32_t n,
                       const char *device, double seconds, struct heap *heap)
{
    uint64_t games = 0;
    for (uint32_t i = 0; i < n; i++) games += v[i].games;
    printf("%s: flat Monte Carlo on %s, %" PRIu64 " random games in %.2f s\n", r->game->role_names[role],
           device, games, seconds);
    for (uint32_t i = 0; i < n; i++) {
        struct text move;
        text_init(&move, heap);
        reasoner_print_move(r, role, v[i].move, false, &move);
        printf("%9.4f +- %-8.4f %12" PRIu64 " games  %s\n", v[i].mean, v[i].margin, v[i].games,
               text_str(&move));
    }
}

static void print_json(struct reasoner *r, uint32_t role, const struct verdict *v, uint32_t n,
                       const char *device, struct heap *heap)
{
    json_t *moves = json_array();
    struct text first = {0};
    for (uint32_t i = 0; i < n; i++) {
        struct text move;
        text_init(&move, heap);
        reasoner_print_move(r, role, v[i].move, false, &move);
        if (i == 0) first = move;
        json_array_append_new(
            moves, json_pack("{s:s, s:I, s:o, s:o}", "move", text_str(&move), "games", (json_int_t)v[i].games,
                             "mean", isnan(v[i].mean) ? json_null() : json_real(v[i].mean), "margin95",
                             isnan(v[i].margin) ? json_null() : json_real(v[i].margin)));
    }
    json_t *out = json_pack("{s:s, s:s, s:s, s:o}", "role", r->game->role_names[role], "best",
                            text_str(&first), "device", device, "moves", moves);
    json_dumpf(out, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(8));
    putchar('\n');
    json_decref(out);
}

static bool show(struct reasoner *r, uint32_t role, struct verdict *v, uint32_t n, const char *device,
                 double seconds, bool json, struct error *error)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    bool good = heap && HEAP_ENTER(heap, &guard, error);
    if (good) {
        qsort(v, n, sizeof *v, by_mean);
        json ? print_json(r, role, v, n, device, heap) : print_text(r, role, v, n, device, seconds, heap);
        heap_leave(heap);
    }
    heap_free(heap);
    return good || error_set(error, ERROR_MEMORY, "no memory");
}

bool think_gpu(struct gpu *gpu, struct reasoner *r, const struct state *state, uint32_t role,
               const struct think_gpu_options *o, const atomic_bool *stop, struct error *error)
{
    const struct code *code = reasoner_code(r);
    struct roots roots = {0};
    double began = clock_now();
    bool good = find_roots(r, state, role, o->seed, &roots, error);
    uint32_t n = roots.moves.n, nroots = roots.nreplies * n;
    struct gpu_games *games = NULL;
    struct gpu_games_options options = {.seed = o->seed, .starts = roots.states, .roots = nroots};
    if (good) good = (games = gpu_games_new(gpu, code, &options, &gpu_default_limits, error));
    if (good && gpu_games_report(games)->words < nroots)
        good = gpu_games_begin(games, o->seed, nroots, error);
    struct gpu_enough enough = {.games = o->simulations,
                                .deadline = o->simulations ? 0 : clock_now() + o->seconds,
                                .steps = MOST_STEPS,
                                .stop = stop};
    uint64_t *sums = good ? calloc((size_t)nroots * gpu_counters(code->circuit), sizeof *sums) : NULL;
    struct verdict *v = good ? calloc(n, sizeof *v) : NULL;
    if (good && (!sums || !v)) good = error_set(error, ERROR_MEMORY, "no memory");
    good = good && gpu_play(games, code->circuit, &enough, sums, error);
    for (uint32_t m = 0; good && m < n; m++) v[m] = judge(code->circuit, &roots, m, role, sums);
    good = good && show(r, role, v, n, gpu_name(gpu), clock_now() - began, o->json, error);
    free(v);
    free(sums);
    gpu_games_free(games);
    roots_done(&roots);
    return good;
}
