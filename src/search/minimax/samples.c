// SPDX-License-Identifier: GPL-3.0-or-later
/* Every few sweeps the positions of all lanes are kept; they wait in their lane until its game is over. What
 * waits in a lane whose game goes on for too long is thrown away.
 *
 * With a guide a game has some lanes: they stand in the same position, each makes a random move, and where
 * its mover likes it best all go on. Positions are kept of the first of them. Where several choose at once
 * one of them, drawn, is the mover, and the others make the same move in all lanes: it chooses among its own
 * moves, not among their mistakes. */
#include "search/minimax/samples.h"

#include "base/rng.h"
#include "search/minimax/evaluate.h"

#include <stdlib.h>
#include <string.h>

#define WAITING 8u     /* positions of one game at most, where nobody says how many */
#define TOO_LONG 2000u /* moves */
#define FEW 200u       /* less is of no use */
#define TRIES 4u       /* moves that a guide chooses among, likewise */
#define TABLE_BYTES ((size_t)256 << 20)

struct lane {
    uint32_t steps, seen, n; /* moves made; positions it was shown, and kept */
};

struct play {
    struct batch *b;
    struct batch *ahead; /* which moves win; NULL: nobody looks */
    uint64_t *wins;      /* scratch: sets of them, of all lanes; how many; moves of one lane */
    uint32_t *winning, *listed;
    const struct evaluator *guide;
    uint32_t
        *mover;   /* by game, with a guide: whose choice it is, and was in the last move; nroles: nobody's */
    bool *beside; /* by game: others have a choice, too */
    struct samples *s;
    struct rng rng;
    struct lane *lanes;
    uint64_t *kept, *states; /* waiting positions: lane * waiting + i; scratch */
    int16_t *kept_now, *goals;
    uint16_t *kept_moves;
    uint64_t *sets;   /* scratch: legal moves of all lanes */
    uint32_t *counts; /* scratch: role * lanes + lane */
    uint32_t *kept_step;
    uint32_t wanted, waiting, tries;
};

void samples_done(struct samples *s)
{
    free(s->states);
    free(s->now);
    free(s->moves);
    free(s->outcome);
    free(s->step);
    *s = (struct samples){0};
}

/* Of the lanes of a game the first. */
static bool leads(const struct play *p, uint32_t lane)
{
    return !p->guide || lane % p->tries == 0;
}

/* All lanes' positions, each with its chance: a lane keeps p->waiting of those it is shown. */
static void keep(struct play *p)
{
    uint32_t words = p->s->words, nroles = p->s->nroles;
    uint64_t all[BATCH_MAX_WORDS];
    memset(all, 0xff, sizeof all);
    batch_get_states(p->b, p->b->lanes, p->states);
    if (p->s->now) {
        batch_park(p->b, all);
        batch_collect_goals(p->b, p->goals, NULL);
    }
    for (uint32_t role = 0; role < nroles && p->s->moves; role++)
        batch_legal_sets(p->b, role, p->sets, p->counts + role * p->b->lanes);
    for (uint32_t lane = 0; lane < p->b->lanes; lane++) {
        struct lane *l = &p->lanes[lane];
        uint32_t to = l->n < p->waiting ? l->n : rng_below(&p->rng, l->seen + 1);
        l->seen++;
        if (p->b->terminal[lane / 64] >> lane % 64 & 1 || to >= p->waiting || !leads(p, lane)) continue;
        if (to == l->n) l->n++;
        size_t row = (size_t)lane * p->waiting + to;
        memcpy(p->kept + row * words, p->states + (size_t)lane * words, words * sizeof *p->kept);
        p->kept_step[row] = l->steps;
        for (uint32_t role = 0; role < nroles && p->s->moves; role++) {
            uint32_t n = p->counts[role * p->b->lanes + lane];
            p->kept_moves[row * nroles + role] = (uint16_t)(n < UINT16_MAX ? n : UINT16_MAX);
        }
        if (p->s->now)
            memcpy(p->kept_now + row * nroles, p->goals + (size_t)lane * nroles, nroles * sizeof *p->goals);
    }
}

