// SPDX-License-Identifier: GPL-3.0-or-later
/* usage: NAME FILE-OR-FOLDER...
 * The other main of a fuzz target: gives it the named files, and each cut off at a few places. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static int count;

static void give(const uint8_t *data, size_t size)
{
    /* A copy of exactly this size, so that the address sanitizer sees reads beyond it. */
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) abort();
    for (size_t i = 0; i < size; i++) copy[i] = data[i];
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    count++;
}

static void give_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    static uint8_t data[1 << 20];
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    give(data, size);
    for (size_t part = 1; part < 8; part++) give(data, size * part / 8);
}

static void give_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) {
        give_file(path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        give_file(name);
    }
    closedir(folder);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) give_folder(argv[i]);
    printf("%d inputs\n", count);
    return count == 0;
}
