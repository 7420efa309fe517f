// SPDX-License-Identifier: GPL-3.0-or-later
/* The ground engine is the lifted one, only faster: random games state by state, at every number of lanes and
 * in machine code.
 *
 *     test_identity                            a few games of the library
 *     test_identity [-n N] [-t SEC] FILE...    these sheets: N games each, not longer than SEC seconds each
 *
 * Some lanes of each batch are followed by the lifted engine: facts, legal moves, ends and goals must be the
 * same in every state; the moves are those the batch chose. */
#include "../testing.h"

#include "base/clock.h"
#include "game/engine.h"

#include <stdio.h>
#include <unistd.h>

struct follower {
    struct state state; /* in the lifted engine */
    bool going;
};

struct match {
    struct reasoner *lifted, *circuit;
    const struct code *code;
    struct list *lifted_move; /* by role: by move of the circuit, number + 1 of the lifted one's */
    struct state carried, seen;
    struct list moves, values;
    uint32_t *legal, *chosen;
    uint64_t states, games;
};

static double seconds_each = 0.3;
static uint32_t games_each = 12;

#define MUST(r, x)                                                                          \
    do {                                                                                    \
        if (!(x)) fail_msg("%s: %s: %s", (r)->game->name, (r)->ops->name, (r)->error.text); \
    } while (0)

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void same_list(const struct match *m, const struct list *a, const uint32_t *b, uint32_t n,
                      const char *what)
{
    if (a->n != n || (n && memcmp(a->v, b, n * sizeof *b) != 0))
        fail_msg("%s: %s differ (%u and %u)", m->lifted->game->name, what, a->n, n);
}

static bool mask_bit(const uint64_t *mask, uint32_t lane)
{
    return mask[lane / 64] >> lane % 64 & 1;
}

/* One lane against its follower; returns whether the game goes on. */
static bool same_state(struct match *m, struct batch *b, uint32_t lane, struct follower *f)
{
    const char *name = m->lifted->game->name;
    bool ended, ended_circuit;
    MUST(m->circuit, reasoner_carry_state(m->circuit, m->lifted, &f->state, &m->carried));
    batch_get_state(b, lane, m->seen.w);
    if (!state_equal(&m->carried, &m->seen)) fail_msg("%s: the facts differ", name);
    MUST(m->lifted, m->lifted->ops->terminal(m->lifted, &f->state, &ended));
    if (ended != mask_bit(b->terminal, lane)) fail_msg("%s: the end differs", name);
    MUST(m->circuit, m->circuit->ops->terminal(m->circuit, &m->seen, &ended_circuit));
    if (ended != ended_circuit) fail_msg("%s: the end differs, one state at a time", name);
    m->states++;
    for (uint32_t r = 0; r < b->nroles; r++) {
        if (ended) { /* goals of other states may be undefined or anything */
            MUST(m->lifted, m->lifted->ops->goals(m->lifted, &f->state, r, &m->moves));
            MUST(m->circuit, m->circuit->ops->goals(m->circuit, &m->seen, r, &m->values));
            same_list(m, &m->values, m->moves.v, m->moves.n, "goals");
            continue;
        }
        MUST(m->lifted, m->lifted->ops->legal(m->lifted, &f->state, r, &m->moves));
        for (uint32_t i = 0; i < m->moves.n; i++)
            MUST(m->circuit, reasoner_carry_move(m->circuit, m->lifted, r, m->moves.v[i], &m->moves.v[i]));
        if (m->moves.n) qsort(m->moves.v, m->moves.n, sizeof *m->moves.v, compare);
        uint32_t n = batch_legal(b, lane, r, m->legal);
        same_list(m, &m->moves, m->legal, n, "legal moves");
    }
    return !ended;
}

static void same_goals(struct match *m, const struct batch *b, const int16_t *goals, struct follower *f)
{
    for (uint32_t r = 0; r < b->nroles; r++) {
        int goal;
        MUST(m->lifted, reasoner_goal(m->lifted, &f->state, r, &goal));
        if (goal != goals[r]) fail_msg("%s: a collected goal differs", m->lifted->game->name);
    }
}

static uint32_t lifted_number(struct match *m, uint32_t role, uint32_t move)
{
    uint32_t *known = &m->lifted_move[role].v[move];
    if (*known == 0) {
        MUST(m->lifted, reasoner_carry_move(m->lifted, m->circuit, role, move, known));
        ++*known;
    }
    return *known - 1;
}

enum how { INTERPRETED, MACHINE, TURNS };

