// SPDX-License-Identifier: GPL-3.0-or-later
/* A player has an engine of its own, so that it can think while other threads ask about states. */
#include "core.h"

struct player {
    PyObject_HEAD;
    struct game *game;
    struct ludens_engine *engine;
    struct ludens_player *player; /* NULL: closed */
    uint32_t role;
    struct ludens_stop stop;
    int busy; /* a thread thinks */
};

struct ludens_budget budget_of(const struct budget_words *w, const struct ludens_stop *stop)
{
    return (struct ludens_budget){w->seconds, w->simulations, w->steps, w->expansions, stop};
}

int count_from(PyObject *object, void *count)
{
    PyObject *whole = PyNumber_Index(object); /* numbers of others, NumPy's among them */
    if (!whole) return 0;
    *(unsigned long long *)count = PyLong_AsUnsignedLongLong(whole);
    Py_DECREF(whole);
    return !PyErr_Occurred();
}

static PyObject *player_new(PyTypeObject *type, PyObject *args, PyObject *words)
{
    static char *names[] = {"game", "role", "who", "seed", NULL};
    PyObject *game, *role;
    const char *who = "champion";
    unsigned long long seed = 1;
    struct ludens_error error = {0};
    uint32_t r;
    if (!PyArg_ParseTupleAndKeywords(args, words, "O!O|sK", names, game_type, &game, &role, &who, &seed))
        return NULL;
    if (!game_role((struct game *)game, role, &r)) return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct player *p = (struct player *)alloc(type, 0);
    if (!p) return NULL;
    p->game = (struct game *)Py_NewRef(game);
    p->role = r;
    p->engine = ludens_engine_open(p->game->game, LUDENS_BACKGROUND, &error);
    p->player = p->engine ? ludens_player_new(p->game->game, r, who, seed, &error) : NULL;
    if (p->player) return (PyObject *)p;
    Py_DECREF((PyObject *)p);
    return fail(&error);
}

static void player_dealloc(PyObject *self)
{
    struct player *p = (struct player *)self;
    ludens_player_free(p->player);
    ludens_engine_free(p->engine);
    Py_XDECREF((PyObject *)p->game);
    object_free(self);
}

static bool is_free(struct player *p)
{
    if (!p->player)
        PyErr_SetString(PyExc_ValueError, "the player has left");
    else if (p->busy)
        PyErr_SetString(PyExc_RuntimeError,
                        "the player is thinking in another thread: stop() it and wait for that");
    else
        return true;
    return false;
}

static bool parse_budget(PyObject *args, PyObject *words, struct budget_words *out)
{
    static char *names[] = {"seconds", "simulations", "steps", "expansions", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, words, "|dO&O&O&", names, &out->seconds, count_from,
                                     &out->simulations, count_from, &out->steps, count_from,
                                     &out->expansions))
        return false;
    return true;
}

static PyObject *player_think(PyObject *self, PyObject *args, PyObject *words)
{
    struct player *p = (struct player *)self;
    struct budget_words w = {0};
    struct ludens_error error = {0};
    uint32_t move;
    bool good;
    if (!parse_budget(args, words, &w) || !is_free(p)) return NULL;
    if (w.seconds <= 0 && !w.simulations && !w.steps && !w.expansions) {
        PyErr_SetString(PyExc_ValueError, "think for how long? seconds, simulations, steps or expansions");
        return NULL;
    }
    p->busy = 1;
    ludens_stop_lower(&p->stop);
    struct ludens_budget budget = budget_of(&w, &p->stop);
    Py_BEGIN_ALLOW_THREADS good = ludens_player_think(p->player, p->engine, &budget, &move, &error);
    Py_END_ALLOW_THREADS p->busy = 0;
    return good ? move_text(p->engine, p->role, move) : fail(&error);
}

static PyObject *player_ponder(PyObject *self, PyObject *args, PyObject *words)
{
    struct player *p = (struct player *)self;
    struct budget_words w = {0};
    struct ludens_error error = {0};
    bool good;
    if (!parse_budget(args, words, &w) || !is_free(p)) return NULL;
    p->busy = 1;
    ludens_stop_lower(&p->stop);
    struct ludens_budget budget = budget_of(&w, &p->stop);
    Py_BEGIN_ALLOW_THREADS good = ludens_player_ponder(p->player, &budget, &error);
    Py_END_ALLOW_THREADS p->busy = 0;
    return good || error.code == LUDENS_STOPPED ? Py_NewRef(Py_None) : fail(&error);
}

