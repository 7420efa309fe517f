// SPDX-License-Identifier: GPL-3.0-or-later
/* Records as text, after the Portable Game Notation of chess: tags, then numbered joint moves in role order,
 * with comments in braces, then the rewards.
 *
 *     [Game "connectFour"]
 *     [Role1 "red"]
 *     [Player1 "champion"]
 *
 *     1. (drop 4) noop {1.002 0.000 @11.2}
 *     2. noop (drop 4) {0.000 1.501 @12.7} {yellow late: no answer within 6.00 s}
 *     100-0
 *
 * A comment that begins with a digit has the seconds each seat took, and behind @ when the move was made; one
 * that begins with a role and a kind of error tells of an error. Others are skipped. */
#include "match/record.h"

#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static void put_tag(struct text *out, const char *key, const char *value)
{
    text_printf(out, "[%s \"", key);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\') text_char(out, '\\');
        text_char(out, *value == '\n' ? ' ' : *value);
    }
    text_puts(out, "\"]\n");
}

static void put_tagf(struct text *out, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void put_tagf(struct text *out, const char *key, const char *format, ...)
{
    char value[100];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    put_tag(out, key, value);
}

static void put_result(const struct record *r, struct text *out)
{
    bool decided = r->ending == RECORD_COMPLETED || r->ending == RECORD_FORFEITED;
    if (!decided) text_char(out, '*');
    for (uint32_t i = 0; i < r->nroles && decided; i++)
        if (r->rewards[i] == GOAL_UNDEFINED)
            text_puts(out, i ? "-?" : "?");
        else
            text_printf(out, i ? "-%d" : "%d", r->rewards[i]);
}

static void put_errors(const struct record *r, uint32_t step, struct text *out)
{
    for (uint32_t i = 0; i < r->nerrors; i++) {
        const struct record_error *e = &r->errors[i];
        if (e->step != step) continue;
        text_printf(out, "%s{%s %s: ", step ? " " : "", r->roles[e->role], match_error_names[e->kind]);
        for (const char *c = e->text; *c; c++) text_char(out, *c == '}' ? ')' : *c);
        text_puts(out, step ? "}" : "}\n");
    }
}

static void put_step(const struct record *r, uint32_t i, struct text *out)
{
    const struct record_step *s = &r->steps[i];
    text_printf(out, "%u.", i + 1);
    for (uint32_t k = 0; k < r->nroles; k++)
        /* a word that looks like a comment would be read as one: (f) is the same as f */
        text_printf(out, s->moves[k][0] == '{' ? " (%s)" : " %s", s->moves[k]);
    if (s->seconds && s->at >= 0) {
        text_puts(out, " {");
        for (uint32_t k = 0; k < r->nroles; k++) text_printf(out, "%.3f ", s->seconds[k]);
        text_printf(out, "@%.3f}", s->at);
    }
    put_errors(r, i + 1, out);
    text_char(out, '\n');
}

void record_print_pgn(const struct record *r, struct text *out)
{
    char key[40];
    if (*r->match) put_tag(out, "Match", r->match);
    put_tag(out, "Game", r->game);
    if (*r->digest) put_tag(out, "Digest", r->digest);
    if (*r->date) put_tag(out, "Date", r->date);
    for (uint32_t i = 0; i < r->nroles; i++) {
        snprintf(key, sizeof key, "Role%u", i + 1);
        put_tag(out, key, r->roles[i]);
        snprintf(key, sizeof key, "Player%u", i + 1);
        put_tag(out, key, r->players[i]);
    }
    if (r->start_clock > 0) put_tagf(out, "StartClock", "%.15g", r->start_clock);
    if (r->play_clock > 0) put_tagf(out, "PlayClock", "%.15g", r->play_clock);
    if (r->simulations) put_tagf(out, "Simulations", "%llu", (unsigned long long)r->simulations);
    if (r->steps_budget) put_tagf(out, "Steps", "%llu", (unsigned long long)r->steps_budget);
    if (r->expansions) put_tagf(out, "Nodes", "%llu", (unsigned long long)r->expansions);
    if (r->seed) put_tagf(out, "Seed", "%llu", (unsigned long long)r->seed);
    if (r->scrambled) put_tagf(out, "Scramble", "%llu", (unsigned long long)r->scramble_seed);
    put_tag(out, "Ending", record_ending_names[r->ending]);
    for (uint32_t i = 0; i < r->nroles && r->forfeits; i++)
        if (r->forfeits[i]) put_tag(out, "Forfeit", r->roles[i]);
    struct text result;
    text_init(&result, out->heap);
    put_result(r, &result);
    put_tag(out, "Result", text_str(&result));
    text_char(out, '\n');
    put_errors(r, 0, out);
    for (uint32_t i = 0; i < r->nsteps; i++) put_step(r, i, out);
    text_puts(out, text_str(&result));
    text_char(out, '\n');
}

/* ---- reading ---- */

struct reader {
    struct record *r;
    const char *at, *end;
    uint32_t line;
    const char *roles[RECORD_MAX_ROLES], *players[RECORD_MAX_ROLES];
    const char *forfeits[RECORD_MAX_ROLES];
    uint32_t nforfeits;
    VEC(struct record_step) steps;
    VEC(struct record_error) errors;
};

static _Noreturn void fault(struct reader *in, const char *what)
{
    heap_fail(in->r->heap, ERROR_INPUT, "line %u: %s", in->line, what);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_blank(struct reader *in)
{
    for (; in->at < in->end && is_blank(*in->at); in->at++) in->line += *in->at == '\n';
}

static double read_seconds(struct reader *in, const char *s)
{
    char *end;
    double x = *s >= '0' && *s <= '9' ? strtod(s, &end) : -1;
    if (!(x >= 0 && x < 1e12) || *end) fault(in, "this is no time in seconds");
    return x;
}

static uint64_t read_number(struct reader *in, const char *s)
{
    unsigned long long x;
    char end;
    if (*s < '0' || *s > '9' || sscanf(s, "%llu%c", &x, &end) != 1) fault(in, "this is not a whole number");
    return x;
}

static void read_rewards(struct reader *in, const char *s)
{
    struct record *r = in->r;
    for (uint32_t i = 0; i < r->nroles; i++) {
        char *end = (char *)s + 1;
        r->rewards[i] = GOAL_UNDEFINED;
        if (*s >= '0' && *s <= '9') {
            unsigned long x = strtoul(s, &end, 10);
            if (x > 1000000) fault(in, "this is no reward");
            r->rewards[i] = (int)x;
        } else if (*s != '?') {
            fault(in, "the result is not one reward for each role");
        }
        if (*end != (i + 1 < r->nroles ? '-' : '\0')) fault(in, "the result is not one reward for each role");
        s = end + 1;
    }
}

/* Role1 or Player12: the number, from 0; UINT32_MAX if it is another tag. */
static uint32_t numbered(const char *key, const char *word)
{
    size_t n = strlen(word);
    char *end;
    if (strncmp(key, word, n) != 0 || key[n] < '1' || key[n] > '9') return UINT32_MAX;
    unsigned long x = strtoul(key + n, &end, 10);
    return *end || x > RECORD_MAX_ROLES ? UINT32_MAX : (uint32_t)x - 1;
}

static void take_tag(struct reader *in, const char *key, const char *value, const char **result)
{
    struct record *r = in->r;
    uint32_t i;
    if ((i = numbered(key, "Role")) != UINT32_MAX)
        in->roles[i] = value;
    else if ((i = numbered(key, "Player")) != UINT32_MAX)
        in->players[i] = value;
    else if (strcmp(key, "Match") == 0)
        r->match = value;
    else if (strcmp(key, "Game") == 0)
        r->game = value;
    else if (strcmp(key, "Digest") == 0)
        r->digest = value;
    else if (strcmp(key, "Date") == 0)
        r->date = value;
    else if (strcmp(key, "StartClock") == 0)
        r->start_clock = read_seconds(in, value);
    else if (strcmp(key, "PlayClock") == 0)
        r->play_clock = read_seconds(in, value);
    else if (strcmp(key, "Simulations") == 0)
        r->simulations = read_number(in, value);
    else if (strcmp(key, "Steps") == 0)
        r->steps_budget = read_number(in, value);
    else if (strcmp(key, "Nodes") == 0)
        r->expansions = read_number(in, value);
    else if (strcmp(key, "Seed") == 0)
        r->seed = read_number(in, value);
    else if (strcmp(key, "Scramble") == 0)
        r->scramble_seed = read_number(in, value), r->scrambled = true;
    else if (strcmp(key, "Result") == 0)
        *result = value;
    else if (strcmp(key, "Forfeit") == 0 && in->nforfeits < RECORD_MAX_ROLES)
        in->forfeits[in->nforfeits++] = value;
    else if (strcmp(key, "Ending") == 0) {
        int k = RECORD_FORFEITED;
        while (k >= 0 && strcmp(record_ending_names[k], value) != 0) k--;
        if (k < 0) fault(in, "this ending is unknown");
        r->ending = (enum record_ending)k;
    } /* others are somebody else's business */
}

/* [Key "value"] */
static void read_tag(struct reader *in, const char **result)
{
    char key[40], value[2000];
    size_t n = 0;
    for (in->at++; in->at < in->end && n < sizeof key - 1 && !is_blank(*in->at); in->at++) key[n++] = *in->at;
    key[n] = '\0';
    skip_blank(in);
    if (in->at == in->end || *in->at != '"') fault(in, "a tag is [Key \"value\"]");
    n = 0;
    for (in->at++; in->at < in->end && *in->at != '"' && n < sizeof value - 1; in->at++) {
        if (*in->at == '\\' && in->at + 1 < in->end) in->at++;
        value[n++] = *in->at;
    }
    if (in->at == in->end || *in->at != '"') fault(in, "the value of a tag does not end, or is too long");
    in->at++;
    skip_blank(in);
    if (in->at == in->end || *in->at != ']') fault(in, "a tag is [Key \"value\"]");
    in->at++;
    take_tag(in, key, record_word(in->r, value, n), result);
}

/* 1.002 0.000 @11.2 */
static void read_times(struct reader *in, const char *text, struct record_step *s)
{
    struct record *r = in->r;
    s->seconds = heap_alloc(r->heap, r->nroles * sizeof *s->seconds);
    char *copy = heap_strdup(r->heap, text, strlen(text)), *save = NULL, *word = strtok_r(copy, " ", &save);
    for (uint32_t i = 0; i < r->nroles; i++, word = strtok_r(NULL, " ", &save)) {
        if (!word) fault(in, "there is not one time for each role");
        s->seconds[i] = read_seconds(in, word);
    }
    if (!word || *word != '@') fault(in, "there is not one time for each role and one behind @");
    s->at = read_seconds(in, word + 1);
}

static void read_comment(struct reader *in)
{
    struct record *r = in->r;
    const char *from = ++in->at;
    uint32_t line = in->line;
    for (; in->at < in->end && *in->at != '}'; in->at++) in->line += *in->at == '\n';
    if (in->at == in->end) fault(in, "a comment does not end");
    size_t n = (size_t)(in->at++ - from);
    if (in->line != line) return; /* not one of ours */
    const char *text = record_word(r, from, n);
    if (*text >= '0' && *text <= '9' && in->steps.n) {
        read_times(in, text, &in->steps.v[in->steps.n - 1]);
        return;
    }
    const char *colon = strstr(text, ": "),
               *blank = colon ? memrchr(text, ' ', (size_t)(colon - text)) : NULL;
    for (int k = MATCH_LATE; blank && k <= MATCH_FAILED; k++)
        if (strlen(match_error_names[k]) == (size_t)(colon - blank - 1) &&
            strncmp(blank + 1, match_error_names[k], (size_t)(colon - blank - 1)) == 0) {
            uint32_t role = record_role(r, text, (size_t)(blank - text));
            vec_push(r->heap, &in->errors,
                     (struct record_error){in->steps.n, role, (enum match_error)k, colon + 2});
        }
}

/* One term: a word, or up to the parenthesis that closes it, with single blanks. */
static const char *read_term(struct reader *in)
{
    struct text t;
    text_init(&t, in->r->heap);
    uint32_t depth = 0;
    bool gap = false;
    for (; in->at < in->end; in->at++) {
        char c = *in->at;
        if (is_blank(c)) {
            if (depth == 0) break;
            in->line += c == '\n';
            gap = true;
            continue;
        }
        if (depth == 0 && c == ')') break;
        if (gap && c != ')' && t.s[t.n - 1] != '(') text_char(&t, ' ');
        gap = false;
        text_char(&t, c);
        if (c == '(') depth++;
        if (c == ')' && --depth == 0) {
            in->at++;
            break;
        }
    }
    if (depth || t.n == 0) fault(in, "here should be a move");
    return record_word(in->r, text_str(&t), t.n);
}

static void read_step(struct reader *in)
{
    struct record *r = in->r;
    struct record_step s = {heap_alloc(r->heap, r->nroles * sizeof *s.moves), -1, NULL, NULL};
    for (uint32_t i = 0; i < r->nroles; i++) {
        skip_blank(in);
        s.moves[i] = read_term(in);
    }
    vec_push(r->heap, &in->steps, s);
}

/* Behind a step: is the number of the next one here? */
static bool next_number(struct reader *in)
{
    char number[20];
    size_t n = (size_t)snprintf(number, sizeof number, "%u.", in->steps.n + 1);
    if ((size_t)(in->end - in->at) < n || memcmp(in->at, number, n) != 0) return false;
    in->at += n;
    return true;
}

void record_parse_pgn(struct record *r, const char *data, size_t size)
{
    struct reader in = {.r = r, .at = data, .end = data + size, .line = 1};
    const char *result = "*";
    for (skip_blank(&in); in.at < in.end && *in.at == '['; skip_blank(&in)) read_tag(&in, &result);
    while (r->nroles < RECORD_MAX_ROLES && in.roles[r->nroles]) r->nroles++;
    if (r->nroles == 0) fault(&in, "there is no [Role1 \"...\"]");
    r->roles = heap_alloc(r->heap, r->nroles * sizeof *r->roles);
    r->players = heap_alloc(r->heap, r->nroles * sizeof *r->players);
    r->rewards = heap_alloc(r->heap, r->nroles * sizeof *r->rewards);
    for (uint32_t i = 0; i < r->nroles; i++) {
        r->roles[i] = in.roles[i];
        r->players[i] = in.players[i] ? in.players[i] : "";
        r->rewards[i] = GOAL_UNDEFINED;
    }
    if (strcmp(result, "*") != 0) read_rewards(&in, result);
    if (in.nforfeits) r->forfeits = heap_zalloc(r->heap, r->nroles * sizeof *r->forfeits);
    for (uint32_t i = 0; i < in.nforfeits; i++)
        r->forfeits[record_role(r, in.forfeits[i], strlen(in.forfeits[i]))] = true;
    for (bool more = true; more;) {
        skip_blank(&in);
        if (in.at < in.end && *in.at == '{')
            read_comment(&in);
        else if ((more = next_number(&in)))
            read_step(&in);
    }
    size_t n = strlen(result);
    if ((size_t)(in.end - in.at) < n || memcmp(in.at, result, n) != 0)
        fault(&in, "here should be the next move, by its number, or the result");
    in.at += n;
    skip_blank(&in);
    if (in.at < in.end) fault(&in, "there is something behind the result");
    r->nsteps = in.steps.n;
    r->steps = in.steps.v;
    r->nerrors = in.errors.n;
    r->errors = in.errors.v;
}
