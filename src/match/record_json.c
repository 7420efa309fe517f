// SPDX-License-Identifier: GPL-3.0-or-later
/* Records as JSON, laid out by hand: one joint move per line reads better than one word per line. */
#include "match/record.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* ---- writing ---- */

/* The bytes of the UTF-8 character at s; 0 if it is none. */
static unsigned utf8_length(const unsigned char *s)
{
    unsigned n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (unsigned i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

static bool is_utf8(const char *s)
{
    for (unsigned n; *s; s += n)
        if ((n = utf8_length((const unsigned char *)s)) == 0) return false;
    return true;
}

static void put_string(struct text *out, const char *s)
{
    text_char(out, '"');
    while (*s) {
        unsigned n = utf8_length((const unsigned char *)s);
        if (n == 0)
            text_char(out, '?'), n = 1;
        else if (*s == '"' || *s == '\\')
            text_printf(out, "\\%c", *s);
        else if (*s == '\n')
            text_puts(out, "\\n");
        else if ((unsigned char)*s < ' ' || *s == 0x7f)
            text_printf(out, "\\u%04x", (unsigned)(unsigned char)*s);
        else
            text_add(out, s, n);
        s += n;
    }
    text_char(out, '"');
}

static void put_strings(struct text *out, const char *const *s, uint32_t n)
{
    text_char(out, '[');
    for (uint32_t i = 0; i < n; i++) {
        if (i) text_puts(out, ", ");
        put_string(out, s[i]);
    }
    text_char(out, ']');
}

static void put_key(struct text *out, const char *key)
{
    text_printf(out, "%s  \"%s\": ", out->s[out->n - 1] == '{' ? "\n" : ",\n", key);
}

/* Whole numbers beyond what JSON's readers agree about are written as strings. */
static void put_number(struct text *out, const char *key, uint64_t x)
{
    put_key(out, key);
    text_printf(out, x < (uint64_t)1 << 53 ? "%llu" : "\"%llu\"", (unsigned long long)x);
}

static void put_steps(const struct record *r, struct text *out)
{
    put_key(out, "moves");
    text_char(out, '[');
    for (uint32_t i = 0; i < r->nsteps; i++) {
        text_puts(out, i ? ",\n    " : "\n    ");
        put_strings(out, r->steps[i].moves, r->nroles);
    }
    text_char(out, ']');
    if (r->nsteps && r->steps[0].at >= 0) {
        put_key(out, "times");
        text_char(out, '[');
        for (uint32_t i = 0; i < r->nsteps; i++)
            text_printf(out, i ? ", %.3f" : "%.3f", r->steps[i].at < 0 ? 0 : r->steps[i].at);
        text_char(out, ']');
    }
    if (r->nsteps && r->steps[0].seconds) {
        put_key(out, "seconds");
        text_char(out, '[');
        for (uint32_t i = 0; i < r->nsteps; i++) {
            text_puts(out, i ? ", [" : "[");
            for (uint32_t k = 0; k < r->nroles; k++)
                text_printf(out, k ? ", %.3f" : "%.3f", r->steps[i].seconds ? r->steps[i].seconds[k] : 0);
            text_char(out, ']');
        }
        text_char(out, ']');
    }
}

static void put_search(const struct record *r, struct text *out)
{
    bool any = false;
    for (uint32_t i = 0; i < r->nsteps; i++) any |= r->steps[i].search != NULL;
    if (!any) return;
    put_key(out, "search");
    text_char(out, '[');
    for (uint32_t i = 0; i < r->nsteps; i++) {
        text_puts(out, i ? ",\n    [" : "\n    [");
        for (uint32_t k = 0; k < r->nroles; k++) {
            const struct match_search *s = r->steps[i].search ? &r->steps[i].search[k] : NULL;
            if (k) text_puts(out, ", ");
            if (s && s->simulations)
                text_printf(out, "{\"simulations\": %llu, \"nodes\": %u, \"value\": %.2f}",
                            (unsigned long long)s->simulations, s->nodes, (double)s->value);
            else
                text_puts(out, "null");
        }
        text_char(out, ']');
    }
    text_char(out, ']');
}

static void put_errors(const struct record *r, struct text *out)
{
    put_key(out, "errors");
    text_char(out, '[');
    for (uint32_t i = 0; i < r->nerrors; i++) {
        const struct record_error *e = &r->errors[i];
        text_printf(out, "%s\n    {\"step\": %u, \"role\": ", i ? "," : "", e->step);
        put_string(out, r->roles[e->role]);
        text_printf(out, ", \"kind\": \"%s\", \"text\": ", match_error_names[e->kind]);
        put_string(out, e->text);
        text_char(out, '}');
    }
    text_char(out, ']');
}

static void put_states(const struct record *r, struct text *out)
{
    put_key(out, "states");
    text_char(out, '[');
    for (uint32_t i = 0; i <= r->nsteps; i++) {
        text_puts(out, i ? ",\n    " : "\n    ");
        put_strings(out, r->states[i].facts, r->states[i].n);
    }
    text_char(out, ']');
}

void record_print_json(const struct record *r, struct text *out)
{
    const struct {
        const char *key, *value;
    } words[] = {{"match", r->match}, {"game", r->game}, {"digest", r->digest}, {"date", r->date}};
    text_char(out, '{');
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (*words[i].value) {
            put_key(out, words[i].key);
            put_string(out, words[i].value);
        }
    put_key(out, "roles");
    put_strings(out, r->roles, r->nroles);
    put_key(out, "players");
    put_strings(out, r->players, r->nroles);
    put_key(out, "clocks");
    text_printf(out, "{\"start\": %.15g, \"play\": %.15g}", r->start_clock, r->play_clock);
    if (r->simulations) put_number(out, "simulations", r->simulations);
    if (r->steps_budget) put_number(out, "stepBudget", r->steps_budget);
    if (r->expansions) put_number(out, "nodes", r->expansions);
    if (r->seed) put_number(out, "seed", r->seed);
    if (r->scrambled) put_number(out, "scramble", r->scramble_seed);
    put_steps(r, out);
    put_search(r, out);
    put_errors(r, out);
    if (r->states) put_states(r, out);
    put_key(out, "rewards");
    for (uint32_t i = 0; i < r->nroles; i++)
        if (r->rewards[i] == GOAL_UNDEFINED)
            text_puts(out, i ? ", null" : "[null");
        else
            text_printf(out, i ? ", %d" : "[%d", r->rewards[i]);
    text_char(out, ']');
    put_key(out, "ending");
    put_string(out, record_ending_names[r->ending]);
    if (r->forfeits) {
        const char **who = heap_alloc(out->heap, r->nroles * sizeof *who);
        uint32_t n = 0;
        for (uint32_t i = 0; i < r->nroles; i++)
            if (r->forfeits[i]) who[n++] = r->roles[i];
        put_key(out, "forfeits");
        put_strings(out, who, n);
        heap_release(out->heap, who);
    }
    if (r->rules && is_utf8(r->rules)) { /* other bytes cannot be written down faithfully */
        put_key(out, "rules");
        put_string(out, r->rules);
    }
    text_puts(out, "\n}\n");
}

/* ---- reading ---- */

static const json_t *get(const struct record *r, const json_t *o, const char *key, json_type type,
                         bool needed)
{
    const json_t *v = json_object_get(o, key);
    if (!v && needed) heap_fail(r->heap, ERROR_INPUT, "there is no \"%s\"", key);
    if (v && json_typeof(v) != type) heap_fail(r->heap, ERROR_INPUT, "\"%s\" is of the wrong type", key);
    return v;
}

static const char *get_word(struct record *r, const json_t *o, const char *key)
{
    const json_t *v = get(r, o, key, JSON_STRING, false);
    return v ? record_word(r, json_string_value(v), json_string_length(v)) : "";
}

static uint64_t get_number(const struct record *r, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    unsigned long long x = 0;
    char end;
    if (!v) return 0;
    if (json_is_integer(v) && json_integer_value(v) >= 0) return (uint64_t)json_integer_value(v);
    if (!json_is_string(v) || json_string_value(v)[0] < '0' || json_string_value(v)[0] > '9' ||
        sscanf(json_string_value(v), "%llu%c", &x, &end) != 1)
        heap_fail(r->heap, ERROR_INPUT, "\"%s\" is not a whole number", key);
    return x;
}

static double get_seconds(const struct record *r, const json_t *v, const char *key)
{
    double x = json_number_value(v);
    if (!json_is_number(v) || !(x >= 0 && x < 1e12))
        heap_fail(r->heap, ERROR_INPUT, "\"%s\" has something that is no time in seconds", key);
    return x;
}

/* An array of exactly n entries of that type. */
static const json_t *get_row(const struct record *r, const json_t *v, size_t n, const char *key)
{
    if (!json_is_array(v) || json_array_size(v) != n)
        heap_fail(r->heap, ERROR_INPUT, "\"%s\" does not have lists of %zu entries", key, n);
    return v;
}

static const char **get_words(struct record *r, const json_t *row, const char *key)
{
    size_t n = json_array_size(row);
    const char **out = heap_alloc(r->heap, (n + 1) * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(row, i);
        if (!json_is_string(v)) heap_fail(r->heap, ERROR_INPUT, "\"%s\" has an entry that is no string", key);
        out[i] = record_word(r, json_string_value(v), json_string_length(v));
    }
    return out;
}

static void get_steps(struct record *r, const json_t *root)
{
    const json_t *moves = get(r, root, "moves", JSON_ARRAY, true),
                 *times = get(r, root, "times", JSON_ARRAY, false),
                 *seconds = get(r, root, "seconds", JSON_ARRAY, false);
    size_t n = json_array_size(moves);
    r->nsteps = (uint32_t)n; /* a file of RECORD_MAX_BYTES cannot have more */
    r->steps = heap_zalloc(r->heap, (n + 1) * sizeof *r->steps);
    if (times) get_row(r, times, n, "times");
    if (seconds) get_row(r, seconds, n, "seconds");
    for (size_t i = 0; i < n; i++) {
        struct record_step *s = &r->steps[i];
        s->moves = get_words(r, get_row(r, json_array_get(moves, i), r->nroles, "moves"), "moves");
        s->at = times ? get_seconds(r, json_array_get(times, i), "times") : -1;
        if (!seconds) continue;
        const json_t *row = get_row(r, json_array_get(seconds, i), r->nroles, "seconds");
        s->seconds = heap_alloc(r->heap, r->nroles * sizeof *s->seconds);
        for (uint32_t k = 0; k < r->nroles; k++)
            s->seconds[k] = get_seconds(r, json_array_get(row, k), "seconds");
    }
}

static struct match_search get_thought(struct record *r, const json_t *v)
{
    struct match_search s = {0};
    if (json_is_null(v)) return s;
    const json_t *value = json_object_get(v, "value");
    double expected = json_number_value(value);
    uint64_t nodes = get_number(r, v, "nodes");
    s.simulations = get_number(r, v, "simulations");
    if (!json_is_object(v) || !json_is_number(value) || !(fabs(expected) <= 1000) || nodes > UINT32_MAX ||
        s.simulations >> 53)
        heap_fail(r->heap, ERROR_INPUT, "\"search\" has an entry that is none");
    s.nodes = (uint32_t)nodes;
    s.value = (float)expected;
    return s;
}

static void get_search(struct record *r, const json_t *root)
{
    const json_t *search = get(r, root, "search", JSON_ARRAY, false);
    if (!search) return;
    get_row(r, search, r->nsteps, "search");
    for (uint32_t i = 0; i < r->nsteps; i++) {
        const json_t *row = get_row(r, json_array_get(search, i), r->nroles, "search");
        r->steps[i].search = heap_zalloc(r->heap, r->nroles * sizeof *r->steps[i].search);
        for (uint32_t k = 0; k < r->nroles; k++)
            r->steps[i].search[k] = get_thought(r, json_array_get(row, k));
    }
}

static void get_errors(struct record *r, const json_t *root)
{
    const json_t *errors = get(r, root, "errors", JSON_ARRAY, false);
    r->nerrors = (uint32_t)json_array_size(errors);
    r->errors = heap_alloc(r->heap, (r->nerrors + 1) * sizeof *r->errors);
    for (uint32_t i = 0; i < r->nerrors; i++) {
        const json_t *e = json_array_get(errors, i);
        if (!json_is_object(e)) heap_fail(r->heap, ERROR_INPUT, "\"errors\" has an entry that is no object");
        const json_t *role = get(r, e, "role", JSON_STRING, true),
                     *kind = get(r, e, "kind", JSON_STRING, true);
        uint64_t step = get_number(r, e, "step");
        int k = MATCH_FAILED;
        while (k > 0 && strcmp(match_error_names[k], json_string_value(kind)) != 0) k--;
        if (k == 0 || step > r->nsteps)
            heap_fail(r->heap, ERROR_INPUT, "\"errors\" has an entry of an unknown kind or step");
        r->errors[i] = (struct record_error){
            (uint32_t)step, record_role(r, json_string_value(role), json_string_length(role)),
            (enum match_error)k, get_word(r, e, "text")};
    }
}

static void get_states(struct record *r, const json_t *root)
{
    const json_t *states = get(r, root, "states", JSON_ARRAY, false);
    if (!states) return;
    get_row(r, states, (size_t)r->nsteps + 1, "states");
    r->states = heap_alloc(r->heap, ((size_t)r->nsteps + 1) * sizeof *r->states);
    for (uint32_t i = 0; i <= r->nsteps; i++) {
        const json_t *row = json_array_get(states, i);
        if (!json_is_array(row)) heap_fail(r->heap, ERROR_INPUT, "\"states\" has an entry that is no list");
        r->states[i] = (struct record_state){get_words(r, row, "states"), (uint32_t)json_array_size(row)};
    }
}

static void get_end(struct record *r, const json_t *root)
{
    const json_t *rewards = get(r, root, "rewards", JSON_ARRAY, false),
                 *ending = get(r, root, "ending", JSON_STRING, false);
    if (rewards) get_row(r, rewards, r->nroles, "rewards");
    r->rewards = heap_alloc(r->heap, r->nroles * sizeof *r->rewards);
    for (uint32_t i = 0; i < r->nroles; i++) {
        const json_t *v = json_array_get(rewards, i);
        json_int_t x = json_is_integer(v) ? json_integer_value(v) : GOAL_UNDEFINED;
        if (v && !json_is_null(v) && (!json_is_integer(v) || x < 0 || x > 1000000))
            heap_fail(r->heap, ERROR_INPUT, "\"rewards\" has an entry that is no reward");
        r->rewards[i] = (int)x;
    }
    if (!ending) return;
    int k = RECORD_FORFEITED;
    while (k >= 0 && strcmp(record_ending_names[k], json_string_value(ending)) != 0) k--;
    if (k < 0) heap_fail(r->heap, ERROR_INPUT, "\"ending\" is unknown");
    r->ending = (enum record_ending)k;
    const json_t *forfeits = get(r, root, "forfeits", JSON_ARRAY, false);
    if (!forfeits) return;
    r->forfeits = heap_zalloc(r->heap, r->nroles * sizeof *r->forfeits);
    for (size_t i = 0; i < json_array_size(forfeits); i++) {
        const char *name = json_string_value(json_array_get(forfeits, i));
        if (!name) heap_fail(r->heap, ERROR_INPUT, "\"forfeits\" has an entry that is no role");
        r->forfeits[record_role(r, name, strlen(name))] = true;
    }
}

static void read_object(struct record *r, const json_t *root)
{
    if (!json_is_object(root)) heap_fail(r->heap, ERROR_INPUT, "this is no record of a match");
    const json_t *roles = get(r, root, "roles", JSON_ARRAY, true),
                 *players = get(r, root, "players", JSON_ARRAY, false),
                 *clocks = get(r, root, "clocks", JSON_OBJECT, false);
    size_t n = json_array_size(roles);
    if (n == 0 || n > RECORD_MAX_ROLES)
        heap_fail(r->heap, ERROR_INPUT, "a match has 1 to %d roles, not %zu", RECORD_MAX_ROLES, n);
    r->nroles = (uint32_t)n;
    r->roles = get_words(r, roles, "roles");
    r->match = get_word(r, root, "match");
    r->game = get_word(r, root, "game");
    r->digest = get_word(r, root, "digest");
    r->date = get_word(r, root, "date");
    const json_t *rules = get(r, root, "rules", JSON_STRING, false);
    if (rules) r->rules = heap_strdup(r->heap, json_string_value(rules), json_string_length(rules));
    if (players)
        r->players = get_words(r, get_row(r, players, n, "players"), "players");
    else {
        r->players = heap_alloc(r->heap, n * sizeof *r->players);
        for (size_t i = 0; i < n; i++) r->players[i] = "";
    }
    const json_t *clock;
    if ((clock = json_object_get(clocks, "start"))) r->start_clock = get_seconds(r, clock, "clocks");
    if ((clock = json_object_get(clocks, "play"))) r->play_clock = get_seconds(r, clock, "clocks");
    r->simulations = get_number(r, root, "simulations");
    r->steps_budget = get_number(r, root, "stepBudget");
    r->expansions = get_number(r, root, "nodes");
    r->seed = get_number(r, root, "seed");
    r->scrambled = json_object_get(root, "scramble") != NULL;
    r->scramble_seed = get_number(r, root, "scramble");
    get_steps(r, root);
    get_search(r, root);
    get_errors(r, root);
    get_states(r, root);
    get_end(r, root);
}

void record_parse_json(struct record *r, const char *data, size_t size)
{
    json_error_t why;
    struct error error;
    struct heap_guard guard;
    json_t *root = json_loadb(data, size, JSON_REJECT_DUPLICATES, &why);
    if (!root) heap_fail(r->heap, ERROR_INPUT, "line %d: %s", why.line, why.text);
    if (HEAP_ENTER(r->heap, &guard, &error)) {
        read_object(r, root);
        heap_leave(r->heap);
        json_decref(root);
        return;
    }
    json_decref(root);
    heap_fail(r->heap, error.code, "%s", error.text);
}
