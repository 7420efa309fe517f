// SPDX-License-Identifier: GPL-3.0-or-later
/* Games that fall apart are taken apart, and parts that read each other are not. Of every part that is found
 * it is tried that it goes its own way whatever the rest of the state is. With rule sheets as arguments that
 * is all that is done, with these. */
#include "testing.h"

#include "analysis/factors.h"
#include "base/rng.h"
#include "game/engine.h"

#include <stdio.h>

struct opened {
    struct game *game;
    struct engine *engine;
    struct reasoner *reasoner;
    const struct circuit *circuit;
    struct factors factors;
};

static bool look_at(struct opened *o, struct game *game)
{
    struct error error = {0};
    struct ground_limits limits = {.seconds = 10};
    *o = (struct opened){.game = game};
    if (!game) return false;
    o->engine = engine_start(game, &limits, &error);
    if (engine_wait(o->engine, -1) != ENGINE_READY) return false;
    o->reasoner = reasoner_circuit(game, engine_code(o->engine), &error);
    o->circuit = engine_code(o->engine)->circuit;
    return factors_find(&o->factors, o->circuit, 60, NULL, &error);
}

static void leave(struct opened *o)
{
    factors_done(&o->factors);
    if (o->reasoner) reasoner_free(o->reasoner);
    engine_free(o->engine);
    game_free(o->game);
}

/* --- Each part for itself ------------------------------------------------------------------------------- */

static bool bit_of(const struct state *s, uint32_t bit)
{
    return s->w[bit / 64] >> bit % 64 & 1;
}

static void random_joint(struct opened *o, const struct state *s, struct rng *rng, uint32_t *joint)
{
    for (uint32_t role = 0; role < o->game->nroles; role++) {
        struct list legal = {0};
        assert_true(o->reasoner->ops->legal(o->reasoner, s, role, &legal));
        joint[role] = legal.n ? legal.v[rng_below(rng, legal.n)] : 0;
        list_done(&legal);
    }
}

static uint32_t move_of(const struct opened *o, const uint32_t *joint, uint32_t role)
{
    return o->circuit->move_base[role] + joint[role];
}

/* The state of `other` but for one part, which is as in `own`. */
static void mix(const struct opened *o, uint32_t part, const struct state *own, const struct state *other,
                struct state *out)
{
    assert_true(state_copy(out, other));
    for (uint32_t b = 0; b < o->circuit->nbits; b++) {
        if (o->factors.bit[b] != part) continue;
        out->w[b / 64] &= ~(1ull << b % 64);
        out->w[b / 64] |= (uint64_t)bit_of(own, b) << b % 64;
    }
}

static bool same_part(const struct opened *o, uint32_t part, const struct state *a, const struct state *b)
{
    for (uint32_t i = 0; i < o->circuit->nbits; i++)
        if (o->factors.bit[i] == part && bit_of(a, i) != bit_of(b, i)) return false;
    return true;
}

static bool is_legal(struct opened *o, const struct state *s, uint32_t role, uint32_t move)
{
    struct list legal = {0};
    bool found = false;
    assert_true(o->reasoner->ops->legal(o->reasoner, s, role, &legal));
    for (uint32_t i = 0; i < legal.n; i++) found |= legal.v[i] == move;
    list_done(&legal);
    return found;
}

/* The part of one game among the rest of another goes on as in its own game, by the moves made there, and by
 * others that do nothing in it as well. */
static void try_part(struct opened *o, uint32_t part, struct state *const games[2], uint32_t *const joints[2],
                     struct state *const nexts[2])
{
    struct reasoner *r = o->reasoner;
    struct state mixed = {0}, next = {0};
    uint32_t nroles = o->game->nroles, idle = 0, own = 0;
    mix(o, part, games[0], games[1], &mixed);
    assert_true(r->ops->next(r, &mixed, joints[0], &next));
    if (!same_part(o, part, &next, nexts[0])) fail_msg("%s: part %u reads others", o->game->name, part);
    for (uint32_t role = 0; role < nroles; role++) {
        uint32_t here = o->factors.move[move_of(o, joints[0], role)],
                 there = o->factors.move[move_of(o, joints[1], role)];
        idle += here != part && here != FACTOR_SEVERAL && there != part && there != FACTOR_SEVERAL;
        own += here == part;
        if (here == part && !is_legal(o, &mixed, role, joints[0][role]))
            fail_msg("%s: a move in part %u asks for others", o->game->name, part);
    }
    if (idle == nroles) {
        assert_true(r->ops->next(r, &mixed, joints[1], &next));
        if (!same_part(o, part, &next, nexts[0]))
            fail_msg("%s: part %u changes by others' moves", o->game->name, part);
    }
    state_done(&mixed);
    state_done(&next);
}

