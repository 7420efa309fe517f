// SPDX-License-Identifier: GPL-3.0-or-later
/* Matrix games solved by us and by GLPK: matrices [-n MOST] GAME...
 *
 * The matrices are those that `solve` needs a linear program for, one in a few: those with a saddle point and
 * those of two by two are not among them. All ways take turns on the same matrix, in processor time, and
 * values are compared. */
#include "game/engine.h"
#include "glpk_game.h"
#include "search/solver/matrix.h"
#include "search/solver/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_MOVES = 32 };

struct record {
    uint32_t m, n;
    double a[MOST_MOVES * MOST_MOVES];
};

struct collection {
    struct record *v;
    uint32_t n, most;
    uint64_t seen, every;
};

/* One in so many, so that all stages of the search are among them. */
static void collect(void *data, const double *a, uint32_t m, uint32_t n, uint32_t stride)
{
    struct collection *c = data;
    if (c->seen++ % c->every || c->n == c->most || m > MOST_MOVES || n > MOST_MOVES) return;
    struct record *r = &c->v[c->n++];
    r->m = m, r->n = n;
    for (uint32_t i = 0; i < m; i++) memcpy(r->a + i * n, a + (size_t)i * stride, n * sizeof *a);
}

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void time_all(const char *name, const struct collection *c)
{
    struct matrix_work work = {0};
    struct glpk_game *cold = glpk_game_new(), *warm = glpk_game_new();
    double seconds[4] = {0}, worst = 0, size = 0;
    for (int round = 0; round < 5; round++)
        for (uint32_t i = 0; i < c->n; i++) {
            const struct record *r = &c->v[i];
            struct matrix_value value;
            double other, began = processor_time();
            for (int k = 0; k < 20; k++) matrix_solve(&work, r->a, r->m, r->n, r->n, NULL, NULL, &value);
            seconds[0] += (processor_time() - began) / 20, began = processor_time();
            for (int k = 0; k < 20; k++) matrix_program(&work, r->a, r->m, r->n, r->n, NULL, NULL, &value);
            seconds[1] += (processor_time() - began) / 20, began = processor_time();
            glpk_game_value(cold, r->a, r->m, r->n, r->n, false, NULL, &other);
            seconds[2] += processor_time() - began, began = processor_time();
            glpk_game_value(warm, r->a, r->m, r->n, r->n, true, NULL, &other);
            seconds[3] += processor_time() - began;
            if (fabs(other - value.value) > worst) worst = fabs(other - value.value);
            if (round == 0) size += (double)r->m * r->n / c->n;
        }
    double each = 1e6 / (5.0 * (c->n ? c->n : 1));
    printf("%-20s %5u matrices, %.1f cells on average\n", name, c->n, size);
    printf("    microseconds each: ours %.2f, our program alone %.2f, GLPK %.2f, GLPK warm %.2f; GLPK warm / "
           "ours %.1f; "
           "greatest difference %.1e\n",
           seconds[0] * each, seconds[1] * each, seconds[2] * each, seconds[3] * each,
           seconds[3] / seconds[0], worst);
    fflush(stdout);
    glpk_game_free(cold);
    glpk_game_free(warm);
    matrix_work_done(&work);
}

int main(int argc, char **argv)
{
    struct collection c = {.most = 300};
    for (int o; (o = getopt(argc, argv, "n:")) != -1;)
        if (o == 'n') c.most = (uint32_t)atoi(optarg);
    c.v = calloc(c.most + 1, sizeof *c.v);
    for (int i = optind; i < argc && c.v; i++) {
        struct error error = {0};
        struct game *game = game_load(argv[i], 0, NULL, &error);
        struct engine *engine = game ? engine_start(game, NULL, &error) : NULL;
        struct reasoner *r = engine && engine_wait(engine, -1) == ENGINE_READY && game->nroles == 2
                                 ? reasoner_circuit(game, engine_code(engine), &error)
                                 : NULL;
        if (!r) return fprintf(stderr, "%s: %s\n", argv[i], error.text), 2;
        struct state state = {0};
        struct solve_result result = {0};
        struct solve_options options = {.memory = (size_t)256 << 20, .matrix = collect, .matrix_data = &c};
        options.budget.expansions = 200000;
        c.n = 0, c.seen = 0, c.every = 20;
        bool ok = r->ops->initial(r, &state) &&
                  solve_run(r, engine_code(engine), &state, &options, &result, &error);
        solve_result_done(&result);
        state_done(&state);
        if (!ok) return fprintf(stderr, "%s: %s\n", argv[i], error.text), 2;
        time_all(game->name, &c);
        reasoner_free(r);
        engine_free(engine);
        game_free(game);
    }
    free(c.v);
    return 0;
}
