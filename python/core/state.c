// SPDX-License-Identifier: GPL-3.0-or-later
/* States do not change: playing makes another one. */
#include "core.h"

PyTypeObject *state_type;

PyObject *state_wrap(struct game *game, struct ludens_state *state, const struct ludens_error *error)
{
    if (!state) return fail(error);
    struct state *s = PyObject_New(struct state, state_type);
    if (!s) return ludens_state_free(state), NULL;
    s->game = (struct game *)Py_NewRef((PyObject *)game);
    s->state = state;
    return (PyObject *)s;
}

static void state_dealloc(PyObject *self)
{
    struct state *s = (struct state *)self;
    ludens_state_free(s->state);
    Py_DECREF((PyObject *)s->game);
    object_free(self);
}

/* --- Moves */

bool move_parse(struct ludens_engine *engine, uint32_t role, PyObject *move, uint32_t *out)
{
    struct ludens_error error = {0};
    if (PyUnicode_Check(move)) {
        const char *text = PyUnicode_AsUTF8AndSize(move, NULL);
        if (!text) return false;
        return ludens_move_read(engine, role, text, out, &error) || (fail(&error), false);
    }
    PyObject *number = PyNumber_Index(move);
    unsigned long value = number ? PyLong_AsUnsignedLong(number) : 0;
    Py_XDECREF(number);
    if (PyErr_Occurred()) return false;
    *out = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    return true;
}

PyObject *move_text(struct ludens_engine *engine, uint32_t role, uint32_t move)
{
    PyObject *out;
    PRINTED(out, ludens_move_print, engine, role, move);
    return out;
}

PyObject *joint_text(struct ludens_engine *engine, uint32_t nroles, const uint32_t *joint)
{
    PyObject *out = PyTuple_New(nroles);
    for (uint32_t r = 0; out && r < nroles; r++) {
        PyObject *text = move_text(engine, r, joint[r]);
        if (!text || PyTuple_SetItem(out, r, text) != 0) Py_CLEAR(out);
    }
    return out;
}

/* The only role that has a choice, or -1; *joint gets the first move of each. */
static int only_chooser(struct state *s, uint32_t *joint)
{
    struct ludens_error error = {0};
    int chooser = -1, choosing = 0;
    for (uint32_t r = 0; r < s->game->nroles; r++) {
        const uint32_t *moves;
        uint32_t n;
        if (!ludens_state_moves(s->state, r, &moves, &n, &error)) return fail(&error), -2;
        if (n > 1) choosing++, chooser = (int)r;
        joint[r] = n ? moves[0] : UINT32_MAX;
    }
    if (s->game->nroles == 1) return 0;
    return choosing == 1 ? chooser : -1;
}

/* One move of each role; or a single one where one role has a choice, or where it is legal for one role only.
 */
static bool joint_parse(struct state *s, PyObject *given, uint32_t *joint)
{
    struct ludens_engine *engine = s->game->engine;
    if (PyUnicode_Check(given) || PyIndex_Check(given)) {
        int role = only_chooser(s, joint);
        if (role >= 0) return move_parse(engine, (uint32_t)role, given, &joint[role]);
        if (role == -1 && PyUnicode_Check(given)) /* nobody chooses: the only moves there are */
            for (uint32_t r = 0; r < s->game->nroles; r++) {
                PyObject *only = move_text(engine, r, joint[r]);
                int same = only ? PyUnicode_Compare(only, given) : 1;
                Py_XDECREF(only);
                if (same == 0) return true;
            }
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "%R: not one role chooses here; give a move for each role", given);
        return false;
    }
    if (PySequence_Size(given) != (Py_ssize_t)s->game->nroles) {
        if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "%R is not one move for each role", given);
        return false;
    }
    for (uint32_t r = 0; r < s->game->nroles; r++) {
        PyObject *move = PySequence_GetItem(given, r);
        bool good = move && move_parse(engine, r, move, &joint[r]);
        Py_XDECREF(move);
        if (!good) return false;
    }
    return true;
}

static PyObject *state_play(PyObject *self, PyObject *given)
{
    struct state *s = (struct state *)self;
    struct ludens_error error = {0};
    uint32_t joint[MAX_ROLES];
    if (!joint_parse(s, given, joint)) return NULL;
    struct ludens_state *next = ludens_state_copy(s->state, &error);
    if (next && !ludens_state_play(next, joint, &error)) {
        ludens_state_free(next);
        next = NULL;
    }
    return state_wrap(s->game, next, &error);
}

