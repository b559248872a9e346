// SPDX-License-Identifier: GPL-3.0-or-later
// Loading a task, drawing its inputs, running its reference.
#include "core/judge/witness/referencehost.h"

#include "core/judge/generated/facts_py.h"
#include "core/judge/generated/trace_py.h"
#include "core/judge/module/pythoncontext.h"
#include "core/judge/wire/handover.h"
#include "core/judge/wire/steadyclock.h"
#include "core/judge/witness/commonvalues.h"
#include "core/judge/witness/comparison.h"
#include "core/judge/witness/inputsender.h"
#include "core/judge/witness/nullcandidates.h"

#include <algorithm>
#include <set>
#include <utility>

namespace cudal1::judge {

namespace {

/// What makes torch create tensors on a device, as `with torch.device(...)` does.
PyRef contextOf(const std::string& device)
{
    return checked(PyObject_CallMethod(importModule("torch").get(), "device", "s", device.c_str()));
}

constexpr double longestAgain_ns = 20e9; ///< of a first call that is made twice

/// Whether the tensor shares memory with one of these.
bool sharesMemory(const at::Tensor& tensor, const std::vector<at::Tensor>& others)
{
    return tensor.has_storage() && std::any_of(others.begin(), others.end(), [&](const at::Tensor& other) {
               return other.storage().data() == tensor.storage().data();
           });
}

/// The results as they are compared; none of them lies in an input.
std::vector<at::Tensor> denseResults(const Outputs& outputs, const std::vector<at::Tensor>& inputs)
{
    std::vector<at::Tensor> results;
    for (const at::Tensor& tensor : outputs.tensors) {
        at::Tensor dense = tensor.detach().contiguous().resolve_conj().resolve_neg();
        results.push_back(asReal(sharesMemory(dense, inputs) ? dense.clone() : dense));
    }
    return results;
}

bool isSpecial(const at::Tensor& weight)
{
    return !commonValues(weight).empty() || hasEqualRows(weight) || isFaint(weight);
}

} // namespace

ReferenceHost::ReferenceHost(int memoryFile, std::string folder) : CaptureHost(memoryFile, std::move(folder))
{
    m_requests.on<WriteInputs>([this](const WriteInputs& request) {
        const std::vector<at::Tensor> inputs = draw(request.seed), live = arenaInputs();
        for (std::size_t i = 0; i < inputs.size(); ++i)
            live[i].copy_(inputs[i]);
        synchronise(m_device);
    });
    m_requests.on<TraceTask>([this](const TraceTask& request) { return trace(request); });
    m_requests.on<InspectTask>([this](const InspectTask& request) { runTask(request.source); });
    m_requests.on<DeriveFacts>([this](const DeriveFacts& request) { return facts(request); });
    m_requests.on<OfferArena>([this](const OfferArena& request) { return offerArena(request); });
}

std::uint32_t ReferenceHost::callFlags() const
{
    return m_layout.random ? std::uint32_t{SeedFirst} : 0;
}

void ReferenceHost::runTask(const std::string& source)
{
    m_task = runSource("task", source);
    for (const char* name : {"Model", "get_inputs", "get_init_inputs"})
        if (!PyObject_HasAttrString(m_task.get(), name))
            throw Refusal("missing_definition", std::string("The task does not define ") + name + ".");
    m_initInputs = call(attribute(m_task, "get_init_inputs"));
}

std::vector<PyRef> ReferenceHost::drawArguments(std::uint64_t seed)
{
    at::manual_seed(seed);
    PyRef drawn;
    {
        const PythonContext context(contextOf(m_deviceName));
        drawn = call(attribute(m_task, "get_inputs"));
    }
    const PyRef sequence = checked(PySequence_List(drawn.get()));
    std::vector<PyRef> arguments;
    for (Py_ssize_t i = 0; i < PyList_Size(sequence.get()); ++i)
        arguments.push_back(PyRef::borrowed(PyList_GetItem(sequence.get(), i)));
    return arguments;
}

std::vector<at::Tensor> ReferenceHost::draw(std::uint64_t seed)
{
    std::vector<at::Tensor> drawn;
    for (const PyRef& argument : drawArguments(seed))
        if (isTensor(argument.get()))
            drawn.push_back(tensorOf(argument.get()).detach().to(m_device).contiguous());
    return drawn;
}

LoadTask::Reply ReferenceHost::loadTask(const LoadTask& request)
{
    constexpr std::size_t leastArena = std::size_t{1} << 20;
    useDevice(request.device, request.kernels);
    applyPrecision(request.precision);
    m_ieee = request.precision == "ieee";
    runTask(request.source);
    construct(m_task, "Model", m_initInputs, request.initSeed);
    m_state.initSeed = request.initSeed;
    m_weightsKnown = false;

    std::size_t offset = 0;
    std::vector<at::Tensor> first;
    for (const PyRef& argument : drawArguments(request.seed)) {
        if (isTensor(argument.get())) {
            first.push_back(tensorOf(argument.get()).detach().to(m_device).contiguous());
            m_layout.inputs.push_back(specOf(first.back(), offset));
            m_traits.push_back(traitsOf(first.back()));
        } else {
            TensorSpec spec;
            spec.text = reprOf(argument.get());
            literal(spec.text); // refuses what the candidate's process could not read
            m_layout.inputs.push_back(spec);
        }
    }
    m_layout.inputBytes = offset;
    if (m_device.is_cuda())
        offset = std::max(InputSender::roomFor(offset), leastArena);
    placeWeights(offset);
    const std::vector<at::Tensor> inputs = first;
    first.clear();
    for (const at::Tensor& tensor : inputs)
        first.push_back(tensor.clone());
    m_modifiesInputs = true; // until it is known
    makeArguments(first);
    std::vector<std::pair<std::string, at::Tensor>> buffers = namedTensors("named_buffers");
    for (auto& [name, tensor] : buffers)
        tensor = tensor.clone();
    at::manual_seed(request.seed);
    const double begun = secondsNow();
    const PyRef result = forward();
    synchronise(m_device);
    m_first_ns = (secondsNow() - begun) * 1e9;
    m_call_ns = std::numeric_limits<double>::infinity(); // the first call loads and compiles
    m_modifiesInputs = false;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        m_modifiesInputs = m_modifiesInputs || !sameBytes(inputs[i], first[i]);
    Outputs outputs = flattenOutputs(result.get(), false);
    if (!outputs.problem.empty())
        throw Refusal("unsupported_output", "The reference cannot be judged: " + outputs.problem + ".");
    placeOutputs(outputs.tensors, first, offset);
    placeBuffers(buffers, offset);
    noteHiding(m_traits, outputs.tensors);
    noteRepeats(m_traits, inputs, [&] { return draw(request.seed + 1); });
    WithoutLastOnes withoutLast;
    keepForRepeating(request.seed, inputs, denseResults(outputs, first));
    if (m_first_ns < longestAgain_ns) {
        if (m_modifiesInputs)
            makeArguments(inputsOfItsOwn(inputs));
        m_layout.random = drawsAtRandom(request.seed, withoutLast);
    }
    const PyRef found = findKept();
    m_repeatable->kept = keptAmong(found);
    m_arguments = {};
    m_arena.create(m_deviceName, std::max(offset + 512, leastArena), m_memoryFile);
    m_layout.bytes = m_arena.bytes();
    m_layout.handle = m_arena.handle();
    m_layout.kernels = m_kernels->binary();
    const PyRef list = checked(PySequence_List(m_initInputs.get()));
    m_layout.initInputs = reprOf(list.get());
    literal(m_layout.initInputs);
    if (hasLongCalls() && isRepeatable() && !m_modifiesInputs)
        keepFirst(inputs, denseResults(outputs, first), withoutLast);
    // What calls have changed by now is state, which has a label of its own.
    return {m_layout, m_first_ns, flags(), false, findUnvaried(found)};
}

std::string ReferenceHost::findUnvaried(const PyRef& found)
{
    std::string paths;
    const auto note = [&paths](const std::string& path, const at::Tensor& weight) {
        if (!weight.is_quantized() && isSpecial((weight.is_complex() ? weight : weight.to(at::kDouble)).contiguous()))
            paths += (paths.empty() ? "" : ", ") + path;
    };
    for (const auto& [name, tensor] : namedTensors("named_parameters"))
        if (!isOfNumbers(tensor))
            note(name, tensor);
    const PyRef unregistered = checked(
        PyObject_CallMethod(m_keptFinder.get(), "unregistered_weights", "OO", m_model.get(), found.get()));
    for (Py_ssize_t i = 0; i < PyList_Size(unregistered.get()); ++i) {
        PyObject* const pair = PyList_GetItem(unregistered.get(), i);
        note(strOf(PyTuple_GetItem(pair, 0)), tensorOf(PyTuple_GetItem(pair, 1)).detach());
    }
    return paths;
}

void ReferenceHost::keepFirst(std::vector<at::Tensor> inputs, std::vector<at::Tensor> results,
                              const WithoutLastOnes& withoutLast)
{
    m_firstCall.emplace();
    m_firstCall->inputs = std::move(inputs);
    m_firstCall->expected = std::move(results);
    m_firstCall->facts = std::make_shared<CallFacts>();
    m_firstCall->facts->withoutLast = withoutLast;
}

void ReferenceHost::placeWeights(std::size_t& offset)
{
    std::set<std::pair<std::vector<std::int64_t>, std::uint64_t>> seen;
    for (const auto& [name, tensor] : weights()) {
        if (tensor.device() != m_device)
            continue;
        const at::Tensor dense = tensor.contiguous();
        const std::uint64_t fingerprint = m_kernels->fingerprint(dense);
        const bool copied = !seen.emplace(dense.sizes().vec(), fingerprint).second;
        const bool special = copied || isSpecial(dense);
        m_layout.weights.push_back({name, specOf(dense, offset), fingerprint, copied, special});
    }
}

void ReferenceHost::placeOutputs(const std::vector<at::Tensor>& results, const std::vector<at::Tensor>& arguments,
                                 std::size_t& offset)
{
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::vector<at::Tensor> own = parametersAndBuffers(); // a result may be a part of one
        std::vector<at::Tensor> others = results;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        const auto shares = [&](const std::vector<at::Tensor>& with) { return sharesMemory(results[i], with); };
        m_layout.outputs.push_back(specOf(results[i].detach().contiguous(), offset));
        m_layout.outputs.back().sharing = shares(own)       ? Sharing::Weights
                                        : shares(arguments) ? Sharing::Inputs
                                        : shares(others)    ? Sharing::Results
                                                            : Sharing::Nothing;
    }
}