static PyObject *player_stop(PyObject *self, PyObject *unused)
{
    ludens_stop_raise(&((struct player *)self)->stop);
    return Py_NewRef(Py_None);
}

static PyObject *player_advance(PyObject *self, PyObject *joint)
{
    struct player *p = (struct player *)self;
    struct ludens_error error = {0};
    uint32_t moves[MAX_ROLES];
    if (!is_free(p)) return NULL;
    if (PySequence_Size(joint) != (Py_ssize_t)p->game->nroles) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "advance wants one move for each role");
        return NULL;
    }
    for (uint32_t r = 0; r < p->game->nroles; r++) {
        PyObject *move = PySequence_GetItem(joint, r);
        bool good = move && PyUnicode_Check(move);
        if (move && !good) PyErr_SetString(PyExc_TypeError, "moves are texts here");
        good = good && move_parse(p->engine, r, move, &moves[r]);
        Py_XDECREF(move);
        if (!good) return NULL;
    }
    return ludens_player_advance(p->player, p->engine, moves, &error) ? Py_NewRef(Py_None) : fail(&error);
}

static PyObject *player_goto(PyObject *self, PyObject *state)
{
    struct player *p = (struct player *)self;
    struct ludens_error error = {0};
    if (!is_free(p)) return NULL;
    if (Py_TYPE(state) != state_type || ((struct state *)state)->game != p->game) {
        PyErr_SetString(PyExc_TypeError, "goto wants a state of the same Game");
        return NULL;
    }
    return ludens_player_goto(p->player, ((struct state *)state)->state, &error) ? Py_NewRef(Py_None)
                                                                                 : fail(&error);
}

static PyObject *player_thoughts(PyObject *self, void *unused)
{
    struct player *p = (struct player *)self;
    PyObject *text;
    if (!is_free(p)) return NULL;
    PRINTED(text, ludens_player_json, p->player);
    return json_read(text);
}

static PyObject *player_role(PyObject *self, void *unused)
{
    return PyLong_FromUnsignedLong(((struct player *)self)->role);
}

static PyObject *player_enter(PyObject *self, PyObject *unused)
{
    return Py_NewRef(self);
}

static PyObject *player_exit(PyObject *self, PyObject *unused)
{
    struct player *p = (struct player *)self;
    if (p->player && !is_free(p)) return NULL;
    ludens_player_free(p->player);
    p->player = NULL;
    return Py_NewRef(Py_None);
}

#define BUDGET "seconds=0.0, simulations=0, steps=0, expansions=0"
static PyMethodDef methods[] = {
    {"think", (PyCFunction)(void (*)(void))player_think, METH_VARARGS | METH_KEYWORDS,
     "think(" BUDGET ")\n--\n\nThe move to play, after so much thought; whichever limit ends first."},
    {"ponder", (PyCFunction)(void (*)(void))player_ponder, METH_VARARGS | METH_KEYWORDS,
     "ponder(" BUDGET
     ")\n--\n\nThink on others' time, until the budget is spent or another thread calls stop()."},
    {"stop", player_stop, METH_NOARGS, "stop()\n--\n\nEnd what another thread does with the player."},
    {"advance", player_advance, METH_O,
     "advance(joint)\n--\n\nThis joint move was made: a move of each role."},
    {"goto", player_goto, METH_O, "goto(state)\n--\n\nGo on from this state."},
    {"close", player_exit, METH_NOARGS, "close()\n--\n\nGive its memory back."},
    {"__enter__", player_enter, METH_NOARGS, NULL},
    {"__exit__", player_exit, METH_VARARGS, NULL},
    {0}};

static PyGetSetDef values[] = {{"thoughts", player_thoughts, NULL,
                                "What the last think was about, as `ludens think --json` has it.", NULL},
                               {"role", player_role, NULL, "The role it plays.", NULL},
                               {0}};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "Player(game, role, who='champion', seed=1)\n--\n\nSomebody of `ludens players` who plays a role. For "
     "`with`: it leaves at the end of the block."},
    {Py_tp_new, player_new},
    {Py_tp_dealloc, player_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, values},
    {0}};
static PyType_Spec spec = {"ludens.Player", sizeof(struct player), 0, Py_TPFLAGS_DEFAULT, slots};

bool player_add(PyObject *module)
{
    return type_add(module, &spec) != NULL;
}
