/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A device as those see it who have code run there: code made and loaded, memory, launches. Functions that
 * may fail return false and an error; a launch or a copy that fails loses the device. */
#ifndef GPU_DEVICE_INTERNAL_H
#define GPU_DEVICE_INTERNAL_H

#include "gpu/device.h"
#include "gpu/driver.h"
#include "gpu/ptx.h"

struct gpu {
    struct driver driver;
    int device;
    void *context;
    char name[100];
    int multiprocessors;
    struct ptx_memory memory;
    bool lost;
    struct error loss; /* what it said then */
};

/* A kernel. The report lacks what only games have. */
struct gpu_code {
    void *module, *function;
    uint32_t threads; /* of a block; 0: PTX_BLOCK */
    uint32_t shared_bytes;
    struct gpu_games_report report;
};

/* The calling thread will work on it: any may, one at a time. */
bool gpu_enter(struct gpu *gpu, struct error *error);

typedef struct gpu_plan *gpu_planner(struct heap *heap, const void *data);
/* From a plan; of the wishes what is 0 is chosen, level as in struct gpu_games_options. */
bool gpu_code_make(struct gpu *gpu, gpu_planner *planner, const void *data, const struct ptx_options *wishes,
                   uint32_t level, const struct ground_limits *limits, struct gpu_code *code,
                   struct error *error);
/* From text that is there; then its entries, which share the module. */
bool gpu_module_load(struct gpu *gpu, const char *text, uint32_t level, void **module, struct error *error);
bool gpu_module_find(struct gpu *gpu, void *module, const char *entry, void **function, struct error *error);
void gpu_code_free(struct gpu *gpu, struct gpu_code *code);

/* Blocks of its threads, nx * ny of them. It has begun when this returns. */
bool gpu_launch(struct gpu *gpu, const struct gpu_code *code, uint32_t nx, uint32_t ny, void **arguments,
                struct error *error);
/* The same in a stream of its own. */
bool gpu_launch_in(struct gpu *gpu, const struct gpu_code *code, void *stream, uint32_t nx, uint32_t ny,
                   void **arguments, struct error *error);
bool gpu_wait(struct gpu *gpu, struct error *error); /* for all that has begun */

/* Memory of the device. Copies wait for what has begun before. */
bool gpu_allocate(struct gpu *gpu, uint64_t *memory, size_t bytes, struct error *error);
void gpu_release(struct gpu *gpu, uint64_t *memory); /* 0 is fine, and what it is after */
bool gpu_fill(struct gpu *gpu, uint64_t memory, uint32_t value, size_t words, struct error *error);
bool gpu_fetch(struct gpu *gpu, void *to, uint64_t from, size_t bytes, struct error *error);
/* From anywhere to anywhere. */
bool gpu_copy(struct gpu *gpu, uint64_t to, uint64_t from, size_t bytes, struct error *error);
bool gpu_send(struct gpu *gpu, uint64_t to, const void *from, size_t bytes, struct error *error);

/* Returns false, with the words of the first failure; *error is that if it is the first. */
bool gpu_lose(struct gpu *gpu, struct error *error);

#endif
