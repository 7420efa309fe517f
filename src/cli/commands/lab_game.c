// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens lab game: one game as a record. ludens lab merge: databases joined. */
#include "cli/commands/lab.h"
#include "lab/database/export.h"

#include <inttypes.h>
#include <string.h>

struct game_arguments {
    const char *db, *game, *pairing, *out;
    int64_t number;
};

static bool write_game(const char *experiment, const struct game_arguments *a, struct error *error)
{
    struct db *db = db_open(a->db, false, error);
    struct record *r =
        db ? export_game(db, experiment, a->game, a->pairing, (uint32_t)a->number, error) : NULL;
    struct heap_guard guard;
    bool good = false;
    if (r && strcmp(a->out, "-") != 0) {
        good = record_write(r, a->out, error);
    } else if (r && HEAP_ENTER(r->heap, &guard, error)) {
        struct text t;
        text_init(&t, r->heap);
        record_print(r, RECORD_JSON, &t);
        fwrite(t.s, 1, t.n, stdout);
        heap_leave(r->heap);
        good = true;
    }
    record_free(r);
    db_close(db);
    return good;
}

int lab_game(int argc, char **argv)
{
    struct game_arguments a = {.db = "lab.db", .out = "-"};
    const struct option table[] = {
        {"game", 'g', OPTION_STRING, &a.game, .value = "ROW",
         .help = "the row of the table; the first, if none is named"},
        {"pairing", 0, OPTION_STRING, &a.pairing, .value = "PAIRING", .help = "the column; likewise"},
        {"number", 0, OPTION_INT, &a.number, .min = 0, .max = 1e9, .value = "N",
         .help = "which game of the cell"},
        {"out", 'o', OPTION_STRING, &a.out, .value = "FILE",
         .help = "FILE.json or FILE.pgn; -: JSON on standard output"},
        {"db", 0, OPTION_STRING, &a.db, .value = "FILE", .help = "the database"},
        {0}};
    int operands, status;
    struct error error = {0};
    if (!command_begin(
            "lab game EXPERIMENT [OPTION...]",
            "Write down one game of an experiment as a record, which `ludens replay` shows move by move.\n"
            "  ludens lab game first --game 'Connect Four' --pairing NST --number 7 --out 7.json\n"
            "  ludens replay 7.json",
            table, 1, 1, argc, argv, &operands, &status))
        return status;
    return write_game(argv[1], &a, &error) ? EXIT_YES : command_trouble("lab game", &error);
}

int lab_merge(int argc, char **argv)
{
    const struct option table[] = {{0}};
    int operands, status;
    struct error error = {0};
    if (!command_begin(
            "lab merge DATABASE FROM...",
            "Take over the games of other databases: what several machines have played with --part.\n"
            "Games that are there already are not counted twice.",
            table, 2, -1, argc, argv, &operands, &status))
        return status;
    struct db *db = db_open(argv[1], true, &error);
    bool good = db;
    for (int i = 2; i <= operands && good; i++) {
        uint64_t games = 0;
        good = db_merge(db, argv[i], &games, &error);
        if (good) printf("%s: %" PRIu64 " new games\n", argv[i], games);
    }
    db_close(db);
    return good ? EXIT_YES : command_trouble("lab merge", &error);
}
