// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/position.h"

#include "match/record.h"

#include <string.h>

#define MOST_ROLES 64

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
        if (good && !is_legal)
            good =
                error_set(error, ERROR_INPUT, "'%s' is not legal for %s here", text, r->game->role_names[i]);
    }
    list_done(&legal);
    return good;
}

static bool make(struct reasoner *r, struct state *s, const char *text, struct error *error)
{
    uint32_t joint[MOST_ROLES];
    struct state next = {0};
    if (!read_joint(r, s, text + strspn(text, " \t"), joint, error)) return false;
    if (!r->ops->next(r, s, joint, &next)) return *error = r->error, false;
    state_done(s);
    *s = next;
    return true;
}

/* All moves of a recorded match. */
static bool follow_file(struct reasoner *r, struct state *s, const char *path, struct error *error)
{
    uint32_t joint[RECORD_MAX_ROLES];
    struct record *record = record_read(path, error);
    bool good = record && (record->nroles == r->game->nroles ||
                           error_set(error, ERROR_INPUT, "%s: has %u roles, but %s %u", path, record->nroles,
                                     r->game->name, r->game->nroles));
    for (uint32_t i = 0; good && i < record->nsteps; i++) {
        struct state next = {0};
        good = record_joint(record, i, r, s, joint, error) || error_prefix(error, "%s", path);
        if (good && !r->ops->next(r, s, joint, &next)) good = (*error = r->error, false);
        if (!good) {
            state_done(&next);
            break;
        }
        state_done(s);
        *s = next;
    }
    record_free(record);
    return good;
}

bool position_reach(struct reasoner *r, struct state *s, const char *at, const struct option_list *moves,
                    struct error *error)
{
    if (!r->ops->initial(r, s)) return *error = r->error, false;
    if (at && !follow_file(r, s, at, error)) return false;
    for (int i = 0; i < moves->n; i++) {
        char copy[4000];
        if (strlen(moves->v[i]) >= sizeof copy) return error_set(error, ERROR_INPUT, "--moves is too long");
        strcpy(copy, moves->v[i]);
        char *save = NULL;
        for (char *text = strtok_r(copy, ";", &save); text; text = strtok_r(NULL, ";", &save))
            if (!make(r, s, text, error)) return false;
    }
    return true;
}
