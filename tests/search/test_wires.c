// SPDX-License-Identifier: GPL-3.0-or-later
/* Playouts on the wires: what a lane is said to have played is what it played, step by step on another
 * engine; choices are the policy's; searches that use them lose nothing on the way. */
#include "../field.h"

#include "player/player.h"
#include "search/wires/amaf.h"
#include "search/wires/orders.h"
#include "search/wires/wires.h"

#include <math.h>
#include <string.h>

/* --- What was played ------------------------------------------------------------------------------------ */

struct audience {
    const struct field *field;
    struct wires *wires;
    struct policy *policy;
    uint32_t playouts, cut, limit;
    uint32_t *first; /* by move of the role `whose`: how often it was the first choice */
    uint32_t whose;
};

static void make_step(const struct field *f, struct state *s, const uint32_t *moves)
{
    struct state next = {0};
    assert_true(f->reasoner->ops->next(f->reasoner, s, moves, &next));
    state_done(s);
    *s = next;
}

/* The moves are legal, forced where they are said to be, and lead to the end and to these rewards. */
static void replay(const struct audience *a, const struct wires_playout *p, const uint32_t *moves,
                   const uint8_t *forced)
{
    struct reasoner *r = a->field->reasoner;
    uint32_t nroles = a->field->game->nroles;
    uint32_t words = ((engine_code(a->field->engine)->nbits) + 63) / 64;
    struct state s = {0};
    struct list legal = {0};
    bool terminal;
    assert_true(state_reserve(&s, words));
    s.words = words;
    memcpy(s.w, p->group->state, words * sizeof *s.w);
    if (p->group->moves) make_step(a->field, &s, p->group->moves);
    for (uint32_t t = 0; t < p->steps; t++) {
        assert_true(r->ops->terminal(r, &s, &terminal));
        assert_false(terminal);
        for (uint32_t i = 0; i < nroles; i++) {
            bool found = false;
            legal.n = 0;
            assert_true(r->ops->legal(r, &s, i, &legal));
            for (uint32_t k = 0; k < legal.n; k++) found |= legal.v[k] == moves[t * nroles + i];
            assert_true(found);
            assert_int_equal(forced[t * nroles + i], legal.n == 1);
        }
        make_step(a->field, &s, moves + (size_t)t * nroles);
    }
    assert_true(r->ops->terminal(r, &s, &terminal));
    assert_int_equal(terminal, !p->cut);
    if (p->cut) assert_int_equal(p->steps, a->limit);
    for (uint32_t i = 0; i < nroles && terminal; i++) {
        int goal;
        assert_true(reasoner_goal(r, &s, i, &goal));
        assert_int_equal((int)p->reward[i], goal);
    }
    state_done(&s);
    list_done(&legal);
}

static void over(void *data, const struct wires_playout *p)
{
    struct audience *a = data;
    const uint32_t *moves;
    const uint8_t *forced;
    uint32_t nroles = a->field->game->nroles;
    a->playouts++;
    a->cut += p->cut;
    if (!wires_moves(a->wires, p, &moves, &forced)) return;
    if (a->playouts % 3 == 0) replay(a, p, moves, forced);
    if (a->first && p->steps) a->first[moves[a->whose]]++;
    struct episode e = {
        .nroles = nroles, .steps = p->steps, .moves = moves, .reward = p->reward, .discount = 0.999f};
    if (a->policy && !a->first) policy_learn(a->policy, &e);
}

static struct policy make_policy(uint32_t nroles, const char *scheme)
{
    struct policy p = {.decay = {1, 1, 50, 1}};
    if (strstr(scheme, "mast")) p.values = values_mast(nroles, false);
    if (strstr(scheme, "nst")) p.values = values_nst(nroles, 2, 3, 16 << 20, NULL);
    if (strstr(scheme, "lgr")) p.lgr = lgr_new(nroles);
    p.sampler = (struct sampler){strstr(scheme, "gibbs") ? SAMPLE_GIBBS : SAMPLE_GREEDY, 10, 0.2f};
    return p;
}

