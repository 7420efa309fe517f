// SPDX-License-Identifier: GPL-3.0-or-later
/* The schemes on the papers' own examples and on tables small enough to compute by hand. */
#include "../testing.h"

#include "game/movers.h"
#include "search/mcts.h"
#include "search/policy/dense.h"

#include <math.h>

/* Moves of two roles that take turns; NOOP is the other's move. */
enum { NOOP, A, B, C, D };

static struct episode episode(uint32_t nroles, uint32_t steps, const uint32_t *moves, const float *reward)
{
    return (struct episode){
        .nroles = nroles, .steps = steps, .tree_steps = 1, .moves = moves, .reward = reward, .discount = 1};
}

static float score_of(struct values *v, uint32_t role, uint32_t nroles, const uint32_t *before,
                      const uint32_t *last, uint32_t move)
{
    struct situation s = {.role = role, .nroles = nroles, .last = last, .before = before};
    float out;
    v->ops->score(v, &s, &move, 1, &out);
    return out;
}

static void mast_averages_all_occurrences(void **state)
{
    struct values *v = values_mast(2, false);
    static const uint32_t first[] = {A, NOOP, NOOP, D, A, NOOP}, second[] = {B, NOOP, NOOP, D};
    static const float won[] = {100, 0}, lost[] = {0, 100};
    struct episode e = episode(2, 3, first, won), f = episode(2, 2, second, lost);
    assert_float_equal(score_of(v, 0, 2, NULL, NULL, A), 100, 0); /* unseen */
    v->ops->learn(v, &e);
    v->ops->learn(v, &f);
    assert_float_equal(score_of(v, 0, 2, NULL, NULL, A), 100, 0);
    assert_float_equal(score_of(v, 0, 2, NULL, NULL, B), 0, 0);
    assert_float_equal(score_of(v, 0, 2, NULL, NULL, NOOP), 50, 1e-4);
    assert_float_equal(score_of(v, 1, 2, NULL, NULL, D), 50, 1e-4); /* roles have their own tables */
    v->ops->free(v);
}

static void tree_only_mast_stops_at_the_border(void **state)
{
    struct values *v = values_mast(1, true);
    static const uint32_t moves[] = {A, B};
    static const float reward[] = {10};
    struct episode e = episode(1, 2, moves, reward); /* tree_steps is 1 */
    v->ops->learn(v, &e);
    assert_float_equal(score_of(v, 0, 1, NULL, NULL, A), 10, 0);
    assert_float_equal(score_of(v, 0, 1, NULL, NULL, B), 100, 0);
    v->ops->free(v);
}

static void rewards_are_discounted_by_distance_from_the_end(void **state)
{
    struct values *v = values_mast(1, false);
    static const uint32_t moves[] = {A, B};
    static const float reward[] = {100};
    struct episode e = episode(1, 2, moves, reward);
    e.discount = 0.5f;
    v->ops->learn(v, &e);
    assert_float_equal(score_of(v, 0, 1, NULL, NULL, A), 25, 1e-4);
    assert_float_equal(score_of(v, 0, 1, NULL, NULL, B), 50, 1e-4);
    v->ops->free(v);
}

/* 000 §IV-B: sequences of length 2 begin with a move of role i-1, those of length 3 with one of role i-2; all
 * consecutive. */
