// SPDX-License-Identifier: GPL-3.0-or-later
#include "game/movers.h"

#include "base/clock.h"
#include "game/playout.h"

#include <stdlib.h>

enum {
    GAMES = 12,
    STEPS = 300,  /* of a game */
    STATES = 1500 /* in all */
};

#define NOBODY UINT32_MAX

/* What was seen so far. */
struct watch {
    struct movers *movers;
    uint32_t chooser; /* of the state before; NOBODY: it had none */
    bool odd;         /* somebody was followed by another than the next role */
    bool together;    /* several had a choice at once */
};

/* The only role with a choice; NOBODY if there is none; nroles if there are several. */
static uint32_t chooser(const struct playout *p, uint32_t nroles)
{
    uint32_t found = NOBODY;
    for (uint32_t r = 0; r < nroles; r++)
        if (p->legal[r].n > 1) found = found == NOBODY ? r : nroles;
    return found;
}

static void look(struct watch *w, const struct playout *p)
{
    struct movers *m = w->movers;
    uint32_t who = chooser(p, m->nroles);
    w->together |= who == m->nroles;
    if (who != NOBODY && w->chooser != NOBODY) w->odd |= (w->chooser + 1) % m->nroles != who;
    w->chooser = who;
    if (who == NOBODY) return;
    /* The first is as good as any: who waits always waits in the same way. */
    for (uint32_t r = 0; r < m->nroles; r++)
        if (r != who && m->idle[r] == UINT32_MAX) m->idle[r] = p->legal[r].v[0];
}

static bool watch_game(struct watch *w, struct playout *p, uint32_t game, double end, uint32_t *states)
{
    if (!playout_begin(p, 1, game)) return false;
    w->chooser = NOBODY;
    while (!p->terminal && !w->together && p->ply < STEPS && *states < STATES) {
        if (end > 0 && clock_now() > end) return false;
        look(w, p);
        playout_choose(p);
        if (!playout_move(p)) return false;
        ++*states;
    }
    return true;
}

struct movers *movers_find(struct reasoner *reasoner, double seconds, bool *done)
{
    uint32_t nroles = reasoner->game->nroles, states = 0;
    double end = seconds > 0 ? clock_now() + seconds : 0;
    struct watch w = {.movers = malloc(sizeof *w.movers + nroles * sizeof *w.movers->idle)};
    struct playout p;
    *done = true;
    if (!w.movers) return NULL;
    w.movers->nroles = nroles;
    for (uint32_t r = 0; r < nroles; r++) w.movers->idle[r] = UINT32_MAX;
    bool good = playout_init(&p, reasoner);
    for (uint32_t g = 0; good && g < GAMES && !w.together && states < STATES; g++)
        good = watch_game(&w, &p, g, end, &states);
    if (!good && end > 0 && clock_now() > end) *done = false;
    playout_done(&p);
    if (good && w.odd && !w.together && nroles > 1) return w.movers;
    free(w.movers);
    return NULL;
}