/* Groups from the beginning of the game and from a few steps into it, with and without a first move. */
static void play_groups(const char *name, const char *scheme, uint32_t limit)
{
    enum { GROUPS = 24, WANTED = 13 };
    struct error error = {0};
    struct field f = open_field(name);
    struct reasoner *r = f.reasoner;
    struct policy policy = make_policy(f.game->nroles, scheme);
    struct audience a = {.field = &f, .policy = &policy, .limit = limit};
    struct wires_group group[GROUPS] = {0};
    struct state state[GROUPS] = {0};
    uint32_t first[GROUPS][MCTS_MAX_ROLES];
    struct list legal = {0};
    struct rng rng;
    rng_init(&rng, 5);
    a.wires = wires_new(engine_code(f.engine), &policy, true, 3, over, &a, &error);
    assert_non_null(a.wires);
    wires_limit(a.wires, &(struct wires_limits){.steps = limit});
    for (uint32_t g = 0; g < GROUPS; g++) {
        assert_true(r->ops->initial(r, &state[g]));
        for (uint32_t t = 0; t <= g % 4; t++) {
            for (uint32_t i = 0; i < f.game->nroles; i++) {
                legal.n = 0;
                assert_true(r->ops->legal(r, &state[g], i, &legal));
                first[g][i] = legal.v[rng_below(&rng, legal.n)];
            }
            if (t < g % 4) make_step(&f, &state[g], first[g]);
        }
        group[g] = (struct wires_group){
            .state = state[g].w, .moves = g % 3 ? first[g] : NULL, .wanted = g % 5 ? WANTED : 300};
        wires_put(a.wires, &group[g]);
        for (int i = 0; i < 40; i++) wires_round(a.wires);
    }
    uint32_t wanted = 0;
    for (uint32_t i = 0; wires_waiting(a.wires) || wires_playing(a.wires); i++) {
        assert_true(i < 100000);
        wires_round(a.wires);
    }
    for (uint32_t g = 0; g < GROUPS; g++) {
        assert_int_equal(group[g].over, group[g].wanted);
        wanted += group[g].wanted;
    }
    assert_int_equal(a.playouts, wanted);
    wires_free(a.wires);
    policy_done(&policy);
    list_done(&legal);
    for (uint32_t g = 0; g < GROUPS; g++) state_done(&state[g]);
    close_field(&f);
}

static void a_lane_has_played_what_it_is_said_to_have_played(void **unused)
{
    static const char *const schemes[] = {"uniform",   "mast greedy", "mast gibbs",    "nst greedy",
                                          "nst gibbs", "lgr",         "lgr nst greedy"};
    static const char *const games[] = {"breakthrough", "connectFour", "ttcc4ThreePlayers", "battle"};
    (void)unused;
    for (size_t g = 0; g < sizeof games / sizeof *games; g++)
        for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) play_groups(games[g], schemes[s], 5000);
    play_groups("eightPuzzle", "mast greedy", 5000);
    play_groups("checkers", "nst greedy", 5000);
}

static void playouts_end_at_their_limit(void **unused)
{
    (void)unused;
    play_groups("breakthrough", "nst greedy", 9);
    play_groups("connectFour", "uniform", 1);
}

/* --- By whom -------------------------------------------------------------------------------------------- */

/* Greedy without exploring: everywhere the move that scores best. Gibbs: each as often as its weight says. */
static void choices_are_the_policys(void **unused)
{
    enum { WANTED = 20000 };
    (void)unused;
    for (int gibbs = 0; gibbs < 2; gibbs++) {
        struct error error = {0};
        struct field f = open_field("connectFour");
        uint32_t first[64] = {0}, moves[2];
        struct policy policy = make_policy(2, gibbs ? "mast gibbs" : "mast greedy");
        struct audience a = {.field = &f, .policy = &policy, .limit = 5000, .first = first};
        struct list legal = {0};
        struct state s = {0};
        policy.sampler.epsilon = 0;
        assert_true(f.reasoner->ops->initial(f.reasoner, &s));
        assert_true(f.reasoner->ops->legal(f.reasoner, &s, 0, &legal));
        uint32_t n = legal.n;
        assert_true(n > 3);
        for (uint32_t i = 0; i < n; i++) { /* 60, 65, 70 ... and the third 95 */
            float reward[2] = {i == 2 ? 95 : 60 + 5 * (float)i, 50};
            moves[0] = legal.v[i], moves[1] = 0;
            struct episode e = {.nroles = 2, .steps = 1, .moves = moves, .reward = reward, .discount = 1};
            policy_learn(&policy, &e);
        }
        a.wires = wires_new(engine_code(f.engine), &policy, true, 3, over, &a, &error);
        assert_non_null(a.wires);
        struct wires_group group = {.state = s.w, .wanted = WANTED};
        wires_put(a.wires, &group);
        while (group.over < WANTED) wires_round(a.wires);
        double weight[64], sum = 0;
        for (uint32_t i = 0; i < n; i++) sum += weight[i] = exp((i == 2 ? 95 : 60 + 5.0 * i) / 10);
        for (uint32_t i = 0; i < n; i++) {
            double want = gibbs ? weight[i] / sum : i == 2; /* orders are drawn for many lanes at once */
            assert_true(fabs((double)first[legal.v[i]] / WANTED - want) < (gibbs ? 0.1 : 1e-9));
        }
        wires_free(a.wires);
        policy_done(&policy);
        list_done(&legal);
        state_done(&s);
        close_field(&f);
    }
}

