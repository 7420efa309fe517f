// SPDX-License-Identifier: GPL-3.0-or-later
/* Which first moves win on a board of pawns? Exact values by iterative deepening over bit boards, to hold
 * what a search believes of the board `optimistic` against the truth.
 *
 *     pawns BOARD [PLIES]         such as pawns "$(ludens make board --like optimistic --pawns 2 --string)"
 *
 * The goal is the far rank; up to 128 squares. A value is proven or not: a position is won if a move leads to
 * a lost one, lost if all moves lead to won ones, unknown where the depth ends or nobody can move. What is
 * proven holds at every depth, so that the table of positions may keep it.
 */
#include "generate/diagram.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned __int128 squares;
#define BIT(n) ((squares)1 << (n))

struct position {
    squares own, other; /* of the player to move, and of the opponent */
    bool black;         /* moves down */
};

struct step {
    uint8_t from, to;
};

struct entry {
    uint64_t key;
    int8_t depth, value;
};

enum { TABLE = 1 << 24, MOVES = 3 * 128 };

static squares walls;
static uint32_t columns, rows;
static struct entry *table;
static uint64_t visited;

/* Those nearest to the goal first. */
static uint32_t generate(const struct position *p, struct step *out)
{
    uint32_t n = 0;
    for (uint32_t k = 1; k < rows; k++) {
        uint32_t y = p->black ? k : rows - 1 - k, y2 = p->black ? y - 1 : y + 1;
        for (uint32_t x = 0; x < columns; x++) {
            if (!(p->own & BIT(y * columns + x))) continue;
            for (int dx = -1; dx <= 1; dx++) {
                uint32_t x2 = x + (uint32_t)dx, to = y2 * columns + x2;
                if (x2 >= columns || (walls | p->own) & BIT(to)) continue;
                if (dx == 0 && p->other & BIT(to)) continue;
                out[n++] = (struct step){(uint8_t)(y * columns + x), (uint8_t)to};
            }
        }
    }
    return n;
}

static struct position make(const struct position *p, struct step s)
{
    return (struct position){p->other & ~BIT(s.to), (p->own & ~BIT(s.from)) | BIT(s.to), !p->black};
}

static uint64_t key_of(const struct position *p)
{
    uint64_t h = 0x9e3779b97f4a7c15u * (1u + p->black);
    uint64_t words[4] = {(uint64_t)p->own, (uint64_t)(p->own >> 64), (uint64_t)p->other,
                         (uint64_t)(p->other >> 64)};
    for (int i = 0; i < 4; i++) {
        h = (h ^ words[i]) * 0xd6e8feb86659fd93u;
        h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
        h ^= h >> 29;
    }
    return h;
}

/* 1: the player to move wins within so many plies, -1: loses, 0: not known. */
static int solve(const struct position *p, int depth)
{
    visited++;
    uint64_t key = key_of(p);
    struct entry *e = &table[key % TABLE];
    if (e->key == key && (e->value || e->depth >= depth)) return e->value;
    struct step steps[MOVES];
    uint32_t n = generate(p, steps);
    for (uint32_t i = 0; i < n; i++)
        if (steps[i].to / columns == (p->black ? 0 : rows - 1)) return 1;
    if (n == 0 || depth <= 1) return 0;
    int best = -1;
    for (uint32_t i = 0; i < n && best < 1; i++) {
        struct position next = make(p, steps[i]);
        int value = -solve(&next, depth - 1);
        if (value > best) best = value;
    }
    *e = (struct entry){key, (int8_t)depth, (int8_t)best};
    return best;
}

static bool read_board(struct heap *heap, const char *text, struct position *p, struct error *error)
{
    struct diagram_request q = diagram_request_default;
    struct diagram d;
    q.text = text;
    if (!diagram_open(heap, &q, &d, error)) return false;
    columns = d.columns;
    rows = d.rows;
    if (columns * rows > 128 || d.goals != DIAGRAM_GOAL_RANK)
        return error_set(error, ERROR_INPUT, "boards of up to 128 squares, without flags");
    *p = (struct position){0};
    for (uint32_t i = 0; i < columns * rows; i++) {
        const struct diagram_square *s = &d.squares[i];
        if (s->wall) walls |= BIT(i);
        if (s->kind == DIAGRAM_PAWN) *(s->owner == DIAGRAM_WHITE ? &p->own : &p->other) |= BIT(i);
        if (s->kind > DIAGRAM_PAWN) return error_set(error, ERROR_INPUT, "only pawns");
    }
    return true;
}

int main(int argc, char **argv)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error = {0};
    struct position start;
    if (argc < 2) return fprintf(stderr, "usage: pawns BOARD [PLIES]\n"), 2;
    int limit = argc > 2 ? atoi(argv[2]) : 30;
    table = calloc(TABLE, sizeof *table);
    if (!heap || !table || !HEAP_ENTER(heap, &guard, &error) || !read_board(heap, argv[1], &start, &error))
        return fprintf(stderr, "pawns: %s\n", error.code ? error.text : "out of memory"), 2;
    struct step steps[MOVES];
    uint32_t n = generate(&start, steps);
    for (uint32_t i = 0; i < n; i++) {
        struct position next = make(&start, steps[i]);
        int value = steps[i].to / columns == rows - 1;
        visited = 0;
        for (int depth = 1; depth <= limit && !value; depth++) value = -solve(&next, depth);
        printf("%c%u-%c%u %-8s %12" PRIu64 " positions\n", 'a' + steps[i].from % columns,
               steps[i].from / columns + 1, 'a' + steps[i].to % columns, steps[i].to / columns + 1,
               value > 0   ? "wins"
               : value < 0 ? "loses"
                           : "unknown",
               visited);
        fflush(stdout);
    }
    free(table);
    heap_leave(heap);
    heap_free(heap);
    return 0;
}
