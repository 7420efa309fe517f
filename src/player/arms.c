// SPDX-License-Identifier: GPL-3.0-or-later
/* What is expected comes from matches by the clock in some twenty games (docs/strength.md); there is no more
 * behind it than that. */
#include "player/arms.h"

#include <math.h>

static double as_it_is(const struct arm_signs *signs)
{
    (void)signs;
    return 0.5;
}

/* Looking at everything and judging by what was learned beats sampling where pieces move about, the more the
 * better random games end as material says; but not where playouts see wins coming, and seldom where stones
 * stay where they are put. With an evaluation made for games of this shape it beats it anyhow. */
static double minimax(const struct arm_signs *signs)
{
    double expected = 0.45;
    if (signs->shaped || signs->travels) expected = signs->foreseen && !signs->shaped ? 0.48 : 0.65;
    return expected + 0.3 * fmin(signs->explains, 0.4);
}

/* For three and more: by far the best where what is left to do can be counted, the more so where playouts
 * come to nothing, else no better than sampling. */
static double best_reply(const struct arm_signs *signs)
{
    double expected = !signs->shaped ? 0.4 : signs->decided < 0.2 ? 0.8 : 0.65;
    return expected + 0.1 * fmin(signs->explains, 0.4);
}

static double within(double least, double x, double most)
{
    return fmin(most, fmax(least, x));
}

/* As much as can be expected of uniform playouts: what a move is worth must hang little on what comes
 * between. They seldom pay where pieces move about, and never where they are turned. */
static double at_best(const struct arm_signs *signs, double still)
{
    return signs->turns ? 0.25 : signs->travels ? 0.35 : still;
}

/* Uniform playouts pay where they are much faster than guided ones, and not always there: by far in five of
 * eight such games, and lost by far in the others. */
static double uniform(const struct arm_signs *signs)
{
    return within(0.25, 0.25 + 0.2 * log2(signs->speed), at_best(signs, 0.47));
}

/* Better in two of fourteen games, where minimax is better still: not worth a match by the clock. */
static double cutoff(const struct arm_signs *signs)
{
    return signs->speed < 0.5 ? 0.3 : 0.4;
}

/* Eight playouts for one flatter it in short matches; by the clock it was never the best, and its matches are
 * better played by others. */
static double wires(const struct arm_signs *signs)
{
    return within(0.2, 0.37 + 0.1 * log2(2 * signs->speed), 0.4);
}

static double many(const struct arm_signs *signs)
{
    return within(0.2, 0.42 + 0.2 * log2(signs->speed), at_best(signs, 0.48));
}

/* Seeing wins come is worth more than the time it takes, unless it takes very much. */
static double plain(const struct arm_signs *signs)
{
    return within(0.3, 0.4 + 0.1 * log2(signs->speed), 0.5);
}

/* A tree that knows what positions seem worth is well ahead of one that does not where pieces move about (and
 * behind minimax where random games end as material says, and playouts do not see wins coming), and often
 * behind where stones stay where they are put. Where both choose at once little is known of it. */
static double judged(const struct arm_signs *signs)
{
    double explains = fmin(signs->explains, 0.4);
    if (signs->at_once) return 0.5;
    if (!signs->travels) return 0.42 + 0.3 * explains;
    return (signs->foreseen ? 0.65 : 0.66) + 0.1 * explains;
}

#define ANY 2, UINT32_MAX

const struct arm player_arms[] = {
    {"own", "", ANY, as_it_is, 0},
    {"minimax", "kind=minimax,minimax=alphabeta", 2, 2, minimax, 0.1},
    {"brs", "kind=minimax,minimax=brs", 3, UINT32_MAX, best_reply, 0.1},
    {"rave", "playout=uniform", ANY, uniform, 0.15},
    {"cutoff", "playout=mast+fast,sampler=gibbs,tau=10,weight=1,cutoff=on,urgency=on,decisive=off", ANY,
     cutoff, 0},
    {"wires", "playout=nst:wires,sampler=greedy,epsilon=0.5,decisive=off", ANY, wires, 0},
    {"many", "playout=uniform:wires,decisive=off", ANY, many, 0.08},
    {"plain", "decisive=off", ANY, plain, 0},
    {"judge", "implicit=0.6,horizon=24,urgency=rave", 2, 2, judged, 0.1},
};

uint32_t player_arms_count(void)
{
    return sizeof player_arms / sizeof *player_arms;
}

bool player_arm_apply(struct player_config *config, uint32_t arm, struct error *error)
{
    return player_config_apply(config, player_arms[arm].options, error);
}
