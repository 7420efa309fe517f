// SPDX-License-Identifier: GPL-3.0-or-later
/* What is chosen in a game depends on its number alone: every lane has the random numbers of the game it
 * plays, and moves are drawn by their names, as playout_pick does. */
#include "game/playouts.h"

#include "base/hash.h"
#include "base/rng.h"
#include "base/text.h"
#include "game/engine.h"

#include <inttypes.h>
#include <string.h>

#define NO_GAME UINT64_MAX

struct lane {
    uint64_t game; /* NO_GAME: idle */
    uint64_t ply;
    struct rng rng;
};

struct playouts {
    struct heap *heap; /* of everything here */
    struct reasoner *r;
    const struct playouts_options *o;
    struct batch *b;
    struct lane *lanes;
    uint64_t **keys;    /* by role and move: the hash of its name */
    uint64_t **sets;    /* by role: legal moves of all lanes */
    uint32_t *counts;   /* by lane: of the role looked at */
    int16_t *goals;     /* by lane and role */
    int *ended;         /* by role */
    uint64_t next;      /* game that nobody plays yet */
    uint64_t faulty;    /* the first game that cannot be played on; games behind it do not matter any more */
    struct error fault; /* what is wrong with it */
    playouts_end *end;
    void *data;
};

static void make_keys(struct playouts *p)
{
    uint32_t nroles = p->b->nroles;
    p->keys = heap_alloc(p->heap, nroles * sizeof *p->keys);
    p->sets = heap_alloc(p->heap, nroles * sizeof *p->sets);
    for (uint32_t role = 0; role < nroles; role++) {
        uint32_t n = p->b->code->roles[role].n;
        p->keys[role] = heap_alloc(p->heap, (n + 1) * sizeof **p->keys);
        p->sets[role] = heap_alloc(p->heap, ((size_t)batch_set_words(p->b, role) * p->b->lanes + 1) * 8);
        for (uint32_t move = 0; move < n; move++) {
            struct text t;
            text_init(&t, p->heap);
            reasoner_print_move(p->r, role, move, true, &t);
            p->keys[role][move] = hash_bytes(text_str(&t), t.n) | 1;
            heap_release(p->heap, t.s);
        }
    }
}

/* A lane takes the next game. */
static void take_game(struct playouts *p, struct lane *lane)
{
    uint64_t seed = p->o->seed;
    *lane = (struct lane){.game = NO_GAME};
    if (p->next >= p->o->games || p->next > p->faulty) return;
    lane->game = p->next++;
    rng_init(&lane->rng, rng_splitmix(&seed) + lane->game);
}

static uint32_t pick(const struct playouts *p, struct lane *lane, uint32_t role, uint32_t number)
{
    uint32_t words = batch_set_words(p->b, role), best = 0;
    const uint64_t *set = p->sets[role] + (size_t)number * words, *keys = p->keys[role];
    bool alone = p->counts[number] == 1;
    uint64_t draw = alone ? 0 : rng_next(&lane->rng), least = UINT64_MAX;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t bits = set[w]; bits; bits &= bits - 1) {
            uint32_t move = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (alone) return move;
            uint64_t x = draw ^ keys[move];
            x = rng_splitmix(&x);
            if (x < least) least = x, best = move;
        }
    return best;
}

static void tell_goals(struct playouts *p, const uint64_t *mask)
{
    struct batch *b = p->b;
    batch_park(b, mask);
    batch_collect_goals(b, p->goals, NULL);
    for (uint32_t i = 0; i < b->lanes; i++) {
        if (!(mask[i / 64] >> (i % 64) & 1)) continue;
        for (uint32_t role = 0; role < b->nroles; role++) {
            int16_t goal = p->goals[(size_t)i * b->nroles + role];
            p->ended[role] = goal == BATCH_GOAL_UNDEFINED ? GOAL_UNDEFINED : goal;
        }
        if (p->lanes[i].game < p->faulty) p->end(p->data, p->lanes[i].ply, p->ended);
    }
}

static void note_fault(struct playouts *p, const struct lane *lane, uint32_t role)
{
    if (lane->game >= p->faulty) return;
    p->faulty = lane->game;
    error_set(&p->fault, ERROR_INPUT,
              "game %" PRIu64 ": role %s has no legal move after %" PRIu64
              " step%s, and the game has not ended",
              lane->game + 1, p->r->game->role_names[role], lane->ply, lane->ply == 1 ? "" : "s");
}

