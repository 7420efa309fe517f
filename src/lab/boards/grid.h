/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Experiments with families of games (002 chapter 7): a board whose parameters vary, a plain search against
 * an opponent whose optimal play is known, many games at every point.
 *
 *                  across: lanes 2 3 4 ... 20
 *     along          ┌───┬───┬───┬─
 *     length 4       │   │   │   │           point: a game made from the parameters, `number` games of it
 *            5       │   │   │   │           chunk: `together` of them, played side by side
 * (match/together.h)
 *            ...     └───┴───┴───┴─
 *
 * A chunk is what is played and written at once, and depends on nothing but the experiment, its point and its
 * number: an experiment stopped anywhere goes on with the chunks that are missing, and comes out the same.
 * Everything lies on the grid's own heap. */
#ifndef LAB_GRID_H
#define LAB_GRID_H

#include "generate/diagram.h"
#include "lab/stats/stats.h"
#include "player/config.h"

#include <stdatomic.h>

#define GRID_MAX_VALUES 64
#define GRID_MAX_TOGETHER 512

enum grid_parameter {
    GRID_LANES,
    GRID_LENGTH,
    GRID_ACTIVE,
    GRID_FACTOR,
    GRID_PAWNS,
    GRID_STEPS,
    GRID_SIMS,
    GRID_PARAMETERS
};
extern const char *const grid_parameter_names[GRID_PARAMETERS + 1]; /* ends with NULL */

struct grid_axis {
    enum grid_parameter parameter;
    const char *label;
    uint32_t n;
    int64_t values[GRID_MAX_VALUES]; /* ascending */
};

/* What is counted: the win rate of the player, or which first move it chooses. */
enum grid_measure { GRID_WINS, GRID_MOVES };
/* How the report shows it: win-rate contours over the size of the game tree, a line for each value of
 * `along`, or a table of the moves chosen. */
enum grid_show { GRID_CONTOURS, GRID_LINES, GRID_TABLE };

struct grid {
    struct heap *heap;
    const char *file, *name, *title, *description;
    const char *says;             /* what the text found, for the report; "": nothing */
    struct diagram_request board; /* the parameters that do not vary */
    struct grid_axis across, along;
    const char *player_text;
    struct player_config player;
    const char *opponent; /* patterns of moves (player/script.h); {columns} is the number of columns */
    uint64_t steps, sims; /* per move; 0: no limit */
    uint32_t number, together;
    uint64_t seed;
    enum grid_measure measure;
    enum grid_show show;
};

/* One point and its parameters. */
struct grid_point {
    int64_t across, along;
    struct diagram_request board;
    uint64_t steps, sims;
};
struct grid_point grid_point(const struct grid *g, uint32_t across, uint32_t along);

/* One game that was played. */
struct grid_game {
    double points;                        /* of the player: 1, 1/2 or 0 */
    uint32_t moves;                       /* of both */
    uint64_t simulations, steps, decided; /* of the player's searches */
    double seconds;                       /* its share of the chunk's */
    char first[60];                       /* the player's first move */
};

/* grid_play.c: play games `from` to `from + n - 1` of a point, side by side. `out` has room for n. False and
 * an error without memory, when `stop` was set, or if the board makes no game. */
bool grid_play(const struct grid *g, const struct grid_point *point, uint32_t from, uint32_t n,
               const atomic_bool *stop, struct grid_game *out, struct error *error);

/* The share of random games from the beginning of a point's game that are decided, rather than drawn at the
 * limit of moves: how far the game progresses by itself. */
bool grid_natural(const struct grid *g, const struct grid_point *point, uint64_t games, double *share,
                  struct error *error);

/* --- grid_spec.c: as people write it (docs/tree-properties.md) */

struct grid_changes { /* what the command line changes */
    bool quick;
    uint32_t number;      /* 0: as it is */
    uint64_t steps, sims; /* both 0: as it is; otherwise in place of the experiment's budget */
    bool new_seed;
    uint64_t seed;
};

/* Whether the file holds such an experiment rather than a tournament: it has the key `board`. False also if
 * it cannot be read. */
bool grid_recognise(const char *path_or_name);
/* A path or a name of `ludens lab list`, and behind it perhaps what is changed, as run makes the names of
 * variants: boards/penalties:20000steps, boards/penalties:500sims:seed7. */
struct grid *grid_load(const char *path_or_name, const struct grid_changes *changes, struct error *error);
struct grid *grid_read(const char *file, const char *text, size_t size, const struct grid_changes *changes,
                       struct error *error);
void grid_free(struct grid *g);
/* Leave only values of the axes for which there are games; the results are stale then. */
struct grid_results;
void grid_prune(struct grid *g, const struct grid_results *r);

/* --- grid_db.c: in the laboratory's database */

struct db;

/* Enter the experiment, or find it there. If its settings were changed since: false and an error; with
 * `force` its games are thrown away. */
bool grid_enrol(struct db *db, const struct grid *g, bool force, int64_t *id, struct error *error);
/* Call `each` with the names of all such experiments of the database. */
bool grid_each(struct db *db, void (*each)(void *data, const char *name), void *data, struct error *error);
/* How many of the games from..from+n-1 of a point are there. */
bool grid_there(struct db *db, int64_t id, const struct grid_point *p, uint32_t from, uint32_t n,
                uint32_t *count, struct error *error);
/* Write down games, all or none. Those that are there already stay as they are. */
bool grid_write(struct db *db, int64_t id, const struct grid_point *p, uint32_t from, uint32_t n,
                const struct grid_game *games, struct error *error);

/* Part of db_merge: take over the games of another database, inside its transaction. They are counted on. */
bool grid_merge(struct db *db, struct db *other, uint64_t *games, struct error *error);

struct grid_move { /* a first move and how often it was chosen */
    const char *text;
    uint32_t n;
};

struct grid_cell { /* the games of one point */
    struct rate rate;
    uint64_t games, moves, simulations, steps, decided;
    double seconds;
    struct grid_move *first; /* most frequent first */
    uint32_t nfirst;
};

struct grid_results {
    struct heap *heap;
    const struct grid *grid; /* the caller's */
    struct grid_cell *cells; /* along * across.n + across */
    uint64_t games;
};

/* What is there so far, on a heap of its own. */
struct grid_results *grid_results_read(struct db *db, const struct grid *g, struct error *error);
void grid_results_free(struct grid_results *r);

/* --- grid_run.c */

struct run_options;
struct run_progress;

/* Play what is missing with worker threads; as run_experiment (`rows` and `finished` mean
 * nothing here; a part is made of whole chunks). */
bool grid_run(const struct grid *g, struct db *db, int64_t id, const struct run_options *o,
              struct run_progress *summary, struct error *error);

#endif
