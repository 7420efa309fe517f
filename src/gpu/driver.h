/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The device's driver library, found when the program runs: nothing of it is needed to build or to start. The
 * names are those of NVIDIA's driver interface; only what we use is declared, with its numbers written out.
 */
#ifndef GPU_DRIVER_H
#define GPU_DRIVER_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define CU_SUCCESS 0
#define CU_OUT_OF_MEMORY 2
#define CU_NO_DEVICE 100
#define CU_NOT_READY 600

enum cu_device_attribute {
    CU_MULTIPROCESSORS = 16,
    CU_CAPABILITY_MAJOR = 75,
    CU_CAPABILITY_MINOR = 76,
    CU_SHARED_PER_MULTIPROCESSOR = 81,
    CU_SHARED_PER_BLOCK = 97,
    CU_SHARED_RESERVED = 111,
};
enum cu_function_attribute {
    CU_LOCAL_BYTES = 3,
    CU_REGISTERS = 4,
    CU_MOST_DYNAMIC_SHARED = 8,
    CU_SHARED_PERCENT = 9
};
enum cu_jit_option { CU_JIT_ERROR_LOG = 5, CU_JIT_ERROR_LOG_SIZE = 6, CU_JIT_LEVEL = 7 };

#define CU_STREAM_APART 1 /* waits for no other */

struct driver {
    void *library;
    int (*cuInit)(unsigned flags);
    int (*cuGetErrorName)(int error, const char **name);
    int (*cuGetErrorString)(int error, const char **text);
    int (*cuDeviceGetCount)(int *count);
    int (*cuDeviceGet)(int *device, int ordinal);
    int (*cuDeviceGetName)(char *name, int size, int device);
    int (*cuDeviceGetAttribute)(int *value, int attribute, int device);
    int (*cuDevicePrimaryCtxRetain)(void **context, int device);
    int (*cuDevicePrimaryCtxRelease_v2)(int device);
    int (*cuCtxSetCurrent)(void *context);
    int (*cuCtxSynchronize)(void);
    int (*cuModuleLoadDataEx)(void **module, const void *image, unsigned n, int *options, void **values);
    int (*cuModuleUnload)(void *module);
    int (*cuModuleGetFunction)(void **function, void *module, const char *name);
    int (*cuFuncGetAttribute)(int *value, int attribute, void *function);
    int (*cuFuncSetAttribute)(void *function, int attribute, int value);
    int (*cuOccupancyMaxActiveBlocksPerMultiprocessor)(int *blocks, void *function, int threads,
                                                       size_t shared);
    int (*cuMemAlloc_v2)(uint64_t *pointer, size_t size);
    int (*cuMemFree_v2)(uint64_t pointer);
    int (*cuMemsetD32_v2)(uint64_t pointer, unsigned value, size_t n);
    int (*cuMemcpy)(uint64_t to, uint64_t from, size_t size);
    int (*cuMemcpyDtoH_v2)(void *to, uint64_t from, size_t size);
    int (*cuMemcpyHtoD_v2)(uint64_t to, const void *from, size_t size);
    int (*cuStreamCreate)(void **stream, unsigned flags);
    int (*cuStreamQuery)(void *stream);
    int (*cuStreamSynchronize)(void *stream);
    int (*cuStreamDestroy_v2)(void *stream);
    int (*cuMemAllocHost_v2)(void **memory, size_t size);
    int (*cuMemFreeHost)(void *memory);
    int (*cuMemsetD32Async)(uint64_t pointer, unsigned value, size_t n, void *stream);
    int (*cuMemcpyDtoHAsync_v2)(void *to, uint64_t from, size_t size, void *stream);
    int (*cuMemcpyHtoDAsync_v2)(uint64_t to, const void *from, size_t size, void *stream);
    int (*cuLaunchKernel)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                          unsigned bz, unsigned shared, void *stream, void **arguments, void **extra);
};

/* $LUDENS_CUDA, or libcuda.so.1. False and a sentence when it cannot be had. */
bool driver_open(struct driver *d, struct error *error);
void driver_close(struct driver *d);

/* True for CU_SUCCESS; else the error says what was being done and what the driver says. */
bool driver_check(const struct driver *d, int result, const char *doing, struct error *error);

#endif
