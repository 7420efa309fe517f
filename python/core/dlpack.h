/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tensors as libraries for Python hand them to each other: the structures of DLPack 1.0, written out
 * (https://dmlc.github.io/dlpack/latest/c_api.html), older ones without a version first. */
#ifndef PYTHON_DLPACK_H
#define PYTHON_DLPACK_H

#include <stdint.h>

enum dl_device_type { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 };
enum dl_type_code { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2 };

struct dl_tensor {
    void *data;
    struct {
        int32_t type, number;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes; /* of a vector: 1 */
    } type;
    int64_t *shape;
    int64_t *strides; /* in items; NULL: one after the other */
    uint64_t byte_offset;
};

struct dl_managed {
    struct dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *self);
};

#define DL_READ_ONLY 1u
struct dl_versioned {
    struct {
        uint32_t major, minor;
    } version;
    void *context;
    void (*deleter)(struct dl_versioned *self);
    uint64_t flags;
    struct dl_tensor tensor;
};

/* Names of capsules: as handed over, and when somebody has taken it. */
#define DL_NAME "dltensor"
#define DL_NAME_USED "used_dltensor"
#define DL_VERSIONED "dltensor_versioned"
#define DL_VERSIONED_USED "used_dltensor_versioned"

#endif
