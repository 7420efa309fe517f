// SPDX-License-Identifier: GPL-3.0-or-later
/* Minimax over judged positions in the tree: what is backed up, what is chosen by it, and that threads leave
 * nothing behind that is no value. */
#include "../field.h"

#include "player/player.h"
#include "search/driver_internal.h"
#include "search/implicit.h"
#include "search/judgement.h"

#include <math.h>
#include <string.h>

/* --- A tree by hand ------------------------------------------------------------------------------------- */

struct bench {
    struct mcts m;
    struct hand hand;
};

static void set_up(struct bench *b)
{
    *b = (struct bench){.m = {.nroles = 2, .tree = tree_new(2, 1 << 20, false, false)}};
    assert_non_null(b->m.tree);
    tree_lead(b->m.tree);
    b->hand.search = &b->m;
}

/* A position in which one role has so many moves, and what it seems worth. */
static uint32_t add(struct bench *b, uint64_t name, uint32_t mover, uint32_t moves, float seems)
{
    uint32_t many[4] = {0, 1, 2, 3}, one[1] = {9};
    struct list legal[2] = {{.v = one, .n = 1}, {.v = one, .n = 1}};
    legal[mover] = (struct list){.v = many, .n = moves};
    uint32_t node = tree_add(b->m.tree, NULL, &name, 1, name, false, legal);
    assert_true(node);
    struct lead *l = node_lead(b->m.tree, tree_node(b->m.tree, node));
    assert_true(l->seen < 0 && l->backed < 0);
    *l = (struct lead){seems, seems};
    return node;
}

/* A simulation through these nodes by these moves of the one who has a choice is over. */
static void fly(struct bench *b, uint32_t *path, const uint32_t *moves, uint32_t steps)
{
    uint32_t choice[8] = {0};
    struct flight f = {.hand = &b->hand, .path = path, .choice = choice, .tree_steps = steps};
    for (uint32_t t = 0; t < steps; t++) choice[2 * t + tree_node(b->m.tree, path[t])->mover] = moves[t];
    implicit_back_up(&f);
}

static float backed(const struct bench *b, uint32_t node)
{
    return node_lead(b->m.tree, tree_node(b->m.tree, node))->backed;
}

static void link_to(struct bench *b, uint32_t node, uint32_t move, uint32_t child)
{
    uint32_t choice[2] = {0};
    choice[tree_node(b->m.tree, node)->mover] = move;
    tree_link(b->m.tree, node, choice, child);
}

/*            root 50, first to move
 *           /         \
 *      a 60            b 40            second to move
 *     /    \          /    \
 *   80      30      55      45         */
static void the_best_for_who_moves_goes_up(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b);
    uint32_t root = add(&b, 1, 0, 2, 50), a = add(&b, 2, 1, 2, 60), c = add(&b, 3, 1, 2, 40);
    uint32_t leaf[4] = {add(&b, 4, 0, 2, 80), add(&b, 5, 0, 2, 30), add(&b, 6, 0, 2, 55),
                        add(&b, 7, 0, 2, 45)};
    link_to(&b, root, 0, a);
    fly(&b, (uint32_t[]){root}, (uint32_t[]){0}, 1);
    assert_true(backed(&b, root) == 60); /* the other move may be worth what the position seems: 50 */
    link_to(&b, root, 1, c);
    fly(&b, (uint32_t[]){root}, (uint32_t[]){1}, 1);
    assert_true(backed(&b, root) == 60);
    link_to(&b, a, 0, leaf[0]);
    fly(&b, (uint32_t[]){root, a}, (uint32_t[]){0, 0}, 2);
    assert_true(backed(&b, a) == 60); /* the second role takes nothing worse than what it seems */
    link_to(&b, a, 1, leaf[1]);
    fly(&b, (uint32_t[]){root, a}, (uint32_t[]){0, 1}, 2);
    assert_true(backed(&b, a) == 30 && backed(&b, root) == 40);
    link_to(&b, c, 0, leaf[2]);
    link_to(&b, c, 1, leaf[3]);
    fly(&b, (uint32_t[]){root, c}, (uint32_t[]){1, 0}, 2);
    assert_true(backed(&b, c) == 40 && backed(&b, root) == 40); /* one is unknown still */
    fly(&b, (uint32_t[]){root, c}, (uint32_t[]){1, 1}, 2);
    assert_true(backed(&b, c) == 45 && backed(&b, root) == 45);
    assert_true(node_leads(b.m.tree, tree_node(b.m.tree, root), 0)[0] == 30);
    b.m.tree->root = root;
    assert_true(implicit_root(&b.m, 0, 1) == 45 && implicit_root(&b.m, 1, 0) < 0);
    b.m.tree->root = a;
    assert_true(implicit_root(&b.m, 1, 1) == 70); /* as the second role sees it */
    tree_free(b.m.tree);
}

