// SPDX-License-Identifier: GPL-3.0-or-later
/* Features-to-Action Sampling Technique (002 §4.1.4): the analysis finds a board; the features are the kinds
 * of pieces on it, or, where no role has more than one kind, the cells each role holds. TD(lambda) learns
 * what they are worth, V(s) = sum of theta_i · f_i(s), from the difference of the goals at the end of each
 * simulation; captures and placements are then preferred by these values.
 *
 * The thesis leaves open how the corrections of one episode are scaled. Added up over a game of a hundred
 * states, with a step of 0.01 and sixteen pawns, they overshoot and diverge; applied state by state they do
 * so where many pieces of a kind are counted (Checkers, Battle: the step times the sum of squares is above
 * 2). Here they are averaged over the states of the episode, and shortened where that mean is still too
 * steep: twenty discs a side in Battle make it 6.
 *
 * Open, too, and decided here: "far enough from zero" is 1, asked of the piece that is captured.
 *
 * With more than two roles there are two ways. Everybody for himself: each role has values of its own,
 * learned from its goal less the best of the others'. Or all against one, as CadiaPlayer's source has it:
 * there are the values of the role that is played alone, learned from its goal less all others', and whoever
 * else moves does it harm. With two roles both are the same.
 */
#include "analysis/analysis.h"
#include "circuit/circuit.h"
#include "search/policy/table.h"

#define LAMBDA 0.99f
#define ALPHA 0.01f
#define STEEPEST \
    1.5f /* of ALPHA times the squares of features; from 2 on corrections grow from game to game */
#define FAR_FROM_ZERO 1.0f /* piece values closer to zero than this are not used */
#define NO_CAPTURE (-100.0f)
#define NOWHERE UINT32_MAX
#define EMPTY UINT16_MAX

/* What a fact says about the board. */
struct mark {
    uint32_t cell; /* NOWHERE: nothing */
    uint16_t piece;
};

struct trip {
    bool known;
    uint32_t from, to; /* cells, NOWHERE: none */
};

struct trips {
    struct trip *v;
    uint32_t n;
};

struct fast {
    struct values values;
    struct reasoner *reasoner;
    struct analysis *analysis;
    const struct board *board; /* NULL: no features in this game */
    bool pieces;
    float cell_factor;
    uint32_t nroles, nfeatures;
    uint32_t own, nviews; /* against whom all others are, and 1; or FAST_ALL_ALIKE, and nroles */
    float *theta, *delta; /* view * nfeatures + feature */
    float *count;         /* scratch: the features of one state */
    uint16_t *at;         /* scratch: piece on each cell */
    struct trips *trips;  /* by role: where moves go from and to */
    /* On the circuit: what each bit of the state says, when true and when false, and what is always so. */
    struct mark *bit_true, *bit_false;
    uint64_t *says_true, *says_false; /* the bits that say something then, as sets */
    VEC(struct mark) always;
    uint32_t nbits;
    struct heap *heap; /* for what is set up once */
    struct list facts; /* scratch, on other reasoners */
};

/* --- Reading the board
 * ---------------------------------------------------------------------------------------- */

static struct mark mark_of(struct fast *f, const struct terms *terms, term fact)
{
    struct mark m = {NOWHERE, EMPTY};
    uint32_t cell, piece;
    if (!board_find(f->analysis, f->board, terms, fact, &cell, &piece)) return m;
    if (cell == NOWHERE || piece == NOWHERE || f->board->pieces[piece].blank) return m;
    return (struct mark){cell, (uint16_t)piece};
}

static void index_bits(struct fast *f, const struct circuit *c)
{
    f->nbits = c->nbits;
    f->bit_true = heap_alloc(f->heap, (c->nbits + 1) * sizeof *f->bit_true);
    f->bit_false = heap_alloc(f->heap, (c->nbits + 1) * sizeof *f->bit_false);
    f->says_true = heap_zalloc(f->heap, (c->nbits / 64 + 1) * sizeof *f->says_true);
    f->says_false = heap_zalloc(f->heap, (c->nbits / 64 + 1) * sizeof *f->says_false);
    for (uint32_t b = 0; b < c->nbits; b++) f->bit_true[b] = f->bit_false[b] = (struct mark){NOWHERE, EMPTY};
    for (uint32_t i = 0; i < c->nfacts; i++) {
        struct mark m = mark_of(f, c->terms, c->fact[i]);
        edge e = c->fact_edge[i];
        if (m.cell == NOWHERE) continue;
        if (e >> 1 == 0) {
            vec_push(f->heap, &f->always, m);
            continue;
        }
        uint32_t bit = (e >> 1) - 1;
        (e & 1 ? f->bit_false : f->bit_true)[bit] = m;
        (e & 1 ? f->says_false : f->says_true)[bit / 64] |= 1ull << bit % 64;
    }
}