static void ngrams_follow_role_numbers(void **state)
{
    /* three players, all moving each step; moves of role r at step t is 10 * t + r */
    static const uint32_t moves[] = {0, 1, 2, 10, 11, 12, 20, 21, 22};
    static const float reward[] = {30, 60, 90};
    struct episode e = episode(3, 3, moves, reward);
    struct values *v = values_nst(3, 3, 1, (size_t)64 << 20, NULL);
    v->ops->learn(v, &e);
    struct episode other = e;
    static const float zero[] = {0, 0, 0};
    static const uint32_t elsewhere[] = {5,  6,  7,  10, 11,
                                         12, 20, 21, 22}; /* same last two steps, another first */
    other.moves = elsewhere;
    other.reward = zero;
    v->ops->learn(v, &other);
    /* role 0, move 20 after 12 (role 2) after 1 (role 1): 1-gram 15, 2-gram (12, 20) 15, 3-gram (1, 12, 20)
     * 30 */
    uint32_t before[] = {99, 1, 99}, last[] = {99, 99, 12};
    assert_float_equal(score_of(v, 0, 3, before, last, 20), (15 + 15 + 30) / 3.0f, 1e-4);
    /* role 1: 2-grams with role 0 before, 3-grams with role 2 before that */
    uint32_t before1[] = {99, 99, 7}, last1[] = {10, 99, 99};
    assert_float_equal(score_of(v, 1, 3, before1, last1, 21), (30 + 30 + 0) / 3.0f, 1e-4);
    /* unknown predecessors: the move alone */
    uint32_t nothing[] = {77, 77, 77};
    assert_float_equal(score_of(v, 0, 3, nothing, nothing, 20), 15, 1e-4);
    assert_float_equal(score_of(v, 0, 3, before, last, 55), 100, 0); /* never played */
    v->ops->free(v);
}

/* Role 0 moves twice in a row: what its second move follows is its first, not what role 1 did meanwhile. */
static void ngrams_follow_who_moved(void **state)
{
    struct {
        struct movers movers;
        uint32_t idle[2];
    } idle = {{.nroles = 2}, {NOOP, NOOP}};
    static const uint32_t good[] = {A, NOOP, C, NOOP, NOOP, D}, bad[] = {B, NOOP, C, NOOP, NOOP, D};
    static const float won[] = {100, 0}, lost[] = {0, 100};
    struct episode e = episode(2, 3, good, won), f = episode(2, 3, bad, lost);
    uint32_t a[] = {A, NOOP}, b[] = {B, NOOP}, c[] = {C, NOOP}, other[] = {NOOP, A};
    for (int by_mover = 0; by_mover < 2; by_mover++) {
        struct values *v = values_nst(2, 3, 1, (size_t)64 << 20, by_mover ? &idle.movers : NULL);
        v->ops->learn(v, &e);
        v->ops->learn(v, &f);
        assert_float_equal(score_of(v, 0, 2, NULL, a, C), by_mover ? 75 : 50, 1e-4);
        assert_float_equal(score_of(v, 0, 2, NULL, b, C), by_mover ? 25 : 50, 1e-4);
        /* the same number, made by the other role, is another move */
        if (by_mover) assert_float_equal(score_of(v, 0, 2, NULL, other, C), 50, 1e-4);
        /* role 1 after C: two-grams know no more than the move alone, three-grams tell */
        assert_float_equal(score_of(v, 1, 2, a, c, D), by_mover ? (50 + 50 + 0) / 3.0f : 50, 1e-4);
        v->ops->free(v);
    }
}

/* A simulation's own way is for one role: shorter sequences for it, all of them for the other; uniform is for
 * everybody. */
static void a_way_is_for_its_role_alone(void **state)
{
    static const uint32_t moves[] = {A, NOOP, NOOP, D, B, NOOP}, again[] = {A, NOOP, NOOP, C, B, NOOP};
    static const float won[] = {100, 0}, lost[] = {0, 100};
    struct episode e = episode(2, 3, moves, won), f = episode(2, 3, again, lost);
    struct policy p = {.values = values_nst(2, 3, 1, (size_t)64 << 20, NULL),
                       .sampler = {SAMPLE_GREEDY, 1, 0},
                       .decay = {1, 1, 50, 1}};
    policy_learn(&p, &e);
    policy_learn(&p, &f);
    struct way way = {.roles = 1, .of = {{.grams = 1}}};
    uint32_t last[] = {NOOP, D}, list[] = {B, A};
    struct situation s = {.role = 0, .nroles = 2, .last = last, .way = &way};
    float out[2];
    p.values->ops->score(p.values, &s, list, 2, out);
    assert_float_equal(out[0], 50, 1e-4); /* the move alone */
    way.roles = 2;
    p.values->ops->score(p.values, &s, list, 2, out);
    assert_float_equal(out[0], 75, 1e-4); /* and (D, B) */
    struct rng rng;
    rng_init(&rng, 1);
    uint32_t first = 0;
    for (int i = 0; i < 1000; i++) first += policy_choose(&p, &s, &rng, list, 2) == 0;
    assert_int_equal(first, 1000); /* greedy */
    way = (struct way){.roles = 1, .of = {{.grams = 3, .epsilon = 1}}};
    for (int i = first = 0; i < 1000; i++) first += policy_choose(&p, &s, &rng, list, 2) == 0;
    assert_in_range(first, 400, 600);
    way = (struct way){.uniform = true};
    for (int i = first = 0; i < 1000; i++) first += policy_choose(&p, &s, &rng, list, 2) == 0;
    assert_in_range(first, 400, 600);
    policy_done(&p);
}

