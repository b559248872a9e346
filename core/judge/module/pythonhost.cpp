// SPDX-License-Identifier: GPL-3.0-or-later
// The embedded CPython interpreter.
#include "core/judge/module/pythonhost.h"

#include <cstdlib>

namespace cudal1::judge {

namespace {

std::string utf8(PyObject* text)
{
    Py_ssize_t size = 0;
    const char* data = text ? PyUnicode_AsUTF8AndSize(text, &size) : nullptr;
    if (!data) {
        PyErr_Clear();
        return {};
    }
    return {data, static_cast<std::size_t>(size)};
}

/// Calls `with` the file and the function of every frame, and the line it is at, the outermost first.
template<class With> void forEachFrame(PyObject* traceback, With with)
{
    PyRef entry = PyRef::borrowed(traceback);
    while (entry && entry.get() != Py_None) {
        const PyRef frame(PyObject_GetAttrString(entry.get(), "tb_frame"));
        const PyRef code(frame ? PyObject_GetAttrString(frame.get(), "f_code") : nullptr);
        const PyRef file(code ? PyObject_GetAttrString(code.get(), "co_filename") : nullptr);
        const PyRef function(code ? PyObject_GetAttrString(code.get(), "co_name") : nullptr);
        const PyRef number(PyObject_GetAttrString(entry.get(), "tb_lineno"));
        if (file && function && number)
            with(utf8(file.get()), utf8(function.get()), static_cast<int>(PyLong_AsLong(number.get())));
        entry = PyRef(PyObject_GetAttrString(entry.get(), "tb_next"));
    }
    PyErr_Clear();
}

/// Whether it was raised where the framework, Triton or the builder of extensions looks for a GPU, and there is none.
/// Their own messages speak of lists and drivers.
bool missesGpu(PyObject* traceback)
{
    bool looked = false;
    forEachFrame(traceback, [&looked](const std::string& file, const std::string& function, int) {
        looked = looked || (file.ends_with("/torch/cuda/__init__.py") && function == "_lazy_init") ||
                 file.ends_with("/triton/runtime/driver.py") ||
                 (file.ends_with("/torch/utils/cpp_extension.py") &&
                  (function == "_get_cuda_arch_flags" || function == "_join_cuda_home"));
    });
    if (!looked)
        return false;
    const PyRef cuda(PyImport_ImportModule("torch.cuda"));
    const PyRef count(cuda ? PyObject_CallMethod(cuda.get(), "device_count", nullptr) : nullptr);
    const bool none = count && PyLong_Check(count.get()) && PyLong_AsLong(count.get()) == 0;
    PyErr_Clear();
    return none;
}

/// "memory" also for the framework's own exception, which is a RuntimeError to Python.
std::string kindOf(PyObject* type, PyObject* traceback)
{
    if (PyErr_GivenExceptionMatches(type, PyExc_SyntaxError))
        return "syntax";
    if (PyErr_GivenExceptionMatches(type, PyExc_MemoryError))
        return "memory";
    if (PyErr_GivenExceptionMatches(type, PyExc_SystemExit))
        return "exit";
    PyObject* torch = PyDict_GetItemString(PyImport_GetModuleDict(), "torch");
    if (torch) {
        const PyRef outOfMemory(PyObject_GetAttrString(torch, "OutOfMemoryError"));
        if (!outOfMemory)
            PyErr_Clear();
        else if (PyErr_GivenExceptionMatches(type, outOfMemory.get()))
            return "memory";
    }
    return missesGpu(traceback) ? "no_gpu" : "exception";
}

/// Where no path is given: a task's or a candidate's own text, whatever of the framework it called into.
bool isOwn(const std::string& file, const std::string& path)
{
    return path.empty() ? file.ends_with("/task.py") || file.ends_with("/candidate.py") : file == path;
}

int lineOf(PyObject* value, PyObject* traceback, bool syntax, const std::string& path)
{
    if (syntax) {
        const PyRef number(PyObject_GetAttrString(value, "lineno"));
        const long line = number && number.get() != Py_None ? PyLong_AsLong(number.get()) : 0;
        PyErr_Clear();
        return line > 0 ? static_cast<int>(line) : 0;
    }
    int line = 0;
    forEachFrame(traceback, [&](const std::string& file, const std::string&, int number) {
        if (isOwn(file, path))
            line = number;
    });
    return line;
}

void check(PyStatus status, PyConfig& config)
{
    if (!PyStatus_Exception(status))
        return;
    const std::string message = status.err_msg ? status.err_msg : "unknown error";
    PyConfig_Clear(&config);
    throw std::runtime_error("Python does not start: " + message);
}

} // namespace

void startPython(const std::string& executable)
{
    PyConfig config;
    // Text is UTF-8 whatever the locale says: on a server without one, printing a compiler's message would raise.
    PyPreConfig before;
    PyPreConfig_InitIsolatedConfig(&before);
    before.utf8_mode = 1;
    if (PyStatus_Exception(Py_PreInitialize(&before)))
        throw std::runtime_error("Python does not start: its encodings cannot be set");
    PyConfig_InitIsolatedConfig(&config);
    config.install_signal_handlers = 0;
    config.buffered_stdio = 0;
    config.write_bytecode = 0;
    check(PyConfig_SetBytesString(&config, &config.program_name, executable.c_str()), config);
    check(PyConfig_SetBytesString(&config, &config.executable, executable.c_str()), config);
    check(Py_InitializeFromConfig(&config), config);
    PyConfig_Clear(&config);
}

void setEnvironment(const std::map<std::string, std::string>& variables)
{
    const PyRef environ = attribute(importModule("os"), "environ");
    for (const auto& [name, value] : variables) {
        ::setenv(name.c_str(), value.c_str(), 1);
        const PyRef key(PyUnicode_FromString(name.c_str()));
        const PyRef text(PyUnicode_FromString(value.c_str()));
        if (PyObject_SetItem(environ.get(), key.get(), text.get()) != 0)
            throw takePythonError();
    }
}

PyRef runModule(const std::string& name, const std::string& source, const std::string& path)
{
    const PyRef code = checked(Py_CompileString(source.c_str(), path.c_str(), Py_file_input), path);
    const PyRef module = PyRef::borrowed(checked(Py_XNewRef(PyImport_AddModule(name.c_str()))).get());
    PyObject* globals = PyModule_GetDict(module.get());
    const PyRef file(PyUnicode_FromString(path.c_str()));
    PyDict_SetItemString(globals, "__file__", file.get());
    PyDict_SetItemString(globals, "__builtins__", PyEval_GetBuiltins());
    checked(PyEval_EvalCode(code.get(), globals, globals), path);
    return module;
}

PythonError takePythonError(const std::string& path)
{
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    const PyRef ownType(type), ownValue(value), ownTraceback(traceback);
    if (!type)
        return {"exception", "an unknown error in Python", "", 0};
    const std::string kind = kindOf(type, traceback);
    std::string formatted;
    {
        const PyRef module(PyImport_ImportModule("traceback"));
        const PyRef lines(module ? PyObject_CallMethod(module.get(), "format_exception", "OOO", type,
                                                       value ? value : Py_None, traceback ? traceback : Py_None)
                                 : nullptr);
        const PyRef empty(PyUnicode_FromString(""));
        const PyRef joined(lines ? PyUnicode_Join(empty.get(), lines.get()) : nullptr);
        formatted = utf8(joined.get());
        PyErr_Clear();
    }
    std::string summary = reinterpret_cast<PyTypeObject*>(type)->tp_name;
    if (const std::string text = strOf(value); !text.empty())
        summary += ": " + text;
    if (kind == "no_gpu")
        summary = "The code needs a GPU, and there is none here (" + summary + ").";
    return {kind, summary, formatted, lineOf(value, traceback, kind == "syntax", path)};
}

PyRef checked(PyObject* object, const std::string& path)
{
    if (!object)
        throw takePythonError(path);
    return PyRef(object);
}

PyRef importModule(const char* name)
{
    return checked(PyImport_ImportModule(name));
}

PyRef attribute(const PyRef& object, const char* name)
{
    return checked(PyObject_GetAttrString(object.get(), name));
}

PyRef call(const PyRef& callable, const PyRef& positional)
{
    if (!positional)
        return checked(PyObject_CallNoArgs(callable.get()));
    return checked(PyObject_Call(callable.get(), positional.get(), nullptr));
}

std::string reprOf(PyObject* object)
{
    const PyRef text(PyObject_Repr(object));
    return utf8(text.get());
}

std::string strOf(PyObject* object)
{
    if (!object)
        return {};
    const PyRef text(PyObject_Str(object));
    return utf8(text.get());
}

PyRef literal(const std::string& text)
{
    return checked(PyObject_CallMethod(importModule("ast").get(), "literal_eval", "s", text.c_str()));
}

nlohmann::json toJson(const PyRef& object)
{
    const PyRef text = checked(PyObject_CallMethod(importModule("json").get(), "dumps", "O", object.get()));
    return nlohmann::json::parse(utf8(text.get()));
}

} // namespace cudal1::judge
