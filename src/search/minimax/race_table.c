// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/minimax/race_table.h"

#include "base/file.h"
#include "base/hash.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_PLACEMENTS ((uint64_t)64 << 20)
#define MAGIC 0x6c75642d72616365u

struct header {
    uint64_t magic, board, size, checksum;
};

struct race_table {
    struct race_board board;
    uint64_t choose[RACE_MAX_FIELDS + 1][RACE_MAX_PIECES + 1];
    uint64_t size;
    uint8_t *moves;
    void *mapped; /* the file; NULL: `moves` is ours */
    size_t bytes;
};

/* --- Moves ---------------------------------------------------------------------------------------------- */

uint32_t race_reach(const struct race_board *b, const bool *taken, uint8_t from, uint8_t *out)
{
    bool seen[RACE_MAX_FIELDS] = {false};
    uint8_t landed[RACE_MAX_FIELDS];
    uint32_t n = 0, nlanded = 0;
    seen[from] = true;
    landed[nlanded++] = from;
    for (uint32_t i = 0; i < nlanded; i++)
        for (uint32_t d = 0; d < 6; d++) {
            uint8_t over = b->beside[landed[i]][d];
            uint8_t to = over == RACE_NOWHERE ? RACE_NOWHERE : b->beside[over][d];
            if (to == RACE_NOWHERE || over == from || !taken[over] || (taken[to] && to != from) || seen[to])
                continue;
            seen[to] = true;
            landed[nlanded++] = out[n++] = to;
        }
    for (uint32_t d = 0; d < 6; d++) {
        uint8_t to = b->beside[from][d];
        if (to != RACE_NOWHERE && !taken[to] && !seen[to]) out[n++] = to;
    }
    return n;
}

/* --- Numbers of placements ------------------------------------------------------------------------------ */

static void count_choices(struct race_table *t)
{
    for (uint32_t n = 0; n <= RACE_MAX_FIELDS; n++) {
        t->choose[n][0] = 1;
        for (uint32_t k = 1; k <= RACE_MAX_PIECES; k++)
            t->choose[n][k] = n ? t->choose[n - 1][k - 1] + t->choose[n - 1][k] : 0;
    }
    t->size = t->choose[t->board.ninner][t->board.pieces];
}

static uint64_t number_of(const struct race_table *t, const uint8_t *sorted)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < t->board.pieces; i++) number += t->choose[sorted[i]][i + 1];
    return number;
}

static void sort(uint8_t *v, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint8_t x = v[i];
        uint32_t k = i;
        for (; k > 0 && v[k - 1] > x; k--) v[k] = v[k - 1];
        v[k] = x;
    }
}

static void placement(const struct race_table *t, uint64_t number, uint8_t *out)
{
    uint32_t field = t->board.ninner;
    for (uint32_t i = t->board.pieces; i-- > 0;) {
        while (t->choose[field][i + 1] > number) field--;
        out[i] = (uint8_t)field;
        number -= t->choose[field][i + 1];
    }
}

uint32_t race_table_moves(const struct race_table *t, const uint8_t *fields)
{
    uint8_t sorted[RACE_MAX_PIECES];
    memcpy(sorted, fields, t->board.pieces);
    sort(sorted, t->board.pieces);
    return t->moves[number_of(t, sorted)];
}

/* --- Making it ------------------------------------------------------------------------------------------ */

/* Placements one move before this one: somebody came to where he is now. Jumps lead back the way they came.
 */
static bool go_back(struct race_table *t, uint64_t number, uint8_t moves)
{
    const struct race_board *b = &t->board;
    uint8_t here[RACE_MAX_PIECES], there[RACE_MAX_PIECES], to[RACE_MAX_FIELDS];
    bool taken[RACE_MAX_FIELDS] = {false}, found = false;
    placement(t, number, here);
    for (uint32_t i = 0; i < b->pieces; i++) taken[here[i]] = true;
    for (uint32_t i = 0; i < b->pieces; i++) {
        uint32_t n = race_reach(b, taken, here[i], to);
        for (uint32_t k = 0; k < n; k++) {
            if (to[k] >= b->ninner || (b->home[to[k]] && !b->home[here[i]])) continue;
            memcpy(there, here, sizeof there);
            there[i] = to[k];
            sort(there, b->pieces);
            uint8_t *at = &t->moves[number_of(t, there)];
            if (*at != RACE_UNKNOWN) continue;
            *at = moves;
            found = true;
        }
    }
    return found;
}

