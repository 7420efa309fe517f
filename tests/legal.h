/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_LEGAL_H
#define TESTS_LEGAL_H

#include "testing.h"

#include "game/reasoner.h"

static inline bool legal_in(struct reasoner *r, const struct state *s, uint32_t role, uint32_t move)
{
    struct list legal = {0};
    bool found = false;
    assert_true(r->ops->legal(r, s, role, &legal));
    for (uint32_t i = 0; i < legal.n; i++) found |= legal.v[i] == move;
    list_done(&legal);
    return found;
}

#endif