/* Lanes whose game is over, given up or faulty are to begin another; the others move. */
static void look(struct playouts *p, uint64_t *over)
{
    struct batch *b = p->b;
    uint64_t ended[BATCH_MAX_WORDS] = {0};
    bool any = false;
    for (uint32_t i = 0; i < b->lanes; i++) {
        struct lane *lane = &p->lanes[i];
        uint64_t bit = (uint64_t)1 << (i % 64);
        if (lane->game == NO_GAME) continue;
        bool terminal = b->terminal[i / 64] & bit, cut = p->o->steps && lane->ply >= p->o->steps;
        if (terminal) ended[i / 64] |= bit, any = true;
        if (terminal || cut) over[i / 64] |= bit;
        if (cut && !terminal && lane->game < p->faulty) p->end(p->data, lane->ply, NULL);
    }
    if (any) tell_goals(p, ended);
}

static void move_on(struct playouts *p, uint64_t *over)
{
    struct batch *b = p->b;
    for (uint32_t role = 0; role < b->nroles; role++) {
        batch_legal_sets(b, role, p->sets[role], p->counts);
        for (uint32_t i = 0; i < b->lanes; i++) {
            struct lane *lane = &p->lanes[i];
            uint64_t bit = (uint64_t)1 << (i % 64);
            if (lane->game == NO_GAME || over[i / 64] & bit) continue;
            if (p->counts[i]) {
                batch_set_move(b, i, role, pick(p, lane, role, i));
            } else {
                note_fault(p, lane, role);
                over[i / 64] |= bit;
            }
        }
    }
    for (uint32_t i = 0; i < b->lanes; i++) p->lanes[i].ply++;
}

static bool any_playing(const struct playouts *p)
{
    for (uint32_t i = 0; i < p->b->lanes; i++)
        if (p->lanes[i].game != NO_GAME) return true;
    return false;
}

static void play(struct playouts *p, const atomic_bool *stop)
{
    struct batch *b = p->b;
    for (uint32_t i = 0; i < b->lanes; i++) take_game(p, &p->lanes[i]);
    while (any_playing(p)) {
        uint64_t over[BATCH_MAX_WORDS] = {0};
        if (stop && atomic_load_explicit(stop, memory_order_relaxed))
            heap_fail(p->heap, ERROR_CANCELLED, "interrupted after %" PRIu64 " games", p->next - b->lanes);
        batch_view(b);
        look(p, over);
        move_on(p, over);
        batch_step(b);
        batch_restart(b, over);
        for (uint32_t i = 0; i < b->lanes; i++)
            if (over[i / 64] >> (i % 64) & 1) take_game(p, &p->lanes[i]);
    }
}

static void set_up(struct playouts *p)
{
    uint32_t lanes = p->b->lanes, nroles = p->b->nroles;
    p->lanes = heap_alloc(p->heap, lanes * sizeof *p->lanes);
    p->counts = heap_alloc(p->heap, lanes * sizeof *p->counts);
    p->goals = heap_alloc(p->heap, (size_t)lanes * nroles * sizeof *p->goals);
    p->ended = heap_alloc(p->heap, nroles * sizeof *p->ended);
    make_keys(p);
}

bool playouts_run(struct reasoner *reasoner, const struct playouts_options *options, const atomic_bool *stop,
                  playouts_end *end, void *data, struct error *error)
{
    struct playouts p = {.r = reasoner, .o = options, .end = end, .data = data, .faulty = NO_GAME};
    struct heap_guard guard;
    volatile bool good = false;
    p.heap = heap_new(0);
    p.b = p.heap ? batch_new(reasoner_code(reasoner), options->lanes, options->seed, error) : NULL;
    if (!p.heap) error_set(error, ERROR_MEMORY, "out of memory");
    if (p.b && HEAP_ENTER(p.heap, &guard, error)) {
        set_up(&p);
        play(&p, stop);
        heap_leave(p.heap);
        good = p.faulty == NO_GAME;
        if (!good) *error = p.fault;
    }
    batch_free(p.b);
    heap_free(p.heap);
    return good;
}
