// SPDX-License-Identifier: GPL-3.0-or-later
/* The rules of a board as GDL. Only what the board needs is written, so that a sheet has no unused relation
 * and reads as if somebody had written it for this game. */
#include "gdl/format.h"
#include "generate/diagram.h"

#include <string.h>

struct sheet {
    const struct diagram *board;
    struct text text;
    bool kinds[DIAGRAM_KINDS]; /* which there are */
    bool walls, flags, steps /* somebody moves by (move ...) */, captures, counts /* points */;
    bool halt; /* pieces stop on flags in the middle of the board */
    uint32_t army[2], digits;
};

#define SAY(...) text_printf(&s->text, __VA_ARGS__)

static void survey(struct sheet *s)
{
    const struct diagram *b = s->board;
    uint32_t dearest = 0;
    for (uint32_t i = 0; i < b->columns * b->rows; i++) {
        const struct diagram_square *q = &b->squares[i];
        uint32_t last = q->flag_owner == DIAGRAM_WHITE ? b->rows - 1 : 0;
        s->kinds[q->kind] = true;
        s->walls |= q->wall;
        s->flags |= q->flag;
        s->halt |= q->flag && i / b->columns != last && !(b->goals & DIAGRAM_GOAL_FLAG);
        if (q->kind) s->army[q->owner]++;
        if (q->cost > dearest) dearest = q->cost;
    }
    s->steps = s->kinds[DIAGRAM_PAWN] || s->kinds[DIAGRAM_RUNNER];
    s->captures = s->kinds[DIAGRAM_PAWN];
    s->counts = b->score != DIAGRAM_DRAW;
    /* the most points a player can collect */
    uint32_t most = s->army[0] > s->army[1] ? s->army[0] : s->army[1];
    if (b->score == DIAGRAM_PENALTIES) most *= (b->rows - 1) * dearest;
    while (s->digits < 31 && most >> s->digits) s->digits++;
}

/* --- What stands before the rules */

static void write_story(struct sheet *s)
{
    const struct diagram *b = s->board;
    SAY("; %s\n;\n; White moves up the board and begins.", b->name ? b->name : "A board game");
    if (s->kinds[DIAGRAM_PAWN])
        SAY("\n; A pawn (P, p) steps one square straight or slantwise forward, and captures\n; slantwise.");
    if (s->kinds[DIAGRAM_RUNNER]) SAY("\n; A runner (R, r) steps one square straight forward.");
    if (s->kinds[DIAGRAM_IDLER]) SAY("\n; An idle runner (I, i) may be played, but stays where it is.");
    if (s->kinds[DIAGRAM_HURDLER])
        SAY("\n; A hurdler (H, h) steps one row forward, to any lane it can get to along\n; that row without "
            "crossing a wall.");
    if (s->halt) SAY("\n; A piece on a flag of its colour (F, f) has arrived and moves no more.");
    SAY("\n; Who cannot move passes.\n;\n");
    if (b->goals) {
        SAY("; Who first");
        const char * or = "";
        if (b->goals & DIAGRAM_GOAL_RANK) SAY(" brings a piece to the far rank"), or = " or";
        if (b->goals & DIAGRAM_GOAL_FLAG)
            SAY("%s brings a piece to a flag of its colour (F, f)", or), or = " or";
        if (b->goals & DIAGRAM_GOAL_CAPTURE) SAY("%s captures all the opponent's pieces", or);
        SAY(", wins.\n");
    }
    SAY("; The game is over when nobody can move any more%s", b->limit ? ", " : "");
    if (b->limit) SAY("or after %u moves", b->limit);
    SAY(b->score == DIAGRAM_DRAW ? ":\n; a draw.\n"
        : b->score == DIAGRAM_PIECES
            ? ":\n; then more pieces win.\n"
            : ":\n; then fewer penalty points win. A number on the board is what "
              "stepping on\n; its square costs (those below pieces and flags are not "
              "drawn).\n");
    if (b->trail) SAY("; The state keeps all squares entered: paths that meet stay apart.\n");
    SAY(";\n");
    diagram_draw(b, ";  ", &s->text);
    SAY(";\n; Source: Finnsson 2012, chapter 7; generated from\n");
    /* long strings continue on the next line */
    for (size_t at = 0, n = strlen(b->text); at < n; at += 76)
        SAY(";  %.*s\n", (int)(n - at < 76 ? n - at : 76), b->text + at);
    SAY("\n");
}

