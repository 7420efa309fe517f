// SPDX-License-Identifier: GPL-3.0-or-later
/* Finding, reading and accepting rule sheets. */
#include "game/game.h"

#include "base/clock.h"
#include "base/sha1.h"
#include "base/share.h"
#include "base/spell.h"
#include "logic/lifted.h"
#include "logic/validate.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- finding ---- */

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* The folders to look in, one by one; false when there are no more. */
static bool library_folder(int i, char *folder, size_t size)
{
    return share_folder("LUDENS_GAMES", "games", i, folder, size);
}

/* A name in the library that was probably meant: a few letters off, or with this one inside. */
static void near_miss(const char *name, char *near, size_t size)
{
    char folder[4200];
    unsigned best = spell_tolerance(name) + 1;
    near[0] = '\0';
    for (int i = 0; library_folder(i, folder, sizeof folder); i++) {
        DIR *dir = opendir(folder);
        if (!dir) continue;
        for (struct dirent *d; (d = readdir(dir));) {
            char candidate[256];
            size_t n = strlen(d->d_name);
            if (n < 5 || strcmp(d->d_name + n - 4, ".kif") != 0) continue;
            snprintf(candidate, sizeof candidate, "%.*s", (int)(n - 4), d->d_name);
            unsigned distance = spell_distance(name, candidate, spell_tolerance(name));
            bool inside = strlen(name) > 3 && strcasestr(candidate, name);
            if (distance < best || (inside && !near[0])) snprintf(near, size, "%s", candidate);
            if (distance < best) best = distance;
        }
        closedir(dir);
    }
}

bool game_find(const char *path_or_name, char *path, size_t size, struct error *error)
{
    if (is_file(path_or_name) || strcmp(path_or_name, "-") == 0) {
        if ((size_t)snprintf(path, size, "%s", path_or_name) < size) return true;
        return error_set(error, ERROR_INPUT, "%.100s...: the path is too long", path_or_name);
    }
    char folder[4200];
    for (int i = 0; !strchr(path_or_name, '/') && library_folder(i, folder, sizeof folder); i++) {
        int n = snprintf(path, size, "%s/%s.kif", folder, path_or_name);
        if (n > 0 && (size_t)n < size && is_file(path)) return true;
        n = snprintf(path, size, "%s/%s", folder, path_or_name);
        if (n > 0 && (size_t)n < size && is_file(path)) return true;
    }
    char near[256];
    near_miss(path_or_name, near, sizeof near);
    return error_set(error, ERROR_INPUT, "there is no game '%.200s'%s%s%s", path_or_name,
                     near[0] ? "; did you mean " : " and no such file", near, near[0] ? "?" : "");
}

bool game_library(char *folder, size_t size, struct error *error)
{
    struct stat st;
    for (int i = 0; library_folder(i, folder, size); i++)
        if (stat(folder, &st) == 0 && S_ISDIR(st.st_mode)) return true;
    return error_set(error, ERROR_INPUT, "there is no library of games; LUDENS_GAMES can name its folder");
}

/* ---- reading ---- */

static const char *game_name(struct heap *heap, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t n = strlen(base);
    if (n > 4 && strcmp(base + n - 4, ".kif") == 0) n -= 4;
    return heap_strdup(heap, base, n);
}

