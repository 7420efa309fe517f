// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/api.h"

#include "analysis/draw.h"
#include "analysis/picture_svg.h"

#include <stdlib.h>
#include <string.h>

struct ludens_board {
    struct heap *heap;
    struct analysis *analysis;
    struct glyph **glyphs;
    uint32_t *roots, nroots; /* boards that are drawn of their own */
    json_t *layout;
    struct ludens_square *squares; /* of the board told last */
};

static void set_up(struct ludens_board *b)
{
    const struct analysis *a = b->analysis;
    b->glyphs = picture_glyphs(b->heap, a, true);
    b->roots = heap_zalloc(b->heap, (a->boards.n + 1) * sizeof *b->roots);
    for (uint32_t i = 0; i < a->boards.n; i++)
        if (a->boards.v[i].parent == i) b->roots[b->nroots++] = i;
    b->layout = layout_json(a, b->glyphs);
}

struct ludens_board *ludens_board_new(struct ludens_engine *engine, struct ludens_error *error)
{
    struct analysis_options sample = {.games = 10, .states = 2000, .seconds = 1, .seed = 1};
    struct ludens_board *b = calloc(1, sizeof *b);
    struct heap_guard guard;
    struct error inside = {.code = ERROR_MEMORY, .text = "there is no memory left"};
    sample.cancel = engine->stop;
    if (b) b->heap = heap_new(0);
    if (b && b->heap) b->analysis = analysis_new(engine_ask(engine), &sample, &inside);
    if (b && b->analysis && HEAP_ENTER(b->heap, &guard, &inside)) {
        set_up(b);
        heap_leave(b->heap);
        if (b->layout) return b;
    }
    ludens_board_free(b);
    tell(error, &inside);
    return NULL;
}

void ludens_board_free(struct ludens_board *board)
{
    if (!board) return;
    json_decref(board->layout);
    analysis_free(board->analysis);
    heap_free(board->heap);
    free(board->squares);
    free(board);
}

uint32_t ludens_board_count(const struct ludens_board *board)
{
    return board->nroots;
}

bool ludens_board_shape(const struct ludens_board *board, uint32_t number, struct ludens_board_shape *out)
{
    if (number >= board->nroots) return false;
    const struct board *b = &board->analysis->boards.v[board->roots[number]];
    *out = (struct ludens_board_shape){.name = symbol_name(board->analysis->terms, b->name),
                                       .width = b->x.n,
                                       .height = b->y.n,
                                       .planes = b->planes,
                                       .cells = b->cells};
    return true;
}

/* Pieces are numbered through all boards. */
static uint32_t first_piece(const struct ludens_board *b, uint32_t board)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < board; i++) n += b->analysis->boards.v[i].npieces;
    return n;
}

bool ludens_board_piece(const struct ludens_board *board, uint32_t piece, struct ludens_piece *out)
{
    const struct analysis *a = board->analysis;
    for (uint32_t i = 0; i < a->boards.n; i++) {
        if (piece < a->boards.v[i].npieces) {
            const struct glyph *g = &board->glyphs[i][piece];
            *out = (struct ludens_piece){.name = g->name,
                                         .sign = g->sign,
                                         .label = g->label,
                                         .figure = figure_names[g->figure],
                                         .tint = g->tint,
                                         .owner = a->boards.v[i].pieces[piece].owner};
            return true;
        }
        piece -= a->boards.v[i].npieces;
    }
    return false;
}

/* The picture of a state, shown to `use` while it lasts. */
struct view {
    struct ludens_board *board;
    struct picture picture;
    struct heap *heap;
    const struct terms *terms;
    struct list facts;
};

static bool with_picture(struct ludens_board *board, const struct ludens_state *state,
                         void (*use)(struct view *v, void *data), void *data, struct ludens_error *error)
{
    struct heap_guard guard;
    struct error inside = {.code = ERROR_MEMORY, .text = "there is no memory left"};
    struct reasoner *r = engine_ask(state->engine);
    const struct state *words = state_words(state, error);
    struct view v = {.board = board, .terms = r->terms};
    volatile bool good = false;
    if (!words) return false;
    if (r->game != board->analysis->game)
        return refuse(error, ERROR_INPUT, "the board is of another game than the state");
    if (!r->ops->facts(r, words, &v.facts)) {
        inside = r->error;
    } else if ((v.heap = heap_new(0)) && HEAP_ENTER(v.heap, &guard, &inside)) {
        picture_make(&v.picture, v.heap, board->analysis, board->glyphs, v.terms, &v.facts);
        use(&v, data);
        heap_leave(v.heap);
        good = true;
    }
    list_done(&v.facts);
    heap_free(v.heap);
    return good || tell(error, &inside);
}

