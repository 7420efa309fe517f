// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/info_factors.h"

#include "analysis/factors.h"

#define PARTS_SHOWN 6

static const char *const join_texts[] = {[JOIN_NONE] = "none of them",
                                         [JOIN_ONE] = "one of them",
                                         [JOIN_AND] = "all of them",
                                         [JOIN_OR] = "any of them",
                                         [JOIN_FUNCTION] = "a function of them"};

/* A fact of the part, for people to recognise it by; 0: all its facts are several bits. */
static term example_of(const struct circuit *c, const struct factors *f, uint32_t part)
{
    for (uint32_t i = 0; i < c->nfacts; i++) {
        uint32_t wire = c->fact_edge[i] >> 1;
        if (wire >= 1 && wire <= c->nbits && f->bit[wire - 1] == part) return c->fact[i];
    }
    return 0;
}

static char *example_text(const struct circuit *c, const struct factors *f, uint32_t part, struct heap *heap)
{
    struct text text;
    struct heap_guard guard;
    struct error ignored;
    char *out = NULL;
    term t = example_of(c, f, part);
    if (t && HEAP_ENTER(heap, &guard, &ignored)) {
        text_init(&text, heap);
        term_print(c->terms, t, false, NULL, &text);
        out = heap_strdup(heap, text_str(&text), strlen(text_str(&text)));
        heap_leave(heap);
    }
    return out;
}

static void print_parts(const struct circuit *c, const struct factors *f)
{
    for (uint32_t p = 0; p < f->n && p < PARTS_SHOWN; p++) {
        const struct factor *part = &f->parts.v[p];
        char *example = example_text(c, f, p, f->heap);
        printf("  %-9u %u fact%s as bits", p + 1, part->bits, part->bits == 1 ? "" : "s");
        if (example) printf(", such as %s", example);
        if (part->moves) printf("; %u move%s", part->moves, part->moves == 1 ? "" : "s");
        puts(part->counts ? "" : "; no goal and no end depends on it");
    }
    if (f->n > PARTS_SHOWN) printf("            ... and %u more\n", f->n - PARTS_SHOWN);
}

void info_factors_print(const struct circuit *c, const char **role_names, double seconds,
                        const atomic_bool *cancel)
{
    struct factors f;
    struct error error;
    printf("\nsubgames    ");
    if (!c) {
        puts("not known: the rules are not grounded");
    } else if (!factors_find(&f, c, seconds, cancel, &error)) {
        printf("not known: %s\n", error.text);
    } else {
        if (f.n < 2) {
            puts("none: the game does not fall apart");
        } else {
            printf("%u, %s; the end depends on %s\n", f.n,
                   f.at_once ? "played at once: a move is one in each" : "each move is one in one of them",
                   join_texts[f.terminal]);
            print_parts(c, &f);
            for (uint32_t i = 0; i < c->goals.n; i++)
                printf("  %-9s %s %u depends on %s\n", i ? "" : "goals", role_names[c->goals.v[i].role],
                       c->goals.v[i].value, join_texts[f.goal[i]]);
        }
        factors_done(&f);
    }
}

json_t *info_factors_json(const struct circuit *c, const char **role_names, double seconds,
                          const atomic_bool *cancel)
{
    struct factors f;
    struct error error;
    if (!c || !factors_find(&f, c, seconds, cancel, &error)) return json_null();
    json_t *parts = json_array(), *goals = json_array();
    for (uint32_t p = 0; p < f.n; p++) {
        const struct factor *part = &f.parts.v[p];
        char *example = example_text(c, &f, p, f.heap);
        json_array_append_new(parts, json_pack("{s:I, s:I, s:b, s:b, s:s?}", "bits", (json_int_t)part->bits,
                                               "moves", (json_int_t)part->moves, "counts", part->counts,
                                               "stays", part->stays, "example", example));
    }
    for (uint32_t i = 0; i < c->goals.n; i++)
        json_array_append_new(goals, json_pack("{s:s, s:I, s:s}", "role", role_names[c->goals.v[i].role],
                                               "value", (json_int_t)c->goals.v[i].value, "join",
                                               factor_join_names[f.goal[i]]));
    json_t *root =
        json_pack("{s:o, s:b, s:s, s:o, s:I, s:I, s:I}", "parts", parts, "at_once", f.at_once, "terminal",
                  factor_join_names[f.terminal], "goals", goals, "idle_moves", (json_int_t)f.idle,
                  "time_bits", (json_int_t)f.time, "unread_bits", (json_int_t)f.unread);
    factors_done(&f);
    return root;
}
