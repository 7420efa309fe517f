// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/position.h"

#include "match/record.h"

#include <string.h>

/* With one that is, so that it can be seen how they are written. */
static bool refuse(struct reasoner *r, uint32_t role, const struct list *legal, const char *text,
                   struct error *error)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error ignored;
    struct text move;
    error_set(error, ERROR_INPUT, "'%s' is not legal for %s here", text, r->game->role_names[role]);
    if (heap && legal->n && HEAP_ENTER(heap, &guard, &ignored)) {
        text_init(&move, heap);
        reasoner_print_move(r, role, legal->v[0], false, &move);
        error_set(error, ERROR_INPUT, "'%s' is not legal for %s here; %s is", text, r->game->role_names[role],
                  text_str(&move));
        heap_leave(heap);
    }
    heap_free(heap);
    return false;
}

/* One joint move from text: a move per role, or the one move of the only role that has a choice. */
static bool read_joint(struct reasoner *r, const struct state *s, const char *text, uint32_t *joint,
                       struct error *error)
{
    uint32_t nroles = r->game->nroles, found = 0, choosing = 0, mover = 0;
    struct list legal = {0};
    char word[1000];
    for (const char *at = text; *at;) {
        at += strspn(at, " \t,");
        if (!*at) break;
        /* a term: a word, or up to the parenthesis that closes it */
        size_t n = 0;
        int depth = 0;
        do {
            if (at[n] == '(') depth++;
            if (at[n] == ')') depth--;
            n++;
        } while (at[n] && (depth > 0 || (at[n] != ' ' && at[n] != ',')));
        if (n >= sizeof word || found == nroles)
            return error_set(error, ERROR_INPUT, "'%s' is not a joint move", text);
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        at += n;
        /* with one word we do not know yet whose move it is: read it below */
        if (found == 0) joint[0] = UINT32_MAX;
        if (found > 0 || nroles == 1 || at[strspn(at, " \t,")])
            if (!reasoner_read_move(r, found, word, &joint[found])) return *error = r->error, false;
        found++;
    }
    for (uint32_t i = 0; i < nroles; i++) {
        legal.n = 0;
        if (!r->ops->legal(r, s, i, &legal)) {
            list_done(&legal);
            return *error = r->error, false;
        }
        if (legal.n > 1) choosing++, mover = i;
        if (found == 1 && nroles > 1 && legal.n) joint[i] = legal.v[0];
    }
    bool good = true;
    if (found == 1 && nroles > 1) {
        if (choosing > 1)
            good = error_set(error, ERROR_INPUT, "'%s': %u roles choose here; give a move for each role",
                             text, choosing);
        else
            good = reasoner_read_move(r, mover, word, &joint[mover]) || (*error = r->error, false);
    } else if (found != nroles) {
        good = error_set(error, ERROR_INPUT, "'%s' has %u moves for %u roles", text, found, nroles);
    }
    for (uint32_t i = 0; i < nroles && good; i++) {
        legal.n = 0;
        good = r->ops->legal(r, s, i, &legal);
        bool is_legal = false;
        for (uint32_t k = 0; k < legal.n; k++) is_legal |= legal.v[k] == joint[i];
        if (good && !is_legal) good = refuse(r, i, &legal, text, error);
    }
    list_done(&legal);
    return good;
}

/* On the way: where we are, and how we came there. */
struct walk {
    struct reasoner *r;
    struct state *s;
    struct list *made; /* NULL: nobody asks */
};

static bool step(struct walk *w, const uint32_t *joint, struct error *error)
{
    struct reasoner *r = w->r;
    struct state next = {0};
    if (!r->ops->next(r, w->s, joint, &next)) {
        state_done(&next);
        return *error = r->error, false;
    }
    state_done(w->s);
    *w->s = next;
    for (uint32_t i = 0; w->made && i < r->game->nroles; i++)
        if (!list_push(w->made, joint[i])) return error_set(error, ERROR_MEMORY, "out of memory");
    return true;
}

/* The moves of a recorded match, all or the first few. */
static bool follow_file(struct walk *w, const char *path, int64_t ply, struct error *error)
{
    uint32_t joint[RECORD_MAX_ROLES];
    struct reasoner *r = w->r;
    struct record *record = record_read(path, error);
    bool good = record && (record->nroles == r->game->nroles ||
                           error_set(error, ERROR_INPUT, "%s: has %u roles, but %s %u", path, record->nroles,
                                     r->game->name, r->game->nroles));
    if (good && ply > record->nsteps)
        good = error_set(error, ERROR_INPUT, "--ply %lld: %s has %u moves", (long long)ply, path,
                         record->nsteps);
    for (uint32_t i = 0; good && i < record->nsteps && (ply < 0 || i < ply); i++)
        good = (record_joint(record, i, r, w->s, joint, error) || error_prefix(error, "%s", path)) &&
               step(w, joint, error);
    record_free(record);
    return good;
}

static bool make_moves(struct walk *w, const struct option_list *moves, struct error *error)
{
    uint32_t joint[MCTS_MAX_ROLES];
    for (int i = 0; i < moves->n; i++) {
        char copy[4000], *save = NULL;
        if (strlen(moves->v[i]) >= sizeof copy) return error_set(error, ERROR_INPUT, "--moves is too long");
        strcpy(copy, moves->v[i]);
        for (char *text = strtok_r(copy, ";", &save); text; text = strtok_r(NULL, ";", &save))
            if (!read_joint(w->r, w->s, text + strspn(text, " \t"), joint, error) || !step(w, joint, error))
                return false;
    }
    return true;
}

bool position_reach(struct reasoner *r, const struct position_options *o, struct state *s, struct list *made,
                    struct error *error)
{
    struct walk w = {r, s, made};
    if (o->state && o->at) return error_set(error, ERROR_INPUT, "--state and --at exclude each other");
    if (o->ply >= 0 && !o->at) return error_set(error, ERROR_INPUT, "--ply is about the record of --at");
    if (o->state) {
        if (reasoner_read_state(r, o->state, s)) return make_moves(&w, &o->moves, error);
        *error = r->error;
        return error_prefix(error, "--state");
    }
    if (!r->ops->initial(r, s)) return *error = r->error, false;
    return (!o->at || follow_file(&w, o->at, o->ply, error)) && make_moves(&w, &o->moves, error);
}
