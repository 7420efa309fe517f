// SPDX-License-Identifier: GPL-3.0-or-later
/* A match runs without the interpreter lock; seats that are functions take it while they choose. What they
 * raise ends the match, and is raised again by who played it. */
#include "core.h"

struct match {
    PyObject_HEAD;
    struct game *game;
    struct ludens_match *match;
    struct ludens_stop stop;
    PyObject *seats[MAX_ROLES]; /* functions; NULL: a player of ours */
    PyObject *on_move;
    PyObject *raised[3]; /* what a function raised */
    int busy;
};

static void keep_exception(struct match *m)
{
    PyErr_Fetch(&m->raised[0], &m->raised[1], &m->raised[2]);
    ludens_stop_raise(&m->stop);
}

static bool raise_again(struct match *m)
{
    if (!m->raised[0]) return false;
    PyErr_Restore(m->raised[0], m->raised[1], m->raised[2]);
    m->raised[0] = m->raised[1] = m->raised[2] = NULL;
    return true;
}

/* The current state, for the engine of the game. */
static PyObject *state_now(struct match *m)
{
    struct ludens_error error = {0};
    const struct ludens_state *now = ludens_match_state(m->match);
    if (!now) return PyErr_NoMemory();
    return state_wrap(m->game, ludens_state_carry(now, m->game->engine, &error), &error);
}

/* Called without the lock. */
static bool choose(void *data, struct ludens_match *match, uint32_t role, uint32_t *move)
{
    struct match *m = data;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *state = m->raised[0] ? NULL : state_now(m);
    PyObject *answer = state ? PyObject_CallFunction(m->seats[role], "OI", state, role) : NULL;
    if (answer && !PyUnicode_Check(answer)) { /* a number of the game's engine */
        uint32_t number;
        PyObject *text = move_parse(m->game->engine, role, answer, &number)
                             ? move_text(m->game->engine, role, number)
                             : NULL;
        Py_DECREF(answer);
        answer = text;
    }
    bool raised = !answer, good = answer && move_parse(ludens_match_engine(match), role, answer, move);
    if (raised && PyErr_Occurred())
        keep_exception(m);
    else
        PyErr_Clear(); /* a text that is no move is the referee's business */
    Py_XDECREF(state);
    Py_XDECREF(answer);
    PyGILState_Release(lock);
    return good;
}

static void made(void *data, struct ludens_match *match)
{
    struct match *m = data;
    if (!m->on_move) return;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *answer = m->raised[0] ? NULL : PyObject_CallFunctionObjArgs(m->on_move, (PyObject *)m, NULL);
    if (!answer && PyErr_Occurred()) keep_exception(m);
    Py_XDECREF(answer);
    PyGILState_Release(lock);
}

/* --- Sitting down */

static bool sit(struct match *m, uint32_t role, PyObject *who)
{
    struct ludens_error error = {0};
    bool good;
    if (PyUnicode_Check(who)) {
        const char *name = PyUnicode_AsUTF8AndSize(who, NULL);
        if (!name) return false;
        good = ludens_match_sit(m->match, role, name, &error);
    } else if (PyCallable_Check(who)) {
        PyObject *name = PyObject_GetAttrString(who, "__name__");
        if (!name) PyErr_Clear();
        struct ludens_seat seat = {.choose = choose, .data = m};
        seat.name = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : "python";
        good = ludens_match_sit_callback(m->match, role, &seat, &error);
        if (good) m->seats[role] = Py_NewRef(who);
        Py_XDECREF(name);
    } else {
        PyErr_Format(PyExc_TypeError, "a seat is taken by a name or a function, not %R", who);
        return false;
    }
    return good || (fail(&error), false);
}

static bool sit_all(struct match *m, PyObject *seats)
{
    if (PyDict_Check(seats)) {
        PyObject *key, *who;
        Py_ssize_t at = 0;
        uint32_t role;
        while (PyDict_Next(seats, &at, &key, &who))
            if (!game_role(m->game, key, &role) || !sit(m, role, who)) return false;
        return true;
    }
    Py_ssize_t n = PySequence_Size(seats);
    if (n < 0) return false;
    if (n != (Py_ssize_t)m->game->nroles) {
        PyErr_Format(PyExc_ValueError, "there are %u seats, not %zd", m->game->nroles, n);
        return false;
    }
    for (uint32_t r = 0; r < m->game->nroles; r++) {
        PyObject *who = PySequence_GetItem(seats, r);
        bool good = who && sit(m, r, who);
        Py_XDECREF(who);
        if (!good) return false;
    }
    return true;
}