static void put(struct fast *f, struct mark m)
{
    if (m.cell != NOWHERE) f->at[m.cell] = m.piece;
}

static void read_bits(struct fast *f, const uint64_t *state)
{
    for (uint32_t i = 0; i < f->always.n; i++) put(f, f->always.v[i]);
    for (uint32_t w = 0; w * 64 < f->nbits; w++)
        for (uint64_t says = (state[w] & f->says_true[w]) | (~state[w] & f->says_false[w]); says;
             says &= says - 1) {
            uint32_t bit = w * 64 + (uint32_t)__builtin_ctzll(says);
            put(f, state[w] & says & -says ? f->bit_true[bit] : f->bit_false[bit]);
        }
}

static void read_board(struct fast *f, const uint64_t *state, uint32_t words)
{
    memset(f->at, 0xff, f->board->cells * sizeof *f->at);
    if (f->bit_true) {
        read_bits(f, state);
        return;
    }
    struct state s = {.w = (uint64_t *)state, .words = words, .cap = words};
    f->facts.n = 0;
    if (!f->reasoner->ops->facts(f->reasoner, &s, &f->facts)) return;
    for (uint32_t i = 0; i < f->facts.n; i++) put(f, mark_of(f, f->reasoner->terms, f->facts.v[i]));
}

/* The features of the board read last, in f->count. */
static void count_features(struct fast *f)
{
    memset(f->count, 0, f->nfeatures * sizeof *f->count);
    for (uint32_t cell = 0; cell < f->board->cells; cell++) {
        uint16_t piece = f->at[cell];
        if (piece == EMPTY) continue;
        if (f->pieces) {
            f->count[piece]++;
        } else {
            int owner = f->board->pieces[piece].owner;
            if (owner >= 0) f->count[(uint32_t)owner * f->board->cells + cell] = 1;
        }
    }
}

/* --- Moves
 * ---------------------------------------------------------------------------------------------------- */

static const struct trip *trip_of(struct fast *f, uint32_t role, uint32_t move)
{
    static const struct trip nowhere = {true, NOWHERE, NOWHERE};
    struct trips *t = &f->trips[role];
    if (move >= t->n) {
        uint32_t n = t->n ? t->n : 64;
        while (n <= move) n *= 2;
        struct trip *grown = realloc(t->v, n * sizeof *grown);
        if (!grown) return &nowhere;
        memset(grown + t->n, 0, (n - t->n) * sizeof *grown);
        t->v = grown;
        t->n = n;
    }
    struct trip *trip = &t->v[move];
    if (trip->known) return trip;
    *trip = nowhere;
    const struct terms *terms = f->reasoner->terms;
    term x = f->reasoner->ops->move_term(f->reasoner, role, move);
    board_trip(f->board, terms, x, &trip->from, &trip->to);
    return trip;
}

/* --- The scheme
 * ----------------------------------------------------------------------------------------------- */

static void score(struct values *v, const struct situation *s, const uint32_t *moves, uint32_t n, float *out)
{
    struct fast *f = (struct fast *)v;
    for (uint32_t i = 0; i < n; i++) out[i] = 0;
    if (!f->board) return;
    const float *theta = f->theta + (f->nviews > 1 ? (size_t)s->role * f->nfeatures : 0);
    float side = f->own == FAST_ALL_ALIKE || f->own == s->role ? 1 : -1;
    if (f->pieces && s->state) read_board(f, s->state, s->state_words);
    for (uint32_t i = 0; i < n; i++) {
        const struct trip *t = trip_of(f, s->role, moves[i]);
        if (!f->pieces) { /* equation 4.2 */
            if (t->to != NOWHERE)
                out[i] = side * f->cell_factor * theta[(size_t)s->role * f->board->cells + t->to];
            continue;
        }
        out[i] = NO_CAPTURE; /* equation 4.1 */
        if (t->to == NOWHERE || t->from == NOWHERE || !s->state) continue;
        uint16_t taken = f->at[t->to], mine = f->at[t->from];
        if (taken == EMPTY || mine == EMPTY || f->board->pieces[taken].owner == (int)s->role) continue;
        if (theta[taken] > -FAR_FROM_ZERO && theta[taken] < FAR_FROM_ZERO) continue;
        out[i] = -side * (2 * theta[taken] + theta[mine]);
    }
}

