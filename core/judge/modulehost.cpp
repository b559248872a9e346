// SPDX-License-Identifier: GPL-3.0-or-later
// What reference and candidate subjects have in common.
#include "core/judge/modulehost.h"

#include <ATen/Context.h>
#include <c10/core/DefaultDtype.h>
#include <c10/cuda/CUDAFunctions.h>

#include <sys/resource.h>

#include <chrono>
#include <fstream>

namespace cudal1::judge {

using nlohmann::json;

namespace {

using at::Float32Backend;
using at::Float32Op;
using at::Float32Precision;

std::string precisionWord(Float32Backend backend, Float32Op op)
{
    const Float32Precision precision = at::globalContext().float32Precision(backend, op);
    return precision == Float32Precision::TF32 ? "tf32" : precision == Float32Precision::BF16 ? "bf16" : "fp32";
}

/// How often another process took a core from this one's threads since the start.
long involuntarySwitches()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

} // namespace

void applyPrecision(const std::string& mode)
{
    if (mode == "kernelbench")
        return;
    at::globalContext().setAllowTF32CuBLAS(mode == "tf32");
    at::globalContext().setAllowTF32CuDNN(mode == "tf32");
}

void setFlags(const json& flags)
{
    at::globalContext().setAllowTF32CuBLAS(flags.value("matmul", "fp32") == "tf32");
    at::globalContext().setAllowTF32CuDNN(flags.value("conv", "fp32") == "tf32");
}

json ModuleHost::flags() const
{
    const bool cuda = m_device.is_cuda();
    const Float32Backend backend = cuda ? Float32Backend::CUDA : Float32Backend::MKLDNN;
    const std::string matmul = precisionWord(backend, Float32Op::MATMUL), conv = precisionWord(backend, Float32Op::CONV);
    const std::string dtype = nameOf(c10::get_default_dtype_as_scalartype());
    std::string text = "products " + matmul + ", convolutions " + conv;
    if (dtype != "float32")
        text += ", default type " + dtype;
    return {{"matmul", matmul}, {"conv", conv}, {"dtype", dtype}, {"text", text}};
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

void ModuleHost::useDevice(const std::string& device)
{
    m_deviceName = device;
    m_device = deviceOf(device);
    if (m_device.is_cuda()) {
        if (c10::cuda::device_count() <= m_device.index())
            throw Refusal("no_device", "This machine has no " + device + ".", "cudal1 doctor lists its devices");
        c10::cuda::set_device(m_device.index());
    }
    m_clock = std::make_unique<CallClock>(m_device);
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

void ModuleHost::makeArguments()
{
    PyRef tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(m_inputs.size())));
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        const TensorSpec& spec = m_inputs[i];
        PyRef argument = spec.isTensor() ? pythonOf(viewOf(m_arena.data(), spec, m_device)) : literal(spec.text);
        Py_INCREF(argument.get());
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), argument.get());
    }
    m_arguments = std::move(tuple);
}

PyRef ModuleHost::forward()
{
    return checked(PyObject_Call(m_model.get(), m_arguments.get(), nullptr));
}

json ModuleHost::round(const json& request)
{
    RoundPlan plan;
    plan.warmup_ns = request.at("warmup_ns");
    plan.duration_ns = request.at("duration_ns");
    plan.minCalls = request.at("min_calls");
    plan.maxCalls = request.at("max_calls");
    plan.core = request.at("core");
    plan.seed = request.at("seed");
    const long switchesBefore = involuntarySwitches();
    const auto begun = std::chrono::steady_clock::now();
    RoundTimes times = m_clock->run(plan, [this] { makeArguments(); }, [this] { return forward(); });
    keepLast(times.last);
    // For the supervisor, which times the round from outside: what this process does not account for is a finding.
    const double inside_ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begun).count();
    return {{"wall_ns", times.wall_ns}, {"event_ns", times.event_ns}, {"inside_ns", inside_ns},
            {"switches", involuntarySwitches() - switchesBefore}};
}

json ModuleHost::busy(const json& request)
{
    return {{"busy_ns", m_clock->gpuBusy(request.at("calls"), request.at("seed"), [this] { makeArguments(); },
                                         [this] { return forward(); })}};
}

json ModuleHost::handle(const json& request)
{
    const std::string command = request.at("command");
    if (command == "round")
        return round(request);
    if (command == "busy")
        return busy(request);
    if (command == "flags")
        return flags();
    throw std::runtime_error("unknown command " + command);
}

} // namespace cudal1::judge
