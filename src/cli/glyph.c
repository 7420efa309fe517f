// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/glyph.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

#define SIGN_WIDTH 3 /* most columns of a sign made from a name */

static const char *word_of(const struct analysis *a, term x)
{
    return symbol_name(a->terms, term_get(a->terms, x)->head);
}

/* ---- colours */

static int colour_called(const char *name)
{
    static const struct {
        const char *name;
        int colour;
    } table[] = {{"red", 31},    {"green", 32}, {"yellow", 33}, {"orange", 33}, {"blue", 34}, {"magenta", 35},
                 {"purple", 35}, {"pink", 35},  {"cyan", 36},   {"teal", 36},   {"white", 37}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strncasecmp(name, table[i].name, strlen(table[i].name)) == 0) return table[i].colour;
    return 0;
}

static int colour_of(const struct analysis *a, const struct board *b, const struct piece *p)
{
    static const int palette[] = {36, 31, 32, 33, 35, 34};
    if (p->blank) return 0;
    for (uint32_t i = 0; i < b->ncontents; i++) {
        int colour = colour_called(word_of(a, p->contents[i]));
        if (colour) return colour;
    }
    return p->owner < 0 ? 0 : palette[(size_t)p->owner % (sizeof palette / sizeof *palette)];
}

/* ---- chess */

/* The kind of a chess figure, 0..5 for king, queen, rook, bishop, knight, pawn; -1: it is none. */
static int chess_kind(const char *name)
{
    static const char *const kinds[] = {"king", "queen", "rook", "bishop", "knight", "pawn"};
    static const char letters[] = "kqrbnp";
    for (int k = 0; k < 6; k++)
        if (strcasecmp(name, kinds[k]) == 0 || (tolower((unsigned char)name[0]) == letters[k] && !name[1]))
            return k;
    return -1;
}

/* Take apart "wr", "whiteRook", "black_pawn" or the two words (white rook). False: it is no chess figure. */
static bool chess_figure(const struct analysis *a, const struct board *b, const struct piece *p, bool *black,
                         int *kind)
{
    static const struct {
        const char *prefix;
        bool black;
    } sides[] = {{"white", false}, {"black", true}, {"w", false}, {"b", true}};
    if (b->ncontents < 1 || b->ncontents > 2) return false;
    const char *name = word_of(a, p->contents[0]);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        size_t n = strlen(sides[i].prefix);
        if (strncasecmp(name, sides[i].prefix, n) != 0) continue;
        const char *rest = name + n;
        if (b->ncontents == 2 && *rest) continue;
        if (*rest == '_' || *rest == '-') rest++;
        *black = sides[i].black;
        *kind = chess_kind(b->ncontents == 2 ? word_of(a, p->contents[1]) : rest);
        if (*kind >= 0) return true;
    }
    return false;
}

/* Chess it is, or something like it, if both sides have at least three kinds between them. */
static bool is_chess(const struct analysis *a, const struct board *b)
{
    bool black, kinds[6] = {0}, sides[2] = {0};
    int kind, n = 0;
    for (uint32_t i = 0; i < b->npieces; i++)
        if (!b->pieces[i].blank && chess_figure(a, b, &b->pieces[i], &black, &kind))
            kinds[kind] = sides[black] = true;
    for (int k = 0; k < 6; k++) n += kinds[k];
    return n >= 3 && sides[0] && sides[1];
}

static void chess_sign(struct glyph *g, bool black, int kind, bool utf8)
{
    static const char *const figures[2][6] = {{"♔", "♕", "♖", "♗", "♘", "♙"}, {"♚", "♛", "♜", "♝", "♞", "♟"}};
    char letter = "KQRBNP"[kind];
    if (utf8)
        snprintf(g->sign, sizeof g->sign, "%s", figures[black][kind]);
    else
        snprintf(g->sign, sizeof g->sign, "%c", black ? tolower(letter) : letter);
    g->width = 1;
    g->explained = true;
}

/* ---- discs */

