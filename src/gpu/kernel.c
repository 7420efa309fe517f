// SPDX-License-Identifier: GPL-3.0-or-later
/* Code and memory on the device. */
#include "gpu/device_internal.h"

#include "base/clock.h"

#include <stdlib.h>

#define MUCH 20000        /* gates, for which the driver's own improvements take too long */
#define MOST_GATES 200000 /* the driver takes minutes for more */

/* A device that has failed once stays lost: the driver refuses everything from then on. */
bool gpu_lose(struct gpu *gpu, struct error *error)
{
    if (!gpu->lost && error) gpu->loss = *error;
    gpu->lost = true;
    if (error) *error = gpu->loss;
    return false;
}

bool gpu_enter(struct gpu *gpu, struct error *error)
{
    if (gpu->lost) return gpu_lose(gpu, error);
    return driver_check(&gpu->driver, gpu->driver.cuCtxSetCurrent(gpu->context), "entering it", error) ||
           gpu_lose(gpu, error);
}

/* --- Code ----------------------------------------------------------------------------------------------- */

bool gpu_module_load(struct gpu *gpu, const char *text, uint32_t level, void **module, struct error *error)
{
    const struct driver *d = &gpu->driver;
    char log[400] = "";
    int options[] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_SIZE, CU_JIT_LEVEL};
    void *values[] = {log, (void *)(sizeof log - 1), (void *)(uintptr_t)level};
    if (driver_check(d, d->cuModuleLoadDataEx(module, text, 3, options, values), "translating our code",
                     error))
        return true;
    if (log[0] && error) { /* the driver's own words are the best there are */
        size_t n = strlen(error->text);
        snprintf(error->text + n, sizeof error->text - n, ": %.200s", log);
    }
    *module = NULL;
    return false;
}

bool gpu_module_find(struct gpu *gpu, void *module, const char *entry, void **function, struct error *error)
{
    const struct driver *d = &gpu->driver;
    return driver_check(d, d->cuModuleGetFunction(function, module, entry), "looking for our code", error);
}

static bool load(struct gpu *gpu, const struct ptx *ptx, uint32_t level, struct gpu_code *code,
                 struct error *error)
{
    const struct driver *d = &gpu->driver;
    int value;
    double began = clock_now();
    if (!level) level = ptx->gates > MUCH ? 1 : 4;
    if (!gpu_module_load(gpu, ptx->text, level, &code->module, error)) return false;
    code->report.load_seconds = clock_now() - began;
    if (!gpu_module_find(gpu, code->module, ptx->entry, &code->function, error)) return false;
    code->threads = ptx->threads;
    code->shared_bytes = ptx->shared_slots * 4 * ptx->threads;
    if (code->shared_bytes &&
        !driver_check(d,
                      d->cuFuncSetAttribute(code->function, CU_MOST_DYNAMIC_SHARED, (int)code->shared_bytes),
                      "asking for shared memory", error))
        return false;
    /* memory that is not shared is a cache for what is local */
    int shared = (int)code->report.blocks * ((int)code->shared_bytes + gpu->memory.reserved),
        percent = (100 * shared + gpu->memory.multiprocessor - 1) / gpu->memory.multiprocessor;
    d->cuFuncSetAttribute(code->function, CU_SHARED_PERCENT,
                          percent < 100 ? percent : 100); /* no more than a wish */
    if (!d->cuFuncGetAttribute(&value, CU_REGISTERS, code->function))
        code->report.registers = (uint32_t)value;
    if (!d->cuFuncGetAttribute(&value, CU_LOCAL_BYTES, code->function))
        code->report.local_bytes = (uint32_t)value;
    return true;
}

