// SPDX-License-Identifier: GPL-3.0-or-later
/* Lexer and parser in one loop over the text with an explicit stack of open lists: no recursion, so no input
 * can exhaust the C stack. */
#include "gdl/syntax.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct open_list {
    uint32_t node, last; /* the list, and its last child so far */
};

struct parser {
    struct heap *heap;
    const struct source *source;
    struct diags *diags;
    struct syntax *syntax;
    VEC(struct open_list) stack;
    uint32_t at;
};

static bool is_space(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_delimiter(unsigned char c)
{
    return is_space(c) || c == '(' || c == ')' || c == ';';
}

/* Length of the well-formed UTF-8 character at s (RFC 3629), 0 if it is not one. */
static uint32_t utf8_length(const unsigned char *s, uint32_t left)
{
    if (s[0] < 0x80) return 1;
    uint32_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || n > left) return 0;
    for (uint32_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

static uint32_t add_node(struct parser *p, enum node_kind kind, uint32_t offset, uint32_t length)
{
    uint32_t id = p->syntax->nodes.n;
    vec_push(p->heap, &p->syntax->nodes, (struct node){.offset = offset, .length = length, .kind = kind});
    if (p->stack.n == 0) {
        vec_push(p->heap, &p->syntax->top, id);
    } else {
        struct open_list *up = &vec_last(&p->stack);
        if (up->last)
            p->syntax->nodes.v[up->last].next = id;
        else
            p->syntax->nodes.v[up->node].first = id;
        up->last = id;
        p->syntax->nodes.v[up->node].children++;
    }
    return id;
}

static void read_comment(struct parser *p)
{
    uint32_t start = p->at;
    while (p->at < p->source->size && p->source->text[p->at] != '\n' && p->source->text[p->at] != '\r')
        p->at++;
    uint32_t end = p->at;
    while (end > start && is_space((unsigned char)p->source->text[end - 1])) end--;
    vec_push(p->heap, &p->syntax->comments, (struct comment){start, end - start});
}

static void read_atom(struct parser *p)
{
    const unsigned char *text = (const unsigned char *)p->source->text;
    uint32_t start = p->at;
    bool bad = false;
    while (p->at < p->source->size && !is_delimiter(text[p->at])) {
        uint32_t n = utf8_length(text + p->at, p->source->size - p->at);
        if (n == 0 || text[p->at] < 32 || text[p->at] == 127) {
            if (!bad && n == 0)
                diag_add(p->diags, true, "bad-utf8", p->at, 1, "save the file as UTF-8 or plain ASCII",
                         "byte 0x%02x is not valid UTF-8", text[p->at]);
            else if (!bad)
                diag_add(p->diags, true, "control-character", p->at, 1,
                         "remove it: names consist of printable characters", "%s byte (0x%02x) in the rules",
                         text[p->at] == 0 ? "NUL" : "control", text[p->at]);
            bad = true;
            n = 1;
        }
        p->at += n;
        heap_poll(p->heap);
    }
    uint32_t length = p->at - start;
    if (bad) return;
    if (length > SYNTAX_MAX_ATOM) {
        diag_add(p->diags, true, "atom-too-long", start, 20, "is a parenthesis or a blank missing?",
                 "a name of %u bytes (it starts with '%.20s'); at most %d are allowed", length, text + start,
                 SYNTAX_MAX_ATOM);
        return;
    }
    if (text[start] == '?' && length == 1) {
        diag_add(p->diags, true, "nameless-variable", start, 1, "write a name behind it, as in ?x",
                 "a question mark without a name is not a variable");
        return;
    }
    add_node(p, text[start] == '?' ? NODE_VARIABLE : NODE_ATOM, start, length);
}

static void open_list(struct parser *p)
{
    if (p->stack.n >= SYNTAX_MAX_DEPTH) {
        diag_add(p->diags, true, "too-deep", p->at, 1,
                 "rules are never nested like this; is the file a rule sheet?",
                 "parentheses nested deeper than %d", SYNTAX_MAX_DEPTH);
        p->at = p->source->size; /* nothing sensible can follow */
        p->stack.n = 0;
        return;
    }
    uint32_t id = add_node(p, NODE_LIST, p->at++, 0);
    vec_push(p->heap, &p->stack, (struct open_list){id, 0});
}

static void close_list(struct parser *p)
{
    if (p->stack.n == 0) {
        diag_add(p->diags, true, "unbalanced", p->at, 1,
                 "remove it, or find the opening one that is missing before it",
                 "closing parenthesis without an opening one");
    } else {
        struct node *n = &p->syntax->nodes.v[vec_pop(&p->stack).node];
        n->length = p->at + 1 - n->offset;
    }
    p->at++;
}

/* A list left open swallows the rest of the sheet. The best guess at the culprit is the outermost list that
 * has another
 * '(' in column 1 inside it: that is where the next rule begins. */
static void report_unclosed(struct parser *p)
{
    const struct node *outer = &p->syntax->nodes.v[p->stack.v[0].node];
    uint32_t depth = p->stack.n;
    diag_add(p->diags, true, "unbalanced", outer->offset, 1,
             "close it; the rule probably ends before the next '(' in column 1",
             "%u parenthes%s opened here or later %s never closed", depth, depth == 1 ? "is" : "es",
             depth == 1 ? "is" : "are");
    for (uint32_t i = 0; i < depth; i++) {
        struct node *n = &p->syntax->nodes.v[p->stack.v[i].node];
        n->length = p->source->size - n->offset;
    }
}

struct syntax *syntax_parse(struct heap *heap, const struct source *source, struct diags *diags)
{
    struct parser p = {.heap = heap, .source = source, .diags = diags};
    p.syntax = heap_cut(heap, sizeof *p.syntax);
    memset(p.syntax, 0, sizeof *p.syntax);
    p.syntax->source = source;
    vec_push(heap, &p.syntax->nodes, (struct node){0});
    /* Byte order marks: one, or as many as careless editors have added. */
    while (source->size - p.at >= 3 && memcmp(source->text + p.at, "\xef\xbb\xbf", 3) == 0) p.at += 3;
    while (p.at < source->size) {
        char c = source->text[p.at];
        if (is_space((unsigned char)c))
            p.at++;
        else if (c == ';')
            read_comment(&p);
        else if (c == '(')
            open_list(&p);
        else if (c == ')')
            close_list(&p);
        else
            read_atom(&p);
        heap_poll(heap);
    }
    if (p.stack.n) report_unclosed(&p);
    vec_free(heap, &p.stack);
    return p.syntax;
}

bool node_is(const struct syntax *s, uint32_t node, const char *word)
{
    const struct node *n = &s->nodes.v[node];
    return n->kind == NODE_ATOM && n->length == strlen(word) &&
           strncasecmp(node_text(s, node), word, n->length) == 0;
}