static void ends_are_worth_their_goals(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b);
    uint32_t root = add(&b, 1, 1, 2, 50);
    uint64_t name = 2;
    static const struct list none[2];
    uint32_t end = tree_add(b.m.tree, NULL, &name, 1, name, true, none);
    node_set_goals(b.m.tree, tree_node(b.m.tree, end), (float[]){0, 100});
    link_to(&b, root, 1, end);
    fly(&b, (uint32_t[]){root}, (uint32_t[]){1}, 1);
    assert_true(backed(&b, root) == 0);
    action_mark(node_action(b.m.tree, tree_node(b.m.tree, root), 1) + 1, ACTION_OUT);
    fly(&b, (uint32_t[]){root}, (uint32_t[]){1}, 1);
    assert_true(backed(&b, root) == 50); /* what is out does not count */
    tree_free(b.m.tree);
}

/* Both choose: an action is worth the mean of what it led to, a node the middle between what each can have.
 */
static void both_at_once_have_what_they_can_get(void **unused)
{
    (void)unused;
    struct bench b;
    uint64_t name = 1;
    uint32_t two[2] = {0, 1};
    struct list legal[2] = {{.v = two, .n = 2}, {.v = two, .n = 2}};
    set_up(&b);
    uint32_t root = tree_add(b.m.tree, NULL, &name, 1, name, false, legal);
    struct tree_node *n = tree_node(b.m.tree, root);
    uint32_t choice[][2] = {{0, 0}, {0, 1}};
    float seems[] = {80, 60};
    assert_true(n->mover == NO_MOVER);
    for (uint32_t k = 0; k < 2; k++) {
        struct flight f = {.hand = &b.hand, .path = &root, .choice = choice[k], .tree_steps = 1};
        tree_link(b.m.tree, root, choice[k], add(&b, 2 + k, 0, 2, seems[k]));
        n = tree_node(b.m.tree, root);
        implicit_back_up(&f);
        for (uint32_t r = 0; r < 2; r++) node_action(b.m.tree, n, r)[choice[k][r]].n++;
    }
    const float *first = node_leads(b.m.tree, n, 0), *second = node_leads(b.m.tree, n, 1);
    assert_true(first[0] == 70 && first[1] < 0 && second[0] == 80 && second[1] == 60);
    assert_true(backed(&b, root) == 65); /* 70 for the one, and the other can keep it to 60 */
    b.m.tree->root = root;
    assert_true(implicit_root(&b.m, 0, 0) == 70 && implicit_root(&b.m, 1, 1) == 40);
    tree_free(b.m.tree);
}

static void leads_survive_a_collection(void **unused)
{
    (void)unused;
    struct bench b;
    struct budget budget = {0};
    set_up(&b);
    uint32_t root = add(&b, 1, 0, 3, 50), a = add(&b, 2, 1, 2, 70);
    add(&b, 3, 1, 2, 20); /* out of reach */
    link_to(&b, root, 2, a);
    fly(&b, (uint32_t[]){root}, (uint32_t[]){2}, 1);
    b.m.tree->root = root;
    assert_true(tree_collect(b.m.tree, 1, 0, &budget));
    tree_forget(b.m.tree);
    struct tree_node *n = tree_node(b.m.tree, b.m.tree->root);
    assert_true(node_lead(b.m.tree, n)->seen == 50 && node_lead(b.m.tree, n)->backed == 70);
    assert_true(node_leads(b.m.tree, n, 0)[2] == 70 && node_leads(b.m.tree, n, 0)[0] < 0);
    tree_free(b.m.tree);
}

/* --- In play -------------------------------------------------------------------------------------------- */

struct sitting {
    struct field field;
    struct player *player;
    uint32_t move;
};

/* Somebody else thinks there; lent: by what was found out before. */
static void think_anew(struct sitting *s, const char *spec, struct judgement *lent,
                       const struct budget *budget)
{
    struct error error = {0};
    struct player_config config;
    player_free(s->player);
    if (!player_config_parse(spec, &config, &error)) fail_msg("%s", error.text);
    config.memory = 64;
    config.forced = true;
    s->player = player_new(&config, s->field.game, s->field.engine, 0, 3, &error);
    if (s->player && lent) player_lend_judgement(s->player, lent);
    if (!s->player || !player_think(s->player, budget, &s->move, &error)) fail_msg("%s", error.text);
}

static struct sitting think(const char *name, const char *spec, const struct budget *budget)
{
    struct sitting s = {.field = open_field(name)};
    think_anew(&s, spec, NULL, budget);
    return s;
}

static void leave(struct sitting *s)
{
    player_free(s->player);
    close_field(&s->field);
}

