// SPDX-License-Identifier: GPL-3.0-or-later
/* Experiments read, refused with a place, and turned into schedules. */
#include "lab/spec/schedule.h"

#include "../testing.h"

static const char sound[] =
    "name: t\n"
    "games:\n"
    "  - ticTacToe\n"
    "  - {game: chineseCheckers3, label: CC3, number: 7, budget: {sims: 9}}\n"
    "players:\n"
    "  A: cadia2007\n"
    "  B: {player: nst, speed: 0.5}\n"
    "  C: {player: random, budget: {expansions: 3}}\n"
    "pairings:\n"
    "  - [A, B]\n"
    "  - {players: [B, C], label: bc, budget: {sims: 77, start: 8}, only: [ticTacToe]}\n"
    "  - {players: [A, C], label: triple, times: 3}\n"
    "number: 11\n"
    "budget: {sims: 100, start: 40}\n"
    "quick: {number: 2, games: [CC3], pairings: [A - B]}\n"
    "published: {source: s, columns: [bc, A - B], rows: {CC3: [-, 51.5 ± 2], ticTacToe: [7, 1 +- 0.5]}}\n";

static struct spec *read(const char *text, const struct spec_changes *changes, struct error *error)
{
    return spec_read("t.yaml", text, strlen(text), changes, error);
}

static void everything_is_read(void **state)
{
    (void)state;
    struct error error = {0};
    struct spec *s = read(sound, NULL, &error);
    if (!s) fail_msg("%s", error.text);
    assert_int_equal(s->ngames, 2);
    assert_int_equal(s->npairings, 3);
    assert_string_equal(s->pairings[0].label, "A - B");
    assert_int_equal(spec_budget(s, 0, 2, 0).simulations, 300);
    assert_int_equal(spec_budget(s, 0, 2, 0).start_simulations, 120);
    assert_int_equal(spec_budget(s, 1, 2, 0).simulations, 27);
    assert_string_equal(s->games[1].label, "CC3");
    assert_int_equal(spec_budget(s, 0, 0, 0).simulations, 100);
    assert_int_equal(spec_budget(s, 0, 0, 0).start_simulations, 40);
    assert_int_equal(spec_budget(s, 0, 0, 1).simulations, 50); /* half the speed */
    assert_int_equal(spec_budget(s, 1, 0, 0).simulations, 9);  /* the game's */
    assert_int_equal(spec_budget(s, 0, 1, 1).simulations, 39); /* the pairing's, at half the speed: 38.5 */
    assert_int_equal(spec_budget(s, 0, 1, 2).simulations, 0);  /* the player's own */
    assert_int_equal(spec_budget(s, 0, 1, 2).expansions, 3);
    assert_false(s->empty[0]);
    assert_false(s->empty[1]);
    assert_true(s->empty[4]); /* only in ticTacToe */
    assert_false(s->published[4].there);
    assert_true(s->published[3].there);
    assert_true(s->published[3].value == 51.5 && s->published[3].half == 2);
    assert_true(s->published[1].value == 7 && s->published[1].half < 0);
    spec_free(s);
}

static void changes_make_another_experiment(void **state)
{
    (void)state;
    struct error error = {0};
    struct spec *s = read(sound, &(struct spec_changes){.quick = true}, &error);
    if (!s) fail_msg("%s", error.text);
    assert_string_equal(s->name, "t:quick");
    assert_int_equal(s->ngames, 1);
    assert_int_equal(s->npairings, 1);
    assert_string_equal(s->games[0].label, "CC3");
    assert_int_equal(s->number, 2);
    assert_int_equal(s->games[0].number, 0);
    assert_int_equal(spec_budget(s, 0, 0, 0).simulations, 1); /* a tenth of 9 */
    assert_true(s->published[0].value == 51.5);               /* what was in its cell comes along */
    spec_free(s);
    s = read(sound, &(struct spec_changes){.budget = {.simulations = 5}, .number = 4}, &error);
    if (!s) fail_msg("%s", error.text);
    assert_string_equal(s->name, "t:sims=5");
    assert_int_equal(spec_budget(s, 1, 0, 0).simulations, 5);
    assert_int_equal(spec_budget(s, 0, 1, 2).simulations, 5);
    assert_int_equal(s->number, 4);
    spec_free(s);
}

