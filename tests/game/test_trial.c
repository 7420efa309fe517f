// SPDX-License-Identifier: GPL-3.0-or-later
/* Whatever allocation fails while a sheet is read, laid out, disguised, checked and played: the caller gets
 * an error, and nothing leaks (the address sanitizer looks on in `make asan`). */
#include "../testing.h"

#include "game/trial.h"
#include "gdl/format.h"
#include "gdl/scramble.h"

static const char sheet[] =
    "; a game of one step, with slips of all kinds\n"
    "(role white) (role black) (init (control white)) (number 1) (number 2) (Number 2)\n"
    "(<= (legal white (pick ?x)) (true (control white)) (number ?x)) (legal black noop)\n"
    "(<= (next (picked ?x)) (does white (pick ?x)) (or (number ?x) (nubmer ?x)))\n"
    "(<= (terminal) (true (picked ?x)))\n"
    "(<= (goal white 100) (true (picked 1)) (not (true (lost ?anything))))\n"
    "(<= (goal white 0) (not (goal white 100)))\n"
    "(<= (goal black 0) (number ?x) (not (distinct ?x 1)))\n"
    "(<= (far ?x ?z) (far ?x ?y) (far ?y ?z)) (<= (far ?x ?y) (number ?x) (number ?y))\n";

static bool lay_out_and_disguise(struct error *error)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    volatile bool good = false;
    if (!heap) return error_set(error, ERROR_MEMORY, "no heap");
    if (HEAP_ENTER(heap, &guard, error)) {
        struct diags diags;
        struct source *source = source_copy(heap, "sheet", sheet, sizeof sheet - 1);
        diags_init(&diags, heap, source);
        struct syntax *syntax = syntax_parse(heap, source, &diags);
        struct text out, there;
        text_init(&out, heap);
        text_init(&there, heap);
        format_sheet(heap, syntax, &out);
        struct scramble *s =
            scramble_new(heap, syntax, (struct scramble_options){.seed = 1, .numbers = true});
        scramble_sheet(s, syntax, &out);
        good = scramble_translate(s, "(pick 1)", 8, &there, error);
        heap_leave(heap);
    }
    heap_free(heap);
    return good;
}

static bool load_and_play(struct error *error)
{
    struct game *game = game_from_text("sheet", sheet, sizeof sheet - 1, 0, NULL, error);
    if (!game) return false;
    struct reasoner *r = reasoner_lifted(game, 0, error);
    volatile bool good = false;
    struct heap_guard guard;
    if (r && HEAP_ENTER(game->heap, &guard, error)) {
        struct trial result;
        trial_run(r, &(struct trial_options){.games = 2, .steps = 10, .seed = 1, .strict = true},
                  &game->diags, &result);
        good = true;
        heap_leave(game->heap);
    }
    if (r) reasoner_free(r);
    game_free(game);
    return good;
}

static void fail_at_every_allocation(bool (*job)(struct error *))
{
    long n = 0;
    bool struck = true;
    while (struck) {
        struct error error = {0};
        heap_inject_failure(++n);
        bool good = job(&error);
        struck = !heap_injection_pending();
        heap_inject_failure(0);
        if (!good && error.code != ERROR_MEMORY) fail_msg("allocation %ld: %s", n, error.text);
        if (!struck) assert_true(good);
    }
    assert_true(n > 50);
    print_message("%ld allocations\n", n - 1);
}

static void laying_out_and_disguising_survive_want_of_memory(void **state)
{
    fail_at_every_allocation(lay_out_and_disguise);
}

static void checking_and_playing_survive_want_of_memory(void **state)
{
    fail_at_every_allocation(load_and_play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laying_out_and_disguising_survive_want_of_memory),
        cmocka_unit_test(checking_and_playing_survive_want_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
