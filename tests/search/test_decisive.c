// SPDX-License-Identifier: GPL-3.0-or-later
/* Wins in one move are foreseen as looking shows them; playouts take them and do not allow them without need.
 */
#include "../field.h"

#include "search/driver.h"

#include <string.h>

/* The best goal there is for a role. */
static int most(const struct field *g, uint32_t role)
{
    const struct circuit *c = engine_code(g->engine)->circuit;
    int best = 0;
    for (uint32_t i = 0; i < c->goals.n; i++)
        if (c->goals.v[i].e != EDGE_FALSE && c->goals.v[i].role == role && (int)c->goals.v[i].value > best)
            best = (int)c->goals.v[i].value;
    return best;
}

/* Does the move win at once? The others make the only move they have. */
static bool wins(struct field *g, const struct state *s, uint32_t role, uint32_t move)
{
    uint32_t joint[8];
    struct list legal = {0};
    struct state next = {0};
    bool terminal;
    int goal = 0;
    for (uint32_t r = 0; r < g->game->nroles; r++) {
        assert_true(g->reasoner->ops->legal(g->reasoner, s, r, &legal));
        joint[r] = r == role ? move : legal.v[0];
        legal.n = 0;
    }
    assert_true(g->reasoner->ops->next(g->reasoner, s, joint, &next));
    assert_true(g->reasoner->ops->terminal(g->reasoner, &next, &terminal));
    if (terminal) assert_true(reasoner_goal(g->reasoner, &next, role, &goal));
    state_done(&next);
    list_done(&legal);
    return terminal && goal == most(g, role);
}

/* The role that alone has a choice, or its only move where nobody has; nroles: several choose. */
static bool is_alone(struct field *g, const struct state *s, uint32_t role, struct list *moves)
{
    bool alone = true;
    for (uint32_t r = 0; r < g->game->nroles; r++) {
        struct list legal = {0};
        assert_true(g->reasoner->ops->legal(g->reasoner, s, r, &legal));
        if (r != role) alone &= legal.n == 1;
        if (r == role) *moves = legal;
        if (r != role) list_done(&legal);
    }
    return alone;
}

static uint32_t look_at(struct field *g, struct batch *b, const struct state *s)
{
    uint32_t found = 0, seen[4096];
    batch_set_state(b, 3, s->w);
    batch_view(b);
    for (uint32_t role = 0; role < g->game->nroles; role++) {
        struct list moves = {0};
        if (is_alone(g, s, role, &moves)) {
            uint32_t n = batch_legal(b, 3, role, seen), k = 0;
            for (uint32_t i = 0; i < moves.n; i++) {
                bool foreseen = k < n && seen[k] == moves.v[i];
                if (foreseen != wins(g, s, role, moves.v[i]))
                    fail_msg("%s: a move of %s is %s to win", g->game->name, g->game->role_names[role],
                             foreseen ? "foreseen" : "not foreseen");
                k += foreseen;
            }
            assert_int_equal(k, n); /* no others */
            found += n;
        }
        list_done(&moves);
    }
    return found;
}

/* Nobody waits for it who has been told to stop; the next one has it. */
static void looking_for_wins_stops_when_told(void **unused)
{
    (void)unused;
    struct field g = open_field("connectFour");
    atomic_bool stop = true;
    struct error error = {0};
    assert_null(circuit_foresee(engine_code(g.engine)->circuit, 0, &stop, &error));
    assert_int_equal(error.code, ERROR_CANCELLED);
    assert_null(engine_foresight(g.engine, 0, &stop));
    stop = false;
    assert_non_null(engine_foresight(g.engine, 0, &stop));
    close_field(&g);
}

/* Players ask before every move: what took too long is not begun again for as little time, and found by the
 * one who has more. */
