// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/lanes.h"

#include "gpu/device_internal.h"
#include "gpu/tools.h"

#include <stdlib.h>

#define LANES_OF_BLOCK (32 * PTX_BLOCK)
#define PLAY_AHEAD 64 /* steps under way before somebody asks whether to stop */

struct array {
    uint64_t memory;
    bool fresh;
};

struct gpu_lanes {
    struct gpu *gpu;
    const struct code *code;
    const struct circuit *c;
    struct gpu_lanes_options o;
    struct gpu_rows rows;
    uint32_t words;
    uint64_t seed, step;
    /* device memory */
    uint64_t kept[2], asked, seen, used, mask;
    uint64_t sums;   /* counters */
    uint64_t values; /* tables of numbers, by row: see enum table */
    uint64_t given;  /* what came from outside, before it is turned into rows */
    size_t given_bytes;
    uint32_t now; /* which kept is the present */
    bool looked;  /* seen is of the present */
    struct array *arrays[GPU_ARRAYS];
    struct gpu_code codes[GPU_STEP_KINDS],
        play; /* made when they are needed; play: at random, nothing is kept */
    struct gpu_code tools[GPU_TOOLS];
};

/* Tables of `values`, one after the other, rows of the longest each. */
enum table { TABLE_INIT, TABLE_TRUE, TABLE_ONES, TABLE_NUMBERS, TABLE_PUT, TABLE_GOALS };

static uint32_t table_length(const struct gpu_lanes *g)
{
    return g->rows.nkept > g->rows.nseen ? g->rows.nkept : g->rows.nseen;
}

static uint64_t table_at(const struct gpu_lanes *g, uint32_t table)
{
    return g->values + (uint64_t)table * table_length(g) * 4;
}

static uint64_t row_at(const struct gpu_lanes *g, uint64_t rows, uint32_t row)
{
    return rows + (uint64_t)row * g->words * 4;
}

static uint64_t present(const struct gpu_lanes *g)
{
    return g->kept[g->now];
}

static bool enter(struct gpu_lanes *g, struct error *error)
{
    return gpu_enter(g->gpu, error) && gpu_wait(g->gpu, error);
}

/* --- Kernels -------------------------------------------------------------------------------------------- */

static struct gpu_plan *plan(struct heap *heap, const void *data)
{
    return gpu_plan_step(heap, data);
}

static bool run_step(struct gpu_lanes *g, struct gpu_code *code, enum gpu_step_kind kind, bool keep,
                     uint64_t out, struct error *error)
{
    struct gpu_step step = {g->c, kind, keep, g->o.max_steps, g->o.idle};
    struct ptx_options wishes = {.threads = PTX_BLOCK};
    if (!code->function && !gpu_code_make(g->gpu, plan, &step, &wishes, 0, &gpu_default_limits, code, error))
        return gpu_code_free(g->gpu, code), false;
    struct ptx_row_arguments a = {
        .in = present(g), .more = g->asked, .out = out, .sums = g->sums, .words = g->words, .step = g->step};
    void *arguments[PTX_ROW_ARGUMENTS];
    philox_keys(g->seed, a.keys);
    ptx_list_row_arguments(&a, arguments);
    return gpu_launch(g->gpu, code, g->words / PTX_BLOCK, 1, arguments, error);
}

/* Threads for so many lanes each. */
static bool run_tool(struct gpu_lanes *g, enum gpu_tool tool, uint32_t lanes, uint32_t ny, void **arguments,
                     struct error *error)
{
    struct gpu_code *code = &g->tools[tool];
    if (!code->module && !gpu_module_load(g->gpu, gpu_tool_text(tool), 4, &code->module, error)) return false;
    if (!code->function && !gpu_module_find(g->gpu, code->module, GPU_TOOL_ENTRY, &code->function, error))
        return false;
    return gpu_launch(g->gpu, code, g->words / PTX_BLOCK * (32 / lanes), ny, arguments, error);
}

