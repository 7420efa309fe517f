// SPDX-License-Identifier: GPL-3.0-or-later
/* Two passes. The first gives every comment an owner: the node it trails (it stands behind it on the same
 * line), the node it stands before, or the list at whose end it stands. The second prints.
 *
 * Invariant that makes the result stable: what is printed depends on the tokens, on the owners of the
 * comments, on whether a comment continues the one above it, and at top level on where blank lines were; and
 * reading the output back gives the same four. */
#include "gdl/format.h"

#include <string.h>

#define TAB_WIDTH 8
#define MAX_INDENT (FORMAT_WIDTH - 20) /* deeper nesting is not shown, lest the output explode */
#define STAY_BEFORE 50 /* a term too long for any line begins on the current one before this column */

struct attached {
    uint32_t trailing;      /* number of the comment + 1; 0: none */
    uint32_t before, count; /* comments on lines of their own in front of the node */
    uint32_t tail, tails;   /* the same before the closing parenthesis */
    uint32_t width;         /* characters when printed on one line */
    bool inside;            /* some comment keeps the list from being printed on one line */
};

struct formatter {
    const struct syntax *syntax;
    const char *text;
    struct attached *at;
    bool *continues; /* by comment: aligned with the comment that trails the line above */
    struct text *out;
    size_t start; /* what `out` held before */
    uint32_t column;
    uint32_t comment;        /* first pass: the next one to be owned */
    uint32_t comment_column; /* second pass: of the last trailing comment */
};

static const struct node *get(const struct formatter *f, uint32_t node)
{
    return &f->syntax->nodes.v[node];
}

static uint32_t end_of(const struct formatter *f, uint32_t node)
{
    return get(f, node)->offset + get(f, node)->length;
}

static uint32_t characters(const char *s, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) count += ((unsigned char)s[i] & 0xc0) != 0x80;
    return count;
}

/* Line ends in the white space in front of an offset, at most 2; the byte before that space goes to *stop. */
static uint32_t lines_before(const struct formatter *f, uint32_t offset, uint32_t *stop)
{
    uint32_t lines = 0, i = offset;
    for (; i > 0 && strchr(" \t\n\r\f\v", f->text[i - 1]) && f->text[i - 1]; i--)
        if (f->text[i - 1] == '\n' || (f->text[i - 1] == '\r' && f->text[i] != '\n')) lines++;
    *stop = i;
    return lines < 2 ? lines : 2;
}

static bool blank_before(const struct formatter *f, uint32_t offset)
{
    uint32_t stop;
    return lines_before(f, offset, &stop) == 2;
}

static uint32_t source_column(const struct formatter *f, uint32_t offset)
{
    uint32_t start = offset, column = 0;
    while (start > 0 && f->text[start - 1] != '\n' && f->text[start - 1] != '\r') start--;
    for (uint32_t i = start; i < offset; i++)
        if (f->text[i] == '\t')
            column += TAB_WIDTH - column % TAB_WIDTH;
        else
            column += ((unsigned char)f->text[i] & 0xc0) != 0x80;
    return column;
}

/* ---- first pass: who owns which comment ---- */

/* Take the comments in front of `limit`. One on the line on which `previous` ends (and that has none yet)
 * trails it; the others are counted in *first, *count. */
static void take_comments(struct formatter *f, uint32_t limit, uint32_t previous, uint32_t *first,
                          uint32_t *count)
{
    const struct comment *c = f->syntax->comments.v;
    bool may_continue = false;
    for (; f->comment < f->syntax->comments.n && c[f->comment].offset < limit; f->comment++) {
        uint32_t i = f->comment, stop, lines = lines_before(f, c[i].offset, &stop);
        if (previous && lines == 0 && !f->at[previous].trailing && stop == end_of(f, previous)) {
            f->at[previous].trailing = i + 1;
            may_continue = true;
            continue;
        }
        may_continue =
            may_continue && lines == 1 && source_column(f, c[i].offset) == source_column(f, c[i - 1].offset);
        f->continues[i] = may_continue;
        if (!(*count)++) *first = i;
    }
}

