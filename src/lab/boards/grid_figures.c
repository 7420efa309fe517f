// SPDX-License-Identifier: GPL-3.0-or-later
/* Figures like 7.3 (contours), 7.5 and 7.6 (lines over depth and over natural ends) and 7.7 (over runners).
 */
#include "lab/boards/grid_report.h"
#include "lab/report/plot.h"

#include <inttypes.h>
#include <math.h>

#define NATURAL_GAMES 20000

const double grid_sizes[GRID_SIZES] = {6, 8, 10, 15, 20};

static const struct grid_cell *cell(const struct grid_results *r, uint32_t i, uint32_t j)
{
    return &r->cells[j * r->grid->across.n + i];
}

/* Ticks: about so many, at 1, 2 or 5 times a power of ten. */
static double tick_step(double range, double about)
{
    double raw = range / about, power = pow(10, floor(log10(raw)));
    return power * (raw / power <= 1 ? 1 : raw / power <= 2 ? 2 : raw / power <= 5 ? 5 : 10);
}

static struct plot_axis axis_of(const struct grid_axis *a)
{
    double min = (double)a->values[0], max = (double)a->values[a->n - 1];
    if (max == min) max = min + 1;
    return (struct plot_axis){
        a->label, min, max, tick_step(max - min, 10) < 1 ? 1 : tick_step(max - min, 10), NULL, false};
}

/* Wins from 0 to 50%, and on to the end of the longest interval. */
static struct plot_axis axis_of_wins(const struct grid_results *r)
{
    double top = 50;
    for (uint32_t k = 0; k < r->grid->across.n * r->grid->along.n; k++) {
        const struct grid_cell *c = &r->cells[k];
        if (c->games) top = fmax(top, 100 * fmin(c->rate.mean + c->rate.half, 1));
    }
    return (struct plot_axis){"win rate", 0, 10 * ceil(top / 10 - 1e-9), 10, "%", false};
}

static void subtitle(const struct grid_results *r, char *out, size_t size)
{
    const struct grid *g = r->grid;
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t k = 0; k < g->across.n * g->along.n; k++) {
        if (r->cells[k].games < least) least = r->cells[k].games;
        if (r->cells[k].games > most) most = r->cells[k].games;
    }
    char games[60];
    snprintf(games, sizeof games, least == most ? "%" PRIu64 : "%" PRIu64 " to %" PRIu64, least, most);
    if (g->steps)
        snprintf(out, size, "%s games a point, %" PRIu64 " steps a move", games, g->steps);
    else if (g->sims)
        snprintf(out, size, "%s games a point, %" PRIu64 " simulations a move", games, g->sims);
    else
        snprintf(out, size, "%s games a point", games);
}

/* The size of the game tree, as a logarithm, at all whole values between the ends of both axes. */
static struct plot_field tree_sizes(const struct grid_results *r)
{
    const struct grid *g = r->grid;
    int64_t x0 = g->across.values[0], y0 = g->along.values[0];
    struct plot_field f = {.nx = (uint32_t)(g->across.values[g->across.n - 1] - x0 + 1),
                           .ny = (uint32_t)(g->along.values[g->along.n - 1] - y0 + 1)};
    double *xs = heap_alloc(r->heap, f.nx * sizeof *xs), *ys = heap_alloc(r->heap, f.ny * sizeof *ys),
           *z = heap_alloc(r->heap, (size_t)f.nx * f.ny * sizeof *z);
    for (uint32_t j = 0; j < f.ny; j++)
        for (uint32_t i = 0; i < f.nx; i++) {
            struct grid whole = *g;
            whole.across.values[0] = x0 + i;
            whole.along.values[0] = y0 + j;
            struct grid_point p = grid_point(&whole, 0, 0);
            xs[i] = (double)p.across;
            ys[j] = (double)p.along;
            z[j * f.nx + i] = diagram_race_nodes((uint32_t)p.board.lanes, (uint32_t)p.board.length);
        }
    f.xs = xs;
    f.ys = ys;
    f.z = z;
    return f;
}