/* A good reply is made instead of exploring by the role that has it and a choice. That somebody who waits
 * does well by waiting says nothing. */
static void who_waits_has_no_good_reply(void **unused)
{
    enum { WANTED = 4000 };
    (void)unused;
    struct error error = {0};
    struct field f = open_field("connectFour");
    struct policy policy = make_policy(2, "lgr mast greedy");
    struct list legal[2] = {0}, free_moves = {0};
    struct state s = {0}, later = {0};
    uint32_t first[64] = {0};
    policy.sampler.epsilon = 1;
    assert_true(f.reasoner->ops->initial(f.reasoner, &s));
    for (uint32_t r = 0; r < 2; r++) assert_true(f.reasoner->ops->legal(f.reasoner, &s, r, &legal[r]));
    uint32_t begins[2] = {legal[0].v[0], legal[1].v[0]};
    assert_true(f.reasoner->ops->next(f.reasoner, &s, begins, &later));
    assert_true(f.reasoner->ops->legal(f.reasoner, &later, 1, &free_moves));
    uint32_t waits[2], n = free_moves.n, reply = free_moves.v[n - 1];
    legal[0].n = 0;
    assert_true(f.reasoner->ops->legal(f.reasoner, &later, 0, &legal[0]));
    waits[0] = legal[0].v[0], waits[1] = legal[1].v[0];
    assert_true(legal[0].n == 1 && n > 3);
    /* the first role waits after a move that the second waited in, and that was good; one opening has a reply
     */
    uint32_t other = begins[0] == 1 ? 2 : 1;
    uint32_t moves[] = {other, waits[1], waits[0], reply, other, waits[1]};
    struct episode e = {.nroles = 2, .steps = 3, .moves = moves, .reward = (float[]){50, 50}, .discount = 1};
    policy_learn(&policy, &e);
    struct audience a = {.field = &f, .policy = &policy, .limit = 5000, .first = first, .whose = 1};
    a.wires = wires_new(engine_code(f.engine), &policy, true, 3, over, &a, &error);
    assert_non_null(a.wires);
    struct wires_group group = {.state = s.w, .moves = begins, .wanted = WANTED};
    wires_put(a.wires, &group);
    while (group.over < WANTED) wires_round(a.wires);
    for (uint32_t i = 0; i < n; i++) /* all explore */
        assert_true(fabs((double)first[free_moves.v[i]] / WANTED - 1.0 / n) < 0.04);
    memset(first, 0, sizeof first);
    begins[0] = other;
    wires_put(a.wires, &group);
    while (group.over < WANTED) wires_round(a.wires);
    assert_int_equal(first[reply], WANTED);
    wires_free(a.wires);
    policy_done(&policy);
    for (uint32_t r = 0; r < 2; r++) list_done(&legal[r]);
    list_done(&free_moves);
    state_done(&s);
    state_done(&later);
    close_field(&f);
}

/* The second role after a move of the first: which of eight moves, all legal, do the orders take? */
static uint32_t taken_after(struct orders *o, uint32_t last)
{
    enum { MOVES = 8 };
    uint64_t legal[MOVES] = {0}, does[MOVES] = {0}, lasts[MOVES] = {0}, open = 1;
    for (uint32_t i = 0; i < MOVES; i++) legal[i] = 1;
    lasts[last] = 1;
    orders_tend(o, 1, legal, &open, 1);
    orders_choose(o, 1, legal, does, lasts, &open);
    uint32_t move = 0;
    while (!does[move]) move++;
    return move;
}

static void learn_pair(struct policy *policy, uint32_t last, uint32_t move, float reward)
{
    uint32_t moves[4] = {last, 0, 0, move};
    struct episode e = {
        .nroles = 2, .steps = 2, .moves = moves, .reward = (float[]){100 - reward, reward}, .discount = 1};
    policy_learn(policy, &e);
}