/* Roles are facts nearly always; when rules make them, the engine works them out. */
static void find_roles(struct game *g)
{
    const struct program *p = g->program;
    const struct relation *role = &p->relations.v[p->keyword[KW_ROLE]];
    struct vec_u32 roles = {0};
    bool rules = false;
    for (uint32_t i = 0; i < role->rules.n; i++) {
        const struct rule *r = &p->rules.v[role->rules.v[i]];
        rules |= r->nbody > 0;
        if (r->nbody) continue;
        term name = term_arg(p->terms, r->head, 0);
        bool seen = false;
        heap_poll_slow(g->heap);
        for (uint32_t k = 0; k < roles.n; k++) seen |= roles.v[k] == name;
        if (!seen) vec_push(g->heap, &roles, name);
    }
    if (rules) {
        struct error error;
        struct lifted_limits limits = {.memory = (size_t)256 << 20, .seconds = 10};
        struct lifted *e = lifted_new(p, &limits, &error);
        if (!e) heap_fail(g->heap, error.code, "the roles could not be worked out: %s", error.text);
        struct lifted_list list;
        bool good = lifted_roles(e, &list, &error);
        struct heap_guard guard;
        if (good && HEAP_ENTER(g->heap, &guard, &error)) {
            roles.n = 0;
            for (uint32_t i = 0; i < list.n; i++)
                vec_push(g->heap, &roles, term_import(p->terms, lifted_terms(e), list.v[i]));
            heap_leave(g->heap);
        } else {
            good = false;
        }
        lifted_free(e);
        if (!good) heap_fail(g->heap, error.code, "the roles could not be worked out: %s", error.text);
        if (roles.n == 0)
            diag_add(&g->diags, true, "no-role", DIAG_NOWHERE, 0, "no rule for 'role' ever fires",
                     "there are no roles");
    }
    g->roles = roles.v;
    g->nroles = roles.n;
    g->chance = -1;
    g->role_names = heap_cut(g->heap, (roles.n + 1) * sizeof *g->role_names);
    for (uint32_t i = 0; i < roles.n; i++) {
        struct text t;
        text_init(&t, g->heap);
        term_print(p->terms, roles.v[i], false, NULL, &t);
        g->role_names[i] = text_str(&t);
        if (strcasecmp(g->role_names[i], CHANCE_ROLE) == 0 && roles.n > 1) g->chance = (int)i;
    }
}

/* Read from the path, or from the text when that is given. */
static struct game *load(const char *name, const char *path, const char *text, size_t size, size_t memory,
                         struct game **refused, struct error *error)
{
    if (refused) *refused = NULL;
    struct heap *heap = heap_new(memory ? memory : GAME_DEFAULT_MEMORY);
    if (!heap) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    struct heap_guard guard;
    struct game *volatile game = NULL;
    heap->deadline = clock_now() + GAME_SECONDS;
    if (HEAP_ENTER(heap, &guard, error)) {
        struct game *g = heap_zalloc(heap, sizeof *g);
        g->heap = heap;
        g->name = game_name(heap, name);
        g->source = text ? source_copy(heap, name, text, size) : source_read(heap, path);
        sha1_hex(g->source->text, g->source->size, g->digest, 40);
        diags_init(&g->diags, heap, g->source);
        g->syntax = syntax_parse(heap, g->source, &g->diags);
        if (!g->diags.errors) g->program = program_build(heap, g->syntax, &g->diags);
        if (g->program) validate_program(g->program, &g->diags);
        if (!g->diags.errors) find_roles(g);
        heap_leave(heap);
        game = g;
    } else if (error->code == ERROR_TIME) {
        error_set(error, ERROR_TIME, "%.200s: the rules take more than %g s to read", name, GAME_SECONDS);
    }
    heap->deadline = 0;
    if (game && !game->diags.errors) return game;
    if (game) diags_to_error(&game->diags, error);
    if (game && refused)
        *refused = game;
    else
        heap_free(heap);
    return NULL;
}

struct game *game_load(const char *path_or_name, size_t memory, struct game **refused, struct error *error)
{
    char path[4400];
    if (refused) *refused = NULL;
    if (!game_find(path_or_name, path, sizeof path, error)) return NULL;
    return load(path, path, NULL, 0, memory, refused, error);
}

struct game *game_from_text(const char *name, const char *text, size_t size, size_t memory,
                            struct game **refused, struct error *error)
{
    return load(name, NULL, text, size, memory, refused, error);
}

void game_free(struct game *game)
{
    if (game) heap_free(game->heap);
}

int game_role(const struct game *game, const char *name)
{
    for (uint32_t i = 0; i < game->nroles; i++)
        if (strcasecmp(game->role_names[i], name) == 0) return (int)i;
    return -1;
}
