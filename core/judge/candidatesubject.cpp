// SPDX-License-Identifier: GPL-3.0-or-later
// The subject that holds a candidate.
#include "core/judge/candidatesubject.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

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
    if (command == "open_arena")
        return openArena(request);
    if (command == "load_candidate")
        return load(request);
    if (command == "trial")
        return trial(request);
    if (command == "state")
        return state();
    return ModuleHost::handle(request);
}

json CandidateSubject::openArena(const json& request)
{
    useDevice(request.at("device"));
    m_arena.open(m_deviceName, request.at("bytes"), m_memoryFile, request.at("handle"));
    return json::object();
}

json CandidateSubject::load(const json& request)
{
    if (!m_arena.data())
        openArena(request);
    applyPrecision(request.at("precision"));
    request.at("inputs").get_to(m_inputs);
    request.at("outputs").get_to(m_outputs);
    m_outputKind = request.at("output_kind");
    const PyRef module = runSource("candidate", request.at("source"));
    if (!PyObject_HasAttrString(module.get(), "ModelNew"))
        throw Refusal("missing_definition", "The candidate does not define a class ModelNew.");
    construct(module, "ModelNew", literal(request.at("init_inputs")), request.at("init_seed"));
    m_sums = parameterSums();
    return json::object();
}

std::vector<double> CandidateSubject::parameterSums() const
{
    const PyRef method(PyObject_GetAttrString(m_model.get(), "parameters"));
    if (!method) {
        PyErr_Clear(); // no nn.Module: nothing to watch
        return {};
    }
    const PyRef parameters = checked(PySequence_List(call(method).get()));
    std::vector<double> sums;
    for (Py_ssize_t i = 0; i < PyList_Size(parameters.get()); ++i) {
        PyObject* parameter = PyList_GetItem(parameters.get(), i);
        if (!THPVariable_Check(parameter) || tensorOf(parameter).is_complex())
            continue;
        const at::Tensor values = tensorOf(parameter).detach();
        sums.push_back(values.sum(at::kDouble).item<double>());
        sums.push_back(values.abs().sum(at::kDouble).item<double>());
    }
    return sums;
}

void CandidateSubject::hand(const PyRef& result)
{
    const Outputs outputs = flattenOutputs(result.get(), true);
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
        viewOf(m_arena.data(), m_outputs[i], m_device).copy_(tensor.detach(), true);
    }
    synchronise(m_device);
}

json CandidateSubject::trial(const json& request)
{
    makeArguments();
    at::manual_seed(request.at("seed").get<std::uint64_t>());
    const PyRef result = forward();
    hand(result);
    std::vector<at::Tensor> held = flattenOutputs(result.get(), true).tensors;
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (i < m_previous.size() && held[i].numel() > 0 && held[i].const_data_ptr() == m_previous[i].const_data_ptr() &&
            !isArgument(held[i]))
            throw Refusal("static_output", "The result is memory that the next call overwrites.",
                          "two calls returned a tensor at the same address while the first was still held");
    }
    m_previous = std::move(held);
    return json::object();
}

bool CandidateSubject::isArgument(const at::Tensor& tensor) const
{
    const auto* data = static_cast<const std::byte*>(tensor.const_data_ptr());
    return data >= m_arena.data() && data < m_arena.data() + m_arena.bytes();
}

void CandidateSubject::keepLast(const PyRef& result)
{
    hand(result);
}

json CandidateSubject::state() const
{
    if (parameterSums() != m_sums)
        throw Refusal("parameters_modified", "Calls changed the module's parameters.");
    return {{"flags", flags()}};
}

} // namespace cudal1::judge