static void write_geometry(struct sheet *s)
{
    const struct diagram *b = s->board;
    SAY("(role white)\n(role black)\n\n(opponent white black)\n(opponent black white)\n\n");
    for (enum diagram_kind k = DIAGRAM_PAWN; k < DIAGRAM_KINDS; k++) {
        bool has[2] = {false, false};
        for (uint32_t i = 0; i < b->columns * b->rows; i++)
            if (b->squares[i].kind == k) has[b->squares[i].owner] = true;
        for (int p = 0; p < 2; p++)
            if (has[p])
                SAY("(piece %s%c%s %s %s)\n", diagram_player_name(p), diagram_kind_name(k)[0] - 32,
                    diagram_kind_name(k) + 1, diagram_player_name(p), diagram_kind_name(k));
    }
    SAY("\n");
    uint32_t numbers = b->columns > b->rows ? b->columns : b->rows;
    if (b->limit + 1 > numbers) numbers = b->limit + 1;
    if (s->counts && s->digits > numbers) numbers = s->digits;
    for (uint32_t x = 1; x <= b->columns; x++) SAY("(column %u)\n", x);
    SAY("\n");
    for (uint32_t y = 1; y <= b->rows; y++) SAY("(row %u)\n", y);
    SAY("\n");
    for (uint32_t n = 1; n < numbers; n++) SAY("(succ %u %u)\n", n, n + 1);
    SAY("\n");
    if (s->kinds[DIAGRAM_PAWN] || s->kinds[DIAGRAM_RUNNER] || s->kinds[DIAGRAM_HURDLER])
        SAY("(<= (forward white ?y ?y2) (row ?y2) (succ ?y ?y2))\n"
            "(<= (forward black ?y ?y2) (row ?y) (succ ?y2 ?y))\n");
    for (uint32_t x = 0; x < b->columns; x++)
        for (uint32_t y = 0; y < b->rows; y++)
            if (diagram_at(b, x, y)->wall) SAY("(wall %u %u)\n", x + 1, y + 1);
    SAY("\n");
    bool flags_matter = b->goals & DIAGRAM_GOAL_FLAG || s->halt;
    for (uint32_t y = 0; y < b->rows; y++)
        for (uint32_t x = 0; x < b->columns; x++) {
            const struct diagram_square *q = diagram_at(b, x, y);
            if (q->flag && flags_matter)
                SAY("(flag %s %u %u)\n", diagram_player_name(q->flag_owner), x + 1, y + 1);
        }
    if (b->goals & DIAGRAM_GOAL_RANK) SAY("\n(target white %u)\n(target black 1)\n", b->rows);
    SAY("\n");
}

/* --- base and input: what can be true, what can be done */

static void write_possible_facts(struct sheet *s)
{
    const struct diagram *b = s->board;
    SAY("(<= (base (cell ?x ?y ?piece)) (column ?x) (row ?y) (piece ?piece ?player ?kind))\n");
    if (s->walls) SAY("(<= (base (cell ?x ?y wall)) (wall ?x ?y))\n");
    if (b->trail) SAY("(<= (base (trail ?x ?y)) (column ?x) (row ?y))\n");
    SAY("(<= (base (control ?player)) (role ?player))\n");
    if (s->counts) SAY("(<= (base (points ?player ?digit)) (role ?player) (digit ?digit))\n");
    if (b->limit) SAY("(base (step 1))\n(<= (base (step ?n2)) (succ ?n ?n2))\n");
    if (s->steps) SAY("(<= (input ?player (move ?x ?y ?x2 ?y2)) (way ?player ?kind ?x ?y ?x2 ?y2))\n");
    if (s->kinds[DIAGRAM_HURDLER])
        SAY("(<= (input ?player (run ?x ?y)) (piece ?piece ?player hurdler) (column ?x) (row ?y))\n");
    if (s->kinds[DIAGRAM_IDLER])
        SAY("(<= (input ?player (idle ?x ?y)) (piece ?piece ?player idler) (column ?x) (row ?y))\n");
    SAY("(<= (input ?player noop) (role ?player))\n\n");
}

