// SPDX-License-Identifier: GPL-3.0-or-later
// Loading a task, running its reference.
#include "core/judge/witness/witness.h"

#include "core/judge/generated/facts_py.h"
#include "core/judge/generated/trace_py.h"
#include "core/judge/wire/steadyclock.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/core/GradMode.h>
#include <cuda_runtime_api.h>

#include <sched.h>

#include <algorithm>
#include <cstring>

namespace cudal1::judge {

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

/// Whether the tensor shares memory with one of these.
bool sharesMemory(const at::Tensor& tensor, const std::vector<at::Tensor>& others)
{
    return tensor.has_storage() && std::any_of(others.begin(), others.end(), [&](const at::Tensor& other) {
               return other.storage().data() == tensor.storage().data();
           });
}

/// Whether this process has cores enough to wait for another without sleeping.
bool mayWaitAwake(const c10::Device& device)
{
    cpu_set_t cores;
    if (::sched_getaffinity(0, sizeof cores, &cores) != 0)
        return false;
    const int own = CPU_COUNT(&cores);
    return device.is_cuda() ? own >= 2 : own > at::get_num_threads();
}

} // namespace

bool sameBytes(const at::Tensor& a, const at::Tensor& b)
{
    if (a.is_cpu())
        return std::memcmp(a.const_data_ptr(), b.const_data_ptr(), static_cast<std::size_t>(a.nbytes())) == 0;
    const at::ScalarType words = a.nbytes() % 8 == 0 ? at::kLong : at::kByte; // the comparison takes memory for each
    return at::equal(a.reshape({-1}).view(words), b.reshape({-1}).view(words));
}

at::Tensor asReal(const at::Tensor& result)
{
    return result.is_complex() ? at::view_as_real(result.contiguous()) : result;
}

Witness::Witness(int socket, int memoryFile, std::string folder)
    : CaptureHost(memoryFile, std::move(folder)), m_socket(socket)
{
    m_requests.on<LoadTask>([this](const LoadTask& request) { return loadTask(request); });
    m_requests.on<Attach>([this](const Attach& request, Descriptors& descriptors) { attach(request, descriptors); });
    m_requests.on<RunTrial>([this](const RunTrial& request) { return trial(request); });
    m_requests.on<DrawBase>([this](const DrawBase& request) { drawBase(request.seed); });
    m_requests.on<RunRound>([this](const RunRound& request) { return round(request); });
    m_requests.on<CompareKept>([this](const CompareKept& request) { return compareKept(request); });
    m_requests.on<Reweigh>([this](const Reweigh& request) { reweigh(request); });
    m_requests.on<MeasureTraffic>([this](const MeasureTraffic& request) { return traffic(request); });
    m_requests.on<MeasureBandwidth>([this](const MeasureBandwidth&) { return bandwidth(); });
    m_requests.on<WriteInputs>([this](const WriteInputs& request) {
        const Tensors inputs = draw(request.seed), live = arenaInputs();
        for (std::size_t i = 0; i < inputs.size(); ++i)
            live[i].copy_(inputs[i]);
        synchronise(m_device);
    });
    m_requests.on<TraceTask>([this](const TraceTask& request) { return trace(request); });
    m_requests.on<InspectTask>([this](const InspectTask& request) { runTask(request.source); });
    m_requests.on<DeriveFacts>([this](const DeriveFacts& request) { return facts(request); });
    m_requests.on<ScreenTask>([this](const ScreenTask& request) { return screen(request); });
    m_requests.on<OfferArena>([this](const OfferArena& request) { return offerArena(request); });
    m_requests.on<Abandon>([](const Abandon&) {}); // it came when nothing was under way any more
}

void Witness::runTask(const std::string& source)
{
    m_task = runSource("task", source);
    for (const char* name : {"Model", "get_inputs", "get_init_inputs"})
        if (!PyObject_HasAttrString(m_task.get(), name))
            throw Refusal("missing_definition", std::string("The task does not define ") + name + ".");
    m_initInputs = call(attribute(m_task, "get_init_inputs"));
}

