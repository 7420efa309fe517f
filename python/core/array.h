/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays of a batch: where one lies and what it looks like, through the buffer protocol and DLPack; and the
 * other way round, numbers that others have. */
#ifndef PYTHON_ARRAY_H
#define PYTHON_ARRAY_H

#include "core.h"

struct array {
    PyObject_HEAD;
    PyObject *owner;            /* of the memory: a batch, or bytes */
    struct ludens_batch *batch; /* on a GPU; else NULL */
    const int *busy;            /* the batch is at work; NULL: there is none */
    void *data;
    const char *format;
    Py_ssize_t item, shape[2], strides[2];
    int ndim;
};

bool array_add(PyObject *module);
/* The caller fills in what is after the owner. */
struct array *array_new(PyObject *owner);

/* Whole numbers of somebody's tensor, one after the other, wherever it lies. */
struct numbers {
    const void *data;
    Py_ssize_t shape[2];
    int ndim;
    PyObject *capsule; /* what keeps them; numbers_done gives it back */
};
/* Of so many bits each. False, with an exception: no tensor, another type, gaps, or more than two dimensions.
 */
bool numbers_take(PyObject *tensor, int bits, struct numbers *out);
void numbers_done(struct numbers *n);

#endif