static void finish(struct play *p, uint32_t lane)
{
    struct lane *l = &p->lanes[lane];
    struct samples *s = p->s;
    const int16_t *goals = p->goals + (size_t)lane * s->nroles;
    bool sound = true;
    for (uint32_t role = 0; role < s->nroles; role++) sound &= goals[role] != BATCH_GOAL_UNDEFINED;
    for (uint32_t i = 0; i < l->n && sound && s->n < p->wanted; i++, s->n++) {
        size_t row = (size_t)lane * p->waiting + i;
        memcpy(s->states + (size_t)s->n * s->words, p->kept + row * s->words, s->words * sizeof *s->states);
        memcpy(s->outcome + (size_t)s->n * s->nroles, goals, s->nroles * sizeof *goals);
        s->step[s->n] = p->kept_step[row];
        if (s->moves)
            memcpy(s->moves + (size_t)s->n * s->nroles, p->kept_moves + row * s->nroles,
                   s->nroles * sizeof *s->moves);
        if (s->now)
            memcpy(s->now + (size_t)s->n * s->nroles, p->kept_now + row * s->nroles,
                   s->nroles * sizeof *goals);
    }
}

/* The role makes this move in the lane, everybody else the only one there is; false: somebody has a choice.
 */
static bool move_alone(struct play *p, uint32_t lane, uint32_t role, uint32_t move)
{
    uint32_t nroles = p->s->nroles, *listed = p->listed;
    for (uint32_t r = 0; r < nroles; r++)
        if (r != role && batch_legal(p->b, lane, r, listed) != 1) return false;
    for (uint32_t r = 0; r < nroles; r++) {
        if (r != role) batch_legal(p->b, lane, r, listed);
        batch_set_move(p->b, lane, r, r == role ? move : listed[0]);
    }
    return true;
}

/* Lanes in which somebody wins at once make that move and are taken out of the mask. */
static void take_wins(struct play *p, uint64_t *on)
{
    struct batch *b = p->b, *ahead = p->ahead;
    batch_set_all(ahead, batch_state_wires(b));
    batch_view(ahead);
    for (uint32_t role = 0; role < p->s->nroles; role++) {
        uint32_t words = batch_set_words(ahead, role);
        batch_legal_sets(ahead, role, p->wins, p->winning);
        for (uint32_t lane = 0; lane < b->lanes; lane++) {
            uint64_t bit = 1ull << lane % 64;
            if (!p->winning[lane] || !(on[lane / 64] & bit)) continue;
            const uint64_t *set = p->wins + (size_t)lane * words;
            uint32_t w = 0;
            while (!set[w]) w++;
            if (move_alone(p, lane, role, w * 64 + (uint32_t)__builtin_ctzll(set[w]))) on[lane / 64] &= ~bit;
        }
    }
}

/* Where of the lanes of a game its last mover likes it best. */
static uint32_t favourite(const struct play *p, uint32_t first, uint32_t mover)
{
    uint32_t words = p->s->words, nroles = p->s->nroles, best = first;
    float most = -1, v[MINIMAX_MAX_ROLES];
    for (uint32_t lane = first; lane < first + p->tries; lane++) {
        const int16_t *goals = p->goals + (size_t)lane * nroles;
        bool end = p->b->terminal[lane / 64] >> lane % 64 & 1;
        struct place here = {.state = p->states + (size_t)lane * words,
                             .words = words,
                             .goals = p->guide->wants_goals ? goals : NULL};
        if (!end) p->guide->values(p->guide, &here, v);
        float value = end ? goals[mover] : v[mover];
        if (value > most) most = value, best = lane;
    }
    return best;
}

