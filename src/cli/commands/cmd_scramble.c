// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens scramble: rule sheets in disguise, and the way back. */
#include "base/file.h"
#include "cli/commands.h"
#include "gdl/scramble.h"

#include <stdlib.h>
#include <string.h>

#define SCRAMBLE_MEMORY ((size_t)8 << 30)

struct scramble_command {
    struct scramble_options how;
    const char *map, *translate, *restore;
};

static bool write_map(const struct scramble *s, const char *path, struct error *error)
{
    json_t *map = scramble_to_json(s);
    char *text = json_dumps(map, JSON_INDENT(2));
    json_decref(map);
    if (!text) return error_set(error, ERROR_MEMORY, "out of memory");
    bool good = file_replace(path, text, strlen(text), error);
    free(text);
    return good;
}

static bool scramble_file(const struct scramble_command *o, const char *path, struct heap *heap,
                          struct error *error)
{
    char found[4400];
    if (!command_sheet(&path, found, sizeof found, error)) return false;
    struct source *source = source_read(heap, path);
    struct diags diags;
    diags_init(&diags, heap, source);
    struct syntax *syntax = syntax_parse(heap, source, &diags);
    if (diags_to_error(&diags, error)) return false;
    struct scramble *s = scramble_new(heap, syntax, o->how);
    struct text out;
    text_init(&out, heap);
    scramble_sheet(s, syntax, &out);
    if (o->map && !write_map(s, o->map, error)) return false;
    if (fwrite(text_str(&out), 1, out.n, stdout) != out.n || fflush(stdout) != 0)
        return error_set(error, ERROR_SYSTEM, "standard output: cannot write");
    return true;
}

static bool translate_text(const struct scramble_command *o, struct heap *heap, struct error *error)
{
    json_error_t why;
    json_t *map = json_load_file(o->map, 0, &why);
    if (!map) return error_set(error, ERROR_INPUT, "%s: %s", o->map, why.text);
    struct scramble *s = scramble_from_json(heap, map, error);
    json_decref(map);
    if (!s) return error_prefix(error, "%s", o->map);
    const char *text = o->translate ? o->translate : o->restore;
    struct text out;
    text_init(&out, heap);
    if (!(o->translate ? scramble_translate : scramble_restore)(s, text, strlen(text), &out, error))
        return false;
    puts(text_str(&out));
    return true;
}

int cmd_scramble(int argc, char **argv)
{
    struct scramble_command o = {.how.seed = 1};
    const struct option table[] = {
        {"seed", 's', OPTION_SEED, &o.how.seed, .value = "N",
         .help = "choose the words; the same seed, the same words"},
        {"numbers", 0, OPTION_FLAG, &o.how.numbers,
         .help = "disguise numbers too, but for those that may be goal values"},
        {"map", 0, OPTION_STRING, &o.map, .value = "FILE", .help = "keep the map of names there, as JSON"},
        {"translate", 0, OPTION_STRING, &o.translate, .value = "TEXT",
         .help = "print a move or other text in disguise, by the map kept before"},
        {"restore", 0, OPTION_STRING, &o.restore, .value = "TEXT", .help = "print what it was before"},
        {0}};
    int operands, status;
    if (!command_begin(
            "scramble [--seed N] [--numbers] [--map FILE] FILE|GAME\n"
            "       ludens scramble --map FILE --translate TEXT | --restore TEXT",
            "Print a rule sheet with every name but the keywords replaced by a pronounceable word that "
            "means\nnothing, as game masters do so that players learn nothing from names. Comments are "
            "left out.",
            table, 0, 1, argc, argv, &operands, &status))
        return status;
    bool translates = o.translate || o.restore;
    if ((o.translate && o.restore) || translates == (operands == 1) || (translates && !o.map)) {
        fputs("ludens scramble: give a rule sheet, or --map with either --translate or --restore\n", stderr);
        return EXIT_TROUBLE;
    }
    struct error error = {0};
    struct heap_guard guard;
    struct heap *heap = heap_new(SCRAMBLE_MEMORY);
    volatile bool good = false;
    if (!heap) {
        error_set(&error, ERROR_MEMORY, "out of memory");
    } else if (HEAP_ENTER(heap, &guard, &error)) {
        good = translates ? translate_text(&o, heap, &error) : scramble_file(&o, argv[1], heap, &error);
        heap_leave(heap);
    }
    heap_free(heap);
    return good ? EXIT_YES : command_trouble("scramble", &error);
}
