// SPDX-License-Identifier: GPL-3.0-or-later
// What reference and candidate subjects have in common.
#include "core/judge/modulehost.h"

#include "core/judge/modulecapture.h"
#include "core/judge/python_nvrtctexts.h"
#include "core/judge/timeline.h"

#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>
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

/// Reads a byte of every page, so that what is only made when it is looked at is made within the call.
void touch(const std::vector<at::Tensor>& tensors)
{
    constexpr std::size_t page = 4096;
    for (const at::Tensor& tensor : tensors) {
        const std::size_t bytes = at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.element_size());
        const auto* data = static_cast<const volatile unsigned char*>(tensor.const_data_ptr());
        for (std::size_t at = 0; at < bytes; at += page)
            static_cast<void>(data[at]);
        if (bytes > 0)
            static_cast<void>(data[bytes - 1]);
    }
}

/// How often another process took a core from this one's threads since the start.
long involuntarySwitches()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

} // namespace

/// The calls of one round: fresh inputs before each, results looked at after each.
class ModuleHost::Calls final : public TimedCalls {
public:
    explicit Calls(ModuleHost& host) : m_host(host) {}

    void prepare(std::uint64_t index) override
    {
        m_host.makeArguments();
        synchronise(m_host.m_device); // what the freed arguments may have set going
        m_host.refreshInputs(m_host.m_roundKey, index);
    }

    void finishInputs(std::uint64_t index) override { m_host.patchInputs(m_host.m_roundKey, index); }

    PyRef forward() override { return m_host.forward(); }

    bool returned(std::uint64_t index, const PyRef& result, double lastCall_ns) override
    {
        m_inOrder = m_host.keepsInOrder(index, lastCall_ns);
        if (m_host.m_device.is_cpu())
            touch(flattenOutputs(result.get(), false).tensors); // the clock runs: no more of it than on the other side
        if (m_inOrder) {
            m_result = m_host.resultOf(result);
            m_host.keep(index, m_result);
        }
        return m_inOrder || !m_held.empty(); // with a result held the allocator works differently
    }

    void drained(std::uint64_t index, const PyRef& result) override
    {
        if (!m_inOrder)
            m_result = m_host.resultOf(result);
        m_fingerprints = fingerprints(m_result);
        for (std::size_t i = 0; i < m_held.size(); ++i)
            if (m_host.m_kernels->fingerprint(m_held[i]) != m_heldFingerprints[i])
                throw Refusal("static_output", "The result is memory that the next call overwrites.",
                              "a timed result changed while the caller still held it");
        m_held.clear();
        const bool afterwards = !m_inOrder && m_host.keepsAfterwards(index, ++m_seen);
        if (afterwards)
            m_host.keep(index, m_result);
        if (m_inOrder || afterwards) {
            m_checked = static_cast<std::int64_t>(index);
            m_inputFingerprints = m_host.inputFingerprints();
        }
        m_hold = m_inOrder;
    }

    void releasing(std::uint64_t, const PyRef&) override
    {
        std::vector<at::Tensor> own;
        std::vector<std::uint64_t> ownFingerprints;
        for (std::size_t i = 0; i < m_result.size(); ++i) {
            if (m_host.inInputs(m_result[i]))
                continue; // is to be overwritten
            if (m_host.m_kernels->fingerprint(m_result[i]) != m_fingerprints[i])
                throw Refusal("late_write", "A timed result changed after the call had ended and the device was idle.",
                              "work went on outside of the timed interval");
            own.push_back(m_result[i]);
            ownFingerprints.push_back(m_fingerprints[i]);
        }
        if (m_hold) {
            m_held = std::move(own);
            m_heldFingerprints = std::move(ownFingerprints);
        }
        m_hold = false;
        m_result.clear();
    }

    std::int64_t checked() const { return m_checked; } ///< -1 for none
    const std::vector<std::uint64_t>& inputFingerprints() const { return m_inputFingerprints; }

private:
    std::vector<std::uint64_t> fingerprints(const std::vector<at::Tensor>& tensors) const
    {
        std::vector<std::uint64_t> all;
        for (const at::Tensor& tensor : tensors)
            all.push_back(m_host.m_kernels->fingerprint(tensor));
        return all;
    }

    ModuleHost& m_host;
    std::vector<at::Tensor> m_result, m_held;
    std::vector<std::uint64_t> m_fingerprints, m_heldFingerprints, m_inputFingerprints;
    std::int64_t m_checked = -1;
    std::uint64_t m_seen = 0; ///< calls that could be kept afterwards
    bool m_inOrder = false, m_hold = false;
};

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

void ModuleHost::useDevice(const std::string& device, const std::string& kernels)
{
    m_deviceName = device;
    m_device = deviceOf(device);
    if (m_device.is_cuda()) {
        if (c10::cuda::device_count() <= m_device.index())
            throw Refusal("no_device", "This machine has no " + device + ".", "cudal1 doctor lists its devices");
        c10::cuda::set_device(m_device.index());
    }
    m_clock = std::make_unique<CallClock>(m_device);
    m_kernels = std::make_unique<DeviceKernels>(m_device, kernels);
}

void ModuleHost::joinArena(const json& request)
{
    useDevice(request.at("device"), request.at("kernels"));
    m_arena.open(m_deviceName, request.at("bytes"), m_memoryFile, request.at("handle"));
}