/* The lanes of a game go on from the same position. */
static void agree(struct play *p)
{
    struct batch *b = p->b;
    uint32_t words = p->s->words, nroles = p->s->nroles;
    uint64_t asked[BATCH_MAX_WORDS];
    for (uint32_t w = 0; w < b->words; w++) asked[w] = p->guide->wants_goals ? ~0ull : b->terminal[w];
    batch_get_states(b, b->lanes, p->states);
    if (batch_any(b, asked)) {
        batch_park(b, asked);
        batch_collect_goals(b, p->goals, NULL);
    }
    for (uint32_t first = 0; first < b->lanes; first += p->tries) {
        uint32_t mover = p->mover[first / p->tries];
        uint32_t best = mover < nroles ? favourite(p, first, mover) : first;
        uint64_t *row = p->states + (size_t)best * words;
        for (uint32_t lane = first; lane < first + p->tries; lane++)
            if (lane != best) memcpy(p->states + (size_t)lane * words, row, words * sizeof *row);
    }
    batch_put_states(b, b->lanes, p->states);
    batch_view(b);
    for (uint32_t first = 0; first < b->lanes; first += p->tries) {
        uint32_t choosers = 0, mover = nroles;
        for (uint32_t role = 0; role < nroles; role++)
            if (batch_legal(b, first, role, p->listed) > 1 &&
                (++choosers == 1 || rng_below(&p->rng, choosers) == 0))
                mover = role;
        p->mover[first / p->tries] = mover;
        p->beside[first / p->tries] = choosers > 1;
    }
}

/* Games in which several choose make their moves and are taken out of the mask: the mover's are drawn lane by
 * lane, those of the others once for all. */
static void choose_beside(struct play *p, uint64_t *on)
{
    for (uint32_t first = 0; first < p->b->lanes; first += p->tries) {
        uint64_t lanes = ((1ull << p->tries) - 1) << first % 64;
        if (!p->beside[first / p->tries] || (on[first / 64] & lanes) != lanes) continue;
        on[first / 64] &= ~lanes;
        for (uint32_t role = 0; role < p->s->nroles; role++) {
            uint32_t n = batch_legal(p->b, first, role, p->listed), move = 0;
            for (uint32_t lane = first; lane < first + p->tries && n; lane++) {
                if (lane == first || role == p->mover[first / p->tries])
                    move = p->listed[rng_below(&p->rng, n)];
                batch_set_move(p->b, lane, role, move);
            }
        }
    }
}

static void play(struct play *p, const struct budget *budget)
{
    struct batch *b = p->b;
    uint32_t pause = 0;
    for (uint64_t sweeps = 0; p->s->n < p->wanted && sweeps < 200000 && !budget_over(budget); sweeps++) {
        uint64_t ended[BATCH_MAX_WORDS], on[BATCH_MAX_WORDS];
        batch_view(b);
        if (p->guide) agree(p);
        if (pause-- == 0) {
            keep(p);
            pause = 1 + rng_below(&p->rng, 4);
        }
        memcpy(ended, b->terminal, b->words * sizeof *ended);
        for (uint32_t lane = 0; lane < b->lanes; lane++)
            if (++p->lanes[lane].steps > TOO_LONG) {
                p->lanes[lane].n = 0;
                ended[lane / 64] |= 1ull << lane % 64;
            }
        for (uint32_t w = 0; w < b->words; w++) on[w] = ~ended[w];
        if (batch_any(b, ended)) {
            batch_park(b, ended);
            batch_collect_goals(b, p->goals, NULL);
            for (uint32_t lane = 0; lane < b->lanes; lane++)
                if (ended[lane / 64] >> lane % 64 & 1) {
                    if (leads(p, lane)) finish(p, lane);
                    p->lanes[lane] = (struct lane){0};
                }
        }
        if (p->ahead) take_wins(p, on);
        if (p->guide) choose_beside(p, on);
        batch_choose(b, on);
        batch_step(b);
        batch_restart(b, ended);
    }
}

static void *rows(size_t n, size_t size)
{
    return n * size > TABLE_BYTES ? NULL : calloc(n ? n : 1, size);
}

