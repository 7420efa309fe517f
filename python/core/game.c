// SPDX-License-Identifier: GPL-3.0-or-later
#include "core.h"

PyTypeObject *game_type;

static bool kind_parse(const char *name, enum ludens_kind *kind)
{
    static const char *const names[] = {"auto", "lifted", "circuit", "background"};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) return *kind = (enum ludens_kind)i, true;
    PyErr_Format(PyExc_ValueError, "there is no engine '%s'; there are: auto, lifted, circuit, background",
                 name);
    return false;
}

/* Takes the game over. */
struct game *game_wrap(PyTypeObject *type, struct ludens_game *game, enum ludens_kind kind)
{
    struct ludens_error error = {0};
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct game *g = (struct game *)alloc(type, 0);
    if (!g) return ludens_game_free(game), NULL;
    g->game = game;
    g->nroles = ludens_game_roles(game);
    struct ludens_engine *engine;
    Py_BEGIN_ALLOW_THREADS engine = ludens_engine_open(game, kind, &error);
    Py_END_ALLOW_THREADS g->engine = engine;
    if (g->engine && g->nroles <= MAX_ROLES) return g;
    if (g->engine)
        PyErr_SetString(PyExc_ValueError, "the game has too many roles");
    else
        fail(&error);
    Py_DECREF(g);
    return NULL;
}

static PyObject *game_new(PyTypeObject *type, PyObject *args, PyObject *words)
{
    static char *names[] = {"game", "engine", NULL};
    const char *engine = "auto";
    PyObject *path = NULL;
    enum ludens_kind kind;
    struct ludens_error error = {0};
    struct ludens_game *game;
    if (!PyArg_ParseTupleAndKeywords(args, words, "O&|s", names, PyUnicode_FSConverter, &path, &engine))
        return NULL;
    if (!kind_parse(engine, &kind)) return Py_DECREF(path), NULL;
    char *bytes = PyBytes_AsString(path);
    Py_BEGIN_ALLOW_THREADS game = ludens_game_load(bytes, &error);
    Py_END_ALLOW_THREADS Py_DECREF(path);
    return game ? (PyObject *)game_wrap(type, game, kind) : fail(&error);
}

static PyObject *game_parse(PyObject *type, PyObject *args, PyObject *words)
{
    static char *names[] = {"rules", "name", "engine", NULL};
    const char *rules, *name = "rules", *engine = "auto";
    Py_ssize_t size;
    enum ludens_kind kind;
    struct ludens_error error = {0};
    struct ludens_game *game;
    if (!PyArg_ParseTupleAndKeywords(args, words, "s#|ss", names, &rules, &size, &name, &engine)) return NULL;
    if (!kind_parse(engine, &kind)) return NULL;
    Py_BEGIN_ALLOW_THREADS game = ludens_game_parse(name, rules, (size_t)size, &error);
    Py_END_ALLOW_THREADS return game ? (PyObject *)game_wrap((PyTypeObject *)type, game, kind) : fail(&error);
}

static void game_dealloc(PyObject *self)
{
    struct game *g = (struct game *)self;
    ludens_board_free(g->board);
    ludens_engine_free(g->engine);
    Py_BEGIN_ALLOW_THREADS ludens_game_free(g->game); /* may wait for the circuit's thread */
    Py_END_ALLOW_THREADS object_free(self);
}

struct ludens_board *game_board(struct game *g)
{
    struct ludens_error error = {0};
    if (!g->board) g->board = ludens_board_new(g->engine, &error);
    if (!g->board) fail(&error);
    return g->board;
}

bool game_role(struct game *g, PyObject *role, uint32_t *out)
{
    if (PyUnicode_Check(role)) {
        for (*out = 0; *out < g->nroles; ++*out) {
            PyObject *name = text_new(ludens_game_role(g->game, *out));
            int same = name ? PyUnicode_Compare(name, role) : 1;
            Py_XDECREF(name);
            if (same == 0) return true;
        }
        PyErr_Format(PyExc_ValueError, "%s has no role %R", ludens_game_name(g->game), role);
        return false;
    }
    long number = PyLong_AsLong(role);
    if (number == -1 && PyErr_Occurred()) return false;
    if (number < 0 || number >= (long)g->nroles) {
        PyErr_Format(PyExc_ValueError, "there is no role %ld: %s has %u, counted from 0", number,
                     ludens_game_name(g->game), g->nroles);
        return false;
    }
    *out = (uint32_t)number;
    return true;
}

PyObject *game_role_name(const struct game *g, uint32_t role)
{
    return text_new(ludens_game_role(g->game, role));
}

static PyObject *game_start(PyObject *self, PyObject *unused)
{
    struct game *g = (struct game *)self;
    struct ludens_error error = {0};
    return state_wrap(g, ludens_state_new(g->engine, &error), &error);
}

/* Facts as one text, or as a sequence of texts. */
static PyObject *game_state(PyObject *self, PyObject *facts)
{
    struct game *g = (struct game *)self;
    struct ludens_error error = {0};
    PyObject *blank = PyUnicode_FromString(" ");
    PyObject *text = PyUnicode_Check(facts) ? Py_NewRef(facts) : PyUnicode_Join(blank, facts);
    Py_DECREF(blank);
    const char *s = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    PyObject *out = s ? state_wrap(g, ludens_state_read(g->engine, s, &error), &error) : NULL;
    Py_XDECREF(text);
    return out;
}

