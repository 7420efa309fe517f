// SPDX-License-Identifier: GPL-3.0-or-later
#include "workbench.h"

static struct bench open_game(struct game *game, struct error *error)
{
    struct bench b = {.game = game};
    if (!game) fail_msg("%s", error->text);
    b.engine = engine_start(game, NULL, error);
    if (!b.engine || engine_wait(b.engine, -1) != ENGINE_READY) fail_msg("%s has no circuit", game->name);
    b.code = engine_code(b.engine);
    b.circuit = reasoner_circuit(game, b.code, error);
    b.lifted = reasoner_lifted(game, 0, error);
    assert_non_null(b.circuit);
    assert_non_null(b.lifted);
    assert_true(b.circuit->ops->initial(b.circuit, &b.root));
    assert_true(b.lifted->ops->initial(b.lifted, &b.lifted_root));
    return b;
}

struct bench open_bench(const char *name)
{
    struct error error;
    return open_game(game_load(name, 0, NULL, &error), &error);
}

struct bench open_text(const char *text)
{
    struct error error;
    return open_game(game_from_text("test", text, strlen(text), 0, NULL, &error), &error);
}

void close_bench(struct bench *b)
{
    state_done(&b->root);
    state_done(&b->lifted_root);
    reasoner_free(b->circuit);
    reasoner_free(b->lifted);
    engine_free(b->engine);
    game_free(b->game);
}

struct race *start(const struct bench *b, bool lifted, uint32_t which)
{
    struct error error;
    struct race *r = lifted ? race_new(b->lifted, NULL, &b->lifted_root, which, (size_t)256 << 20, 1, &error)
                            : race_new(b->circuit, b->code, &b->root, which, (size_t)256 << 20, 1, &error);
    if (!r) fail_msg("%s", error.text);
    return r;
}

int replay(const struct bench *b, bool lifted, const struct line *line)
{
    struct reasoner *r = lifted ? b->lifted : b->circuit;
    struct state here = {0}, next = {0};
    bool ended = false;
    int goal;
    assert_true(state_copy(&here, lifted ? &b->lifted_root : &b->root));
    for (uint32_t i = 0; i < line->n; i++) {
        struct list legal = {0};
        bool found = false;
        assert_true(r->ops->legal(r, &here, 0, &legal));
        for (uint32_t k = 0; k < legal.n; k++) found |= legal.v[k] == line->moves[i];
        assert_true(found);
        assert_false(ended);
        assert_true(r->ops->next(r, &here, &line->moves[i], &next));
        assert_true(state_copy(&here, &next));
        assert_true(r->ops->terminal(r, &here, &ended));
        list_done(&legal);
    }
    assert_true(ended);
    assert_true(reasoner_goal(r, &here, 0, &goal));
    state_done(&here);
    state_done(&next);
    return goal;
}

struct frontier *explore(struct space *s, struct line *line)
{
    line_init(line);
    s->most = 1000;
    struct method *m = frontier_new(s, line, (size_t)1 << 30);
    assert_non_null(m);
    assert_int_equal(m->ops->run(m, &(struct turn){0}), METHOD_EXHAUSTED);
    return (struct frontier *)m;
}

const char lights[] =
    "(role player) (index 1) (index 2) (index 3) (near 1 2) (near 2 1) (near 2 3) (near 3 2)"
    "(<= (base (lit ?x ?y)) (index ?x) (index ?y)) (<= (input player (press ?x ?y)) (index ?x) (index ?y))"
    "(<= (init (lit ?x ?y)) (index ?x) (index ?y))"
    "(<= (legal player (press ?x ?y)) (index ?x) (index ?y))"
    "(<= (toggled ?x ?y) (does player (press ?x ?y)))"
    "(<= (toggled ?x ?y) (does player (press ?x2 ?y)) (near ?x ?x2))"
    "(<= (toggled ?x ?y) (does player (press ?x ?y2)) (near ?y ?y2))"
    "(<= (next (lit ?x ?y)) (true (lit ?x ?y)) (not (toggled ?x ?y)))"
    "(<= (next (lit ?x ?y)) (index ?x) (index ?y) (not (true (lit ?x ?y))) (toggled ?x ?y))"
    "(<= any (true (lit ?x ?y)))"
    "(<= terminal (not any)) (<= (goal player 100) (not any)) (<= (goal player 0) any)";