/* Two games beside each other, as long as both go on. */
static void try_parts(struct opened *o, struct rng *rng)
{
    enum { ROLES = 64, STEPS = 60 };
    struct reasoner *r = o->reasoner;
    struct state a = {0}, b = {0}, next_a = {0}, next_b = {0};
    struct state *games[2] = {&a, &b}, *nexts[2] = {&next_a, &next_b};
    uint32_t first[ROLES], second[ROLES], *joints[2] = {first, second};
    assert_true(r->ops->initial(r, &a) && r->ops->initial(r, &b));
    for (int step = 0; step < STEPS; step++) {
        bool over[2];
        for (int i = 0; i < 2; i++) assert_true(r->ops->terminal(r, games[i], &over[i]));
        if (over[0] || over[1]) break;
        for (int i = 0; i < 2; i++) {
            random_joint(o, games[i], rng, joints[i]);
            assert_true(r->ops->next(r, games[i], joints[i], nexts[i]));
        }
        for (uint32_t part = 0; part < o->factors.n; part++) try_part(o, part, games, joints, nexts);
        assert_true(state_copy(&a, &next_a) && state_copy(&b, &next_b));
    }
    state_done(&a);
    state_done(&b);
    state_done(&next_a);
    state_done(&next_b);
}

static void try_all(struct opened *o)
{
    struct rng rng;
    rng_init(&rng, 7);
    for (int i = 0; i < 30; i++) try_parts(o, &rng);
}

/* --- Sheets --------------------------------------------------------------------------------------------- */

/* Two walks, a move being a step of one of them. */
#define WALKS                                                                                   \
    "(role robot) (init (at a 0)) (init (at b 0)) (init (step 0)) (walk a) (walk b)\n"          \
    "(way 0 0) (way 0 1) (way 1 2) (way 2 3) (way 1 0) (way 2 1) (way 3 0)\n"                   \
    "(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)\n" \
    "(<= (next (at ?w ?x)) (does robot (go ?w ?x)))\n"                                          \
    "(<= (next (at ?w ?x)) (true (at ?w ?x)) (does robot (go ?v ?y)) (distinct ?v ?w))\n"       \
    "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))\n"                                     \
    "(<= terminal (true (step 8)))\n"                                                           \
    "(<= (goal robot 0) (not done))\n"
#define STEPS_OF_ALL "(<= (legal robot (go ?w ?x)) (true (at ?w ?y)) (way ?y ?x))\n"
#define BOTH "(<= done (true (at a 3)) (true (at b 3))) (<= terminal done) (<= (goal robot 100) done)\n"
#define ONE \
    "(<= done (true (at a 3))) (<= done (true (at b 3))) (<= terminal done) (<= (goal robot 100) done)\n"

/* The same with a step of each in every move. */
#define PAIRS                                                                                       \
    "(role robot) (init (at a 0)) (init (at b 0)) (init (step 0)) (walk a) (walk b)\n"              \
    "(way 0 0) (way 0 1) (way 1 2) (way 2 3) (way 1 0) (way 2 1) (way 3 0)\n"                       \
    "(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)\n"                           \
    "(<= (next (at a ?x)) (does robot (go ?x ?y))) (<= (next (at b ?y)) (does robot (go ?x ?y)))\n" \
    "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))\n"                                         \
    "(<= (can ?w ?x) (true (at ?w ?y)) (way ?y ?x))\n"                                              \
    "(<= terminal (true (step 6))) (<= (goal robot 0) (not done))\n"