/* The difference of the goals, as this view has it. */
static float outcome(const struct fast *f, const struct episode *e, uint32_t view)
{
    uint32_t role = f->own == FAST_ALL_ALIKE ? view : f->own;
    float best = 0, all = 0;
    for (uint32_t r = 0; r < e->nroles; r++) {
        if (r == role) continue;
        all += e->reward[r];
        if (e->reward[r] > best) best = e->reward[r];
    }
    return e->reward[role] - (f->own == FAST_ALL_ALIKE ? best : all);
}

static void learn(struct values *v, const struct episode *e)
{
    struct fast *f = (struct fast *)v;
    if (!f->board || !e->states || e->steps == 0) return;
    uint32_t states = e->steps + e->end;
    memset(f->delta, 0, (size_t)f->nviews * f->nfeatures * sizeof *f->delta);
    float lambda_return[64], next[64], squares = 0;
    for (uint32_t view = 0; view < f->nviews; view++) lambda_return[view] = next[view] = outcome(f, e, view);
    for (uint32_t t = states; t-- > 0;) {
        read_board(f, e->states + e->state_start[t], e->state_start[t + 1] - e->state_start[t]);
        count_features(f);
        for (uint32_t i = 0; i < f->nfeatures; i++) squares += f->count[i] * f->count[i];
        for (uint32_t view = 0; view < f->nviews; view++) {
            const float *theta = f->theta + (size_t)view * f->nfeatures;
            float *delta = f->delta + (size_t)view * f->nfeatures, value = 0;
            for (uint32_t i = 0; i < f->nfeatures; i++) value += theta[i] * f->count[i];
            if (t < e->steps) lambda_return[view] = (1 - LAMBDA) * next[view] + LAMBDA * lambda_return[view];
            float step = ALPHA * (lambda_return[view] - value);
            for (uint32_t i = 0; i < f->nfeatures; i++) delta[i] += step * f->count[i];
            if (t < e->steps) next[view] = value; /* the end is worth what was had there */
        }
    }
    float steep = ALPHA * squares / (float)states;
    float share = steep > STEEPEST ? STEEPEST / steep / (float)states : 1 / (float)states;
    for (uint32_t i = 0; i < f->nviews * f->nfeatures; i++) f->theta[i] += share * f->delta[i];
}

static void fast_free(struct values *v)
{
    struct fast *f = (struct fast *)v;
    for (uint32_t r = 0; r < f->nroles && f->trips; r++) free(f->trips[r].v);
    free(f->trips);
    list_done(&f->facts);
    analysis_free(f->analysis);
    heap_free(f->heap);
    free(f);
}

struct values *values_fast(struct reasoner *reasoner, const struct circuit *circuit, uint32_t own,
                           float cell_factor, uint64_t seed, const struct budget *budget, struct error *error)
{
    static const struct values_ops ops = {
        .name = "fast", .wants_states = true, .score = score, .learn = learn, .free = fast_free};
    struct fast *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->values.ops = &ops;
    f->reasoner = reasoner;
    f->cell_factor = cell_factor;
    f->nroles = reasoner->game->nroles;
    f->own = own;
    f->nviews = own == FAST_ALL_ALIKE ? f->nroles : 1;
    f->trips = calloc(f->nroles, sizeof *f->trips);
    f->heap = heap_new(0);
    struct analysis_options options = {.games = 20,
                                       .states = 2000,
                                       .seconds = 2,
                                       .seed = seed,
                                       .deadline = budget->deadline,
                                       .cancel = budget->stop};
    if (budget->deadline > 0) { /* half for the games, half for conclusions */
        double left = (budget->deadline - clock_now()) / 2;
        if (left < options.seconds) options.seconds = left > 1e-3 ? left : 1e-3;
    }
    f->analysis = analysis_new(reasoner, &options, error);
    if (!f->trips || !f->heap || f->nroles > 64) return fast_free(&f->values), NULL;
    if (!f->analysis) return &f->values; /* nothing to be found out: no features */
    f->board = analysis_fast_board(f->analysis, &f->pieces);
    if (!f->board) return &f->values;
    f->nfeatures = f->pieces ? f->board->npieces : f->nroles * f->board->cells;
    struct heap_guard guard;
    if (!HEAP_ENTER(f->heap, &guard, error)) return fast_free(&f->values), NULL;
    f->theta = heap_zalloc(f->heap, ((size_t)f->nviews * f->nfeatures + 1) * sizeof *f->theta);
    f->delta = heap_zalloc(f->heap, ((size_t)f->nviews * f->nfeatures + 1) * sizeof *f->delta);
    f->count = heap_zalloc(f->heap, (f->nfeatures + 1) * sizeof *f->count);
    f->at = heap_zalloc(f->heap, (f->board->cells + 1) * sizeof *f->at);
    if (circuit) index_bits(f, circuit);
    heap_leave(f->heap);
    return &f->values;
}
