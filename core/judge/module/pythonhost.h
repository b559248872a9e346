// SPDX-License-Identifier: GPL-3.0-or-later
// The embedded CPython interpreter: start, run source files, call objects, turn exceptions into data.
//
// Everything here needs the GIL, which the one thread of a subject holds from start to end.
#pragma once

#include <Python.h>

#include <nlohmann/json.hpp>

#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace cudal1::judge {

/// Owns one reference to a Python object.
class PyRef {
public:
    PyRef() = default;
    /// Takes over a new reference, as most of Python's C API returns it.
    explicit PyRef(PyObject* object) : m_object(object) {}
    static PyRef borrowed(PyObject* object)
    {
        Py_XINCREF(object);
        return PyRef(object);
    }
    PyRef(const PyRef& other) : m_object(other.m_object) { Py_XINCREF(m_object); }
    PyRef(PyRef&& other) noexcept : m_object(std::exchange(other.m_object, nullptr)) {}
    PyRef& operator=(PyRef other) noexcept
    {
        std::swap(m_object, other.m_object);
        return *this;
    }
    ~PyRef() { Py_XDECREF(m_object); }

    PyObject* get() const { return m_object; }
    explicit operator bool() const { return m_object != nullptr; }

private:
    PyObject* m_object = nullptr;
};

/// A Python exception as data. `kind` is one of "syntax", "memory", "exit", "no_gpu", "exception".
struct PythonError : std::runtime_error {
    PythonError(std::string errorKind, const std::string& summary, std::string formatted, int errorLine)
        : std::runtime_error(summary), kind(std::move(errorKind)), traceback(std::move(formatted)), line(errorLine)
    {
    }
    std::string kind;
    std::string traceback;
    int line; ///< of the innermost frame in the file that was run, or of the syntax error; 0 when unknown
};

/// Starts the interpreter of the environment that `executable` (".../bin/python") belongs to. Throws
/// std::runtime_error.
void startPython(const std::string& executable);

/// Sets variables for this process, its children and Python's own copy (os.environ).
void setEnvironment(const std::map<std::string, std::string>& variables);

/// Runs a file's source as module `name` (registered in sys.modules) and returns the module. Throws PythonError.
PyRef runModule(const std::string& name, const std::string& source, const std::string& path);

/// The pending exception as an error; clears it. Lines are those of `path` when it is given.
PythonError takePythonError(const std::string& path = {});
/// Throws the pending exception if `object` is null, else passes it on.
PyRef checked(PyObject* object, const std::string& path = {});

PyRef importModule(const char* name);
PyRef attribute(const PyRef& object, const char* name); ///< throws PythonError when it is missing
PyRef call(const PyRef& callable, const PyRef& positional = {});

std::string reprOf(PyObject* object);
std::string strOf(PyObject* object);
/// ast.literal_eval. Throws PythonError when the text is no literal.
PyRef literal(const std::string& text);
/// A Python object made of dicts, lists, strings and numbers as JSON (through Python's json module), and back.
nlohmann::json toJson(const PyRef& object);

} // namespace cudal1::judge
