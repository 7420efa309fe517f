// SPDX-License-Identifier: GPL-3.0-or-later
/* No recursion and no allocation while parsing: any text of any depth costs one pass per level the protocol
 * has, which is two. */
#include "net/message.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_delimiter(char c)
{
    return is_space(c) || c == '(' || c == ')' || c == ';';
}

static void advance(struct slice *s, size_t n)
{
    s->at += n;
    s->n -= n;
}

static void skip_comment(struct slice *s)
{
    while (s->n && *s->at != '\n' && *s->at != '\r') advance(s, 1);
}

static void skip_blanks(struct slice *s)
{
    while (s->n && (is_space(*s->at) || *s->at == ';')) {
        if (*s->at == ';')
            skip_comment(s);
        else
            advance(s, 1);
    }
}

/* Rules are megabytes: this is where a message takes its time. */
static bool skip_list(struct slice *s, struct error *error)
{
    const char *at = s->at, *end = s->at + s->n;
    uint32_t depth = 0;
    do {
        char c = *at++;
        if (c == '(') {
            if (++depth > MESSAGE_MAX_DEPTH)
                return error_set(error, ERROR_INPUT, "parentheses nested deeper than %d", MESSAGE_MAX_DEPTH);
        } else if (c == ')') {
            depth--;
        } else if (c == ';') {
            while (at < end && *at != '\n' && *at != '\r') at++;
        }
    } while (depth && at < end);
    advance(s, (size_t)(at - s->at));
    return !depth || error_set(error, ERROR_INPUT, "%u parenthes%s never closed", depth,
                               depth == 1 ? "is is" : "es are");
}

bool slice_term(struct slice *rest, struct slice *term, struct error *error)
{
    error_clear(error);
    skip_blanks(rest);
    if (!rest->n) return false;
    *term = *rest;
    if (*rest->at == ')')
        return error_set(error, ERROR_INPUT, "a closing parenthesis without an opening one");
    if (*rest->at == '(') {
        if (!skip_list(rest, error)) return false;
    } else {
        while (rest->n && !is_delimiter(*rest->at)) advance(rest, 1);
    }
    term->n -= rest->n;
    return true;
}

static bool is_list(struct slice term)
{
    return term.n && *term.at == '(';
}

static bool is_word(struct slice term, const char *word)
{
    return term.n == strlen(word) && strncasecmp(term.at, word, term.n) == 0;
}

static struct slice inside(struct slice list)
{
    return (struct slice){list.at + 1, list.n - 2};
}

char *slice_canonical(struct slice term)
{
    char *out = malloc(2 * term.n + 1), *to = out; /* at most one blank per byte */
    if (!out) return NULL;
    bool gap = false; /* a blank is due before the next token, unless that closes a list */
    for (skip_blanks(&term); term.n; skip_blanks(&term)) {
        char c = *term.at;
        if (gap && c != ')') *to++ = ' ';
        gap = c != '(';
        do {
            *to++ = *term.at;
            advance(&term, 1);
        } while (c != '(' && c != ')' && term.n && !is_delimiter(*term.at));
    }
    *to = '\0';
    return out;
}

void message_end_feed(struct message_end *e, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n && !e->complete; i++) {
        char c = bytes[i];
        if (e->comment)
            e->comment = c != '\n' && c != '\r';
        else if (c == ';')
            e->comment = true;
        else if (c == '(')
            e->depth++;
        else if (c == ')')
            e->complete = e->depth <= 1, e->depth -= e->depth > 0;
    }
}

/* ---- the parts of a message ---- */

static bool missing(struct error *error, const char *kind, const char *what)
{
    return error->code ? false : error_set(error, ERROR_INPUT, "%s without %s", kind, what);
}

static bool take_name(struct slice *rest, const char *kind, const char *what, struct slice *out,
                      struct error *error)
{
    if (!slice_term(rest, out, error)) return missing(error, kind, what);
    if (out->n > MESSAGE_MAX_NAME)
        return error_set(error, ERROR_INPUT, "%s is longer than %d bytes", what, MESSAGE_MAX_NAME);
    return true;
}

static bool take_rules(struct slice *rest, const char *kind, struct slice *out, struct error *error)
{
    if (!slice_term(rest, out, error)) return missing(error, kind, "rules");
    if (!is_list(*out)) return error_set(error, ERROR_INPUT, "%s: the rules are no list", kind);
    *out = inside(*out);
    return true;
}

