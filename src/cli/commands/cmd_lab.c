// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens lab: the laboratory, and its list of experiments. */
#include "cli/commands/lab.h"
#include "lab/spec/library.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- progress ---- */

static void format_time(double seconds, char out[40])
{
    if (seconds < 0)
        snprintf(out, 40, "?");
    else if (seconds < 120)
        snprintf(out, 40, "%.0f s", ceil(seconds));
    else if (seconds < 7200)
        snprintf(out, 40, "%.0f min", seconds / 60);
    else
        snprintf(out, 40, "%.1f h", seconds / 3600);
}

static void print_progress(const struct run_progress *p, const char *more)
{
    char left[40];
    format_time(p->left, left);
    fprintf(stderr, "%" PRIu64 " of %" PRIu64 " games (%.0f%%), %.2f games/s, %s left%s%s", p->done, p->total,
            p->total ? 100.0 * (double)p->done / (double)p->total : 100,
            (double)p->played / fmax(p->elapsed, 1e-9), left, *more ? "; " : "", more);
}

void lab_progress_show(struct lab_progress *l, const struct run_progress *p, const char *more)
{
    bool terminal = isatty(STDERR_FILENO);
    /* a log gets a line after ten seconds, then every half minute */
    double every = terminal ? 0.2 : 30;
    if (p->elapsed < (terminal ? 0.5 : 10) || p->elapsed - l->told < (l->told > 0 ? every : 0)) return;
    if (terminal) fputs("\r\033[K", stderr);
    print_progress(p, more);
    if (!terminal) fputc('\n', stderr);
    fflush(stderr);
    l->visible = terminal;
    l->told = p->elapsed;
}

void lab_progress_end(struct lab_progress *l, const struct run_progress *p)
{
    char took[40];
    if (l->visible) fputs("\r\033[K", stderr);
    format_time(p->elapsed, took);
    fprintf(stderr, "%" PRIu64 " of %" PRIu64 " games are there; %" PRIu64 " played now in %s, %.2f games/s",
            p->done, p->total, p->played, took, (double)p->played / fmax(p->elapsed, 1e-9));
    if (p->elsewhere) fprintf(stderr, "; %" PRIu64 " in the hands of others", p->elsewhere);
    if (p->failed) fprintf(stderr, "; %" PRIu64 " could not be played", p->failed);
    fputc('\n', stderr);
    l->visible = false;
}

/* ---- the list ---- */

struct listing {
    int bad;
};

static void list_one(void *data, const char *name, const char *path)
{
    struct listing *l = data;
    struct error error = {0};
    if (grid_recognise(path)) {
        struct grid *g = grid_load(path, NULL, &error);
        if (g)
            printf("%-23s %3u x %-3u %s\n", name, g->across.n, g->along.n, g->title);
        else
            printf("%-23s %9s %s\n", name, "broken", error.text), l->bad++;
        grid_free(g);
        return;
    }
    struct spec *s = spec_load(path, NULL, &error);
    if (s)
        printf("%-23s %3u x %-3u %s\n", name, s->ngames, s->npairings, s->title);
    else
        printf("%-23s %9s %s\n", name, "broken", error.text), l->bad++;
    spec_free(s);
}

static int lab_list(int argc, char **argv)
{
    const struct option table[] = {{0}};
    int operands, status;
    if (!command_begin("lab list",
                       "List the experiments that come with Ludens: games x pairings, title.\n"
                       "Exit status: 0; 1 if one of them cannot be read.",
                       table, 0, 0, argc, argv, &operands, &status))
        return status;
    struct listing l = {0};
    struct error error;
    if (!lab_each(list_one, &l, &error)) return command_trouble("lab list", &error);
    return l.bad ? EXIT_NO : EXIT_YES;
}

const struct command lab_words[] = {
    {"run", "play an experiment, or go on with it", .run = lab_run},
    {"report", "tell what came out", .run = lab_report},
    {"game", "write one game down as a record", .run = lab_game},
    {"merge", "join databases of several machines", .run = lab_merge},
    {"export", "write results down as text, to be kept", .run = lab_export},
    {"import", "take results that were kept into a database", .run = lab_import},
    {"sprt", "find out whether one player is better than another", .run = lab_sprt},
    {"list", "name the experiments there are", .run = lab_list},
    {0},
};

void lab_names_add(void *data, const char *name)
{
    struct lab_names *names = data;
    size_t n = names->wanted ? strlen(names->wanted) : 0;
    if (names->wanted && (strncmp(name, names->wanted, n) != 0 || (name[n] != '\0' && name[n] != ':')))
        return;
    if (names->n < LAB_MAX_NAMES && (names->v[names->n] = strdup(name))) names->n++;
}

void lab_names_done(struct lab_names *names)
{
    for (uint32_t i = 0; i < names->n; i++) free(names->v[i]);
}
