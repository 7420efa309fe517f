// SPDX-License-Identifier: GPL-3.0-or-later
/* Puzzles that fall apart are solved part by part, with what looking at everything finds; what no part can do
 * is proved to be out of reach, and nothing else is. */
#include "testing.h"

#include "game/engine.h"
#include "search/puzzle/race.h"

#include <stdio.h>

#define RULES                                                                                   \
    "(role robot) (init (at a 0)) (init (at b 0)) (init (step 0))\n"                            \
    "(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)\n" \
    "(<= (legal robot (go ?w ?x)) (true (at ?w ?y)) (way ?y ?x))\n"                             \
    "(<= (next (at ?w ?x)) (does robot (go ?w ?x)))\n"                                          \
    "(<= (next (at ?w ?x)) (true (at ?w ?x)) (does robot (go ?v ?y)) (distinct ?v ?w))\n"       \
    "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))\n"                                     \
    "(<= terminal (true (step 8))) (<= (goal robot 20) (not done)) (<= (goal robot 90) done)\n"
#define WAYS "(way 0 1) (way 1 0) (way 1 2) (way 2 1) (way 2 3) (way 3 2) (way 3 0)\n"
#define BOTH "(<= done (true (at a 3)) (true (at b 3)))\n"
#define ANY "(<= done (true (at a 3))) (<= done (true (at b 3)))\n"
#define EVEN "(way 0 1) (way 1 0) (way 1 2) (way 2 1) (way 2 3) (way 3 2)\n"
/* A lamp is switched by every step of its walk: at 3 it is on. */
#define LAMPS                                                                           \
    "(<= (next (lamp ?w)) (does robot (go ?w ?x)) (not (true (lamp ?w))))\n"            \
    "(<= (next (lamp ?w)) (true (lamp ?w)) (does robot (go ?v ?x)) (distinct ?v ?w))\n" \
    "(<= done (true (at a 3)) (not (true (lamp a)))) (<= done (true (at b 3)) (not (true (lamp b))))\n"

