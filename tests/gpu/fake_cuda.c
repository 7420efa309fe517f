// SPDX-License-Identifier: GPL-3.0-or-later
/* A driver library without a device: it runs our code on the processor (ptx_machine.h), and fails as
 * $FAKE_CUDA says:
 *
 *     no-device   old   no-memory   bad-code   launch   lost (after three launches)   wrong (a lane is
 *     changed)    slow (what is in a stream of its own is not done before somebody waits, for seconds)
 *     late (code is ready only after some seconds) */
#include "ptx_machine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define API __attribute__((visibility("default"), used)) int
enum {
    SUCCESS = 0,
    NO_MEMORY = 2,
    NO_DEVICE = 100,
    BAD_CODE = 218,
    NOT_FOUND = 500,
    NOT_READY = 600,
    LAUNCH_FAILED = 719
};

#define MOST_BLOCKS 64
static struct {
    char *begin;
    size_t size;
} blocks[MOST_BLOCKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that is here */
static int launches, loads;
static int lost; /* as with a device: everything fails from then on */

static int asked(const char *mode)
{
    const char *e = getenv("FAKE_CUDA");
    return e && strcmp(e, mode) == 0;
}

API cuInit(unsigned flags)
{
    return asked("no-device") ? NO_DEVICE : SUCCESS;
}

API cuGetErrorName(int error, const char **name)
{
    *name = error == LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED"
            : error == BAD_CODE    ? "CUDA_ERROR_INVALID_PTX"
                                   : NULL;
    return SUCCESS;
}

API cuGetErrorString(int error, const char **text)
{
    *text = error == LAUNCH_FAILED ? "unspecified launch failure"
            : error == BAD_CODE    ? "a PTX JIT compilation failed"
                                   : NULL;
    return SUCCESS;
}

API cuDeviceGetCount(int *count)
{
    *count = 1;
    return SUCCESS;
}

API cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return SUCCESS;
}

API cuDeviceGetName(char *name, int size, int device)
{
    snprintf(name, (size_t)size, "Fake GPU");
    return SUCCESS;
}

API cuDeviceGetAttribute(int *value, int attribute, int device)
{
    switch (attribute) {
    case 16: *value = 1; break;
    case 75: *value = asked("old") ? 6 : 9; break;
    case 76: *value = 0; break;
    case 81: *value = 228 << 10; break;
    case 97: *value = 227 << 10; break;
    default: *value = 1024; break;
    }
    return SUCCESS;
}

API cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = context;
    return SUCCESS;
}

API cuDevicePrimaryCtxRelease_v2(int device)
{
    return SUCCESS;
}

API cuCtxSetCurrent(void *context)
{
    return SUCCESS;
}

API cuCtxSynchronize(void)
{
    return lost ? LAUNCH_FAILED : SUCCESS;
}

API cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options, void **values)
{
    char message[200] = "";
    __atomic_add_fetch(&loads, 1, __ATOMIC_SEQ_CST);
    if (asked("late")) sleep(4);
    struct ptx_machine *m = asked("bad-code") ? NULL : ptx_machine_new(image, message, sizeof message);
    for (unsigned i = 0; !m && i < n; i++)
        if (options[i] == 5)
            snprintf(values[i], 200, "ptxas fatal: %s", message[0] ? message : "as you wished");
    *module = m;
    return m ? SUCCESS : BAD_CODE;
}

/* How often code was loaded so far, for tests. */
API fake_cuda_loads(void)
{
    return __atomic_load_n(&loads, __ATOMIC_SEQ_CST);
}

API cuModuleUnload(void *module)
{
    ptx_machine_free(module);
    return SUCCESS;
}

API cuModuleGetFunction(void **function, void *module, const char *name)
{
    *function = module;
    return ptx_machine_entry(module, name) ? SUCCESS : NOT_FOUND;
}

API cuFuncGetAttribute(int *value, int attribute, void *function)
{
    *value = attribute == 4 ? 255 : 0;
    return SUCCESS;
}

API cuFuncSetAttribute(void *function, int attribute, int value)
{
    return SUCCESS;
}