/* What is wrong is said with its place. */
static void mistakes_are_shown_where_they_are(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "t.yaml: there is nothing in it"},
        {"games: [ticTacToe]\nplayers: [random\n", "t.yaml:3:1: "},
        {"games: [ticTacToe]\nplayers: [random]\n---\na: 1\n", "t.yaml:3:1: a second document"},
        {"- 1\n", "t.yaml:1:1: an experiment must be a mapping, not a list"},
        {"games: [ticTacToe]\nplayers: [random]\npairing: all\n",
         "t.yaml:3:1: an experiment has no key 'pairing'; did you mean pairings?"},
        {"games: [ticTacToe]\nplayers: [random]\ncolour: red\n",
         "t.yaml:3:1: an experiment has no key 'colour'; there are: name, title"},
        {"games: [ticTacToe]\ngames: [hex]\nplayers: [random]\n",
         "t.yaml:2:1: 'games' is here for the second time; the first is in line 1"},
        {"players: [random]\n", "t.yaml:1:1: there are no games"},
        {"games: [ticTacToe]\n", "t.yaml:1:1: there are no players"},
        {"games: [ticTackToe]\nplayers: [random]\n",
         "t.yaml:1:9: there is no game 'ticTackToe'; did you mean ticTacToe?"},
        {"games: [ticTacToe, ticTacToe]\nplayers: [random]\n",
         "t.yaml:1:20: 'ticTacToe' is here for the second time"},
        {"games: [{label: x}]\nplayers: [random]\n", "t.yaml:1:9: which game? The key is game"},
        {"games: [ticTacToe]\nplayers: [nst, mcst]\n", "t.yaml:2:16: "},
        {"games: [ticTacToe]\nplayers: {A: 'nst,epsilon=2'}\n", "t.yaml:2:14: "},
        {"games: [ticTacToe]\nplayers: {A: 'ftp://x', B: legal}\n",
         "t.yaml:2:14: a player elsewhere has an address like http://host:9147, not 'ftp://x'"},
        {"games: [ticTacToe]\nplayers: {A: random, B: legal}\npairings: [[A, D]]\n",
         "t.yaml:3:16: there is no player 'D'"},
        {"games: [ticTacToe]\nplayers: {alpha: random, B: legal}\npairings: [[alhpa, B]]\n",
         "t.yaml:3:13: there is no player 'alhpa'; did you mean alpha?"},
        {"games: [ticTacToe]\nplayers: [random]\npairings: some\n",
         "t.yaml:3:11: pairings must be all, {against: PLAYER} or a list, not 'some'"},
        {"games: [ticTacToe]\nplayers: [random]\nnumber: 0\n",
         "t.yaml:3:9: number must be a whole number from 1 to"},
        {"games: [ticTacToe]\nplayers: [random]\nnumber: -3\n",
         "t.yaml:3:9: number must be a whole number from 1 to"},
        {"games: [ticTacToe]\nplayers: [random]\nseed: x\n",
         "t.yaml:3:7: seed must be a whole number, not 'x'"},
        {"games: [ticTacToe]\nplayers: [random]\nbudget: {simz: 3}\n",
         "t.yaml:3:10: budget has no key 'simz'; did you mean sims?"},
        {"games: [ticTacToe]\nplayers: [random]\nbudget: {start: 3}\n",
         "t.yaml:3:9: a budget needs sims, steps, seconds or expansions"},
        {"games: [ticTacToe]\nplayers: [random]\nbudget: {seconds: nan}\n",
         "t.yaml:3:19: seconds must be a number"},
        {"games: [ticTacToe]\nplayers: [random]\nmeasure: luck\n",
         "t.yaml:3:10: measure must be wins or goal"},
        {"name: a b\ngames: [ticTacToe]\nplayers: [random]\n", "t.yaml:1:7: a name has letters"},
        {"games: &a [*a]\nplayers: [random]\n", "t.yaml:1:12: *a is part of what it stands for"},
        {"games: *b\nplayers: [random]\n", "t.yaml:1:8: there is no &b before this *b"},
        {"games: \"a\\0b\"\nplayers: [random]\n", "t.yaml:1:8: a text with a zero byte"},
        {"games: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
         "nested too deep"},
        {"games: [ticTacToe]\nplayers: [random]\npublished: nowhere.yaml\n",
         "t.yaml:3:12: nowhere.yaml: No such file"},
        {"games: [ticTacToe]\nplayers: [random]\npublished: {columns: [random], rows: {hex: [1]}}\n",
         "t.yaml:3:39: the experiment has no game 'hex'; it has: ticTacToe"},
        {"games: [ticTacToe]\nplayers: [random]\npublished: {columns: [random], rows: {ticTacToe: [1, 2]}}\n",
         "t.yaml:3:50: there are 1 columns, and 2 figures"},
        {"games: [ticTacToe]\nplayers: [random]\npublished: {columns: [random], rows: {ticTacToe: [50 to "
         "60]}}\n",
         "t.yaml:3:51: a figure is like"},
        {"games: [ticTacToe]\nplayers: [random]\nquick: {games: [hex]}\n",
         "t.yaml:3:17: 'hex' is not among the games"},
        {"\xff\xfe\xff", "t.yaml: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        struct spec *s = read(cases[i][0], NULL, &error);
        if (s) fail_msg("accepted: %s", cases[i][0]);
        assert_int_equal(error.code, ERROR_INPUT);
        if (!strstr(error.text, cases[i][1]))
            fail_msg("for\n%s\nit says: %s\nand not: %s", cases[i][0], error.text, cases[i][1]);
    }
}

