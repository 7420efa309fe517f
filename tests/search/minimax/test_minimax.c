// SPDX-License-Identifier: GPL-3.0-or-later
/* The three searches against plain ones that look at everything, against what theory says of uniform trees,
 * and on the examples of the article (003, figures 1 to 3). */
#include "../../testing.h"

#include "base/rng.h"
#include "base/text.h"
#include "game/engine.h"
#include "search/minimax/minimax.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct board {
    struct game *game;
    struct reasoner *r;
    struct state state;
};

static void set_up(struct board *b, const char *name, const char *text)
{
    struct error error = {0};
    b->state = (struct state){0};
    b->game =
        text ? game_from_text(name, text, strlen(text), 0, NULL, &error) : game_load(name, 0, NULL, &error);
    b->r = b->game ? reasoner_ground(b->game, NULL, &error) : NULL;
    if (!b->r) fail_msg("%s: %s", name, error.text);
    assert_true(b->r->ops->initial(b->r, &b->state));
}

static void tear_down(struct board *b)
{
    state_done(&b->state);
    reasoner_free(b->r);
    game_free(b->game);
}

/* Some random moves, but not to the end. Returns who is to choose. */
static uint32_t stroll(struct board *b, uint32_t steps, uint64_t seed)
{
    struct rng rng;
    struct state next = {0};
    struct list legal = {0};
    uint32_t joint[MINIMAX_MAX_ROLES], mover = 0;
    bool end;
    rng_init(&rng, seed);
    for (uint32_t step = 0;; step++) {
        uint32_t choosers = 0;
        for (uint32_t role = 0; role < b->game->nroles; role++) {
            legal.n = 0;
            assert_true(b->r->ops->legal(b->r, &b->state, role, &legal));
            joint[role] = legal.v[rng_below(&rng, legal.n)];
            if (legal.n > 1) choosers++, mover = role;
        }
        if (step >= steps && choosers) break;
        assert_true(b->r->ops->next(b->r, &b->state, joint, &next));
        assert_true(b->r->ops->terminal(b->r, &next, &end));
        if (end) break;
        assert_true(state_copy(&b->state, &next));
    }
    state_done(&next);
    list_done(&legal);
    return mover;
}

static struct minimax_options options(enum minimax_policy policy, uint32_t depth)
{
    return (struct minimax_options){.policy = policy,
                                    .eval = EVAL_GOALS,
                                    .table = true,
                                    .history = true,
                                    .killers = true,
                                    .order = true,
                                    .depth = depth,
                                    .memory = 1 << 22};
}

static struct minimax_report think(struct board *b, uint32_t role, const struct minimax_options *o)
{
    struct error error = {0};
    struct budget budget = {0};
    uint32_t move;
    struct minimax *m = minimax_new(b->r, reasoner_code(b->r), role, o, &error);
    assert_non_null(m);
    if (!minimax_think(m, &b->state, &budget, &move, &error)) fail_msg("%s: %s", b->game->name, error.text);
    struct minimax_report report = *minimax_report(m);
    minimax_free(m);
    return report;
}

/* --- Everything, plainly -------------------------------------------------------------------------------- */

static void judge(struct board *b, const struct state *s, bool end, float *v)
{
    for (uint32_t role = 0; role < b->game->nroles; role++) {
        int goal;
        assert_true(reasoner_goal(b->r, s, role, &goal));
        assert_true(!end || goal != GOAL_UNDEFINED);
        v[role] = goal == GOAL_UNDEFINED ? 100.0f / (float)b->game->nroles : (float)goal;
    }
}

static float difference(const struct board *b, const float *v, uint32_t root)
{
    float d = 2 * v[root];
    for (uint32_t role = 0; role < b->game->nroles; role++) d -= v[role];
    return d;
}