/* A lamp that is reached by ways which open and close: rules that go round in circles, through which news
 * travels far. */
#define REACH                                                                                           \
    "(role robot) (init (step 0)) (init (on 0)) (init (b 0)) (succ 0 1) (succ 1 2) (succ 2 3)\n"        \
    "(succ 3 4) (succ 4 5) (succ 5 6) (adj 1 9) (adj 5 11) (adj 10 3) (adj 4 11) (adj 6 7) (adj 4 7)\n" \
    "(adj 11 5) (adj 3 10) (adj 11 4) (adj 7 4) (adj 12 1) (adj 2 10) (adj 9 6) (adj 2 5) (adj 12 8)\n" \
    "(adj 5 2) (adj 6 9) (adj 10 2) (adj 9 1) (adj 1 12) (adj 8 12) (adj 7 6) (legal robot press)\n"    \
    "(legal robot noop) (legal robot other) (<= (next (on 1)) (true (on 0)) (does robot press))\n"      \
    "(<= (next (on 0)) (true (on 1)) (does robot press))\n"                                             \
    "(<= (next (on ?x)) (true (on ?x)) (not (does robot press)))\n"                                     \
    "(<= (next (b 1)) (true (b 0)) (does robot other))\n"                                               \
    "(<= (next (b 0)) (true (b 1)) (does robot other))\n"                                               \
    "(<= (next (b ?x)) (true (b ?x)) (not (does robot other)))\n"                                       \
    "(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))\n"                                             \
    "(<= (passable ?i ?j) (adj ?i ?j) (true (step ?s)) (sea ?s ?i)) (sea 0 3) (sea 0 6) (sea 0 7)\n"    \
    "(sea 0 12) (sea 1 3) (sea 1 6) (sea 1 10) (sea 1 12) (sea 2 2) (sea 2 3) (sea 2 5) (sea 2 7)\n"    \
    "(sea 2 9) (sea 2 11) (sea 3 1) (sea 3 5) (sea 3 7) (sea 3 8) (sea 3 10) (sea 3 12) (sea 4 1)\n"    \
    "(sea 4 4) (sea 4 6) (sea 4 7) (sea 4 8) (sea 4 9) (sea 4 11) (sea 4 12) (sea 5 1) (sea 5 3)\n"     \
    "(sea 5 8) (sea 5 12) (<= (reach 7) (true (on 1))) (<= (reach ?i) (reach ?j) (passable ?i ?j))\n"   \
    "(<= (reach ?i) (spring ?s ?i) (true (step ?s))) (spring 5 9) (spring 4 5) (spring 3 3)\n"          \
    "(spring 5 8) (<= (next lamp) (reach 8)) (<= (next lampr) (reach 3))\n"                             \
    "(<= terminal (true (step 6))) (<= (goal robot 100) (true lamp) (true (b 1)) (true lampr))\n"       \
    "(<= (goal robot 99) (true lamp) (true (b 1)) (not (true lampr)))\n"                                \
    "(<= (goal robot 0) (not (true lamp))) (<= (goal robot 10) (true lamp) (not (true (b 1))))\n"

