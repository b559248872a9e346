// SPDX-License-Identifier: GPL-3.0-or-later
// What every process with a module has.
#include "core/judge/module/modulehost.h"

#include <ATen/Context.h>
#include <c10/core/DefaultDtype.h>
#include <c10/cuda/CUDAFunctions.h>

#include <fstream>
#include <set>

namespace cudal1::judge {

namespace {

using at::Float32Backend;
using at::Float32Op;
using at::Float32Precision;

std::string precisionWord(Float32Backend backend, Float32Op op)
{
    const Float32Precision precision = at::globalContext().float32Precision(backend, op);
    return precision == Float32Precision::TF32 ? "tf32" : precision == Float32Precision::BF16 ? "bf16" : "fp32";
}

/// Parameters or buffers of a module and of those below it, as the framework's method lists them. They are read from
/// where the framework keeps them: the method may be a candidate's own, which would run whenever the judge asks.
class RegisteredTensors {
public:
    explicit RegisteredTensors(std::string method) : m_method(std::move(method)) {}

    void addOf(PyObject* module, const std::string& prefix)
    {
        if (!m_seen.insert(module).second)
            return;
        if (reinterpret_cast<PyObject*>(Py_TYPE(module)) == m_scripted.get()) {
            addScripted(module, prefix); // the framework keeps them in C++
            return;
        }
        const PyRef own(PyObject_GenericGetDict(module, nullptr));
        PyErr_Clear(); // an object without one is no module
        const std::string kept = m_method.substr(std::string_view("named").size()); // "_parameters"
        forEach(own.get(), kept.c_str(), [&](const std::string& name, PyObject* value) { add(prefix + name, value); });
        forEach(own.get(), "_modules",
                [&](const std::string& name, PyObject* value) { addOf(value, prefix + name + "."); });
    }
    std::vector<std::pair<std::string, at::Tensor>> take() { return std::move(m_all); }

private:
    void add(const std::string& name, PyObject* value)
    {
        if (isTensor(value) && m_seen.insert(value).second)
            m_all.emplace_back(name, tensorOf(value).detach());
    }

    void addScripted(PyObject* module, const std::string& prefix)
    {
        const PyRef named = attribute(m_scripted, m_method.c_str());
        const PyRef found = checked(PyObject_CallFunctionObjArgs(named.get(), module, nullptr));
        const PyRef list = checked(PySequence_List(found.get()));
        for (Py_ssize_t i = 0; i < PyList_Size(list.get()); ++i) {
            const PyRef name = checked(PySequence_GetItem(PyList_GetItem(list.get(), i), 0));
            const PyRef value = checked(PySequence_GetItem(PyList_GetItem(list.get(), i), 1));
            add(prefix + strOf(name.get()), value.get());
        }
    }

    template<typename Use> static void forEach(PyObject* own, const char* kept, const Use& use)
    {
        PyObject* const held = own ? PyDict_GetItemString(own, kept) : nullptr;
        if (!held || !PyDict_Check(held))
            return;
        PyObject *name = nullptr, *value = nullptr;
        for (Py_ssize_t at = 0; PyDict_Next(held, &at, &name, &value);)
            if (PyUnicode_Check(name))
                use(strOf(name), value);
    }