static void longer_ngrams_wait_for_k_visits(void **state)
{
    struct values *v = values_nst(2, 3, 7, (size_t)64 << 20, NULL);
    static const uint32_t with[] = {A, NOOP, NOOP, D, B, NOOP}, without[] = {C, NOOP, NOOP, NOOP, B, NOOP};
    static const float won[] = {100, 0}, lost[] = {0, 100};
    struct episode good = episode(2, 3, with, won), bad = episode(2, 3, without, lost);
    for (int i = 0; i < 6; i++) v->ops->learn(v, &good);
    for (int i = 0; i < 6; i++) v->ops->learn(v, &bad);
    uint32_t before[] = {A, NOOP}, last[] = {NOOP, D};
    assert_float_equal(score_of(v, 0, 2, before, last, B), 50, 1e-3); /* 6 visits are too few */
    v->ops->learn(v, &good);
    /* now the 2-gram (D, B) and the 3-gram (A, D, B) have 7 visits and a mean of 100; the 1-gram has 700/13
     */
    assert_float_equal(score_of(v, 0, 2, before, last, B), (700.0f / 13 + 200) / 3, 1e-2);
    v->ops->free(v);
}

enum rewards { USUAL, CLOSE, WILD };

/* Learn random games of moves below `moves`, with rewards as they are in a game, hardly different, or far
 * outside of what is allowed. */
static void learn_at_random(struct values *v, struct rng *rng, uint32_t moves, enum rewards kind)
{
    uint32_t made[2 * 20];
    for (int i = 0; i < 2 * 20; i++) made[i] = rng_below(rng, moves);
    float reward[2] = {(float)rng_below(rng, 5) * 25, (float)rng_below(rng, 101)};
    if (kind == CLOSE) reward[0] = 50, reward[1] = 50 + (float)rng_below(rng, 100) * 1e-4f;
    if (kind == WILD) reward[0] = -3, reward[1] = 1000;
    struct episode e = episode(2, 20, made, reward);
    e.discount = kind == CLOSE ? 1 : 0.99f;
    v->ops->learn(v, &e);
}

/* Asked for the best of a set, a scheme names exactly those that score highest. */
static void expect_best(struct values *v, struct rng *rng, uint32_t moves)
{
    enum { MOST = 256 };
    uint32_t before[2] = {rng_below(rng, moves), rng_below(rng, moves)}, words = (moves + 63) / 64, n = 0;
    uint32_t last[2] = {rng_below(rng, moves), rng_below(rng, moves)}, list[MOST], expected = 0;
    struct situation s = {.role = rng_below(rng, 2), .nroles = 2, .last = last, .before = before};
    uint64_t legal[MOST / 64] = {0}, best[MOST / 64];
    for (uint32_t i = 0; i < moves; i++)
        if (rng_below(rng, 3) == 0) list[n++] = i, legal[i / 64] |= (uint64_t)1 << (i % 64);
    float scores[MOST], top = -1e30f;
    uint32_t found = n ? v->ops->best_set(v, &s, legal, words, best) : 0;
    if (!found) return;
    v->ops->score(v, &s, list, n, scores);
    for (uint32_t i = 0; i < n; i++) top = scores[i] > top ? scores[i] : top;
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(best[list[i] / 64] >> (list[i] % 64) & 1, scores[i] == top);
        expected += scores[i] == top;
    }
    assert_int_equal(found, expected);
}