static PyObject *moves_of(struct state *s, uint32_t role, bool numbers)
{
    struct ludens_error error = {0};
    const uint32_t *moves;
    uint32_t n;
    if (!ludens_state_moves(s->state, role, &moves, &n, &error)) return fail(&error);
    PyObject *out = PyList_New(n);
    for (uint32_t i = 0; out && i < n; i++) {
        PyObject *move =
            numbers ? PyLong_FromUnsignedLong(moves[i]) : move_text(s->game->engine, role, moves[i]);
        if (!move || PyList_SetItem(out, i, move) != 0) Py_CLEAR(out);
    }
    return out;
}

static PyObject *legal(PyObject *self, PyObject *args, bool numbers)
{
    struct state *s = (struct state *)self;
    PyObject *role = Py_None;
    uint32_t r;
    if (!PyArg_ParseTuple(args, "|O", &role)) return NULL;
    if (role != Py_None) return game_role(s->game, role, &r) ? moves_of(s, r, numbers) : NULL;
    PyObject *out = PyTuple_New(s->game->nroles);
    for (r = 0; out && r < s->game->nroles; r++) {
        PyObject *moves = moves_of(s, r, numbers);
        if (!moves || PyTuple_SetItem(out, r, moves) != 0) Py_CLEAR(out);
    }
    return out;
}

static PyObject *state_legal(PyObject *self, PyObject *args)
{
    return legal(self, args, false);
}

static PyObject *state_legal_numbers(PyObject *self, PyObject *args)
{
    return legal(self, args, true);
}

/* --- What it is */

static PyObject *state_terminal(PyObject *self, void *unused)
{
    struct ludens_error error = {0};
    bool over;
    if (!ludens_state_terminal(((struct state *)self)->state, &over, &error)) return fail(&error);
    return PyBool_FromLong(over);
}

static PyObject *state_goals(PyObject *self, void *unused)
{
    struct state *s = (struct state *)self;
    struct ludens_error error = {0};
    PyObject *out = PyTuple_New(s->game->nroles);
    for (uint32_t r = 0; out && r < s->game->nroles; r++) {
        int goal;
        if (!ludens_state_goal(s->state, r, &goal, &error)) {
            Py_DECREF(out);
            return fail(&error);
        }
        PyObject *value = goal == LUDENS_NO_GOAL ? Py_NewRef(Py_None) : PyLong_FromLong(goal);
        if (!value || PyTuple_SetItem(out, r, value) != 0) Py_CLEAR(out);
    }
    return out;
}

static PyObject *state_player(PyObject *self, void *unused)
{
    uint32_t joint[MAX_ROLES];
    int role = only_chooser((struct state *)self, joint);
    if (role == -2) return NULL;
    return role < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(role);
}

static PyObject *state_game(PyObject *self, void *unused)
{
    return Py_NewRef((PyObject *)((struct state *)self)->game);
}

static PyObject *state_text(struct state *s)
{
    PyObject *out;
    PRINTED(out, ludens_state_print, s->state);
    return out;
}

static PyObject *state_facts(PyObject *self, void *unused)
{
    PyObject *text = state_text((struct state *)self);
    PyObject *lines = text ? PyUnicode_Splitlines(text, 0) : NULL;
    PyObject *out = lines ? PyList_AsTuple(lines) : NULL;
    Py_XDECREF(text);
    Py_XDECREF(lines);
    return out;
}

static PyObject *state_numbers(PyObject *self, void *unused)
{
    struct ludens_error error = {0};
    const uint32_t *facts;
    uint32_t n;
    if (!ludens_state_facts(((struct state *)self)->state, &facts, &n, &error)) return fail(&error);
    PyObject *out = PyTuple_New(n);
    for (uint32_t i = 0; out && i < n; i++)
        if (PyTuple_SetItem(out, i, PyLong_FromUnsignedLong(facts[i])) != 0) Py_CLEAR(out);
    return out;
}

static PyObject *state_bits(PyObject *self, PyObject *unused)
{
    struct state *s = (struct state *)self;
    size_t words = ludens_state_bits(s->state, NULL, 0);
    PyObject *out = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)words * 8);
    uint64_t *bits = out ? PyMem_Calloc(words + 1, 8) : NULL;
    if (!bits) return Py_XDECREF(out), PyErr_NoMemory();
    ludens_state_bits(s->state, bits, words);
    memcpy(PyBytes_AsString(out), bits, words * 8);
    PyMem_Free(bits);
    return out;
}

