// SPDX-License-Identifier: GPL-3.0-or-later
#include "core.h"

PyTypeObject *record_type;

PyObject *record_wrap(struct ludens_record *record, const struct ludens_error *error)
{
    if (!record) return fail(error);
    struct record *r = PyObject_New(struct record, record_type);
    if (!r) return ludens_record_free(record), NULL;
    r->record = record;
    r->game = NULL;
    return (PyObject *)r;
}

static void record_dealloc(PyObject *self)
{
    struct record *r = (struct record *)self;
    ludens_record_free(r->record);
    Py_XDECREF(r->game);
    object_free(self);
}

static PyObject *record_read(PyObject *type, PyObject *args)
{
    struct ludens_error error = {0};
    PyObject *path;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
    struct ludens_record *r = ludens_record_read(PyBytes_AsString(path), &error);
    Py_DECREF(path);
    return record_wrap(r, &error);
}

static PyObject *record_parse(PyObject *type, PyObject *args)
{
    struct ludens_error error = {0};
    const char *text;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "s#", &text, &size)) return NULL;
    return record_wrap(ludens_record_parse("record", text, (size_t)size, &error), &error);
}

static PyObject *record_write(PyObject *self, PyObject *args)
{
    struct ludens_error error = {0};
    PyObject *path;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
    bool good = ludens_record_write(((struct record *)self)->record, PyBytes_AsString(path), &error);
    Py_DECREF(path);
    return good ? Py_NewRef(Py_None) : fail(&error);
}

static PyObject *print(PyObject *self, bool pgn)
{
    PyObject *out;
    PRINTED(out, ludens_record_print, ((struct record *)self)->record, pgn);
    return out;
}

static PyObject *record_json(PyObject *self, PyObject *unused)
{
    return print(self, false);
}

static PyObject *record_str(PyObject *self)
{
    return print(self, true);
}

static struct ludens_record_about about(PyObject *self)
{
    struct ludens_record_about out;
    ludens_record_about(((struct record *)self)->record, &out);
    return out;
}

static Py_ssize_t record_length(PyObject *self)
{
    return (Py_ssize_t)about(self).steps;
}

static PyObject *record_item(PyObject *self, Py_ssize_t step)
{
    struct record *r = (struct record *)self;
    struct ludens_record_about a = about(self);
    if (step < 0 || step >= (Py_ssize_t)a.steps)
        return PyErr_Format(PyExc_IndexError, "there are %u steps", a.steps);
    PyObject *out = PyTuple_New(a.roles);
    for (uint32_t i = 0; out && i < a.roles; i++) {
        PyObject *move = text_new(ludens_record_move(r->record, (uint32_t)step, i));
        if (!move || PyTuple_SetItem(out, i, move) != 0) Py_CLEAR(out);
    }
    return out;
}

static PyObject *by_role(PyObject *self, const char *(*word)(const struct ludens_record *, uint32_t))
{
    uint32_t n = about(self).roles;
    PyObject *out = PyTuple_New(n);
    for (uint32_t i = 0; out && i < n; i++) {
        PyObject *text = text_new(word(((struct record *)self)->record, i));
        if (!text || PyTuple_SetItem(out, i, text) != 0) Py_CLEAR(out);
    }
    return out;
}

static PyObject *record_roles(PyObject *self, void *unused)
{
    return by_role(self, ludens_record_role);
}

static PyObject *record_players(PyObject *self, void *unused)
{
    return by_role(self, ludens_record_player);
}

static PyObject *record_rewards(PyObject *self, void *unused)
{
    uint32_t n = about(self).roles;
    PyObject *out = PyTuple_New(n);
    for (uint32_t i = 0; out && i < n; i++) {
        int reward = ludens_record_reward(((struct record *)self)->record, i);
        PyObject *value = reward == LUDENS_NO_GOAL ? Py_NewRef(Py_None) : PyLong_FromLong(reward);
        if (!value || PyTuple_SetItem(out, i, value) != 0) Py_CLEAR(out);
    }
    return out;
}