struct squares {
    uint32_t number, count;
};

static void use_squares(struct view *v, void *data)
{
    struct squares *s = data;
    const struct canvas *c = &v->picture.canvases[s->number];
    const struct board *b = &v->board->analysis->boards.v[c->board];
    uint32_t n = 0;
    for (uint32_t cell = 0; cell < b->cells; cell++) n += c->squares[cell].things.n;
    struct ludens_square *grown = realloc(v->board->squares, (n + 1) * sizeof *grown);
    if (!grown) heap_fail(v->heap, ERROR_MEMORY, "there is no memory left");
    v->board->squares = grown;
    for (uint32_t cell = 0; cell < b->cells; cell++)
        for (uint32_t i = c->squares[cell].things.n; i-- > 0;) {
            const struct thing *t = &c->squares[cell].things.v[i];
            grown[s->count++] = (struct ludens_square){cell, first_piece(v->board, t->board) + t->piece};
        }
}

bool ludens_board_squares(struct ludens_board *board, uint32_t number, const struct ludens_state *state,
                          const struct ludens_square **squares, uint32_t *count, struct ludens_error *error)
{
    struct squares s = {number, 0};
    if (number >= board->nroots) return refuse(error, ERROR_INPUT, "there is no board %u", number);
    if (!with_picture(board, state, use_squares, &s, error)) return false;
    *squares = board->squares;
    *count = s.count;
    return true;
}

/* A text that is handed out: the caller's buffer, and the whole length. */
struct output {
    char *buffer;
    size_t size, length;
};

static void hand_out(struct output *o, const char *text)
{
    o->length = put_text(text, text ? strlen(text) : 0, o->buffer, o->size);
}

static void use_json(struct view *v, void *data)
{
    json_t *j = position_json(&v->picture, v->terms, &v->facts);
    char *text = j ? json_dumps(j, JSON_COMPACT) : NULL;
    hand_out(data, text);
    free(text);
    json_decref(j);
}

static void use_svg(struct view *v, void *data)
{
    json_t *j = position_json(&v->picture, v->terms, &v->facts);
    struct text t;
    text_init(&t, v->heap);
    picture_svg(v->board->layout, j, &t);
    hand_out(data, text_str(&t));
    json_decref(j);
}

size_t ludens_board_layout_json(struct ludens_board *board, char *buffer, size_t size)
{
    struct output out = {buffer, size, 0};
    char *text = json_dumps(board->layout, JSON_COMPACT);
    hand_out(&out, text);
    free(text);
    return out.length;
}

size_t ludens_board_position_json(struct ludens_board *board, const struct ludens_state *state, char *buffer,
                                  size_t size)
{
    struct output out = {buffer, size, 0};
    hand_out(&out, NULL);
    with_picture(board, state, use_json, &out, NULL);
    return out.length;
}

size_t ludens_board_svg(struct ludens_board *board, const struct ludens_state *state, char *buffer,
                        size_t size)
{
    struct output out = {buffer, size, 0};
    hand_out(&out, NULL);
    with_picture(board, state, use_svg, &out, NULL);
    return out.length;
}

size_t ludens_board_text(struct ludens_board *board, const struct ludens_state *state, uint32_t columns,
                         char *buffer, size_t size)
{
    struct board_style style = {.utf8 = true, .width = columns ? (int)columns : 80};
    struct output out = {buffer, size, 0};
    struct error inside;
    char *text = NULL;
    size_t length = 0;
    const struct state *words = state_words(state, NULL);
    struct reasoner *r = engine_ask(state->engine);
    FILE *file = words && r->game == board->analysis->game ? open_memstream(&text, &length) : NULL;
    bool good = file && board_draw(file, &style, board->analysis, r, words, NULL, &inside);
    if (file && fclose(file) != 0) good = false;
    hand_out(&out, good ? text : NULL);
    free(text);
    return out.length;
}