/* max^n if `vectors`: the mover's best, of equals the worst for the root; else one number, in v[0]. */
static void plain(struct board *b, const struct state *s, uint32_t root, uint32_t depth, bool vectors,
                  float *v)
{
    uint32_t nroles = b->game->nroles, joint[8], mover = 0, choosers = 0;
    struct list legal[8] = {{0}};
    struct state next = {0};
    bool end, any = false;
    assert_true(b->r->ops->terminal(b->r, s, &end));
    if (end || depth == 0) {
        judge(b, s, end, v);
        if (!vectors) v[0] = difference(b, v, root);
        return;
    }
    for (uint32_t role = nroles; role-- > 0;) {
        assert_true(b->r->ops->legal(b->r, s, role, &legal[role]));
        if (legal[role].n > 1) choosers++, mover = role;
    }
    assert_true(choosers <= 1);
    for (uint32_t i = 0; i < legal[mover].n; i++) {
        float child[8];
        for (uint32_t role = 0; role < nroles; role++) joint[role] = legal[role].v[role == mover ? i : 0];
        assert_true(b->r->ops->next(b->r, s, joint, &next));
        plain(b, &next, root, depth - 1, vectors, child);
        bool better = vectors ? child[mover] > v[mover] || (child[mover] == v[mover] && child[root] < v[root])
                              : (mover == root ? child[0] > v[0] : child[0] < v[0]);
        if (!any || better) memcpy(v, child, nroles * sizeof *v);
        any = true;
    }
    for (uint32_t role = 0; role < nroles; role++) list_done(&legal[role]);
    state_done(&next);
}

static void with_two_players_all_agree_with_plain_minimax(void **state)
{
    static const struct {
        const char *game;
        uint32_t depth, steps;
    } games[] = {{"ticTacToe", 6, 3},
                 {"connectFour", 4, 20},
                 {"connectFourSuicide", 4, 20},
                 {"breakthrough", 2, 40},
                 {"knightthrough", 2, 8},
                 {"checkers", 3, 30},
                 {"othello", 3, 50},
                 {"clobber", 3, 6},
                 {"connect5", 2, 30},
                 {"nim", 3, 3},
                 {"quad", 2, 20},
                 {"sheepAndWolf", 3, 20},
                 {"amazons6x6", 2, 40},
                 {"merrills", 3, 40},
                 {"miniChess", 3, 20},
                 {"zhadu", 2, 10},
                 {"ticTacToe3d", 2, 30},
                 {"focus2", 2, 100},
                 {"chineseCheckersStar2", 2, 60},
                 {"rolit2", 3, 50}};
    (void)state;
    uint32_t told = 0;
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            struct board b;
            float expected[8] = {0};
            set_up(&b, games[i].game, NULL);
            uint32_t role = stroll(&b, games[i].steps, seed);
            plain(&b, &b.state, role, games[i].depth, false, expected);
            for (enum minimax_policy p = MINIMAX_PARANOID; p <= MINIMAX_ALPHABETA; p++) {
                struct minimax_options o = options(p, games[i].depth);
                struct minimax_report r = think(&b, role, &o);
                if (fabsf(r.score - expected[0]) > 1e-3f)
                    fail_msg("%s, policy %d: %g instead of %g", games[i].game, (int)p, (double)r.score,
                             (double)expected[0]);
                o.table = o.history = o.killers = o.order = false;
                assert_float_equal(think(&b, role, &o).score, expected[0], 1e-3f);
                told += r.policy == MINIMAX_BRS;
            }
            tear_down(&b);
        }
    assert_true(told > 20); /* not paranoid by another name: the turn is really given away */
}

static void max_n_is_what_looking_at_everything_says(void **state)
{
    static const struct {
        const char *game;
        uint32_t depth, steps;
    } games[] = {{"ttcc4ThreePlayers", 3, 40},
                 {"chineseCheckers3", 4, 20},
                 {"rolit3", 4, 54},
                 {"rolit4", 4, 54},
                 {"focus4", 2, 60},
                 {"chineseCheckersStar3", 2, 60}};
    (void)state;
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct board b;
            float expected[8] = {0};
            set_up(&b, games[i].game, NULL);
            uint32_t role = stroll(&b, games[i].steps, seed);
            plain(&b, &b.state, role, games[i].depth, true, expected);
            struct minimax_options o = options(MINIMAX_MAXN, games[i].depth);
            o.table = o.history = o.killers = o.order = false; /* where all is equal, the first */
            assert_float_equal(think(&b, role, &o).score, expected[role], 1e-3f);
            tear_down(&b);
        }
}

