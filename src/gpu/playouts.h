/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Device code that plays out from positions, made once for all who want it of the same circuit: the threads
 * of a player each have a sampler, and the driver may take a minute for the code. Who comes first makes it,
 * the others wait; the last one gives it back to the driver. Any thread may come. */
#ifndef GPU_PLAYOUTS_H
#define GPU_PLAYOUTS_H

#include "gpu/device_internal.h"

struct gpu_playouts {
    struct gpu_mover mover;
    struct gpu_code play; /* random games from where the lanes are */
    struct gpu_code copy; /* puts lanes there (GPU_REPEAT of tools.h) */
};

/* NULL and an error: as in gpu_code_make. The device stays open until it is given back. */
const struct gpu_playouts *gpu_playouts_take(struct gpu *gpu, const struct circuit *c,
                                             const struct ground_limits *limits, struct error *error);
void gpu_playouts_give_back(struct gpu *gpu, const struct gpu_playouts *p); /* NULL is fine */

#endif
