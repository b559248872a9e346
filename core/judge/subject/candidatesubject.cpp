// SPDX-License-Identifier: GPL-3.0-or-later
// Loading a module, and what is asked of it between calls.
#include "core/judge/subject/candidatesubject.h"

#include "core/judge/module/allocationwatch.h"
#include "core/judge/subject/resultform.h"

#include <algorithm>

namespace cudal1::judge {

CandidateSubject::CandidateSubject(int memoryFile, int handover, std::string folder, const char* className)
    : CaptureHost(memoryFile, std::move(folder)), m_className(className),
      m_exact(std::string_view(className) == "ModelNew"), m_calls(*this, handover, m_exact)
{
    watchAllocations();
    m_requests.on<OpenArena>(
        [this](const OpenArena& request) { openArena(request); }); // before any of the candidate's code runs
    m_requests.on<LoadModule>([this](const LoadModule& request) { return load(request); });
    m_requests.on<BuildAhead>([this](const BuildAhead& request) { buildAhead(request); });
    m_requests.on<LoadWeights>([this](const LoadWeights&) { loadWeights(); });
    m_requests.on<HoldResults>([this](const HoldResults& request) { m_calls.hold(request); });
    m_requests.on<LoadBuffers>([this](const LoadBuffers&) {
        return LoadBuffers::Reply{forBuffers([](const at::Tensor& own, const at::Tensor& given) { own.copy_(given); })};
    });
    m_requests.on<StoreBuffers>([this](const StoreBuffers&) {
        forBuffers([](const at::Tensor& own, const at::Tensor& place) { place.copy_(own); });
    });
    m_requests.on<Rebuild>([this](const Rebuild& request) { rebuild(request.initSeed); });
    m_requests.on<ReadState>([this](const ReadState& request) { return state(request); });
    m_requests.on<KeepThreads>(
        [this](const KeepThreads& request) { m_sleepers.keep(static_cast<std::size_t>(std::max(request.count, 0))); });
    m_requests.on<ServeCalls>([this](const ServeCalls& request) { return m_calls.serve(request); });
}

void CandidateSubject::openArena(const OpenArena& request)
{
    useDevice(request.device, request.kernels);
    m_arena.open(request.device, request.bytes, m_memoryFile, request.handle);
}

LoadModule::Reply CandidateSubject::load(const LoadModule& request)
{
    m_layout = request.layout;
    if (!m_arena.data())
        openArena({request.device, m_layout.handle, m_layout.kernels, m_layout.bytes});
    applyPrecision(request.precision);
    m_module = runSource(m_exact ? "candidate" : "task", request.source);
    if (!PyObject_HasAttrString(m_module.get(), m_className))
        throw Refusal("missing_definition", std::string("The candidate does not define a class ") + m_className + ".");
    m_initInputs = literal(m_layout.initInputs);
    construct(m_module, m_className, m_initInputs, request.initSeed);
    m_fingerprints = parameterFingerprints();
    return {weightsDiffer()};
}

/// Runs the source and its constructor for what they leave in the caches of compilers. An exception is as good as none:
/// most candidates want a GPU at some point, and there is none here. Many compile only where they are told of one.
void CandidateSubject::buildAhead(const BuildAhead& request)
{
    try {
        const PyRef yes = attribute(
            runModule("cudal1_available", "def yes():\n    return True\n", "cudal1/available.py"), "yes");
        if (PyObject_SetAttrString(importModule("torch.cuda").get(), "is_available", yes.get()) != 0)
            throw takePythonError();
        const PyRef module = runSource("candidate", request.source);
        construct(module, "ModelNew", call(attribute(runSource("task", request.task), "get_init_inputs")), 0);
    } catch (const PythonError&) {
        // as good as none
    }
}

void CandidateSubject::rebuild(std::uint64_t seed)
{
    m_calls.forgetResults();
    m_model = {};
    construct(m_module, m_className, m_initInputs, seed);
    m_fingerprints = parameterFingerprints();
}

std::string CandidateSubject::weightsDiffer() const
{
    const std::vector<NamedWeight>& theirs = m_layout.weights;
    const auto own = weights();
    if (own.size() != theirs.size())
        return "it has " + std::to_string(own.size()) + " parameters and statistics, the reference " +
               std::to_string(theirs.size());
    for (const NamedWeight& weight : theirs) {
        const auto found = std::find_if(own.begin(), own.end(),
                                        [&](const auto& named) { return named.first == weight.name; });
        if (found == own.end())
            return "it has no " + weight.name;
        const at::Tensor& tensor = found->second;
        if (tensor.sizes() != c10::IntArrayRef(weight.spec.shape) ||
            nameOf(tensor.scalar_type()) != weight.spec.dtype || tensor.device() != m_device)
            return "its " + weight.name + " is " + shapeText(tensor) + ", the reference's " + shapeText(weight.spec);
        if (m_kernels->fingerprint(tensor.contiguous()) != weight.fingerprint)
            return "its " + weight.name + " does not start with the reference's values";
    }
    return {};
}

void CandidateSubject::loadWeights()
{
    auto own = weights();
    for (const NamedWeight& weight : m_layout.weights)
        for (auto& [name, tensor] : own)
            if (name == weight.name)
                tensor.copy_(viewOf(m_arena.data(), weight.spec, m_device)); // counts as a new version of the parameter
    synchronise(m_device);
    m_fingerprints = parameterFingerprints();
}

std::string CandidateSubject::forBuffers(const std::function<void(const at::Tensor&, const at::Tensor&)>& use) const
{
    const c10::impl::ExcludeDispatchKeyGuard plain(c10::python_ks); // no operators of the candidate's own run here
    std::string lacking;
    const auto own = namedTensors("named_buffers");
    for (const NamedTensorSpec& buffer : m_layout.buffers) {
        const TensorSpec& spec = buffer.spec;
        const auto fits = [&](const auto& named) {
            return named.first == buffer.name && named.second.sizes() == c10::IntArrayRef(spec.shape) &&
                   nameOf(named.second.scalar_type()) == spec.dtype && named.second.device() == m_device;
        };
        const auto found = std::find_if(own.begin(), own.end(), fits);
        if (found != own.end())
            use(found->second, viewOf(m_arena.data(), spec, m_device));
        else if (lacking.empty())
            lacking = buffer.name;
    }
    synchronise(m_device);
    return lacking;
}

std::map<std::string, std::uint64_t> CandidateSubject::parameterFingerprints() const
{
    std::map<std::string, std::uint64_t> fingerprints;
    for (const auto& [name, parameter] : namedTensors("named_parameters"))
        if (parameter.device() == m_device)
            fingerprints[name] = m_kernels->fingerprint(parameter.contiguous()); // in whatever layout
    return fingerprints;
}

ReadState::Reply CandidateSubject::state(const ReadState& request) const
{
    std::map<std::string, std::uint64_t> before = m_fingerprints, now = parameterFingerprints();
    for (const std::string& name : request.changing) {
        before.erase(name);
        now.erase(name);
    }
    if (now != before)
        throw Refusal("parameters_modified", "Calls changed the module's parameters.");
    return {flags()};
}

} // namespace cudal1::judge
