/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "Did you mean": how far apart two words are. */
#ifndef BASE_SPELL_H
#define BASE_SPELL_H

/* Letters to insert, delete, change or swap with a neighbour (any case) to turn one word into the other;
 * limit + 1 if it takes more than `limit`, which is at most 3. */
unsigned spell_distance(const char *a, const char *b, unsigned limit);

/* The slips that are likely in a word of that length: 0 for very short ones, at most 2. */
unsigned spell_tolerance(const char *word);

#endif