void ReferenceHost::placeBuffers(const std::vector<std::pair<std::string, at::Tensor>>& before, std::size_t& offset)
{
    const auto moduleOf = [](const std::string& name) { return name.substr(0, name.rfind('.') + 1); };
    std::set<std::string> changing; // modules of which the call has changed a buffer
    std::vector<std::pair<std::string, at::Tensor>> kept;
    for (auto& [name, tensor] : namedTensors("named_buffers")) {
        // By name: the first call may make a buffer that was None before.
        const auto own = std::find_if(before.begin(), before.end(),
                                      [&name](const auto& named) { return named.first == name; });
        if (own == before.end() || tensor.device() != m_device || tensor.sizes() != own->second.sizes() ||
            tensor.scalar_type() != own->second.scalar_type())
            continue;
        if (!sameBytes(tensor.contiguous(), own->second.contiguous()))
            changing.insert(moduleOf(name));
        kept.emplace_back(name, tensor);
    }
    // Those beside them as well: a running mean of values that cancel one another out changes in later calls alone.
    for (const auto& [name, tensor] : kept)
        if (changing.contains(moduleOf(name)))
            m_layout.buffers.push_back({name, specOf(tensor.contiguous(), offset)});
}

bool ReferenceHost::isRepeatable() const
{
    const bool ofWeights = std::any_of(m_layout.outputs.begin(), m_layout.outputs.end(),
                                       [](const TensorSpec& output) { return output.sharing == Sharing::Weights; });
    return m_device.is_cpu() && m_first_ns < longestAgain_ns && !m_layout.random && m_layout.buffers.empty() &&
           !ofWeights;
}