static PyObject *match_new(PyTypeObject *type, PyObject *args, PyObject *words)
{
    static char *names[] = {"game",  "seats",      "seconds",       "simulations",
                            "steps", "expansions", "start_seconds", "start_simulations",
                            "grace", "forfeit",    "seed",          "on_move",
                            NULL};
    PyObject *game, *seats, *on_move = Py_None;
    struct budget_words w = {0}, start = {0};
    const char *forfeit = NULL;
    unsigned long long seed = 1;
    double grace = -1;
    struct ludens_error error = {0};
    if (!PyArg_ParseTupleAndKeywords(args, words, "O!O|$dO&O&O&dO&dzKO", names, game_type, &game, &seats,
                                     &w.seconds, count_from, &w.simulations, count_from, &w.steps, count_from,
                                     &w.expansions, &start.seconds, count_from, &start.simulations, &grace,
                                     &forfeit, &seed, &on_move))
        return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct match *m = (struct match *)alloc(type, 0);
    if (!m) return NULL;
    m->game = (struct game *)Py_NewRef(game);
    if (on_move != Py_None) m->on_move = Py_NewRef(on_move);
    struct ludens_match_options o = {.budget = budget_of(&w, &m->stop),
                                     .start = budget_of(&start, NULL),
                                     .grace = grace,
                                     .forfeit = forfeit,
                                     .seed = seed,
                                     .made = made,
                                     .data = m};
    Py_BEGIN_ALLOW_THREADS m->match = ludens_match_new(m->game->game, &o, &error);
    Py_END_ALLOW_THREADS if (!m->match) fail(&error);
    if (m->match && sit_all(m, seats)) return (PyObject *)m;
    Py_DECREF((PyObject *)m);
    return NULL;
}

static void clear(struct match *m)
{
    ludens_match_free(m->match);
    m->match = NULL;
    for (int r = 0; r < MAX_ROLES; r++) Py_CLEAR(m->seats[r]);
    for (int i = 0; i < 3; i++) Py_CLEAR(m->raised[i]);
    Py_CLEAR(m->on_move);
}

static void match_dealloc(PyObject *self)
{
    struct match *m = (struct match *)self;
    clear(m);
    Py_XDECREF((PyObject *)m->game);
    object_free(self);
}

/* --- Playing */

static bool is_open(struct match *m, bool idle)
{
    if (!m->match)
        PyErr_SetString(PyExc_ValueError, "the match was closed");
    else if (idle && m->busy)
        PyErr_SetString(PyExc_RuntimeError, "the match is being played");
    else
        return true;
    return false;
}

static bool step(struct match *m, bool *over)
{
    struct ludens_error error = {0};
    bool good;
    m->busy = 1;
    Py_BEGIN_ALLOW_THREADS good = ludens_match_step(m->match, over, &error);
    Py_END_ALLOW_THREADS m->busy = 0;
    if (raise_again(m)) return false;
    if (!good) fail(&error);
    return good && PyErr_CheckSignals() == 0;
}

static PyObject *match_goals(PyObject *self, void *unused)
{
    struct match *m = (struct match *)self;
    if (!is_open(m, false)) return NULL;
    PyObject *out = PyTuple_New(m->game->nroles);
    for (uint32_t r = 0; out && r < m->game->nroles; r++) {
        int goal = ludens_match_goal(m->match, r);
        PyObject *value = goal == LUDENS_NO_GOAL ? Py_NewRef(Py_None) : PyLong_FromLong(goal);
        if (!value || PyTuple_SetItem(out, r, value) != 0) Py_CLEAR(out);
    }
    return out;
}

static PyObject *match_play(PyObject *self, PyObject *unused)
{
    struct match *m = (struct match *)self;
    bool over = false;
    if (!is_open(m, true)) return NULL;
    while (!over)
        if (!step(m, &over)) return NULL;
    return match_goals(self, NULL);
}

static PyObject *joint_at(struct match *m, uint32_t step)
{
    return joint_text(ludens_match_engine(m->match), m->game->nroles, ludens_match_joint(m->match, step));
}

