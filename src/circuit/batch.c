// SPDX-License-Identifier: GPL-3.0-or-later
/* The batch: memory of one thread's lanes, and sweeping what they look at. */
#include "circuit/batch.h"

#include "base/pages.h"
#include "base/rng.h"
#include "circuit/batch_internal.h"

#include <math.h>
#include <stdlib.h>

static const struct sweeper *const sweepers[] = {&sweeper_64, &sweeper_256, &sweeper_512};

uint32_t batch_widths(uint32_t widths[4])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < sizeof sweepers / sizeof *sweepers; i++)
        if (sweepers[i]->available()) widths[n++] = sweepers[i]->lanes;
    return n;
}

static const struct sweeper *find_sweeper(uint32_t lanes)
{
    const struct sweeper *found = NULL;
    for (uint32_t i = 0; i < sizeof sweepers / sizeof *sweepers; i++)
        if (sweepers[i]->available() && (lanes == 0 || lanes == sweepers[i]->lanes)) found = sweepers[i];
    return found;
}

/* --- Setting up ----------------------------------------------------------------------------------------- */

/* Lay the trees of all choosing roles out in the scratch memory; returns how many vectors they need. */
static uint32_t plan_choices(const struct code *code, struct choices *c, bool *dirty, uint32_t *hot)
{
    uint32_t at = 0;
    c->n = 0;
    for (uint32_t r = 0; r < code->nroles; r++) {
        const struct code_role *role = &code->roles[r];
        if (role->n == 0 || role->forced) continue;
        struct choice *ch = &c->v[c->n++];
        ch->legal = role->legal;
        ch->does = role->does;
        ch->blocks = (role->n + CHOICE_BLOCK - 1) / CHOICE_BLOCK;
        ch->parts = role->parts;
        ch->numbers = at;
        if (ch->parts) at += ch->parts->numbers.n * ch->parts->planes;
        ch->at[0] = at;
        uint32_t planes = ch->parts ? ch->parts->planes : 5;
        for (uint32_t l = 0, n = ch->parts ? ch->parts->ngroups : ch->blocks;; l++, n = (n + 1) / 2) {
            ch->levels = l;
            ch->nodes[l] = n;
            ch->planes[l] = 1;
            at += n * (planes + l); /* with all it can ever need */
            if (n == 1) break;
        }
        choice_layout(ch);
        ch->dirty = dirty;
        ch->hot = hot;
        dirty += ch->blocks;
        hot += ch->blocks;
    }
    return at;
}

static void fill(const struct batch *b, uint32_t with_ones)
{
    memset(slot(b, with_ones), 0xff, b->words * 8);
}

static void *zeroed(size_t n, size_t size)
{
    return calloc(n ? n : 1, size);
}

struct batch *batch_new(const struct code *code, uint32_t lanes, uint64_t seed, struct error *error)
{
    const struct sweeper *sweeper = find_sweeper(lanes);
    if (sweeper && code_machine(code, sweeper->lanes)) code = code->compiled;
    return batch_new_interpreted(code, lanes, seed, error);
}