static bool take_clock(struct slice *rest, const char *kind, const char *what, double *out,
                       struct error *error)
{
    struct slice term;
    char copy[40], *end;
    if (!slice_term(rest, &term, error)) return missing(error, kind, what);
    size_t n = term.n < sizeof copy ? term.n : 0;
    memcpy(copy, term.at, n);
    copy[n] = '\0';
    /* strtod also reads words such as "nan" and hexadecimal digits */
    bool plain = n && strspn(copy, "0123456789.") == n;
    *out = plain ? strtod(copy, &end) : -1;
    if (plain && !*end && *out >= 0 && *out <= MESSAGE_MAX_CLOCK) return true;
    return error_set(error, ERROR_INPUT, "%s: %s is no number of seconds", kind, what);
}

static bool take_moves(struct slice *rest, const char *kind, struct message *m, struct error *error)
{
    struct slice term, moves;
    if (!slice_term(rest, &term, error)) return missing(error, kind, "moves");
    if (is_word(term, "nil")) return true;
    if (!is_list(term))
        return error_set(error, ERROR_INPUT, "%s: the moves are neither a list nor NIL", kind);
    m->moves = moves = inside(term);
    while (slice_term(&moves, &term, error))
        if (++m->nmoves > MESSAGE_MAX_MOVES)
            return error_set(error, ERROR_INPUT, "%s: more than %d moves", kind, MESSAGE_MAX_MOVES);
    return error->code == ERROR_NONE;
}

static const char *const names[] = {"INFO", "PREVIEW", "START", "PLAY", "STOP", "ABORT"};

const char *message_name(enum message_kind kind)
{
    return names[kind];
}

static bool take_kind(struct slice *rest, enum message_kind *out, struct error *error)
{
    struct slice term;
    if (!slice_term(rest, &term, error))
        return error->code ? false : error_set(error, ERROR_INPUT, "an empty message");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_word(term, names[i])) return *out = (enum message_kind)i, true;
    return error_set(error, ERROR_INPUT,
                     "'%.*s' is no message; there are INFO, PREVIEW, START, PLAY, STOP and ABORT",
                     (int)(term.n < 40 ? term.n : 40), term.at);
}

/* Some masters leave the outer parentheses away. */
static bool unwrap(struct slice *rest, struct error *error)
{
    struct slice all = *rest, term;
    skip_blanks(&all);
    if (!all.n || *all.at != '(') return true;
    if (!slice_term(&all, &term, error)) return false;
    skip_blanks(&all);
    if (all.n) return error_set(error, ERROR_INPUT, "something follows the message");
    *rest = inside(term);
    return true;
}

static bool printable(struct slice s)
{
    for (size_t i = 0; i < s.n; i++)
        if (((unsigned char)s.at[i] < ' ' && !is_space(s.at[i])) || s.at[i] == 127) return false;
    return true;
}

static bool take_parts(struct slice *rest, struct message *out, struct error *error)
{
    const char *kind = message_name(out->kind);
    switch (out->kind) {
    case MESSAGE_INFO: return true;
    case MESSAGE_PREVIEW:
        return take_rules(rest, kind, &out->rules, error) &&
               take_clock(rest, kind, "preview clock", &out->start_clock, error);
    case MESSAGE_START:
        return take_name(rest, kind, "match id", &out->id, error) &&
               take_name(rest, kind, "role", &out->role, error) &&
               take_rules(rest, kind, &out->rules, error) &&
               take_clock(rest, kind, "start clock", &out->start_clock, error) &&
               take_clock(rest, kind, "play clock", &out->play_clock, error);
    case MESSAGE_PLAY:
    case MESSAGE_STOP:
        return take_name(rest, kind, "match id", &out->id, error) && take_moves(rest, kind, out, error);
    case MESSAGE_ABORT: return take_name(rest, kind, "match id", &out->id, error);
    }
    return false;
}

bool message_parse(const char *text, size_t size, struct message *out, struct error *error)
{
    struct slice rest = {text, size};
    *out = (struct message){0};
    error_clear(error);
    if (size > MESSAGE_MAX_BYTES)
        return error_set(error, ERROR_INPUT, "a message of more than %zu bytes", MESSAGE_MAX_BYTES);
    if (!printable(rest)) return error_set(error, ERROR_INPUT, "a control character in the message");
    if (!unwrap(&rest, error) || !take_kind(&rest, &out->kind, error) || !take_parts(&rest, out, error))
        return false;
    for (struct slice term; slice_term(&rest, &term, error);) {
    } /* whatever else, but terms */
    return error->code == ERROR_NONE;
}
