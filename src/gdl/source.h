/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a rule sheet, and what we have to say about it. */
#ifndef GDL_SOURCE_H
#define GDL_SOURCE_H

#include "base/vec.h"

#include <stdio.h>

struct source {
    const char *name; /* file name, or "-", or what the caller calls it */
    const char *text; /* `size` bytes and a terminating NUL */
    uint32_t size;
};

#define SOURCE_MAX_BYTES (256u << 20)

/* Read a whole file ("-" is standard input) into the heap. Must be called inside a heap guard; problems with
 * the file unwind to it as ERROR_SYSTEM or ERROR_INPUT. */
struct source *source_read(struct heap *heap, const char *path);
/* Copy a text that is already in memory. */
struct source *source_copy(struct heap *heap, const char *name, const char *text, size_t size);

/* Lines and columns count from 1; columns count characters, not bytes. LF, CR LF and CR end lines. */
struct source_place {
    uint32_t line, column;
    uint32_t line_start, line_end; /* byte offsets of the line without its end */
};
struct source_place source_place(const struct source *s, uint32_t offset);

/* One remark about a source. Errors keep a game from being played; warnings do not. */
struct diag {
    bool error;
    const char *id; /* stable short name, such as "unsafe-head" */
    uint32_t offset,
        length; /* what it is about; length 0: a point; offset UINT32_MAX: the sheet as a whole */
    const char *text;
    const char *hint; /* what to do; may be NULL */
    const char *note; /* more about it, such as how to see it again; may be NULL */
};

struct diags {
    struct heap *heap;
    const struct source *source; /* may be NULL when there is no text to point at */
    VEC(struct diag) list;
    uint32_t errors, warnings;
};

#define DIAG_NOWHERE UINT32_MAX
#define DIAG_MAX 1000 /* further remarks are counted, not kept */

void diags_init(struct diags *d, struct heap *heap, const struct source *source);
void diag_add(struct diags *d, bool error, const char *id, uint32_t offset, uint32_t length, const char *hint,
              const char *format, ...) __attribute__((format(printf, 7, 8)));
/* Add a note to the remark made last, if it was kept. */
void diag_note(struct diags *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Print one remark as compilers do: file:line:column: error: text [id], the line, a caret, the hint. */
void diag_print(FILE *out, const struct source *source, const struct diag *d, bool colour);
/* The first error as a struct error, for callers that only want to know why a game is refused. */
bool diags_to_error(const struct diags *d, struct error *error);

#endif
