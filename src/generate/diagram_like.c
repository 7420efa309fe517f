// SPDX-License-Identifier: GPL-3.0-or-later
/* The boards of 002 chapter 7 by name. The figures show one size of each; the text gives the rest. */
#include "generate/diagram.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct diagram_request diagram_request_default = {
    .lanes = 4, .length = 8, .active = 6, .factor = 4, .pawns = 6, .limit = -1};

const struct diagram_name diagram_names[] = {
    {"penalties", "--lanes --length", "a race in which every square off the safe lane costs one point"},
    {"shock-step", "--lanes --length", "the same; a square costs its distance from the safe lane"},
    {"punishment", "--lanes --length", "the same; the cost also grows with every row passed"},
    {"progression", "--active --factor", "ten runners each, some idle; first at a flag; a limit of moves"},
    {"optimistic", "--pawns", "Breakthrough with walls and a tempting mistake on either wing"},
    {0},
};

enum race { PENALTIES, SHOCK_STEP, PUNISHMENT };

/* What a square costs that lies so many lanes off the safe one and so many steps down the course. The text
 * gives the first two; of the third it says that it is the second and "gets progressively larger the further
 * the runner has advanced": one point more for every step. */
static uint32_t race_cost(enum race race, uint32_t distance, uint32_t advanced)
{
    if (distance == 0) return 0;
    return race == PENALTIES ? 1 : race == SHOCK_STEP ? distance : distance + advanced - 1;
}

/* Writes rows square by square; empty squares are counted until something else comes. */
struct writer {
    struct text *text;
    uint32_t empty;
};

static void write_empty(struct writer *w)
{
    if (w->empty) text_printf(w->text, "%u", w->empty);
    w->empty = 0;
}

static void write_square(struct writer *w, uint32_t cost, char contents)
{
    if (!cost && !contents) {
        w->empty++;
        return;
    }
    write_empty(w);
    if (cost && contents)
        text_printf(w->text, "(%u%c)", cost, contents);
    else if (cost)
        text_printf(w->text, "(%u)", cost);
    else
        text_char(w->text, contents);
}

static void write_row_end(struct writer *w, bool last)
{
    write_empty(w);
    if (!last) text_char(w->text, '/');
}

/* White's lanes, a wall, Black's lanes; the safe lanes are the outermost. Runners start in them, so that a
 * course of `length` squares takes length - 1 steps; every lane ends at a flag. */
static void race_text(enum race race, uint32_t lanes, uint32_t length, struct writer *w)
{
    uint32_t end = length - 1;
    for (uint32_t y = length; y-- > 0;) {
        for (uint32_t x = 0; x < lanes; x++)
            write_square(w, y ? race_cost(race, x, y) : 0, y == end ? 'F' : y == 0 && x == 0 ? 'H' : 0);
        write_square(w, 0, 'X');
        for (uint32_t x = lanes; x-- > 0;)
            write_square(w, y < end ? race_cost(race, x, end - y) : 0,
                         y == 0               ? 'f'
                         : y == end && x == 0 ? 'h'
                                              : 0);
        write_row_end(w, y == 0);
    }
}

/* Twenty lanes of ten squares, a runner in each: White's on the left, Black's on the right (figure 7.4). */
static void progression_text(uint32_t active, struct writer *w)
{
    for (uint32_t y = 10; y-- > 0;) {
        for (uint32_t x = 0; x < 10; x++)
            write_square(w, 0, y == 9 ? 'F' : y > 0 ? 0 : x < active ? 'R' : 'I');
        for (uint32_t x = 0; x < 10; x++)
            write_square(w, 0, y == 0 ? 'f' : y < 9 ? 0 : x < active ? 'r' : 'i');
        write_row_end(w, y == 0);
    }
}

/* Figure 7.8, put together from the text and the moves in table 7.1: walls on the files c and j; b5 can be
 * tempted to b6, where a7 captures it; k4 to k3, where l2 does; a half turn exchanges the players. */
static const struct {
    int64_t pawns;
    const char *black, *white; /* the 8th and 7th rank, the 2nd and 1st */
} optimistic[] = {
    {6, "2X3pppX2/ppX3pppX2", "2XPPP3XPP/2XPPP3X2"},
    {4, "2X4ppX2/ppX4ppX2", "2XPP4XPP/2XPP4X2"},
    {2, "2X5pX2/ppX5pX2", "2XP5XPP/2XP5X2"},
    {1, "2X6X2/ppX5pX2", "2XP5XPP/2X6X2"},
};

static bool optimistic_text(int64_t pawns, struct text *t, struct error *error)
{
    for (size_t i = 0; i < sizeof optimistic / sizeof *optimistic; i++)
        if (optimistic[i].pawns == pawns) {
            text_printf(t, "%s/2X6X2/1PX6X2/2X6Xp1/2X6X2/%s", optimistic[i].black, optimistic[i].white);
            return true;
        }
    return error_set(error, ERROR_INPUT, "pawns is 1, 2, 4 or 6, not %lld", (long long)pawns);
}

static bool within(const char *what, int64_t value, int64_t min, int64_t max, struct error *error)
{
    return (value >= min && value <= max) ||
           error_set(error, ERROR_INPUT, "%s is from %lld to %lld, not %lld", what, (long long)min,
                     (long long)max, (long long)value);
}

bool diagram_like(const struct diagram_request *q, struct text *t, struct diagram *out, struct error *error)
{
    struct writer w = {t, 0};
    char all[200] = "";
    size_t which = 0;
    while (diagram_names[which].name && strcmp(diagram_names[which].name, q->like) != 0) {
        snprintf(all + strlen(all), sizeof all - strlen(all), " %s", diagram_names[which].name);
        which++;
    }
    out->name = diagram_names[which].name;
    switch (which) {
    case PENALTIES:
    case SHOCK_STEP:
    case PUNISHMENT:
        /* two courses and a wall must fit */
        if (!within("lanes", q->lanes, 1, (DIAGRAM_MAX_SIDE - 1) / 2, error) ||
            !within("length", q->length, 2, DIAGRAM_MAX_SIDE, error))
            return false;
        race_text((enum race)which, (uint32_t)q->lanes, (uint32_t)q->length, &w);
        out->score = DIAGRAM_PENALTIES;
        out->trail = true;
        return true;
    case 3:
        if (!within("active", q->active, 0, 10, error) ||
            !within("factor", q->factor, 1, DIAGRAM_MAX_LIMIT / 18, error))
            return false;
        progression_text((uint32_t)q->active, &w);
        out->goals = DIAGRAM_GOAL_FLAG;
        out->limit = (uint32_t)q->factor * 18;
        return true;
    case 4: out->goals = DIAGRAM_GOAL_RANK; return optimistic_text(q->pawns, t, error);
    }
    return error_set(error, ERROR_INPUT, "there is no board '%s'; there are:%s", q->like, all);
}

double diagram_race_nodes(uint32_t lanes, uint32_t length)
{
    /* 1 + n + n^2 + ... + n^plies, counted from the far end in logarithms */
    uint32_t plies = 2 * (length - 1);
    if (lanes < 2) return log10(plies + 1.0);
    double tail = 0;
    for (uint32_t d = 0; d <= plies; d++) tail = 1 + tail / lanes;
    return plies * log10(lanes) + log10(tail);
}