static void anchors_are_understood(void **state)
{
    (void)state;
    struct error error = {0};
    struct spec *s = read("games:\n  - {game: ticTacToe, budget: &few {sims: 3}}\n  - {game: hex, budget: "
                          "*few}\nplayers: [random]\n",
                          NULL, &error);
    if (!s) fail_msg("%s", error.text);
    assert_int_equal(s->games[1].budget.simulations, 3);
    spec_free(s);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    for (long n = 1;; n++) {
        struct error error = {0};
        heap_inject_failure(n);
        struct spec *s = read(sound, NULL, &error);
        bool struck = !heap_injection_pending();
        heap_inject_failure(0);
        if (!s) assert_int_equal(error.code, ERROR_MEMORY);
        spec_free(s);
        if (!struck) break;
    }
}

/* ---- schedules ---- */

static void rotate(uint32_t nplayers, uint32_t nroles, uint32_t expected)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error;
    assert_true(HEAP_ENTER(heap, &guard, &error));
    uint32_t count, seats[SPEC_MAX_PLAYERS][8] = {0};
    const uint8_t *rows = schedule_assignments(heap, nplayers, nroles, &count);
    assert_int_equal(count, expected);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t has[SPEC_MAX_PLAYERS] = {0};
        for (uint32_t r = 0; r < nroles; r++) {
            has[rows[i * nroles + r]]++;
            seats[rows[i * nroles + r]][r]++;
            if (i % 2 && nplayers == 2) /* neighbours are the same with seats exchanged */
                assert_int_equal(rows[i * nroles + r], 1 - rows[(i - 1) * nroles + r]);
        }
        for (uint32_t p = 0; p < nplayers; p++) assert_true(has[p] > 0);
        for (uint32_t k = 0; k < i; k++)
            if (memcmp(rows + i * nroles, rows + k * nroles, nroles) == 0)
                fail_msg("%u and %u are the same", i, k);
    }
    for (uint32_t p = 0; p < nplayers; p++) /* nobody has a seat more often than another */
        for (uint32_t r = 0; r < nroles; r++) assert_int_equal(seats[p][r], seats[0][0]);
    heap_leave(heap);
    heap_free(heap);
}

static void seats_rotate_through_every_assignment(void **state)
{
    (void)state;
    rotate(2, 2, 2); /* 003 §V: 2^n - 2 */
    rotate(2, 3, 6);
    rotate(2, 4, 14);
    rotate(2, 6, 62);
    rotate(3, 3, 6); /* three who meet in games for three: all orders */
    rotate(3, 4, 36);
    rotate(1, 1, 1);
    rotate(1, 2, 1);
}

static void schedules_are_whole_rotations(void **state)
{
    (void)state;
    struct error error = {0};
    struct spec *s = read(sound, NULL, &error);
    struct schedule *p = s ? schedule_new(s, &error) : NULL;
    if (!p) fail_msg("%s", error.text);
    assert_int_equal(p->ncells, 5);
    assert_int_equal(p->cells[0].number, 12); /* 11 games by 2 assignments */
    assert_int_equal(p->cells[3].number, 12); /* 7 games by 6 */
    assert_int_equal(p->total, 60);
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t one[3], other[3];
        schedule_seats(p, &p->cells[3], i, one);
        schedule_seats(p, &p->cells[3], i + 6, other);
        assert_memory_equal(one, other, sizeof one);
        assert_true(schedule_seed(&p->cells[3], i) != schedule_seed(&p->cells[3], i + 6));
    }
    schedule_free(p);
    spec_free(s);
}

