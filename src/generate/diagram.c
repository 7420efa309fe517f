// SPDX-License-Identifier: GPL-3.0-or-later
/* A request made whole: defaults filled in, and everything refused that would not make a sound game. */
#include "generate/diagram.h"

#include <string.h>

#define INPUT(...) error_set(error, ERROR_INPUT, __VA_ARGS__)

static bool read_goals(const char *text, struct diagram *b, struct error *error)
{
    static const char *const names[] = {"rank", "flag", "capture"};
    b->goals = 0;
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, ","), i = 0;
        while (i < 3 && (strlen(names[i]) != n || strncmp(names[i], at, n) != 0)) i++;
        if (i == 3)
            return INPUT("goal is rank, flag or capture, or several with commas, or none; not '%.*s'", (int)n,
                         at);
        b->goals |= 1u << i;
        at += n + (at[n] == ',');
    }
    return true;
}

static bool read_score(const char *text, struct diagram *b, struct error *error)
{
    static const char *const names[] = {"draw", "penalties", "pieces"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) return b->score = (enum diagram_score)i, true;
    return INPUT("score is draw, penalties or pieces, not '%s'", text);
}

struct census {
    uint32_t pieces[2], hurdlers[2], flags[2], idlers, costs;
};

static struct census take_census(const struct diagram *b)
{
    struct census c = {0};
    for (uint32_t i = 0; i < b->columns * b->rows; i++) {
        const struct diagram_square *s = &b->squares[i];
        c.pieces[s->owner] += s->kind != DIAGRAM_NOTHING;
        c.hurdlers[s->owner] += s->kind == DIAGRAM_HURDLER;
        c.idlers += s->kind == DIAGRAM_IDLER;
        c.flags[s->flag_owner] += s->flag;
        c.costs += s->cost > 0;
    }
    return c;
}

/* What the picture suggests when nothing else is said. */
static void fill_defaults(struct diagram *b, const struct census *c)
{
    if (c->costs)
        b->score = DIAGRAM_PENALTIES;
    else
        b->goals = c->flags[0] && c->flags[1] ? DIAGRAM_GOAL_FLAG : DIAGRAM_GOAL_RANK;
}

static bool empty(const struct diagram *b, uint32_t x, uint32_t y)
{
    const struct diagram_square *s = diagram_at(b, x, y);
    return !s->wall && !s->kind;
}

/* Can the piece at that square move now? */
static bool mobile(const struct diagram *b, uint32_t x, uint32_t y)
{
    const struct diagram_square *s = diagram_at(b, x, y);
    if (s->kind == DIAGRAM_NOTHING || s->kind == DIAGRAM_IDLER) return s->kind == DIAGRAM_IDLER;
    uint32_t y2 = s->owner == DIAGRAM_WHITE ? y + 1 : y - 1; /* wraps below row 0 */
    if (y2 >= b->rows) return false;
    if (s->kind == DIAGRAM_HURDLER && !diagram_at(b, x, y2)->wall)
        for (int way = -1; way <= 1; way += 2)
            for (uint32_t x2 = x; x2 < b->columns && !diagram_at(b, x2, y2)->wall; x2 += (uint32_t)way)
                if (empty(b, x2, y2)) return true;
    if (s->kind == DIAGRAM_HURDLER) return false;
    for (int dx = -1; s->kind == DIAGRAM_PAWN && dx <= 1; dx += 2) {
        uint32_t x2 = x + (uint32_t)dx;
        if (x2 >= b->columns) continue;
        const struct diagram_square *t = diagram_at(b, x2, y2);
        if (empty(b, x2, y2) || (t->kind && t->owner != s->owner)) return true;
    }
    return empty(b, x, y2);
}

static bool sound(const struct diagram *b, const struct census *c, struct error *error)
{
    static const char *const who[] = {"White", "Black"};
    bool moves = false;
    for (int p = 0; p < 2; p++) {
        if (!c->pieces[p]) return INPUT("%s has no piece on the board", who[p]);
        if (c->hurdlers[p] > 1)
            return INPUT("%s has %u hurdlers; a move of theirs names only where it goes, so one is the most",
                         who[p], c->hurdlers[p]);
        if (b->goals & DIAGRAM_GOAL_FLAG && !c->flags[p])
            return INPUT("the goal is a flag, but there is none for %s (%c)", who[p], p ? 'f' : 'F');
    }
    for (uint32_t y = 0; y < b->rows; y++)
        for (uint32_t x = 0; x < b->columns; x++) {
            const struct diagram_square *s = diagram_at(b, x, y);
            moves |= mobile(b, x, y);
            if (b->goals & DIAGRAM_GOAL_RANK && s->kind && y == (s->owner == DIAGRAM_WHITE ? b->rows - 1 : 0))
                return INPUT("the %s on column %u, row %u stands on its goal rank already",
                             diagram_kind_name(s->kind), x + 1, y + 1);
        }
    if (!moves) return INPUT("nobody can move on this board");
    if (!b->goals && b->score == DIAGRAM_DRAW)
        return INPUT("without a goal and with score draw nobody could win");
    if (c->idlers && !b->limit)
        return INPUT("idle runners can be played for ever: the game needs a limit of moves");
    if (c->costs && b->score != DIAGRAM_PENALTIES)
        return INPUT("squares with penalty points mean something only with score penalties");
    if (!c->costs && b->score == DIAGRAM_PENALTIES)
        return INPUT("score penalties needs squares with penalty points, such as (1)");
    return true;
}

bool diagram_open(struct heap *heap, const struct diagram_request *q, struct diagram *out,
                  struct error *error)
{
    struct text text;
    text_init(&text, heap);
    *out = (struct diagram){0};
    if (!q->text == !q->like) return INPUT("either a board string or the name of a board is needed");
    if (q->like && !diagram_like(q, &text, out, error)) return false;
    if (!diagram_parse(heap, q->text ? q->text : text_str(&text), out, error)) return false;
    struct census census = take_census(out);
    if (q->text) fill_defaults(out, &census);
    if (q->goal && !read_goals(strcmp(q->goal, "none") == 0 ? "" : q->goal, out, error)) return false;
    if (q->score && !read_score(q->score, out, error)) return false;
    if (q->limit > DIAGRAM_MAX_LIMIT || q->limit < -1)
        return INPUT("the limit of moves is at most %d", DIAGRAM_MAX_LIMIT);
    if (q->limit >= 0) out->limit = (uint32_t)q->limit;
    if (q->trail) out->trail = true;
    return sound(out, &census, error);
}