API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, void *function, int threads, size_t shared)
{
    *n = 1;
    return SUCCESS;
}

API cuMemAlloc_v2(uint64_t *pointer, size_t size)
{
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < MOST_BLOCKS && blocks[i].begin) i++;
    bool good = i < MOST_BLOCKS && !asked("no-memory");
    if (good) {
        blocks[i].begin = malloc(size);
        blocks[i].size = size;
        memset(blocks[i].begin, 0xa5, size);
        *pointer = (uintptr_t)blocks[i].begin;
    }
    pthread_mutex_unlock(&lock);
    return good ? SUCCESS : NO_MEMORY;
}

API cuMemFree_v2(uint64_t pointer)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_BLOCKS; i++)
        if ((uintptr_t)blocks[i].begin == pointer) {
            free(blocks[i].begin);
            blocks[i].begin = NULL;
        }
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

API cuMemsetD32_v2(uint64_t pointer, unsigned value, size_t n)
{
    for (size_t i = 0; i < n; i++) ((uint32_t *)(uintptr_t)pointer)[i] = value;
    return SUCCESS;
}

API cuMemcpy(uint64_t to, uint64_t from, size_t size)
{
    if (lost) return LAUNCH_FAILED;
    memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, size);
    return SUCCESS;
}

API cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size)
{
    if (lost) return LAUNCH_FAILED;
    memcpy(to, (void *)(uintptr_t)from, size);
    return SUCCESS;
}

API cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size)
{
    if (lost) return LAUNCH_FAILED;
    memcpy((void *)(uintptr_t)to, from, size);
    return SUCCESS;
}

static int launch(void *function, unsigned gx, unsigned gy, unsigned bx, unsigned shared, void **arguments)
{
    char message[200];
    if (asked("launch") || (asked("lost") && ++launches > 3)) lost = 1;
    if (lost) return asked("launch") ? LAUNCH_FAILED : SUCCESS; /* the other is found out when waiting */
    ptx_machine_forget(function);
    for (int i = 0; i < MOST_BLOCKS; i++)
        if (blocks[i].begin) ptx_machine_allow(function, blocks[i].begin, blocks[i].size);
    if (!ptx_machine_launch(function, gx, gy, bx, shared, arguments, message, sizeof message)) {
        fprintf(stderr, "fake GPU: %s\n", message);
        return LAUNCH_FAILED;
    }
    if (asked("wrong")) { /* bit 1 of the state, word 0 */
        uint32_t *state = (uint32_t *)(uintptr_t) * (uint64_t *)arguments[0];
        state[*(uint32_t *)arguments[6]] ^= 4;
    }
    return SUCCESS;
}

API cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **arguments, void **extra)
{
    if (stream && asked("slow")) return SUCCESS;
    pthread_mutex_lock(&lock);
    int result = launch(function, gx, gy, bx, shared, arguments);
    pthread_mutex_unlock(&lock);
    return result;
}

/* Streams: everything is done when it is asked for. */

API cuStreamCreate(void **stream, unsigned flags)
{
    *stream = &launches;
    return SUCCESS;
}

API cuStreamQuery(void *stream)
{
    return asked("slow") ? NOT_READY : SUCCESS;
}

API cuStreamSynchronize(void *stream)
{
    if (asked("slow")) sleep(5);
    return lost ? LAUNCH_FAILED : SUCCESS;
}

API cuStreamDestroy_v2(void *stream)
{
    return SUCCESS;
}

API cuMemAllocHost_v2(void **memory, size_t size)
{
    *memory = asked("no-memory") ? NULL : malloc(size);
    return *memory ? SUCCESS : NO_MEMORY;
}

API cuMemFreeHost(void *memory)
{
    free(memory);
    return SUCCESS;
}

API cuMemsetD32Async(uint64_t pointer, unsigned value, size_t n, void *stream)
{
    return cuMemsetD32_v2(pointer, value, n);
}

API cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, void *stream)
{
    if (lost) return SUCCESS; /* it is found out when waiting */
    return cuMemcpyDtoH_v2(to, from, size);
}

API cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, void *stream)
{
    return cuMemcpyHtoD_v2(to, from, size);
}
