/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a rule sheet consists of and which parts of the language it uses. Needs no playing. */
#ifndef ANALYSIS_FEATURES_H
#define ANALYSIS_FEATURES_H

#include "game/game.h"

enum feature {
    FEATURE_NEGATION,
    FEATURE_RECURSION,
    FEATURE_FUNCTIONS, /* compound terms other than facts and moves: (succ (s ?x) ?y), (true (at (pos 1 1)))
                        */
    FEATURE_NESTED,    /* ... one inside the other */
    FEATURE_OR,
    FEATURE_DISTINCT,
    FEATURE_BASE,
    FEATURE_INPUT,
    FEATURE_COUNT
};
extern const char *const feature_names[FEATURE_COUNT];

struct features {
    uint32_t bytes, rules, facts; /* rules: with a body; disjunctions count as often as they have cases */
    uint32_t relations, static_relations, state_relations, move_relations; /* without the keywords */
    bool uses[FEATURE_COUNT];
};

struct features features_of(const struct game *game);

#endif