static PyObject *match_next(PyObject *self)
{
    struct match *m = (struct match *)self;
    bool over = false;
    if (!is_open(m, true)) return NULL;
    uint32_t before = ludens_match_steps(m->match);
    if (!step(m, &over)) return NULL;
    return ludens_match_steps(m->match) > before ? joint_at(m, before) : NULL;
}

static PyObject *match_self(PyObject *self)
{
    return Py_NewRef(self);
}

static PyObject *match_state(PyObject *self, void *unused)
{
    return is_open((struct match *)self, false) ? state_now((struct match *)self) : NULL;
}

static PyObject *match_moves(PyObject *self, void *unused)
{
    struct match *m = (struct match *)self;
    if (!is_open(m, false)) return NULL;
    uint32_t n = ludens_match_steps(m->match);
    PyObject *out = PyList_New(n);
    for (uint32_t i = 0; out && i < n; i++) {
        PyObject *joint = joint_at(m, i);
        if (!joint || PyList_SetItem(out, i, joint) != 0) Py_CLEAR(out);
    }
    return out;
}

static PyObject *match_errors(PyObject *self, void *unused)
{
    struct match *m = (struct match *)self;
    if (!is_open(m, false)) return NULL;
    PyObject *out = PyTuple_New(m->game->nroles);
    for (uint32_t r = 0; out && r < m->game->nroles; r++)
        if (PyTuple_SetItem(out, r, PyLong_FromUnsignedLong(ludens_match_errors(m->match, r))) != 0)
            Py_CLEAR(out);
    return out;
}

static PyObject *match_record(PyObject *self, PyObject *args, PyObject *words)
{
    static char *names[] = {"states", NULL};
    struct match *m = (struct match *)self;
    struct ludens_error error = {0};
    int states = 0;
    if (!PyArg_ParseTupleAndKeywords(args, words, "|p", names, &states) || !is_open(m, true)) return NULL;
    return record_wrap(ludens_match_record(m->match, states, &error), &error);
}

static PyObject *match_stop(PyObject *self, PyObject *unused)
{
    ludens_stop_raise(&((struct match *)self)->stop);
    return Py_NewRef(Py_None);
}

static PyObject *match_enter(PyObject *self, PyObject *unused)
{
    return Py_NewRef(self);
}

static PyObject *match_exit(PyObject *self, PyObject *unused)
{
    struct match *m = (struct match *)self;
    if (m->match && !is_open(m, true)) return NULL;
    clear(m);
    return Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"play", match_play, METH_NOARGS, "play()\n--\n\nTo the end; returns the goals."},
    {"record", (PyCFunction)(void (*)(void))match_record, METH_VARARGS | METH_KEYWORDS,
     "record(states=False)\n--\n\nWhat was played so far, written down."},
    {"stop", match_stop, METH_NOARGS, "stop()\n--\n\nAbort it, from any thread."},
    {"close", match_exit, METH_NOARGS, "close()\n--\n\nEverybody leaves."},
    {"__enter__", match_enter, METH_NOARGS, NULL},
    {"__exit__", match_exit, METH_VARARGS, NULL},
    {0}};

static PyGetSetDef values[] = {
    {"goals", match_goals, NULL, "At the end; None before.", NULL},
    {"state", match_state, NULL, "The current state.", NULL},
    {"moves", match_moves, NULL, "The joint moves made so far.", NULL},
    {"errors", match_errors, NULL, "How many moves of each seat were replaced.", NULL},
    {0}};

static PyType_Slot slots[] = {{Py_tp_doc, "Match(game, seats, *, seconds=0.0, simulations=0, steps=0, "
                                          "expansions=0, start_seconds=0.0, start_simulations=0, "
                                          "grace=-1.0, forfeit=None, seed=1, on_move=None)\n--\n\nA referee. "
                                          "`seats` has for each role a name of `ludens "
                                          "players` or a function of a state and a role that returns a move; "
                                          "as a dict, empty seats play at random. "
                                          "Iterating plays on and gives joint moves."},
                              {Py_tp_new, match_new},
                              {Py_tp_dealloc, match_dealloc},
                              {Py_tp_iter, match_self},
                              {Py_tp_iternext, match_next},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, values},
                              {0}};
static PyType_Spec spec = {"ludens.Match", sizeof(struct match), 0, Py_TPFLAGS_DEFAULT, slots};

bool match_add(PyObject *module)
{
    return type_add(module, &spec) != NULL;
}