static PyObject *record_ending(PyObject *self, void *unused)
{
    return text_new(about(self).ending);
}

static PyObject *record_game(PyObject *self, void *unused)
{
    struct record *r = (struct record *)self;
    struct ludens_error error = {0};
    if (!r->game) {
        struct ludens_game *game = ludens_record_game(r->record, &error);
        if (!game) return fail(&error);
        r->game = (PyObject *)game_wrap(game_type, game, LUDENS_AUTO);
    }
    return r->game ? Py_NewRef(r->game) : NULL;
}

static PyObject *record_state(PyObject *self, PyObject *args)
{
    struct ludens_error error = {0};
    unsigned int steps = about(self).steps;
    if (!PyArg_ParseTuple(args, "|I", &steps)) return NULL;
    PyObject *game = record_game(self, NULL);
    if (!game) return NULL;
    struct game *g = (struct game *)game;
    PyObject *out =
        state_wrap(g, ludens_record_state(((struct record *)self)->record, g->engine, steps, &error), &error);
    Py_DECREF(game);
    return out;
}

static void note_difference(void *list, const char *text)
{
    PyObject *s = text_new(text);
    if (s) PyList_Append(list, s);
    Py_XDECREF(s);
}

static PyObject *record_check(PyObject *self, PyObject *unused)
{
    struct ludens_error error = {0};
    PyObject *game = record_game(self, NULL), *out = game ? PyList_New(0) : NULL;
    if (out && !ludens_record_check(((struct record *)self)->record, ((struct game *)game)->engine,
                                    note_difference, out, &error)) {
        Py_CLEAR(out);
        fail(&error);
    }
    Py_XDECREF(game);
    if (PyErr_Occurred()) Py_CLEAR(out);
    return out;
}

static PyObject *record_repr(PyObject *self)
{
    struct ludens_record_about a = about(self);
    return PyUnicode_FromFormat("<ludens.Record of %s, %u steps, %s>", a.game, a.steps,
                                *a.ending ? a.ending : "unfinished");
}

static PyMethodDef methods[] = {
    {"read", record_read, METH_VARARGS | METH_CLASS,
     "read(path)\n--\n\nFrom a file: JSON, or text after PGN."},
    {"parse", record_parse, METH_VARARGS | METH_CLASS, "parse(text)\n--\n\nThe same from a text."},
    {"write", record_write, METH_VARARGS, "write(path)\n--\n\nAs JSON, or as text if the path ends in .pgn."},
    {"json", record_json, METH_NOARGS, "json()\n--\n\nAs JSON."},
    {"state", record_state, METH_VARARGS, "state(steps=all)\n--\n\nThe state after so many steps."},
    {"check", record_check, METH_NOARGS,
     "check()\n--\n\nFollow it by the rules; returns the differences that were found."},
    {0}};

static PyGetSetDef values[] = {
    {"game", record_game, NULL, "The game that was played.", NULL},
    {"roles", record_roles, NULL, "The names of the roles.", NULL},
    {"players", record_players, NULL, "Who played them.", NULL},
    {"rewards", record_rewards, NULL, "What they got; None: nothing is known.", NULL},
    {"ending", record_ending, NULL, "'completed', 'aborted', 'forfeited' or ''.", NULL},
    {0}};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "A match written down: a sequence of joint moves. Made by Match.record, Record.read and Record.parse."},
    {Py_tp_dealloc, record_dealloc},
    {Py_tp_repr, record_repr},
    {Py_tp_str, record_str},
    {Py_sq_length, record_length},
    {Py_sq_item, record_item},
    {Py_tp_methods, methods},
    {Py_tp_getset, values},
    {0}};
static PyType_Spec spec = {"ludens.Record", sizeof(struct record), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

bool record_add(PyObject *module)
{
    return (record_type = type_add(module, &spec)) != NULL;
}
