// SPDX-License-Identifier: GPL-3.0-or-later
/* Batches. Their arrays are seen through memoryviews, or by other libraries through DLPack, without copies:
 * an `Array` holds the batch and tells where one lies. Lanes come first in its shape, though in memory they
 * lie side by side. */
#include "array.h"

struct batch {
    PyObject_HEAD;
    struct game *game;
    struct ludens_batch *batch;
    uint32_t lanes;
    int32_t *actions; /* what step was given, as the library wants it */
    struct ludens_stop stop;
    int busy;
};

/* What can be looked at. */
enum look {
    LOOK_PLAYER,
    LOOK_LEGAL,
    LOOK_COUNTS,
    LOOK_STATES,
    LOOK_PACKED,
    LOOK_PLANES,
    LOOK_ENDED,
    LOOK_GOALS,
    LOOK_REWARDS
};
static const char *const look_names[] = {"player", "legal", "counts", "states",  "packed",
                                         "planes", "ended", "goals",  "rewards", NULL};

/* Fill the array; NULL and an error. Without the lock. */
static const void *look(struct ludens_batch *b, enum look what, uint32_t role, struct ludens_error *error)
{
    switch (what) {
    case LOOK_PLAYER: return ludens_batch_player(b);
    case LOOK_LEGAL: return ludens_batch_legal(b, role, error);
    case LOOK_COUNTS: return ludens_batch_counts(b, role, error);
    case LOOK_STATES: return ludens_batch_states(b);
    case LOOK_PACKED: return ludens_batch_packed(b);
    case LOOK_PLANES: return ludens_batch_bit_planes(b);
    case LOOK_ENDED: return ludens_batch_ended(b);
    case LOOK_GOALS: return ludens_batch_goals(b);
    case LOOK_REWARDS: return ludens_batch_rewards(b);
    }
    return NULL;
}

static void shape_array(struct array *a, const struct batch *b, enum look what, uint32_t role)
{
    Py_ssize_t stride = (Py_ssize_t)ludens_batch_stride(b->batch), planes = ludens_batch_planes(b->batch);
    static const char *const formats[] = {"B", "B", "I", "B", "Q", "Q", "B", "h", "f"};
    static const Py_ssize_t items[] = {1, 1, 4, 1, 8, 8, 1, 2, 4};
    a->format = formats[what];
    a->item = items[what];
    a->ndim = 2;
    a->shape[0] = b->lanes;
    a->strides[0] = a->item;
    a->strides[1] = stride * a->item;
    switch (what) {
    case LOOK_LEGAL:
        a->shape[1] =
            role == LUDENS_PLAYER ? ludens_batch_actions(b->batch) : ludens_batch_moves(b->batch, role);
        break;
    case LOOK_STATES: a->shape[1] = planes; break;
    case LOOK_PACKED: /* lane after lane */
        a->shape[1] = (planes + 63) / 64;
        a->strides[0] = 8 * a->shape[1];
        a->strides[1] = 8;
        break;
    case LOOK_PLANES: /* plane after plane */
        a->shape[0] = planes;
        a->shape[1] = stride / 64;
        a->strides[0] = stride / 8;
        a->strides[1] = 8;
        break;
    case LOOK_GOALS:
    case LOOK_REWARDS: a->shape[1] = b->game->nroles; break;
    default: a->ndim = 1;
    }
}

static bool on_gpu(const struct batch *b)
{
    return ludens_batch_device(b->batch) == LUDENS_GPU;
}

static bool is_free(struct batch *b)
{
    if (!b->busy) return true;
    PyErr_SetString(PyExc_RuntimeError, "another thread is using this batch");
    return false;
}

/* Fill what is named, for a role (-1: the players). */
static const void *fill(struct batch *b, PyObject *args, enum look *what, uint32_t *role)
{
    const char *name;
    const void *data;
    struct ludens_error error = {0};
    int number = -1;
    if (!PyArg_ParseTuple(args, "s|i", &name, &number)) return NULL;
    int i = 0;
    while (look_names[i] && strcmp(look_names[i], name) != 0) i++;
    if (!look_names[i]) return PyErr_Format(PyExc_ValueError, "a batch has no '%s'", name), NULL;
    if (!is_free(b)) return NULL;
    *what = (enum look)i;
    *role = number < 0 ? LUDENS_PLAYER : (uint32_t)number;
    b->busy = 1;
    Py_BEGIN_ALLOW_THREADS data = look(b->batch, *what, *role, &error);
    Py_END_ALLOW_THREADS b->busy = 0;
    if (!data && (error.code || ludens_batch_failure(b->batch, &error)))
        fail(&error);
    else if (!data)
        PyErr_NoMemory();
    return data;
}