static PyObject *game_ready(PyObject *self, PyObject *args, PyObject *words)
{
    static char *names[] = {"wait", NULL};
    struct game *g = (struct game *)self;
    struct ludens_error error = {0};
    double wait = 0;
    bool taken = false;
    enum ludens_status status = LUDENS_WORKING;
    if (!PyArg_ParseTupleAndKeywords(args, words, "|d", names, &wait)) return NULL;
    if (!ludens_game_prepare(g->game, NULL, &error)) return fail(&error);
    Py_BEGIN_ALLOW_THREADS status = ludens_game_wait(g->game, wait, &error);
    Py_END_ALLOW_THREADS if (status == LUDENS_FAILED) return fail(&error);
    if (status == LUDENS_READY && !ludens_engine_take(g->engine, 0, &taken, &error)) return fail(&error);
    return PyBool_FromLong(taken);
}

static PyObject *game_moves(PyObject *self, PyObject *role)
{
    struct game *g = (struct game *)self;
    uint32_t r;
    if (!game_role(g, role, &r)) return NULL;
    uint32_t n = ludens_engine_moves(g->engine, r);
    PyObject *out = PyTuple_New(n);
    for (uint32_t i = 0; out && i < n; i++) {
        PyObject *text = move_text(g->engine, r, i);
        if (!text || PyTuple_SetItem(out, i, text) != 0) Py_CLEAR(out);
    }
    return out;
}

static PyObject *game_facts(PyObject *self, void *unused)
{
    struct game *g = (struct game *)self;
    uint32_t n = ludens_engine_facts(g->engine);
    PyObject *out = PyTuple_New(n);
    for (uint32_t i = 0; out && i < n; i++) {
        PyObject *text;
        PRINTED(text, ludens_fact_print, g->engine, i);
        if (!text || PyTuple_SetItem(out, i, text) != 0) Py_CLEAR(out);
    }
    return out;
}

static PyObject *game_name(PyObject *self, void *unused)
{
    return text_new(ludens_game_name(((struct game *)self)->game));
}

static PyObject *game_rules(PyObject *self, void *unused)
{
    return text_new(ludens_game_rules(((struct game *)self)->game));
}

static PyObject *game_roles(PyObject *self, void *unused)
{
    struct game *g = (struct game *)self;
    PyObject *out = PyTuple_New(g->nroles);
    for (uint32_t i = 0; out && i < g->nroles; i++) {
        PyObject *name = game_role_name(g, i);
        if (!name || PyTuple_SetItem(out, i, name) != 0) Py_CLEAR(out);
    }
    return out;
}

static PyObject *game_chance(PyObject *self, void *unused)
{
    int role = ludens_game_chance(((struct game *)self)->game);
    return role < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(role);
}

static PyObject *game_warnings(PyObject *self, void *unused)
{
    PyObject *out = PyList_New(0);
    const char *text;
    for (uint32_t i = 0; out && (text = ludens_game_warning(((struct game *)self)->game, i)); i++) {
        PyObject *s = text_new(text);
        if (!s || PyList_Append(out, s) != 0) Py_CLEAR(out);
        Py_XDECREF(s);
    }
    return out;
}

static PyObject *game_engine(PyObject *self, void *unused)
{
    bool circuit = ludens_engine_kind(((struct game *)self)->engine) == LUDENS_CIRCUIT;
    return text_new(circuit ? "circuit" : "lifted");
}

static PyObject *game_repr(PyObject *self)
{
    struct game *g = (struct game *)self;
    PyObject *roles = game_roles(self, NULL), *out = NULL;
    if (roles) out = PyUnicode_FromFormat("<ludens.Game %s, roles %R>", ludens_game_name(g->game), roles);
    Py_XDECREF(roles);
    return out;
}

static PyMethodDef game_methods[] = {
    {"parse", (PyCFunction)(void (*)(void))game_parse, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "parse(rules, name='rules', engine='auto')\n--\n\nA game from the text of a rule sheet."},
    {"start", game_start, METH_NOARGS, "start()\n--\n\nThe initial state."},
    {"state", game_state, METH_O,
     "state(facts)\n--\n\nThe state in which exactly these facts hold: one text, or several."},
    {"ready", (PyCFunction)(void (*)(void))game_ready, METH_VARARGS | METH_KEYWORDS,
     "ready(wait=0.0)\n--\n\nIs the circuit ready within so many seconds? If it is, states use it from now "
     "on."},
    {"moves", game_moves, METH_O,
     "moves(role)\n--\n\nThe moves of a role in the order of their numbers: on the circuit all there ever "
     "are."},
    {0}};

static PyGetSetDef game_values[] = {
    {"name", game_name, NULL, "What the game is called.", NULL},
    {"roles", game_roles, NULL, "The names of the roles.", NULL},
    {"rules", game_rules, NULL, "The text of the rule sheet.", NULL},
    {"chance", game_chance, NULL, "The role that moves by chance, or None.", NULL},
    {"warnings", game_warnings, NULL, "What is odd about the rules.", NULL},
    {"facts", game_facts, NULL, "Facts in the order of their numbers.", NULL},
    {"engine", game_engine, NULL, "'circuit' or 'lifted'.", NULL},
    {0}};

static PyType_Slot game_slots[] = {
    {Py_tp_doc,
     "Game(game, engine='auto')\n--\n\nA rule sheet: a file, or the name of a game that comes with "
     "Ludens. `engine` is 'auto', 'lifted', 'circuit', or 'background': lifted now, the circuit when "
     "ready() says so."},
    {Py_tp_new, game_new},
    {Py_tp_dealloc, game_dealloc},
    {Py_tp_repr, game_repr},
    {Py_tp_methods, game_methods},
    {Py_tp_getset, game_values},
    {0}};
static PyType_Spec game_spec = {"ludens.Game", sizeof(struct game), 0, Py_TPFLAGS_DEFAULT, game_slots};

bool game_add(PyObject *module)
{
    return (game_type = type_add(module, &game_spec)) != NULL;
}
