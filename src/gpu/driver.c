// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define DRIVER_LIBRARY "libcuda.so.1"

/* Functions and where they go, in the order of the struct. */
#define WANT(name)                           \
    {                                        \
#name, offsetof(struct driver, name) \
    }
static const struct {
    const char *name;
    size_t at;
} wanted[] = {
    WANT(cuInit),
    WANT(cuGetErrorName),
    WANT(cuGetErrorString),
    WANT(cuDeviceGetCount),
    WANT(cuDeviceGet),
    WANT(cuDeviceGetName),
    WANT(cuDeviceGetAttribute),
    WANT(cuDevicePrimaryCtxRetain),
    WANT(cuDevicePrimaryCtxRelease_v2),
    WANT(cuCtxSetCurrent),
    WANT(cuCtxSynchronize),
    WANT(cuModuleLoadDataEx),
    WANT(cuModuleUnload),
    WANT(cuModuleGetFunction),
    WANT(cuFuncGetAttribute),
    WANT(cuFuncSetAttribute),
    WANT(cuOccupancyMaxActiveBlocksPerMultiprocessor),
    WANT(cuMemAlloc_v2),
    WANT(cuMemFree_v2),
    WANT(cuMemsetD32_v2),
    WANT(cuMemcpy),
    WANT(cuMemcpyDtoH_v2),
    WANT(cuMemcpyHtoD_v2),
    WANT(cuStreamCreate),
    WANT(cuStreamQuery),
    WANT(cuStreamSynchronize),
    WANT(cuStreamDestroy_v2),
    WANT(cuMemAllocHost_v2),
    WANT(cuMemFreeHost),
    WANT(cuMemsetD32Async),
    WANT(cuMemcpyDtoHAsync_v2),
    WANT(cuMemcpyHtoDAsync_v2),
    WANT(cuLaunchKernel),
};

bool driver_open(struct driver *d, struct error *error)
{
    const char *path = getenv("LUDENS_CUDA");
    *d = (struct driver){0};
    if (!path || !*path) path = DRIVER_LIBRARY;
    /* it stays: threads that have used it may end later than we close it */
    d->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!d->library)
        return error_set(error, ERROR_SYSTEM, "no GPU: its driver is not installed (%s)", dlerror());
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *function = dlsym(d->library, wanted[i].name);
        if (!function) {
            error_set(error, ERROR_SYSTEM, "no GPU: its driver %s has no %s; a newer one is needed", path,
                      wanted[i].name);
            driver_close(d);
            return false;
        }
        memcpy((char *)d + wanted[i].at, &function, sizeof function);
    }
    return true;
}

void driver_close(struct driver *d)
{
    if (d->library) dlclose(d->library);
    d->library = NULL;
}

bool driver_check(const struct driver *d, int result, const char *doing, struct error *error)
{
    const char *name = NULL, *text = NULL;
    if (result == CU_SUCCESS) return true;
    if (result == CU_OUT_OF_MEMORY)
        return error_set(error, ERROR_MEMORY, "the GPU has not enough memory while %s; take fewer lanes",
                         doing);
    d->cuGetErrorName(result, &name);
    d->cuGetErrorString(result, &text);
    return error_set(error, ERROR_SYSTEM, "the GPU failed while %s: %s (%s, %d)", doing,
                     text ? text : "no reason given", name ? name : "unknown", result);
}