static PyObject *batch_fill(PyObject *self, PyObject *args)
{
    enum look what;
    uint32_t role;
    return fill((struct batch *)self, args, &what, &role) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *batch_tensor(PyObject *self, PyObject *args)
{
    enum look what;
    uint32_t role;
    struct batch *b = (struct batch *)self;
    const void *data = fill(b, args, &what, &role);
    struct array *a = data ? array_new(self) : NULL;
    if (!a) return NULL;
    a->batch = on_gpu(b) ? b->batch : NULL;
    a->busy = &b->busy;
    a->data = (void *)data;
    shape_array(a, b, what, role);
    return (PyObject *)a;
}

static PyObject *batch_array(PyObject *self, PyObject *args)
{
    if (on_gpu((struct batch *)self)) {
        PyErr_SetString(PyExc_BufferError, "this batch is on a GPU: tensor() instead of array()");
        return NULL;
    }
    PyObject *array = batch_tensor(self, args), *out = array ? PyMemoryView_FromObject(array) : NULL;
    Py_XDECREF(array);
    return out;
}

/* --- Life */

static PyObject *batch_new(PyTypeObject *type, PyObject *args, PyObject *words)
{
    static char *names[] = {"game", "lanes", "threads", "seed", "keep", "max_steps", "device", NULL};
    const char *device = "cpu";
    PyObject *game;
    unsigned int lanes, threads = 1, max_steps = 0;
    unsigned long long seed = 1;
    int keep = 0;
    struct ludens_error error = {0};
    if (!PyArg_ParseTupleAndKeywords(args, words, "O!I|IKpIs", names, game_type, &game, &lanes, &threads,
                                     &seed, &keep, &max_steps, &device))
        return NULL;
    if (strcmp(device, "cpu") != 0 && strcmp(device, "gpu") != 0)
        return PyErr_Format(PyExc_ValueError, "device is 'cpu' or 'gpu', not '%s'", device);
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct batch *b = (struct batch *)alloc(type, 0);
    if (!b) return NULL;
    struct ludens_batch_options o = {lanes, threads,   seed,
                                     keep,  max_steps, *device == 'g' ? LUDENS_GPU : LUDENS_PROCESSOR};
    b->game = (struct game *)Py_NewRef(game);
    b->lanes = lanes;
    Py_BEGIN_ALLOW_THREADS b->batch = ludens_batch_new(b->game->game, &o, &error);
    Py_END_ALLOW_THREADS if (b->batch)
    {
        b->actions = PyMem_Calloc((size_t)lanes * b->game->nroles, sizeof *b->actions);
        if (b->actions) return (PyObject *)b;
        PyErr_NoMemory();
    }
    else fail(&error);
    Py_DECREF((PyObject *)b);
    return NULL;
}

static void batch_dealloc(PyObject *self)
{
    struct batch *b = (struct batch *)self;
    ludens_batch_free(b->batch);
    PyMem_Free(b->actions);
    Py_XDECREF((PyObject *)b->game);
    object_free(self);
}

/* None; after functions that cannot say what went wrong with a GPU. */
static PyObject *unless_failed(const struct batch *b)
{
    struct ludens_error error = {0};
    return ludens_batch_failure(b->batch, &error) ? fail(&error) : Py_NewRef(Py_None);
}

/* A tensor that only a GPU can read. */
static bool is_tensor(const struct batch *b, PyObject *given)
{
    return on_gpu(b) && !PyObject_CheckBuffer(given) && PyObject_HasAttrString(given, "__dlpack__");
}

static PyObject *batch_reset(PyObject *self, PyObject *args)
{
    struct batch *b = (struct batch *)self;
    PyObject *which = Py_None;
    if (!PyArg_ParseTuple(args, "|O", &which) || !is_free(b)) return NULL;
    if (which == Py_None) {
        ludens_batch_reset(b->batch, NULL);
        return unless_failed(b);
    }
    Py_buffer view;
    if (PyObject_GetBuffer(which, &view, PyBUF_CONTIG_RO) != 0) return NULL;
    bool fits = view.itemsize == 1 && view.len == (Py_ssize_t)b->lanes;
    if (fits) ludens_batch_reset(b->batch, view.buf);
    PyBuffer_Release(&view);
    if (!fits)
        return PyErr_Format(PyExc_ValueError, "reset wants a byte or bool for each of %u lanes", b->lanes);
    return unless_failed(b);
}

static bool load(struct batch *b, const void *packed)
{
    if (!is_free(b)) return false;
    b->busy = 1;
    Py_BEGIN_ALLOW_THREADS ludens_batch_load(b->batch, packed);
    Py_END_ALLOW_THREADS b->busy = 0;
    return true;
}

static PyObject *batch_load(PyObject *self, PyObject *packed)
{
    struct batch *b = (struct batch *)self;
    Py_buffer view;
    struct numbers n;
    Py_ssize_t words = (ludens_batch_planes(b->batch) + 63) / 64;
    bool fits, good = true;
    if (is_tensor(b, packed)) {
        if (!numbers_take(packed, 64, &n)) return NULL;
        fits = n.shape[0] * (n.ndim > 1 ? n.shape[1] : 1) == words * (Py_ssize_t)b->lanes;
        good = !fits || load(b, n.data);
        numbers_done(&n);
    } else {
        if (PyObject_GetBuffer(packed, &view, PyBUF_CONTIG_RO) != 0) return NULL;
        fits = view.len == words * 8 * (Py_ssize_t)b->lanes;
        good = !fits || load(b, view.buf);
        PyBuffer_Release(&view);
    }
    if (!good) return NULL;
    if (!fits) return PyErr_Format(PyExc_ValueError, "load wants %u by %zd words", b->lanes, words);
    return unless_failed(b);
}

static PyObject *batch_seed(PyObject *self, PyObject *args)
{
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "K", &seed) || !is_free((struct batch *)self)) return NULL;
    ludens_batch_seed(((struct batch *)self)->batch, seed);
    return Py_NewRef(Py_None);
}

