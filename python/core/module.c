// SPDX-License-Identifier: GPL-3.0-or-later
#include "core.h"

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "ludens._core",
                                        .m_doc = "What `ludens` is made of.", .m_size = -1};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *m = PyModule_Create(&definition);
    if (m && errors_add(m) && game_add(m) && state_add(m) && player_add(m) && record_add(m) && match_add(m) &&
        board_add(m) && batch_add(m) && serve_add(m) &&
        PyModule_AddStringConstant(m, "version", ludens_version()) == 0)
        return m;
    Py_XDECREF(m);
    return NULL;
}
