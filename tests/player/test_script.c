// SPDX-License-Identifier: GPL-3.0-or-later
/* Players that follow a script: what fits, and that the scripts of the laboratory's opponents are optimal. */
#include "../testing.h"

#include "base/hash.h"
#include "game/engine.h"
#include "generate/diagram.h"
#include "player/player.h"
#include "player/script.h"

#include <stdio.h>

static bool fits(const char *pattern, const char *move)
{
    return script_fits(pattern, strlen(pattern), move);
}

static void a_question_mark_stands_for_one_term(void **state)
{
    (void)state;
    assert_true(fits("(move 1 ? ? ?)", "(move 1 2 3 4)"));
    assert_true(fits("( MOVE 1 ?  ? ? )", "(move 1 2 3 4)"));
    assert_true(fits("(put ? b)", "(put (cell 1 (f 2)) b)"));
    assert_true(fits("noop", "noop"));
    assert_true(fits("?", "(move 1 2 3 4)"));
    assert_false(fits("(move 1 ? ? ?)", "(move 2 2 3 4)"));
    assert_false(fits("(move 1 ? ?)", "(move 1 2 3 4)"));
    assert_false(fits("(move 1 ? ? ? ?)", "(move 1 2 3 4)"));
    assert_false(fits("(move 1 ?", "(move 1 2 3 4)"));
    assert_false(fits("noop", "noo"));
    assert_false(fits("", "noop"));
}

static void what_is_no_pattern_is_refused(void **state)
{
    (void)state;
    struct error error;
    struct player_config config;
    assert_true(script_check("", &error));
    assert_true(script_check("(move 1 ? ? ?); noop", &error));
    assert_false(script_check("(move 1", &error));
    assert_false(script_check("(a) (b)", &error));
    assert_false(script_check(")", &error));
    assert_true(player_config_parse("script,prefer=(run 9 ?)", &config, &error));
    assert_false(player_config_parse("script,prefer=(run 9", &config, &error));
    assert_non_null(strstr(error.text, "not a pattern"));
}

/* --- Exact values, by depth-first search with memory */

struct solver {
    struct heap *heap;
    struct game *game;
    struct reasoner *reasoner;
    struct { /* states and Black's values; open addressing */
        struct state state;
        int value;
    } memo[1 << 16];
};

static struct state after(struct solver *s, const struct state *now, uint32_t white, uint32_t black)
{
    uint32_t joint[2] = {white, black};
    struct state next = {0};
    assert_true(s->reasoner->ops->next(s->reasoner, now, joint, &next));
    return next;
}

static struct list moves_of(struct solver *s, const struct state *now, uint32_t role)
{
    struct list l = {0};
    assert_true(s->reasoner->ops->legal(s->reasoner, now, role, &l));
    assert_true(l.n > 0);
    return l;
}

/* Whose turn it is: who waits, or is stuck, can only pass. */
static bool blacks_turn(struct solver *s, const struct state *now)
{
    uint32_t noop;
    struct list l = moves_of(s, now, 1);
    assert_true(reasoner_read_move(s->reasoner, 1, "noop", &noop));
    bool waits = l.n == 1 && l.v[0] == noop;
    list_done(&l);
    return !waits;
}

static int value(struct solver *s, const struct state *now)
{
    size_t at = state_hash(now) % (1 << 16);
    while (s->memo[at].state.words && !state_equal(&s->memo[at].state, now)) at = (at + 1) % (1 << 16);
    if (s->memo[at].state.words) return s->memo[at].value;
    bool over;
    int best;
    assert_true(s->reasoner->ops->terminal(s->reasoner, now, &over));
    if (over) {
        assert_true(reasoner_goal(s->reasoner, now, 1, &best));
    } else {
        bool black = blacks_turn(s, now);
        struct list w = moves_of(s, now, 0), b = moves_of(s, now, 1);
        best = black ? -1 : 101;
        for (uint32_t i = 0; i < (black ? b.n : w.n); i++) {
            struct state next = after(s, now, w.v[black ? 0 : i], b.v[black ? i : 0]);
            int v = value(s, &next);
            if (black ? v > best : v < best) best = v;
            state_done(&next);
        }
        list_done(&w);
        list_done(&b);
    }
    while (s->memo[at].state.words) at = (at + 1) % (1 << 16); /* others came in the meantime */
    assert_true(state_copy(&s->memo[at].state, now));
    s->memo[at].value = best;
    return best;
}

