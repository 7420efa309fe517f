// SPDX-License-Identifier: GPL-3.0-or-later
#include "glpk_game.h"

#include <glpk.h>
#include <stdlib.h>

struct glpk_game {
    glp_prob *problem;
    uint32_t m, n;
};

struct glpk_game *glpk_game_new(void)
{
    glp_term_out(GLP_OFF);
    return calloc(1, sizeof(struct glpk_game));
}

void glpk_game_free(struct glpk_game *g)
{
    if (g && g->problem) glp_delete_prob(g->problem);
    free(g);
}

/* GLPK counts from 1. A row of the program per column of the game, a column per row. */
static void shape(struct glpk_game *g, uint32_t m, uint32_t n)
{
    if (g->problem) glp_delete_prob(g->problem);
    g->problem = glp_create_prob();
    g->m = m, g->n = n;
    glp_set_obj_dir(g->problem, GLP_MIN);
    glp_add_rows(g->problem, (int)n);
    glp_add_cols(g->problem, (int)m);
    for (uint32_t c = 0; c < n; c++) glp_set_row_bnds(g->problem, (int)c + 1, GLP_LO, 1, 0);
    for (uint32_t r = 0; r < m; r++) {
        glp_set_col_bnds(g->problem, (int)r + 1, GLP_LO, 0, 0);
        glp_set_obj_coef(g->problem, (int)r + 1, 1);
    }
}

bool glpk_game_value(struct glpk_game *g, const double *a, uint32_t m, uint32_t n, uint32_t stride, bool warm,
                     double *x, double *value)
{
    int *index = malloc((n + 1) * sizeof *index);
    double *column = malloc((n + 1) * sizeof *column), low = a[0];
    bool fresh = !g->problem || g->m != m || g->n != n;
    if (!index || !column) return free(index), free(column), false;
    if (fresh) shape(g, m, n);
    for (uint32_t r = 0; r < m; r++)
        for (uint32_t c = 0; c < n; c++)
            if (a[(size_t)r * stride + c] < low) low = a[(size_t)r * stride + c];
    for (uint32_t r = 0; r < m; r++) {
        for (uint32_t c = 0; c < n; c++) {
            index[c + 1] = (int)c + 1;
            column[c + 1] = a[(size_t)r * stride + c] - low + 1;
        }
        glp_set_mat_col(g->problem, (int)r + 1, (int)n, index, column);
    }
    free(index);
    free(column);
    if (fresh || !warm) glp_std_basis(g->problem);
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    int trouble = glp_simplex(g->problem, &how);
    if (trouble == GLP_EBADB || trouble == GLP_ESING) { /* the old basis is none for the new matrix */
        glp_std_basis(g->problem);
        trouble = glp_simplex(g->problem, &how);
    }
    if (trouble || glp_get_status(g->problem) != GLP_OPT) return false;
    double sum = glp_get_obj_val(g->problem);
    *value = 1 / sum + low - 1;
    for (uint32_t r = 0; r < m && x; r++) x[r] = glp_get_col_prim(g->problem, (int)r + 1) / sum;
    return true;
}

/* Is there w >= 0 over `vars` variables with sum 1 and, for each of `rows`, sum w[v] * coefficient >= bound?
 */
static bool feasible(uint32_t vars, uint32_t rows, const double *coefficient, const double *bound)
{
    glp_prob *problem = glp_create_prob();
    int *index = malloc((vars + 1) * sizeof *index);
    double *row = malloc((vars + 1) * sizeof *row);
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    glp_term_out(GLP_OFF);
    glp_add_cols(problem, (int)vars);
    glp_add_rows(problem, (int)rows + 1);
    for (uint32_t v = 1; v <= vars; v++) {
        glp_set_col_bnds(problem, (int)v, GLP_LO, 0, 0);
        index[v] = (int)v;
        row[v] = 1;
    }
    glp_set_row_bnds(problem, (int)rows + 1, GLP_FX, 1, 1);
    glp_set_mat_row(problem, (int)rows + 1, (int)vars, index, row);
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t v = 0; v < vars; v++) row[v + 1] = coefficient[(size_t)r * vars + v];
        glp_set_mat_row(problem, (int)r + 1, (int)vars, index, row);
        glp_set_row_bnds(problem, (int)r + 1, GLP_LO, bound[r], 0);
    }
    bool yes = glp_simplex(problem, &how) == 0 && glp_get_status(problem) == GLP_OPT;
    glp_delete_prob(problem);
    free(index);
    free(row);
    return yes;
}

bool glpk_row_dominated(const double *p, const double *o, uint32_t m, uint32_t n, uint32_t row)
{
    double *coefficient = malloc((size_t)m * n * sizeof *coefficient), *bound = malloc(n * sizeof *bound);
    for (uint32_t c = 0; c < n; c++) {
        uint32_t v = 0;
        bound[c] = o[(size_t)row * n + c];
        for (uint32_t r = 0; r < m; r++)
            if (r != row) coefficient[(size_t)c * (m - 1) + v++] = p[(size_t)r * n + c];
    }
    bool yes = m > 1 && feasible(m - 1, n, coefficient, bound);
    free(coefficient);
    free(bound);
    return yes;
}

bool glpk_column_dominated(const double *p, const double *o, uint32_t m, uint32_t n, uint32_t column)
{
    double *coefficient = malloc((size_t)m * n * sizeof *coefficient), *bound = malloc(m * sizeof *bound);
    for (uint32_t r = 0; r < m; r++) {
        uint32_t v = 0;
        bound[r] = -p[(size_t)r * n + column];
        for (uint32_t c = 0; c < n; c++)
            if (c != column) coefficient[(size_t)r * (n - 1) + v++] = -o[(size_t)r * n + c];
    }
    bool yes = n > 1 && feasible(n - 1, m, coefficient, bound);
    free(coefficient);
    free(bound);
    return yes;
}
