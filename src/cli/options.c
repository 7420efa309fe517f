// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/options.h"

#include "base/spell.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool limited(const struct option *o)
{
    return o->min != 0 || o->max != 0;
}

static bool bad_value(const struct option *o, const char *value, const char *what, struct error *error)
{
    if (limited(o))
        return error_set(error, ERROR_INPUT, "--%s wants %s from %.15g to %.15g, not '%s'", o->name, what,
                         o->min, o->max, value);
    return error_set(error, ERROR_INPUT, "--%s wants %s, not '%s'", o->name, what, value);
}

bool options_next_choice(const char **choices, char *name, size_t size)
{
    size_t n = *choices ? strcspn(*choices, "|") : 0;
    if (n == 0) return false;
    snprintf(name, size, "%.*s", (int)n, *choices);
    *choices += n + ((*choices)[n] == '|');
    return true;
}

static bool is_choice(const char *choices, const char *value)
{
    char name[100];
    while (options_next_choice(&choices, name, sizeof name))
        if (strcmp(name, value) == 0) return true;
    return false;
}

/* "lifted|circuit|auto" as "lifted, circuit, auto". */
static void list_choices(const char *choices, char *out, size_t size)
{
    char name[100];
    size_t have = 0;
    *out = '\0';
    while (have < size && options_next_choice(&choices, name, sizeof name))
        have += (size_t)snprintf(out + have, size - have, "%s%s", have ? ", " : "", name);
}

static bool bad_choice(const struct option *o, const char *value, struct error *error)
{
    char known[200];
    list_choices(o->choices, known, sizeof known);
    return error_set(error, ERROR_INPUT, "--%s wants one of %s, not '%.60s'", o->name, known, value);
}

/* As people write large ones: 1e9, 2.5e6. Nothing is taken from the text unless it is whole. */
static long long whole_number(const char *text, char **end)
{
    const double EXACT = 9007199254740992; /* 2^53 */
    double x = strtod(text, end);
    bool whole = x >= -EXACT && x <= EXACT && x == (double)(long long)x;
    if (!whole) *end = (char *)text;
    return whole ? (long long)x : 0;
}

static bool store(const struct option *o, const char *value, struct error *error)
{
    char *end;
    errno = 0;
    switch (o->type) {
    case OPTION_FLAG: *(bool *)o->store = true; return true;
    case OPTION_INT: {
        long long x = strtoll(value, &end, 10);
        if (*end == 'e' || *end == 'E' || *end == '.') x = whole_number(value, &end);
        if (*end || end == value || errno || (limited(o) && ((double)x < o->min || (double)x > o->max)))
            return bad_value(o, value, "a whole number", error);
        *(int64_t *)o->store = x;
        return true;
    }
    case OPTION_SEED: {
        unsigned long long x = strtoull(value, &end, 0);
        if (*end || end == value || errno || value[0] == '-')
            return bad_value(o, value, "a number that is not negative", error);
        *(uint64_t *)o->store = x;
        return true;
    }
    case OPTION_REAL: {
        double x = strtod(value, &end);
        if (*end || end == value || x != x || (limited(o) && (x < o->min || x > o->max)))
            return bad_value(o, value, "a number", error);
        *(double *)o->store = x;
        return true;
    }
    case OPTION_STRING:
        if (o->choices && !is_choice(o->choices, value)) return bad_choice(o, value, error);
        *(const char **)o->store = value;
        return true;
    case OPTION_LIST: {
        struct option_list *list = o->store;
        int room = (int)(sizeof list->v / sizeof *list->v);
        if (list->n == room)
            return error_set(error, ERROR_INPUT, "--%s given more than %d times", o->name, room);
        list->v[list->n++] = value;
        return true;
    }
    }
    return false;
}

static const struct option *find(const struct option *table, const char *name, size_t length, char letter)
{
    for (const struct option *o = table; o->name; o++)
        if (letter ? o->letter == letter : strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

static bool unknown(const struct option *table, const char *arg, struct error *error)
{
    const char *near = NULL;
    unsigned best = 3;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(arg + 1, "="), arg + 1);
    for (const struct option *o = table; o->name && arg[1] == '-'; o++) {
        unsigned d = spell_distance(name + 1, o->name, 2);
        if (d < best) best = d, near = o->name;
    }
    if (near) return error_set(error, ERROR_INPUT, "unknown option %s; did you mean --%s?", arg, near);
    return error_set(error, ERROR_INPUT, "unknown option %s; --help lists them", arg);
}

bool options_parse(const struct option *table, int argc, char **argv, int *operands, bool *help,
                   struct error *error)
{
    int kept = 0;
    *help = false;
    for (int i = 1; i < argc; i++) {
        char *arg = argv[i];
        if (strcmp(arg, "--") == 0) {
            while (++i < argc) argv[++kept] = argv[i];
            break;
        }
        if (arg[0] != '-' || arg[1] == '\0') {
            argv[++kept] = arg;
            continue;
        }
        if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
            *help = true;
            continue;
        }
        const struct option *o;
        const char *value = NULL;
        if (arg[1] == '-') {
            size_t length = strcspn(arg + 2, "=");
            o = find(table, arg + 2, length, 0);
            if (arg[2 + length] == '=') value = arg + 3 + length;
        } else {
            o = find(table, "", 0, arg[1]);
            if (arg[2]) value = arg + 2;
        }
        if (!o) return unknown(table, arg, error);
        if (o->type == OPTION_FLAG && value)
            return error_set(error, ERROR_INPUT, "--%s takes no value", o->name);
        if (o->type != OPTION_FLAG && !value) {
            if (i + 1 >= argc)
                return error_set(error, ERROR_INPUT, "--%s needs a value (%s)", o->name,
                                 o->value ? o->value : "VALUE");
            value = argv[++i];
        }
        if (!store(o, value, error)) return false;
    }
    *operands = kept;
    return true;
}

void options_add_choice(char *choices, size_t size, const char *name)
{
    size_t have = strlen(choices);
    snprintf(choices + have, size - have, "%s%s", have ? "|" : "", name);
}

bool options_default(const struct option *o, char *text, size_t size)
{
    switch (o->type) {
    case OPTION_INT: snprintf(text, size, "%" PRId64, *(const int64_t *)o->store); return true;
    case OPTION_SEED: snprintf(text, size, "%" PRIu64, *(const uint64_t *)o->store); return true;
    case OPTION_REAL: snprintf(text, size, "%g", *(const double *)o->store); return true;
    case OPTION_STRING:
        if (*(const char *const *)o->store) snprintf(text, size, "%s", *(const char *const *)o->store);
        return *(const char *const *)o->store != NULL;
    case OPTION_FLAG:
    case OPTION_LIST: break;
    }
    return false;
}

void options_help(FILE *out, const struct option *table)
{
    for (const struct option *o = table; o->name; o++) {
        char left[80], text[200];
        int n = snprintf(left, sizeof left, o->letter ? "-%c, " : "    ", o->letter);
        n += snprintf(left + n, sizeof left - (size_t)n, "--%s", o->name);
        if (o->type != OPTION_FLAG)
            snprintf(left + n, sizeof left - (size_t)n, " %s", o->value ? o->value : "VALUE");
        fprintf(out, "  %-28s %s", left, o->help ? o->help : "");
        if (o->choices) {
            list_choices(o->choices, text, sizeof text);
            fprintf(out, ": %s", text);
        }
        if (options_default(o, text, sizeof text)) fprintf(out, " (default %s)", text);
        fputc('\n', out);
    }
    fprintf(out, "  %-28s %s\n", "-h, --help", "show this text");
}
