// SPDX-License-Identifier: GPL-3.0-or-later
/* Contours lie where the values are. */
#include "../testing.h"

#include "lab/report/plot.h"

#include <math.h>
#include <stdio.h>

enum { N = 5 };
static const double places[N] = {0, 1, 2, 3, 4};

struct drawing {
    struct heap *heap;
    struct heap_guard guard;
    struct error error;
    struct text text;
    struct plot plot;
};

static struct drawing *begin(void)
{
    struct drawing *d = calloc(1, sizeof *d);
    d->heap = heap_new(0);
    text_init(&d->text, d->heap);
    return d;
}

static void start(struct drawing *d)
{
    struct plot_axis axis = {"x", 0, 4, 1, NULL, false};
    plot_begin(&d->plot, &d->text, "a < b & \"c\"", NULL);
    plot_axes(&d->plot, &axis, &axis);
    text_clear(&d->text);
}

static void end(struct drawing *d)
{
    heap_free(d->heap);
    free(d);
}

/* The points of the first path in the text, back in units of the data. */
static uint32_t points(const struct drawing *d, double (*out)[2], uint32_t room)
{
    const char *at = strstr(text_str(&d->text), " d=\"") + 4;
    uint32_t n = 0;
    while ((*at == 'M' || *at == 'L') && n < room) {
        char *next;
        double x = strtod(at + 1, &next), y = strtod(next, &next);
        out[n][0] = (x - d->plot.left) / d->plot.width * 4;
        out[n++][1] = (d->plot.top + d->plot.height - y) / d->plot.height * 4;
        at = next;
    }
    assert_int_equal(*at, '"');
    return n;
}

static void the_contour_of_a_slope_is_a_straight_line(void **state)
{
    (void)state;
    double z[N * N], p[40][2];
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) z[j * N + i] = i + 0.5 * j;
    struct plot_field f = {N, N, places, places, z};
    struct drawing *d = begin();
    if (!HEAP_ENTER(d->heap, &d->guard, &d->error)) fail();
    start(d);
    plot_contour(&d->plot, &f, 2.25, 1, "two", 0.5);
    uint32_t n = points(d, p, 40);
    assert_true(n >= N);
    for (uint32_t k = 0; k < n; k++) assert_true(fabs(p[k][0] + 0.5 * p[k][1] - 2.25) < 0.01);
    /* one line from edge to edge, not pieces */
    assert_null(strchr(strstr(text_str(&d->text), " d=\"M") + 5, 'M'));
    assert_true(fabs(fmax(p[0][1], p[n - 1][1]) - 4) < 0.01);
    assert_true(fabs(fmin(p[0][1], p[n - 1][1])) < 0.01);
    assert_non_null(strstr(text_str(&d->text), ">two</text>"));
    heap_leave(d->heap);
    end(d);
}

static void the_contour_of_a_hill_is_a_ring(void **state)
{
    (void)state;
    double z[N * N] = {0}, p[40][2];
    z[2 * N + 2] = 1;
    struct plot_field f = {N, N, places, places, z};
    struct drawing *d = begin();
    if (!HEAP_ENTER(d->heap, &d->guard, &d->error)) fail();
    start(d);
    plot_contour(&d->plot, &f, 0.5, 1, NULL, 0.5);
    uint32_t n = points(d, p, 40);
    assert_int_equal(n, 5); /* four points, and the first again */
    for (uint32_t k = 0; k < n; k++) assert_true(fabs(fabs(p[k][0] - 2) + fabs(p[k][1] - 2) - 0.5) < 0.01);
    assert_true(fabs(p[0][0] - p[4][0]) < 1e-9 && fabs(p[0][1] - p[4][1]) < 1e-9);
    heap_leave(d->heap);
    end(d);
}

static void nothing_is_drawn_where_nothing_is_known(void **state)
{
    (void)state;
    double z[N * N];
    for (int k = 0; k < N * N; k++) z[k] = NAN;
    struct plot_field f = {N, N, places, places, z};
    double halves[N] = {1, 1, 1, 1, 1};
    struct drawing *d = begin();
    if (!HEAP_ENTER(d->heap, &d->guard, &d->error)) fail();
    start(d);
    plot_contour(&d->plot, &f, 0.5, 1, "x", 0.5);
    plot_shade(&d->plot, &f, 0.5);
    plot_line(&d->plot, places, z, halves, N, 0, "nothing");
    assert_null(strstr(text_str(&d->text), "nan"));
    assert_null(strstr(text_str(&d->text), ">x</text>"));
    heap_leave(d->heap);
    end(d);
}

/* The shaded area, by the shoelace formula over all pieces of the path. */
static void shades_cover_what_reaches_the_level(void **state)
{
    (void)state;
    double z[N * N];
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) z[j * N + i] = i;
    struct plot_field f = {N, N, places, places, z};
    struct drawing *d = begin();
    if (!HEAP_ENTER(d->heap, &d->guard, &d->error)) fail();
    start(d);
    plot_shade(&d->plot, &f, 2.5); /* the right 1.5 of 4 */
    const char *at = strstr(text_str(&d->text), " d=\"") + 4;
    double area = 0, x = 0, y = 0, x0 = 0, y0 = 0;
    for (char c; (c = *at) != '"';) {
        char *next = (char *)at + 1;
        double a = x, b = y;
        if (c == 'M' || c == 'L') a = strtod(next, &next), b = strtod(next, &next);
        if (c == 'H') a = strtod(next, &next);
        if (c == 'V') b = strtod(next, &next);
        if (c == 'z') a = x0, b = y0;
        if (c == 'M')
            x0 = a, y0 = b;
        else
            area += x * b - a * y;
        x = a;
        y = b;
        at = next;
    }
    assert_true(fabs(fabs(area / 2) / (d->plot.width * d->plot.height) - 1.5 / 4) < 0.002);
    heap_leave(d->heap);
    end(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_contour_of_a_slope_is_a_straight_line),
        cmocka_unit_test(the_contour_of_a_hill_is_a_ring),
        cmocka_unit_test(nothing_is_drawn_where_nothing_is_known),
        cmocka_unit_test(shades_cover_what_reaches_the_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