struct batch *batch_new_interpreted(const struct code *code, uint32_t lanes, uint64_t seed,
                                    struct error *error)
{
    const struct sweeper *sweeper = find_sweeper(lanes);
    if (!sweeper) {
        error_set(error, ERROR_INPUT, "this processor cannot sweep %u lanes at once", lanes);
        return NULL;
    }
    struct batch *b = zeroed(1, sizeof *b);
    struct batch_inside *in = b ? b->inside = zeroed(1, sizeof *in) : NULL;
    if (!in) goto no_memory;
    b->code = code;
    b->sweeper = sweeper;
    b->lanes = sweeper->lanes;
    b->words = sweeper->lanes / 64;
    b->nroles = code->nroles;
    b->state_words = (code->nbits + 63) / 64;
    in->initial = zeroed(b->state_words, sizeof *in->initial);
    in->given_cap = b->lanes * code->nroles;
    in->given = zeroed(in->given_cap, sizeof *in->given);
    in->nsides = 1 + (code->turns ? code->circuit->period : 0);
    in->sides = zeroed(in->nsides, sizeof *in->sides);
    size_t blocks = code->nmoves / CHOICE_BLOCK + code->nroles; /* at most */
    in->dirty = zeroed(blocks * in->nsides, sizeof *in->dirty);
    in->hot = zeroed(blocks * in->nsides, sizeof *in->hot);
    if (!in->initial || !in->given || !in->sides || !in->dirty || !in->hot) goto no_memory;
    in->now = in->sides;
    size_t scratch = 0, cuts = 0;
    for (uint32_t i = 0; i < in->nsides; i++) {
        struct side *side = &in->sides[i];
        side->code = i ? code->turns[i - 1] : code;
        side->choices.v = zeroed(code->nroles, sizeof *side->choices.v);
        if (!side->choices.v) goto no_memory;
        size_t need = plan_choices(side->code, &side->choices, in->dirty + blocks * i, in->hot + blocks * i);
        if (need > scratch) scratch = need;
        for (uint32_t k = 0; k < side->code->segments.n; k++)
            if (side->code->segments.v[k].cut_n > cuts) cuts = side->code->segments.v[k].cut_n;
    }
    struct choices *c = &in->sides[0].choices;
    size_t n = c->nsources = c->n;
    c->sources = zeroed(n + 1, sizeof *c->sources);
    c->round_planes = zeroed(n, sizeof *c->round_planes);
    size_t vectors =
        code->nslots + cuts + scratch + CHOICE_LEVELS * n + n * n + n + CHOICE_PLANES * n + 2 * (n + 1);
    size_t bytes = vectors * b->words * 8;
    in->block = pages_alloc(bytes, PAGES_LARGE / 8);
    if (!in->block || !c->sources || !c->round_planes) goto no_memory;
    memset(in->block, 0, bytes);
    uint64_t *at = in->block;
#define TAKE(n) (at += (size_t)(n)*b->words, at - (size_t)(n)*b->words)
    in->mem = TAKE(code->nslots + cuts);
    c->scratch = TAKE(scratch);
    c->rounds = TAKE(CHOICE_LEVELS * n);
    c->takes = TAKE(n * n);
    c->used = TAKE(n);
    c->drawn = TAKE(CHOICE_PLANES * n);
    for (uint32_t i = 0; i <= n; i++) c->sources[i].s0 = TAKE(1), c->sources[i].s1 = TAKE(1);
#undef TAKE
    fill(b, SLOT_ONES);
    for (uint32_t k = 0; k < in->nsides; k++) {
        struct choices *own = &in->sides[k].choices, all = *c;
        all.n = own->n;
        all.v = own->v;
        *own = all; /* the rest is shared */
        for (uint32_t i = 0; i < in->sides[k].code->ones.n; i++) fill(b, in->sides[k].code->ones.v[i]);
    }
    for (uint32_t i = 0; i < code->nbits; i++)
        in->initial[i / 64] |= (uint64_t)code->circuit->init[i] << i % 64;
    batch_restart(b, slot(b, SLOT_ONES));
    b->terminal = in->mem + (size_t)code->terminal * b->words;
    batch_seed(b, seed);
    return b;
no_memory:
    batch_free(b);
    error_set(error, ERROR_MEMORY, "no memory for a batch of %u lanes", sweeper->lanes);
    return NULL;
}

void batch_free(struct batch *b)
{
    if (!b) return;
    struct batch_inside *in = b->inside;
    if (in) {
        if (in->sides) {
            free(in->sides[0].choices.sources);
            free(in->sides[0].choices.round_planes);
        }
        for (uint32_t i = 0; in->sides && i < in->nsides; i++) free(in->sides[i].choices.v);
        free(in->sides);
        free(in->initial);
        free(in->given);
        free(in->dirty);
        free(in->hot);
        free(in->block);
        free(in);
    }
    free(b);
}

void batch_seed(struct batch *b, uint64_t seed)
{
    batch_seed_part(b, seed, 0);
}

void batch_seed_part(struct batch *b, uint64_t seed, uint32_t word)
{
    struct choices *c = &b->inside->sides[0].choices;
    for (uint32_t i = 0; i <= c->nsources; i++) {
        struct choice_source *s = &c->sources[i];
        s->behind = 0;
        for (uint32_t w = 0; w < b->words; w++) {
            uint64_t x = seed;
            x = rng_splitmix(&x) + word + w;
            /* the source for tosses is the same however many roles choose */
            x = rng_splitmix(&x) + (i < c->nsources ? i + 1 : 0);
            s->s0[w] = rng_splitmix(&x);
            s->s1[w] = rng_splitmix(&x);
        }
    }
}

/* --- Looking -------------------------------------------------------------------------------------------- */

static void view_by(struct batch *b, struct side *side)
{
    b->inside->now = side;
    b->terminal = slot(b, side->code->terminal);
    b->inside->listed = side->code->list_begin == side->code->phase_end[PHASE_VIEW];
    b->sweeper->sweep(side->code, 0, side->code->list_begin, b->inside->mem);
}

void batch_view(struct batch *b)
{
    TICKS_BEGIN(b);
    view_by(b, b->inside->sides);
    TICKS_END(b, BATCH_VIEW);
}

/* Is a bit the same in all lanes of the mask? */
static bool all_are(const struct batch *b, uint32_t bit, bool value, const uint64_t *mask)
{
    const uint64_t *at = slot(b, SLOT_BITS + bit);
    uint64_t wanted = value ? ~(uint64_t)0 : 0, differs = 0;
    for (uint32_t w = 0; w < b->words; w++) differs |= (at[w] ^ wanted) & mask[w];
    return !differs;
}