static void own_comments(struct formatter *f, uint32_t list)
{
    struct attached *mine = &f->at[list];
    uint32_t previous = 0;
    for (uint32_t c = get(f, list)->first; c; previous = c, c = get(f, c)->next) {
        take_comments(f, get(f, c)->offset, previous, &f->at[c].before, &f->at[c].count);
        if (get(f, c)->kind == NODE_LIST) own_comments(f, c);
    }
    take_comments(f, end_of(f, list), previous, &mine->tail, &mine->tails);
    /* A comment behind the last element goes behind the closing parenthesis, which so need not stand alone.
     */
    if (previous && !mine->tails) {
        mine->trailing = f->at[previous].trailing;
        f->at[previous].trailing = 0;
    }
}

static void measure(struct formatter *f)
{
    for (uint32_t i = f->syntax->nodes.n; i-- > 1;) { /* children have higher numbers than their parents */
        const struct node *n = get(f, i);
        struct attached *a = &f->at[i];
        if (n->kind != NODE_LIST) {
            a->width = characters(f->text + n->offset, n->length);
            continue;
        }
        a->width = 2 + (n->children ? n->children - 1 : 0);
        a->inside = a->tails > 0;
        for (uint32_t c = n->first; c; c = get(f, c)->next) {
            a->width += f->at[c].width;
            a->inside |= f->at[c].inside || f->at[c].trailing || f->at[c].count;
        }
    }
}

/* ---- second pass: printing ---- */

static void put(struct formatter *f, const char *s, uint32_t n)
{
    text_add(f->out, s, n);
    f->column += characters(s, n);
}

static void new_line(struct formatter *f, uint32_t indent)
{
    static const char blanks[MAX_INDENT + 1] = "                                        "
                                               "                                        ";
    text_char(f->out, '\n');
    f->column = 0;
    put(f, blanks, indent);
}

static void put_comment(struct formatter *f, uint32_t i)
{
    put(f, f->text + f->syntax->comments.v[i].offset, f->syntax->comments.v[i].length);
}

static void put_trailing(struct formatter *f, uint32_t node)
{
    if (!f->at[node].trailing) return;
    put(f, "  ", 2);
    f->comment_column = f->column;
    put_comment(f, f->at[node].trailing - 1);
}

/* A comment on a line of its own, started at the indent or below the comment it continues. */
static void put_comment_line(struct formatter *f, uint32_t i, uint32_t indent)
{
    new_line(f, indent);
    if (f->continues[i])
        while (f->column < f->comment_column) put(f, " ", 1);
    put_comment(f, i);
}

static void put_flat(struct formatter *f, uint32_t node)
{
    const struct node *n = get(f, node);
    if (n->kind != NODE_LIST) {
        put(f, f->text + n->offset, n->length);
        return;
    }
    put(f, "(", 1);
    for (uint32_t c = n->first; c; c = get(f, c)->next) {
        put_flat(f, c);
        if (get(f, c)->next) put(f, " ", 1);
    }
    put(f, ")", 1);
}

static bool fits(const struct formatter *f, uint32_t node, uint32_t column, uint32_t closers)
{
    return !f->at[node].inside && (uint64_t)column + f->at[node].width + closers <= FORMAT_WIDTH;
}

static bool is_connective(const struct formatter *f, uint32_t list)
{
    static const char *const words[] = {"<=", "or", "and", "not"};
    uint32_t head = get(f, list)->first;
    for (size_t i = 0; head && i < sizeof words / sizeof *words; i++)
        if (node_is(f->syntax, head, words[i])) return true;
    return false;
}

/* Does `child` go on the current line, one blank behind what is there? */
static bool stays(const struct formatter *f, uint32_t list, uint32_t child, uint32_t indent, uint32_t closers)
{
    bool second = get(f, get(f, list)->first)->next == child;
    if (is_connective(f, list)) return second;
    if (fits(f, child, f->column + 1, closers)) return true;
    return !fits(f, child, indent, closers) && f->column < STAY_BEFORE;
}

static void put_node(struct formatter *f, uint32_t node, uint32_t closers);

