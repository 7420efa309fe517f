/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boards and states as JSON, for whoever draws them elsewhere; docs/web-api.md describes both. */
#ifndef ANALYSIS_PICTURE_JSON_H
#define ANALYSIS_PICTURE_JSON_H

#include "analysis/touch.h"

#include <jansson.h>

/* What stays the same in all states: boards with the place of every cell, pieces with figures and colours,
 * roles. */
json_t *layout_json(const struct analysis *a, struct glyph **glyphs);
/* What stands where in one state, and the facts that are on no board. Inside a guard of the heap. */
json_t *position_json(const struct picture *p, const struct terms *terms, const struct list *facts);
/* Where a move happens, numbers as in the layout: {"board": 0, "cells": [3, 4], "zone": "column"}. */
json_t *touch_json(const struct analysis *a, const struct touch *t);

#endif