void ModuleHost::takeLayout(const json& request)
{
    applyPrecision(request.at("precision"));
    request.at("inputs").get_to(m_inputs);
    request.at("outputs").get_to(m_outputs);
    m_baseOffset = request.at("base_offset");
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

std::vector<at::Tensor> ModuleHost::resultOf(const PyRef& result) const
{
    return flattenOutputs(result.get(), false).tensors;
}

bool ModuleHost::inInputs(const at::Tensor& tensor) const
{
    const auto* data = static_cast<const std::byte*>(tensor.const_data_ptr());
    return data >= m_arena.data() && data < m_arena.data() + m_baseOffset;
}

void ModuleHost::refreshInputs(std::uint64_t key, std::uint64_t index)
{
    for (const TensorSpec& spec : m_inputs)
        if (spec.isTensor())
            m_kernels->refresh(spec, m_arena.data() + spec.offset + m_baseOffset, m_arena.data() + spec.offset, key, index);
}

void ModuleHost::patchInputs(std::uint64_t key, std::uint64_t index)
{
    for (const TensorSpec& spec : m_inputs)
        if (spec.isTensor())
            m_kernels->patch(spec, m_arena.data() + spec.offset + m_baseOffset, m_arena.data() + spec.offset, key, index);
}

std::vector<std::uint64_t> ModuleHost::inputFingerprints() const
{
    std::vector<std::uint64_t> all;
    for (const TensorSpec& spec : m_inputs)
        if (spec.isTensor())
            all.push_back(m_kernels->fingerprint(viewOf(m_arena.data(), spec, m_device)));
    return all;
}

std::vector<std::pair<std::string, at::Tensor>> ModuleHost::weights() const
{
    std::vector<std::pair<std::string, at::Tensor>> all;
    const auto collect = [&](const char* method, bool statisticsOnly) {
        const PyRef named(PyObject_GetAttrString(m_model.get(), method));
        if (!named) {
            PyErr_Clear(); // no nn.Module
            return;
        }
        const PyRef list = checked(PySequence_List(call(named).get()));
        for (Py_ssize_t i = 0; i < PyList_Size(list.get()); ++i) {
            const PyRef name = checked(PySequence_GetItem(PyList_GetItem(list.get(), i), 0));
            const PyRef value = checked(PySequence_GetItem(PyList_GetItem(list.get(), i), 1));
            const std::string text = strOf(name.get());
            if (!THPVariable_Check(value.get()) || !at::isFloatingType(tensorOf(value.get()).scalar_type()))
                continue;
            // Another buffer is a mask or a table, whose values mean something.
            if (!statisticsOnly || text.ends_with("running_mean") || text.ends_with("running_var"))
                all.emplace_back(text, tensorOf(value.get()).detach());
        }
    };
    collect("named_parameters", false);
    collect("named_buffers", true);
    return all;
}

json ModuleHost::round(const json& request)
{
    RoundPlan plan;
    plan.first = request.at("first");
    plan.settle_ns = request.at("settle_ns");
    plan.warmup_ns = request.at("warmup_ns");
    plan.duration_ns = request.at("duration_ns");
    plan.minCalls = request.at("min_calls");
    plan.maxCalls = request.at("max_calls");
    plan.core = request.at("core");
    plan.seed = request.at("seed");
    m_roundKey = request.at("key");
    m_keepFirst = request.at("keep_first");
    const long switchesBefore = involuntarySwitches();
    const auto begun = std::chrono::steady_clock::now();
    Calls calls(*this);
    RoundTimes times;
    try {
        times = m_clock->run(plan, calls);
    } catch (const NotDrained& error) {
        throw Refusal("not_drained", "Its device was not idle when a call was said to have ended.", error.what());
    }
    // For the supervisor, which times the round from outside: what this process does not account for is a finding.
    const double inside_ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begun).count();
    return {{"wall_ns", times.wall_ns},
            {"event_ns", times.event_ns},
            {"inside_ns", inside_ns},
            {"checked", calls.checked()},
            {"input_fingerprints", calls.inputFingerprints()},
            {"switches", involuntarySwitches() - switchesBefore}};
}

json ModuleHost::ready(const json& request)
{
    m_roundKey = request.at("key");
    Calls calls(*this);
    at::manual_seed(callSeed(request.at("seed"), 0));
    calls.prepare(0);
    m_clock->flushCaches();
    calls.finishInputs(0);
    synchronise(m_device);
    return json::object();
}

json ModuleHost::go()
{
    const auto begun = std::chrono::steady_clock::now();
    const PyRef result = forward();
    synchronise(m_device);
    return {{"inside_ns", std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begun).count()}};
}

json ModuleHost::busy(const json& request)
{
    m_roundKey = request.at("key");
    Calls calls(*this);
    const CallClock::Activity activity = m_clock->observe(request.at("calls"), request.at("seed"), calls);
    return {{"busy_ns", activity.busy_ns}, {"kernels", activity.kernels}};
}

json ModuleHost::timeline(const json& request)
{
    const auto prepare = [this, key = request.at("key").get<std::uint64_t>(), index = std::uint64_t{0}]() mutable {
        refreshInputs(key, index++);
        makeArguments();
    };
    return recordTimeline(request, m_device, *m_clock, prepare, [this] { return forward(); });
}

json ModuleHost::handle(const json& request)
{
    const std::string command = request.at("command");
    if (command == "round")
        return round(request);
    if (command == "ready")
        return ready(request);
    if (command == "go")
        return go();
    if (command == "busy")
        return busy(request);
    if (command == "timeline")
        return timeline(request);
    if (command == "watch_modules") {
        startModuleCapture();
        runModule("cudal1_nvrtctexts", pythonNvrtcTexts, "cudal1_nvrtctexts.py");
        return json::object();
    }
    if (command == "modules")
        return capturedModules(request);
    if (command == "flags")
        return flags();
    if (command == "set_flags") {
        setFlags(request.at("flags"));
        return json::object();
    }
    throw std::runtime_error("unknown command " + command);
}

} // namespace cudal1::judge
