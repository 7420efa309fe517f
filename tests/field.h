/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A game of the library, its circuit, and somebody who answers questions about it. */
#ifndef TESTS_FIELD_H
#define TESTS_FIELD_H

#include "testing.h"

#include "game/engine.h"

#include <string.h>

struct field {
    struct game *game;
    struct engine *engine;
    struct reasoner *reasoner;
};

/* `game` is the field's from then on; NULL and an error: the test has failed. */
static inline struct field field_of(struct game *game, struct error error)
{
    struct field f = {.game = game};
    if (!f.game) fail_msg("%s", error.text);
    f.engine = engine_start(f.game, NULL, &error);
    assert_non_null(f.engine);
    assert_int_equal(engine_wait(f.engine, -1), ENGINE_READY);
    f.reasoner = reasoner_circuit(f.game, engine_code(f.engine), &error);
    assert_non_null(f.reasoner);
    return f;
}

static inline struct field open_field(const char *name)
{
    struct error error = {0};
    struct game *game = game_load(name, 0, NULL, &error);
    return field_of(game, error);
}

static inline struct field open_field_text(const char *sheet)
{
    struct error error = {0};
    struct game *game = game_from_text("sheet", sheet, strlen(sheet), 0, NULL, &error);
    return field_of(game, error);
}

static inline void close_field(struct field *f)
{
    reasoner_free(f->reasoner);
    engine_free(f->engine);
    game_free(f->game);
}

#endif
