// SPDX-License-Identifier: GPL-3.0-or-later
/* serve(): a function on the network. Each match gets a Game of its own, and what the other side sends is
 * followed with states of it. */
#include "core.h"

struct service {
    PyObject *choose, *ready;
    struct game *game; /* of the match under way */
    PyObject *raised[3];
    struct ludens_stop stop;
};

static void keep_exception(struct service *s)
{
    if (!PyErr_Occurred()) return;
    PyErr_Fetch(&s->raised[0], &s->raised[1], &s->raised[2]);
    ludens_stop_raise(&s->stop);
}

static void on_ready(void *data, int port)
{
    struct service *s = data;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *answer = s->ready == Py_None ? Py_NewRef(Py_None) : PyObject_CallFunction(s->ready, "i", port);
    if (!answer) keep_exception(s);
    Py_XDECREF(answer);
    PyGILState_Release(lock);
}

static bool on_start(void *data, struct ludens_sitting *sitting, double seconds, struct ludens_error *error)
{
    struct service *s = data;
    const char *rules = ludens_game_rules(sitting->game);
    struct ludens_game *game = ludens_game_parse("match", rules, strlen(rules), error);
    if (!game) return false;
    PyGILState_STATE lock = PyGILState_Ensure();
    s->game = game_wrap(game_type, game, LUDENS_AUTO);
    keep_exception(s);
    PyGILState_Release(lock);
    return s->game != NULL;
}

static bool on_choose(void *data, struct ludens_sitting *sitting, double seconds, uint32_t *move,
                      struct ludens_error *error)
{
    struct service *s = data;
    PyGILState_STATE lock = PyGILState_Ensure();
    struct ludens_state *copy = NULL;
    PyObject *text;
    PRINTED(text, ludens_state_print, sitting->state);
    const char *facts = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    if (facts) copy = ludens_state_read(s->game->engine, facts, error);
    PyObject *state = facts ? state_wrap(s->game, copy, error) : NULL;
    PyObject *answer = state ? PyObject_CallFunction(s->choose, "OId", state, sitting->role, seconds) : NULL;
    bool good = answer && PyUnicode_Check(answer) && move_parse(sitting->engine, sitting->role, answer, move);
    if (!answer)
        keep_exception(s);
    else
        PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(state);
    Py_XDECREF(answer);
    PyGILState_Release(lock);
    return good;
}

static void on_over(void *data, struct ludens_sitting *sitting)
{
    struct service *s = data;
    PyGILState_STATE lock = PyGILState_Ensure();
    Py_XDECREF((PyObject *)s->game);
    s->game = NULL;
    PyGILState_Release(lock);
}

/* Ctrl-C. */
static void on_idle(void *data)
{
    PyGILState_STATE lock = PyGILState_Ensure();
    if (PyErr_CheckSignals() != 0) keep_exception(data);
    PyGILState_Release(lock);
}

static PyObject *serve(PyObject *module, PyObject *args, PyObject *words)
{
    static char *names[] = {"choose", "port", "address", "name", "ready", NULL};
    struct service s = {.ready = Py_None};
    struct ludens_error error = {0};
    struct ludens_server server = {.port = 9147,
                                   .name = "python",
                                   .data = &s,
                                   .ready = on_ready,
                                   .start = on_start,
                                   .choose = on_choose,
                                   .over = on_over,
                                   .idle = on_idle};
    bool good;
    if (!PyArg_ParseTupleAndKeywords(args, words, "O|izsO", names, &s.choose, &server.port, &server.address,
                                     &server.name, &s.ready))
        return NULL;
    Py_BEGIN_ALLOW_THREADS good = ludens_serve(&server, &s.stop, &error);
    Py_END_ALLOW_THREADS if (s.raised[0]) PyErr_Restore(s.raised[0], s.raised[1], s.raised[2]);
    else if (!good) fail(&error);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef functions[] = {
    {"serve", (PyCFunction)(void (*)(void))serve, METH_VARARGS | METH_KEYWORDS,
     "serve(choose, port=9147, address=None, name='python', ready=None)\n--\n\nSit in matches of the GGP "
     "protocol: "
     "choose(state, role, seconds) returns a move. Goes on until it raises; `ready` is told the port."},
    {0}};

bool serve_add(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) == 0;
}
