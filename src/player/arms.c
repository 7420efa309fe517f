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
 * better random games end as material says; less so where playouts see wins coming, and seldom where stones
 * stay where they are put. It has one thread. */
static double minimax(const struct arm_signs *signs)
{
    double expected = signs->travels ? (signs->foreseen ? 0.55 : 0.65) : 0.45;
    return expected + 0.3 * fmin(signs->explains, 0.4) - 0.03 * log2(signs->threads);
}

/* Uniform playouts pay where they are much faster than guided ones, and not always there. */
static double uniform(const struct arm_signs *signs)
{
    return fmin(0.55, fmax(0.25, 0.25 + 0.25 * log2(signs->speed)));
}

/* Rarely better than guided ones; when it is, by far. */
static double cutoff(const struct arm_signs *signs)
{
    return signs->speed < 0.5 ? 0.3 : 0.4;
}

const struct arm player_arms[] = {
    {"own", "", as_it_is},
    {"minimax", "kind=minimax,minimax=alphabeta", minimax},
    {"rave", "playout=uniform", uniform},
    {"cutoff", "playout=mast+fast,sampler=gibbs,tau=10,weight=1,cutoff=on,urgency=on,decisive=off", cutoff},
};

uint32_t player_arms_count(void)
{
    return sizeof player_arms / sizeof *player_arms;
}

bool player_arm_apply(struct player_config *config, uint32_t arm, struct error *error)
{
    return player_config_apply(config, player_arms[arm].options, error);
}
