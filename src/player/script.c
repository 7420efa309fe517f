// SPDX-License-Identifier: GPL-3.0-or-later
#include "player/script.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* The next token from `*at` (before `end`): a parenthesis or a word. 0: there is none. */
static size_t token(const char **at, const char *end)
{
    while (*at < end && isspace((unsigned char)**at)) (*at)++;
    if (*at == end) return 0;
    if (**at == '(' || **at == ')') return 1;
    const char *stop = *at;
    while (stop < end && !isspace((unsigned char)*stop) && *stop != '(' && *stop != ')') stop++;
    return (size_t)(stop - *at);
}

/* Skip one term; false if there is none. */
static bool skip_term(const char **at, const char *end)
{
    int depth = 0;
    do {
        size_t n = token(at, end);
        if (n == 0 || (depth == 0 && **at == ')')) return false;
        depth += **at == '(' ? 1 : **at == ')' ? -1 : 0;
        *at += n;
    } while (depth > 0);
    return true;
}

bool script_fits(const char *pattern, size_t n, const char *move)
{
    const char *p = pattern, *p_end = pattern + n, *m = move, *m_end = move + strlen(move);
    for (;;) {
        size_t a = token(&p, p_end);
        if (a == 1 && *p == '?') {
            if (!skip_term(&m, m_end)) return false;
            p++;
            continue;
        }
        size_t b = token(&m, m_end);
        if (a == 0 || b == 0) return a == b;
        if (a != b || strncasecmp(p, m, a) != 0) return false;
        p += a;
        m += b;
    }
}

bool script_check(const char *patterns, struct error *error)
{
    for (const char *at = patterns; *at;) {
        size_t n = strcspn(at, ";");
        const char *p = at, *end = at + n;
        if (!skip_term(&p, end) || token(&p, end))
            return error_set(error, ERROR_INPUT, "'%.*s' is not a pattern such as (move 1 ? ? ?)", (int)n,
                             at);
        at += n + (at[n] == ';');
    }
    return true;
}

uint32_t script_choose(const char *patterns, struct heap *heap, struct reasoner *reasoner, uint32_t role,
                       const struct list *legal)
{
    uint32_t best = 0;
    size_t best_at = SIZE_MAX;
    struct text move;
    text_init(&move, heap);
    for (uint32_t i = 0; i < legal->n; i++) {
        text_clear(&move);
        reasoner_print_move(reasoner, role, legal->v[i], false, &move);
        for (const char *at = patterns; *at && (size_t)(at - patterns) < best_at;) {
            size_t n = strcspn(at, ";");
            if (script_fits(at, n, text_str(&move))) best = i, best_at = (size_t)(at - patterns);
            at += n + (at[n] == ';');
        }
    }
    return best;
}
