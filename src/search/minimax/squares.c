// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/minimax/squares.h"

#include <stdlib.h>
#include <string.h>

static bool index_facts(struct squares *s, const struct evaluator_source *from)
{
    const struct circuit *c = from->code->circuit;
    const struct game *game = from->reasoner->game;
    for (uint32_t i = 0; i < c->nfacts; i++) {
        uint32_t cell, piece, role = 0, e = c->fact_edge[i];
        if (!board_find(from->analysis, s->board, c->terms, c->fact[i], &cell, &piece)) continue;
        if (cell >= s->cells) return false;
        if (piece < s->board->npieces && s->board->pieces[piece].blank) continue;
        if (e >> 1 == 0 || e & 1) return false;
        uint32_t bit = (e >> 1) - 1;
        if (s->cell[bit] != SQUARES_NONE) return false;
        term contents = term_arg(c->terms, c->fact[i], s->board->contents_arg[0]);
        while (role < s->nroles && game->roles[role] != contents) role++;
        s->cell[bit] = (uint16_t)cell;
        s->owner[bit] = (uint16_t)role;
        if (role < s->nroles) s->bit[(size_t)role * s->cells + cell] = bit;
    }
    return true;
}

static bool index_moves(struct squares *s, const struct circuit *c)
{
    for (uint32_t role = 0; role < s->nroles; role++) {
        uint32_t n = c->move_base[role + 1] - c->move_base[role];
        s->from[role] = malloc((n + 1) * sizeof **s->from);
        s->to[role] = malloc((n + 1) * sizeof **s->to);
        if (!s->from[role] || !s->to[role]) return false;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t from, to;
            board_trip(s->board, c->terms, c->move[c->move_base[role] + i], &from, &to);
            s->from[role][i] = from < s->cells ? (uint16_t)from : SQUARES_NONE;
            s->to[role][i] = to < s->cells ? (uint16_t)to : SQUARES_NONE;
        }
    }
    return true;
}

bool squares_init(struct squares *s, const struct evaluator_source *from, const struct board *board)
{
    const struct circuit *c = from->code->circuit;
    *s = (struct squares){.board = board, .nroles = c->nroles, .nbits = c->nbits, .cells = board->cells};
    if (board->ncontents != 1 || board->cells >= SQUARES_NONE) return false;
    size_t pieces = (size_t)s->nroles * s->cells;
    s->cell = malloc((s->nbits + 64) * sizeof *s->cell);
    s->owner = malloc((s->nbits + 64) * sizeof *s->owner);
    s->bit = malloc((pieces + 1) * sizeof *s->bit);
    s->from = calloc(s->nroles, sizeof *s->from);
    s->to = calloc(s->nroles, sizeof *s->to);
    bool good = s->cell && s->owner && s->bit && s->from && s->to;
    if (good) {
        memset(s->cell, 0xff, (s->nbits + 64) * sizeof *s->cell);
        memset(s->owner, 0xff, (s->nbits + 64) * sizeof *s->owner);
        memset(s->bit, 0xff, (pieces + 1) * sizeof *s->bit);
    }
    good = good && index_facts(s, from) && index_moves(s, c);
    if (!good) squares_done(s);
    return good;
}

void squares_done(struct squares *s)
{
    for (uint32_t role = 0; role < s->nroles; role++) {
        if (s->from) free(s->from[role]);
        if (s->to) free(s->to[role]);
    }
    free(s->from);
    free(s->to);
    free(s->cell);
    free(s->owner);
    free(s->bit);
    *s = (struct squares){0};
}