static bool spread(struct gpu_lanes *g, uint64_t rows, uint32_t n, uint64_t out, struct error *error)
{
    return n == 0 || run_tool(g, GPU_SPREAD, 4, n, (void *[]){&rows, &out, &g->words}, error);
}

static bool weigh(struct gpu_lanes *g, enum gpu_tool tool, uint64_t rows, uint32_t n, uint32_t table,
                  int base, uint64_t out, struct error *error)
{
    uint64_t values = table_at(g, table);
    return run_tool(g, tool, 1, 1, (void *[]){&rows, &values, &out, &g->words, &n, &base}, error);
}

/* Rows of the present get the values of a table, in the lanes of the mask. */
static bool blend(struct gpu_lanes *g, uint32_t first, uint32_t n, uint64_t values, uint64_t mask,
                  struct error *error)
{
    uint64_t rows = row_at(g, present(g), first);
    return run_tool(g, GPU_BLEND, 32, n, (void *[]){&rows, &values, &mask, &g->words}, error);
}

/* --- Life ----------------------------------------------------------------------------------------------- */

static bool fill_tables(struct gpu_lanes *g, struct error *error)
{
    uint32_t n = table_length(g), ntables = TABLE_GOALS + 2 * g->c->nroles;
    int32_t *all = calloc((size_t)ntables * n, sizeof *all);
    if (!all) return error_set(error, ERROR_MEMORY, "there is no memory left");
    for (uint32_t i = 0; i < n; i++) {
        if (i < g->rows.nkept) all[TABLE_INIT * n + i] = i < g->c->nbits && g->c->init[i] ? -1 : 0;
        all[TABLE_TRUE * n + i] = -1;
        all[TABLE_ONES * n + i] = 1;
        all[TABLE_NUMBERS * n + i] = (int32_t)i;
    }
    for (uint32_t i = 0; i < g->c->goals.n; i++) { /* goals above -1, then as they are */
        const struct circuit_goal *goal = &g->c->goals.v[i];
        all[(TABLE_GOALS + 2 * goal->role) * n + i] = (int32_t)goal->value + 1;
        all[(TABLE_GOALS + 2 * goal->role + 1) * n + i] = (int32_t)goal->value;
    }
    bool good = gpu_allocate(g->gpu, &g->values, (size_t)ntables * n * 4, error) &&
                gpu_send(g->gpu, g->values, all, (size_t)ntables * n * 4, error);
    free(all);
    return good;
}

/* Lanes beyond the last are over for ever. */
static bool fill_used(struct gpu_lanes *g, struct error *error)
{
    uint32_t *used = calloc(g->words, sizeof *used);
    if (!used) return error_set(error, ERROR_MEMORY, "there is no memory left");
    for (uint32_t i = 0; i < g->o.lanes; i++) used[i / 32] |= 1u << i % 32;
    bool good = gpu_send(g->gpu, g->used, used, (size_t)g->words * 4, error);
    for (uint32_t w = 0; w < g->words; w++) used[w] = ~used[w];
    good = good && gpu_send(g->gpu, row_at(g, present(g), g->rows.over), used, (size_t)g->words * 4, error);
    free(used);
    return good;
}

static bool set_up(struct gpu_lanes *g, struct error *error)
{
    size_t row = (size_t)g->words * 4;
    uint32_t groups = g->c->nroles;
    for (int i = 0; i < 2; i++)
        if (!gpu_allocate(g->gpu, &g->kept[i], g->rows.nall * row, error)) return false;
    return gpu_allocate(g->gpu, &g->asked, (size_t)groups * g->rows.ngroup * row, error) &&
           gpu_allocate(g->gpu, &g->seen, g->rows.nseen * row, error) &&
           gpu_allocate(g->gpu, &g->used, row, error) && gpu_allocate(g->gpu, &g->mask, row, error) &&
           gpu_allocate(g->gpu, &g->sums, (gpu_counters(g->c) + 1) * sizeof(uint64_t), error) &&
           fill_tables(g, error) && gpu_fill(g->gpu, g->kept[0], 0, (size_t)g->rows.nall * g->words, error) &&
           fill_used(g, error) && gpu_lanes_reset(g, NULL, error);
}

