// SPDX-License-Identifier: GPL-3.0-or-later
/* The text of device code, run by a machine for PTX, against the processor's twin: states, ends, goals. */
#include "../testing.h"

#include "game/engine.h"
#include "game/library.h"
#include "gpu/ptx.h"
#include "gpu/twin.h"
#include "ptx_machine.h"

#include <stdio.h>
#include <unistd.h>

#define SEED 0x123456789abcdefu

struct ready {
    struct game *game;
    struct engine *engine;
    const struct code *code;
};

static struct ready get_ready(const char *name)
{
    struct error error;
    struct ready r = {.game = game_load(name, 0, NULL, &error)};
    if (!r.game) fail_msg("%s: %s", name, error.text);
    struct ground_limits limits = {.seconds = 60, .bytes = (size_t)2 << 30};
    r.engine = engine_start(r.game, &limits, &error);
    assert_non_null(r.engine);
    if (engine_wait(r.engine, -1) == ENGINE_READY) r.code = engine_code(r.engine);
    return r;
}

static void done(struct ready *r)
{
    engine_free(r->engine);
    game_free(r->game);
}

/* A round at a time, so that a difference is found where it begins. One warp, all counters, all bits. */
static void compare(const char *name, const struct code *code, const struct ptx_options *options,
                    const uint64_t *starts, uint32_t roots, uint32_t rounds)
{
    enum { WORDS = 32 };
    const struct circuit *c = code->circuit;
    struct error error = {0};
    struct heap *heap = heap_new((size_t)4 << 30);
    struct heap_guard guard;
    struct ptx ptx = {0};
    struct gpu_setup setup = starts ? gpu_setup_from(c, starts, roots) : gpu_setup_initial(c);
    uint32_t counters = (starts ? roots : 1) * gpu_counters(c), state_words = (c->nbits + 63) / 64;
    if (HEAP_ENTER(heap, &guard, &error)) {
        ptx = ptx_write(gpu_plan_new(heap, c, setup), options);
        heap_leave(heap);
    } else {
        fail_msg("%s: %s", name, error.text);
    }
    assert_true(ptx.shared_slots <= options->shared_slots);
    char message[200];
    struct ptx_machine *m = ptx_machine_new(ptx.text, message, sizeof message);
    if (!m) fail_msg("%s: %s", name, message);
    assert_true(ptx_machine_entry(m, PTX_ENTRY));
    struct gpu_twin *twin = gpu_twin_new(code, setup, WORDS, SEED, starts, roots, &error);
    assert_non_null(twin);
    uint32_t *state = calloc((size_t)c->nbits * WORDS + 1, sizeof *state),
             *start = calloc((size_t)c->nbits * WORDS + 1, sizeof *start),
             *young = calloc(WORDS, sizeof *young), *waiting = calloc(WORDS, sizeof *waiting);
    uint64_t *sums = calloc(counters, sizeof *sums);
    for (uint32_t b = 0; b < c->nbits; b++)
        for (uint32_t w = 0; w < WORDS; w++) {
            const uint64_t *from = starts ? starts + w % roots * state_words : NULL;
            bool set = from ? from[b / 64] >> b % 64 & 1 : c->init[b];
            start[b * WORDS + w] = state[b * WORDS + w] = set ? UINT32_MAX : 0;
        }
    ptx_machine_allow(m, state, ((size_t)c->nbits * WORDS + 1) * sizeof *state);
    ptx_machine_allow(m, young, WORDS * sizeof *young);
    ptx_machine_allow(m, sums, counters * sizeof *sums);
    ptx_machine_allow(m, start, ((size_t)c->nbits * WORDS + 1) * sizeof *start);
    ptx_machine_allow(m, waiting, WORDS * sizeof *waiting);
    struct ptx_arguments a = {.state = (uintptr_t)state,
                              .waiting = (uintptr_t)waiting,
                              .young = (uintptr_t)young,
                              .start = (uintptr_t)start,
                              .roots = roots,
                              .sums = (uintptr_t)sums,
                              .words = WORDS,
                              .rounds = 1};
    philox_keys(SEED, a.keys);
    void *arguments[PTX_ARGUMENTS];
    ptx_list_arguments(&a, arguments);
    bool *turn_bit = calloc(c->nbits + 1, 1);
    for (uint32_t i = 0; ptx.turns > 1 && i < c->turn_bits.n; i++) turn_bit[c->turn_bits.v[i]] = true;
    for (uint32_t round = 0; round < rounds; round++) {
        a.give_up = round % 7 == 6;
        a.last = round >= rounds - rounds / 4;
        if (!ptx_machine_launch(m, 1, 1, WORDS, ptx.shared_slots * 4 * ptx.threads, arguments, message,
                                sizeof message))
            fail_msg("%s: %s", name, message);
        gpu_twin_play(twin, 1, a.last, a.give_up);
        a.step += ptx.turns;
        const uint64_t *expected = gpu_twin_sums(twin);
        for (uint32_t i = 0; i < counters; i++)
            if (sums[i] != expected[i])
                fail_msg("%s, round %u: counter %u is %llu, not %llu", name, round, i,
                         (unsigned long long)sums[i], (unsigned long long)expected[i]);
        for (uint32_t b = 0; b < c->nbits; b++)
            for (uint32_t w = 0; w < WORDS && !turn_bit[b]; w++)
                if (state[b * WORDS + w] != gpu_twin_state(twin, w, b))
                    fail_msg("%s, round %u: bit %u of word %u", name, round, b, w);
    }
    free(turn_bit);
    gpu_twin_free(twin);
    ptx_machine_free(m);
    free(state);
    free(start);
    free(young);
    free(waiting);
    free(sums);
    heap_free(heap);
}

