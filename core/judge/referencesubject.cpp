// SPDX-License-Identifier: GPL-3.0-or-later
// The subject that holds a task's reference.
#include "core/judge/referencesubject.h"

#include "core/judge/python_facts.h"
#include "core/judge/python_trace.h"
#include "core/judge/steadyclock.h"

#include <c10/core/GradMode.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>

namespace cudal1::judge {

using nlohmann::json;

namespace {

/// Makes torch create tensors on a device for as long as it lives, as `with torch.device(...)` does.
class DeviceContext {
public:
    explicit DeviceContext(const std::string& device)
        : m_context(checked(PyObject_CallMethod(importModule("torch").get(), "device", "s", device.c_str())))
    {
        checked(PyObject_CallMethod(m_context.get(), "__enter__", nullptr));
    }
    DeviceContext(const DeviceContext&) = delete;
    DeviceContext& operator=(const DeviceContext&) = delete;
    ~DeviceContext()
    {
        // On the way out of an exception the interpreter may have it pending; __exit__ must not see it.
        PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
        PyErr_Fetch(&type, &value, &traceback);
        const PyRef left(PyObject_CallMethod(m_context.get(), "__exit__", "OOO", Py_None, Py_None, Py_None));
        PyErr_Clear();
        PyErr_Restore(type, value, traceback);
    }

private:
    PyRef m_context;
};

bool sameBytes(const at::Tensor& a, const at::Tensor& b)
{
    if (a.is_cpu())
        return std::memcmp(a.const_data_ptr(), b.const_data_ptr(), static_cast<std::size_t>(a.nbytes())) == 0;
    const at::ScalarType words = a.nbytes() % 8 == 0 ? at::kLong : at::kByte; // the comparison takes memory for each
    return at::equal(a.reshape({-1}).view(words), b.reshape({-1}).view(words));
}

} // namespace

json ReferenceSubject::handle(const json& request)
{
    const std::string command = request.at("command");
    if (command == "load_task")
        return loadTask(request);
    if (command == "prepare")
        return prepare(request);
    if (command == "compare")
        return compare(request);
    if (command == "verify")
        return verify(request);
    if (command == "reweigh")
        return reweigh(request);
    if (command == "oracle")
        return oracle(request);
    if (command == "input_bytes")
        return inputBytes(request);
    if (command == "bandwidth")
        return bandwidth();
    if (command == "trace")
        return trace(request);
    if (command == "inspect")
        return inspect(request);
    if (command == "facts")
        return facts(request);
    if (command == "offer_arena") { // to learn how far a candidate can be isolated and still share memory
        useDevice(request.at("device"));
        m_arena.create(m_deviceName, request.at("bytes"), m_memoryFile);
        return {{"bytes", m_arena.bytes()}, {"handle", m_arena.handle()}, {"kernels", m_kernels->binary()}};
    }
    return ModuleHost::handle(request);
}

void ReferenceSubject::runTask(const json& request)
{
    m_task = runSource("task", request.at("source"));
    for (const char* name : {"Model", "get_inputs", "get_init_inputs"})
        if (!PyObject_HasAttrString(m_task.get(), name))
            throw Refusal("missing_definition", std::string("The task does not define ") + name + ".");
    m_initInputs = call(attribute(m_task, "get_init_inputs"));
}

std::vector<PyRef> ReferenceSubject::drawArguments(std::uint64_t seed)
{
    at::manual_seed(seed);
    PyRef drawn;
    {
        const DeviceContext context(m_deviceName);
        drawn = call(attribute(m_task, "get_inputs"));
    }
    const PyRef sequence = checked(PySequence_List(drawn.get()));
    std::vector<PyRef> arguments;
    for (Py_ssize_t i = 0; i < PyList_Size(sequence.get()); ++i)
        arguments.push_back(PyRef::borrowed(PyList_GetItem(sequence.get(), i)));
    return arguments;
}

json ReferenceSubject::loadTask(const json& request)
{
    useDevice(request.at("device"), request.value("kernels", std::string()));
    applyPrecision(request.at("precision"));
    m_ieee = request.at("precision") == "ieee";
    runTask(request);
    construct(m_task, "Model", m_initInputs, request.at("init_seed"));

    std::size_t offset = 0;
    m_inputs.clear();
    std::vector<at::Tensor> first;
    for (const PyRef& argument : drawArguments(request.at("seed"))) {
        if (THPVariable_Check(argument.get())) {
            first.push_back(tensorOf(argument.get()).detach().to(m_device).contiguous());
            m_inputs.push_back(specOf(first.back(), offset));
            m_traits.push_back(traitsOf(first.back()));
            m_inputs.back().refresh = refreshOf(first.back(), m_traits.back());
        } else {
            TensorSpec spec;
            spec.text = reprOf(argument.get());
            literal(spec.text); // refuses what the candidate's process could not read
            m_inputs.push_back(spec);
        }
    }
    const std::size_t inputBytes = offset;
    m_baseOffset = static_cast<std::ptrdiff_t>(inputBytes);
    offset *= 2; // the inputs, then what the contents of timed calls are made of
    placeWeights(offset);
    // The arena's size is known only after a first forward, for which the inputs stand in an arena of their own.
    m_arena.create(m_deviceName, std::max<std::size_t>(inputBytes, 512), m_memoryFile);
    m_drawn = first;
    writeInputs(m_drawn);
    const double begun = secondsNow();
    std::vector<at::Tensor> results = runReference(request.at("seed"));
    const double first_ns = (secondsNow() - begun) * 1e9;
    if (changedInput())
        m_modifiesInputs = true;
    m_outputs.clear();
    for (const at::Tensor& result : results)
        m_outputs.push_back(specOf(result, offset));
    results.clear();
    m_expected.clear();
    m_arena.create(m_deviceName, std::max<std::size_t>(offset, 512), m_memoryFile);
    writeInputs(m_drawn);

    const PyRef list = checked(PySequence_List(m_initInputs.get()));
    const std::string initText = reprOf(list.get());
    literal(initText);
    return {{"inputs", m_inputs},       {"outputs", m_outputs},       {"weights", m_weights},
            {"bytes", m_arena.bytes()}, {"handle", m_arena.handle()}, {"base_offset", m_baseOffset}, {"init_inputs", initText},
            {"first_ns", first_ns},     {"flags", flags()},           {"kernels", m_kernels->binary()}};
}

void ReferenceSubject::placeWeights(std::size_t& offset)
{
    m_weights.clear();
    m_initialWeights.clear();
    for (const auto& [name, tensor] : weights()) {
        if (tensor.device() != m_device)
            continue;
        const at::Tensor dense = tensor.contiguous();
        const bool constant = dense.numel() > 0 && dense.eq(dense.reshape({-1})[0]).all().item<bool>() && !name.ends_with("running_mean") && !name.ends_with("running_var");
        m_weights.push_back({name, specOf(dense, offset), m_kernels->fingerprint(dense), constant});
    }
}

void ReferenceSubject::writeWeights()
{
    const auto own = weights();
    for (const NamedWeight& weight : m_weights)
        for (const auto& [name, tensor] : own)
            if (name == weight.name)
                viewOf(m_arena.data(), weight.spec, m_device).copy_(tensor);
    synchronise(m_device);
}

void ReferenceSubject::writeInputs(const std::vector<at::Tensor>& inputs, bool asBase)
{
    std::size_t t = 0;
    for (const TensorSpec& spec : m_inputs)
        if (spec.isTensor())
            viewOf(m_arena.data() + (asBase ? m_baseOffset : 0), spec, m_device).copy_(inputs[t++]);
    synchronise(m_device);
}

void ReferenceSubject::drawInputs(std::uint64_t seed, const std::string& family)
{
    m_drawn.clear();
    std::size_t t = 0;
    for (const PyRef& argument : drawArguments(seed)) {
        if (!THPVariable_Check(argument.get()))
            continue;
        const at::Tensor drawn = tensorOf(argument.get()).detach().to(m_device).contiguous();
        m_drawn.push_back(applyFamily(family, drawn, m_traits[t]).contiguous());
        ++t;
    }
    writeInputs(m_drawn);
}

std::vector<at::Tensor> ReferenceSubject::runReference(std::uint64_t seed)
{
    makeArguments();
    at::manual_seed(seed);
    const PyRef result = forward();
    synchronise(m_device);
    Outputs outputs = flattenOutputs(result.get(), false);
    if (!outputs.problem.empty())
        throw Refusal("unsupported_output", "The reference cannot be judged: " + outputs.problem + ".");
    std::vector<at::Tensor> results;
    for (const at::Tensor& tensor : outputs.tensors) {
        at::Tensor own = tensor.detach().contiguous();
        if (inInputs(own))
            own = own.clone(); // a view of an input, which the next trial overwrites
        results.push_back(own);
    }
    return results;
}

std::optional<std::size_t> ReferenceSubject::changedInput(bool base) const
{
    std::byte* const memory = m_arena.data() + (base ? m_baseOffset : 0);
    for (std::size_t i = 0, t = 0; i < m_inputs.size(); ++i)
        if (m_inputs[i].isTensor() && !sameBytes(viewOf(memory, m_inputs[i], m_device), m_drawn[t++]))
            return i;
    return std::nullopt;
}

void ReferenceSubject::poisonOutputs()
{
    for (const TensorSpec& spec : m_outputs) {
        if (m_device.is_cuda())
            cudaMemset(m_arena.data() + spec.offset, 0xff, spec.bytes);
        else
            std::memset(m_arena.data() + spec.offset, 0xff, spec.bytes);
    }
    synchronise(m_device);
}

json ReferenceSubject::prepare(const json& request)
{
    m_family = request.at("family");
    const std::uint64_t forwardSeed = request.at("forward_seed");
    m_expected.clear();
    m_missed.clear();
    m_moved.clear();
    m_again = [this, forwardSeed] {
        writeInputs(m_drawn);
        return runReference(forwardSeed);
    };
    const auto known = m_families.find(m_family);
    if (known != m_families.end() && !known->second.usable)
        return {{"usable", false}, {"why", known->second.why}};
    drawInputs(request.at("seed"), m_family);
    if (request.value("as_base", false)) {
        writeInputs(m_drawn, true);
        poisonOutputs();
        return {{"usable", true}};
    }
    const double begun = secondsNow();
    m_expected = runReference(forwardSeed);
    const double forward_s = secondsNow() - begun;
    if (known == m_families.end()) {
        FamilyFacts facts = measureFamily(m_family, forwardSeed, m_expected);
        const bool usable = facts.usable;
        const std::string why = facts.why;
        m_families.emplace(m_family, std::move(facts));
        if (!usable)
            return {{"usable", false}, {"why", why}};
        writeInputs(m_drawn);
    } else if (m_modifiesInputs) {
        writeInputs(m_drawn);
    }
    poisonOutputs();
    return {{"usable", true}, {"forward_s", forward_s}};
}

json ReferenceSubject::compare(const json& request)
{
    if (const auto changed = m_modifiesInputs ? std::nullopt : changedInput())
        throw Refusal("input_modified", "The call changed its input " + std::to_string(*changed) + ".");
    if (request.value("nulls", false) && m_nulls.anyLeft())
        tryNulls();
    return {{"worst_relative_error", compareOutputs(m_family)}, {"nulls_left", m_nulls.left()}, {"null_trials", m_nulls.trials()}};
}

json ReferenceSubject::verify(const json& request)
{
    const std::uint64_t index = request.at("index");
    m_family = "as_given";
    const auto writeCall = [this, key = request.at("key"), index] {
        refreshInputs(key, index);
        patchInputs(key, index);
    };
    if (const auto changed = changedInput(true))
        throw Refusal("input_modified", "It changed what the contents of timed calls are made of, at input " + std::to_string(*changed) + ".");
    writeCall();
    const std::vector<std::uint64_t> fingerprints = inputFingerprints();
    const std::vector<std::uint64_t> theirs = request.at("input_fingerprints");
    for (std::size_t i = 0; i < fingerprints.size() && !m_modifiesInputs; ++i)
        if (i >= theirs.size() || fingerprints[i] != theirs[i])
            throw Refusal("input_modified", "A timed call changed its input " + std::to_string(i) + ".");
    const std::uint64_t seed = callSeed(request.at("seed"), index);
    if (!m_kept.empty() && m_keptIndex == index)
        m_expected = std::move(m_kept);
    else
        m_expected = runReference(seed);
    m_kept.clear();
    m_missed.clear();
    m_moved.clear();
    m_again = [this, writeCall, seed] {
        writeCall();
        return runReference(seed);
    };
    const double worst = compareOutputs("of a timed call");
    poisonOutputs();
    return {{"worst_relative_error", worst}};
}

void ReferenceSubject::keep(std::uint64_t index, const std::vector<at::Tensor>& result)
{
    m_kept.clear();
    for (const at::Tensor& tensor : result)
        m_kept.push_back(inInputs(tensor) ? tensor.detach().contiguous().clone() : tensor.detach().contiguous());
    m_keptIndex = index;
}

json ReferenceSubject::trace(const json& request)
{
    const bool meta = request.at("device") == "meta";
    if (meta) {
        m_deviceName = "meta";
        m_device = c10::Device(c10::kMeta);
    } else {
        useDevice(request.at("device"));
        applyPrecision(request.at("precision"));
    }
    runTask(request);
    if (meta) {
        const DeviceContext context("meta");
        construct(m_task, "Model", m_initInputs, request.at("seed"));
    } else {
        construct(m_task, "Model", m_initInputs, request.at("seed"));
    }
    const std::vector<PyRef> arguments = drawArguments(request.at("seed"));
    const PyRef list = checked(PyList_New(0));
    for (const PyRef& argument : arguments) {
        PyRef moved = argument;
        if (THPVariable_Check(argument.get()))
            moved = checked(PyObject_CallMethod(argument.get(), "to", "s", m_deviceName.c_str()));
        PyList_Append(list.get(), moved.get());
    }
    const PyRef tracer = runModule("cudal1_trace", pythonTrace, "cudal1_trace.py");
    return {{"graph", toJson(checked(PyObject_CallMethod(tracer.get(), "trace", "OOsi", m_model.get(), list.get(),
                                                         m_deviceName.c_str(), request.at("max_nodes").get<int>())))}};
}

json ReferenceSubject::inspect(const json& request)
{
    runTask(request);
    return json::object();
}

json ReferenceSubject::facts(const json& request)
{
    if (!m_factsMaker)
        m_factsMaker = runModule("cudal1_facts", pythonFacts, "cudal1_facts.py");
    const std::string path = m_folder + "/task.py", source = request.at("source");
    return {{"facts", toJson(checked(PyObject_CallMethod(m_factsMaker.get(), "derive", "ss", source.c_str(), path.c_str()), path))}};
}

} // namespace cudal1::judge