static void the_best_of_a_set_score_highest(void **state)
{
    static const uint32_t sizes[] = {3, 9, 40, 200};
    struct rng rng;
    rng_init(&rng, 7);
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kind = 0; kind < 5; kind++) {
            struct values *v = kind ? values_nst(2, 3, 2, (size_t)64 << 20, NULL) : values_mast(2, false);
            for (int round = 0; round < 400; round++) {
                learn_at_random(v, &rng, sizes[i],
                                kind == 2 && round == 300 ? WILD
                                : kind == 4               ? CLOSE
                                                          : USUAL);
                if (kind == 3 && round % 50 == 49) v->ops->decay(v, 0.3f);
                expect_best(v, &rng, sizes[i]);
            }
            v->ops->free(v);
        }
}

/* The which-th of a set is the which-th of its list, whatever the processor finds it with. */
static void elements_are_those_of_the_list(void **state)
{
    enum { WORDS = 5 };
    struct rng rng;
    rng_init(&rng, 3);
    for (int round = 0; round < 300; round++) {
        uint64_t set[WORDS];
        uint32_t list[WORDS * 64];
        for (uint32_t w = 0; w < WORDS; w++)
            set[w] = round % 3 == (int)w % 3 ? 0 : rng_next(&rng) | rng_next(&rng);
        uint32_t n = set_list(set, WORDS, list);
        assert_int_equal(set_first(set), list[0]);
        for (uint32_t i = 0; i < n; i++) assert_int_equal(set_element(set, WORDS, i), list[i]);
    }
}

/* N-grams as 000 §IV-B has them, in plain arrays. */
enum { FEW = 12 };
struct plain {
    struct {
        float mean, n;
    } one[FEW], two[FEW][FEW], three[FEW][FEW][FEW];
};

#define PLAIN_ADD(s, reward) ((s).n += 1, (s).mean += ((reward) - (s).mean) / (s).n)

static void plain_learn(struct plain roles[2], const struct episode *e)
{
    for (uint32_t r = 0; r < 2; r++) {
        float reward = e->reward[r];
        for (uint32_t t = e->steps; t-- > 0;) {
            const uint32_t *now = e->moves + 2 * (size_t)t, move = now[r];
            reward *= e->discount;
            PLAIN_ADD(roles[r].one[move], reward);
            if (t >= 1) PLAIN_ADD(roles[r].two[now[(int)!r - 2]][move], reward);
            if (t >= 2) PLAIN_ADD(roles[r].three[now[(int)r - 4]][now[(int)!r - 2]][move], reward);
        }
    }
}

static void plain_decay(struct plain *p, float gamma)
{
    for (uint32_t c = 0; c < FEW; c++) {
        p->one[c].n *= gamma;
        for (uint32_t b = 0; b < FEW; b++) {
            p->two[b][c].n *= gamma;
            for (uint32_t a = 0; a < FEW; a++) p->three[a][b][c].n *= gamma;
        }
    }
}

static float plain_score(const struct plain *p, uint32_t before, uint32_t last, uint32_t move, float k)
{
    float one = p->one[move].mean;
    float seen = k * (1 - 1e-5f);
    float two = p->two[last][move].n >= seen ? p->two[last][move].mean : -1;
    float three = p->three[before][last][move].n >= seen ? p->three[before][last][move].mean : -1;
    return mean_of_three(one, two, three);
}

/* Whether sequences ripen, are forgotten or come back: scores are those of the plain arrays, bit by bit until
 * counts decay for the first time; how often they have does not matter. */