/* Room for the moves of all lanes; false: no memory. */
static bool room_for_moves(struct play *p, const struct code *code)
{
    size_t lanes = p->b->lanes, most = 1, nroles = code->nroles;
    for (uint32_t role = 0; role < code->nroles; role++)
        if (batch_set_words(p->b, role) > most) most = batch_set_words(p->b, role);
    p->s->moves = rows(p->wanted * nroles, sizeof *p->s->moves);
    p->kept_moves = rows(lanes * p->waiting * nroles, sizeof *p->kept_moves);
    p->sets = rows(lanes * most, sizeof *p->sets);
    p->counts = rows(lanes * nroles, sizeof *p->counts);
    return p->s->moves && p->kept_moves && p->sets && p->counts;
}

/* What a lane's moves are written to, and with a guide who moved; false: no memory. */
static bool room_for_choices(struct play *p)
{
    size_t moves = 1, games = p->b->lanes / p->tries;
    for (uint32_t role = 0; role < p->s->nroles; role++)
        if (p->b->code->roles[role].n > moves) moves = p->b->code->roles[role].n;
    p->listed = rows(moves, sizeof *p->listed);
    p->mover = rows(games, sizeof *p->mover);
    p->beside = rows(games, sizeof *p->beside);
    for (size_t i = 0; i < games && p->mover; i++) p->mover[i] = p->s->nroles;
    return p->listed && p->mover && p->beside;
}

/* Wins are looked for on lanes of their own; false: no memory. */
static bool look_ahead(struct play *p, const struct code *foresight)
{
    struct error ignored;
    size_t most = 1;
    p->ahead = batch_new(foresight, p->b->lanes, 0, &ignored);
    if (!p->ahead) return false;
    for (uint32_t role = 0; role < p->s->nroles; role++)
        if (batch_set_words(p->ahead, role) > most) most = batch_set_words(p->ahead, role);
    p->wins = rows(p->b->lanes * most, sizeof *p->wins);
    p->winning = rows(p->b->lanes, sizeof *p->winning);
    return p->wins && p->winning;
}

bool samples_play(struct samples *s, const struct code *code, const struct samples_order *order,
                  const struct budget *budget)
{
    struct error error;
    struct play p = {
        .b = batch_new(code, 0, order->seed, &error), .s = s, .guide = order->guide, .wanted = order->wanted};
    *s = (struct samples){.nroles = code->nroles};
    p.waiting = order->each ? order->each : WAITING;
    p.tries = order->tries ? order->tries : TRIES;
    if (!p.b) return false;
    size_t lanes = p.b->lanes, words = s->words = p.b->state_words, nroles = code->nroles;
    rng_init(&p.rng, order->seed);
    s->states = rows(p.wanted * words, sizeof *s->states);
    s->outcome = rows(p.wanted * nroles, sizeof *s->outcome);
    s->now = order->goals ? rows(p.wanted * nroles, sizeof *s->now) : NULL;
    s->step = rows(p.wanted, sizeof *s->step);
    p.lanes = calloc(lanes, sizeof *p.lanes);
    p.kept = rows(lanes * p.waiting * words, sizeof *p.kept);
    p.states = rows((lanes + 64) * words, sizeof *p.states);
    p.kept_now = rows(lanes * p.waiting * nroles, sizeof *p.kept_now);
    p.kept_step = rows(lanes * p.waiting, sizeof *p.kept_step);
    p.goals = rows(lanes * nroles, sizeof *p.goals);
    bool good = s->states && s->outcome && (s->now || !order->goals) && s->step && p.lanes && p.kept &&
                p.states && p.kept_now && p.kept_step && p.goals;
    good = good && room_for_choices(&p) && (!order->moves || room_for_moves(&p, code));
    good = good && (!order->foresight || look_ahead(&p, order->foresight));
    if (good) play(&p, budget);
    good = good && s->n >= FEW;
    free(p.lanes);
    free(p.kept);
    free(p.states);
    free(p.kept_now);
    free(p.kept_step);
    free(p.kept_moves);
    free(p.sets);
    free(p.counts);
    free(p.goals);
    free(p.wins);
    free(p.winning);
    free(p.listed);
    free(p.mover);
    free(p.beside);
    batch_free(p.ahead);
    batch_free(p.b);
    if (!good) samples_done(s);
    return good;
}