static void what_took_too_long_is_not_begun_again(void **unused)
{
    (void)unused;
    struct field g = open_field("breakthrough");
    for (uint32_t move = 0; move < 5; move++) assert_null(engine_foresight(g.engine, 1e-4, NULL));
    assert_int_equal(engine_derivations(g.engine), 1);
    assert_null(engine_foresight(g.engine, 3e-4, NULL));
    assert_int_equal(engine_derivations(g.engine), 2);
    assert_non_null(engine_foresight(g.engine, 0, NULL));
    assert_non_null(engine_foresight(g.engine, 1e-4, NULL));
    assert_int_equal(engine_derivations(g.engine), 3);
    close_field(&g);
}

static void wins_are_foreseen(void **unused)
{
    (void)unused;
    static const char *const games[] = {"ticTacToe",        "connectFour", "breakthrough", "knightthrough",
                                        "connect5",         "quad",        "clobber",      "ttcc4",
                                        "chinook",          "nim",         "battle",       "ticTacToe3d",
                                        "ttcc4ThreePlayers"};
    struct rng rng;
    rng_init(&rng, 11);
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct field g = open_field(games[i]);
        struct error error = {0};
        uint32_t found = 0, positions = 0;
        if (!engine_foresight(g.engine, 0, NULL)) fail_msg("%s: no foresight", games[i]);
        struct batch *b = batch_new(engine_foresight(g.engine, 0, NULL), 64, 0, &error);
        assert_non_null(b);
        for (uint32_t game = 0; game < 6; game++) {
            struct state s = {0}, next = {0};
            bool terminal = false;
            assert_true(g.reasoner->ops->initial(g.reasoner, &s));
            while (!terminal) {
                uint32_t joint[8];
                found += look_at(&g, b, &s);
                positions++;
                for (uint32_t r = 0; r < g.game->nroles; r++) {
                    struct list legal = {0};
                    assert_true(g.reasoner->ops->legal(g.reasoner, &s, r, &legal));
                    joint[r] = legal.v[rng_below(&rng, legal.n)];
                    list_done(&legal);
                }
                assert_true(g.reasoner->ops->next(g.reasoner, &s, joint, &next));
                assert_true(g.reasoner->ops->terminal(g.reasoner, &next, &terminal));
                state_copy(&s, &next);
            }
            state_done(&s);
            state_done(&next);
        }
        print_message("%s: %u wins in %u positions\n", games[i], found, positions);
        batch_free(b);
        close_field(&g);
    }
}

/* --- Playouts ------------------------------------------------------------------------------------------- */

/* A playout policy that plays anything and looks at what was played. */
struct witness {
    struct values values;
    struct field *field;
    bool parries;
    uint32_t taken, parried, forced;
};

static void score(struct values *v, const struct situation *s, const uint32_t *moves, uint32_t n, float *out)
{
    memset(out, 0, n * sizeof *out);
}

static uint32_t count_wins(struct field *g, const struct state *s, uint32_t role)
{
    struct list moves = {0};
    uint32_t n = 0;
    bool alone = is_alone(g, s, role, &moves);
    for (uint32_t i = 0; i < moves.n && alone; i++) n += wins(g, s, role, moves.v[i]);
    list_done(&moves);
    return n;
}

/* The other can win at once after this move. */
static bool allows(struct field *g, const struct state *s, uint32_t role, uint32_t move)
{
    struct list other = {0};
    struct state next = {0};
    bool terminal, bad = false;
    uint32_t joint[2];
    assert_true(g->reasoner->ops->legal(g->reasoner, s, 1 - role, &other));
    joint[role] = move;
    joint[1 - role] = other.v[0];
    assert_true(g->reasoner->ops->next(g->reasoner, s, joint, &next));
    assert_true(g->reasoner->ops->terminal(g->reasoner, &next, &terminal));
    if (!terminal) bad = count_wins(g, &next, 1 - role) > 0;
    list_done(&other);
    state_done(&next);
    return bad;
}

