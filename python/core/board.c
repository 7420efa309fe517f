// SPDX-License-Identifier: GPL-3.0-or-later
#include "core.h"

struct board {
    PyObject_HEAD;
    struct game *game;
    struct ludens_board *board; /* the game's */
};

static PyObject *board_new(PyTypeObject *type, PyObject *args, PyObject *words)
{
    static char *names[] = {"game", NULL};
    PyObject *game;
    if (!PyArg_ParseTupleAndKeywords(args, words, "O!", names, game_type, &game)) return NULL;
    struct ludens_board *board = game_board((struct game *)game);
    if (!board) return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct board *b = (struct board *)alloc(type, 0);
    if (!b) return NULL;
    b->game = (struct game *)Py_NewRef(game);
    b->board = board;
    return (PyObject *)b;
}

static void board_dealloc(PyObject *self)
{
    Py_XDECREF((PyObject *)((struct board *)self)->game);
    object_free(self);
}

static struct ludens_state *of_state(PyObject *self, PyObject *state)
{
    if (Py_TYPE(state) == state_type && ((struct state *)state)->game == ((struct board *)self)->game)
        return ((struct state *)state)->state;
    PyErr_SetString(PyExc_TypeError, "a board draws states of the same Game");
    return NULL;
}

static PyObject *board_text(PyObject *self, PyObject *args, PyObject *words)
{
    static char *names[] = {"state", "columns", NULL};
    PyObject *state, *out = NULL;
    unsigned int columns = 80;
    if (!PyArg_ParseTupleAndKeywords(args, words, "O|I", names, &state, &columns)) return NULL;
    struct ludens_state *s = of_state(self, state);
    if (s) PRINTED(out, ludens_board_text, ((struct board *)self)->board, s, columns);
    return out;
}

static PyObject *board_svg(PyObject *self, PyObject *state)
{
    struct ludens_state *s = of_state(self, state);
    PyObject *out = NULL;
    if (s) PRINTED(out, ludens_board_svg, ((struct board *)self)->board, s);
    return out;
}

static PyObject *board_position(PyObject *self, PyObject *state)
{
    struct ludens_state *s = of_state(self, state);
    PyObject *out = NULL;
    if (s) PRINTED(out, ludens_board_position_json, ((struct board *)self)->board, s);
    return json_read(out);
}

static PyObject *board_layout(PyObject *self, void *unused)
{
    PyObject *out;
    PRINTED(out, ludens_board_layout_json, ((struct board *)self)->board);
    return json_read(out);
}

static PyObject *piece_name(struct ludens_board *board, uint32_t piece)
{
    struct ludens_piece p;
    return text_new(ludens_board_piece(board, piece, &p) ? p.name : NULL);
}

static PyObject *board_squares(PyObject *self, PyObject *args)
{
    struct ludens_board *board = ((struct board *)self)->board;
    struct ludens_error error = {0};
    struct ludens_board_shape shape;
    const struct ludens_square *squares;
    unsigned int number = 0;
    uint32_t n;
    PyObject *state;
    if (!PyArg_ParseTuple(args, "O|I", &state, &number)) return NULL;
    struct ludens_state *s = of_state(self, state);
    if (!s) return NULL;
    if (!ludens_board_squares(board, number, s, &squares, &n, &error)) return fail(&error);
    ludens_board_shape(board, number, &shape);
    PyObject *out = PyList_New(0);
    for (uint32_t i = 0; out && i < n; i++) {
        uint32_t cell = squares[i].cell, row = cell / shape.width;
        PyObject *one = Py_BuildValue("(IIIN)", row / shape.height, row % shape.height, cell % shape.width,
                                      piece_name(board, squares[i].piece));
        if (!one || PyList_Append(out, one) != 0) Py_CLEAR(out);
        Py_XDECREF(one);
    }
    return out;
}

static PyObject *board_shapes(PyObject *self, void *unused)
{
    struct ludens_board *board = ((struct board *)self)->board;
    uint32_t n = ludens_board_count(board);
    PyObject *out = PyTuple_New(n);
    for (uint32_t i = 0; out && i < n; i++) {
        struct ludens_board_shape s;
        ludens_board_shape(board, i, &s);
        PyObject *one = Py_BuildValue("(sIII)", s.name, s.planes, s.height, s.width);
        if (!one || PyTuple_SetItem(out, i, one) != 0) Py_CLEAR(out);
    }
    return out;
}

static PyMethodDef methods[] = {{"text", (PyCFunction)(void (*)(void))board_text,
                                 METH_VARARGS | METH_KEYWORDS,
                                 "text(state, columns=80)\n--\n\nThe state drawn with characters."},
                                {"svg", board_svg, METH_O, "svg(state)\n--\n\nThe state as an SVG picture."},
                                {"position", board_position, METH_O,
                                 "position(state)\n--\n\nWhat stands where, for who draws elsewhere."},
                                {"squares", board_squares, METH_VARARGS,
                                 "squares(state, board=0)\n--\n\nWhat stands on a board: (plane, row, "
                                 "column, name of the piece), rows from below."},
                                {0}};

static PyGetSetDef values[] = {
    {"shapes", board_shapes, NULL, "Of each board: its name, planes, height and width.", NULL},
    {"layout", board_layout, NULL, "Places of all cells and looks of all pieces, for who draws elsewhere.",
     NULL},
    {0}};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Board(game)\n--\n\nHow to draw the states of a game: found in random games, never told."},
    {Py_tp_new, board_new},
    {Py_tp_dealloc, board_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, values},
    {0}};
static PyType_Spec spec = {"ludens.Board", sizeof(struct board), 0, Py_TPFLAGS_DEFAULT, slots};

bool board_add(PyObject *module)
{
    return type_add(module, &spec) != NULL;
}