struct gpu_lanes *gpu_lanes_new(struct gpu *gpu, const struct code *code,
                                const struct gpu_lanes_options *options, struct error *error)
{
    struct gpu_lanes *g = calloc(1, sizeof *g);
    const uint32_t MOST = UINT32_MAX / 8; /* numbers of things that kernels count */
    const uint32_t MOST_ROWS = 65535;     /* the second dimension of a launch */
    if (!g) return error_set(error, ERROR_MEMORY, "there is no memory left"), NULL;
    g->gpu = gpu;
    g->code = code;
    g->c = code->circuit;
    g->o = *options;
    g->seed = options->seed;
    g->words = (options->lanes + LANES_OF_BLOCK - 1) / LANES_OF_BLOCK * PTX_BLOCK;
    g->rows = gpu_rows_of(g->c, options->max_steps);
    bool good = table_length(g) <= MOST_ROWS ||
                error_set(error, ERROR_INPUT, "the game is too large for a GPU: %u rows, at most %u",
                          table_length(g), MOST_ROWS);
    good = good && ((uint64_t)table_length(g) * g->words < MOST ||
                    error_set(error, ERROR_INPUT, "too many lanes of so large a game for a GPU; take fewer"));
    for (uint32_t i = 0; i < GPU_ARRAYS && good; i++)
        good = (g->arrays[i] = calloc(g->c->nroles + 1, sizeof **g->arrays)) ||
               error_set(error, ERROR_MEMORY, "there is no memory left");
    if (good && gpu_enter(gpu, error) && set_up(g, error)) return g;
    gpu_lanes_free(g);
    return NULL;
}

void gpu_lanes_free(struct gpu_lanes *g)
{
    if (!g) return;
    uint64_t *memory[] = {&g->kept[0], &g->kept[1], &g->asked,  &g->seen, &g->used,
                          &g->mask,    &g->sums,    &g->values, &g->given};
    gpu_enter(g->gpu, NULL);
    for (uint32_t i = 0; i < sizeof memory / sizeof *memory; i++) gpu_release(g->gpu, memory[i]);
    for (uint32_t i = 0; i < GPU_ARRAYS; i++) {
        for (uint32_t r = 0; r <= g->c->nroles && g->arrays[i]; r++)
            gpu_release(g->gpu, &g->arrays[i][r].memory);
        free(g->arrays[i]);
    }
    for (uint32_t i = 0; i < GPU_STEP_KINDS; i++) gpu_code_free(g->gpu, &g->codes[i]);
    for (uint32_t i = 0; i < GPU_TOOLS; i++) gpu_code_free(g->gpu, &g->tools[i]);
    gpu_code_free(g->gpu, &g->play);
    free(g);
}

uint32_t gpu_lanes_stride(const struct gpu_lanes *g)
{
    return 32 * g->words;
}

void gpu_lanes_seed(struct gpu_lanes *g, uint64_t seed)
{
    g->seed = seed;
    g->step = 0;
}

/* The present is another one. */
static void changed(struct gpu_lanes *g)
{
    g->looked = false;
    for (uint32_t i = 0; i < GPU_ARRAYS; i++)
        for (uint32_t r = 0; r <= g->c->nroles; r++) g->arrays[i][r].fresh = false;
}

/* What comes from outside, wherever that is, with nothing for lanes beyond the last. */
static bool take(struct gpu_lanes *g, const void *from, size_t bytes_of_lane, struct error *error)
{
    size_t bytes = (size_t)gpu_lanes_stride(g) * bytes_of_lane, used = (size_t)g->o.lanes * bytes_of_lane;
    if (bytes > g->given_bytes) {
        gpu_release(g->gpu, &g->given);
        g->given_bytes = 0;
        if (!gpu_allocate(g->gpu, &g->given, bytes, error)) return false;
        g->given_bytes = bytes;
    }
    return gpu_fill(g->gpu, g->given, 0, bytes / 4, error) &&
           gpu_copy(g->gpu, g->given, (uintptr_t)from, used, error);
}

