/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small kernels that know no game: between rows of bits (steps.h) and arrays as people like them. Each is a
 * text of its own with one entry; threads come in blocks of PTX_BLOCK, nx of them for `lanes`, and as many
 * rows or the like as there are in the other direction. */
#ifndef GPU_TOOLS_H
#define GPU_TOOLS_H

#include <stdint.h>

#define GPU_TOOL_ENTRY "ludens_tool"

enum gpu_tool {
    GPU_SPREAD,    /* (rows, out, words): bytes, 0 or 1; a thread for 4 lanes, by row */
    GPU_WEIGH_U8,  /* (rows, values, out, words, nrows, base): by lane, base + the sum of the values of the
                      rows that have it */
    GPU_WEIGH_U32, /* the same, wider */
    GPU_WEIGH_S16,
    GPU_WEIGH_F32, /* a hundredth of it */
    GPU_PACK,      /* (rows, out, words, nrows, halves): by lane, so many words of 32 rows; a thread for a
                      lane, by word */
    GPU_UNPACK,    /* (in, rows, words, nrows, halves): the other way round */
    GPU_GATHER,    /* (in, used, out): the row of lanes whose byte is not 0, and that are used; a thread for a
                      lane */
    GPU_TURN,   /* (moves, out, words, each, planes): what is asked (steps.h); a thread for a lane, by role */
    GPU_BLEND,  /* (rows, values, mask, words): rows get values where the mask is; a thread for 32 lanes, by
                   row */
    GPU_REPEAT, /* (in, rows, words, nrows, halves, roots): in all lanes of word w what is packed as number
                   w % roots; a thread for 32 lanes, by word of what is packed */
    GPU_TOOLS
};

const char *gpu_tool_text(enum gpu_tool tool);

#endif