static void write_init(struct sheet *s)
{
    const struct diagram *b = s->board;
    SAY("; A cell without a fact is empty.\n");
    if (s->walls) SAY("(<= (init (cell ?x ?y wall)) (wall ?x ?y))\n");
    for (uint32_t y = 0; y < b->rows; y++)
        for (uint32_t x = 0; x < b->columns; x++) {
            const struct diagram_square *q = diagram_at(b, x, y);
            if (q->kind)
                SAY("(init (cell %u %u %s%c%s))\n", x + 1, y + 1, diagram_player_name(q->owner),
                    diagram_kind_name(q->kind)[0] - 32, diagram_kind_name(q->kind) + 1);
        }
    /* With score pieces the smaller army starts with the pieces it lacks: fewer points are more pieces. */
    for (int p = 0; p < 2 && b->score == DIAGRAM_PIECES; p++)
        for (uint32_t d = 0; d < s->digits; d++)
            if (s->army[!p] > s->army[p] && (s->army[!p] - s->army[p]) >> d & 1)
                SAY("(init (points %s %u))\n", diagram_player_name(p), d + 1);
    if (b->limit) SAY("(init (step 1))\n");
    SAY("(init (control white))\n\n");
}

/* --- Moves */

static void write_legal(struct sheet *s)
{
    SAY("(<= (legal ?player ?move) (true (control ?player)) (possible ?player ?move))\n"
        "; Who waits, and who cannot move, passes.\n"
        "(<= (legal ?player noop) (role ?player) (not (true (control ?player))))\n"
        "(<= (legal ?player noop) (true (control ?player)) (not (mobile ?player)))\n\n");
}

static void write_next(struct sheet *s)
{
    const struct diagram *b = s->board;
    if (s->steps)
        SAY("(<= (next (cell ?x2 ?y2 ?piece)) (does ?player (move ?x ?y ?x2 ?y2))"
            " (true (cell ?x ?y ?piece)))\n");
    if (s->kinds[DIAGRAM_HURDLER])
        SAY("(<= (next (cell ?x ?y ?piece)) (does ?player (run ?x ?y)) (piece ?piece ?player hurdler))\n");
    SAY("(<= (next (cell ?x ?y ?piece)) (true (cell ?x ?y ?piece))%s)\n",
        s->steps || s->kinds[DIAGRAM_HURDLER] ? " (not (changed ?x ?y))" : "");
    if (b->trail) {
        SAY("(<= (next (trail ?x ?y)) (entered ?player ?x ?y))\n"
            "(<= (next (trail ?x ?y)) (true (trail ?x ?y)))\n");
    }
    SAY("(<= (next (control ?player)) (role ?player) (not (true (control ?player))))\n");
    if (s->counts)
        SAY("; One digit of the sum: the old digit, the digit added and the carry, an odd number of them.\n"
            "(<= (next (points ?player ?digit)) (odd ?player ?digit) (not (carry ?player ?digit)))\n"
            "(<= (next (points ?player ?digit)) (carry ?player ?digit) (not (odd ?player ?digit)))\n");
    if (b->limit) SAY("(<= (next (step ?n2)) (true (step ?n)) (succ ?n ?n2))\n");
    SAY("\n");
}

static void write_end(struct sheet *s)
{
    const struct diagram *b = s->board;
    if (b->goals) SAY("(<= terminal (won ?player))\n");
    SAY("(<= terminal (not (mobile white)) (not (mobile black)))\n");
    if (b->limit) SAY("(<= terminal (true (step %u)))\n", b->limit + 1);
    SAY("\n");
    if (b->goals)
        SAY("(<= (goal ?player 100) (won ?player))\n"
            "(<= (goal ?player 0) (opponent ?player ?other) (won ?other))\n");
    const char *undecided = b->goals ? " (not decided)" : "";
    if (s->counts)
        SAY("(<= (goal ?player 100)%s (fewer ?player ?other))\n"
            "(<= (goal ?player 0)%s (fewer ?other ?player))\n"
            "(<= (goal ?player 50) (role ?player)%s (not unequal))\n",
            undecided, undecided, undecided);
    else
        SAY("(<= (goal ?player 50) (role ?player)%s)\n", undecided);
    SAY("\n; ---------------------------------------------------------------- helpers\n\n");
}

/* --- Helpers */

