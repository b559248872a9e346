// SPDX-License-Identifier: GPL-3.0-or-later
// Calls __enter__ and __exit__.
#include "core/judge/module/pythoncontext.h"

#include <utility>

namespace cudal1::judge {

PythonContext::PythonContext(PyRef manager) : m_manager(std::move(manager))
{
    checked(PyObject_CallMethod(m_manager.get(), "__enter__", nullptr));
}

PythonContext::~PythonContext()
{
    // On the way out of an exception the interpreter may have it pending; __exit__ must not see it.
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    const PyRef left(PyObject_CallMethod(m_manager.get(), "__exit__", "OOO", Py_None, Py_None, Py_None));
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
}

} // namespace cudal1::judge