static void ngrams_score_as_plain_arrays_do(void **state)
{
    struct rng rng;
    rng_init(&rng, 11);
    for (uint32_t k = 1; k < 8; k += 3) {
        uint32_t pause = k == 7 ? 5 : 100; /* between two times */
        float gamma = k == 7 ? 0.8f : 0.4f, most = 0;
        struct values *v = values_nst(2, 3, k, (size_t)64 << 20, NULL);
        struct plain *roles = calloc(2, sizeof *roles);
        for (uint32_t i = 0; i < 2 * FEW; i++) roles[i / FEW].one[i % FEW].mean = 100; /* as if it had won */
        for (int round = 0; round < 1500; round++) {
            uint32_t made[2 * 10];
            for (int i = 0; i < 2 * 10; i++) made[i] = rng_below(&rng, 1 + rng_below(&rng, FEW));
            float reward[2] = {(float)rng_below(&rng, 101), (float)rng_below(&rng, 101)};
            struct episode e = episode(2, 10, made, reward);
            e.discount = 0.99f;
            v->ops->expect(v, &e);
            v->ops->learn(v, &e);
            plain_learn(roles, &e);
            if (round % pause == pause - 1) {
                v->ops->decay(v, gamma);
                for (int r = 0; r < 2; r++) plain_decay(&roles[r], gamma);
                most = 0.01f;
            }
            uint32_t before[2], last[2], role = rng_below(&rng, 2), move = rng_below(&rng, FEW);
            for (int r = 0; r < 2; r++) before[r] = rng_below(&rng, FEW), last[r] = rng_below(&rng, FEW);
            float expected = plain_score(&roles[role], before[role], last[!role], move, (float)k);
            assert_true(fabsf(score_of(v, role, 2, before, last, move) - expected) <= most);
        }
        v->ops->free(v);
        free(roles);
    }
}

/* A pair that was seen seven times and has faded is ripe no more, whatever counts are divided by meanwhile:
 * in rows, too, where a ceiling tells that it is. By itself each move has brought 50, after A 100. */
static void pairs_wither_whatever_has_faded_before(void **state)
{
    enum { KNOWN = 64, FRESH = 400, K = 7 };
    (void)state;
    struct values *v = values_nst(1, 2, K, (size_t)64 << 20, NULL);
    float reward[1];
    uint32_t moves[2], last[1] = {0}, other[1] = {1};
    struct episode e = episode(1, 2, moves, reward);
    for (uint32_t i = 0; i < KNOWN * K * 2; i++) { /* so many that what follows is a row */
        moves[0] = 0, moves[1] = 2 + i % KNOWN, reward[0] = 100;
        v->ops->learn(v, &e);
    }
    for (uint32_t i = 0; i < FRESH; i++) {
        uint32_t move = 2 + KNOWN + i;
        for (uint32_t k = 0; k < 2 * K; k++) {
            moves[0] = k % 2, moves[1] = move, reward[0] = k % 2 ? 0 : 100;
            v->ops->learn(v, &e);
        }
        assert_float_equal(score_of(v, 0, 1, last, last, move), 75, 0.01);
        assert_float_equal(score_of(v, 0, 1, other, other, move), 25, 0.01);
        v->ops->decay(v, 0.9f + 0.0002f * (float)i);
        assert_float_equal(score_of(v, 0, 1, last, last, move), 50, 0.01);
        assert_float_equal(score_of(v, 0, 1, other, other, move), 50, 0.01);
    }
    v->ops->free(v);
}