static PyObject *state_iter(PyObject *self)
{
    PyObject *facts = state_facts(self, NULL), *out = facts ? PyObject_GetIter(facts) : NULL;
    Py_XDECREF(facts);
    return out;
}

static Py_ssize_t state_length(PyObject *self)
{
    PyObject *facts = state_facts(self, NULL);
    Py_ssize_t n = facts ? PyTuple_Size(facts) : -1;
    Py_XDECREF(facts);
    return n;
}

static int state_contains(PyObject *self, PyObject *fact)
{
    PyObject *facts = state_facts(self, NULL);
    int found = facts ? PySequence_Contains(facts, fact) : -1;
    Py_XDECREF(facts);
    return found;
}

static PyObject *state_compare(PyObject *a, PyObject *b, int how)
{
    if ((how != Py_EQ && how != Py_NE) || Py_TYPE(b) != state_type) return Py_NewRef(Py_NotImplemented);
    struct state *x = (struct state *)a, *y = (struct state *)b;
    bool same = x->game == y->game && ludens_state_equal(x->state, y->state);
    return PyBool_FromLong(same == (how == Py_EQ));
}

static Py_hash_t state_hash(PyObject *self)
{
    Py_hash_t hash = (Py_hash_t)ludens_state_hash(((struct state *)self)->state);
    return hash == -1 ? -2 : hash;
}

static PyObject *state_repr(PyObject *self)
{
    struct state *s = (struct state *)self;
    struct ludens_board *board = game_board(s->game);
    PyObject *drawn = NULL, *out = NULL;
    if (board) PRINTED(drawn, ludens_board_text, board, s->state, 80);
    if (drawn) out = PyUnicode_FromFormat("<ludens.State of %s>\n%U", ludens_game_name(s->game->game), drawn);
    Py_XDECREF(drawn);
    return out;
}

static PyObject *state_svg(PyObject *self, PyObject *unused)
{
    struct state *s = (struct state *)self;
    struct ludens_board *board = game_board(s->game);
    PyObject *out = NULL;
    if (board) PRINTED(out, ludens_board_svg, board, s->state);
    return out;
}

static PyMethodDef methods[] = {
    {"play", state_play, METH_O,
     "play(moves)\n--\n\nThe state after a move of each role, or after the move of the only one that "
     "chooses. Moves "
     "are texts or numbers."},
    {"legal", state_legal, METH_VARARGS,
     "legal(role=None)\n--\n\nThe legal moves of a role; without one, a tuple with those of each role."},
    {"legal_numbers", state_legal_numbers, METH_VARARGS,
     "legal_numbers(role=None)\n--\n\nThe same as numbers, as batches have them."},
    {"bits", state_bits, METH_NOARGS,
     "bits()\n--\n\nThe facts as bits, in 64-bit words: fact i is bit i % 64 of word i / 64."},
    {"_repr_svg_", state_svg, METH_NOARGS, "_repr_svg_()\n--\n\nThe state drawn, for notebooks."},
    {0}};

static PyGetSetDef values[] = {
    {"terminal", state_terminal, NULL, "Is the game over?", NULL},
    {"goals", state_goals, NULL, "What each role gets; None where the rules do not say.", NULL},
    {"player", state_player, NULL, "The only role that has a choice, or None.", NULL},
    {"facts", state_facts, NULL, "The facts that hold, sorted.", NULL},
    {"numbers", state_numbers, NULL, "The same as numbers of Game.facts.", NULL},
    {"game", state_game, NULL, "The game it is a state of.", NULL},
    {0}};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "A position; it never changes. Iterating gives its facts. Made by Game.start, Game.state and play."},
    {Py_tp_dealloc, state_dealloc},
    {Py_tp_repr, state_repr},
    {Py_tp_iter, state_iter},
    {Py_tp_hash, state_hash},
    {Py_tp_richcompare, state_compare},
    {Py_sq_length, state_length},
    {Py_sq_contains, state_contains},
    {Py_tp_methods, methods},
    {Py_tp_getset, values},
    {0}};
static PyType_Spec spec = {"ludens.State", sizeof(struct state), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

bool state_add(PyObject *module)
{
    return (state_type = type_add(module, &spec)) != NULL;
}
