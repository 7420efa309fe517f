// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/spell.h"

#include <ctype.h>
#include <string.h>

static int fold(char c)
{
    return tolower((unsigned char)c);
}

unsigned spell_distance(const char *a, const char *b, unsigned limit)
{
    while (*a && fold(*a) == fold(*b)) a++, b++;
    if (!*a && !*b) return 0;
    if (limit == 0) return 1;
    unsigned best = limit, d; /* with one slip spent; best == limit means none was found */
    if (*a && (d = spell_distance(a + 1, b, limit - 1)) < best) best = d;
    if (*b && (d = spell_distance(a, b + 1, limit - 1)) < best) best = d;
    if (*a && *b && (d = spell_distance(a + 1, b + 1, limit - 1)) < best) best = d;
    if (*a && *b && fold(a[0]) == fold(b[1]) && fold(a[1]) == fold(b[0]) &&
        (d = spell_distance(a + 2, b + 2, limit - 1)) < best)
        best = d;
    return best + 1;
}

unsigned spell_tolerance(const char *word)
{
    size_t n = strlen(word);
    return n < 3 ? 0 : n < 8 ? 1 : 2;
}