/* 000 §IV-C and figure 3: Black wins the first simulation and loses the second. */
static void good_replies_are_stored_and_forgotten(void **state)
{
    struct lgr *l = lgr_new(2);
    /* white: C, noop, D, noop ...; black: noop, B, noop, A */
    static const uint32_t first[] = {C, NOOP, NOOP, B, D, NOOP, NOOP, A},
                          second[] = {B, NOOP, NOOP, C, D, NOOP, NOOP, A};
    static const float black_wins[] = {0, 100}, white_wins[] = {100, 0};
    struct episode e1 = episode(2, 4, first, black_wins), e2 = episode(2, 4, second, white_wins);
    static const uint32_t legal[] = {A, B, C, D};
    uint32_t after_c[] = {C, NOOP}, after_d[] = {D, NOOP}, after_b[] = {B, NOOP};
    struct situation s = {.role = 1, .nroles = 2, .last = after_d};
    lgr_learn(l, &e1);
    assert_int_equal(lgr_reply(l, &s, legal, 4), 0); /* D -> A */
    s.last = after_c;
    assert_int_equal(lgr_reply(l, &s, legal, 4), 1); /* C -> B */
    struct situation white = {.role = 0, .nroles = 2, .last = (uint32_t[]){NOOP, B}};
    assert_int_equal(lgr_reply(l, &white, legal, 4), MOVE_NONE); /* nothing for the loser */
    lgr_learn(l, &e2);
    s.last = after_d;
    assert_int_equal(lgr_reply(l, &s, legal, 4), MOVE_NONE); /* D -> A occurred in a loss */
    s.last = after_c;
    assert_int_equal(lgr_reply(l, &s, legal, 4), 1); /* C -> B did not */
    s.last = after_b;
    assert_int_equal(lgr_reply(l, &s, legal, 4), MOVE_NONE);
    assert_int_equal(lgr_reply(l, &white, legal, 4),
                     MOVE_NONE); /* white's reply to B is not in the second simulation */
    white.last = (uint32_t[]){NOOP, C};
    assert_int_equal(lgr_reply(l, &white, legal, 4), 3); /* C -> D won */
    static const uint32_t without[] = {A, B, C};
    assert_int_equal(lgr_reply(l, &white, without, 3), MOVE_NONE); /* stored, but not legal here */
    lgr_free(l);
}

static void two_move_replies_go_first(void **state)
{
    struct lgr *l = lgr_new(1);
    static const uint32_t first[] = {A, B, C}, second[] = {D, B, A};
    static const float reward[] = {100};
    struct episode e1 = episode(1, 3, first, reward), e2 = episode(1, 3, second, reward);
    lgr_learn(l, &e1);
    lgr_learn(l, &e2);
    static const uint32_t legal[] = {A, C}, a[] = {A}, b[] = {B};
    struct situation s = {.role = 0, .nroles = 1, .last = b, .before = a};
    assert_int_equal(lgr_reply(l, &s, legal, 2), 1); /* (A, B) -> C although B -> A is newer */
    s.before = NULL;
    assert_int_equal(lgr_reply(l, &s, legal, 2), 0);
    lgr_free(l);
}

/* States are sets of bits, or lists of numbers. */
static void past_learns(bool listed)
{
    struct values *v = values_past(1, 3, 50, listed);
    static const uint32_t moves[] = {A}, start[] = {0, 1};
    static const uint64_t sets[] = {1, 3, 4}, lists[] = {1, 1 | (uint64_t)2 << 32, 3};
    const uint64_t *one = listed ? lists : sets, *both = one + 1, *other = one + 2;
    float reward[] = {80};
    struct episode e = episode(1, 1, moves, reward);
    e.state_start = start;
    e.states = one;
    struct situation s = {.role = 0, .nroles = 1, .state = one, .state_words = 1};
    float out;
    for (int i = 0; i < 2; i++) v->ops->learn(v, &e);
    v->ops->score(v, &s, moves, 1, &out);
    assert_float_equal(out, 50, 0); /* two samples are too few */
    v->ops->learn(v, &e);
    v->ops->score(v, &s, moves, 1, &out);
    assert_float_equal(out, 80, 1e-3);
    reward[0] = 20;
    e.states = both; /* fact 0: 80 80 80 20, fact 1: 20 */
    v->ops->learn(v, &e);
    s.state = both;
    v->ops->score(v, &s, moves, 1, &out);
    assert_float_equal(out, 65, 1e-3); /* fact 1 counts as 50 until it has three samples */
    s.state = other;
    v->ops->score(v, &s, moves, 1, &out);
    assert_float_equal(out, 50, 0);
    v->ops->free(v);
}

static void past_takes_the_best_fact_seen_often_enough(void **state)
{
    (void)state;
    past_learns(false);
    past_learns(true);
}