std::vector<PyRef> Witness::drawArguments(std::uint64_t seed)
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

Witness::Tensors Witness::draw(std::uint64_t seed)
{
    Tensors drawn;
    for (const PyRef& argument : drawArguments(seed))
        if (THPVariable_Check(argument.get()))
            drawn.push_back(tensorOf(argument.get()).detach().to(m_device).contiguous());
    return drawn;
}

LoadTask::Reply Witness::loadTask(const LoadTask& request)
{
    constexpr std::size_t leastArena = std::size_t{1}
                                    << 20; // what is sent to a GPU at the last moment is at least so long
    useDevice(request.device, request.kernels);
    applyPrecision(request.precision);
    m_ieee = request.precision == "ieee";
    runTask(request.source);
    construct(m_task, "Model", m_initInputs, request.initSeed);

    std::size_t offset = 0;
    Tensors first;
    for (const PyRef& argument : drawArguments(request.seed)) {
        if (THPVariable_Check(argument.get())) {
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
        offset = std::max(offset, leastArena);
    placeWeights(offset);
    const Tensors inputs = first;
    first.clear();
    for (const at::Tensor& tensor : inputs)
        first.push_back(tensor.clone());
    m_modifiesInputs = true; // until it is known
    makeArguments(first);
    at::manual_seed(request.seed);
    const double begun = secondsNow();
    const PyRef result = forward();
    synchronise(m_device);
    const double first_ns = (secondsNow() - begun) * 1e9;
    m_modifiesInputs = false;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        m_modifiesInputs = m_modifiesInputs || !sameBytes(inputs[i], first[i]);
    Outputs outputs = flattenOutputs(result.get(), false);
    if (!outputs.problem.empty())
        throw Refusal("unsupported_output", "The reference cannot be judged: " + outputs.problem + ".");
    for (std::size_t i = 0; i < outputs.tensors.size(); ++i) {
        Tensors others = first;
        for (const auto& [name, weight] : weights()) // a result may be one, or a part of one
            others.push_back(weight);
        for (std::size_t j = 0; j < outputs.tensors.size(); ++j)
            if (j != i)
                others.push_back(outputs.tensors[j]);
        m_layout.outputs.push_back(specOf(outputs.tensors[i].detach().contiguous(), offset));
        m_layout.outputs.back().own = !sharesMemory(outputs.tensors[i], others);
    }
    m_layout.random = first_ns < 20e9 && drawsAtRandom(request.seed);
    m_arguments = {};
    m_arena.create(m_deviceName, std::max(offset + 512, leastArena), m_memoryFile);
    m_layout.bytes = m_arena.bytes();
    m_layout.handle = m_arena.handle();
    m_layout.kernels = m_kernels->binary();
    const PyRef list = checked(PySequence_List(m_initInputs.get()));
    m_layout.initInputs = reprOf(list.get());
    literal(m_layout.initInputs);
    m_contents = std::make_unique<Contents>(*m_kernels, m_traits);
    m_flush = std::make_unique<CacheFlush>(m_device);
    m_driver = std::make_unique<Driver>(m_device, m_arena, m_layout, *m_flush);
    return {m_layout, first_ns, flags()};
}

bool Witness::drawsAtRandom(std::uint64_t seed)
{
    const auto state = [this] {
        std::vector<at::Tensor> states{at::detail::getDefaultCPUGenerator().get_state()};
        if (m_device.is_cuda())
            states.push_back(at::cuda::detail::getDefaultCUDAGenerator(m_device.index()).get_state());
        return states;
    };
    at::manual_seed(seed);
    const std::vector<at::Tensor> before = state();
    const PyRef result = forward();
    synchronise(m_device);
    const std::vector<at::Tensor> after = state();
    for (std::size_t i = 0; i < before.size(); ++i)
        if (!at::equal(before[i], after[i]))
            return true;
    return false;
}

void Witness::placeWeights(std::size_t& offset)
{
    for (const auto& [name, tensor] : weights()) {
        if (tensor.device() != m_device)
            continue;
        const at::Tensor dense = tensor.contiguous();
        const bool constant = dense.numel() > 0 && dense.eq(dense.reshape({-1})[0]).all().item<bool>() &&
                              !name.ends_with("running_mean") && !name.ends_with("running_var");
        m_layout.weights.push_back({name, specOf(dense, offset), m_kernels->fingerprint(dense), constant});
    }
}

void Witness::writeWeights()
{
    const auto own = weights();
    for (const NamedWeight& weight : m_layout.weights)
        for (const auto& [name, tensor] : own)
            if (name == weight.name)
                viewOf(m_arena.data(), weight.spec, m_device).copy_(tensor);
    synchronise(m_device);
}

Witness::Tensors Witness::runReference(const Tensors& inputs, std::uint64_t seed)
{
    Tensors own = inputs;
    if (m_modifiesInputs)
        for (at::Tensor& tensor : own)
            tensor = tensor.clone();
    makeArguments(own);
    at::manual_seed(seed);
    const PyRef result = forward();
    synchronise(m_device);
    m_arguments = {};
    const Outputs outputs = flattenOutputs(result.get(), false);
    if (!outputs.problem.empty())
        throw Refusal("unsupported_output", "The reference cannot be judged: " + outputs.problem + ".");
    Tensors results;
    for (const at::Tensor& tensor : outputs.tensors) {
        at::Tensor dense = tensor.detach().contiguous().resolve_conj().resolve_neg();
        results.push_back(asReal(sharesMemory(dense, inputs) ? dense.clone() : dense));
    }
    return results;
}

void Witness::attach(const Attach& request, Descriptors& descriptors)
{
    if (descriptors.size() != 1)
        throw std::runtime_error("a subject without its page");
    m_driven[request.side] = std::make_unique<DrivenSubject>(descriptors.front(), request, m_device,
                                                             mayWaitAwake(m_device));
}

TraceTask::Reply Witness::trace(const TraceTask& request)
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
        const DeviceContext context("meta");
        construct(m_task, "Model", m_initInputs, request.seed);
    } else {
        construct(m_task, "Model", m_initInputs, request.seed);
    }
    const std::vector<PyRef> arguments = drawArguments(request.seed);
    const PyRef list = checked(PyList_New(0));
    for (const PyRef& argument : arguments) {
        PyRef moved = argument;
        if (THPVariable_Check(argument.get()))
            moved = checked(PyObject_CallMethod(argument.get(), "to", "s", m_deviceName.c_str()));
        PyList_Append(list.get(), moved.get());
    }
    const PyRef tracer = runModule("cudal1_trace", pythonTrace, "cudal1_trace.py");
    return {toJson(checked(PyObject_CallMethod(tracer.get(), "trace", "OOsi", m_model.get(), list.get(),
                                               m_deviceName.c_str(), request.maxNodes)))};
}

DeriveFacts::Reply Witness::facts(const DeriveFacts& request)
{
    if (!m_factsMaker)
        m_factsMaker = runModule("cudal1_facts", pythonFacts, "cudal1_facts.py");
    const std::string path = m_folder + "/task.py";
    return {toJson(
        checked(PyObject_CallMethod(m_factsMaker.get(), "derive", "ss", request.source.c_str(), path.c_str()), path))};
}

OfferArena::Reply Witness::offerArena(const OfferArena& request)
{
    useDevice(request.device);
    m_arena.create(m_deviceName, request.bytes, m_memoryFile);
    return {m_arena.bytes(), m_arena.handle(), m_kernels->binary()};
}

} // namespace cudal1::judge
