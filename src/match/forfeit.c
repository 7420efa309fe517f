// SPDX-License-Identifier: GPL-3.0-or-later
#include "match/forfeit.h"

#include <string.h>

bool forfeit_parse(const char *text, uint32_t *rules, struct error *error)
{
    static const struct {
        const char *name;
        uint32_t rules;
    } known[] = {
        {"late", FORFEIT_LATE}, {"illegal", FORFEIT_ILLEGAL}, {"any", FORFEIT_LATE | FORFEIT_ILLEGAL}};
    *rules = 0;
    if (!text) return true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(text, known[i].name) == 0) return *rules = known[i].rules, true;
    return error_set(error, ERROR_INPUT, "--forfeit is late, illegal or any, not '%.60s'", text);
}

bool forfeit_check(struct match *m)
{
    for (uint32_t i = 0; i < m->nremarks && m->forfeit_rules; i++) {
        uint32_t rule = m->remarks[i].kind == MATCH_ILLEGAL ? FORFEIT_ILLEGAL : FORFEIT_LATE;
        if (m->forfeit_rules & rule) m->forfeits |= (uint64_t)1 << m->remarks[i].role;
    }
    return m->forfeits != 0;
}

void forfeit_goals(struct match *m)
{
    for (uint32_t r = 0; r < m->game->nroles && m->forfeits; r++)
        m->goals[r] = m->forfeits >> r & 1 ? 0 : 100;
}

bool forfeit_mute(const struct match *m, uint32_t role)
{
    uint32_t own = 0;
    for (uint32_t i = 0; i < m->nsteps; i++) own += m->steps[i].error[role] == MATCH_FINE;
    return m->nsteps > 0 && own == 0;
}