/* --- Uniform trees -------------------------------------------------------------------------------------- */

static void uniform(char *out, size_t size, uint32_t roles, uint32_t moves)
{
    size_t n = 0;
    for (uint32_t i = 1; i <= roles; i++)
        n += (size_t)snprintf(out + n, size - n, "(role p%u)(<= (next (control p%u)) (true (control p%u)))",
                              i, i % roles + 1, i);
    for (uint32_t i = 1; i <= moves; i++) n += (size_t)snprintf(out + n, size - n, "(choice m%u)", i);
    for (uint32_t i = 0; i < 40; i++) n += (size_t)snprintf(out + n, size - n, "(succ %u %u)", i, i + 1);
    snprintf(out + n, size - n,
             "(init (control p1)) (init (step 0)) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))"
             "(<= (legal ?p ?m) (true (control ?p)) (choice ?m))"
             "(<= (legal ?p noop) (role ?p) (not (true (control ?p))))"
             "(<= terminal (true (step 40))) (<= (goal ?p 100) (true (control ?p)))"
             "(<= (goal ?p 0) (role ?p) (not (true (control ?p))))");
}

/* The best case: where all leaves are equal every cut comes after the first move. On level i of the tree are
 * nodes of a strategy for MAX (all answers) and of one for MIN (all our moves), the one they share counted
 * once. */
static uint64_t best_case(uint32_t depth, uint64_t ours, uint64_t theirs)
{
    uint64_t all = 0, max = 1, min = 1;
    for (uint32_t level = 0; level <= depth; level++) {
        all += max + min - 1;
        if (level % 2)
            min *= theirs;
        else
            max *= ours;
    }
    return all;
}

static void best_cases_are_the_theorems(void **state)
{
    static const struct {
        uint32_t roles, moves, depth;
    } trees[] = {{2, 3, 6}, {3, 3, 4}, {4, 2, 5}, {3, 4, 5}, {6, 2, 4}};
    char text[4000];
    (void)state;
    for (uint32_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        struct board b;
        uniform(text, sizeof text, trees[i].roles, trees[i].moves);
        set_up(&b, "uniform", text);
        struct minimax_options o = options(MINIMAX_BRS, trees[i].depth);
        o.eval = EVAL_NONE;
        o.table = o.history = o.killers = o.order = false;
        struct minimax_report r = think(&b, 0, &o);
        uint64_t expected = 0; /* depth after depth */
        for (uint32_t d = 1; d <= trees[i].depth; d++)
            expected += best_case(d, trees[i].moves, (uint64_t)trees[i].moves * (trees[i].roles - 1));
        assert_int_equal(r.policy, MINIMAX_BRS);
        assert_int_equal(r.nodes, expected);
        /* max^n looks at everything: b + b^2 + ... below each root */
        o.policy = MINIMAX_MAXN;
        r = think(&b, 0, &o);
        expected = 0;
        for (uint32_t d = 1; d <= trees[i].depth; d++) {
            uint64_t level = 1;
            for (uint32_t k = 0; k <= d; k++, level *= trees[i].moves) expected += level;
        }
        assert_int_equal(r.nodes, expected);
        tear_down(&b);
    }
}

/* --- The article's examples ----------------------------------------------------------------------------- */

/* A tree as rules: a is ours, what follows others'; leaves have goals, and a last move that nobody looks at.
 */