/* White plays anything, Black the script: no move of Black's loses anything. Returns the positions seen. */
static uint32_t follow(struct solver *s, const char *script, const struct state *now)
{
    bool over;
    uint32_t seen = 1;
    assert_true(s->reasoner->ops->terminal(s->reasoner, now, &over));
    if (over) return seen;
    bool black = blacks_turn(s, now);
    struct list w = moves_of(s, now, 0), b = moves_of(s, now, 1);
    for (uint32_t i = 0; i < (black ? 1 : w.n); i++) {
        uint32_t choice = black ? script_choose(script, s->heap, s->reasoner, 1, &b) : 0;
        struct state next = after(s, now, w.v[i], b.v[choice]);
        if (black) assert_int_equal(value(s, &next), value(s, now));
        seen += follow(s, script, &next);
        state_done(&next);
    }
    list_done(&w);
    list_done(&b);
    return seen;
}

static void check_script(const struct diagram_request *q, const char *script, int expected)
{
    struct solver *s = calloc(1, sizeof *s);
    struct error error = {0};
    struct heap_guard guard;
    s->heap = heap_new(0);
    if (!HEAP_ENTER(s->heap, &guard, &error)) fail_msg("%s", error.text);
    struct diagram diagram;
    struct text sheet;
    text_init(&sheet, s->heap);
    if (!diagram_open(s->heap, q, &diagram, &error)) fail_msg("%s", error.text);
    diagram_rules(s->heap, &diagram, &sheet);
    s->game = game_from_text("board", text_str(&sheet), sheet.n, 0, NULL, &error);
    if (!s->game) fail_msg("%s", error.text);
    s->reasoner = reasoner_ground(s->game, NULL, &error);
    struct state start = {0};
    assert_true(s->reasoner->ops->initial(s->reasoner, &start));
    assert_int_equal(value(s, &start), expected);
    assert_true(follow(s, script, &start) > 10);
    state_done(&start);
    for (size_t i = 0; i < 1 << 16; i++) state_done(&s->memo[i].state);
    reasoner_free(s->reasoner);
    game_free(s->game);
    heap_leave(s->heap);
    heap_free(s->heap);
    free(s);
}

static void staying_in_the_safe_lane_is_optimal(void **state)
{
    (void)state;
    static const char *const names[] = {"penalties", "shock-step", "punishment"};
    struct diagram_request q = diagram_request_default;
    for (int i = 0; i < 3; i++)
        for (q.lanes = 2; q.lanes <= 3; q.lanes++)
            for (q.length = 3; q.length <= 4; q.length++) {
                char script[40];
                q.like = names[i];
                snprintf(script, sizeof script, "(run %d ?)", (int)q.lanes * 2 + 1);
                check_script(&q, script, 50);
            }
}

/* The races of Progression, smaller: White begins and can win; whenever White has lost time, the script wins.
 */
static void moving_one_runner_only_is_optimal(void **state)
{
    (void)state;
    struct diagram_request q = diagram_request_default;
    q.limit = 8;
    q.text = "FFrr/4/4/RRff";
    check_script(&q, "(move 3 ? 3 ?)", 0);
    q.text = "FFri/4/4/RIff";
    check_script(&q, "(move 3 ? 3 ?)", 0);
    q.limit = 4; /* nobody arrives in time */
    check_script(&q, "(move 3 ? 3 ?)", 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_mark_stands_for_one_term),
        cmocka_unit_test(what_is_no_pattern_is_refused),
        cmocka_unit_test(staying_in_the_safe_lane_is_optimal),
        cmocka_unit_test(moving_one_runner_only_is_optimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
