// SPDX-License-Identifier: GPL-3.0-or-later
// The subject that holds a candidate.
#include "core/judge/candidatesubject.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <atomic>

namespace cudal1::judge {

using nlohmann::json;

namespace {

std::atomic<bool> allocationFailed{false};

/// The framework's own CPU allocator, with a note of failures: to Python they are a plain RuntimeError.
class WatchedAllocator final : public c10::Allocator {
public:
    explicit WatchedAllocator(c10::Allocator* inner) : m_inner(inner) {}
    c10::DataPtr allocate(std::size_t bytes) override
    {
        try {
            return m_inner->allocate(bytes);
        } catch (...) {
            allocationFailed = true;
            throw;
        }
    }
    c10::DeleterFnPtr raw_deleter() const override { return m_inner->raw_deleter(); }
    void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }

private:
    c10::Allocator* m_inner;
};

std::string shapeText(const at::Tensor& tensor)
{
    std::string text = nameOf(tensor.scalar_type()) + "[";
    for (std::int64_t d = 0; d < tensor.dim(); ++d)
        text += (d ? ", " : "") + std::to_string(tensor.size(d));
    return text + "]";
}

std::string shapeText(const TensorSpec& spec)
{
    std::string text = spec.dtype + "[";
    for (std::size_t d = 0; d < spec.shape.size(); ++d)
        text += (d ? ", " : "") + std::to_string(spec.shape[d]);
    return text + "]";
}

constexpr const char* overwritten = "The result is memory that a later call overwrites.";

/// torch.compile's graphs take the memory away from results that they overwrite.
const void* addressOfHeld(const at::Tensor& held)
{
    try {
        return held.const_data_ptr();
    } catch (const c10::Error& error) {
        throw Refusal("static_output", overwritten, error.what_without_backtrace());
    }
}

} // namespace

CandidateSubject::CandidateSubject(int memoryFile, std::string folder) : ModuleHost(memoryFile, std::move(folder))
{
    static WatchedAllocator allocator(c10::GetCPUAllocator());
    c10::SetCPUAllocator(&allocator, 100);
}

bool CandidateSubject::ranOutOfMemory()
{
    return allocationFailed;
}

json CandidateSubject::handle(const json& request)
{
    const std::string command = request.at("command");
    if (command == "open_arena") { // before any of the candidate's code runs
        joinArena(request);
        return json::object();
    }
    if (command == "load_candidate")
        return load(request);
    if (command == "build_ahead")
        return buildAhead(request);
    if (command == "trial")
        return trial(request);
    if (command == "load_weights")
        return loadWeights();
    if (command == "rebuild")
        return rebuild(request);
    if (command == "state")
        return state();
    if (command == "round")
        m_held.clear(); // what is held among free blocks of memory changes how long it takes to find one
    return ModuleHost::handle(request);
}

json CandidateSubject::load(const json& request)
{
    if (!m_arena.data())
        joinArena(request);
    takeLayout(request);
    request.at("weights").get_to(m_weights);
    m_module = runSource("candidate", request.at("source"));
    if (!PyObject_HasAttrString(m_module.get(), "ModelNew"))
        throw Refusal("missing_definition", "The candidate does not define a class ModelNew.");
    m_initInputs = literal(request.at("init_inputs"));
    construct(m_module, "ModelNew", m_initInputs, request.at("init_seed"));
    m_fingerprints = parameterFingerprints();
    return {{"weights_differ", weightsDiffer(m_weights)}};
}

/// Runs the source and its constructor for what they leave in the caches of compilers. An exception is as good as none: most
/// candidates want a GPU at some point, and there is none here. Many compile only where they are told of one.
json CandidateSubject::buildAhead(const json& request)
{
    try {
        const PyRef yes = attribute(runModule("cudal1_available", "def yes():\n    return True\n", "cudal1/available.py"), "yes");
        if (PyObject_SetAttrString(importModule("torch.cuda").get(), "is_available", yes.get()) != 0)
            throw takePythonError();
        const PyRef module = runSource("candidate", request.at("source"));
        construct(module, "ModelNew", call(attribute(runSource("task", request.at("task")), "get_init_inputs")), 0);
    } catch (const PythonError& error) {
        return {{"stopped", error.what()}};
    }
    return json::object();
}

json CandidateSubject::rebuild(const json& request)
{
    m_held.clear();
    m_model = {};
    construct(m_module, "ModelNew", m_initInputs, request.at("init_seed"));
    m_fingerprints = parameterFingerprints();
    return json::object();
}

std::string CandidateSubject::weightsDiffer(const std::vector<NamedWeight>& theirs) const
{
    const auto own = weights();
    if (own.size() != theirs.size())
        return "it has " + std::to_string(own.size()) + " parameters and statistics, the reference " + std::to_string(theirs.size());
    for (const NamedWeight& weight : theirs) {
        const auto found = std::find_if(own.begin(), own.end(), [&](const auto& named) { return named.first == weight.name; });
        if (found == own.end())
            return "it has no " + weight.name;
        const at::Tensor& tensor = found->second;
        if (tensor.sizes() != c10::IntArrayRef(weight.spec.shape) || nameOf(tensor.scalar_type()) != weight.spec.dtype ||
            tensor.device() != m_device)
            return "its " + weight.name + " is " + shapeText(tensor) + ", the reference's " + shapeText(weight.spec);
        if (m_kernels->fingerprint(tensor.contiguous()) != weight.fingerprint)
            return "its " + weight.name + " does not start with the reference's values";
    }
    return {};
}

