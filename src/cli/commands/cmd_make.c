// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens make: rule sheets made to measure. */
#include "base/file.h"
#include "cli/commands.h"
#include "generate/diagram.h"

#include <string.h>

#define MAKE_MEMORY ((size_t)1 << 30)

enum { MOST_LANES = (DIAGRAM_MAX_SIDE - 1) / 2, MOST_FACTOR = DIAGRAM_MAX_LIMIT / 18 };

static const char about_board[] =
    "Write the rules of a board game from a picture of its board, as in chess diagrams: rows from the\n"
    "top, '/' between them.\n"
    "\n"
    "    1 2 .. 12  so many empty squares      ludens make board '1F1f/(2)1Xr/R1X1'\n"
    "    P p        pawn\n"
    "    R r        runner                      3  . F . f\n"
    "    I i        idle runner                 2  2 . X r\n"
    "    H h        hurdler                     1  R . X .\n"
    "    X          wall                           1 2 3 4\n"
    "    F f        flag\n"
    "    (2)        a square that costs 2 points to step on; (2F) with something on it\n"
    "\n"
    "Capitals are White's, who moves up the board and begins. A pawn steps one square straight or\n"
    "slantwise forward and captures slantwise; a runner steps straight forward; an idle runner can be\n"
    "played but stays; a hurdler steps one row forward, to any lane it can get to along that row\n"
    "without crossing a wall. Who cannot move passes; when nobody can, the game is over.\n"
    "\n"
    "Without --goal and --score, squares with points mean score penalties, flags mean goal flag, and\n"
    "other boards goal rank.";

struct make_options {
    struct diagram_request request;
    const char *output;
    bool string, draw;
};

/* What the help says, with the boards there are; the names for the table. */
static void describe(char *about, size_t room, char *names, size_t size)
{
    size_t have =
        (size_t)snprintf(about, room, "%s\n\nBoards for --like (Finnsson 2012, chapter 7):\n", about_board);
    for (const struct diagram_name *n = diagram_names; n->name && have < room; n++) {
        have += (size_t)snprintf(about + have, room - have, "  %-12s %s (%s)%s", n->name, n->help,
                                 n->parameters, n[1].name ? "\n" : "");
        options_add_choice(names, size, n->name);
    }
}

static bool deliver(const struct make_options *o, const struct text *text, struct error *error)
{
    if (o->output && strcmp(o->output, "-") != 0)
        return file_replace(o->output, text_str(text), text->n, error);
    if (fwrite(text_str(text), 1, text->n, stdout) == text->n && fflush(stdout) == 0) return true;
    return error_set(error, ERROR_SYSTEM, "standard output: cannot write");
}

static int make_board(const struct make_options *o)
{
    struct error error = {0};
    struct heap_guard guard;
    struct heap *heap = heap_new(MAKE_MEMORY);
    volatile bool good = false;
    if (heap && HEAP_ENTER(heap, &guard, &error)) {
        struct diagram board;
        struct text out;
        text_init(&out, heap);
        if (diagram_open(heap, &o->request, &board, &error)) {
            if (o->string)
                text_printf(&out, "%s\n", board.text);
            else if (o->draw)
                diagram_draw(&board, "", &out);
            else
                diagram_rules(heap, &board, &out);
            good = deliver(o, &out, &error);
        }
        heap_leave(heap);
    }
    if (!heap) error_set(&error, ERROR_MEMORY, "out of memory");
    heap_free(heap);
    return good ? EXIT_YES : command_trouble("make board", &error);
}

static int cmd_make_board(int argc, char **argv)
{
    struct make_options o = {.request = diagram_request_default};
    struct diagram_request *q = &o.request;
    char about[4000], likes[200] = "";
    describe(about, sizeof about, likes, sizeof likes);
    const struct option table[] = {
        {"goal", 0, OPTION_STRING, &q->goal, .value = "LIST",
         .help = "who first does this wins: rank, flag, capture (all pieces), several with commas, or none"},
        {"score", 0, OPTION_STRING, &q->score, .value = "HOW", .choices = "draw|penalties|pieces",
         .help = "a game nobody won is a draw, or who has fewer penalty points wins, or more pieces"},
        {"limit", 0, OPTION_INT, &q->limit, .min = -1, .max = DIAGRAM_MAX_LIMIT, .value = "N",
         .help = "the game ends after N moves; 0: no limit, -1: what the board says"},
        {"trail", 0, OPTION_FLAG, &q->trail,
         .help = "keep the squares entered in the state, so that no two paths lead to the same state"},
        {"like", 'L', OPTION_STRING, &q->like, .value = "NAME", .choices = likes,
         .help = "a board of the list above"},
        {"lanes", 0, OPTION_INT, &q->lanes, .min = 1, .max = MOST_LANES, .value = "N",
         .help = "lanes of each player"},
        {"length", 0, OPTION_INT, &q->length, .min = 2, .max = DIAGRAM_MAX_SIDE, .value = "N",
         .help = "squares of a lane"},
        {"active", 0, OPTION_INT, &q->active, .min = 0, .max = 10, .value = "N",
         .help = "runners of each player that are not idle"},
        {"factor", 0, OPTION_INT, &q->factor, .min = 1, .max = MOST_FACTOR, .value = "N",
         .help = "limit in units of 18 moves"},
        {"pawns", 0, OPTION_INT, &q->pawns, .min = 1, .max = 6, .value = "N",
         .help = "pawns of each player in the midfield: 1, 2, 4 or 6"},
        {"output", 'o', OPTION_STRING, &o.output, .value = "FILE",
         .help = "write there; -: to standard output"},
        {"string", 0, OPTION_FLAG, &o.string, .help = "print the board string instead of the rules"},
        {"draw", 0, OPTION_FLAG, &o.draw, .help = "draw the board instead"},
        {0}};
    int operands, status;
    if (!command_begin("make board [STRING | --like NAME] [OPTION...]", about, table, 0, 1, argc, argv,
                       &operands, &status))
        return status;
    if (operands) q->text = argv[1];
    return make_board(&o);
}

const struct command make_words[] = {
    {"board", "the rules of a board game from a picture of its board", .run = cmd_make_board},
    {0},
};