/* Have the lanes of the mask these bits as they are in the turn? */
static bool in_turn(const struct batch *b, uint32_t turn, const uint64_t *mask)
{
    const struct circuit *c = b->code->circuit;
    for (uint32_t i = 0; i < c->turn_bits.n; i++)
        if (!all_are(b, c->turn_bits.v[i], c->turn_values[turn * c->turn_bits.n + i], mask)) return false;
    for (uint32_t i = c->known_first ? c->known_first[turn] : 0;
         c->known_first && i < c->known_first[turn + 1]; i++)
        if (!all_are(b, c->known.v[i].bit, c->known.v[i].value, mask)) return false;
    return true;
}

static void view_turn(struct batch *b, const uint64_t *mask)
{
    struct batch_inside *in = b->inside;
    uint32_t turns = in->nsides - 1, side = 0;
    /* after one turn the next is likely */
    uint32_t guess = turns ? (uint32_t)(in->now - in->sides) % turns : 0;
    for (uint32_t t = 0; t < turns && !side; t++)
        if (in_turn(b, (guess + t) % turns, mask)) side = 1 + (guess + t) % turns;
    view_by(b, &in->sides[side]);
}

void batch_view_turn(struct batch *b)
{
    TICKS_BEGIN(b);
    view_turn(b, slot(b, SLOT_ONES));
    TICKS_END(b, BATCH_VIEW);
}

void batch_view_first(struct batch *b, uint32_t lanes)
{
    TICKS_BEGIN(b);
    uint64_t mask[BATCH_MAX_WORDS] = {0};
    for (uint32_t w = 0; w * 64 < lanes; w++)
        mask[w] = lanes - w * 64 < 64 ? (1ull << lanes % 64) - 1 : ~(uint64_t)0;
    view_turn(b, mask);
    TICKS_END(b, BATCH_VIEW);
}

void batch_view_lanes(struct batch *b, const uint64_t *mask)
{
    TICKS_BEGIN(b);
    view_turn(b, mask);
    TICKS_END(b, BATCH_VIEW);
}

uint32_t batch_turn(const struct batch *b)
{
    uint32_t side = (uint32_t)(b->inside->now - b->inside->sides);
    return side ? side - 1 : BATCH_ANY_TURN;
}

bool batch_in_turn(const struct batch *b, const uint64_t *state, uint32_t turn)
{
    const struct circuit *c = b->code->circuit;
    for (uint32_t i = 0; i < c->turn_bits.n; i++) {
        uint32_t bit = c->turn_bits.v[i];
        if ((state[bit / 64] >> bit % 64 & 1) != c->turn_values[turn * c->turn_bits.n + i]) return false;
    }
    return true;
}

/* Words of the operations for goals. */
static double goal_cost(const struct code *code)
{
    if (code->phase_end[PHASE_GOAL] == code->phase_end[PHASE_VIEW]) return 0;
    return code->segments.v[code->phase_end[PHASE_GOAL] - 1].end -
           code->segments.v[code->phase_end[PHASE_VIEW]].begin;
}

/* About what a round costs: the words of its operations, and as much for each move to choose from. Goals are
 * swept now and then only. */
static double round_cost(const struct code *code)
{
    enum { PER_MOVE = 8 };
    double cost = code->ops.n - goal_cost(code);
    for (uint32_t r = 0; r < code->nroles; r++)
        if (!code->roles[r].forced) cost += PER_MOVE * code->roles[r].n;
    return cost;
}

bool batch_turns_pay(const struct batch *b)
{
    const double WITHOUT_DOUBT = 0.95;
    const struct batch_inside *in = b->inside;
    double turns = in->nsides - 1, sum = 0, length = b->code->circuit->length;
    if (in->nsides == 1) return false;
    for (uint32_t i = 1; i < in->nsides; i++) sum += round_cost(in->sides[i].code);
    return sum / turns * (length + (turns - 1) / 2) < WITHOUT_DOUBT * round_cost(b->code) * length;
}

/* With n lanes and games of so many steps, n / steps end in a round. While k come together they have waited k
 * / 2 times what k take to end, which costs k^2 steps / 2n rounds of a lane, an n-th of a round each: as much
 * as the goals of all when k is n times the root of this. */
double batch_goal_share(const struct batch *b)
{
    enum { PER_GOAL = 8 };
    double length = b->code->circuit->length, goals = goal_cost(b->code) + PER_GOAL * b->code->goals.n;
    return sqrt(2 * goals / (round_cost(b->code) * (length > 1 ? length : 1) + 1));
}

bool batch_forced(const struct batch *b, uint32_t role, uint32_t *move)
{
    const struct code_role *r = role_now(b, role);
    *move = r->only;
    return r->forced && r->legal == r->does;
}

uint32_t batch_turns(const struct batch *b)
{
    return b->inside->nsides > 1 ? b->inside->nsides - 1 : 1;
}