bool gpu_lanes_reset(struct gpu_lanes *g, const uint8_t *which, struct error *error)
{
    uint64_t mask = g->used;
    if (!enter(g, error)) return false;
    if (which) {
        mask = g->mask;
        if (!take(g, which, 1, error) ||
            !run_tool(g, GPU_GATHER, 1, 1, (void *[]){&g->given, &g->used, &mask}, error))
            return false;
    }
    changed(g);
    return blend(g, 0, g->rows.nkept, table_at(g, TABLE_INIT), mask, error) && gpu_wait(g->gpu, error);
}

/* --- Looking -------------------------------------------------------------------------------------------- */

static bool look(struct gpu_lanes *g, struct error *error)
{
    if (!g->looked && !run_step(g, &g->codes[GPU_LOOK], GPU_LOOK, false, g->seen, error)) return false;
    g->looked = true;
    return true;
}

static uint32_t state_halves(const struct gpu_lanes *g)
{
    return (g->c->nbits + 63) / 64 * 2;
}

/* What one lane takes in an array. */
static size_t lane_bytes(const struct gpu_lanes *g, enum gpu_array what, uint32_t nmoves)
{
    switch (what) {
    case GPU_ARRAY_LEGAL: return nmoves;
    case GPU_ARRAY_COUNTS: return 4;
    case GPU_ARRAY_STATES: return g->c->nbits;
    case GPU_ARRAY_PACKED: return (size_t)state_halves(g) * 4;
    case GPU_ARRAY_GOALS: return (size_t)g->c->nroles * 2;
    case GPU_ARRAY_REWARDS: return (size_t)g->c->nroles * 4;
    default: return 1;
    }
}

static bool fill_array(struct gpu_lanes *g, enum gpu_array what, uint32_t first, uint32_t nmoves,
                       uint64_t out, struct error *error)
{
    const struct gpu_rows *rows = &g->rows;
    uint32_t halves = state_halves(g), stride = gpu_lanes_stride(g), nbits = g->c->nbits;
    uint64_t kept = present(g), ended = row_at(g, kept, rows->ended), goals = row_at(g, kept, rows->goals);
    bool good = true;
    switch (what) {
    case GPU_ARRAY_PLAYER:
        return look(g, error) && weigh(g, GPU_WEIGH_U8, row_at(g, g->seen, rows->players), g->c->nroles,
                                       TABLE_NUMBERS, 0, out, error);
    case GPU_ARRAY_LEGAL: return look(g, error) && spread(g, row_at(g, g->seen, first), nmoves, out, error);
    case GPU_ARRAY_COUNTS:
        return look(g, error) &&
               weigh(g, GPU_WEIGH_U32, row_at(g, g->seen, first), nmoves, TABLE_ONES, 0, out, error);
    case GPU_ARRAY_STATES: return spread(g, kept, g->c->nbits, out, error);
    case GPU_ARRAY_PACKED:
        return run_tool(g, GPU_PACK, 1, halves, (void *[]){&kept, &out, &g->words, &nbits, &halves}, error);
    case GPU_ARRAY_ENDED: return weigh(g, GPU_WEIGH_U8, ended, 2, TABLE_ONES, 0, out, error);
    case GPU_ARRAY_GOALS:
        for (uint32_t r = 0; r < g->c->nroles && good; r++)
            good = weigh(g, GPU_WEIGH_S16, goals, g->c->goals.n, TABLE_GOALS + 2 * r, -1,
                         out + (uint64_t)r * stride * 2, error);
        return good;
    case GPU_ARRAY_REWARDS:
        for (uint32_t r = 0; r < g->c->nroles && good; r++)
            good = weigh(g, GPU_WEIGH_F32, goals, g->c->goals.n, TABLE_GOALS + 2 * r + 1, 0,
                         out + (uint64_t)r * stride * 4, error);
        return good;
    default: return true;
    }
}