static bool make_table(struct race_table *t, const struct budget *budget)
{
    uint8_t home[RACE_MAX_PIECES];
    uint32_t n = 0;
    t->moves = malloc(t->size);
    if (!t->moves) return false;
    memset(t->moves, RACE_UNKNOWN, t->size);
    for (uint32_t f = 0; f < t->board.ninner; f++)
        if (t->board.home[f] && n < t->board.pieces) home[n++] = (uint8_t)f;
    if (n != t->board.pieces) return false;
    t->moves[number_of(t, home)] = 0;
    for (uint8_t moves = 1; moves < RACE_UNKNOWN - 1; moves++) {
        bool any = false;
        for (uint64_t i = 0; i < t->size; i++) {
            if (t->moves[i] == moves - 1) any |= go_back(t, i, moves);
            if (i % 65536 == 0 && budget_over(budget)) return false;
        }
        if (!any) break;
    }
    return true;
}

/* --- The cache ------------------------------------------------------------------------------------------ */

static bool cache_path(const struct race_table *t, char *out, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char folder[400];
    if (cache && *cache == '/')
        snprintf(folder, sizeof folder, "%.300s/ludens", cache);
    else if (home && *home == '/')
        snprintf(folder, sizeof folder, "%.300s/.cache/ludens", home);
    else
        return false;
    for (char *at = folder + 1; (at = strchr(at, '/')); at++) { /* the folders above it */
        *at = '\0';
        mkdir(folder, 0700);
        *at = '/';
    }
    mkdir(folder, 0700);
    snprintf(out, size, "%s/race-%016llx", folder,
             (unsigned long long)hash_bytes(&t->board, sizeof t->board));
    return true;
}

static struct header header_of(const struct race_table *t)
{
    return (struct header){MAGIC, hash_bytes(&t->board, sizeof t->board), t->size,
                           hash_bytes(t->moves, t->size)};
}

static bool load(struct race_table *t, const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool fits = fd >= 0 && fstat(fd, &st) == 0 && (uint64_t)st.st_size == sizeof(struct header) + t->size;
    void *map = fits ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (fd >= 0) close(fd);
    if (map == MAP_FAILED) return false;
    t->moves = (uint8_t *)map + sizeof(struct header);
    struct header right = header_of(t);
    if (memcmp(map, &right, sizeof right) != 0) {
        munmap(map, (size_t)st.st_size);
        t->moves = NULL;
        return false;
    }
    t->mapped = map;
    t->bytes = (size_t)st.st_size;
    return true;
}

/* Without a cache it is made again next time. */
static void save(const struct race_table *t, const char *path)
{
    struct header h = header_of(t);
    struct error ignored;
    char *all = malloc(sizeof h + t->size);
    if (!all) return;
    memcpy(all, &h, sizeof h);
    memcpy(all + sizeof h, t->moves, t->size);
    (void)file_replace(path, all, sizeof h + t->size, &ignored);
    free(all);
}

struct race_table *race_table_get(const struct race_board *board, bool make, const struct budget *budget)
{
    char path[500];
    struct race_table *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->board = *board;
    count_choices(t);
    bool cached = cache_path(t, path, sizeof path);
    if (t->size && t->size <= MOST_PLACEMENTS && cached && load(t, path)) return t;
    if (make && t->size && t->size <= MOST_PLACEMENTS && make_table(t, budget)) {
        if (cached) save(t, path);
        return t;
    }
    race_table_free(t);
    return NULL;
}

void race_table_free(struct race_table *t)
{
    if (!t) return;
    if (t->mapped)
        munmap(t->mapped, t->bytes);
    else
        free(t->moves);
    free(t);
}
