/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrix games by GLPK, as in document 002: the yardstick for src/search/solver/matrix.c, and what the tests
 * hold it to. */
#ifndef BENCH_GLPK_GAME_H
#define BENCH_GLPK_GAME_H

#include <stdbool.h>
#include <stdint.h>

struct glpk_game;

/* Keeps one linear program; as long as the shape stays the same the next one starts from the last basis. */
struct glpk_game *glpk_game_new(void);
void glpk_game_free(struct glpk_game *g);

/* The value of the game by figure 6.1: min sum x, (A + offset)^T x >= 1, x >= 0. x gets the m entries of
 * MAX's strategy. `warm`: from the last basis. */
bool glpk_game_value(struct glpk_game *g, const double *a, uint32_t m, uint32_t n, uint32_t stride, bool warm,
                     double *x, double *value);

/* Figures 6.3 and 6.4, written out as systems of inequalities: is row (column) k dominated? */
bool glpk_row_dominated(const double *p, const double *o, uint32_t m, uint32_t n, uint32_t row);
bool glpk_column_dominated(const double *p, const double *o, uint32_t m, uint32_t n, uint32_t column);

#endif
