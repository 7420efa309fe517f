// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens perft: how many sequences of joint moves there are, depth by depth.
 *
 * Depth by depth, sequences that lead to the same state are carried together: a level holds each state once,
 * with the number of sequences that end in it. So Tic-Tac-Toe's 549946 sequences cost 5478 states, and the
 * number of different positions comes for free.
 */
#include "cli/engine.h"
#include "cli/terminal.h"
#include "game/playout.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

struct perft_options {
    int64_t depth, memory;
    const char *engine;
    bool unique, json;
};

struct entry {
    uint64_t hash;
    uint64_t sequences;
    uint32_t first, words; /* in level.words */
};

/* A set of states. Slots hold entry + 1; their number is a power of two. */
struct level {
    VEC(struct entry) entries;
    VEC(uint64_t) words;
    uint32_t *slots;
    uint32_t mask;
};

struct perft {
    struct heap *heap;
    struct reasoner *reasoner;
    struct level levels[2];
    struct level seen; /* all depths, with --unique only */
    struct list *legal;
    uint32_t *joint, *pick;
    struct state state, after;
    json_t *rows;
};

/* One line of the answer. */
struct row {
    uint64_t sequences, ended, positions, fresh;
};

static void level_clear(struct level *l)
{
    vec_clear(&l->entries);
    vec_clear(&l->words);
    if (l->slots) memset(l->slots, 0, ((size_t)l->mask + 1) * sizeof *l->slots);
}

static void level_rehash(struct heap *heap, struct level *l)
{
    uint32_t size = l->slots ? (l->mask + 1) * 2 : 1024;
    if (size == 0) heap_fail(heap, ERROR_MEMORY, "more than 2^31 positions on one level");
    heap_release(heap, l->slots);
    l->slots = heap_zalloc(heap, (size_t)size * sizeof *l->slots);
    l->mask = size - 1;
    for (uint32_t i = 0; i < l->entries.n; i++) {
        uint32_t slot = (uint32_t)l->entries.v[i].hash & l->mask;
        while (l->slots[slot]) slot = (slot + 1) & l->mask;
        l->slots[slot] = i + 1;
    }
}

/* Add `sequences` ways to reach a state; true if the state is new. */
static bool level_add(struct heap *heap, struct level *l, const struct state *s, uint64_t sequences)
{
    uint64_t hash = state_hash(s);
    if (!l->slots || l->entries.n >= l->mask / 4 * 3) level_rehash(heap, l);
    uint32_t slot = (uint32_t)hash & l->mask;
    for (; l->slots[slot]; slot = (slot + 1) & l->mask) {
        struct entry *e = &l->entries.v[l->slots[slot] - 1];
        if (e->hash != hash || e->words != s->words ||
            memcmp(l->words.v + e->first, s->w, (size_t)s->words * sizeof *s->w) != 0)
            continue;
        if (__builtin_add_overflow(e->sequences, sequences, &e->sequences))
            heap_fail(heap, ERROR_INPUT, "the number of sequences no longer fits into 64 bits");
        return false;
    }
    struct entry e = {.hash = hash, .sequences = sequences, .first = l->words.n, .words = s->words};
    if ((uint64_t)l->words.n + s->words > UINT32_MAX)
        heap_fail(heap, ERROR_MEMORY, "too many positions on one level");
    vec_reserve(heap, &l->words, (uint64_t)l->words.n + s->words);
    memcpy(l->words.v + l->words.n, s->w, (size_t)s->words * sizeof *s->w);
    l->words.n += s->words;
    vec_push(heap, &l->entries, e);
    l->slots[slot] = l->entries.n;
    return true;
}

static void level_get(struct heap *heap, const struct level *l, uint32_t i, struct state *out)
{
    const struct entry *e = &l->entries.v[i];
    if (!state_reserve(out, e->words)) heap_fail(heap, ERROR_MEMORY, "no memory for a state");
    out->words = e->words;
    memcpy(out->w, l->words.v + e->first, (size_t)e->words * sizeof *out->w);
}

