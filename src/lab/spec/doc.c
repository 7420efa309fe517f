// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/spec/doc.h"

#include "base/spell.h"
#include "base/text.h"
#include "base/vec.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <yaml.h>

#define DOC_MAX_DEPTH 32
#define DOC_MAX_KEYS 10000 /* of one mapping: they are compared one by one */

struct anchor {
    const char *name;
    struct doc_node *node;
};

struct builder {
    struct heap *heap;
    const char *file;
    yaml_parser_t parser;
    yaml_event_t event; /* the one in hand */
    bool held;          /* it must be given back */
    VEC(struct anchor) anchors;
};

_Noreturn void doc_fail(struct heap *heap, const struct doc_node *at, const char *format, ...)
{
    char what[420];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    heap_fail(heap, ERROR_INPUT, "%s:%u:%u: %s", at->file, at->line, at->column, what);
}

/* ---- from events to a tree ---- */

static void take(struct builder *b)
{
    if (b->held) yaml_event_delete(&b->event);
    b->held = false;
    if (!yaml_parser_parse(&b->parser, &b->event)) {
        const yaml_mark_t *m = &b->parser.problem_mark;
        if (b->parser.error == YAML_READER_ERROR)
            heap_fail(b->heap, ERROR_INPUT, "%s: %s at byte %zu; YAML is text in UTF-8", b->file,
                      b->parser.problem, b->parser.problem_offset);
        heap_fail(b->heap, ERROR_INPUT, "%s:%zu:%zu: %s%s%s", b->file, m->line + 1, m->column + 1,
                  b->parser.problem ? b->parser.problem : "this is no YAML", b->parser.context ? " " : "",
                  b->parser.context ? b->parser.context : "");
    }
    b->held = true;
}

static struct doc_node *new_node(struct builder *b, enum doc_kind kind, const yaml_char_t *anchor)
{
    struct doc_node *n = heap_cut(b->heap, sizeof *n);
    *n = (struct doc_node){.kind = kind,
                           .line = (uint32_t)b->event.start_mark.line + 1,
                           .column = (uint32_t)b->event.start_mark.column + 1,
                           .file = b->file,
                           .text = ""};
    if (anchor) {
        const char *name = heap_strdup(b->heap, (const char *)anchor, strlen((const char *)anchor));
        /* not usable before it is complete: the node is filled in by finish_anchor */
        vec_push(b->heap, &b->anchors, (struct anchor){name, NULL});
    }
    return n;
}

static struct doc_node *find_anchor(struct builder *b, const char *name)
{
    for (uint32_t i = b->anchors.n; i-- > 0;)
        if (strcmp(b->anchors.v[i].name, name) == 0) {
            if (b->anchors.v[i].node) return b->anchors.v[i].node;
            heap_fail(b->heap, ERROR_INPUT, "%s:%zu:%zu: *%s is part of what it stands for", b->file,
                      b->event.start_mark.line + 1, b->event.start_mark.column + 1, name);
        }
    heap_fail(b->heap, ERROR_INPUT, "%s:%zu:%zu: there is no &%s before this *%s", b->file,
              b->event.start_mark.line + 1, b->event.start_mark.column + 1, name, name);
}

static void refuse_twice(struct builder *b, const struct doc_node *const *items, uint32_t n)
{
    const struct doc_node *key = items[n - 1];
    if (key->kind != DOC_TEXT) doc_fail(b->heap, key, "a key must be a word");
    if (n > 2 * DOC_MAX_KEYS) doc_fail(b->heap, key, "more than %d keys", DOC_MAX_KEYS);
    for (uint32_t i = 0; i + 1 < n; i += 2)
        if (strcmp(items[i]->text, key->text) == 0)
            doc_fail(b->heap, key, "'%.60s' is here for the second time; the first is in line %u", key->text,
                     items[i]->line);
}

/* The node that begins with the event in hand. */
static struct doc_node *build(struct builder *b, uint32_t depth)
{
    struct doc_node *n;
    uint32_t anchor = UINT32_MAX;
    if (depth > DOC_MAX_DEPTH)
        heap_fail(b->heap, ERROR_INPUT, "%s:%zu:%zu: nested too deep", b->file, b->event.start_mark.line + 1,
                  b->event.start_mark.column + 1);
    switch (b->event.type) {
    case YAML_ALIAS_EVENT: return find_anchor(b, (const char *)b->event.data.alias.anchor);
    case YAML_SCALAR_EVENT: {
        size_t size = b->event.data.scalar.length;
        const char *value = (const char *)b->event.data.scalar.value;
        n = new_node(b, DOC_TEXT, b->event.data.scalar.anchor);
        if (memchr(value, 0, size)) doc_fail(b->heap, n, "a text with a zero byte in it");
        n->text = heap_strdup(b->heap, value, size);
        if (b->event.data.scalar.anchor) b->anchors.v[b->anchors.n - 1].node = n;
        return n;
    }
    case YAML_SEQUENCE_START_EVENT: n = new_node(b, DOC_LIST, b->event.data.sequence_start.anchor); break;
    case YAML_MAPPING_START_EVENT: n = new_node(b, DOC_MAP, b->event.data.mapping_start.anchor); break;
    default: heap_fail(b->heap, ERROR_INTERNAL, "an unexpected event of the YAML reader");
    }
    if (n->kind == DOC_LIST ? b->event.data.sequence_start.anchor != NULL
                            : b->event.data.mapping_start.anchor != NULL)
        anchor = b->anchors.n - 1;
    VEC(struct doc_node *) items = {0};
    for (take(b); b->event.type != YAML_SEQUENCE_END_EVENT && b->event.type != YAML_MAPPING_END_EVENT;
         take(b)) {
        vec_push(b->heap, &items, build(b, depth + 1));
        if (n->kind == DOC_MAP && items.n % 2 == 1)
            refuse_twice(b, (const struct doc_node *const *)items.v, items.n);
    }
    n->items = items.v;
    n->n = items.n;
    if (anchor != UINT32_MAX) b->anchors.v[anchor].node = n;
    return n;
}