bool gpu_lanes_array(struct gpu_lanes *g, enum gpu_array what, uint32_t role, uint64_t *address,
                     struct error *error)
{
    bool by_role = what == GPU_ARRAY_LEGAL || what == GPU_ARRAY_COUNTS;
    struct array *a = &g->arrays[what][by_role ? role : 0];
    uint32_t nroles = g->c->nroles, first = role < nroles ? g->c->move_base[role] : g->rows.of_players,
             nmoves = role < nroles ? g->c->move_base[role + 1] - first : g->rows.nactions;
    if (!enter(g, error)) return false;
    size_t bytes = gpu_lanes_stride(g) * lane_bytes(g, what, nmoves);
    if (what == GPU_ARRAY_PLANES) bytes = (size_t)g->c->nbits * g->words * 4;
    if (!a->memory && !gpu_allocate(g->gpu, &a->memory, bytes + 8, error)) return false;
    *address = a->memory;
    if (a->fresh) return true;
    /* states as they lie, but those change places */
    bool good = what == GPU_ARRAY_PLANES ? gpu_copy(g->gpu, a->memory, present(g), bytes, error)
                                         : fill_array(g, what, first, nmoves, a->memory, error);
    return good && gpu_wait(g->gpu, error) && (a->fresh = true);
}

bool gpu_lanes_fetch(struct gpu_lanes *g, uint64_t from, size_t bytes, void *to, struct error *error)
{
    return enter(g, error) && gpu_copy(g->gpu, (uintptr_t)to, from, bytes, error);
}

/* --- States --------------------------------------------------------------------------------------------- */

bool gpu_lanes_load(struct gpu_lanes *g, const uint64_t *packed, struct error *error)
{
    uint32_t halves = state_halves(g), nbits = g->c->nbits;
    uint64_t kept;
    if (!gpu_lanes_reset(g, NULL, error) || !take(g, packed, (size_t)halves * 4, error)) return false;
    kept = present(g);
    return run_tool(g, GPU_UNPACK, 1, halves, (void *[]){&g->given, &kept, &g->words, &nbits, &halves},
                    error) &&
           look(g, error) &&
           blend(g, g->rows.over, 2, table_at(g, TABLE_TRUE), row_at(g, g->seen, g->rows.terminal), error) &&
           gpu_wait(g->gpu, error) && (changed(g), true);
}

bool gpu_lanes_put(struct gpu_lanes *g, uint32_t lane, const uint64_t *state, struct error *error)
{
    uint32_t word = 1u << lane % 32, n = g->rows.nkept;
    int32_t *values = calloc(n, sizeof *values);
    if (!values) return error_set(error, ERROR_MEMORY, "there is no memory left");
    for (uint32_t b = 0; b < g->c->nbits; b++) values[b] = state[b / 64] >> b % 64 & 1 ? -1 : 0;
    changed(g);
    bool good = enter(g, error) && gpu_send(g->gpu, table_at(g, TABLE_PUT), values, (size_t)n * 4, error) &&
                gpu_fill(g->gpu, g->mask, 0, g->words, error) &&
                gpu_send(g->gpu, g->mask + (uint64_t)(lane / 32) * 4, &word, 4, error) &&
                blend(g, 0, n, table_at(g, TABLE_PUT), g->mask, error) && gpu_wait(g->gpu, error);
    free(values);
    return good;
}

bool gpu_lanes_get(struct gpu_lanes *g, uint32_t lane, uint64_t *state, struct error *error)
{
    uint64_t packed;
    size_t bytes = (size_t)state_halves(g) * 4;
    return gpu_lanes_array(g, GPU_ARRAY_PACKED, 0, &packed, error) &&
           gpu_fetch(g->gpu, state, packed + lane * bytes, bytes, error);
}

/* --- Moving --------------------------------------------------------------------------------------------- */

/* The first lane in a row of what was found wrong; the lanes' number: none. */
static bool first_lane(struct gpu_lanes *g, uint32_t row, uint32_t *words, uint32_t *lane,
                       struct error *error)
{
    if (!gpu_fetch(g->gpu, words, row_at(g, g->kept[!g->now], row), (size_t)g->words * 4, error))
        return false;
    uint32_t w = 0;
    while (w < g->words && !words[w]) w++;
    *lane = w < g->words ? 32 * w + (uint32_t)__builtin_ctz(words[w]) : 32 * g->words;
    return true;
}