static void seeds_follow_from_seed_rules_players_and_number(void **state)
{
    (void)state;
    struct error error = {0};
    static const char *const texts[] = {
        "games: [ticTacToe]\nplayers: {A: nst, B: rave}\n",
        "games: [{game: ticTacToe, label: other}]\nplayers: {X: nst, Y: rave}\ntitle: other\nnumber: 3\n",
        "games: [ticTacToe]\nplayers: {A: nst, B: rave}\nseed: 2\n",
        "games: [hex]\nplayers: {A: nst, B: rave}\n",
        "games: [ticTacToe]\nplayers: {A: nst, B: random}\n",
    };
    uint64_t seeds[5];
    char digests[5][41];
    for (int i = 0; i < 5; i++) {
        struct spec *s = read(texts[i], NULL, &error);
        struct schedule *p = s ? schedule_new(s, &error) : NULL;
        if (!p) fail_msg("%s", error.text);
        seeds[i] = schedule_seed(&p->cells[0], 5);
        memcpy(digests[i], p->cells[0].digest, 41);
        schedule_free(p);
        spec_free(s);
    }
    assert_int_equal(seeds[0], seeds[1]); /* labels do not matter */
    assert_string_equal(digests[0], digests[1]);
    for (int i = 2; i < 5; i++) {
        assert_true(seeds[0] != seeds[i]);
        assert_string_not_equal(digests[0], digests[i]);
    }
}

/* Games that were played when a player was another are not taken for its own. */
static void cells_tell_which_search_it_was(void **state)
{
    (void)state;
    struct error error = {0};
    static const struct {
        const char *text, *end;
    } cases[] = {
        {"games: [ticTacToe]\nplayers: {A: cadia2007, B: random}\n", "; search 4"},
        {"games: [ticTacToe]\nplayers: {A: 'cadia2007,goals=own', B: random}\n", "; search 2"},
        {"games: [ticTacToe]\nplayers: {A: random, B: nst}\n", "; search 4"},
        {"games: [ticTacToe]\nplayers: {A: champion, B: random}\n", "; search 3"},
        {"games: [ttcc4ThreePlayers]\nplayers: {A: nst, B: random}\n", "; search 3"},
        {"games: [ttcc4ThreePlayers]\nplayers: {A: cadia2008, B: random}\n", "; search 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spec *s = read(cases[i].text, NULL, &error);
        struct schedule *p = s ? schedule_new(s, &error) : NULL;
        if (!p) fail_msg("%s", error.text);
        const char *settings = p->cells[0].settings;
        assert_string_equal(settings + strlen(settings) - strlen(cases[i].end), cases[i].end);
        schedule_free(p);
        spec_free(s);
    }
}

static void players_must_fit_the_game(void **state)
{
    (void)state;
    struct error error = {0};
    struct spec *s = read(
        "games: [ticTacToe]\nplayers: [nst, rave, random]\npairings: [[nst, rave, random]]\n", NULL, &error);
    assert_non_null(s);
    assert_null(schedule_new(s, &error));
    assert_string_equal(error.text, "ticTacToe: 3 players are too many for 2 seats");
    spec_free(s);
    s = read("games: [ticTacToe]\nplayers: {A: 'http://localhost:1', B: random}\n", NULL, &error);
    assert_non_null(s);
    assert_null(schedule_new(s, &error));
    assert_string_equal(error.text, "ticTacToe: A is elsewhere and needs a budget in seconds");
    spec_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_read),
        cmocka_unit_test(changes_make_another_experiment),
        cmocka_unit_test(mistakes_are_shown_where_they_are),
        cmocka_unit_test(anchors_are_understood),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(seats_rotate_through_every_assignment),
        cmocka_unit_test(schedules_are_whole_rotations),
        cmocka_unit_test(seeds_follow_from_seed_rules_players_and_number),
        cmocka_unit_test(cells_tell_which_search_it_was),
        cmocka_unit_test(players_must_fit_the_game),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