static void check_step(struct witness *w, struct state *s, uint32_t role, uint32_t move, uint32_t win_count)
{
    struct list moves = {0};
    uint32_t bad = 0;
    if (win_count) {
        assert_true(wins(w->field, s, role, move));
        w->taken++;
        return;
    }
    if (!w->parries) return;
    assert_true(w->field->reasoner->ops->legal(w->field->reasoner, s, role, &moves));
    for (uint32_t i = 0; i < moves.n; i++) bad += allows(w->field, s, role, moves.v[i]);
    if (allows(w->field, s, role, move)) {
        assert_true(bad == moves.n || bad > 3); /* after three tries it gives up */
        w->forced++;
    } else {
        w->parried += bad > 0;
    }
    list_done(&moves);
}

static void learn(struct values *v, const struct episode *e)
{
    struct witness *w = (struct witness *)v;
    for (uint32_t t = e->tree_steps; t < e->steps; t++) {
        struct state s = {.w = (uint64_t *)e->states + e->state_start[t],
                          .words = e->state_start[t + 1] - e->state_start[t]};
        for (uint32_t role = 0; role < e->nroles; role++) {
            struct list moves = {0};
            bool alone = is_alone(w->field, &s, role, &moves);
            if (alone && moves.n > 1)
                check_step(w, &s, role, e->moves[t * e->nroles + role], count_wins(w->field, &s, role));
            list_done(&moves);
        }
    }
}

static void keep(struct values *v) {}

static void playouts_take_wins_and_parry_them(void **unused)
{
    (void)unused;
    static const struct values_ops ops = {
        .name = "witness", .wants_states = true, .score = score, .learn = learn, .free = keep};
    static const struct {
        const char *name;
        enum decisive_moves how;
        uint32_t lanes, simulations;
    } tries[] = {{"ticTacToe", DECISIVE_WIN, 1, 200},       {"ticTacToe", DECISIVE_PARRY, 1, 300},
                 {"ticTacToe", DECISIVE_PARRY, 64, 600},    {"connectFour", DECISIVE_PARRY, 64, 150},
                 {"knightthrough", DECISIVE_PARRY, 32, 60}, {"ttcc4ThreePlayers", DECISIVE_WIN, 16, 30}};
    for (uint32_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        struct field g = open_field(tries[i].name);
        struct error error = {0};
        struct witness w = {.values = {&ops}, .field = &g, .parries = tries[i].how == DECISIVE_PARRY};
        struct policy policy = {.values = &w.values, .wants_states = true}, *policies[] = {&policy};
        struct mcts_options options = {.tree = true,
                                       .c = 40,
                                       .discount = 1,
                                       .lanes = tries[i].lanes,
                                       .memory = (size_t)16 << 20,
                                       .decisive = tries[i].how,
                                       .foresight = engine_foresight(g.engine, 0, NULL),
                                       .seed = i};
        struct reasoner *r = reasoner_circuit(g.game, engine_code(g.engine), &error);
        struct mcts *m = mcts_new(&options, r, policies, 1, &error);
        struct driver *d = driver_new(r, engine_code(g.engine), tries[i].lanes, &error);
        struct state s = {0};
        assert_true(r->ops->initial(r, &s));
        assert_true(mcts_root(m, &s, &(struct budget){0}, &error));
        driver_work(d, &m->hands[0], &(struct budget){.simulations = tries[i].simulations});
        print_message("%s: %u wins taken, %u times parried, %u times nothing to be done\n", tries[i].name,
                      w.taken, w.parried, w.forced);
        assert_true(w.taken > 10);
        if (w.parries) assert_true(w.parried > 10);
        state_done(&s);
        driver_free(d);
        mcts_free(m);
        policy_done(&policy);
        reasoner_free(r);
        close_field(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_for_wins_stops_when_told),
        cmocka_unit_test(what_took_too_long_is_not_begun_again),
        cmocka_unit_test(wins_are_foreseen),
        cmocka_unit_test(playouts_take_wins_and_parry_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