static const struct {
    const char *name, *sheet;
    int goal;
    bool alone, proves; /* it finds the best line without others; it proves that there is none */
} sheets[] = {
    {"all of two", RULES WAYS BOTH, 90, true, false},
    {"all of two, which ends it", RULES WAYS BOTH "(<= terminal done)", 90, true, false},
    {"any of two", RULES WAYS ANY, 90, true, false},
    {"any of two, which ends it", RULES WAYS ANY "(<= terminal done)", 90, true, false},
    {"out of reach", RULES EVEN LAMPS, 20, false, true},
    {"out of reach for some", RULES EVEN LAMPS "(init (at c 0)) (<= done (true (at c 3)))", 90, true, false},
    {"by itself", RULES EVEN LAMPS "(<= done (true (step 8)))", 90, false, false},
    {"too far for all of two", RULES WAYS BOTH "(<= terminal (true (step 5)))", 20, false, false},
    /* steps of the first are possible at certain times only: it has to wait */
    {"waits",
     "(role robot) (init (at 0)) (init (other 0)) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 "
     "4)\n"
     "(succ 4 5) (succ 5 6) (way 0 1) (way 1 2) (turn 0 1) (turn 1 0)\n"
     "(<= (legal robot (go ?x)) (true (at ?y)) (way ?y ?x) (true (step 2)))\n"
     "(<= (legal robot (go ?x)) (true (at ?y)) (way ?y ?x) (true (step 4)))\n"
     "(<= (legal robot (turn ?x)) (true (other ?y)) (turn ?y ?x))\n"
     "(<= (next (at ?x)) (does robot (go ?x))) (<= (next (at ?x)) (true (at ?x)) (does robot (turn ?y)))\n"
     "(<= (next (other ?x)) (does robot (turn ?x))) (<= (next (other ?x)) (true (other ?x)) (does robot (go "
     "?y)))\n"
     "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= terminal (true (step 6)))\n"
     "(<= (goal robot 90) (true (at 2))) (<= (goal robot 20) (not (true (at 2))))",
     90, true, false},
    /* when all is done there is much time left, in which random moves undo it */
    {"rests",
     "(role robot) (init (at a 0)) (init (at b 0)) (init (at c 0)) (init (step 0)) (legal robot rest)\n"
     "(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)\n"
     "(succ 8 9) (succ 9 10) (succ 10 11) (succ 11 12) (succ 12 13) (succ 13 14) (succ 14 15)\n"
     "(succ 15 16) (succ 16 17) (succ 17 18) (succ 18 19) (succ 19 20) (succ 20 21) (succ 21 22)\n"
     "(succ 22 23) (succ 23 24) (succ 24 25) (succ 25 26) (succ 26 27) (succ 27 28) (succ 28 29)\n"
     "(succ 29 30) (succ 30 31) (succ 31 32) (succ 32 33) (succ 33 34) (succ 34 35) (succ 35 36)\n"
     "(succ 36 37) (succ 37 38) (succ 38 39) (succ 39 40)\n"
     "(<= (legal robot (go ?w ?x)) (true (at ?w ?y)) (way ?y ?x))\n" WAYS
     "(<= (next (at ?w ?x)) (does robot (go ?w ?x))) (<= (next (at ?w ?x)) (true (at ?w ?x)) (does robot "
     "rest))\n"
     "(<= (next (at ?w ?x)) (true (at ?w ?x)) (does robot (go ?v ?y)) (distinct ?v ?w))\n"
     "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= terminal (true (step 40)))\n"
     "(<= done (true (at a 3)) (true (at b 3)) (true (at c 3)))\n"
     "(<= (goal robot 20) (not done)) (<= (goal robot 90) done)",
     90, true, false},
    /* what is possible in one phase is not in the other, and nothing is said of what it would do there */
    {"phases",
     "(role robot) (init (phase p1)) (init (step 0)) (init (a 0)) (init (b 0))\n"
     "(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)\n"
     "(more 0 1) (more 1 2) (<= (next (phase p1)) (true (phase p2)))\n"
     "(<= (next (phase p2)) (true (phase p1))) (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))\n"
     "(<= (legal robot incB) (true (phase p1)) (true (b ?x)) (more ?x ?y))\n"
     "(<= (legal robot stay) (true (phase p1)))\n"
     "(<= (legal robot incA) (true (phase p1)) (true (a ?x)) (more ?x ?y))\n"
     "(<= (legal robot rest) (true (phase p2)))\n"
     "(<= (legal robot swapB) (true (phase p2)) (true (b 2)))\n"
     "(<= (next (a ?y)) (true (phase p1)) (does robot incA) (true (a ?x)) (more ?x ?y))\n"
     "(<= (next (a ?x)) (true (phase p1)) (not (does robot incA)) (true (a ?x)))\n"
     "(<= (next (a ?x)) (does robot rest) (true (a ?x)))\n"
     "(<= (next (a ?x)) (does robot swapB) (true (a ?x)))\n"
     "(<= (next (b ?y)) (true (phase p1)) (does robot incB) (true (b ?x)) (more ?x ?y))\n"
     "(<= (next (b ?x)) (true (phase p1)) (not (does robot incB)) (true (b ?x)))\n"
     "(<= (next (b ?x)) (does robot rest) (true (b ?x)))\n"
     "(<= (next (b 0)) (does robot swapB) (true (b 2))) (<= terminal (true (step 8)))\n"
     "(<= win (true (a 2)) (true (b 2))) (<= (goal robot 100) win) (<= (goal robot 20) (not win))\n",
     100, false, false},
};

struct opened {
    struct game *game;
    struct engine *engine;
    struct reasoner *reasoner;
    struct factors factors;
    struct state root;
};