const ReferenceState& ReferenceHost::state()
{
    const PrecisionFlags now = flags();
    m_state.flags = now.matmul + " " + now.conv + " " + now.dtype;
    if (!std::exchange(m_weightsKnown, true)) {
        m_state.weights = 0;
        for (const auto& [name, tensor] : weights())
            m_state.weights = mixed(m_state.weights ^ m_kernels->fingerprint(tensor.contiguous()));
    }
    return m_state;
}

at::Tensor ReferenceHost::buffer(const std::string& name) const
{
    for (const auto& [own, tensor] : namedTensors("named_buffers"))
        if (own == name)
            return tensor;
    throw std::runtime_error("the reference no longer has a buffer " + name);
}

void ReferenceHost::rebuild(std::uint64_t seed)
{
    m_model = {};
    construct(m_task, "Model", m_initInputs, seed);
    m_state.initSeed = seed;
    m_weightsKnown = false;
    m_repeatable.reset(); // it may have drawn its weights from a generator that the seed does not set
}

std::vector<at::Tensor> ReferenceHost::inputsOfItsOwn(const std::vector<at::Tensor>& inputs) const
{
    std::vector<at::Tensor> own = inputs;
    if (m_modifiesInputs)
        for (at::Tensor& tensor : own)
            tensor = tensor.clone();
    return own;
}