/* A list over several lines. `closers` parentheses will follow it at once. */
static void put_broken(struct formatter *f, uint32_t list, uint32_t closers)
{
    const struct attached *a = &f->at[list];
    uint32_t head = get(f, list)->first, start = f->column, indent = start + 4;
    if (is_connective(f, list)) indent = start + f->at[head].width + 2;
    if (indent > MAX_INDENT) indent = MAX_INDENT;
    put(f, "(", 1);
    bool fresh = false; /* must a new line be started first? */
    for (uint32_t c = head; c; c = get(f, c)->next) {
        uint32_t after = get(f, c)->next || a->tails ? 0 : closers + 1;
        for (uint32_t i = 0; i < f->at[c].count; i++) put_comment_line(f, f->at[c].before + i, indent);
        if (fresh || f->at[c].count)
            new_line(f, indent);
        else if (c != head && stays(f, list, c, indent, after))
            put(f, " ", 1);
        else if (c != head)
            new_line(f, indent);
        put_node(f, c, after);
        put_trailing(f, c);
        fresh = f->at[c].trailing;
    }
    for (uint32_t i = 0; i < a->tails; i++) put_comment_line(f, a->tail + i, indent);
    if (a->tails) new_line(f, indent);
    put(f, ")", 1);
}

static void put_node(struct formatter *f, uint32_t node, uint32_t closers)
{
    if (get(f, node)->kind != NODE_LIST || fits(f, node, f->column, closers))
        put_flat(f, node);
    else
        put_broken(f, node, closers);
}

/* A rule with a body is always broken, and set apart by blank lines. */
static bool is_rule(const struct formatter *f, uint32_t node)
{
    const struct node *n = get(f, node);
    return n->kind == NODE_LIST && n->children > 2 && node_is(f->syntax, n->first, "<=");
}

static void begin_line(struct formatter *f, bool blank)
{
    if (f->out->n == f->start) return;
    text_puts(f->out, blank ? "\n\n" : "\n");
    f->column = 0;
}

/* Comments at top level; `blank` asks for a blank line before the first. */
static void put_comments(struct formatter *f, uint32_t first, uint32_t count, bool blank)
{
    for (uint32_t i = first; i < first + count; i++, blank = false) {
        if (f->continues[i] && !blank) {
            put_comment_line(f, i, 0);
            continue;
        }
        begin_line(f, blank || blank_before(f, f->syntax->comments.v[i].offset));
        put_comment(f, i);
    }
}

static void put_form(struct formatter *f, uint32_t form, uint32_t previous)
{
    const struct attached *a = &f->at[form];
    bool rule = is_rule(f, form), blank = blank_before(f, get(f, form)->offset);
    bool apart = previous && (rule || is_rule(f, previous)) && !blank; /* a blank line is still missing */
    for (uint32_t i = 0; i < a->count; i++)
        if (blank_before(f, f->syntax->comments.v[a->before + i].offset)) apart = false;
    uint32_t first = a->before, count = a->count;
    for (; count && f->continues[first]; first++, count--) put_comments(f, first, 1, false);
    put_comments(f, first, count, apart);
    begin_line(f, blank || (apart && count == 0));
    if (rule)
        put_broken(f, form, 0);
    else
        put_node(f, form, 0);
    put_trailing(f, form);
}

void format_sheet(struct heap *heap, const struct syntax *syntax, struct text *out)
{
    struct formatter f = {.syntax = syntax, .text = syntax->source->text, .out = out, .start = out->n};
    f.at = heap_zalloc(heap, syntax->nodes.n * sizeof *f.at);
    f.continues = heap_zalloc(heap, syntax->comments.n + 1);
    uint32_t previous = 0, tail = 0, tails = 0;
    for (uint32_t i = 0; i < syntax->top.n; previous = syntax->top.v[i++]) {
        uint32_t form = syntax->top.v[i];
        take_comments(&f, get(&f, form)->offset, previous, &f.at[form].before, &f.at[form].count);
        if (get(&f, form)->kind == NODE_LIST) own_comments(&f, form);
    }
    take_comments(&f, UINT32_MAX, previous, &tail, &tails);
    measure(&f);
    previous = 0;
    for (uint32_t i = 0; i < syntax->top.n; previous = syntax->top.v[i++]) {
        put_form(&f, syntax->top.v[i], previous);
        heap_poll(heap);
    }
    put_comments(&f, tail, tails, false);
    if (out->n > f.start) text_char(out, '\n');
    heap_release(heap, f.at);
    heap_release(heap, f.continues);
}