/* Few registers and little shared memory, so that everything has to be put aside somewhere; then plenty. */
static void games_agree(void **unused)
{
    static const struct {
        const char *name;
        uint32_t rounds;
    } games[] = {{"ticTacToe", 40},
                 {"connectFour", 60},
                 {"breakthrough", 50},
                 {"tron", 30},
                 {"hex", 45},
                 {"goofspiel4", 20},
                 {"nim", 20},
                 {"chineseCheckers3", 10},
                 {"biddingTicTacToe", 12},
                 {"ttcc4", 10},
                 {"pegSolitaire", 20},
                 {"quad", 14},
                 {"checkers", 8},
                 {"knightsTour", 20}};
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct ready r = get_ready(games[i].name);
        assert_non_null(r.code);
        compare(games[i].name, r.code, &(struct ptx_options){.registers = 24, .shared_slots = 30, .sync = 50},
                NULL, 0, games[i].rounds / 2);
        compare(games[i].name, r.code, &(struct ptx_options){.registers = 200, .shared_slots = 220}, NULL, 0,
                games[i].rounds);
        if (i < 3)
            compare(games[i].name, r.code,
                    &(struct ptx_options){.registers = 100, .shared_slots = 220, .threads = 256, .sync = 250},
                    NULL, 0, games[i].rounds);
        done(&r);
    }
}

/* Games that begin elsewhere, in several places at once, in whichever turn it is. */
static void games_agree_from_other_positions(void **unused)
{
    static const char *const names[] = {"connectFour", "breakthrough", "tron", "chineseCheckers3",
                                        "hex",         "goofspiel4",   "quad"};
    enum { ROOTS = 3 };
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ready r = get_ready(names[i]);
        struct error error;
        struct batch *b = batch_new(r.code, 64, SEED, &error);
        uint64_t all = ~0ull, *starts = calloc(ROOTS * b->state_words, sizeof *starts);
        for (uint32_t steps = 1; steps <= 4; steps++) {
            batch_view(b);
            batch_choose(b, &all);
            batch_step(b);
            for (uint32_t k = 0; k < ROOTS; k++) batch_get_state(b, k, starts + k * b->state_words);
            compare(names[i], r.code,
                    &(struct ptx_options){.registers = 24 + 60 * (steps % 2), .shared_slots = 220}, starts,
                    ROOTS, 12);
        }
        starts[0] ^= UINT32_MAX; /* a position that cannot be, in no turn perhaps: as if there were none */
        compare(names[i], r.code, &(struct ptx_options){.registers = 100, .shared_slots = 220}, starts, ROOTS,
                3);
        free(starts);
        batch_free(b);
        done(&r);
    }
}

/* What was fastest on a device is what is chosen; wishes come first. */
static void blocks_suit_the_code(void **unused)
{
    static const struct {
        const char *name;
        struct ptx_options wishes;
        uint32_t blocks, threads;
    } cases[] = {{"connectFour", {0}, 4, 128},
                 {"breakthrough", {0}, 1, 256},
                 {"checkers", {0}, 1, 128},
                 {"othello", {0}, 2, 128},
                 {"breakthrough", {.blocks = 3}, 3, 128},
                 {"breakthrough", {.threads = 128}, 2, 128},
                 {"connectFour", {.blocks = 8, .threads = 256}, 8, 256}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ready r = get_ready(cases[i].name);
        struct heap *heap = heap_new((size_t)4 << 30);
        struct heap_guard guard;
        struct error error;
        assert_true(HEAP_ENTER(heap, &guard, &error));
        struct gpu_plan *plan = gpu_plan_new(heap, r.code->circuit, gpu_setup_initial(r.code->circuit));
        struct ptx ptx = ptx_write_for(plan, &PTX_MEMORY_H200, &cases[i].wishes);
        heap_leave(heap);
        assert_int_equal(ptx.blocks, cases[i].blocks);
        assert_int_equal(ptx.threads, cases[i].threads);
        assert_true((ptx.shared_slots * 4 * ptx.threads + PTX_MEMORY_H200.reserved) * ptx.blocks <=
                    PTX_MEMORY_H200.multiprocessor);
        heap_free(heap);
        done(&r);
    }
}

