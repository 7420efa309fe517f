/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boards and states as an SVG picture, from the JSON that the page in the browser draws from, too. */
#ifndef ANALYSIS_PICTURE_SVG_H
#define ANALYSIS_PICTURE_SVG_H

#include "analysis/picture_json.h"

/* Append it. `layout` and `position` as picture_json.h makes them. Call inside a guard of the text's heap. */
void picture_svg(const json_t *layout, const json_t *position, struct text *out);

#endif
