// SPDX-License-Identifier: GPL-3.0-or-later
#include "array.h"

#include "dlpack.h"

static PyTypeObject *array_type;

struct array *array_new(PyObject *owner)
{
    struct array *a = PyObject_New(struct array, array_type);
    if (a) a->owner = Py_NewRef(owner);
    return a;
}

static int array_buffer(PyObject *self, Py_buffer *view, int flags)
{
    struct array *a = (struct array *)self;
    bool plain = a->ndim == 1 || a->strides[1] == a->item;
    bool strided = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
    bool by_rows = (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS ||
                   (flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS;
    view->obj = NULL;
    if (a->batch) {
        PyErr_SetString(PyExc_BufferError, "this array is on a GPU: copy() brings it here, from_dlpack() of "
                                           "other libraries looks at it there");
        return -1;
    }
    if ((flags & PyBUF_WRITABLE) || ((!strided || by_rows) && !plain)) {
        PyErr_SetString(PyExc_BufferError, "arrays of a batch are for reading, by their strides");
        return -1;
    }
    *view = (Py_buffer){.buf = a->data,
                        .obj = Py_NewRef(self),
                        .len = a->item * a->shape[0] * (a->ndim > 1 ? a->shape[1] : 1),
                        .itemsize = a->item,
                        .readonly = 1,
                        .ndim = a->ndim,
                        .format = flags & PyBUF_FORMAT ? (char *)a->format : NULL,
                        .shape = a->shape,
                        .strides = strided ? a->strides : NULL};
    return 0;
}

static void array_dealloc(PyObject *self)
{
    Py_XDECREF(((struct array *)self)->owner);
    object_free(self);
}

static PyObject *array_shape(PyObject *self, void *unused)
{
    struct array *a = (struct array *)self;
    return a->ndim == 1 ? Py_BuildValue("(n)", a->shape[0]) : Py_BuildValue("(nn)", a->shape[0], a->shape[1]);
}

/* From its first byte to its last. */
static Py_ssize_t extent(const struct array *a)
{
    Py_ssize_t n = a->shape[0] * a->strides[0];
    if (a->ndim > 1 && a->shape[1] == 0) return 0;
    if (a->ndim > 1 && a->shape[1] * a->strides[1] > n) n = a->shape[1] * a->strides[1];
    return n;
}

static PyObject *array_copy(PyObject *self, PyObject *unused)
{
    struct array *a = (struct array *)self;
    struct ludens_error error = {0};
    bool good = true;
    if (a->busy && *a->busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is using this batch");
        return NULL;
    }
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, extent(a));
    struct array *copy = bytes ? array_new(bytes) : NULL;
    Py_XDECREF(bytes);
    if (!copy) return NULL;
    char *to = PyBytes_AsString(bytes);
    if (a->batch)
        good = ludens_batch_copy(a->batch, a->data, (size_t)extent(a), to, &error);
    else
        memcpy(to, a->data, (size_t)extent(a));
    copy->batch = NULL;
    copy->busy = NULL;
    copy->data = to;
    copy->format = a->format;
    copy->item = a->item;
    copy->ndim = a->ndim;
    memcpy(copy->shape, a->shape, sizeof a->shape);
    memcpy(copy->strides, a->strides, sizeof a->strides);
    PyObject *out = good ? PyMemoryView_FromObject((PyObject *)copy) : fail(&error);
    Py_DECREF((PyObject *)copy);
    return out;
}

/* --- Handing over --------------------------------------------------------------------------------------- */

/* What a consumer keeps: the array, until it calls the deleter. */
struct handed {
    union {
        struct dl_managed managed;
        struct dl_versioned versioned;
    } as;
    PyObject *array;
    int64_t shape[2], strides[2];
};

static void let_go(struct handed *h)
{
    if (!Py_IsInitialized()) return; /* the process ends */
    PyGILState_STATE lock = PyGILState_Ensure();
    Py_DECREF(h->array);
    PyMem_Free(h);
    PyGILState_Release(lock);
}

static void delete_managed(struct dl_managed *m)
{
    let_go(m->context);
}

static void delete_versioned(struct dl_versioned *m)
{
    let_go(m->context);
}

/* Nobody took it. */
static void drop_capsule(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, DL_NAME)) {
        struct dl_managed *m = PyCapsule_GetPointer(capsule, DL_NAME);
        m->deleter(m);
    } else if (PyCapsule_IsValid(capsule, DL_VERSIONED)) {
        struct dl_versioned *m = PyCapsule_GetPointer(capsule, DL_VERSIONED);
        m->deleter(m);
    }
}

static int32_t device_type(const struct array *a)
{
    return a->batch ? DL_CUDA : DL_CPU;
}

/* Wide numbers are never so large that it matters, and have a sign: not everybody has others. */
static struct dl_tensor describe(const struct array *a, struct handed *h)
{
    struct dl_tensor t = {.data = a->data, .ndim = a->ndim, .shape = h->shape, .strides = h->strides};
    t.device.type = device_type(a);
    t.type.code = *a->format == 'f' ? DL_FLOAT : *a->format == 'B' ? DL_UINT : DL_INT;
    t.type.bits = (uint8_t)(8 * a->item);
    t.type.lanes = 1;
    for (int i = 0; i < a->ndim; i++) {
        h->shape[i] = a->shape[i];
        h->strides[i] = a->strides[i] / a->item;
    }
    return t;
}

/* Two numbers, left as they are by None. */
static bool two(PyObject *given, int *a, int *b)
{
    if (given == Py_None) return true;
    if (PyTuple_Check(given)) return PyArg_ParseTuple(given, "ii", a, b);
    PyErr_SetString(PyExc_TypeError, "two numbers, or None");
    return false;
}