static struct plot_field win_rates(const struct grid_results *r)
{
    const struct grid *g = r->grid;
    struct plot_field f = {.nx = g->across.n, .ny = g->along.n};
    double *xs = heap_alloc(r->heap, f.nx * sizeof *xs), *ys = heap_alloc(r->heap, f.ny * sizeof *ys),
           *z = heap_alloc(r->heap, (size_t)f.nx * f.ny * sizeof *z);
    for (uint32_t i = 0; i < f.nx; i++) xs[i] = (double)g->across.values[i];
    for (uint32_t j = 0; j < f.ny; j++) ys[j] = (double)g->along.values[j];
    for (uint32_t k = 0; k < f.nx * f.ny; k++) z[k] = r->cells[k].games ? 100 * r->cells[k].rate.mean : NAN;
    f.xs = xs;
    f.ys = ys;
    f.z = z;
    return f;
}

/* Win-rate contours over the size of the game tree. */
static void contours(const struct grid_results *r, struct text *out)
{
    const struct grid *g = r->grid;
    struct plot_field sizes = tree_sizes(r), rates = win_rates(r);
    struct plot plot;
    struct plot_axis x = axis_of(&g->across), y = axis_of(&g->along);
    char under[200], label[60];
    double most = sizes.z[sizes.nx * sizes.ny - 1], step = tick_step(most, 12);
    subtitle(r, under, sizeof under);
    plot_begin(&plot, out, g->title, under);
    plot_axes(&plot, &x, &y);
    for (int i = 1; i * step < most; i++) plot_shade(&plot, &sizes, i * step);
    for (int level = 49, k = 0; level > 0; level = level == 49 ? 45 : level - 5, k++) {
        snprintf(label, sizeof label, "%d%%", level);
        plot_contour(&plot, &rates, level, level == 49 ? 0 : 1, label, 0.3 + 0.2 * (k % 3));
    }
    plot_note(&plot, "lines: win rate");
    plot_note(&plot, "(draws count half)");
    plot_note(&plot, "shades: positions in");
    plot_note(&plot, "the game tree, from");
    snprintf(label, sizeof label, "10^%g to 10^%g", step, floor(most / step) * step);
    plot_note(&plot, label);
    plot_end(&plot);
}

/* The value of a column of a field at y, or of y where the column has a value: both ascend. */
static double interpolate(const double *from, const double *to, uint32_t stride_from, uint32_t stride_to,
                          uint32_t n, double at)
{
    for (uint32_t k = 0; k + 1 < n; k++) {
        double a = from[k * stride_from], b = from[(k + 1) * stride_from];
        if (at < a || at > b || b <= a) continue;
        return to[k * stride_to] + (at - a) / (b - a) * (to[(k + 1) * stride_to] - to[k * stride_to]);
    }
    return NAN;
}

/* Win rates where the game tree has `size` (a logarithm): for each value of `across`, NAN where no length in
 * the experiment gives that size. */
void grid_equal_size(const struct grid_results *r, double size, double *out)
{
    struct plot_field sizes = tree_sizes(r), rates = win_rates(r);
    for (uint32_t i = 0; i < rates.nx; i++) {
        uint32_t column = (uint32_t)(rates.xs[i] - sizes.xs[0]);
        double y = interpolate(sizes.z + column, sizes.ys, sizes.nx, 1, sizes.ny, size);
        out[i] = isnan(y) ? NAN : interpolate(rates.ys, rates.z + i, 1, rates.nx, rates.ny, y);
    }
}

/* Does the search care about the size of the tree alone? Then these lines are level. */
static void equal_sizes(const struct grid_results *r, struct text *out)
{
    const struct grid *g = r->grid;
    double *ys = heap_alloc(r->heap, g->across.n * sizeof *ys),
           *xs = heap_alloc(r->heap, g->across.n * sizeof *xs);
    struct plot plot;
    struct plot_axis x = axis_of(&g->across),
                     y = {"win rate", 0, 50, 10, "%", false}; /* no more against these opponents */
    char under[200], title[200], label[60];
    for (uint32_t i = 0; i < g->across.n; i++) xs[i] = (double)g->across.values[i];
    subtitle(r, under, sizeof under);
    snprintf(title, sizeof title, "%.150s at equal sizes of the game tree", g->title);
    plot_begin(&plot, out, title, under);
    plot_axes(&plot, &x, &y);
    for (uint32_t k = 0; k < GRID_SIZES; k++) {
        grid_equal_size(r, grid_sizes[k], ys);
        snprintf(label, sizeof label, "10^%g positions", grid_sizes[k]);
        plot_line(&plot, xs, ys, NULL, g->across.n, k, label);
    }
    plot_end(&plot);
}