    std::string m_method;
    PyRef m_scripted = attribute(importModule("torch.jit"), "RecursiveScriptModule");
    std::set<PyObject*> m_seen; ///< modules and tensors that stand in several places are listed once
    std::vector<std::pair<std::string, at::Tensor>> m_all;
};

} // namespace

ModuleHost::ModuleHost(int memoryFile, std::string folder) : m_memoryFile(memoryFile), m_folder(std::move(folder))
{
    m_requests.on<ReadFlags>([this](const ReadFlags&) { return flags(); });
    m_requests.on<SetFlags>([](const SetFlags& request) { setFlags(request.flags); });
}

void applyPrecision(const std::string& mode)
{
    if (mode == "kernelbench")
        return;
    at::globalContext().setAllowTF32CuBLAS(mode == "tf32");
    at::globalContext().setAllowTF32CuDNN(mode == "tf32");
}

void setFlags(const PrecisionFlags& flags)
{
    at::globalContext().setAllowTF32CuBLAS(flags.matmul == "tf32");
    at::globalContext().setAllowTF32CuDNN(flags.conv == "tf32");
}

PrecisionFlags ModuleHost::flags() const
{
    const Float32Backend backend = m_device.is_cuda() ? Float32Backend::CUDA : Float32Backend::MKLDNN;
    PrecisionFlags out;
    out.matmul = precisionWord(backend, Float32Op::MATMUL);
    out.conv = precisionWord(backend, Float32Op::CONV);
    out.dtype = nameOf(c10::get_default_dtype_as_scalartype());
    out.text = "products " + out.matmul + ", convolutions " + out.conv;
    if (out.dtype != "float32")
        out.text += ", default type " + out.dtype;
    return out;
}

PyRef ModuleHost::runSource(const std::string& name, const std::string& source)
{
    const std::string path = m_folder + "/" + name + ".py";
    std::ofstream file(path, std::ios::binary);
    file << source;
    file.close();
    if (!file)
        throw std::runtime_error("cannot write " + path);
    return runModule(name, source, path);
}

void ModuleHost::useDevice(const std::string& device, const std::string& kernels)
{
    m_deviceName = device;
    m_device = deviceOf(device);
    if (m_device.is_cuda()) {
        if (c10::cuda::device_count() <= m_device.index())
            throw Refusal("no_device", "This machine has no " + device + ".", "cudal1 doctor lists its devices");
        c10::cuda::set_device(m_device.index());
    }
    m_kernels = std::make_unique<DeviceKernels>(m_device, kernels);
}

void ModuleHost::construct(const PyRef& module, const char* className, const PyRef& arguments, std::uint64_t seed)
{
    at::manual_seed(seed);
    const PyRef type = attribute(module, className);
    const PyRef tuple = checked(PySequence_Tuple(arguments.get()));
    const PyRef built = call(type, tuple);
    m_model = checked(PyObject_CallMethod(built.get(), "to", "s", m_deviceName.c_str()));
    synchronise(m_device);
}

void ModuleHost::makeArguments(const std::vector<at::Tensor>& tensors)
{
    PyRef tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(m_layout.inputs.size())));
    for (std::size_t i = 0, t = 0; i < m_layout.inputs.size(); ++i) {
        const TensorSpec& spec = m_layout.inputs[i];
        PyRef argument = spec.isTensor() ? pythonOf(tensors.at(t++)) : literal(spec.text);
        Py_INCREF(argument.get());
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), argument.get());
    }
    m_arguments = std::move(tuple);
}

std::vector<at::Tensor> ModuleHost::arenaInputs() const
{
    std::vector<at::Tensor> views;
    for (const TensorSpec& spec : m_layout.inputs)
        if (spec.isTensor())
            views.push_back(viewOf(m_arena.data(), spec, m_device));
    return views;
}

PyRef ModuleHost::callWithArguments(const PyRef& callable) const
{
    return checked(PyObject_Call(callable.get(), m_arguments.get(), nullptr));
}

bool ModuleHost::inArena(const at::Tensor& tensor) const
{
    const auto* data = static_cast<const std::byte*>(tensor.const_data_ptr());
    return m_arena.data() && data >= m_arena.data() && data < m_arena.data() + m_arena.bytes();
}

std::vector<at::Tensor> ModuleHost::parametersAndBuffers() const
{
    std::vector<at::Tensor> all;
    for (const char* method : {"named_parameters", "named_buffers"})
        for (auto& named : namedTensors(method))
            all.push_back(std::move(named.second));
    return all;
}

std::vector<std::pair<std::string, at::Tensor>> ModuleHost::namedTensorsOf(const PyRef& model, const char* method)
{
    RegisteredTensors registered(method);
    registered.addOf(model.get(), {});
    return registered.take();
}

bool ModuleHost::isOfNumbers(const at::Tensor& tensor)
{
    const at::ScalarType type = tensor.scalar_type();
    return at::isFloatingType(type) || (at::isComplexType(type) && type != at::kComplexHalf);
}

std::vector<std::pair<std::string, at::Tensor>> ModuleHost::weights() const
{
    std::vector<std::pair<std::string, at::Tensor>> all = namedTensors("named_parameters");
    // Another buffer is a mask or a table, whose values mean something.
    for (auto& named : namedTensors("named_buffers"))
        if (named.first.ends_with("running_mean") || named.first.ends_with("running_var"))
            all.push_back(std::move(named));
    std::erase_if(all, [](const auto& named) { return !isOfNumbers(named.second); });
    return all;
}

} // namespace cudal1::judge
