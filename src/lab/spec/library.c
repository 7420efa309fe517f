// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/spec/library.h"

#include "base/share.h"
#include "base/spell.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LAB_FILE_LIMIT ((size_t)4 << 20)

static const char *const subfolders[] = {"", "paper/", "boards/"};
#define NSUBFOLDERS (sizeof subfolders / sizeof *subfolders)

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool library_folder(int i, char *folder, size_t size)
{
    return share_folder("LUDENS_LAB", "lab", i, folder, size);
}

static bool library(char *folder, size_t size)
{
    struct stat st;
    for (int i = 0; library_folder(i, folder, size); i++)
        if (stat(folder, &st) == 0 && S_ISDIR(st.st_mode)) return true;
    return false;
}

static int is_experiment(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n > 5 && strcmp(d->d_name + n - 5, ".yaml") == 0;
}

bool lab_each(void (*each)(void *data, const char *name, const char *path), void *data, struct error *error)
{
    char root[4200], folder[4300], name[300], path[4700];
    if (!library(root, sizeof root))
        return error_set(error, ERROR_INPUT,
                         "there is no library of experiments; LUDENS_LAB can name its folder");
    for (size_t k = 0; k < NSUBFOLDERS; k++) {
        struct dirent **files;
        snprintf(folder, sizeof folder, "%s/%s", root, subfolders[k]);
        int n = scandir(folder, &files, is_experiment, versionsort);
        for (int i = 0; i < n; i++) {
            snprintf(name, sizeof name, "%s%.*s", subfolders[k], (int)strlen(files[i]->d_name) - 5,
                     files[i]->d_name);
            snprintf(path, sizeof path, "%s%s", folder, files[i]->d_name);
            each(data, name, path);
            free(files[i]);
        }
        if (n >= 0) free(files);
    }
    return true;
}

bool lab_results_folder(char *path, size_t size, struct error *error)
{
    char root[4200];
    if (!library(root, sizeof root))
        return error_set(error, ERROR_INPUT,
                         "there is no library of experiments; LUDENS_LAB can name its folder");
    return (size_t)snprintf(path, size, "%s/results", root) < size ||
           error_set(error, ERROR_INPUT, "%.100s...: the path is too long", root);
}

struct search {
    const char *name;
    char near[300];
    unsigned best;
};

static void compare(void *data, const char *name, const char *path)
{
    (void)path;
    struct search *s = data;
    unsigned distance = spell_distance(s->name, name, 2);
    bool inside = strlen(s->name) > 3 && strcasestr(name, s->name);
    if (distance < s->best || (inside && !s->near[0])) snprintf(s->near, sizeof s->near, "%s", name);
    if (distance < s->best) s->best = distance;
}

bool lab_find(const char *path_or_name, char *path, size_t size, struct error *error)
{
    char folder[4200];
    if (is_file(path_or_name)) {
        if ((size_t)snprintf(path, size, "%s", path_or_name) < size) return true;
        return error_set(error, ERROR_INPUT, "%.100s...: the path is too long", path_or_name);
    }
    for (int i = 0; library_folder(i, folder, sizeof folder); i++) {
        int n = snprintf(path, size, "%s/%s.yaml", folder, path_or_name);
        if (n > 0 && (size_t)n < size && is_file(path)) return true;
    }
    struct search s = {.name = path_or_name, .best = spell_tolerance(path_or_name) + 1};
    struct error ignored;
    lab_each(compare, &s, &ignored);
    return error_set(error, ERROR_INPUT, "there is no experiment '%.200s'%s%s%s", path_or_name,
                     s.near[0] ? "; did you mean " : " and no such file; `ludens lab list` names them",
                     s.near, s.near[0] ? "?" : "");
}

bool lab_read_file(const char *path, char **text, size_t *size, struct error *error)
{
    struct stat st;
    FILE *f = stat(path, &st) == 0 && !S_ISREG(st.st_mode) ? (errno = EINVAL, NULL) : fopen(path, "rb");
    if (!f) return error_set(error, ERROR_INPUT, "%.300s: %s", path, strerror(errno));
    bool good = false;
    *text = NULL;
    if ((size_t)st.st_size > LAB_FILE_LIMIT)
        error_set(error, ERROR_INPUT, "%.300s is too large for an experiment", path);
    else if (!(*text = malloc((size_t)st.st_size + 1)))
        error_set(error, ERROR_MEMORY, "out of memory");
    else if (fread(*text, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
        error_set(error, ERROR_SYSTEM, "%.300s: it cannot be read", path);
    else
        good = true;
    if (good) (*text)[st.st_size] = '\0', *size = (size_t)st.st_size;
    if (!good) free(*text);
    fclose(f);
    return good;
}
