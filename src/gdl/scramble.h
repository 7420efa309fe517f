/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rule sheets in disguise, as game masters send them (document 004, "Obfuscation of the rules"): every name
 * but the keywords becomes a pronounceable word that means nothing, the same one everywhere, variables too.
 *
 *     (<= (next (step ?y))                 (<= (next (thoveel ?graska))
 *         (true (step ?x))          ->         (true (thoveel ?dinoot))
 *         (succ ?x ?y))                        (shimba ?dinoot ?graska))
 *
 * The map is one to one, so that moves and whole messages can be translated in both directions. */
#ifndef GDL_SCRAMBLE_H
#define GDL_SCRAMBLE_H

#include "gdl/syntax.h"
#include "gdl/term.h"

#include <jansson.h>

struct scramble {
    struct heap *heap;
    struct terms *names;          /* both vocabularies, variables with their question mark */
    struct vec_u32 forward, back; /* by symbol: the name on the other side; 0 = none */
};

struct scramble_options {
    uint64_t seed;
    bool numbers; /* disguise whole numbers too, but for those that may be the value of a goal */
};

/* Choose the words for a sheet; the same seed gives the same words. Call inside a heap guard. */
struct scramble *scramble_new(struct heap *heap, const struct syntax *syntax,
                              struct scramble_options options);

/* The sheet with all names replaced, without comments, in the canonical layout. Call inside a heap guard. */
void scramble_sheet(struct scramble *s, const struct syntax *syntax, struct text *out);

/* Translate a term, or any text made of names and parentheses. Names without a counterpart are an
 * ERROR_INPUT: they cannot belong to the game. Keywords, and numbers that were left alone, stay as they are.
 * Sets up its own guard. */
bool scramble_translate(struct scramble *s, const char *text, size_t size, struct text *out,
                        struct error *error);
bool scramble_restore(struct scramble *s, const char *text, size_t size, struct text *out,
                      struct error *error);

/* The map as JSON: {"names": {"cell": "thishand", ...}}, in the order of the sheet; the caller owns the
 * object. Reading one back gives NULL and an error if it is not such a map. Call inside a heap guard. */
json_t *scramble_to_json(const struct scramble *s);
struct scramble *scramble_from_json(struct heap *heap, const json_t *map, struct error *error);

/* goal_values.c: mark, by symbol of `names`, the numbers that may become the value of a goal. */
void goal_values_mark(struct heap *heap, const struct syntax *syntax, const struct terms *names, bool *mark);

#endif
