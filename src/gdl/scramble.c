// SPDX-License-Identifier: GPL-3.0-or-later
#include "gdl/scramble.h"

#include "base/rng.h"
#include "gdl/format.h"

#include <string.h>

/* ---- words ---- */

#define PICK(rng, list) (list)[rng_below(rng, sizeof(list) / sizeof *(list))]

static size_t make_word(struct rng *rng, uint32_t syllables, char *word)
{
    static const char *const onsets[] = {"b",  "d",  "f",  "g",  "h",  "k",  "l",  "m",  "n",  "p",
                                         "r",  "s",  "t",  "v",  "w",  "z",  "br", "ch", "dr", "fl",
                                         "gr", "kr", "pl", "sh", "sk", "st", "th", "tr"};
    static const char *const vowels[] = {"a", "e", "i", "o",  "u",  "a",  "e",
                                         "i", "o", "u", "ai", "ee", "oo", "ou"};
    static const char *const codas[] = {"", "", "", "", "l", "m", "n", "r", "s", "t", "nd", "st"};
    size_t n = 0;
    for (uint32_t i = 0; i < syllables; i++) {
        const char *parts[] = {PICK(rng, onsets), PICK(rng, vowels),
                               i + 1 == syllables ? PICK(rng, codas) : ""};
        for (int k = 0; k < 3; k++) {
            memcpy(word + n, parts[k], strlen(parts[k]));
            n += strlen(parts[k]);
        }
    }
    return n;
}

/* A word that is no keyword, nor in the sheet, nor given away already: those are the names known so far.
 * Longer words when short ones become rare. */
static symbol new_word(struct scramble *s, struct rng *rng, bool variable)
{
    char word[64] = "?";
    for (uint32_t tries = 0;; tries++) {
        uint32_t syllables = 2 + tries / 8;
        if (syllables > 10) syllables = 10;
        size_t n = 1 + make_word(rng, syllables + (rng_below(rng, 3) == 0), word + 1);
        /* a word must not be used as a variable and as a name: that would only confuse */
        if (symbol_find(s->names, word, n) || symbol_find(s->names, word + 1, n - 1)) continue;
        return variable ? symbol_intern(s->names, word, n) : symbol_intern(s->names, word + 1, n - 1);
    }
}

static void link_names(struct scramble *s, symbol from, symbol to)
{
    vec_resize_zero(s->heap, &s->forward, s->names->names.n);
    vec_resize_zero(s->heap, &s->back, s->names->names.n);
    s->forward.v[from] = to;
    s->back.v[to] = from;
}

/* ---- the map of a sheet ---- */

static bool is_number(const char *name)
{
    if (*name == '-' || *name == '+') name++;
    return *name && strspn(name, "0123456789") == strlen(name);
}

struct scramble *scramble_new(struct heap *heap, const struct syntax *syntax, struct scramble_options options)
{
    struct scramble *s = heap_zalloc(heap, sizeof *s);
    s->heap = heap;
    s->names = terms_new(heap);
    for (uint32_t i = 1; i < syntax->nodes.n; i++)
        if (syntax->nodes.v[i].kind != NODE_LIST)
            symbol_intern(s->names, node_text(syntax, i), syntax->nodes.v[i].length);
    symbol end = s->names->names.n;
    bool *goal_value = heap_zalloc(heap, end);
    if (options.numbers) goal_values_mark(heap, syntax, s->names, goal_value);
    struct rng rng;
    rng_init(&rng, options.seed);
    for (symbol from = KW_COUNT; from < end; from++) {
        const char *name = symbol_name(s->names, from);
        bool kept = is_number(name) && (!options.numbers || goal_value[from]);
        link_names(s, from, kept ? from : new_word(s, &rng, name[0] == '?'));
        heap_poll(heap);
    }
    heap_release(heap, goal_value);
    return s;
}

/* ---- translating ---- */

static symbol counterpart(const struct vec_u32 *map, symbol s)
{
    return s < KW_COUNT ? s : s < map->n ? map->v[s] : 0;
}