static bool find_fault(struct gpu_lanes *g, enum gpu_step_kind kind, struct gpu_fault *fault,
                       struct error *error)
{
    const struct gpu_rows *rows = &g->rows;
    uint32_t *words = malloc((size_t)g->words * 4), lane, none = 32 * g->words;
    bool good = words || error_set(error, ERROR_MEMORY, "there is no memory left");
    fault->lane = UINT32_MAX;
    for (uint32_t r = 0; good && kind != GPU_STEP_RANDOM && r < g->c->nroles; r++) {
        good = first_lane(g, rows->illegal + r, words, &lane, error);
        if (good && lane < none && lane < fault->lane) *fault = (struct gpu_fault){GPU_ILLEGAL, lane, r};
    }
    if (good && kind == GPU_STEP_PLAYERS) {
        good = first_lane(g, rows->crowded, words, &lane, error);
        if (good && lane < none && lane <= fault->lane) *fault = (struct gpu_fault){GPU_CROWDED, lane, 0};
    }
    if (good) good = first_lane(g, rows->stuck, words, &lane, error);
    if (good && lane < none && lane <= fault->lane) *fault = (struct gpu_fault){GPU_STUCK, lane, 0};
    free(words);
    return good;
}

bool gpu_lanes_step(struct gpu_lanes *g, enum gpu_step_kind kind, const int32_t *moves,
                    struct gpu_fault *fault, struct error *error)
{
    uint32_t each = kind == GPU_STEP_JOINT ? g->c->nroles : 1;
    uint64_t wrong = 0, counter = g->sums + gpu_counters(g->c) * sizeof wrong;
    *fault = (struct gpu_fault){.kind = GPU_FINE};
    if (!enter(g, error)) return false;
    if (moves && (!take(g, moves, each * sizeof *moves, error) ||
                  !run_tool(g, GPU_TURN, 1, each,
                            (void *[]){&g->given, &g->asked, &g->words, &each, &g->rows.nplanes}, error)))
        return false;
    if (!gpu_fill(g->gpu, counter, 0, 2, error) ||
        !run_step(g, &g->codes[kind], kind, g->o.keep, g->kept[!g->now], error) ||
        !gpu_fetch(g->gpu, &wrong, counter, sizeof wrong, error))
        return false;
    if (wrong) return find_fault(g, kind, fault, error);
    g->now = !g->now;
    g->step++;
    changed(g);
    return true;
}

bool gpu_lanes_play(struct gpu_lanes *g, uint64_t steps, const atomic_bool *stop, uint64_t *sums,
                    struct error *error)
{
    uint32_t counters = gpu_counters(g->c);
    uint64_t row = (uint64_t)g->words * 4;
    if (!enter(g, error) || !gpu_fill(g->gpu, g->sums, 0, 2 * (counters + 1), error)) return false;
    changed(g);
    if (!gpu_copy(g->gpu, g->mask, row_at(g, present(g), g->rows.ended), row,
                  error) || /* all that are over */
        !blend(g, 0, g->rows.nkept, table_at(g, TABLE_INIT), g->mask, error))
        return false;
    for (uint64_t i = 0; i < steps; i++) {
        if (i % PLAY_AHEAD == 0) {
            if (!gpu_wait(g->gpu, error)) return false;
            if (stop && atomic_load_explicit(stop, memory_order_relaxed)) break;
        }
        if (!run_step(g, &g->play, GPU_STEP_RANDOM, false, g->kept[!g->now], error)) return false;
        g->now = !g->now;
        g->step++;
    }
    uint32_t last = g->rows.ended; /* what ended with the last step has been counted */
    return blend(g, last, g->rows.age - last, table_at(g, TABLE_INIT) + 4 * last, g->used, error) &&
           gpu_fetch(g->gpu, sums, g->sums, counters * sizeof *sums, error);
}