static const char frame[] =
    "(role p1)(role p2)(role p3)(init (at a))(init (control p1))"
    "(<= (next (control p2)) (true (control p1)))(<= (next (control p3)) (true (control p2)))"
    "(<= (next (control p1)) (true (control p3)))"
    "(edge a p1 c)(edge a p1 b)" /* moves are numbered from the last to the first */
    "(<= (edge ?x ?p e1) (role ?p) (leaf ?x))(<= (edge ?x ?p e2) (role ?p) (leaf ?x))"
    "(<= (leaf ?x) (worth ?x ?a ?b ?c))"
    "(<= (can ?p) (true (control ?p)) (true (at ?x)) (edge ?x ?p ?y))"
    "(<= (legal ?p (go ?y)) (true (control ?p)) (true (at ?x)) (edge ?x ?p ?y))"
    "(<= (legal ?p noop) (role ?p) (not (can ?p)))"
    "(<= (next (at ?y)) (does ?p (go ?y)))(<= moved (does ?p (go ?y)))"
    "(<= (next (at ?x)) (true (at ?x)) (not moved))"
    "(<= over (true (at e1)))(<= over (true (at e2)))(<= terminal over)(<= (goal ?p 0) (role ?p) over)"
    "(<= (goal p1 ?a) (true (at ?x)) (worth ?x ?a ?b ?c))(<= (goal p2 ?b) (true (at ?x)) (worth ?x ?a ?b ?c))"
    "(<= (goal p3 ?c) (true (at ?x)) (worth ?x ?a ?b ?c))";

static struct minimax_report example(const char *tree, enum minimax_policy policy)
{
    char text[3000];
    struct board b;
    snprintf(text, sizeof text, "%s%s", frame, tree);
    set_up(&b, "example", text);
    struct minimax_options o = options(policy, 2);
    o.table = o.history = o.killers = o.order = false;
    struct minimax_report r = think(&b, 0, &o);
    struct text move;
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error;
    assert_true(HEAP_ENTER(heap, &guard, &error));
    text_init(&move, heap);
    reasoner_print_move(b.r, 0, r.line[0].move, true, &move);
    assert_string_equal(text_str(&move), "(go b)");
    heap_leave(heap);
    heap_free(heap);
    tear_down(&b);
    return r;
}

#define FIGURE_1                                                                           \
    "(edge c p2 c2)(edge c p2 c1)(edge b p2 b2)(edge b p2 b1)(edge b p3 b1)(edge c p3 c1)" \
    "(worth b1 6 2 6)(worth b2 4 1 6)(worth c1 7 2 9)(worth c2 5 2 1)"

static void figure_1_of_equals_max_n_takes_the_worst_for_the_root(void **state)
{
    (void)state;
    struct minimax_report r = example(FIGURE_1, MINIMAX_MAXN);
    assert_float_equal(r.score, 6, 0); /* (6,2,6), not (7,2,9) */
}

static void figure_2_paranoid_cuts_after_minus_4(void **state)
{
    (void)state;
    struct minimax_report r = example(FIGURE_1, MINIMAX_PARANOID);
    assert_float_equal(r.score, -3, 0);
    assert_int_equal(r.nodes, 3 + 6); /* a, b, c; then a, b with two leaves, c with one */
}

static void figure_3_best_reply_search_cuts_moves_of_all_others(void **state)
{
    (void)state;
    /* What the text says: (b) is 2 by a move of player 3; the first move of player 2 in (c) is enough. */
    struct minimax_report r =
        example("(edge c p2 c2)(edge c p2 c1)(edge b p3 b4)(edge b p3 b3)(edge b p2 b2)(edge b p2 b1)"
                "(edge c p3 c4)(edge c p3 c3)(worth b1 4 0 0)(worth b2 3 0 0)(worth b3 2 0 0)(worth b4 5 0 0)"
                "(worth c1 1 0 0)(worth c2 9 0 0)(worth c3 0 0 0)(worth c4 9 0 0)",
                MINIMAX_BRS);
    assert_int_equal(r.policy, MINIMAX_BRS);
    assert_float_equal(r.score, 2, 0);
    assert_int_equal(r.nodes, 3 + 8);
    assert_int_equal(r.line[1].role, 2);
}

/* --- What it promises ----------------------------------------------------------------------------------- */