/* Append one node. False and an error at a name that has no counterpart. */
static bool translate_node(const struct scramble *s, const struct vec_u32 *map, const struct syntax *syntax,
                           uint32_t node, struct text *out, struct error *error)
{
    const struct node *n = &syntax->nodes.v[node];
    if (n->kind != NODE_LIST) {
        symbol from = symbol_find(s->names, node_text(syntax, node), n->length), to = counterpart(map, from);
        if (!from || !to)
            return error_set(error, ERROR_INPUT, "'%.*s' is not a name of the game",
                             (int)(n->length < 60 ? n->length : 60), node_text(syntax, node));
        if (to == from)
            text_add(out, node_text(syntax, node), n->length);
        else
            text_puts(out, symbol_name(s->names, to));
        return true;
    }
    text_char(out, '(');
    for (uint32_t c = n->first; c; c = syntax->nodes.v[c].next) {
        if (!translate_node(s, map, syntax, c, out, error)) return false;
        if (syntax->nodes.v[c].next) text_char(out, ' ');
    }
    text_char(out, ')');
    return true;
}

static bool translate(struct scramble *s, const struct vec_u32 *map, const char *text, size_t size,
                      struct text *out, struct error *error)
{
    struct heap *scratch = heap_new(64 * size + (1 << 20));
    if (!scratch) return error_set(error, ERROR_MEMORY, "out of memory");
    struct heap_guard guard, inner;
    volatile bool good = false;
    if (HEAP_ENTER(scratch, &guard, error)) {
        struct source *source = source_copy(scratch, "text", text, size);
        struct diags diags;
        diags_init(&diags, scratch, source);
        struct syntax *syntax = syntax_parse(scratch, source, &diags);
        if (!diags_to_error(&diags, error) && HEAP_ENTER(out->heap, &inner, error)) {
            good = true;
            for (uint32_t i = 0; i < syntax->top.n && good; i++) {
                if (i) text_char(out, ' ');
                good = translate_node(s, map, syntax, syntax->top.v[i], out, error);
            }
            heap_leave(out->heap);
        }
        heap_leave(scratch);
    }
    heap_free(scratch);
    return good;
}

bool scramble_translate(struct scramble *s, const char *text, size_t size, struct text *out,
                        struct error *error)
{
    return translate(s, &s->forward, text, size, out, error);
}

bool scramble_restore(struct scramble *s, const char *text, size_t size, struct text *out,
                      struct error *error)
{
    return translate(s, &s->back, text, size, out, error);
}

void scramble_sheet(struct scramble *s, const struct syntax *syntax, struct text *out)
{
    struct text plain;
    struct error error;
    text_init(&plain, s->heap);
    for (uint32_t i = 0; i < syntax->top.n; i++) {
        if (!translate_node(s, &s->forward, syntax, syntax->top.v[i], &plain, &error))
            heap_fail(s->heap, ERROR_INTERNAL, "%s", error.text);
        text_char(&plain, '\n');
    }
    struct source *source = source_copy(s->heap, "scrambled", text_str(&plain), plain.n);
    struct diags diags;
    diags_init(&diags, s->heap, source);
    format_sheet(s->heap, syntax_parse(s->heap, source, &diags), out);
}

/* ---- the map as JSON ---- */

json_t *scramble_to_json(const struct scramble *s)
{
    json_t *names = json_object();
    for (symbol from = KW_COUNT; from < s->forward.n; from++)
        if (s->forward.v[from])
            json_object_set_new(names, symbol_name(s->names, from),
                                json_string(symbol_name(s->names, s->forward.v[from])));
    return json_pack("{s:o}", "names", names);
}

struct scramble *scramble_from_json(struct heap *heap, const json_t *map, struct error *error)
{
    const json_t *names = json_object_get(map, "names");
    if (!json_is_object(names)) {
        error_set(error, ERROR_INPUT, "a map of names is an object with the member \"names\"");
        return NULL;
    }
    struct scramble *s = heap_zalloc(heap, sizeof *s);
    s->heap = heap;
    s->names = terms_new(heap);
    for (void *i = json_object_iter((json_t *)names); i; i = json_object_iter_next((json_t *)names, i)) {
        const char *from = json_object_iter_key(i), *to = json_string_value(json_object_iter_value(i));
        symbol a = symbol_intern(s->names, from, strlen(from)),
               b = to ? symbol_intern(s->names, to, strlen(to)) : 0;
        if (a < KW_COUNT || b < KW_COUNT || counterpart(&s->forward, a) || counterpart(&s->back, b)) {
            error_set(error, ERROR_INPUT, "the map of names is not one to one at '%.60s'", from);
            return NULL;
        }
        link_names(s, a, b);
    }
    return s;
}