static void every_game_of_the_library_agrees(void **unused)
{
    struct error error;
    json_t *list = library_list(&error), *one;
    assert_non_null(list);
    size_t i;
    json_array_foreach(list, i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));
        struct ready r = get_ready(name);
        if (r.code)
            compare(name, r.code, &(struct ptx_options){.registers = 200, .shared_slots = 220}, NULL, 0, 3);
        done(&r);
    }
    json_decref(list);
}

/* Other people's sheets with loops, large circuits, and roles that move at once; where they are. */
static void sheets_of_the_corpus_agree(void **unused)
{
    static const char *const names[] = {
        "amazons_8x8",      "biddingTicTacToe", "blobwars",    "checkers",         "chess_200",
        "chineseCheckers6", "dualConnect4",     "ghostMaze2p", "gt_two_thirds_4p", "hex",
        "hexPie",           "kalaha6x2x4",      "knightazons", "lightsOnSimul4",   "linesOfAction",
        "othello-comp2007", "pentago",          "point_grab",  "quarto",           "racer",
        "reversi",          "roshambo2",        "rubiksCube",  "ruleDepthLinear",  "skirmish",
        "snake2p",          "speedChess",       "ticTicToe",   "tron_10x10",       "urmAdd"};
    const char *corpus = getenv("LUDENS_CORPUS");
    uint32_t found = 0;
    for (uint32_t i = 0; corpus && i < sizeof names / sizeof *names; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/games/%s.kif", corpus, names[i]);
        if (access(path, R_OK) != 0) continue;
        struct ready r = get_ready(path);
        if (r.code)
            compare(names[i], r.code, &(struct ptx_options){.registers = 200, .shared_slots = 220}, NULL, 0,
                    4);
        found += r.code != NULL;
        done(&r);
    }
    print_message("%u sheets\n", found);
}

/* Where a bit tells who has a choice one tree chooses for both: in Checkers, where jumps go on; not where all
 * move at once, and not where turns are told by a clock. */
static void one_choice_for_roles_that_never_choose_at_once(void **unused)
{
    static const struct {
        const char *name;
        bool mover;
    } games[] = {{"checkers", true},
                 {"quad", true},
                 {"tron", false},
                 {"biddingTicTacToe", false},
                 {"connectFour", false}};
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct ready r = get_ready(games[i].name);
        struct gpu_setup setup = gpu_setup_initial(r.code->circuit);
        assert_int_equal(gpu_has_mover(&setup.mover), games[i].mover);
        done(&r);
    }
}

static void random_numbers_are_those_of_philox(void **unused)
{
    /* Random123's vectors for philox4x32 with seven rounds */
    static const uint32_t zero[4] = {0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48};
    uint32_t keys[2 * PHILOX_ROUNDS], x[4] = {0};
    philox_keys(0, keys);
    philox(keys, x);
    assert_memory_equal(x, zero, sizeof zero);
    static const uint32_t ones[4] = {0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662};
    philox_keys(UINT64_MAX, keys);
    memset(x, 0xff, sizeof x);
    philox(keys, x);
    assert_memory_equal(x, ones, sizeof ones);
}

int main(int argc, char **argv)
{
    bool all = argc > 1 && strcmp(argv[1], "slow") == 0;
    const struct CMUnitTest quick[] = {
        cmocka_unit_test(random_numbers_are_those_of_philox), cmocka_unit_test(games_agree),
        cmocka_unit_test(games_agree_from_other_positions), cmocka_unit_test(blocks_suit_the_code),
        cmocka_unit_test(one_choice_for_roles_that_never_choose_at_once)};
    const struct CMUnitTest slow[] = {cmocka_unit_test(every_game_of_the_library_agrees),
                                      cmocka_unit_test(sheets_of_the_corpus_agree)};
    return all ? cmocka_run_group_tests(slow, NULL, NULL) : cmocka_run_group_tests(quick, NULL, NULL);
}
