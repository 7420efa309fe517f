// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/space.h"

struct space *space_new(struct reasoner *reasoner, const struct code *code, const struct state *root,
                        bool exact, size_t memory, uint64_t seed, struct error *error)
{
    return code ? space_circuit(reasoner, code, root, exact, seed, error)
                : space_lifted(reasoner, root, exact, memory, seed, error);
}

void space_free(struct space *s)
{
    if (s) s->ops->free(s);
}