bool gpu_code_make(struct gpu *gpu, gpu_planner *planner, const void *data, const struct ptx_options *wishes,
                   uint32_t level, const struct ground_limits *limits, struct gpu_code *code,
                   struct error *error)
{
    struct heap *heap = heap_new(limits ? limits->bytes : 0);
    struct heap_guard guard;
    volatile bool good = false;
    if (!heap) return error_set(error, ERROR_MEMORY, "no memory for device code");
    if (HEAP_ENTER(heap, &guard, error)) {
        double began = clock_now();
        heap->cancel = limits ? limits->cancel : NULL;
        if (limits && limits->seconds > 0) heap->deadline = began + limits->seconds;
        struct gpu_plan *plan = planner(heap, data);
        if (plan->gates > MOST_GATES)
            heap_fail(heap, ERROR_INPUT, "the circuit is too large for a GPU: %u gates, at most %u",
                      plan->gates, MOST_GATES);
        struct ptx ptx = ptx_write_for(plan, &gpu->memory, wishes);
        code->report = (struct gpu_games_report){.blocks = ptx.blocks,
                                                 .turns = ptx.turns,
                                                 .gates = ptx.gates,
                                                 .loads = ptx.loads,
                                                 .stores = ptx.stores,
                                                 .shared_slots = ptx.shared_slots,
                                                 .text_bytes = (uint32_t)ptx.length,
                                                 .make_seconds = clock_now() - began};
        good = load(gpu, &ptx, level, code, error);
        heap_leave(heap);
    }
    heap_free(heap);
    return good;
}

void gpu_code_free(struct gpu *gpu, struct gpu_code *code)
{
    if (code->module) gpu->driver.cuModuleUnload(code->module);
    *code = (struct gpu_code){0};
}

bool gpu_launch(struct gpu *gpu, const struct gpu_code *code, uint32_t nx, uint32_t ny, void **arguments,
                struct error *error)
{
    return gpu_launch_in(gpu, code, NULL, nx, ny, arguments, error);
}

bool gpu_launch_in(struct gpu *gpu, const struct gpu_code *code, void *stream, uint32_t nx, uint32_t ny,
                   void **arguments, struct error *error)
{
    const struct driver *d = &gpu->driver;
    if (gpu->lost) return gpu_lose(gpu, error);
    uint32_t threads = code->threads ? code->threads : PTX_BLOCK;
    int result = d->cuLaunchKernel(code->function, nx, ny, 1, threads, 1, 1, code->shared_bytes, stream,
                                   arguments, NULL);
    return driver_check(d, result, "starting to play", error) || gpu_lose(gpu, error);
}

bool gpu_wait(struct gpu *gpu, struct error *error)
{
    const struct driver *d = &gpu->driver;
    if (gpu->lost) return gpu_lose(gpu, error);
    return driver_check(d, d->cuCtxSynchronize(), "playing", error) || gpu_lose(gpu, error);
}

/* --- Memory --------------------------------------------------------------------------------------------- */

bool gpu_allocate(struct gpu *gpu, uint64_t *memory, size_t bytes, struct error *error)
{
    if (gpu->lost) return gpu_lose(gpu, error);
    return driver_check(&gpu->driver, gpu->driver.cuMemAlloc_v2(memory, bytes), "setting up games", error);
}

void gpu_release(struct gpu *gpu, uint64_t *memory)
{
    if (*memory) gpu->driver.cuMemFree_v2(*memory);
    *memory = 0;
}

bool gpu_fill(struct gpu *gpu, uint64_t memory, uint32_t value, size_t words, struct error *error)
{
    if (gpu->lost) return gpu_lose(gpu, error);
    return driver_check(&gpu->driver, gpu->driver.cuMemsetD32_v2(memory, value, words), "setting up games",
                        error) ||
           gpu_lose(gpu, error);
}

bool gpu_fetch(struct gpu *gpu, void *to, uint64_t from, size_t bytes, struct error *error)
{
    if (gpu->lost) return gpu_lose(gpu, error);
    return driver_check(&gpu->driver, gpu->driver.cuMemcpyDtoH_v2(to, from, bytes),
                        "giving back what was played", error) ||
           gpu_lose(gpu, error);
}

bool gpu_send(struct gpu *gpu, uint64_t to, const void *from, size_t bytes, struct error *error)
{
    if (gpu->lost) return gpu_lose(gpu, error);
    return driver_check(&gpu->driver, gpu->driver.cuMemcpyHtoD_v2(to, from, bytes), "setting up games",
                        error) ||
           gpu_lose(gpu, error);
}

bool gpu_copy(struct gpu *gpu, uint64_t to, uint64_t from, size_t bytes, struct error *error)
{
    if (gpu->lost) return gpu_lose(gpu, error);
    return driver_check(&gpu->driver, gpu->driver.cuMemcpy(to, from, bytes), "copying", error) ||
           gpu_lose(gpu, error);
}