/* Every node of a tree: its lead is one, and, where one thread searched, the best of its moves. */
static void check_tree(const struct mcts *m, bool alone, uint32_t *judged)
{
    const struct tree *t = m->tree;
    *judged = 0;
    for (uint32_t at = 1; at < t->used; at += tree_node(t, at)->size) {
        struct tree_node *n = tree_node(t, at);
        if (n->words == TREE_BLOCK || n->flags & NODE_TERMINAL || n->mover == NO_MOVER) continue;
        /* somebody was faster with this state: nobody sees this node */
        if (tree_find(t, node_state(n), n->words, n->hash) != at) continue;
        const struct lead *l = node_lead(t, n);
        const float *leads = node_leads(t, n, n->mover);
        const struct tree_action *a = node_action(t, n, n->mover);
        float best = -1;
        bool all = true;
        for (uint32_t i = 0; i < node_actions(t, n, n->mover); i++) {
            assert_true(leads[i] < 0 ? leads[i] == -1 : leads[i] <= 100);
            if (action_is(&a[i], ACTION_OUT)) continue;
            all &= leads[i] >= 0;
            if (leads[i] >= 0) best = fmaxf(best, implicit_for(n->mover, leads[i]));
        }
        if (!all) best = fmaxf(best, implicit_for(n->mover, l->seen));
        assert_true(l->seen >= 0 && l->seen <= 100 && l->backed >= 0 && l->backed <= 100);
        if (alone && n->visits && !(n->flags & NODE_BOUNDED))
            assert_true(fabsf(implicit_for(n->mover, l->backed) - best) < 1e-3f);
        *judged += all;
    }
}

static void a_search_keeps_its_tree_in_order(void **unused)
{
    (void)unused;
    struct budget budget = {.simulations = 3000};
    struct sitting s = think("checkers", "champion,arm=off,implicit=0.4", &budget);
    const struct mcts *m = player_search(s.player);
    uint32_t judged;
    assert_true(implicit_is_on(m));
    check_tree(m, true, &judged);
    assert_true(judged > 100); /* scouted: all their moves are judged */
    leave(&s);
}

/* Both choose: looked at together, all actions of both are judged, and what they lead to stays a lead. */
static void both_at_once_are_judged(void **unused)
{
    (void)unused;
    struct budget budget = {.simulations = 2000};
    struct sitting s = think("chinook", "champion,arm=off,implicit=0.5,horizon=12", &budget);
    const struct mcts *m = player_search(s.player);
    const struct tree *t = m->tree;
    uint32_t judged = 0;
    assert_true(implicit_is_on(m) && m->stats.cut > 500);
    for (uint32_t at = 1; at < t->used; at += tree_node(t, at)->size) {
        struct tree_node *n = tree_node(t, at);
        if (n->words == TREE_BLOCK || n->flags & NODE_TERMINAL || n->mover != NO_MOVER) continue;
        const struct lead *l = node_lead(t, n);
        assert_true(l->seen >= 0 && l->seen <= 100 && l->backed >= 0 && l->backed <= 100);
        for (uint32_t r = 0; r < 2; r++)
            for (uint32_t i = 0; i < node_actions(t, n, r); i++) {
                float lead = node_leads(t, n, r)[i];
                assert_true(lead < 0 ? lead == -1 && !(n->flags & NODE_SCOUTED) : lead <= 100);
            }
        judged += n->flags & NODE_SCOUTED ? 1 : 0;
    }
    assert_true(judged > 50);
    leave(&s);
}

static void threads_share_leads(void **unused)
{
    (void)unused;
    struct budget budget = {.simulations = 6000};
    struct sitting s =
        think("breakthrough", "champion,arm=off,implicit=0.4,horizon=8,threads=4,lanes=8", &budget);
    const struct mcts *m = player_search(s.player);
    uint32_t judged;
    check_tree(m, false, &judged);
    assert_true(judged > 100);
    assert_true(m->stats.cut > 1000);
    leave(&s);
}

/* With a weight of one nothing but leads counts: the move played is the one with the best. */
static void the_move_is_chosen_by_leads(void **unused)
{
    (void)unused;
    struct budget budget = {.simulations = 2000};
    struct sitting s = think("skirmish", "champion,arm=off,implicit=1", &budget);
    struct mcts *m = player_search(s.player);
    const struct tree_node *root = tree_node(m->tree, m->tree->root);
    float played = -1, best = -1;
    for (uint32_t i = 0; i < node_actions(m->tree, root, 0); i++) {
        const struct tree_action *a = node_action(m->tree, tree_node(m->tree, m->tree->root), 0) + i;
        if (a->n == 0) continue;
        best = fmaxf(best, implicit_root(m, 0, i));
        if (a->move == s.move) played = implicit_root(m, 0, i);
    }
    assert_true(best >= 0 && played >= best - 1e-3f);
    leave(&s);
}

