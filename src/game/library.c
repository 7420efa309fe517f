// SPDX-License-Identifier: GPL-3.0-or-later
#include "game/library.h"

#include "game/game.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcasecmp((*a)->d_name, (*b)->d_name);
}

static int is_sheet(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n > 4 && strcmp(d->d_name + n - 4, ".kif") == 0;
}

/* The index, or an empty one where there is none. NULL and an error if it cannot be understood. */
static json_t *read_index(const char *folder, struct error *error)
{
    char path[4400];
    json_error_t fault;
    snprintf(path, sizeof path, "%s/index.json", folder);
    FILE *file = fopen(path, "rb");
    if (!file) return json_pack("{s:[]}", "games");
    json_t *index = json_loadf(file, 0, &fault);
    fclose(file);
    if (index && json_is_array(json_object_get(index, "games"))) return index;
    error_set(error, ERROR_INPUT, "%.200s:%d: %s", path, index ? 1 : fault.line,
              index ? "there is no list of games" : fault.text);
    json_decref(index);
    return NULL;
}

/* What the index says of a game; a new entry with the name only if it says nothing. */
static json_t *describe(json_t *index, const char *name)
{
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(index, "games"), i, entry)
    {
        const char *known = json_string_value(json_object_get(entry, "name"));
        if (known && strcmp(known, name) == 0) return json_incref(entry);
    }
    return json_pack("{s:s}", "name", name);
}

json_t *library_list(struct error *error)
{
    char folder[4200];
    struct dirent **sheets;
    json_t *index = game_library(folder, sizeof folder, error) ? read_index(folder, error) : NULL,
           *list = NULL;
    if (!index) return NULL;
    int n = scandir(folder, &sheets, is_sheet, compare_names);
    if (n < 0)
        error_set(error, ERROR_INPUT, "%.200s cannot be read", folder);
    else
        list = json_array();
    for (int i = 0; i < n; i++) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)(strlen(sheets[i]->d_name) - 4), sheets[i]->d_name);
        json_array_append_new(list, describe(index, name));
        free(sheets[i]);
    }
    if (n >= 0) free(sheets);
    json_decref(index);
    return list;
}
