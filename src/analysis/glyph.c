// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/glyph.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

static const char *word_of(const struct analysis *a, term x)
{
    return symbol_name(a->terms, term_get(a->terms, x)->head);
}

/* ---- colours */

static const struct colour {
    const char *name;
    int ansi;
    const char *tint;
} colours[] = {
    {"red", 31, "red"},    {"green", 32, "green"},  {"yellow", 33, "yellow"}, {"orange", 33, "orange"},
    {"blue", 34, "blue"},  {"magenta", 35, "pink"}, {"purple", 35, "purple"}, {"pink", 35, "pink"},
    {"cyan", 36, "teal"},  {"teal", 36, "teal"},    {"white", 37, "white"},   {"black", 0, "black"},
    {"light", 0, "white"}, {"dark", 0, "black"},    {"brown", 0, "brown"},
};

static const struct colour *colour_called(const char *name)
{
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        if (strncasecmp(name, colours[i].name, strlen(colours[i].name)) == 0) return &colours[i];
    return NULL;
}

const char *glyph_tint(const char *name)
{
    const struct colour *c = colour_called(name);
    return c ? c->tint : NULL;
}

static int colour_of(const struct analysis *a, const struct board *b, const struct piece *p)
{
    static const int palette[] = {36, 31, 32, 33, 35, 34};
    if (p->blank) return 0;
    for (uint32_t i = 0; i < b->ncontents; i++) {
        const struct colour *colour = colour_called(word_of(a, p->contents[i]));
        if (colour && colour->ansi) return colour->ansi;
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

/* How a contents argument is shortened, the same way for all pieces of a board. */
enum shortening {
    SHORT_PREFIX,  /* the beginning: r, y; wp, wk */
    SHORT_LETTERS, /* the first letter and the one that makes the difference: whiteMan, whiteKing -> wM, wK */
    SHORT_HARDLY,  /* the first six */
};

/* Bytes that all names of the i-th contents begin with, as in piece1, piece2, leaving at least one of each.
 */
static size_t common(const struct analysis *a, const struct board *b, uint32_t i)
{
    const char *first = NULL;
    size_t n = 0;
    bool different = false;
    for (uint32_t p = 0; p < b->npieces; p++) {
        if (b->pieces[p].blank) continue;
        const char *name = word_of(a, b->pieces[p].contents[i]);
        if (!first) first = name, n = strlen(name) - 1;
        different |= name != first;
        while (n > 0 && (strncasecmp(first, name, n) != 0 || strlen(name) <= n)) n--;
    }
    return different && n > 1 ? n : 0;
}

/* How many first bytes of the i-th contents, behind the `skip` that all have, tell it from those of all other
 * pieces. */
static size_t needed(const struct analysis *a, const struct board *b, const struct piece *p, uint32_t i,
                     size_t skip)
{
    const char *name = word_of(a, p->contents[i]) + skip;
    size_t most = 1;
    for (uint32_t q = 0; q < b->npieces; q++) {
        const char *other = word_of(a, b->pieces[q].contents[i]) + skip;
        size_t same = 0;
        if (b->pieces[q].blank || b->pieces[q].contents[i] == p->contents[i]) continue;
        while (name[same] && tolower((unsigned char)name[same]) == tolower((unsigned char)other[same]))
            same++;
        if (same + 1 > most) most = same + 1;
    }
    return most < strlen(name) ? most : strlen(name);
}

static void shorten(const struct analysis *a, const struct board *b, const struct piece *p, uint32_t i,
                    enum shortening how, char out[8])
{
    size_t skip = common(a, b, i), n = needed(a, b, p, i, skip);
    const char *name = word_of(a, p->contents[i]) + skip;
    if (how == SHORT_PREFIX || strlen(name) <= 2) {
        n = strlen(name) <= 2 ? strlen(name) : n < 3 ? n : 3;
        while (n < 6 && ((unsigned char)name[n] & 0xc0) == 0x80) n++; /* whole characters */
        snprintf(out, 8, "%.*s", (int)n, name);
    } else if (how == SHORT_LETTERS && n > 1) {
        snprintf(out, 8, "%c%c", name[0], name[n - 1]);
    } else {
        snprintf(out, 8, "%.*s", how == SHORT_LETTERS ? 1 : 6, name);
    }
}

/* The first way that keeps prefixes to two letters and all pieces apart. */
static enum shortening find_shortening(const struct analysis *a, const struct board *b, uint32_t i)
{
    for (enum shortening how = SHORT_PREFIX; how < SHORT_HARDLY; how++) {
        bool good = true;
        char one[8], other[8];
        for (uint32_t p = 0; p < b->npieces && good; p++) {
            if (b->pieces[p].blank) continue;
            shorten(a, b, &b->pieces[p], i, how, one);
            good = how != SHORT_PREFIX || strlen(one) <= 2;
            for (uint32_t q = 0; q < p && good; q++) {
                if (b->pieces[q].blank || b->pieces[q].contents[i] == b->pieces[p].contents[i]) continue;
                shorten(a, b, &b->pieces[q], i, how, other);
                good = strcmp(one, other) != 0;
            }
        }
        if (good) return how;
    }
    return SHORT_HARDLY;
}

static void named_sign(const struct analysis *a, const struct board *b, const struct piece *p,
                       const enum shortening *how, struct glyph *g)
{
    char part[8];
    for (uint32_t i = 0; i < b->ncontents; i++) {
        size_t have = strlen(g->sign);
        shorten(a, b, p, i, how[i], part);
        snprintf(g->sign + have, sizeof g->sign - have, "%s", part);
        if (strncasecmp(part, word_of(a, p->contents[i]), strlen(part)) != 0) g->explained = false;
    }
    g->width = text_columns(g->sign);
}

/* ---- figures */

const char *const figure_names[] = {"none", "king",  "queen", "rook",   "bishop", "knight", "pawn",
                                    "disc", "cross", "ring",  "number", "mark",   "token",  "block"};

static bool is_number(const char *s)
{
    return *s && s[strspn(s, "0123456789")] == '\0';
}

/* How many kinds of pieces the owner of this one has. */
static uint32_t kinds_of(const struct board *b, const struct piece *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->npieces; i++) n += !b->pieces[i].blank && b->pieces[i].owner == p->owner;
    return n;
}

/* Of two kinds of one owner, the frequent one needs no label: a man, where the other is a king. */
static bool is_common(const struct board *b, const struct piece *p)
{
    if (p->owner < 0 || kinds_of(b, p) > 2) return false;
    for (uint32_t i = 0; i < b->npieces; i++)
        if (&b->pieces[i] != p && !b->pieces[i].blank && b->pieces[i].owner == p->owner)
            return p->count > b->pieces[i].count;
    return true;
}

static enum figure figure_of(const struct analysis *a, const struct board *b, const struct piece *p,
                             const struct glyph *g, bool discs)
{
    if (p->blank) return FIGURE_NONE;
    if (b->ncontents == 0) return p->owner >= 0 ? FIGURE_DISC : FIGURE_MARK;
    if (strcasecmp(g->name, "x") == 0) return FIGURE_CROSS;
    if (strcasecmp(g->name, "o") == 0) return FIGURE_RING;
    if (discs || glyph_tint(g->name)) return p->owner >= 0 && !is_common(b, p) ? FIGURE_TOKEN : FIGURE_DISC;
    if (b->ncontents == 1 && is_number(g->name)) return FIGURE_NUMBER;
    /* What nobody or the only player owns is told by its name. */
    if (p->owner < 0 || (a->game->nroles == 1 && b->npieces > 2)) return FIGURE_BLOCK;
    return is_common(b, p) ? FIGURE_DISC : FIGURE_TOKEN;
}

/* The colour somebody named: in the piece's name, or in that of its owner. */
static const char *tint_of(const struct analysis *a, const struct board *b, const struct piece *p)
{
    for (uint32_t i = 0; i < b->ncontents; i++) {
        const char *tint = glyph_tint(word_of(a, p->contents[i]));
        if (tint) return tint;
    }
    return p->owner < 0 ? NULL : glyph_tint(a->game->role_names[p->owner]);
}

/* Signs without the letter that all pieces of one owner begin with: wp, wk -> p, k. */
static void make_labels(const struct board *b, struct glyph *out)
{
    for (uint32_t i = 0; i < b->npieces; i++) {
        bool same = b->pieces[i].owner >= 0 && out[i].sign[0] > 0 && strlen(out[i].sign) > 1;
        for (uint32_t j = 0; j < b->npieces && same; j++)
            same = b->pieces[j].blank || b->pieces[j].owner != b->pieces[i].owner ||
                   (out[j].sign[0] == out[i].sign[0] && strlen(out[j].sign) > 1);
        same &= kinds_of(b, &b->pieces[i]) > 1;
        snprintf(out[i].label, sizeof out[i].label, "%s", out[i].sign + same);
    }
}

void glyphs_make(const struct analysis *a, const struct board *b, bool utf8, struct glyph *out)
{
    bool chess = is_chess(a, b), discs = is_discs(a, b), black;
    int kind;
    enum shortening how[BOARD_MAX_ARGS];
    for (uint32_t i = 0; i < b->ncontents; i++) how[i] = find_shortening(a, b, i);
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
            named_sign(a, b, p, how, g);
        if (b->ncontents == 0) snprintf(g->name, sizeof g->name, "%s", symbol_name(a->terms, b->name));
        g->figure = figure_of(a, b, p, g, discs);
        g->tint = tint_of(a, b, p);
        if (!p->blank && chess && chess_figure(a, b, p, &black, &kind)) {
            g->figure = (enum figure)(FIGURE_KING + kind);
            g->tint = black ? "black" : "white";
        }
    }
    make_labels(b, out);
}