/* A context's order is made anew now and then only, but follows what is learned of its own moves at once. */
static void what_is_learned_after_a_move_counts_at_once(void **unused)
{
    (void)unused;
    struct policy policy = make_policy(2, "nst greedy");
    struct code_role roles[2] = {{.n = 8}, {.n = 8}};
    struct code code = {.nroles = 2, .roles = roles};
    struct orders o;
    for (int i = 0; i < 100; i++)
        for (uint32_t move = 0; move < 8; move++) learn_pair(&policy, 5, move, move == 3 ? 60 : 40);
    assert_true(orders_init(&o, &policy, &code, 1, 1));
    taken_after(&o, 5); /* the ranking is made when it is first wanted */
    assert_int_equal(taken_after(&o, 5), 3);
    for (int i = 0; i < 300; i++) learn_pair(&policy, 5, 6, 100);
    o.roles[1].rankings[5].due = (uint32_t)policy.simulations + 100;
    orders_learned(&o, 1, 5, 6);
    assert_int_equal(taken_after(&o, 5), 6);
    for (int i = 0; i < 900; i++) learn_pair(&policy, 5, 6, 0);
    o.roles[1].rankings[5].due = (uint32_t)policy.simulations + 100;
    orders_learned(&o, 1, 5, 6);
    assert_int_equal(taken_after(&o, 5), 3);
    orders_done(&o);
    policy_done(&policy);
}

/* The good reply of the second role to a move of the first; MOVE_NONE: there is none. */
static uint32_t replied_to(struct orders *o, uint32_t last)
{
    enum { MOVES = 8 };
    uint64_t legal[MOVES], does[MOVES] = {0}, lasts[MOVES] = {0}, open = 1;
    for (uint32_t i = 0; i < MOVES; i++) legal[i] = 1;
    lasts[last] = 1;
    orders_reply(o, 1, legal, does, lasts, &open);
    for (uint32_t i = 0; i < MOVES; i++)
        if (does[i]) return i;
    return MOVE_NONE;
}

static void a_good_reply_counts_at_once(void **unused)
{
    (void)unused;
    struct policy policy = make_policy(2, "lgr");
    struct code_role roles[2] = {{.n = 8}, {.n = 8}};
    struct code code = {.nroles = 2, .roles = roles};
    struct orders o;
    uint64_t legal[8] = {1}, lanes = 1;
    learn_pair(&policy, 5, 3, 100);
    assert_true(orders_init(&o, &policy, &code, 1, 1));
    orders_tend(&o, 1, legal, &lanes, 1); /* what was learned before is looked up then */
    assert_int_equal(replied_to(&o, 5), 3);
    assert_int_equal(replied_to(&o, 4), MOVE_NONE);
    learn_pair(&policy, 5, 6, 100);
    orders_replied(&o, 1, 5);
    assert_int_equal(replied_to(&o, 5), 6);
    learn_pair(&policy, 5, 6, 0);
    orders_replied(&o, 1, 5);
    assert_int_equal(replied_to(&o, 5), MOVE_NONE);
    orders_done(&o);
    policy_done(&policy);
}

/* --- What RAVE is told ---------------------------------------------------------------------------------- */

/* Of each move at a node the mean of the playouts it was played in, whoever played it again; what nobody
 * played stays as it was. */
