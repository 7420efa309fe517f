// SPDX-License-Identifier: GPL-3.0-or-later
/* A disguised game is the same game: followed move by move, translated there and back. */
#include "../testing.h"

#include "game/playout.h"
#include "gdl/scramble.h"

#include <dirent.h>

struct pair {
    struct heap *heap;
    struct scramble *scramble;
    struct game *plain, *disguised;
    struct reasoner *a, *b;
};

static void open_pair(struct pair *p, const char *path, bool numbers)
{
    struct error error = {0};
    struct heap_guard guard;
    p->heap = heap_new(0);
    if (!HEAP_ENTER(p->heap, &guard, &error)) fail_msg("%s: %s", path, error.text);
    p->plain = game_load(path, 0, NULL, &error);
    if (!p->plain) fail_msg("%s", error.text);
    p->scramble =
        scramble_new(p->heap, p->plain->syntax, (struct scramble_options){.seed = 7, .numbers = numbers});
    struct text out;
    text_init(&out, p->heap);
    scramble_sheet(p->scramble, p->plain->syntax, &out);
    p->disguised = game_from_text("disguised", out.s, out.n, 0, NULL, &error);
    if (!p->disguised) fail_msg("%s disguised: %s", path, error.text);
    p->a = reasoner_lifted(p->plain, 0, &error);
    p->b = reasoner_lifted(p->disguised, 0, &error);
    assert_non_null(p->a);
    assert_non_null(p->b);
    heap_leave(p->heap);
}

static void close_pair(struct pair *p)
{
    reasoner_free(p->a);
    reasoner_free(p->b);
    game_free(p->plain);
    game_free(p->disguised);
    heap_free(p->heap);
}

/* The move of the disguised game that a move of the plain one becomes; checks the way back, too. */
static uint32_t disguise_move(struct pair *p, uint32_t role, uint32_t move)
{
    struct error error = {0};
    struct heap_guard guard;
    uint32_t result = 0;
    if (!HEAP_ENTER(p->heap, &guard, &error)) fail_msg("%s", error.text);
    struct text plain, there, back;
    text_init(&plain, p->heap);
    text_init(&there, p->heap);
    text_init(&back, p->heap);
    reasoner_print_move(p->a, role, move, false, &plain);
    if (!scramble_translate(p->scramble, plain.s, plain.n, &there, &error)) fail_msg("%s", error.text);
    if (!scramble_restore(p->scramble, there.s, there.n, &back, &error)) fail_msg("%s", error.text);
    assert_string_equal(plain.s, back.s);
    if (!reasoner_read_move(p->b, role, there.s, &result)) fail_msg("%s", p->b->error.text);
    heap_leave(p->heap);
    return result;
}

static void follow(struct pair *p, uint32_t max_steps)
{
    struct playout x, y;
    assert_true(playout_init(&x, p->a) && playout_init(&y, p->b));
    assert_int_equal(p->plain->nroles, p->disguised->nroles);
    if (!playout_begin(&x, 1, 0)) fail_msg("%s", p->a->error.text);
    if (!playout_begin(&y, 1, 0)) fail_msg("%s", p->b->error.text);
    for (;;) {
        assert_int_equal(x.terminal, y.terminal);
        for (uint32_t r = 0; r < p->plain->nroles; r++) {
            int goal_x, goal_y;
            assert_int_equal(x.legal[r].n, y.legal[r].n);
            assert_true(reasoner_goal(p->a, &x.state, r, &goal_x) &&
                        reasoner_goal(p->b, &y.state, r, &goal_y));
            assert_int_equal(goal_x, goal_y);
        }
        if (x.terminal || x.ply >= max_steps) break;
        playout_choose(&x);
        for (uint32_t r = 0; r < p->plain->nroles; r++) y.joint[r] = disguise_move(p, r, x.joint[r]);
        if (!playout_move(&x)) fail_msg("%s", p->a->error.text);
        if (!playout_move(&y)) fail_msg("%s", p->b->error.text);
    }
    playout_done(&x);
    playout_done(&y);
}

static void disguised_games_are_the_same_games(void **state)
{
    const char *folder = getenv("LUDENS_GAMES");
    assert_non_null(folder);
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int games = 0;
    for (struct dirent *d; (d = readdir(dir));) {
        char path[1024];
        if (!strstr(d->d_name, ".kif")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
        struct pair p;
        open_pair(&p, path, games++ % 2);
        follow(&p, 20);
        close_pair(&p);
    }
    closedir(dir);
    assert_true(games > 0);
    print_message("%d games followed in disguise\n", games);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(disguised_games_are_the_same_games)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