static void frequencies(const struct sampler *s, const float *scores, uint32_t n, double *out)
{
    enum { DRAWS = 200000 };
    struct rng rng;
    rng_init(&rng, 5);
    for (uint32_t i = 0; i < n; i++) out[i] = 0;
    for (int i = 0; i < DRAWS; i++) out[sampler_draw(s, &rng, scores, n)] += 1.0 / DRAWS;
}

/* Worked out by hand: e^5, e^6, e^4 and e^7.5 of their sum, 2414.48. */
static void gibbs_draws_by_its_formula(void **state)
{
    static const float scores[] = {50, 60, 40, 75};
    static const double expected[] = {0.0615, 0.1671, 0.0226, 0.7488};
    struct sampler s = {SAMPLE_GIBBS, 10, 0};
    double f[4];
    frequencies(&s, scores, 4, f);
    for (int i = 0; i < 4; i++) assert_float_equal(f[i], expected[i], 0.005);
    s.tau = 1e6f; /* hot: all the same */
    frequencies(&s, scores, 4, f);
    for (int i = 0; i < 4; i++) assert_float_equal(f[i], 0.25, 0.005);
    s.tau = 0.5f; /* cold: the best */
    frequencies(&s, scores, 4, f);
    assert_float_equal(f[3], 1, 1e-9);
}

static void greedy_draws_by_its_formula(void **state)
{
    static const float scores[] = {50, 75, 40, 75};
    struct sampler s = {SAMPLE_GREEDY, 10, 0.2f};
    double f[4];
    frequencies(&s, scores, 4, f);
    assert_float_equal(f[0], 0.05, 0.005);
    assert_float_equal(f[1], 0.05 + 0.4, 0.005); /* ties are shared */
    assert_float_equal(f[2], 0.05, 0.005);
    assert_float_equal(f[3], 0.05 + 0.4, 0.005);
}

/* Learn `plays` times, then once more with a reward of 0: the mean tells how much the earlier visits still
 * weigh. */
static float mean_after(struct values *v, float reward_last)
{
    static const uint32_t moves[] = {A};
    float reward[] = {reward_last};
    struct episode e = episode(1, 1, moves, reward);
    v->ops->learn(v, &e);
    return score_of(v, 0, 1, NULL, NULL, A);
}

static void decay_weakens_old_samples(void **state)
{
    for (int scheme = 0; scheme < 2; scheme++) {
        struct values *v = scheme ? values_nst(1, 3, 7, (size_t)64 << 20, NULL) : values_mast(1, false);
        for (int i = 0; i < 10; i++) mean_after(v, 100);
        v->ops->decay(v, 0.4f);                         /* 10 visits become 4 */
        assert_float_equal(mean_after(v, 0), 80, 1e-3); /* 400 / 5 */
        v->ops->decay(v, 0);                            /* forgotten: unseen again */
        assert_float_equal(score_of(v, 0, 1, NULL, NULL, A), 100, 0);
        mean_after(v, 60);
        static const uint32_t twice[] = {A, A};
        static const float reward[] = {60};
        struct episode e = episode(1, 2, twice, reward);
        v->ops->decay_episode(v, &e, 0.5f); /* occurs twice: 1 visit becomes 1/4 */
        assert_float_equal(mean_after(v, 0), 60 * 0.25 / 1.25, 1e-3);
        v->ops->free(v);
    }
}

static void decay_comes_when_it_should(void **state)
{
    static const uint32_t moves[] = {A};
    static const float reward[] = {100}, zero[] = {0};
    struct episode e = episode(1, 1, moves, reward), z = episode(1, 1, moves, zero);
    struct policy p = {.values = values_mast(1, false),
                       .decay = {.move = 0.5f, .batch = 0.5f, .batch_size = 4, .simulation = 1}};
    for (int i = 0; i < 4; i++) policy_learn(&p, &e); /* after the fourth: 4 -> 2 */
    policy_learn(&p, &z);
    assert_float_equal(score_of(p.values, 0, 1, NULL, NULL, A), 200.0 / 3, 1e-3);
    policy_moved(&p); /* 3 -> 1.5 */
    policy_learn(&p, &z);
    assert_float_equal(score_of(p.values, 0, 1, NULL, NULL, A), 100.0 / 2.5, 1e-3);
    policy_done(&p);
}