_Noreturn static void give_up(struct perft *p)
{
    heap_fail(p->heap, p->reasoner->error.code, "%s", p->reasoner->error.text);
}

static void add_state(struct perft *p, struct level *to, const struct state *s, uint64_t sequences,
                      struct row *row, bool unique)
{
    if (__builtin_add_overflow(row->sequences, sequences, &row->sequences))
        heap_fail(p->heap, ERROR_INPUT, "the number of sequences no longer fits into 64 bits");
    if (level_add(p->heap, to, s, sequences)) {
        row->positions++;
        if (unique && level_add(p->heap, &p->seen, s, 1)) row->fresh++;
    }
}

/* All joint moves of p->state, made one by one like the digits of a number. */
static void expand(struct perft *p, struct level *to, uint64_t sequences, struct row *row, bool unique)
{
    struct reasoner *r = p->reasoner;
    uint32_t nroles = r->game->nroles, role;
    for (role = 0; role < nroles; role++) {
        p->legal[role].n = 0;
        if (!r->ops->legal(r, &p->state, role, &p->legal[role])) give_up(p);
        if (p->legal[role].n == 0)
            heap_fail(p->heap, ERROR_INPUT, "role %s has no legal move in a state that is not the end",
                      r->game->role_names[role]);
        p->pick[role] = 0;
    }
    do {
        for (role = 0; role < nroles; role++) p->joint[role] = p->legal[role].v[p->pick[role]];
        if (!r->ops->next(r, &p->state, p->joint, &p->after)) give_up(p);
        add_state(p, to, &p->after, sequences, row, unique);
        for (role = nroles; role-- > 0;) {
            if (++p->pick[role] < p->legal[role].n) break;
            p->pick[role] = 0;
        }
    } while (role != UINT32_MAX);
}

static void print_row(struct perft *p, const struct perft_options *o, int64_t depth, const struct row *row)
{
    if (o->json) {
        json_t *j = json_pack("{s:I, s:I, s:I, s:I}", "depth", (json_int_t)depth, "sequences",
                              (json_int_t)row->sequences, "ended", (json_int_t)row->ended, "positions",
                              (json_int_t)row->positions);
        if (o->unique) json_object_set_new(j, "new_positions", json_integer((json_int_t)row->fresh));
        json_array_append_new(p->rows, j);
        return;
    }
    printf("%5" PRId64 " %20" PRIu64 " %20" PRIu64, depth, row->sequences, row->ended);
    if (o->unique) printf(" %15" PRIu64 " %15" PRIu64, row->positions, row->fresh);
    putchar('\n');
    fflush(stdout);
}

/* Fill `to` with the successors of `from`, and count the states of `from` that are ends into its row. Returns
 * whether anything goes on. */
static bool advance(struct perft *p, const struct level *from, struct level *to, int64_t depth, bool go_on,
                    struct row *row, struct row *next, bool unique)
{
    struct progress progress = {0};
    bool open = false;
    level_clear(to);
    for (uint32_t i = 0; i < from->entries.n; i++) {
        bool terminal;
        if (atomic_load(&terminal_interrupted)) {
            progress_end(&progress);
            heap_fail(p->heap, ERROR_CANCELLED, "interrupted at depth %" PRId64, depth + 1);
        }
        progress_show(&progress, "depth %" PRId64 ": %u of %u positions expanded, %u found", depth + 1, i,
                      from->entries.n, to->entries.n);
        level_get(p->heap, from, i, &p->state);
        if (!p->reasoner->ops->terminal(p->reasoner, &p->state, &terminal)) give_up(p);
        if (terminal)
            row->ended += from->entries.v[i].sequences;
        else {
            open = true;
            if (go_on) expand(p, to, from->entries.v[i].sequences, next, unique);
        }
    }
    progress_end(&progress);
    return open;
}

