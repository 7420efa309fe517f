/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Python module: each type wraps one structure of ludens.h and holds a reference to what must outlive it.
 *
 * The interpreter lock is what keeps the engine of a game to one thread at a time, so it is held for
 * questions about states. What takes long (thinking, matches, batches) has an engine of its own, or none, and
 * releases it. Only the limited API of Python 3.11 is used: one binary for that and every later one.
 */
#ifndef PYTHON_CORE_H
#define PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <ludens.h>

#include <stdio.h>
#include <string.h>

#define MAX_ROLES 64

struct game {
    PyObject_HEAD;
    struct ludens_game *game;
    struct ludens_engine *engine;
    struct ludens_board *board; /* NULL until something is drawn */
    uint32_t nroles;
};

struct state {
    PyObject_HEAD;
    struct game *game;
    struct ludens_state *state;
};

struct record {
    PyObject_HEAD;
    struct ludens_record *record;
    PyObject *game; /* NULL until it is asked for */
};

extern PyTypeObject *game_type, *state_type, *record_type;

/* --- errors.c: set the exception and return NULL */
PyObject *fail(const struct ludens_error *error);
bool errors_add(PyObject *module);
/* NULL: it cannot be made. */
PyTypeObject *type_add(PyObject *module, PyType_Spec *spec);

/* --- text */
PyObject *text_new(const char *s);   /* None for NULL */
PyObject *json_read(PyObject *text); /* takes the text */

/* A string out of a function that prints into a buffer, `print(..., buffer, size)`. */
#define PRINTED(result, print, ...)                                               \
    do {                                                                          \
        size_t length_ = print(__VA_ARGS__, NULL, 0);                             \
        char *buffer_ = PyMem_Malloc(length_ + 1);                                \
        (result) = NULL;                                                          \
        if (!buffer_) {                                                           \
            PyErr_NoMemory();                                                     \
            break;                                                                \
        }                                                                         \
        print(__VA_ARGS__, buffer_, length_ + 1);                                 \
        (result) = PyUnicode_DecodeUTF8(buffer_, (Py_ssize_t)length_, "replace"); \
        PyMem_Free(buffer_);                                                      \
    } while (0)

/* --- game.c */
struct game *game_wrap(PyTypeObject *type, struct ludens_game *game, enum ludens_kind kind);
struct ludens_board *game_board(struct game *game);               /* NULL and an exception */
bool game_role(struct game *game, PyObject *role, uint32_t *out); /* a number or a name */
PyObject *game_role_name(const struct game *game, uint32_t role);

/* --- state.c */
PyObject *state_wrap(struct game *game, struct ludens_state *state, const struct ludens_error *error);
/* A move of a role from text or a number, for an engine; and back. */
bool move_parse(struct ludens_engine *engine, uint32_t role, PyObject *move, uint32_t *out);
PyObject *move_text(struct ludens_engine *engine, uint32_t role, uint32_t move);
PyObject *joint_text(struct ludens_engine *engine, uint32_t nroles, const uint32_t *joint);

/* --- record.c */
PyObject *record_wrap(struct ludens_record *record, const struct ludens_error *error);

/* --- player.c: keywords of budgets, the same everywhere */
struct budget_words {
    double seconds;
    unsigned long long simulations, steps, expansions;
};
struct ludens_budget budget_of(const struct budget_words *w, const struct ludens_stop *stop);
/* For "O&": an unsigned long long; what is negative or too large is an OverflowError. */
int count_from(PyObject *object, void *count);

/* --- each adds its types or functions to the module */
bool game_add(PyObject *module);
bool state_add(PyObject *module);
bool player_add(PyObject *module);
bool match_add(PyObject *module);
bool record_add(PyObject *module);
bool board_add(PyObject *module);
bool batch_add(PyObject *module);
bool serve_add(PyObject *module);

/* Free an object of a heap type. */
static inline void object_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

#endif