static const struct {
    const char *sheet;
    uint32_t n, counting;
    bool at_once;
    enum factor_join terminal;
} sheets[] = {
    {WALKS STEPS_OF_ALL BOTH, 2, 2, false, JOIN_AND},
    {WALKS STEPS_OF_ALL ONE, 2, 2, false, JOIN_OR},
    /* a third, which nothing depends on */
    {WALKS STEPS_OF_ALL BOTH "(init (at c 0))", 3, 2, false, JOIN_AND},
    /* moves of one ask for the other */
    {WALKS "(<= (legal robot (go a ?x)) (true (at a ?y)) (way ?y ?x))\n"
           "(<= (legal robot (go b ?x)) (true (at b ?y)) (way ?y ?x) (true (at a 3)))" BOTH,
     1, 1, false, JOIN_ONE},
    /* a step of one throws the other back; a place of one does */
    {WALKS STEPS_OF_ALL BOTH "(<= (next (at b 0)) (does robot (go a 3)))", 1, 1, false, JOIN_ONE},
    {WALKS STEPS_OF_ALL BOTH "(<= (next (at b 0)) (true (at a 2)))", 1, 1, false, JOIN_ONE},
    /* both write down that they were there */
    {WALKS STEPS_OF_ALL BOTH "(<= (next seen) (true (at ?w 2))) (<= (next seen) (true seen))\n"
                             "(<= (legal robot (go a 0)) (true seen))",
     1, 1, false, JOIN_ONE},
    {PAIRS "(<= (legal robot (go ?x ?y)) (can a ?x) (can b ?y))" BOTH, 2, 2, true, JOIN_AND},
    /* not all pairs of steps are moves */
    {PAIRS "(<= (legal robot (go ?x ?y)) (can a ?x) (can b ?y) (distinct ?x ?y))" BOTH, 1, 1, false,
     JOIN_ONE},
    /* all ask for the same time */
    {WALKS "(<= (legal robot (go ?w ?x)) (true (at ?w ?y)) (way ?y ?x) (true open)) (legal robot rest)\n"
           "(<= (next (at ?w ?x)) (true (at ?w ?x)) (does robot rest))\n"
           "(<= (next open) (true (step 1))) (<= (next open) (true open))" BOTH,
     2, 2, false, JOIN_AND},
    {REACH, 2, 2, false, JOIN_NONE},
};

static void games_are_taken_apart_where_parts_do_not_read_each_other(void **unused)
{
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++) {
        struct error error = {0};
        struct opened o;
        char name[20];
        snprintf(name, sizeof name, "sheet %zu", i);
        struct game *game = game_from_text(name, sheets[i].sheet, strlen(sheets[i].sheet), 0, NULL, &error);
        if (!game) fail_msg("%s: %s", name, error.text);
        assert_true(look_at(&o, game));
        uint32_t counting = 0;
        for (uint32_t p = 0; p < o.factors.n; p++) counting += o.factors.parts.v[p].counts;
        if (o.factors.n != sheets[i].n || counting != sheets[i].counting ||
            o.factors.at_once != sheets[i].at_once || o.factors.terminal != sheets[i].terminal)
            fail_msg("%s: %u parts, %u of which count, %s, the end by %s", name, o.factors.n, counting,
                     o.factors.at_once ? "at once" : "one by one", factor_join_names[o.factors.terminal]);
        try_all(&o);
        leave(&o);
    }
}

static void games_of_the_library_are_taken_apart(void **unused)
{
    static const struct {
        const char *game;
        uint32_t n;
    } table[] = {{"nim", 4}, {"ticTacToe", 1}, {"connectFour", 1}, {"lightsOut", 1}, {"breakthrough", 1}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct error error;
        struct opened o;
        assert_true(look_at(&o, game_load(table[i].game, 0, NULL, &error)));
        if (o.factors.n != table[i].n) fail_msg("%s has %u parts", table[i].game, o.factors.n);
        try_all(&o);
        leave(&o);
    }
}

static void what_is_not_found_in_time_is_not_told(void **unused)
{
    struct error error;
    struct opened o;
    atomic_bool stop = true;
    assert_true(look_at(&o, game_load("nim", 0, NULL, &error)));
    factors_done(&o.factors);
    assert_false(factors_find(&o.factors, o.circuit, 0, &stop, &error));
    assert_int_equal(error.code, ERROR_CANCELLED);
    assert_int_equal(o.factors.n, 0);
    leave(&o);
}

int main(int argc, char **argv)
{
    struct error error;
    for (int i = 1; i < argc; i++) {
        struct opened o;
        if (look_at(&o, game_load(argv[i], 0, NULL, &error)) && o.factors.n > 1) {
            try_all(&o);
            printf("%s: %u parts\n", argv[i], o.factors.n);
        }
        leave(&o);
    }
    if (argc > 1) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games_are_taken_apart_where_parts_do_not_read_each_other),
        cmocka_unit_test(games_of_the_library_are_taken_apart),
        cmocka_unit_test(what_is_not_found_in_time_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