static void write_ways(struct sheet *s)
{
    if (s->steps) {
        SAY("; (way ?player ?kind ?x ?y ?x2 ?y2): the squares a piece of that kind may step to.\n");
        SAY("(<= (way ?player ?kind ?x ?y ?x ?y2) (steps ?kind) (column ?x) (forward ?player ?y ?y2))\n");
        if (s->kinds[DIAGRAM_PAWN])
            SAY("(<= (way ?player pawn ?x ?y ?x2 ?y2) (slant ?player ?x ?y ?x2 ?y2))\n"
                "(<= (slant ?player ?x ?y ?x2 ?y2) (forward ?player ?y ?y2) (neighbour ?x ?x2))\n\n");
        if (s->kinds[DIAGRAM_PAWN]) SAY("(steps pawn)\n");
        if (s->kinds[DIAGRAM_RUNNER]) SAY("(steps runner)\n");
        SAY("\n");
    }
    if (s->kinds[DIAGRAM_PAWN] || s->kinds[DIAGRAM_HURDLER])
        SAY("(<= (neighbour ?x ?x2) (column ?x2) (succ ?x ?x2))\n"
            "(<= (neighbour ?x2 ?x) (column ?x2) (succ ?x ?x2))\n");
    if (s->kinds[DIAGRAM_HURDLER]) {
        SAY("; (along ?x ?x2 ?y): in row ?y no wall stands from one lane to the other.\n"
            "(<= (along ?x ?x ?y) (floor ?x ?y))\n"
            "(<= (along ?x ?x3 ?y) (along ?x ?x2 ?y) (neighbour ?x2 ?x3) (floor ?x3 ?y))\n");
        if (s->walls)
            SAY("(<= (floor ?x ?y) (column ?x) (row ?y) (not (wall ?x ?y)))\n");
        else
            SAY("(<= (floor ?x ?y) (column ?x) (row ?y))\n");
    }
    SAY("\n");
}

static void write_moves(struct sheet *s)
{
    const char *halt = s->halt ? " (not (flag ?player ?x ?y))" : "";
    SAY("; (possible ?player ?move): what the player could do, in turn or not.\n");
    if (s->steps)
        SAY("(<= (possible ?player (move ?x ?y ?x2 ?y2)) (true (cell ?x ?y ?piece)) (piece ?piece ?player "
            "?kind) (way ?player ?kind ?x ?y ?x2 ?y2) (not (occupied ?x2 ?y2))%s)\n",
            halt);
    if (s->captures)
        SAY("; Pawns capture what stands aslant.\n"
            "(<= (possible ?player (move ?x ?y ?x2 ?y2)) (true (cell ?x ?y ?piece)) (piece ?piece ?player "
            "pawn) (slant ?player ?x ?y ?x2 ?y2) (true (cell ?x2 ?y2 ?victim)) (piece ?victim ?other "
            "?kind) (opponent ?player ?other)%s)\n",
            halt);
    if (s->kinds[DIAGRAM_HURDLER])
        SAY("(<= (possible ?player (run ?x2 ?y2)) (within ?player ?x2 ?y2) (not (occupied ?x2 ?y2)))\n"
            "(<= (within ?player ?x2 ?y2) (true (cell ?x ?y ?piece)) (piece ?piece ?player hurdler) (forward "
            "?player ?y ?y2) (along ?x ?x2 ?y2)%s)\n",
            halt);
    if (s->kinds[DIAGRAM_IDLER])
        SAY("(<= (possible ?player (idle ?x ?y)) (true (cell ?x ?y ?piece)) (piece ?piece ?player idler))\n");
    SAY("(<= (mobile ?player) (possible ?player ?move))\n");
    if (s->steps || s->kinds[DIAGRAM_HURDLER]) SAY("(<= (occupied ?x ?y) (true (cell ?x ?y ?piece)))\n\n");
    if (s->steps || s->kinds[DIAGRAM_HURDLER])
        SAY("; What a move changes: the square it leaves, and the one it enters.\n");
    if (s->steps) SAY("(<= (changed ?x ?y) (does ?player (move ?x ?y ?x2 ?y2)))\n");
    if (s->kinds[DIAGRAM_HURDLER])
        SAY("(<= (changed ?x ?y) (running ?player) (true (cell ?x ?y ?piece)) (piece ?piece ?player "
            "hurdler))\n(<= (running ?player) (does ?player (run ?x ?y)))\n");
    if (s->steps || s->kinds[DIAGRAM_HURDLER]) SAY("(<= (changed ?x ?y) (entered ?player ?x ?y))\n");
    if (s->steps) SAY("(<= (entered ?player ?x2 ?y2) (does ?player (move ?x ?y ?x2 ?y2)))\n");
    if (s->kinds[DIAGRAM_HURDLER]) SAY("(<= (entered ?player ?x ?y) (does ?player (run ?x ?y)))\n");
    SAY("\n");
}

