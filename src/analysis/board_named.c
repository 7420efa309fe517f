// SPDX-License-Identifier: GPL-3.0-or-later
/* Boards whose cells are named by one argument, (cell a1 red): the letter is one coordinate, the number the
 * other. */
#include "analysis/analysis_internal.h"

#include <ctype.h>
#include <stdlib.h>

/* The two halves of a name such as "a1" or "c12". */
static bool split_name(const char *name, char *letter, long *number)
{
    size_t digits = strspn(name + 1, "0123456789");
    if (!isalpha((unsigned char)name[0]) || digits == 0 || digits > 2 || name[1 + digits]) return false;
    *letter = (char)tolower((unsigned char)name[0]);
    *number = strtol(name + 1, NULL, 10);
    return true;
}

/* Make the axis of the letters or the numbers that occur; indexes are by letter or number. */
static void split_axis(const struct sample *s, const bool *seen, uint32_t n, bool letters, struct axis *axis,
                       uint32_t *index)
{
    axis->order = letters ? AXIS_NAMES : AXIS_NUMBERS;
    axis->value = heap_cut(s->heap, n * sizeof *axis->value);
    for (uint32_t i = 0; i < n; i++) {
        char text[12];
        int length =
            letters ? snprintf(text, sizeof text, "%c", 'a' + (int)i) : snprintf(text, sizeof text, "%u", i);
        index[i] = axis->n;
        if (seen[i])
            axis->value[axis->n++] = term_atom(s->terms, symbol_intern(s->terms, text, (size_t)length));
    }
}

/* The argument determines the others in every snapshot. */
static bool names_determine(struct finder *f, uint32_t arg)
{
    for (uint32_t i = 0; i < f->s->shots.n; i += f->step) {
        heap_poll(f->s->heap);
        const struct snapshot *shot = &f->s->shots.v[i];
        f->now++;
        for (uint32_t j = 0; j < shot->nfacts; j++) {
            term fact = f->s->facts.v[shot->facts + j];
            if (f->s->predicate_of.v[fact] != f->predicate) continue;
            uint32_t key = f->index[arg * f->nterms + term_arg(f->s->terms, fact, arg)];
            if (key == NOWHERE || f->stamp[key] == f->now) return false;
            f->stamp[key] = f->now;
        }
    }
    return true;
}

/* Does another argument hold names of the same kind? Then they are things on each other, (on a1 b2). */
static bool names_cells_elsewhere(const struct finder *f, uint32_t arg)
{
    const uint32_t *index = f->index + arg * f->nterms;
    for (uint32_t other = 0; other < f->p->arity; other++)
        for (uint32_t i = 0; other != arg && i < f->axis[other].n; i++)
            if (index[f->axis[other].value[i]] != NOWHERE) return true;
    return false;
}

bool board_named(struct finder *f, uint32_t arg)
{
    if (f->axis[arg].n < 6 || !names_determine(f, arg) || names_cells_elsewhere(f, arg)) return false;
    bool letters[26] = {0}, numbers[100] = {0};
    uint32_t letter_index[26], number_index[100], longest[26] = {0}, members[26] = {0}, ncells = 0;
    char letter;
    long number;
    const struct terms *t = f->s->terms;
    const uint32_t *index = f->index + arg * f->nterms;
    for (uint32_t v = 0; v < f->nterms; v++) {
        if (index[v] == NOWHERE) continue;
        if (!split_name(symbol_name(t, term_get(t, v)->head), &letter, &number)) return false;
        letters[letter - 'a'] = numbers[number] = true;
        members[letter - 'a']++;
        if (number > longest[letter - 'a']) longest[letter - 'a'] = (uint32_t)number;
        ncells++;
    }
    struct board b = {.kind = BOARD_CELLS, .compound = true, .x_arg = arg, .y_arg = arg, .planes = 1};
    b.nterms = f->nterms;
    /* Rows that begin with 1 and differ in length are rows of a star or hexagon. */
    bool star = true, differ = false;
    uint32_t any = 0;
    for (uint32_t i = 0; i < 26; i++) {
        if (!members[i]) continue;
        if (any && longest[i] != any) differ = true;
        any = longest[i];
        star &= 2 * members[i] > longest[i];
    }
    b.star = star && differ && numbers[1] && !numbers[0];
    split_axis(f->s, letters, 26, true, b.star ? &b.y : &b.x, letter_index);
    split_axis(f->s, numbers, 100, false, b.star ? &b.x : &b.y, number_index);
    if (b.x.n < 2 || b.y.n < 2 || ncells < 6) return false;
    b.cell_of[0] = finder_copy_index(f, arg);
    b.cell_of[1] = finder_copy_index(f, arg);
    for (uint32_t v = 0; v < f->nterms; v++) {
        if (index[v] == NOWHERE) continue;
        split_name(symbol_name(t, term_get(t, v)->head), &letter, &number);
        b.cell_of[b.star ? 1 : 0][v] = letter_index[letter - 'a'];
        b.cell_of[b.star ? 0 : 1][v] = number_index[number];
    }
    for (uint32_t i = 0; i < f->p->arity; i++)
        if (i != arg) b.contents_arg[b.ncontents++] = i;
    finder_add(f, &b);
    return true;
}
