/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A game set up to be shown: rules, an engine that answers, what analysis found, signs for the pieces. What
 * referee and desk share. */
#ifndef WEB_STAGE_H
#define WEB_STAGE_H

#include "analysis/picture_json.h"

struct stage {
    struct game *game;
    struct reasoner *reasoner;
    struct analysis *analysis; /* NULL: nothing could be found out */
    struct heap *heap;         /* of the glyphs */
    struct glyph **glyphs;
    struct list *legal; /* scratch, by role */
    uint32_t *joint;    /* scratch, by role */
};

/* `game` is taken over, also when it fails. `memory` in bytes, for engine and analysis. */
bool stage_open(struct stage *s, struct game *game, size_t memory, struct error *error);
void stage_close(struct stage *s);

/* Everything about the game: name, roles, layout, warnings. */
json_t *stage_game(const struct stage *s);
/* A state: what stands where, what changed since `before` (may be NULL), and either the goals or the legal
 * moves of each role with the places where they happen. NULL and an error if the rules do not tell. */
json_t *stage_position(struct stage *s, const struct state *state, const struct state *before,
                       struct error *error);
/* A move as text. NULL without memory; the caller owns it. */
json_t *stage_move(struct stage *s, uint32_t role, uint32_t move);

/* What reading a sheet brought up, with places: [{"severity", "id", "text", "line", "column", "length",
 * ...}].
 */
json_t *findings_json(const struct diags *d);

#endif
