// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens fmt: rule sheets in the canonical layout. */
#include "base/file.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "gdl/format.h"

#include <string.h>

#define FMT_MEMORY ((size_t)8 << 30)

struct fmt_options {
    bool check, write;
};

/* Print the remarks; true if there are errors among them. */
static bool show_faults(const struct diags *diags)
{
    bool colour = terminal_colour(stderr);
    for (uint32_t i = 0; i < diags->list.n; i++) diag_print(stderr, diags->source, &diags->list.v[i], colour);
    return diags->errors > 0;
}

/* What to do with the new text of a sheet. */
static bool deliver(const struct fmt_options *o, const char *path, const struct source *source,
                    const struct text *out, int *status, struct error *error)
{
    bool same = out->n == source->size && memcmp(text_str(out), source->text, out->n) == 0;
    if (o->check) {
        if (!same) puts(path), *status = EXIT_NO;
        return true;
    }
    if (o->write) return same || file_replace(path, text_str(out), out->n, error);
    if (fwrite(text_str(out), 1, out->n, stdout) == out->n) return true;
    return error_set(error, ERROR_SYSTEM, "standard output: cannot write");
}

static int format_file(const struct fmt_options *o, const char *path)
{
    struct error error = {0};
    struct heap_guard guard;
    struct heap *heap = heap_new(FMT_MEMORY);
    volatile int status = EXIT_TROUBLE;
    if (!heap) {
        error_set(&error, ERROR_MEMORY, "out of memory");
        return command_trouble("fmt", &error);
    }
    char found[4400];
    if (!command_sheet(&path, found, sizeof found, &error)) {
        heap_free(heap);
        return command_trouble("fmt", &error);
    }
    if (HEAP_ENTER(heap, &guard, &error)) {
        struct source *source = source_read(heap, path);
        struct diags diags;
        diags_init(&diags, heap, source);
        struct syntax *syntax = syntax_parse(heap, source, &diags);
        if (!show_faults(&diags)) {
            struct text out;
            int result = EXIT_YES;
            text_init(&out, heap);
            format_sheet(heap, syntax, &out);
            if (deliver(o, path, source, &out, &result, &error)) status = result;
        }
        heap_leave(heap);
    }
    if (error.code) command_trouble("fmt", &error);
    heap_free(heap);
    return status;
}

int cmd_fmt(int argc, char **argv)
{
    struct fmt_options o = {0};
    const struct option table[] = {
        {"check", 0, OPTION_FLAG, &o.check,
         .help = "change nothing; list the files that are laid out otherwise"},
        {"write", 'w', OPTION_FLAG, &o.write, .help = "rewrite the files instead of printing them"},
        {0}};
    int operands, status;
    if (!command_begin(
            "fmt FILE|GAME... [--check | --write]",
            "Lay out rule sheets the canonical way. Comments stay, tokens stay as they are written; "
            "only\nblanks and line ends change. \"-\" is standard input. Exit status: 0; 1 with "
            "--check if a file\nwould change; 2 if one cannot be read or has syntax errors (it is "
            "left alone).",
            table, 1, -1, argc, argv, &operands, &status))
        return status;
    if (o.check && o.write) {
        fputs("ludens fmt: --check and --write exclude each other\n", stderr);
        return EXIT_TROUBLE;
    }
    int worst = EXIT_YES;
    for (int i = 1; i <= operands; i++) {
        if (o.write && strcmp(argv[i], "-") == 0) {
            fputs("ludens fmt: standard input cannot be rewritten\n", stderr);
            return EXIT_TROUBLE;
        }
        status = format_file(&o, argv[i]);
        if (status > worst) worst = status;
    }
    return worst;
}