static void count(struct perft *p, const struct perft_options *o)
{
    uint32_t nroles = p->reasoner->game->nroles;
    uint64_t games = 0, positions = 0;
    struct row row = {0};
    bool open = true;
    p->legal = heap_zalloc(p->heap, nroles * sizeof *p->legal);
    p->joint = heap_zalloc(p->heap, nroles * sizeof *p->joint);
    p->pick = heap_zalloc(p->heap, nroles * sizeof *p->pick);
    if (!o->json) {
        printf("%5s %20s %20s", "depth", "sequences", "ended");
        puts(o->unique ? "       positions   never before" : "");
    }
    if (!p->reasoner->ops->initial(p->reasoner, &p->state)) give_up(p);
    add_state(p, &p->levels[0], &p->state, 1, &row, o->unique);
    for (int64_t depth = 0; open && (o->depth == 0 || depth <= o->depth); depth++) {
        struct row next = {0};
        open = advance(p, &p->levels[depth & 1], &p->levels[~depth & 1], depth,
                       o->depth == 0 || depth < o->depth, &row, &next, o->unique);
        print_row(p, o, depth, &row);
        games += row.ended;
        positions += row.fresh;
        row = next;
    }
    if (o->json) {
        json_t *root = json_pack("{s:s, s:s, s:O, s:b}", "game", p->reasoner->game->name, "engine",
                                 p->reasoner->ops->name, "depths", p->rows, "exhausted", !open);
        if (!open) json_object_set_new(root, "games", json_integer((json_int_t)games));
        if (o->unique) json_object_set_new(root, "positions", json_integer((json_int_t)positions));
        json_dumpf(root, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(root);
        return;
    }
    if (!open) printf("\n%" PRIu64 " different games, all ended\n", games);
    if (o->unique) printf("%s%" PRIu64 " different positions\n", open ? "\n" : "", positions);
}

static bool count_guarded(struct perft *p, const struct perft_options *o, struct error *error)
{
    struct heap_guard guard;
    if (!HEAP_ENTER(p->heap, &guard, error)) return false;
    count(p, o);
    heap_leave(p->heap);
    return true;
}

int cmd_perft(int argc, char **argv)
{
    struct perft_options o = {.depth = 4, .memory = 4096, .engine = "auto"};
    const struct option table[] = {
        {"depth", 'd', OPTION_INT, &o.depth, .min = 0, .max = 1e6, .value = "D",
         .help = "how deep; 0: until every game has ended"},
        {"unique", 'u', OPTION_FLAG, &o.unique, .help = "count different positions, too"},
        {"memory", 0, OPTION_INT, &o.memory, .min = 1, .max = 1e9, .value = "MB", .help = "most to use"},
        ENGINE_OPTION(&o.engine),
        {"json", 'j', OPTION_FLAG, &o.json, .help = "print the counts as JSON"},
        {0}};
    int operands, status;
    if (!command_begin(
            "perft GAME [OPTION...]",
            "Count the sequences of joint moves of each length, and how many of them end the game.\n"
            "Two engines that agree on the counts have very likely understood the same rules.",
            table, 1, 1, argc, argv, &operands, &status))
        return status;
    struct session session;
    struct error error;
    if (!session_open(&session, argv[0], argv[1], o.engine, &status)) return status;
    terminal_catch_interrupt();
    struct perft p = {.heap = heap_new((size_t)o.memory << 20), .reasoner = session.reasoner};
    p.rows = json_array();
    bool ok = p.heap && p.rows ? count_guarded(&p, &o, &error) : error_set(&error, ERROR_MEMORY, "no memory");
    status = ok ? EXIT_YES : command_trouble(argv[0], &error);
    for (uint32_t role = 0; p.legal && role < session.game->nroles; role++) list_done(&p.legal[role]);
    state_done(&p.state);
    state_done(&p.after);
    json_decref(p.rows);
    heap_free(p.heap);
    session_close(&session);
    return status;
}