/* --- Moving */

/* What does not fit becomes a move that is never legal. */
static int32_t narrow(int64_t x)
{
    return x < LUDENS_WAIT || x > INT32_MAX ? INT32_MIN : (int32_t)x;
}

#define CONVERT(type) \
    for (size_t i = 0; i < n; i++) to[i] = narrow((int64_t)((const type *)from)[i])

/* Numbers of any width. */
static bool convert(const void *from, const char *format, Py_ssize_t item, size_t n, int32_t *to)
{
    char kind = format ? format[strspn(format, "@=<")] : 'B';
    if (strchr("bhilqn", kind) && kind) switch (item) {
        case 1: CONVERT(int8_t); return true;
        case 2: CONVERT(int16_t); return true;
        case 4: memcpy(to, from, n * 4); return true;
        case 8: CONVERT(int64_t); return true;
        }
    if (strchr("BHILQN?", kind) && kind) switch (item) {
        case 1: CONVERT(uint8_t); return true;
        case 2: CONVERT(uint16_t); return true;
        case 4: CONVERT(uint32_t); return true;
        case 8:
            for (size_t i = 0; i < n; i++) {
                uint64_t x = ((const uint64_t *)from)[i];
                to[i] = x > INT32_MAX ? INT32_MIN : (int32_t)x;
            }
            return true;
        }
    PyErr_SetString(PyExc_TypeError, "moves are whole numbers");
    return false;
}

/* Moves of the players, or of all: by their shape. */
static bool check_shape(const struct batch *b, int ndim, const Py_ssize_t *shape, bool *joint)
{
    *joint = ndim == 2;
    if (shape[0] == (Py_ssize_t)b->lanes &&
        (ndim == 1 || (ndim == 2 && shape[1] == (Py_ssize_t)b->game->nroles)))
        return true;
    PyErr_Format(PyExc_ValueError, "step wants %u moves, or %u by %u", b->lanes, b->lanes, b->game->nroles);
    return false;
}

static bool read_actions(struct batch *b, PyObject *given, bool *joint)
{
    Py_buffer view;
    if (PyObject_GetBuffer(given, &view, PyBUF_ND | PyBUF_FORMAT) != 0) return false;
    size_t n = (size_t)(view.len / view.itemsize);
    Py_ssize_t none = -1;
    bool fits = check_shape(b, view.ndim, view.ndim ? view.shape : &none, joint) &&
                convert(view.buf, view.format, view.itemsize, n, b->actions);
    PyBuffer_Release(&view);
    return fits;
}