/* Counted and on one thread, what is found is the same every time, and so is what is found out first. */
static void counted_searches_repeat(void **unused)
{
    (void)unused;
    static const char *const specs[] = {"champion,arm=off,implicit=0.4", "champion,arm=off,horizon=0",
                                        "champion,arm=off,horizon=6,implicit=0.2,urgency=rave"};
    struct budget budget = {.simulations = 800};
    struct sitting s = {.field = open_field("breakthrough")};
    struct judgement *found = NULL;
    for (uint32_t k = 0; k < 3; k++) {
        struct mcts_move moves[2][64];
        uint32_t n[2];
        for (uint32_t i = 0; i < 2; i++) {
            think_anew(&s, specs[k], found, &budget);
            memset(moves[i], 0, sizeof moves[i]);
            n[i] = mcts_moves(player_search(s.player), 0, moves[i], 64);
        }
        if (!found) found = player_take_judgement(s.player);
        assert_non_null(found);
        assert_int_equal(n[0], n[1]);
        for (uint32_t i = 0; i < n[0]; i++) {
            assert_int_equal(moves[0][i].move, moves[1][i].move);
            assert_int_equal(moves[0][i].n, moves[1][i].n);
            assert_true(moves[0][i].mean == moves[1][i].mean);
        }
    }
    leave(&s);
    judgement_free(found);
}

/* No playout is longer than the horizon; without one the new position itself is judged. */
static void playouts_end_at_the_horizon(void **unused)
{
    (void)unused;
    struct sitting s = {.field = open_field("breakthrough")};
    struct judgement *found = NULL;
    for (uint32_t horizon = 0; horizon <= 6; horizon += 3) {
        char spec[80];
        struct budget budget = {.simulations = 500};
        snprintf(spec, sizeof spec, "champion,arm=off,decisive=off,horizon=%u", horizon);
        think_anew(&s, spec, found, &budget);
        const struct mcts_stats *stats = &player_report(s.player)->stats;
        assert_true(stats->cut > 400);
        assert_true(stats->playout_steps <= (uint64_t)horizon * stats->simulations);
        assert_true(horizon == 0 || stats->playout_steps >= (uint64_t)horizon * stats->cut);
        assert_true(stats->decided > 400); /* judged, not drawn */
        if (!found) found = player_take_judgement(s.player);
    }
    leave(&s);
    judgement_free(found);
}

static void where_nothing_is_judged_it_says_so(void **unused)
{
    (void)unused;
    struct budget budget = {.simulations = 300};
    struct sitting s = think("ttcc4ThreePlayers", "champion,arm=off,implicit=0.4,horizon=4", &budget);
    assert_string_equal(player_report(s.player)->remark, "nothing is judged: not a game for two");
    assert_false(implicit_is_on(player_search(s.player)));
    leave(&s);
}

/* What one player has found out another one judges by; it stays its owner's. */
static void judgement_is_lent(void **unused)
{
    (void)unused;
    struct error error = {0};
    struct budget budget = {.simulations = 50};
    struct sitting s = think("breakthrough", "champion,arm=judge", &budget);
    const struct judgement *found = player_judgement(s.player);
    assert_true(found && player_search(s.player)->opt.judgement == found);
    assert_true(player_config(s.player)->horizon > 0);
    struct judgement *taken = player_take_judgement(s.player);
    assert_true(taken == found && !player_judgement(s.player));
    for (int i = 0; i < 2; i++) {
        struct player *p = player_new(player_config(s.player), s.field.game, s.field.engine, 1, 5, &error);
        player_lend_judgement(p, taken);
        assert_true(player_ponder(p, &budget, &error));
        assert_true(player_search(p)->opt.judgement == taken);
        assert_null(player_take_judgement(p)); /* it is not its own */
        player_free(p);
    }
    judgement_free(taken);
    leave(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_for_who_moves_goes_up),
        cmocka_unit_test(ends_are_worth_their_goals),
        cmocka_unit_test(both_at_once_have_what_they_can_get),
        cmocka_unit_test(leads_survive_a_collection),
        cmocka_unit_test(a_search_keeps_its_tree_in_order),
        cmocka_unit_test(both_at_once_are_judged),
        cmocka_unit_test(threads_share_leads),
        cmocka_unit_test(the_move_is_chosen_by_leads),
        cmocka_unit_test(counted_searches_repeat),
        cmocka_unit_test(playouts_end_at_the_horizon),
        cmocka_unit_test(where_nothing_is_judged_it_says_so),
        cmocka_unit_test(judgement_is_lent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