static void sweeps_and_one_by_one_see_the_same_tree(void **state)
{
    static const char *const games[] = {"connectFour", "breakthrough", "ttcc4ThreePlayers", "rolit4"};
    (void)state;
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++)
        for (enum minimax_policy p = MINIMAX_MAXN; p <= MINIMAX_PARANOID; p++) {
            struct board b;
            set_up(&b, games[i], NULL);
            uint32_t role = stroll(&b, 9, 1);
            struct minimax_options o = options(p, 4);
            o.eval = EVAL_LEARNED;
            o.order = false;
            o.noise = 0.01;
            struct minimax_report fast = think(&b, role, &o);
            o.one_by_one = true;
            struct minimax_report slow = think(&b, role, &o);
            assert_int_equal(fast.nodes, slow.nodes);
            assert_float_equal(fast.score, slow.score, 1e-4f);
            assert_int_equal(fast.line[0].move, slow.line[0].move);
            tear_down(&b);
        }
}

static void counts_are_kept_to_and_give_the_same_every_time(void **state)
{
    (void)state;
    struct board b;
    set_up(&b, "chineseCheckers3", NULL);
    struct minimax_options o = options(MINIMAX_BRS, 0);
    struct minimax_report first = {0};
    o.eval = EVAL_LEARNED;
    o.noise = 1;
    o.seed = 7;
    for (uint32_t i = 0; i < 2; i++) {
        struct error error = {0};
        struct minimax *m = minimax_new(b.r, reasoner_code(b.r), 0, &o, &error);
        uint32_t move;
        assert_true(minimax_think(m, &b.state, &(struct budget){.steps = 5000}, &move, &error));
        struct minimax_report r = *minimax_report(m);
        assert_in_range(r.nodes, 5000, 5001);
        assert_true(r.depth >= 2 && r.nline >= 1);
        if (i) {
            assert_int_equal(r.depth, first.depth);
            assert_float_equal(r.score, first.score, 0);
            assert_int_equal(r.line[0].move, first.line[0].move);
        }
        first = r;
        minimax_free(m);
    }
    tear_down(&b);
}

static void games_of_a_shape_are_known_by_their_rules(void **state)
{
    static const struct {
        const char *game, *evaluation;
    } games[] = {{"focus3", "stacks"},
                 {"rolit3", "lines"},
                 {"othello", "lines"},
                 {"connectFour", "learned"},
                 {"checkers", "learned twice, goals"}};
    (void)state;
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct board b;
        set_up(&b, games[i].game, NULL);
        struct minimax_options o = options(MINIMAX_PARANOID, 1);
        o.eval = EVAL_AUTO;
        assert_string_equal(think(&b, 0, &o).evaluation, games[i].evaluation);
        tear_down(&b);
    }
}

/* Men tell who wins Checkers at random, stones tell nothing in Hex. */
static void it_knows_how_much_what_it_learned_explains(void **state)
{
    static const struct {
        const char *game;
        float least, most;
    } games[] = {{"checkers", 0.25f, 0.6f}, {"hex", 0, 0.15f}, {"connectFour", 0, 0.15f}};
    (void)state;
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct board b;
        set_up(&b, games[i].game, NULL);
        struct minimax_options o = options(MINIMAX_PARANOID, 1);
        o.eval = EVAL_LEARNED;
        float explains = think(&b, 0, &o).explains;
        assert_true(explains >= games[i].least && explains <= games[i].most);
        tear_down(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_two_players_all_agree_with_plain_minimax),
        cmocka_unit_test(max_n_is_what_looking_at_everything_says),
        cmocka_unit_test(best_cases_are_the_theorems),
        cmocka_unit_test(figure_1_of_equals_max_n_takes_the_worst_for_the_root),
        cmocka_unit_test(figure_2_paranoid_cuts_after_minus_4),
        cmocka_unit_test(figure_3_best_reply_search_cuts_moves_of_all_others),
        cmocka_unit_test(sweeps_and_one_by_one_see_the_same_tree),
        cmocka_unit_test(counts_are_kept_to_and_give_the_same_every_time),
        cmocka_unit_test(games_of_a_shape_are_known_by_their_rules),
        cmocka_unit_test(it_knows_how_much_what_it_learned_explains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