/* In percent; NAN if the game cannot be made. */
static double natural(const struct grid *g, uint32_t i, uint32_t j)
{
    struct grid_point p = grid_point(g, i, j);
    struct error error;
    double share;
    return grid_natural(g, &p, NATURAL_GAMES, &share, &error) ? 100 * share : NAN;
}

/* A line for each value of `along`, over `across` or over the share of random games that end naturally. The
 * searches' own shares would be those of positions late in a game, too, where every simulation soon ends. */
static void lines(const struct grid_results *r, bool over_natural, struct text *out)
{
    const struct grid *g = r->grid;
    uint32_t n = g->across.n;
    double *xs = heap_alloc(r->heap, n * sizeof *xs), *ys = heap_alloc(r->heap, n * sizeof *ys),
           *halves = heap_alloc(r->heap, n * sizeof *halves);
    struct plot plot;
    struct plot_axis x = axis_of(&g->across), y = axis_of_wins(r);
    char under[200], label[80];
    if (over_natural)
        x = (struct plot_axis){"random games that end with a natural result", 0, 100, 10, "%", false};
    subtitle(r, under, sizeof under);
    plot_begin(&plot, out, g->title, under);
    plot_axes(&plot, &x, &y);
    for (uint32_t j = 0; j < g->along.n; j++) {
        for (uint32_t i = 0; i < n; i++) {
            const struct grid_cell *c = cell(r, i, j);
            xs[i] = over_natural ? natural(g, i, j) : (double)g->across.values[i];
            ys[i] = c->games ? 100 * c->rate.mean : NAN;
            halves[i] = 100 * c->rate.half;
        }
        snprintf(label, sizeof label, "%" PRId64 " %s", g->along.values[j], g->along.label);
        plot_line(&plot, xs, ys, halves, n, j, label);
    }
    plot_end(&plot);
}

/* The other way round: over `along`, for a few values of `across`. */
static void crosswise(const struct grid_results *r, struct text *out)
{
    const struct grid *g = r->grid;
    uint32_t n = g->along.n, some[3] = {g->across.n / 4, g->across.n / 2, g->across.n - 1};
    double *xs = heap_alloc(r->heap, n * sizeof *xs), *ys = heap_alloc(r->heap, n * sizeof *ys),
           *halves = heap_alloc(r->heap, n * sizeof *halves);
    struct plot plot;
    struct plot_axis x = axis_of(&g->along), y = axis_of_wins(r);
    char under[200], label[80];
    subtitle(r, under, sizeof under);
    plot_begin(&plot, out, g->title, under);
    plot_axes(&plot, &x, &y);
    for (int k = 0; k < 3; k++) {
        if (k && some[k] == some[k - 1]) continue;
        for (uint32_t j = 0; j < n; j++) {
            const struct grid_cell *c = cell(r, some[k], j);
            xs[j] = (double)g->along.values[j];
            ys[j] = c->games ? 100 * c->rate.mean : NAN;
            halves[j] = 100 * c->rate.half;
        }
        snprintf(label, sizeof label, "%s %" PRId64, g->across.label, g->across.values[some[k]]);
        plot_line(&plot, xs, ys, halves, n, (uint32_t)k, label);
    }
    plot_end(&plot);
}

void grid_figures(const struct grid_results *r, void (*each)(void *data, const char *name, const char *svg),
                  void *data)
{
    struct text svg;
    text_init(&svg, r->heap);
    if (r->grid->show == GRID_CONTOURS) {
        contours(r, &svg);
        each(data, "contours", text_str(&svg));
        text_clear(&svg);
        equal_sizes(r, &svg);
        each(data, "sizes", text_str(&svg));
    }
    if (r->grid->show != GRID_LINES) return;
    lines(r, false, &svg);
    each(data, grid_parameter_names[r->grid->across.parameter], text_str(&svg));
    text_clear(&svg);
    lines(r, true, &svg);
    each(data, "natural", text_str(&svg));
    text_clear(&svg);
    crosswise(r, &svg);
    each(data, grid_parameter_names[r->grid->along.parameter], text_str(&svg));
}