static void play(struct match *m, uint32_t lanes, enum how how, uint32_t follow, double until)
{
    bool machine = how != INTERPRETED;
    struct error error;
    struct batch *b = (machine ? batch_new : batch_new_interpreted)(m->code, lanes, lanes + how, &error);
    assert_non_null(b);
    struct follower *followers = calloc(follow, sizeof *followers);
    uint32_t joint[64], going = follow, stride = lanes / follow;
    uint64_t moving[BATCH_MAX_WORDS], ended[BATCH_MAX_WORDS];
    int16_t *goals = calloc((size_t)lanes * b->nroles, sizeof *goals);
    assert_true(b->nroles <= 64);
    for (uint32_t i = 0; i < follow; i++) {
        MUST(m->lifted, m->lifted->ops->initial(m->lifted, &followers[i].state));
        followers[i].going = true;
    }
    while (going > 0 && clock_now() < until) {
        (how == TURNS ? batch_view_turn : batch_view)(b);
        memset(ended, 0, sizeof ended);
        for (uint32_t i = 0; i < follow; i++) {
            struct follower *f = &followers[i];
            uint32_t lane = i * stride;
            if (!f->going || same_state(m, b, lane, f)) continue;
            f->going = false;
            ended[lane / 64] |= 1ull << lane % 64;
            going--;
            m->games++;
        }
        batch_park(b, ended);
        if (stride > 1) batch_lane_goals(b, 1, 0, m->chosen); /* whoever asks must not disturb the step */
        for (uint32_t w = 0; w < b->words; w++) moving[w] = ~b->terminal[w];
        batch_choose(b, moving);
        for (uint32_t r = 0; r < b->nroles; r++) batch_moves(b, r, m->chosen + r * lanes);
        batch_step(b);
        if (batch_any(b, ended)) {
            batch_collect_goals(b, goals, NULL);
            for (uint32_t i = 0; i < follow; i++)
                if (mask_bit(ended, i * stride))
                    same_goals(m, b, goals + i * stride * b->nroles, &followers[i]);
        }
        for (uint32_t i = 0; i < follow; i++) {
            struct follower *f = &followers[i];
            if (!f->going) continue;
            for (uint32_t r = 0; r < b->nroles; r++)
                joint[r] = lifted_number(m, r, m->chosen[r * lanes + i * stride]);
            MUST(m->lifted, m->lifted->ops->next(m->lifted, &f->state, joint, &f->state));
        }
    }
    for (uint32_t i = 0; i < follow; i++) state_done(&followers[i].state);
    free(followers), free(goals);
    batch_free(b);
}

static void compare_engines(struct match *m, const struct code *code)
{
    struct error error;
    m->code = code;
    m->circuit = reasoner_circuit(m->lifted->game, m->code, &error);
    assert_non_null(m->circuit);
    const struct circuit *c = m->code->circuit;
    m->lifted_move = calloc(c->nroles, sizeof *m->lifted_move);
    for (uint32_t r = 0; r < c->nroles; r++)
        for (uint32_t i = c->move_base[r]; i < c->move_base[r + 1]; i++) list_push(&m->lifted_move[r], 0);
    m->legal = malloc((c->nmoves + 1) * sizeof *m->legal);
    m->chosen = malloc((size_t)c->nroles * BATCH_MAX_LANES * sizeof *m->chosen);
    m->seen.words = (c->nbits + 63) / 64;
    assert_true(state_reserve(&m->seen, m->seen.words + 1));
    uint32_t widths[12], n = batch_widths(widths), runs = n;
    enum how how[12] = {INTERPRETED};
    for (uint32_t i = 0; i < n; i++)
        for (enum how by = MACHINE; by <= TURNS && code_machine(code, widths[i]); by++) {
            how[runs] = by;
            widths[runs++] = widths[i];
        }
    for (uint32_t i = 0; i < runs; i++)
        play(m, widths[i], how[i], (games_each + runs - 1 - i) / runs, clock_now() + seconds_each / runs);
    for (uint32_t r = 0; r < c->nroles; r++) list_done(&m->lifted_move[r]);
    reasoner_free(m->circuit);
    free(m->lifted_move), free(m->legal), free(m->chosen);
    state_done(&m->seen), state_done(&m->carried);
    list_done(&m->moves), list_done(&m->values);
}

/* True if the sheet could be grounded. */
static bool check_sheet(const char *path)
{
    struct error error;
    struct game *game = game_load(path, 0, NULL, &error);
    if (!game) {
        printf("%-32s refused: %s\n", path, error.text);
        return false;
    }
    struct ground_limits limits = {.seconds = 60, .bytes = (size_t)4 << 30};
    struct match m = {.lifted = reasoner_lifted(game, 0, &error)};
    struct engine *engine = engine_start(game, &limits, &error);
    assert_non_null(m.lifted);
    assert_non_null(engine);
    bool grounds = engine_wait(engine, -1) == ENGINE_READY;
    if (grounds) compare_engines(&m, engine_code(engine));
    printf("%-32s %s%s: %lu states, %lu games\n", game->name,
           grounds ? "same" : "does not ground: ", grounds ? "" : engine_error(engine)->text,
           (unsigned long)m.states, (unsigned long)m.games);
    fflush(stdout);
    engine_free(engine);
    reasoner_free(m.lifted);
    game_free(game);
    return grounds;
}

static void library_games_are_the_same(void **unused)
{
    static const char *const names[] = {"ticTacToe",  "connectFour", "breakthrough", "checkers",
                                        "othello",    "speedChess",  "sheepAndWolf", "chineseCheckers3",
                                        "goofspiel5", "pancakes88",  "hex",          "merrills",
                                        "rolit3",     "tron",        "battle",       "biddingTicTacToe"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) assert_true(check_sheet(names[i]));
}

static char **sheets;
static int nsheets;

static void given_sheets_are_the_same(void **unused)
{
    int grounded = 0;
    for (int i = 0; i < nsheets; i++) grounded += check_sheet(sheets[i]);
    printf("%d of %d sheets ground\n", grounded, nsheets);
}

int main(int argc, char **argv)
{
    for (int c; (c = getopt(argc, argv, "n:t:")) != -1;) {
        if (c == 'n')
            games_each = (uint32_t)atoi(optarg);
        else if (c == 't')
            seconds_each = atof(optarg);
        else
            return 2;
    }
    sheets = argv + optind;
    nsheets = argc - optind;
    const struct CMUnitTest library[] = {cmocka_unit_test(library_games_are_the_same)};
    const struct CMUnitTest given[] = {cmocka_unit_test(given_sheets_are_the_same)};
    if (games_each < 6) games_each = 6;
    return nsheets ? cmocka_run_group_tests(given, NULL, NULL) : cmocka_run_group_tests(library, NULL, NULL);
}