static void write_points(struct sheet *s)
{
    const struct diagram *b = s->board;
    SAY("; Points are counted in binary: (points ?player ?digit) holds for the digits that are one, the\n"
        "; first being the lowest.%s\n",
        b->score == DIAGRAM_PIECES ? " A point is a piece lost." : "");
    for (uint32_t d = 1; d <= s->digits; d++) SAY("(digit %u)\n", d);
    if (b->score == DIAGRAM_PIECES) {
        SAY("\n(<= (added ?other 1) (entered ?player ?x ?y) (true (cell ?x ?y ?victim)) (piece ?victim "
            "?other ?kind))\n");
    } else {
        bool used[DIAGRAM_MAX_COST + 1] = {false};
        SAY("\n(<= (added ?player ?digit) (entered ?player ?x ?y) (penalty ?x ?y ?points) (binary ?points "
            "?digit))\n");
        for (uint32_t y = 0; y < b->rows; y++)
            for (uint32_t x = 0; x < b->columns; x++) {
                uint32_t cost = diagram_at(b, x, y)->cost;
                if (cost) SAY("(penalty %u %u %u)\n", x + 1, y + 1, cost), used[cost] = true;
            }
        SAY("\n; (binary ?points ?digit): the digits of that number that are one.\n");
        for (uint32_t n = 1; n <= DIAGRAM_MAX_COST; n++)
            for (uint32_t d = 0; used[n] && n >> d; d++)
                if (n >> d & 1) SAY("(binary %u %u)\n", n, d + 1);
    }
    SAY("\n(<= (odd ?player ?digit) (true (points ?player ?digit)) (not (added ?player ?digit)))\n"
        "(<= (odd ?player ?digit) (added ?player ?digit) (not (true (points ?player ?digit))))\n"
        "(<= (carry ?player ?digit2) (digit ?digit2) (succ ?digit ?digit2) (true (points ?player ?digit)) "
        "(added ?player ?digit))\n"
        "(<= (carry ?player ?digit2) (digit ?digit2) (succ ?digit ?digit2) (odd ?player ?digit) (carry "
        "?player ?digit))\n"
        "; (fewer ?player ?other): the highest digit in which they differ decides.\n"
        "(<= (fewer ?player ?other) (lower ?player ?other ?digit) (not (differAbove ?digit)))\n"
        "(<= (lower ?player ?other ?digit) (opponent ?player ?other) (true (points ?other ?digit)) (not "
        "(true "
        "(points ?player ?digit))))\n"
        "(<= (differAbove ?digit) (digit ?digit2) (succ ?digit ?digit2) (lower ?player ?other ?digit2))\n"
        "(<= (differAbove ?digit) (digit ?digit2) (succ ?digit ?digit2) (differAbove ?digit2))\n"
        "(<= unequal (lower ?player ?other ?digit))\n\n");
}

static void write_wins(struct sheet *s)
{
    const struct diagram *b = s->board;
    if (b->goals & DIAGRAM_GOAL_RANK)
        SAY("(<= (won ?player) (true (cell ?x ?y ?piece)) (piece ?piece ?player ?kind) (target ?player "
            "?y))\n");
    if (b->goals & DIAGRAM_GOAL_FLAG)
        SAY("(<= (won ?player) (true (cell ?x ?y ?piece)) (piece ?piece ?player ?kind) (flag ?player ?x "
            "?y))\n");
    if (b->goals & DIAGRAM_GOAL_CAPTURE)
        SAY("(<= (won ?player) (opponent ?player ?other) (not (alive ?other)))\n"
            "(<= (alive ?player) (true (cell ?x ?y ?piece)) (piece ?piece ?player ?kind))\n");
    if (b->goals) SAY("(<= decided (won ?player))\n");
}

void diagram_rules(struct heap *heap, const struct diagram *board, struct text *out)
{
    struct sheet sheet = {.board = board}, *s = &sheet;
    text_init(&s->text, heap);
    survey(s);
    write_story(s);
    write_geometry(s);
    write_possible_facts(s);
    write_init(s);
    write_legal(s);
    write_next(s);
    write_end(s);
    write_ways(s);
    write_moves(s);
    if (s->counts) write_points(s);
    write_wins(s);
    struct source *source = source_copy(heap, "board", text_str(&s->text), s->text.n);
    struct diags diags;
    diags_init(&diags, heap, source);
    struct syntax *syntax = syntax_parse(heap, source, &diags);
    if (diags.errors) heap_fail(heap, ERROR_INTERNAL, "the generated rules cannot be read");
    format_sheet(heap, syntax, out);
}