json CandidateSubject::loadWeights()
{
    auto own = weights();
    for (const NamedWeight& weight : m_weights)
        for (auto& [name, tensor] : own)
            if (name == weight.name)
                tensor.copy_(viewOf(m_arena.data(), weight.spec, m_device)); // counts as a new version of the parameter
    synchronise(m_device);
    m_fingerprints = parameterFingerprints();
    return json::object();
}

std::vector<std::uint64_t> CandidateSubject::parameterFingerprints() const
{
    const PyRef method(PyObject_GetAttrString(m_model.get(), "parameters"));
    if (!method) {
        PyErr_Clear(); // no nn.Module: nothing to watch
        return {};
    }
    const PyRef parameters = checked(PySequence_List(call(method).get()));
    std::vector<std::uint64_t> fingerprints;
    for (Py_ssize_t i = 0; i < PyList_Size(parameters.get()); ++i) {
        PyObject* parameter = PyList_GetItem(parameters.get(), i);
        if (THPVariable_Check(parameter) && tensorOf(parameter).device() == m_device)
            fingerprints.push_back(m_kernels->fingerprint(tensorOf(parameter).detach().contiguous())); // in whatever layout
    }
    return fingerprints;
}

std::vector<at::Tensor> CandidateSubject::resultOf(const PyRef& result) const
{
    Outputs outputs = flattenOutputs(result.get(), true);
    if (!outputs.problem.empty())
        throw Refusal("wrong_type", "The result is of the wrong kind: " + outputs.problem + ".");
    if (outputs.tensors.size() != m_outputs.size())
        throw Refusal("wrong_count", "The result has " + std::to_string(outputs.tensors.size()) + " tensors, the reference's " +
                                         std::to_string(m_outputs.size()) + ".");
    for (std::size_t i = 0; i < m_outputs.size(); ++i) {
        const at::Tensor& tensor = outputs.tensors[i];
        if (tensor.sizes() != c10::IntArrayRef(m_outputs[i].shape))
            throw Refusal("wrong_shape", "The result is " + shapeText(tensor) + ", the reference's " + shapeText(m_outputs[i]) + ".");
        if (nameOf(tensor.scalar_type()) != m_outputs[i].dtype)
            throw Refusal("wrong_dtype", "The result is " + shapeText(tensor) + ", the reference's " + shapeText(m_outputs[i]) + ".");
        if (tensor.device() != m_device || !tensor.has_storage())
            throw Refusal("wrong_device", "The result is on " + tensor.device().str() + ", not on " + m_deviceName + ".");
    }
    return std::move(outputs.tensors);
}

/// In the order of the current stream, without waiting for the device first: what is not ready for the next consumer is
/// wrong.
void CandidateSubject::keep(std::uint64_t, const std::vector<at::Tensor>& result)
{
    for (std::size_t i = 0; i < m_outputs.size(); ++i)
        m_kernels->copy(result[i], m_arena.data() + m_outputs[i].offset); // not through operators, which can be replaced
}

bool CandidateSubject::keepsInOrder(std::uint64_t index, double lastCall_ns) const
{
    // Calls that are long are few, and each is wanted as a sample.
    return lastCall_ns > 0 && lastCall_ns < 10e6 && mixed(m_roundKey ^ mixed(index ^ 0x6f72646572)) % 16 == 0;
}

bool CandidateSubject::keepsAfterwards(std::uint64_t index, std::uint64_t seen) const
{
    return mixed(m_roundKey ^ mixed(index ^ 0x6166746572)) % seen == 0; // each call of the round with the same chance
}

void CandidateSubject::poisonFreeMemory() const
{
    // Blocks of the sizes that the result needs, so that a result that was never written shows.
    std::vector<at::Tensor> blocks;
    for (const TensorSpec& spec : m_outputs)
        blocks.push_back(at::empty({static_cast<std::int64_t>(spec.bytes)}, at::TensorOptions().dtype(at::kByte).device(m_device)));
    for (const at::Tensor& block : blocks)
        m_kernels->poison(block.data_ptr(), static_cast<std::size_t>(block.numel()));
}

json CandidateSubject::trial(const json& request)
{
    poisonFreeMemory();
    makeArguments();
    at::manual_seed(request.at("seed").get<std::uint64_t>());
    const PyRef result = forward();
    std::vector<at::Tensor> held = resultOf(result);
    keep(0, held);
    synchronise(m_device);
    for (const std::vector<at::Tensor>& earlier : m_held)
        for (std::size_t i = 0; i < held.size(); ++i)
            if (held[i].numel() > 0 && held[i].const_data_ptr() == addressOfHeld(earlier[i]) && !inInputs(held[i]))
                throw Refusal("static_output", overwritten,
                              "two calls returned a tensor at the same address while the first was still held");
    m_held.push_back(std::move(held));
    constexpr std::size_t most = 10, mostBytes = std::size_t{1} << 30;
    std::size_t bytes = 1;
    for (const TensorSpec& spec : m_outputs)
        bytes += spec.bytes;
    while (m_held.size() > std::clamp<std::size_t>(mostBytes / bytes, 1, most))
        m_held.pop_front();
    return json::object();
}

json CandidateSubject::state() const
{
    if (parameterFingerprints() != m_fingerprints)
        throw Refusal("parameters_modified", "Calls changed the module's parameters.");
    return {{"flags", flags()}};
}

} // namespace cudal1::judge