/* All that stands on the board is white and black. */
static bool is_discs(const struct analysis *a, const struct board *b)
{
    if (b->ncontents != 1) return false;
    for (uint32_t i = 0; i < b->npieces; i++) {
        const char *name = word_of(a, b->pieces[i].contents[0]);
        if (!b->pieces[i].blank && strcasecmp(name, "white") != 0 && strcasecmp(name, "black") != 0)
            return false;
    }
    return true;
}

/* ---- names */

/* How many first bytes of the i-th contents tell it from those of all other pieces: at least one. `skip`
 * bytes are common to all and left out. */
static size_t needed(const struct analysis *a, const struct board *b, const struct piece *p, uint32_t i,
                     size_t skip)
{
    const char *name = word_of(a, p->contents[i]) + skip;
    size_t most = 1;
    if (strlen(name) <= 2) return strlen(name);
    for (uint32_t q = 0; q < b->npieces; q++) {
        const char *other = word_of(a, b->pieces[q].contents[i]);
        if (b->pieces[q].blank || b->pieces[q].contents[i] == p->contents[i] || strlen(other) < skip)
            continue;
        size_t same = 0;
        while (name[same] && tolower((unsigned char)name[same]) == tolower((unsigned char)other[skip + same]))
            same++;
        if (same + 1 > most) most = same + 1;
    }
    return most < SIGN_WIDTH ? most : SIGN_WIDTH;
}

/* Bytes that all names of the i-th contents begin with, as in piece1, piece2, leaving at least one of each.
 */
static size_t common(const struct analysis *a, const struct board *b, uint32_t i)
{
    const char *first = NULL;
    size_t n = 0, different = 0;
    for (uint32_t p = 0; p < b->npieces; p++) {
        if (b->pieces[p].blank) continue;
        const char *name = word_of(a, b->pieces[p].contents[i]);
        if (!first) first = name, n = strlen(name) - 1;
        different += name != first;
        while (n > 0 && (strncasecmp(first, name, n) != 0 || strlen(name) <= n)) n--;
    }
    return different && n > 1 ? n : 0;
}

static void named_sign(const struct analysis *a, const struct board *b, const struct piece *p,
                       struct glyph *g)
{
    g->sign[0] = '\0';
    g->explained = true;
    for (uint32_t i = 0; i < b->ncontents; i++) {
        size_t skip = common(a, b, i), n = needed(a, b, p, i, skip), have = strlen(g->sign);
        const char *name = word_of(a, p->contents[i]) + skip;
        if (skip > 0) g->explained = false;
        /* whole UTF-8 characters */
        while (name[n] && ((unsigned char)name[n] & 0xc0) == 0x80) n++;
        snprintf(g->sign + have, sizeof g->sign - have, "%.*s", (int)n, name);
    }
    g->width = 0;
    for (const char *c = g->sign; *c; c++) g->width += ((unsigned char)*c & 0xc0) != 0x80;
}

void glyphs_make(const struct analysis *a, const struct board *b, bool utf8, struct glyph *out)
{
    bool chess = is_chess(a, b), discs = is_discs(a, b), black;
    int kind;
    for (uint32_t i = 0; i < b->npieces; i++) {
        const struct piece *p = &b->pieces[i];
        struct glyph *g = &out[i];
        *g = (struct glyph){.width = 1, .colour = colour_of(a, b, p), .explained = true};
        for (uint32_t c = 0, n = 0; c < b->ncontents && n < sizeof g->name; c++)
            n += (uint32_t)snprintf(g->name + n, sizeof g->name - n, "%s%s", c ? " " : "",
                                    word_of(a, p->contents[c]));
        if (p->blank)
            snprintf(g->sign, sizeof g->sign, "%s", utf8 ? "·" : ".");
        else if (b->ncontents == 0)
            snprintf(g->sign, sizeof g->sign, "%s", utf8 ? "■" : "#");
        else if (chess && chess_figure(a, b, p, &black, &kind))
            chess_sign(g, black, kind, utf8);
        else if (discs && utf8)
            snprintf(g->sign, sizeof g->sign, "%s", strcasecmp(g->name, "white") == 0 ? "○" : "●");
        else
            named_sign(a, b, p, g);
        if (b->ncontents == 0) snprintf(g->name, sizeof g->name, "%s", symbol_name(a->terms, b->name));
    }
}