static struct opened look_at(const char *name, const char *sheet)
{
    struct error error = {0};
    struct opened o = {.game = game_from_text(name, sheet, strlen(sheet), 0, NULL, &error)};
    if (!o.game) fail_msg("%s: %s", name, error.text);
    o.engine = engine_start(o.game, NULL, &error);
    assert_int_equal(engine_wait(o.engine, -1), ENGINE_READY);
    o.reasoner = reasoner_circuit(o.game, engine_code(o.engine), &error);
    assert_true(factors_find(&o.factors, engine_code(o.engine)->circuit, 0, NULL, &error));
    assert_true(o.reasoner->ops->initial(o.reasoner, &o.root));
    return o;
}

static void leave(struct opened *o)
{
    state_done(&o->root);
    factors_done(&o->factors);
    reasoner_free(o->reasoner);
    engine_free(o->engine);
    game_free(o->game);
}

static struct race *race(struct opened *o, uint32_t which)
{
    struct error error;
    return race_new_apart(o->reasoner, engine_code(o->engine), &o->root, &o->factors, which, (size_t)16 << 20,
                          1, &error);
}

/* What the line brings by the rules. */
static int play(struct opened *o, const struct line *line)
{
    struct reasoner *r = o->reasoner;
    struct state here = {0}, next = {0};
    bool end = false;
    int goal;
    assert_true(state_copy(&here, &o->root));
    for (uint32_t i = 0; i < line->n; i++) {
        struct list legal = {0};
        bool found = false;
        assert_true(!end && r->ops->legal(r, &here, 0, &legal));
        for (uint32_t k = 0; k < legal.n; k++) found |= legal.v[k] == line->moves[i];
        assert_true(found);
        assert_true(r->ops->next(r, &here, &line->moves[i], &next) && r->ops->terminal(r, &next, &end));
        assert_true(state_copy(&here, &next));
        list_done(&legal);
    }
    assert_true(end && reasoner_goal(r, &here, 0, &goal));
    state_done(&here);
    state_done(&next);
    return goal;
}

static void parts_find_what_looking_at_everything_finds(void **unused)
{
    struct budget budget = {.steps = 1000000};
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++) {
        struct opened o = look_at(sheets[i].name, sheets[i].sheet);
        if (o.factors.n < 2) fail_msg("%s does not fall apart", sheets[i].name);
        struct race *all = race(&o, RACE_FRONTIER), *parts = race(&o, RACE_PARTS), *both = race(&o, RACE_ALL);
        race_run(all, &budget);
        assert_true(all->proved || race_solved(all));
        assert_int_equal(all->line.goal, sheets[i].goal);
        if (parts) race_run(parts, &budget);
        int found = parts ? parts->line.goal : -1;
        bool bound = parts && parts->space->most < 90;
        if (found != (sheets[i].alone ? sheets[i].goal : -1) || bound != sheets[i].proves)
            fail_msg("%s: %d was found%s", sheets[i].name, found, bound ? ", and no more is there" : "");
        if (found >= 0) assert_int_equal(play(&o, &parts->line), found);
        race_run(both, &budget);
        assert_true(race_solved(both));
        assert_int_equal(both->line.goal, sheets[i].goal);
        race_free(all);
        race_free(parts);
        race_free(both);
        leave(&o);
    }
}

/* Where nothing is known of parts there is nobody to search them. */
static void games_that_do_not_fall_apart_are_searched_as_ever(void **unused)
{
    struct error error;
    struct opened o = look_at("one", RULES WAYS "(<= (next (at b 0)) (true (at a 2)))" BOTH);
    assert_int_equal(o.factors.n, 1);
    assert_null(race(&o, RACE_PARTS));
    struct race *r = race(&o, RACE_ALL), *plain = race_new(o.reasoner, engine_code(o.engine), &o.root,
                                                           RACE_ALL, (size_t)16 << 20, 1, &error);
    assert_int_equal(r->nentrants, plain->nentrants);
    race_free(r);
    race_free(plain);
    leave(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_find_what_looking_at_everything_finds),
        cmocka_unit_test(games_that_do_not_fall_apart_are_searched_as_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
