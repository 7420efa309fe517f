// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens check: what is wrong with rule sheets. */
#include "cli/engine.h"
#include "cli/terminal.h"
#include "game/trial.h"

#include <jansson.h>
#include <stdlib.h>

#define CHECK_MEMORY ((size_t)4 << 30)

struct check {
    bool json, only_static;
    int64_t games, steps;
    const char *engine;
    struct trial_options trial;
    json_t *files; /* with --json: an object for each sheet */
    uint32_t sheets, faulty, odd;
    uint32_t errors, warnings;
};

/* Errors before warnings, each in the order of the sheet; what concerns the sheet as a whole comes last. */
static int compare_diags(const void *a, const void *b)
{
    const struct diag *x = a, *y = b;
    if (x->error != y->error) return x->error ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

static void print_findings(const struct diags *d)
{
    bool colour = terminal_colour(stdout);
    for (uint32_t i = 0; i < d->list.n; i++) diag_print(stdout, d->source, &d->list.v[i], colour);
    uint32_t untold = d->errors + d->warnings - d->list.n;
    if (untold) printf("%s: %u more finding%s\n", d->source->name, untold, plural(untold));
}

static json_t *diag_to_json(const struct diags *d, const struct diag *g)
{
    json_t *o = json_pack("{s:s, s:s, s:s}", "severity", g->error ? "error" : "warning", "id", g->id, "text",
                          g->text);
    if (g->hint) json_object_set_new(o, "hint", json_string(g->hint));
    if (g->note) json_object_set_new(o, "note", json_string(g->note));
    if (g->offset != DIAG_NOWHERE) {
        struct source_place at = source_place(d->source, g->offset);
        json_object_set_new(o, "line", json_integer(at.line));
        json_object_set_new(o, "column", json_integer(at.column));
        json_object_set_new(o, "length", json_integer(g->length));
    }
    return o;
}

static void keep_findings(struct check *c, const char *path, const struct diags *d, const struct trial *t)
{
    json_t *list = json_array(), *file;
    for (uint32_t i = 0; i < d->list.n; i++) json_array_append_new(list, diag_to_json(d, &d->list.v[i]));
    file = json_pack("{s:s, s:I, s:I, s:o}", "file", path, "errors", (json_int_t)d->errors, "warnings",
                     (json_int_t)d->warnings, "findings", list);
    if (t->games)
        json_object_set_new(file, "simulation",
                            json_pack("{s:I, s:I, s:I, s:I}", "games", (json_int_t)t->games, "ended",
                                      (json_int_t)t->ended, "shortest", (json_int_t)t->shortest, "longest",
                                      (json_int_t)t->longest));
    json_array_append_new(c->files, file);
}

static int report(struct check *c, const char *path, struct diags *d, const struct trial *t)
{
    if (d->list.n) qsort(d->list.v, d->list.n, sizeof *d->list.v, compare_diags);
    if (c->json)
        keep_findings(c, path, d, t);
    else
        print_findings(d);
    if (!c->json && t->games < t->begun)
        printf("%s: time was up; %u of %u games played\n", path, t->games, c->trial.games);
    c->sheets++;
    c->faulty += d->errors > 0;
    c->odd += d->errors == 0 && d->warnings > 0;
    c->errors += d->errors;
    c->warnings += d->warnings;
    return d->errors ? EXIT_NO : EXIT_YES;
}

/* Random games, where the rules are sound enough to play. False: they could not be played at all. */
static bool simulate(const struct check *c, struct game *game, struct trial *trial, struct error *error)
{
    struct reasoner *r = engine_open(game, c->engine, error);
    if (!r) return false;
    struct heap_guard guard;
    error_clear(error); /* auto may have tried another engine in vain */
    if (HEAP_ENTER(game->heap, &guard, error)) {
        trial_run(r, &c->trial, &game->diags, trial);
        heap_leave(game->heap);
    }
    reasoner_free(r);
    return error->code == ERROR_NONE;
}

static int check_file(struct check *c, const char *path)
{
    struct error error = {0};
    struct trial trial = {0};
    struct game *refused = NULL, *game = game_load(path, CHECK_MEMORY, &refused, &error);
    if (!game && !refused) return command_trouble("check", &error);
    error_clear(&error);
    bool played = refused || c->only_static || simulate(c, game, &trial, &error);
    if (!played && error.code == ERROR_INPUT) { /* no such engine */
        game_free(game);
        return command_trouble("check", &error);
    }
    if (!played)
        diag_add(&game->diags, true, "gave-up", DIAG_NOWHERE, 0, NULL, "the rules cannot be evaluated: %s",
                 error.text);
    int status = report(c, path, refused ? &refused->diags : &game->diags, &trial);
    game_free(game);
    game_free(refused);
    return status;
}

static void print_summary(const struct check *c)
{
    if (c->json) {
        json_t *all = json_pack("{s:O, s:I, s:I}", "files", c->files, "errors", (json_int_t)c->errors,
                                "warnings", (json_int_t)c->warnings);
        json_dumpf(all, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(all);
        return;
    }
    uint32_t clean = c->sheets - c->faulty - c->odd;
    printf("%u sheet%s: %u clean, %u with warnings, %u with errors (%u error%s, %u warning%s)\n", c->sheets,
           plural(c->sheets), clean, c->odd, c->faulty, c->errors, plural(c->errors), c->warnings,
           plural(c->warnings));
}

int cmd_check(int argc, char **argv)
{
    struct check c = {.games = 50, .steps = 1000, .engine = "auto", .trial = {.seed = 1, .seconds = 10}};
    const struct option table[] = {
        {"static", 0, OPTION_FLAG, &c.only_static, .help = "look at the rules only; play no games"},
        {"games", 'n', OPTION_INT, &c.games, .min = 1, .max = 1e9, .value = "N",
         .help = "random games to play"},
        {"steps", 0, OPTION_INT, &c.steps, .min = 1, .max = 1e6, .value = "N",
         .help = "how long a game may last"},
        {"seed", 0, OPTION_SEED, &c.trial.seed, .value = "N", .help = "for the random games"},
        {"seconds", 0, OPTION_REAL, &c.trial.seconds, .min = 0, .max = 1e9, .value = "S",
         .help = "to play the games of one sheet in; 0: no limit"},
        ENGINE_OPTION(&c.engine),
        {"strict", 0, OPTION_FLAG, &c.trial.strict,
         .help = "also warn where goals are undefined or fall during a game"},
        {"json", 'j', OPTION_FLAG, &c.json, .help = "print the findings as one JSON object"},
        {0}};
    int operands, status, worst = EXIT_YES;
    if (!command_begin(
            "check FILE|GAME... [OPTION...]",
            "Find what is wrong with rule sheets. Errors keep a game from being played; warnings are "
            "about\nslips whose meaning is clear. Exit status: 0 no errors, 1 errors, 2 a file could "
            "not be read.",
            table, 1, -1, argc, argv, &operands, &status))
        return status;
    c.trial.games = (uint32_t)c.games;
    c.trial.steps = (uint32_t)c.steps;
    c.files = json_array();
    for (int i = 1; i <= operands; i++) {
        status = check_file(&c, argv[i]);
        if (status > worst) worst = status;
    }
    print_summary(&c);
    json_decref(c.files);
    return worst;
}
