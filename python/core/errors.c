// SPDX-License-Identifier: GPL-3.0-or-later
#include "core.h"

static PyObject *errors[LUDENS_INTERNAL + 1]; /* by code; [LUDENS_OK] is the base of all */

PyObject *fail(const struct ludens_error *error)
{
    enum ludens_code code =
        error->code > LUDENS_OK && error->code <= LUDENS_INTERNAL ? error->code : LUDENS_INTERNAL;
    PyObject *text = PyUnicode_DecodeUTF8(error->text, (Py_ssize_t)strlen(error->text), "replace");
    PyObject *e = text ? PyObject_CallFunctionObjArgs(errors[code], text, NULL) : NULL;
    PyObject *line = error->line ? PyLong_FromUnsignedLong(error->line) : Py_NewRef(Py_None);
    PyObject *column = error->column ? PyLong_FromUnsignedLong(error->column) : Py_NewRef(Py_None);
    if (e && line && column && PyObject_SetAttrString(e, "line", line) == 0 &&
        PyObject_SetAttrString(e, "column", column) == 0)
        PyErr_SetObject(errors[code], e);
    Py_XDECREF(text);
    Py_XDECREF(e);
    Py_XDECREF(line);
    Py_XDECREF(column);
    return NULL;
}

static bool add(PyObject *module, enum ludens_code code, const char *name, PyObject *other, const char *doc)
{
    char full[60];
    snprintf(full, sizeof full, "ludens.%s", name);
    PyObject *bases = other ? PyTuple_Pack(2, errors[LUDENS_OK], other) : NULL;
    errors[code] = PyErr_NewExceptionWithDoc(full, doc, other ? bases : errors[LUDENS_OK], NULL);
    Py_XDECREF(bases);
    return errors[code] && PyModule_AddObjectRef(module, name, errors[code]) == 0;
}

bool errors_add(PyObject *module)
{
    PyObject *names = PyDict_New();
    if (!names || PyDict_SetItemString(names, "line", Py_None) ||
        PyDict_SetItemString(names, "column", Py_None))
        return false;
    errors[LUDENS_OK] = PyErr_NewExceptionWithDoc(
        "ludens.Error",
        "What Ludens says no with. `line` and `column` tell where in a rule sheet, or are None.", NULL,
        names);
    Py_DECREF(names);
    return errors[LUDENS_OK] && PyModule_AddObjectRef(module, "Error", errors[LUDENS_OK]) == 0 &&
           add(module, LUDENS_INPUT, "InputError", PyExc_ValueError, "Rules, names or moves are wrong.") &&
           add(module, LUDENS_MEMORY, "MemoryLimitError", PyExc_MemoryError, "A memory limit is reached.") &&
           add(module, LUDENS_TIME, "TimeLimitError", PyExc_TimeoutError, "A time limit is reached.") &&
           add(module, LUDENS_STOPPED, "StoppedError", NULL, "Somebody asked to stop.") &&
           add(module, LUDENS_SYSTEM, "SystemFailure", PyExc_OSError, "The operating system said no.") &&
           add(module, LUDENS_INTERNAL, "InternalError", NULL, "A fault of the library.");
}

PyTypeObject *type_add(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    if (!type || PyModule_AddType(module, (PyTypeObject *)type) != 0) return NULL;
    return (PyTypeObject *)type;
}

PyObject *text_new(const char *s)
{
    if (!s) return Py_NewRef(Py_None);
    return PyUnicode_DecodeUTF8(s, (Py_ssize_t)strlen(s), "replace");
}

PyObject *json_read(PyObject *text)
{
    PyObject *json = text ? PyImport_ImportModule("json") : NULL;
    PyObject *out = json ? PyObject_CallMethod(json, "loads", "O", text) : NULL;
    Py_XDECREF(json);
    Py_XDECREF(text);
    return out;
}
