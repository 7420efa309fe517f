// SPDX-License-Identifier: GPL-3.0-or-later
#include "gdl/source.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct source *source_copy(struct heap *heap, const char *name, const char *text, size_t size)
{
    if (size > SOURCE_MAX_BYTES)
        heap_fail(heap, ERROR_INPUT, "%s: %zu bytes are more than the %u MB a rule sheet may have", name,
                  size, SOURCE_MAX_BYTES >> 20);
    struct source *s = heap_cut(heap, sizeof *s);
    s->name = heap_strdup(heap, name, strlen(name));
    s->text = heap_strdup(heap, text, size);
    s->size = (uint32_t)size;
    return s;
}

struct source *source_read(struct heap *heap, const char *path)
{
    bool standard = strcmp(path, "-") == 0;
    struct stat st;
    if (!standard && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        heap_fail(heap, ERROR_SYSTEM, "%s: is a directory, not a rule sheet", path);
    FILE *f = standard ? stdin : fopen(path, "rb");
    if (!f) heap_fail(heap, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    /* The file must be closed whatever happens, so catch and rethrow. */
    struct error error;
    struct heap_guard guard;
    struct source *volatile s = NULL;
    if (HEAP_ENTER(heap, &guard, &error)) {
        struct text t;
        text_init(&t, heap);
        char buffer[1 << 16];
        for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;) {
            if (t.n + n > SOURCE_MAX_BYTES)
                heap_fail(heap, ERROR_INPUT, "%s: more than the %u MB a rule sheet may have", path,
                          SOURCE_MAX_BYTES >> 20);
            text_add(&t, buffer, n);
        }
        if (ferror(f)) heap_fail(heap, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
        s = heap_cut(heap, sizeof *s);
        s->name =
            heap_strdup(heap, standard ? "standard input" : path, strlen(standard ? "standard input" : path));
        s->text = text_str(&t);
        s->size = (uint32_t)t.n;
        heap_leave(heap);
    }
    if (!standard) fclose(f);
    if (!s) heap_fail(heap, error.code, "%s", error.text);
    return s;
}

struct source_place source_place(const struct source *s, uint32_t offset)
{
    struct source_place p = {.line = 1, .column = 1};
    if (offset > s->size) offset = s->size;
    for (uint32_t i = 0; i < offset; i++) {
        bool cr = s->text[i] == '\r';
        if (s->text[i] == '\n' || (cr && s->text[i + 1] != '\n')) {
            p.line++;
            p.line_start = i + 1;
        }
    }
    for (uint32_t i = p.line_start; i < offset; i++) p.column += ((unsigned char)s->text[i] & 0xc0) != 0x80;
    p.line_end = offset;
    while (p.line_end < s->size && s->text[p.line_end] != '\n' && s->text[p.line_end] != '\r') p.line_end++;
    return p;
}

void diags_init(struct diags *d, struct heap *heap, const struct source *source)
{
    *d = (struct diags){.heap = heap, .source = source};
}

void diag_add(struct diags *d, bool error, const char *id, uint32_t offset, uint32_t length, const char *hint,
              const char *format, ...)
{
    /* A rule with several alternatives is looked at several times: say each thing once per place. */
    for (uint32_t i = 0; i < d->list.n; i++)
        if (d->list.v[i].offset == offset && offset != DIAG_NOWHERE && strcmp(d->list.v[i].id, id) == 0)
            return;
    if (error)
        d->errors++;
    else
        d->warnings++;
    if (d->list.n >= DIAG_MAX) return;
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct diag r = {.error = error, .id = id, .offset = offset, .length = length};
    r.text = heap_strdup(d->heap, text, strlen(text));
    r.hint = hint ? heap_strdup(d->heap, hint, strlen(hint)) : NULL;
    vec_push(d->heap, &d->list, r);
}

void diag_note(struct diags *d, const char *format, ...)
{
    char text[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (d->list.n && d->list.n == d->errors + d->warnings)
        vec_last(&d->list).note = heap_strdup(d->heap, text, strlen(text));
}

/* A source line may be megabytes long or hold anything: show a window around the place, with control
 * characters and broken UTF-8 replaced. */
static void print_excerpt(FILE *out, const struct source *s, const struct source_place *p,
                          const struct diag *d, bool colour)
{
    enum { WIDTH = 100 };
    uint32_t from = p->line_start, to = p->line_end;
    if (d->offset - from > WIDTH * 2 / 3) from = d->offset - WIDTH * 2 / 3;
    while (from < d->offset && ((unsigned char)s->text[from] & 0xc0) == 0x80) from++;
    if (to - from > WIDTH) to = from + WIDTH;
    while (to < p->line_end && ((unsigned char)s->text[to] & 0xc0) == 0x80) to++;
    fputs("    ", out);
    for (uint32_t i = from; i < to; i++) {
        unsigned char c = (unsigned char)s->text[i];
        fputc(c == '\t' ? ' ' : c < 32 || c == 127 ? '?' : c, out);
    }
    fputs("\n    ", out);
    for (uint32_t i = from; i < d->offset; i++)
        if (((unsigned char)s->text[i] & 0xc0) != 0x80) fputc(' ', out);
    if (colour) fputs("\033[1;32m", out);
    fputc('^', out);
    uint32_t end = d->offset + d->length;
    for (uint32_t i = d->offset + 1; i < end && i < to; i++)
        if (((unsigned char)s->text[i] & 0xc0) != 0x80) fputc('~', out);
    if (colour) fputs("\033[0m", out);
    fputc('\n', out);
}

void diag_print(FILE *out, const struct source *source, const struct diag *d, bool colour)
{
    bool placed = source && d->offset != DIAG_NOWHERE;
    struct source_place p = placed ? source_place(source, d->offset) : (struct source_place){0};
    if (colour) fputs("\033[1m", out);
    if (source) fprintf(out, "%s:", source->name);
    if (placed) fprintf(out, "%u:%u:", p.line, p.column);
    if (source) fputc(' ', out);
    if (colour) fputs(d->error ? "\033[31m" : "\033[35m", out);
    fputs(d->error ? "error: " : "warning: ", out);
    if (colour) fputs("\033[0m", out);
    fprintf(out, "%s [%s]\n", d->text, d->id);
    if (placed) print_excerpt(out, source, &p, d, colour);
    if (d->note) fprintf(out, "    note: %s\n", d->note);
    if (d->hint) fprintf(out, "    hint: %s\n", d->hint);
}

bool diags_to_error(const struct diags *d, struct error *error)
{
    for (uint32_t i = 0; i < d->list.n; i++) {
        const struct diag *r = &d->list.v[i];
        if (!r->error) continue;
        const char *name = d->source ? d->source->name : "rules";
        if (d->source && r->offset != DIAG_NOWHERE) {
            struct source_place p = source_place(d->source, r->offset);
            error_set(error, ERROR_INPUT, "%s:%u:%u: %s%s%s", name, p.line, p.column, r->text,
                      r->hint ? "; " : "", r->hint ? r->hint : "");
        } else {
            error_set(error, ERROR_INPUT, "%s: %s%s%s", name, r->text, r->hint ? "; " : "",
                      r->hint ? r->hint : "");
        }
        return true;
    }
    return false;
}
