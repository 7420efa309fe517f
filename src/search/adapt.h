/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What differs from simulation to simulation of a hand, and what is learned from that.
 *
 *     control group ── one simulation in so many plays out uniformly, everybody in it ── what guided playouts
 *                      say against what those say: when that runs away, guidance has learned nonsense
 *     factors ──────── epsilon, length of N-grams, C, RAVE's parameter: each a bandit of its own, drawn anew
 *                      for every simulation, for the role that is played or for each role by its own rewards;
 *                      then the others' draws are noise that evens out
 *
 * Both kinds go down the same tree and into it, and everybody learns from them. */
#ifndef SEARCH_ADAPT_H
#define SEARCH_ADAPT_H

#include "search/policy.h"

/* What is done when the values of guided playouts run away: nothing, the tables are forgotten, playouts are
 * uniform for the rest of the match. */
enum alarm { ALARM_OFF, ALARM_FORGET, ALARM_UNIFORM };

enum adapt_roles { ADAPT_NOBODY, ADAPT_OWN, ADAPT_EACH };
enum adapt_what { ADAPT_PLAYOUT, ADAPT_TREE, ADAPT_BOTH };
enum adapt_factor { ADAPT_EPSILON, ADAPT_GRAMS, ADAPT_C, ADAPT_RAVE, ADAPT_FACTORS };
_Static_assert((int)ADAPT_FACTORS == (int)WAY_FACTORS, "a way has a place for each factor");
enum { ADAPT_ARMS = 4 };

struct adapt_arm {
    double n, sum; /* faded: simulations that have ended, and their rewards */
    uint64_t drawn;
};

/* Means of two kinds of simulations, fading. */
struct drift {
    double n[2], mean[2]; /* guided, uniform */
};

struct adapt {
    bool off; /* of a hand: playouts are uniform now */
    uint32_t role;
    uint32_t control; /* one simulation in so many; 0: none */
    enum alarm alarm;
    enum adapt_roles who;
    enum adapt_what what;
    /* of a hand */
    uint64_t launched;
    struct drift drift;
    uint32_t alarms; /* so far */
    double length;   /* of playouts, in the mean */
    struct adapt_arm arm[WAY_ROLES][ADAPT_FACTORS][ADAPT_ARMS];
};

struct hand;

/* The way of a simulation that begins. False: it has none of its own. */
bool adapt_draw(struct hand *h, struct way *way);
/* It has ended, with these rewards by role, after so many playout moves. */
void adapt_learn(struct hand *h, const struct way *way, const float *reward, uint32_t steps);
/* The value of an arm; the first arm is what the options say. */
float adapt_value(const struct hand *h, enum adapt_factor f, uint32_t arm);
/* The arm that a factor of the role that is played leans to. */
uint32_t adapt_favourite(const struct adapt *a, enum adapt_factor f);
extern const char *const adapt_names[ADAPT_FACTORS];

#endif
