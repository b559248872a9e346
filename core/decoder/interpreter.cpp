// SPDX-License-Identifier: GPL-3.0-or-later
// Embeds Python.
#include <Python.h>

#include "core/decoder/interpreter.h"

#include <memory>

namespace cudal1::decoder {

namespace {

struct Release {
    void operator()(PyObject* object) const { Py_XDECREF(object); }
};
using Object = std::unique_ptr<PyObject, Release>;

std::string utf8(PyObject* text)
{
    Py_ssize_t size = 0;
    const char* data = text ? PyUnicode_AsUTF8AndSize(text, &size) : nullptr;
    PyErr_Clear();
    return data ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

/// The pending exception; clears it.
base::Error takeError(const std::string& context)
{
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    const Object ownType(type), ownValue(value), ownTraceback(traceback);
    const std::string name = type ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "an unknown error";
    const Object text(value ? PyObject_Str(value) : nullptr);
    const std::string message = utf8(text.get());
    if (name == "Refused")
        return {base::ErrorCode::InvalidArgument, "The model cannot be used so: " + message, "", ""};
    if (name == "ModuleNotFoundError" || name == "ImportError")
        return {base::ErrorCode::Unavailable, "Python lacks a package: " + message, context,
                "Run ./bootstrap again, or set CUDAL1_PYTHON to a Python that has torch 2.11, tokenizers and jinja2"};
    return {base::ErrorCode::Internal, "Python failed: " + name + (message.empty() ? "" : ": " + message), context, ""};
}

} // namespace

base::Result<Interpreter*> Interpreter::start(const std::string& executable)
{
    const auto failed = [&](PyStatus status) {
        return base::Error{base::ErrorCode::Unavailable,
                           std::string("Python does not start: ") + (status.err_msg ? status.err_msg : "unknown error"),
                           executable, "Run ./bootstrap again, or set CUDAL1_PYTHON to a Python that has torch 2.11"};
    };
    PyPreConfig before;
    PyPreConfig_InitIsolatedConfig(&before);
    before.utf8_mode = 1; // whatever the locale says
    if (const PyStatus status = Py_PreInitialize(&before); PyStatus_Exception(status))
        return failed(status);
    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    config.install_signal_handlers = 0;
    config.buffered_stdio = 0;
    config.write_bytecode = 0;
    PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, executable.c_str());
    if (!PyStatus_Exception(status))
        status = PyConfig_SetBytesString(&config, &config.executable, executable.c_str());
    if (!PyStatus_Exception(status))
        status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status))
        return failed(status);
    static Interpreter* only = nullptr;
    only = new Interpreter(executable); // lives until the process ends
    return only;
}

base::Result<void> Interpreter::load(const std::string& module, const std::string& source)
{
    const std::string path = module + ".py";
    const Object code(Py_CompileString(source.c_str(), path.c_str(), Py_file_input));
    if (!code)
        return takeError(path);
    PyObject* const added = PyImport_AddModule(module.c_str()); // borrowed
    if (!added)
        return takeError(path);
    PyObject* const globals = PyModule_GetDict(added);
    PyDict_SetItemString(globals, "__builtins__", PyEval_GetBuiltins());
    const Object done(PyEval_EvalCode(code.get(), globals, globals));
    if (!done)
        return takeError(path);
    return {};
}

base::Result<nlohmann::json> Interpreter::call(const std::string& module, const std::string& function,
                                               const nlohmann::json& argument)
{
    const std::string where = module + "." + function;
    const Object own(PyImport_ImportModule(module.c_str()));
    const std::string text = argument.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const Object given(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
    const Object callable(own ? PyObject_GetAttrString(own.get(), function.c_str()) : nullptr);
    const Object result(callable && given ? PyObject_CallOneArg(callable.get(), given.get()) : nullptr);
    if (!result)
        return takeError(where);
    nlohmann::json out = nlohmann::json::parse(utf8(result.get()), nullptr, false);
    if (out.is_discarded())
        return base::Error{base::ErrorCode::Internal, "Python answered with something else than JSON", where, ""};
    return out;
}

Interpreter::Released::Released() : m_state(PyEval_SaveThread()) {}

Interpreter::Released::~Released()
{
    PyEval_RestoreThread(static_cast<PyThreadState*>(m_state));
}

std::string Interpreter::version() const
{
    const std::string all = Py_GetVersion();
    return all.substr(0, all.find(' '));
}

std::string Interpreter::versionOf(const std::string& package)
{
    const Object metadata(PyImport_ImportModule("importlib.metadata"));
    const Object found(metadata ? PyObject_CallMethod(metadata.get(), "version", "s", package.c_str()) : nullptr);
    PyErr_Clear();
    return utf8(found.get());
}

} // namespace cudal1::decoder
