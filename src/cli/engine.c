// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/engine.h"

#include "cli/terminal.h"
#include "game/engine.h"
#include "gpu/device.h"

#include <string.h>

static struct reasoner *open_lifted(const struct game *game, struct error *error)
{
    return reasoner_lifted(game, 0, error);
}

static struct reasoner *open_circuit(const struct game *game, struct error *error)
{
    return reasoner_ground(game, &(struct ground_limits){.seconds = 600, .bytes = (size_t)4 << 30}, error);
}

/* The circuit for rules that ground in the time a person waits for a command. */
static struct reasoner *open_auto(const struct game *game, struct error *error)
{
    struct ground_limits limits = {.seconds = 2, .bytes = (size_t)2 << 30};
    struct reasoner *r = reasoner_ground(game, &limits, error);
    return r ? r : reasoner_lifted(game, 0, error);
}

static const struct engine_row {
    const char *name;
    struct reasoner *(*open)(const struct game *game, struct error *error);
} engines[] = {
    {"lifted", open_lifted},
    {"circuit", open_circuit},
    {"auto", open_auto},
    {0},
};

struct reasoner *engine_open(const struct game *game, const char *name, struct error *error)
{
    char known[100] = "";
    for (const struct engine_row *e = engines; e->name; e++) {
        if (strcmp(name, e->name) == 0) return e->open(game, error);
        if (e != engines) strncat(known, ", ", sizeof known - strlen(known) - 1);
        strncat(known, e->name, sizeof known - strlen(known) - 1);
    }
    error_set(error, ERROR_INPUT, "there is no engine '%s'; there are: %s", name, known);
    return NULL;
}

bool session_open(struct session *s, const char *command, const char *game, const char *engine, int *status)
{
    struct error error;
    struct game *refused = NULL;
    *s = (struct session){0};
    *status = EXIT_TROUBLE;
    s->game = game_load(game, 0, &refused, &error);
    if (s->game) s->reasoner = engine_open(s->game, engine, &error);
    if (s->reasoner) return true;
    if (refused)
        for (uint32_t i = 0; i < refused->diags.list.n; i++) {
            const struct diag *d = &refused->diags.list.v[i];
            if (d->error) diag_print(stderr, refused->source, d, terminal_colour(stderr));
        }
    game_free(refused);
    session_close(s);
    command_trouble(command, &error);
    return false;
}

void session_close(struct session *s)
{
    if (s->reasoner) reasoner_free(s->reasoner);
    game_free(s->game);
    *s = (struct session){0};
}

struct gpu *device_open(const char *command)
{
    struct error error;
    struct gpu *gpu = gpu_open(&error);
    if (!gpu) fprintf(stderr, "ludens %s: %s; going on with the processor\n", command, error.text);
    return gpu;
}