static void rave_weight_is_the_thesis_formula(void **state)
{
    assert_float_equal(select_beta(RAVE_SHORT, 500, 500), 0.5, 1e-6);
    assert_float_equal(select_beta(RAVE_SHORT, 500, 49500), 0.01, 1e-6);
    assert_float_equal(select_beta(RAVE_THESIS, 500, 0), 1, 1e-6);
    assert_float_equal(select_beta(RAVE_THESIS, 500, 500), 0.5, 1e-6); /* sqrt(k / (3 n + k)) */
    assert_float_equal(select_beta(RAVE_THESIS, 1000, 250), 0.755929, 1e-6);
    /* what the formula is for: trust in RAVE fades with visits */
    for (uint32_t n = 1; n < 10000; n *= 3)
        assert_true(select_beta(RAVE_THESIS, 500, n) < select_beta(RAVE_THESIS, 500, n - 1));
}

/* 002 §5.1.1: terminal states at depths 20 to 50 give 30; the count starts where the tree was left. */
static void cutoff_example_of_the_thesis(void **state)
{
    struct cutoff_sample s = {.games = 100, .first_terminal = 20, .last_terminal = 50};
    struct cutoff c = cutoff_decide(&s, 2, 1000, 10);
    assert_int_equal(c.kind, CUT_TERMINAL_INTERVAL);
    assert_int_equal(c.steps, 30);
    assert_int_equal(8 + c.steps, 38); /* leaving the tree at depth 8 */
    s.last_terminal = 29;              /* too narrow to be worth it */
    assert_int_equal(cutoff_decide(&s, 2, 1000, 10).kind, CUT_NEVER);
    s.stability = 250; /* Checkers in the thesis: stable goals go first */
    s.first_change = 13;
    c = cutoff_decide(&s, 2, 1000, 10);
    assert_int_equal(c.kind, CUT_GOAL_STABLE);
    assert_int_equal(c.steps, 15);
    s.last_terminal = 50; /* but not before those that end late would be broken off */
    c = cutoff_decide(&s, 2, 1000, 10);
    assert_int_equal(c.kind, CUT_GOAL_STABLE);
    assert_int_equal(c.steps, 30);
    s.first_change = 40;
    assert_int_equal(cutoff_decide(&s, 2, 1000, 10).steps, 42);
    s.last_terminal = 29;
    s.stability = 3000; /* Othello */
    assert_int_equal(cutoff_decide(&s, 2, 1000, 10).kind, CUT_NEVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mast_averages_all_occurrences),
        cmocka_unit_test(tree_only_mast_stops_at_the_border),
        cmocka_unit_test(rewards_are_discounted_by_distance_from_the_end),
        cmocka_unit_test(ngrams_follow_role_numbers),
        cmocka_unit_test(ngrams_follow_who_moved),
        cmocka_unit_test(a_way_is_for_its_role_alone),
        cmocka_unit_test(longer_ngrams_wait_for_k_visits),
        cmocka_unit_test(the_best_of_a_set_score_highest),
        cmocka_unit_test(elements_are_those_of_the_list),
        cmocka_unit_test(ngrams_score_as_plain_arrays_do),
        cmocka_unit_test(pairs_wither_whatever_has_faded_before),
        cmocka_unit_test(good_replies_are_stored_and_forgotten),
        cmocka_unit_test(two_move_replies_go_first),
        cmocka_unit_test(past_takes_the_best_fact_seen_often_enough),
        cmocka_unit_test(gibbs_draws_by_its_formula),
        cmocka_unit_test(greedy_draws_by_its_formula),
        cmocka_unit_test(decay_weakens_old_samples),
        cmocka_unit_test(decay_comes_when_it_should),
        cmocka_unit_test(rave_weight_is_the_thesis_formula),
        cmocka_unit_test(cutoff_example_of_the_thesis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