static void rave_has_the_mean_of_the_playouts_a_move_was_played_in(void **unused)
{
    enum { MOVES = 9, PLAYOUTS = 40, STEPS = 5 };
    (void)unused;
    uint32_t moves[MOVES], played[STEPS * 2], joint[2] = {4, 0};
    struct code_role roles[2] = {{.n = MOVES + 1}, {.n = MOVES}};
    const struct code code = {.nroles = 2, .roles = roles};
    struct mcts m = {.tree = tree_new(2, 1 << 20, true, false), .nroles = 2, .opt.discount = 0.5f};
    struct hand hand = {.search = &m};
    struct amaf amaf;
    struct rng rng;
    for (uint32_t i = 0; i < MOVES; i++) moves[i] = i;
    struct list legal[2] = {{moves, MOVES, MOVES}, {moves, 1, 1}};
    uint64_t state = 3;
    uint32_t node = tree_add(m.tree, NULL, &state, 1, 1, false, legal);
    struct flight f = {.hand = &hand, .tree_steps = 1, .path = &node, .moves = joint};
    struct rave *rave = node_rave(m.tree, tree_node(m.tree, node), 0);
    assert_true(amaf_init(&amaf, &code));
    struct amaf_move *sums = calloc(amaf.total, sizeof *sums);
    double sum[MOVES] = {0}, n[MOVES] = {0};
    float all[2] = {0};
    rng_init(&rng, 9);
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < PLAYOUTS; k++) {
            float reward[2] = {(float)rng_below(&rng, 101), 0};
            bool seen[MOVES + 1] = {[4] = true};
            for (uint32_t t = 0; t < STEPS; t++) { /* the last two moves of the first role are never played */
                played[2 * t] = rng_below(&rng, MOVES - 2);
                played[2 * t + 1] = rng_below(&rng, MOVES);
                seen[played[2 * t]] = true;
            }
            amaf_add(&amaf, sums, played, STEPS, reward);
            all[0] += reward[0];
            for (uint32_t i = 0; i < MOVES; i++)
                if (seen[i]) sum[i] += 0.5 * (double)reward[0], n[i]++;
        }
        amaf_back_up(&amaf, sums, &f, PLAYOUTS, all);
        all[0] = 0;
        for (uint32_t i = 0; i < MOVES; i++) {
            assert_int_equal(rave[i].n, n[i]);
            assert_true(fabs((double)rave[i].mean - (n[i] ? sum[i] / n[i] : 0)) < 0.01);
        }
    }
    assert_int_equal(rave[MOVES - 1].n, 0);
    free(sums);
    amaf_done(&amaf);
    tree_free(m.tree);
}

/* --- In a search ---------------------------------------------------------------------------------------- */

static uint64_t think(const struct field *f, const char *spec, uint64_t sims, uint32_t *nodes)
{
    struct error error = {0};
    struct player_config config;
    if (!player_config_parse(spec, &config, &error)) fail_msg("%s", error.text);
    config.memory = 64;
    config.forced = true;
    struct player *p = player_new(&config, f->game, f->engine, 0, 7, &error);
    if (!p) fail_msg("%s", error.text);
    struct budget budget = {.simulations = sims};
    uint32_t move, pending = 0;
    uint64_t visits = 0;
    if (!player_think(p, &budget, &move, &error)) fail_msg("%s", error.text);
    const struct mcts *m = player_search(p);
    struct tree_node *root = tree_node(m->tree, m->tree->root);
    for (uint32_t r = 0; r < m->nroles; r++)
        for (uint32_t i = 0; i < node_actions(m->tree, root, r); i++) {
            pending += pending_of(node_action(m->tree, root, r) + i);
            if (r == 0) visits += node_action(m->tree, root, r)[i].n;
        }
    assert_int_equal(pending, 0);
    assert_int_equal(visits, sims);
    assert_int_equal(m->stats.simulations, sims);
    *nodes = m->tree->nodes;
    uint64_t playouts = m->stats.playouts;
    player_free(p);
    return playouts;
}

static void searches_get_all_their_playouts_back(void **unused)
{
    static const char *const games[] = {"breakthrough", "connectFour", "ttcc4ThreePlayers", "battle"};
    (void)unused;
    for (size_t g = 0; g < sizeof games / sizeof *games; g++) {
        struct field f = open_field(games[g]);
        uint32_t nodes, again;
        uint64_t playouts =
            think(&f, "champion,solver=off,playout=nst:wires,playouts=6,lanes=20", 900, &nodes);
        assert_true(playouts > 3 * 900 && playouts <= 6 * 900);
        assert_int_equal(think(&f, "champion,solver=off,playout=nst:wires,playouts=6,lanes=20", 900, &again),
                         playouts);
        assert_int_equal(nodes, again);
        think(&f, "mast-decay,playout=mast:wires,lanes=1", 200, &nodes);
        think(&f, "lgr-mast,playout=mast:wires,lanes=64,threads=2", 600, &nodes);
        think(&f, "cadia2007,playout=uniform:wires,cutoff=on,lanes=16,playouts=1", 600, &nodes);
        close_field(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_has_played_what_it_is_said_to_have_played),
        cmocka_unit_test(playouts_end_at_their_limit),
        cmocka_unit_test(choices_are_the_policys),
        cmocka_unit_test(who_waits_has_no_good_reply),
        cmocka_unit_test(what_is_learned_after_a_move_counts_at_once),
        cmocka_unit_test(a_good_reply_counts_at_once),
        cmocka_unit_test(rave_has_the_mean_of_the_playouts_a_move_was_played_in),
        cmocka_unit_test(searches_get_all_their_playouts_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