static PyObject *batch_step(PyObject *self, PyObject *args)
{
    struct batch *b = (struct batch *)self;
    struct ludens_error error = {0};
    struct numbers tensor = {0};
    PyObject *given = Py_None;
    bool joint = false, good;
    if (!PyArg_ParseTuple(args, "|O", &given) || !is_free(b)) return NULL;
    const int32_t *actions = given == Py_None ? NULL : b->actions;
    if (is_tensor(b, given)) {
        if (!numbers_take(given, 32, &tensor)) return NULL;
        if (!check_shape(b, tensor.ndim, tensor.shape, &joint)) return numbers_done(&tensor), NULL;
        actions = tensor.data;
    } else if (given != Py_None && !read_actions(b, given, &joint)) {
        return NULL;
    }
    if (!is_free(b)) return numbers_done(&tensor), NULL; /* what was asked for may have let others in */
    b->busy = 1;
    Py_BEGIN_ALLOW_THREADS good = joint ? ludens_batch_step_joint(b->batch, actions, &error)
                                        : ludens_batch_step(b->batch, actions, &error);
    Py_END_ALLOW_THREADS b->busy = 0;
    numbers_done(&tensor);
    return good ? Py_NewRef(Py_None) : fail(&error);
}

static PyObject *batch_play(PyObject *self, PyObject *args)
{
    struct batch *b = (struct batch *)self;
    struct ludens_batch_tally tally;
    struct ludens_error error = {0};
    unsigned long long sweeps;
    bool good;
    if (!PyArg_ParseTuple(args, "O&", count_from, &sweeps) || !is_free(b)) return NULL;
    ludens_stop_lower(&b->stop);
    b->busy = 1;
    Py_BEGIN_ALLOW_THREADS good = ludens_batch_play(b->batch, sweeps, &b->stop, &tally, &error);
    Py_END_ALLOW_THREADS b->busy = 0;
    if (!good) return fail(&error);
    PyObject *goals = PyTuple_New(b->game->nroles);
    for (uint32_t r = 0; goals && r < b->game->nroles; r++)
        if (PyTuple_SetItem(goals, r, PyFloat_FromDouble(tally.goals[r])) != 0) Py_CLEAR(goals);
    return goals ? Py_BuildValue("(KKKN)", tally.games, tally.steps, tally.undefined, goals) : NULL;
}

static PyObject *batch_stop(PyObject *self, PyObject *unused)
{
    ludens_stop_raise(&((struct batch *)self)->stop);
    return Py_NewRef(Py_None);
}

static PyObject *batch_put(PyObject *self, PyObject *args)
{
    struct batch *b = (struct batch *)self;
    struct ludens_error error = {0};
    unsigned int lane;
    PyObject *state;
    bool taken;
    if (!PyArg_ParseTuple(args, "IO!", &lane, state_type, &state) || !is_free(b)) return NULL;
    if (!ludens_engine_take(((struct state *)state)->game->engine, 0, &taken, &error)) return fail(&error);
    return ludens_batch_put(b->batch, lane, ((struct state *)state)->state, &error) ? Py_NewRef(Py_None)
                                                                                    : fail(&error);
}

static PyObject *batch_get(PyObject *self, PyObject *args)
{
    struct batch *b = (struct batch *)self;
    struct ludens_error error = {0};
    unsigned int lane;
    bool taken;
    if (!PyArg_ParseTuple(args, "I", &lane) || !is_free(b)) return NULL;
    if (!ludens_engine_take(b->game->engine, 0, &taken, &error)) return fail(&error);
    return state_wrap(b->game, ludens_batch_get(b->batch, lane, b->game->engine, &error), &error);
}

/* --- What it is */

static PyObject *batch_planes(PyObject *self, PyObject *unused)
{
    struct batch *b = (struct batch *)self;
    struct ludens_error error = {0};
    uint32_t n = ludens_batch_planes(b->batch);
    bool taken;
    if (!ludens_engine_take(b->game->engine, 0, &taken, &error)) return fail(&error);
    PyObject *out = PyTuple_New(n);
    for (uint32_t i = 0; out && i < n; i++) {
        bool opposite = false;
        uint32_t fact = ludens_batch_plane_fact(b->batch, i, &opposite);
        PyObject *text, *name = NULL;
        PRINTED(text, ludens_fact_print, b->game->engine, fact);
        if (text) name = PyUnicode_FromFormat(opposite ? "(not %U)" : "%U", text);
        Py_XDECREF(text);
        if (!name || PyTuple_SetItem(out, i, name) != 0) Py_CLEAR(out);
    }
    return out;
}