/* (1, 0) and later: the capsule with a version. */
static bool wants_version(PyObject *most, bool *wanted)
{
    int major = 0, minor = 0;
    if (!two(most, &major, &minor)) return false;
    *wanted = major >= 1;
    return true;
}

static bool is_here(const struct array *a, PyObject *device, PyObject *copy)
{
    int type = device_type(a), number = 0;
    if (!two(device, &type, &number)) return false;
    int copied = PyObject_IsTrue(copy);
    if (copied < 0) return false;
    if (type == device_type(a) && number == 0 && !copied) return true;
    PyErr_SetString(PyExc_BufferError, "arrays of a batch are handed over as they lie, where they are");
    return false;
}

/* Nothing is under way when one has an array (ludens/batch.h): streams need not wait. */
static PyObject *array_dlpack(PyObject *self, PyObject *args, PyObject *words)
{
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    PyObject *stream = Py_None, *most = Py_None, *device = Py_None, *copy = Py_False;
    bool versioned;
    if (!PyArg_ParseTupleAndKeywords(args, words, "|$OOOO", names, &stream, &most, &device, &copy) ||
        !wants_version(most, &versioned) ||
        !is_here((struct array *)self, device, copy == Py_None ? Py_False : copy))
        return NULL;
    struct handed *h = PyMem_Calloc(1, sizeof *h);
    if (!h) return PyErr_NoMemory();
    struct dl_tensor tensor = describe((struct array *)self, h);
    h->array = Py_NewRef(self);
    if (versioned) {
        h->as.versioned = (struct dl_versioned){
            .version = {1, 0}, .context = h, .deleter = delete_versioned, .flags = DL_READ_ONLY};
        h->as.versioned.tensor = tensor;
    } else {
        h->as.managed = (struct dl_managed){tensor, h, delete_managed};
    }
    PyObject *capsule = PyCapsule_New(&h->as, versioned ? DL_VERSIONED : DL_NAME, drop_capsule);
    if (!capsule) let_go(h);
    return capsule;
}

static PyObject *array_dlpack_device(PyObject *self, PyObject *unused)
{
    return Py_BuildValue("(ii)", device_type((struct array *)self), 0);
}

static PyMethodDef methods[] = {
    {"copy", array_copy, METH_NOARGS,
     "copy()\n--\n\nA memoryview of what is in it now, in the processor's memory."},
    {"__dlpack__", (PyCFunction)(void (*)(void))array_dlpack, METH_VARARGS | METH_KEYWORDS,
     "__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\nFor from_dlpack() of "
     "other "
     "libraries: no copy, and for reading."},
    {"__dlpack_device__", array_dlpack_device, METH_NOARGS,
     "__dlpack_device__()\n--\n\n(1, 0) on the processor, (2, 0) on a GPU."},
    {0}};
static PyGetSetDef values[] = {{"shape", array_shape, NULL, "Lanes first, or planes.", NULL}, {0}};
static PyType_Slot slots[] = {
    {Py_tp_doc, "An array of a batch, where it lies. The batch's fill() brings it up to date."},
    {Py_tp_dealloc, array_dealloc},
    {Py_bf_getbuffer, array_buffer},
    {Py_tp_methods, methods},
    {Py_tp_getset, values},
    {0}};
static PyType_Spec spec = {"ludens.Array", sizeof(struct array), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

bool array_add(PyObject *module)
{
    return (array_type = type_add(module, &spec)) != NULL;
}

/* --- Taking --------------------------------------------------------------------------------------------- */

static const struct dl_tensor *tensor_in(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, DL_NAME))
        return &((struct dl_managed *)PyCapsule_GetPointer(capsule, DL_NAME))->tensor;
    if (PyCapsule_IsValid(capsule, DL_VERSIONED))
        return &((struct dl_versioned *)PyCapsule_GetPointer(capsule, DL_VERSIONED))->tensor;
    return NULL;
}

static bool is_dense(const struct dl_tensor *t)
{
    int64_t expected = 1;
    for (int i = t->ndim - 1; i >= 0; i--) {
        if (t->strides && t->shape[i] > 1 && t->strides[i] != expected) return false;
        expected *= t->shape[i];
    }
    return true;
}

bool numbers_take(PyObject *tensor, int bits, struct numbers *out)
{
    *out = (struct numbers){.capsule = PyObject_CallMethod(tensor, "__dlpack__", NULL)};
    if (!out->capsule) return false;
    const struct dl_tensor *t = tensor_in(out->capsule);
    const char *wrong = NULL;
    if (!t)
        wrong = "__dlpack__() gave no tensor";
    else if (t->device.type != DL_CPU && t->device.type != DL_CUDA && t->device.type != DL_CUDA_HOST &&
             t->device.type != DL_CUDA_MANAGED)
        wrong = "a batch reads the processor's memory and that of its GPU";
    else if (t->device.type == DL_CUDA && t->device.number != 0)
        wrong = "batches are on the first GPU";
    else if (t->ndim < 1 || t->ndim > 2 || !is_dense(t))
        wrong = "a batch reads tensors of one or two dimensions without gaps";
    else if (t->type.code > DL_UINT || t->type.bits != bits || t->type.lanes != 1)
        wrong = bits == 32 ? "moves in a tensor are whole numbers of 32 bits"
                           : "states in a tensor are of 64 bits";
    if (wrong) {
        PyErr_SetString(PyExc_TypeError, wrong);
        numbers_done(out);
        return false;
    }
    out->data = (const char *)t->data + t->byte_offset;
    out->ndim = t->ndim;
    for (int i = 0; i < t->ndim; i++) out->shape[i] = (Py_ssize_t)t->shape[i];
    return true;
}

/* The capsule was not renamed, so it deletes the tensor itself. */
void numbers_done(struct numbers *n)
{
    Py_CLEAR(n->capsule);
}