static struct doc_node *build_document(struct builder *b)
{
    struct doc_node *root;
    take(b); /* the stream begins */
    take(b);
    if (b->event.type == YAML_STREAM_END_EVENT)
        heap_fail(b->heap, ERROR_INPUT, "%s: there is nothing in it", b->file);
    take(b);
    root = build(b, 0);
    take(b); /* the document ends */
    take(b);
    if (b->event.type != YAML_STREAM_END_EVENT)
        heap_fail(b->heap, ERROR_INPUT, "%s:%zu:%zu: a second document begins here; one is enough", b->file,
                  b->event.start_mark.line + 1, b->event.start_mark.column + 1);
    return root;
}

struct doc_node *doc_read(struct heap *heap, const char *file, const char *text, size_t size,
                          struct error *error)
{
    struct builder *b = calloc(1, sizeof *b); /* not on the heap: it must be taken apart when that gives up */
    struct doc_node *volatile root = NULL;
    struct heap_guard guard;
    if (!b || !yaml_parser_initialize(&b->parser)) {
        free(b);
        error_set(error, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    b->heap = heap;
    b->file = file;
    yaml_parser_set_input_string(&b->parser, (const unsigned char *)text, size);
    if (HEAP_ENTER(heap, &guard, error)) {
        root = build_document(b);
        heap_leave(heap);
    }
    if (b->held) yaml_event_delete(&b->event);
    yaml_parser_delete(&b->parser);
    free(b);
    return root;
}

/* ---- reading meaning into it ---- */

struct doc_node *doc_get(const struct doc_node *map, const char *key)
{
    for (uint32_t i = 0; i + 1 < map->n; i += 2)
        if (strcmp(map->items[i]->text, key) == 0) return map->items[i + 1];
    return NULL;
}

const struct doc_node *doc_expect(struct heap *heap, const struct doc_node *node, enum doc_kind kind,
                                  const char *what)
{
    static const char *const kinds[] = {"a text", "a list", "a mapping"};
    if (node->kind != kind)
        doc_fail(heap, node, "%s must be %s, not %s", what, kinds[kind], kinds[node->kind]);
    return node;
}

const char *doc_near(const char *word, const char *const *words)
{
    const char *near = NULL;
    unsigned tolerance = spell_tolerance(word), best = tolerance + 1;
    for (; *words; words++) {
        unsigned distance = spell_distance(word, *words, tolerance);
        if (distance < best) best = distance, near = *words;
    }
    return near;
}

void doc_expect_keys(struct heap *heap, const struct doc_node *map, const char *what, const char *const *keys)
{
    doc_expect(heap, map, DOC_MAP, what);
    for (uint32_t i = 0; i < map->n; i += 2) {
        const struct doc_node *key = map->items[i];
        bool known = false;
        for (uint32_t k = 0; keys[k] && !known; k++) known = strcmp(key->text, keys[k]) == 0;
        if (known) continue;
        const char *near = doc_near(key->text, keys);
        if (near) doc_fail(heap, key, "%s has no key '%.60s'; did you mean %s?", what, key->text, near);
        struct text all;
        text_init(&all, heap);
        for (uint32_t k = 0; keys[k]; k++) text_printf(&all, "%s%s", k ? ", " : "", keys[k]);
        doc_fail(heap, key, "%s has no key '%.60s'; there are: %s", what, key->text, text_str(&all));
    }
}

const char *doc_text(struct heap *heap, const struct doc_node *node, const char *what)
{
    return doc_expect(heap, node, DOC_TEXT, what)->text;
}

uint64_t doc_whole(struct heap *heap, const struct doc_node *node, const char *what, uint64_t min,
                   uint64_t max)
{
    const char *s = doc_text(heap, node, what);
    char *end;
    errno = 0;
    unsigned long long x = strtoull(s, &end, 10);
    if (*s < '0' || *s > '9' || *end || errno || x < min || x > max) {
        if (max == UINT64_MAX) doc_fail(heap, node, "%s must be a whole number, not '%.60s'", what, s);
        doc_fail(heap, node, "%s must be a whole number from %" PRIu64 " to %" PRIu64 ", not '%.60s'", what,
                 min, max, s);
    }
    return x;
}

double doc_real(struct heap *heap, const struct doc_node *node, const char *what, double min, double max)
{
    const char *s = doc_text(heap, node, what);
    char *end;
    double x = strtod(s, &end);
    if (end == s || *end || !isfinite(x) || x < min || x > max)
        doc_fail(heap, node, "%s must be a number from %g to %g, not '%.60s'", what, min, max, s);
    return x;
}