std::vector<at::Tensor> ReferenceHost::runReference(const std::vector<at::Tensor>& inputs, std::uint64_t seed,
                                                    std::vector<at::Tensor>* left)
{
    const std::vector<at::Tensor> own = inputsOfItsOwn(inputs);
    makeArguments(own);
    at::manual_seed(seed);
    const double begun = secondsNow();
    const PyRef result = forward();
    synchronise(m_device);
    m_call_ns = std::min(m_call_ns, (secondsNow() - begun) * 1e9);
    m_arguments = {};
    const Outputs outputs = flattenOutputs(result.get(), false);
    if (!outputs.problem.empty())
        throw Refusal("unsupported_output", "The reference cannot be judged: " + outputs.problem + ".");
    std::vector<at::Tensor> results = denseResults(outputs, inputs);
    for (std::size_t i = 0; i < std::min(outputs.tensors.size(), m_layout.outputs.size()); ++i)
        if (outputs.tensors[i].sizes() != c10::IntArrayRef(m_layout.outputs[i].shape))
            throw Refusal("unsupported_output",
                          "The reference cannot be judged: the shape of its result follows from "
                          "the values of its inputs.",
                          "output " + std::to_string(i) + " has " + std::to_string(outputs.tensors[i].numel()) +
                              " elements, and first had " +
                              std::to_string(c10::multiply_integers(m_layout.outputs[i].shape)));
    if (left && m_modifiesInputs)
        *left = own;
    return results;
}

TraceTask::Reply ReferenceHost::trace(const TraceTask& request)
{
    const bool meta = request.device == "meta";
    if (meta) {
        m_deviceName = "meta";
        m_device = c10::Device(c10::kMeta);
    } else {
        useDevice(request.device);
        applyPrecision(request.precision);
    }
    runTask(request.source);
    if (meta) {
        const PythonContext context(contextOf("meta"));
        construct(m_task, "Model", m_initInputs, request.seed);
    } else {
        construct(m_task, "Model", m_initInputs, request.seed);
    }
    const std::vector<PyRef> arguments = drawArguments(request.seed);
    const PyRef list = checked(PyList_New(0));
    for (const PyRef& argument : arguments) {
        PyRef moved = argument;
        if (isTensor(argument.get()))
            moved = checked(PyObject_CallMethod(argument.get(), "to", "s", m_deviceName.c_str()));
        PyList_Append(list.get(), moved.get());
    }
    const PyRef tracer = runModule("cudal1_trace", pythonTrace, "cudal1_trace.py");
    return {toJson(checked(PyObject_CallMethod(tracer.get(), "trace", "OOsi", m_model.get(), list.get(),
                                               m_deviceName.c_str(), request.maxNodes)))};
}

DeriveFacts::Reply ReferenceHost::facts(const DeriveFacts& request)
{
    if (!m_factsMaker)
        m_factsMaker = runModule("cudal1_facts", pythonFacts, "cudal1_facts.py");
    const std::string path = m_folder + "/task.py";
    return {toJson(
        checked(PyObject_CallMethod(m_factsMaker.get(), "derive", "ss", request.source.c_str(), path.c_str()), path))};
}

OfferArena::Reply ReferenceHost::offerArena(const OfferArena& request)
{
    useDevice(request.device);
    m_arena.create(m_deviceName, request.bytes, m_memoryFile);
    return {m_arena.bytes(), m_arena.handle(), m_kernels->binary()};
}

void ReferenceHost::loadOnCpu(std::uint64_t seed)
{
    if (!m_kernels)
        useDevice("cpu");
    m_deviceName = "cpu";
    m_device = c10::Device(c10::kCPU);
    m_layout = {};
    m_traits.clear();
    m_modifiesInputs = true; // every call gets copies
    construct(m_task, "Model", m_initInputs, seed);
    std::size_t offset = 0;
    for (const PyRef& argument : drawArguments(seed)) {
        if (isTensor(argument.get())) {
            const at::Tensor tensor = tensorOf(argument.get()).detach().contiguous();
            m_layout.inputs.push_back(specOf(tensor, offset));
            m_traits.push_back(traitsOf(tensor));
        } else {
            TensorSpec spec;
            spec.text = reprOf(argument.get());
            literal(spec.text); // refuses what a candidate's process could not read
            m_layout.inputs.push_back(spec);
        }
    }
}

} // namespace cudal1::judge