static PyObject *batch_lanes(PyObject *self, void *unused)
{
    return PyLong_FromUnsignedLong(((struct batch *)self)->lanes);
}

static PyObject *batch_threads(PyObject *self, void *unused)
{
    return PyLong_FromUnsignedLong(ludens_batch_threads(((struct batch *)self)->batch));
}

static PyObject *batch_actions(PyObject *self, void *unused)
{
    return PyLong_FromUnsignedLong(ludens_batch_actions(((struct batch *)self)->batch));
}

static PyObject *batch_game(PyObject *self, void *unused)
{
    return Py_NewRef((PyObject *)((struct batch *)self)->game);
}

static PyObject *batch_device(PyObject *self, void *unused)
{
    return text_new(on_gpu((struct batch *)self) ? "gpu" : "cpu");
}

static PyMethodDef methods[] = {
    {"tensor", batch_tensor, METH_VARARGS,
     "tensor(what, role=-1)\n--\n\nThe same as an Array, wherever the batch is: for from_dlpack() of other "
     "libraries."},
    {"array", batch_array, METH_VARARGS,
     "array(what, role=-1)\n--\n\nA memoryview of 'player', 'legal', 'counts', 'states', 'packed', 'planes', "
     "'ended', "
     "'goals' or 'rewards', filled in; role -1 is whoever is to move. It stays where it is: fill() brings it "
     "up to date."},
    {"fill", batch_fill, METH_VARARGS, "fill(what, role=-1)\n--\n\nBring an array up to date."},
    {"reset", batch_reset, METH_VARARGS,
     "reset(which=None)\n--\n\nBegin anew: all lanes, or those that are true."},
    {"load", batch_load, METH_O, "load(packed)\n--\n\nStates for all lanes, as array('packed') has them."},
    {"seed", batch_seed, METH_VARARGS, "seed(seed)\n--\n\nThe random numbers from now on."},
    {"step", batch_step, METH_VARARGS,
     "step(moves=None)\n--\n\nA move in each lane: of whoever is to move, or (lanes by roles) of all. -1: at "
     "random, "
     "-2: the lane waits, None: all at random."},
    {"play", batch_play, METH_VARARGS,
     "play(sweeps)\n--\n\nRandom games chosen inside; returns games, steps, games without goals, sums of "
     "goals."},
    {"stop", batch_stop, METH_NOARGS, "stop()\n--\n\nEnd the play() of another thread."},
    {"put", batch_put, METH_VARARGS, "put(lane, state)\n--\n\nPut a state into a lane."},
    {"get", batch_get, METH_VARARGS, "get(lane)\n--\n\nThe state of a lane."},
    {"plane_names", batch_planes, METH_NOARGS,
     "plane_names()\n--\n\nThe fact that each plane of the states stands for."},
    {0}};

static PyGetSetDef values[] = {{"lanes", batch_lanes, NULL, "How many games.", NULL},
                               {"threads", batch_threads, NULL, "How many threads share the work.", NULL},
                               {"actions", batch_actions, NULL, "The most moves any role has.", NULL},
                               {"device", batch_device, NULL, "'cpu' or 'gpu'.", NULL},
                               {"game", batch_game, NULL, "The game.", NULL},
                               {0}};

static PyType_Slot slots[] = {{Py_tp_doc, "Batch(game, lanes, threads=1, seed=1, keep=False, max_steps=0, "
                                          "device='cpu')\n--\n\nMany games at once, as "
                                          "memory. VectorEnv has the same as NumPy arrays. threads=0: one "
                                          "for every core. device='gpu': everything "
                                          "stays in a GPU's memory."},
                              {Py_tp_new, batch_new},
                              {Py_tp_dealloc, batch_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, values},
                              {0}};
static PyType_Spec spec = {"ludens.Batch", sizeof(struct batch), 0, Py_TPFLAGS_DEFAULT, slots};

bool batch_add(PyObject *module)
{
    return array_add(module) && type_add(module, &spec) != NULL;
}
