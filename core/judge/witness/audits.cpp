// SPDX-License-Identifier: GPL-3.0-or-later
// What the witness does beside judging results: other weights, a double-precision oracle, null candidates, the
// bytes that a call must move.
#include "core/judge/witness/witness.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>

namespace cudal1::judge {

namespace {

/// Values on the scale of those that are there, none of them special: no zero bias, no unit gain.
at::Tensor replacement(const std::string& name, const at::Tensor& initial)
{
    const at::Tensor noise = at::randn_like(initial);
    if (name.ends_with("running_var"))
        return noise.abs_().add_(0.5);
    if (initial.dim() < 2)
        return initial + noise.mul_(0.5);
    const double spread = initial.numel() > 1 ? initial.std().item<double>() : 0;
    return spread > 0 ? noise.mul_(spread).add_(initial.mean()) : initial + noise.mul_(0.1);
}

/// Root mean square of the difference over that of the oracle, finite elements alone.
double relativeError(const at::Tensor& actual, const at::Tensor& oracle)
{
    const at::Tensor wide = actual.to(at::kDouble);
    const at::Tensor finite = wide.isfinite().logical_and_(oracle.isfinite());
    const double scale = at::where(finite, oracle.square(), 0.0).sum().item<double>();
    const double error = at::where(finite, (wide - oracle).square_(), 0.0).sum().item<double>();
    return scale > 0 ? std::sqrt(error / scale) : 0;
}

/// copy.deepcopy(model).double()
PyRef inDouble(const PyRef& model)
{
    const PyRef copy = checked(PyObject_CallMethod(importModule("copy").get(), "deepcopy", "O", model.get()));
    return checked(PyObject_CallMethod(copy.get(), "double", nullptr));
}

/// The arguments with floating tensors in double.
PyRef inDoubleArguments(const PyRef& arguments)
{
    const PyRef tuple = checked(PyTuple_New(PyTuple_Size(arguments.get())));
    for (Py_ssize_t i = 0; i < PyTuple_Size(arguments.get()); ++i) {
        PyRef argument = PyRef::borrowed(PyTuple_GetItem(arguments.get(), i));
        if (THPVariable_Check(argument.get()) && at::isFloatingType(tensorOf(argument.get()).scalar_type()))
            argument = pythonOf(tensorOf(argument.get()).to(at::kDouble));
        Py_INCREF(argument.get());
        PyTuple_SET_ITEM(tuple.get(), i, argument.get());
    }
    return tuple;
}

} // namespace

void Witness::reweigh(const Reweigh& request)
{
    if (request.mode == "rebuild") {
        m_model = {};
        m_initialWeights.clear();
        construct(m_task, "Model", m_initInputs, request.seed);
    } else {
        auto own = weights();
        if (m_initialWeights.empty())
            for (const auto& [name, tensor] : own)
                m_initialWeights.push_back(tensor.clone());
        at::manual_seed(request.seed);
        for (std::size_t i = 0; i < own.size(); ++i)
            own[i].second.copy_(request.mode == "replace" ? replacement(own[i].first, m_initialWeights[i]) : m_initialWeights[i]);
        writeWeights();
    }
    // How rounding shows depends on the weights.
    if (request.initial) {
        m_families = std::move(m_initialFamilies);
        m_initialFamilies.clear();
    } else {
        if (m_initialFamilies.empty())
            m_initialFamilies = std::move(m_families);
        m_families.clear();
    }
}

/// Of a call whose results are known on both sides.
OracleErrors Witness::oracle(const SecretCall& call)
{
    // A copy of the model in double, its activations, its result: about four times what the call needs.
    if (m_device.is_cuda()) {
        std::size_t free = 0, total = 0;
        cudaMemGetInfo(&free, &total);
        if (m_arena.bytes() * 6 > free)
            return {0, 0, "too little memory for a call in double precision"};
    }
    if (m_modifiesInputs)
        return {0, 0, "the reference changes its inputs"};
    makeArguments(call.inputs);
    at::manual_seed(call.seed);
    Tensors exact;
    try {
        const PyRef model = inDouble(m_model), arguments = inDoubleArguments(m_arguments);
        exact = flattenOutputs(checked(PyObject_Call(model.get(), arguments.get(), nullptr)).get(), false).tensors;
    } catch (const PythonError& error) {
        return {0, 0, "the reference does not run in double precision: " + std::string(error.what())};
    }
    OracleErrors errors;
    bool any = false;
    for (std::size_t i = 0; i < call.expected.size() && i < exact.size(); ++i) {
        if (!at::isFloatingType(call.expected[i].scalar_type()) || exact[i].scalar_type() != at::kDouble || exact[i].sizes() != call.expected[i].sizes())
            continue;
        any = true;
        errors.reference = std::max(errors.reference, relativeError(call.expected[i], exact[i]));
        errors.candidate = std::max(errors.candidate, relativeError(call.actual[i], exact[i]));
    }
    if (!any)
        errors.why = "no result has a precision";
    return errors;
}

void Witness::tryNulls()
{
    std::vector<at::Tensor> withoutLast;
    if (m_nulls.needsLastOperator()) {
        const LastOperator last;
        const std::vector<at::Tensor> results = again();
        const at::Tensor given = last.given();
        if (results.size() == 1 && given.defined() && given.sizes() == results[0].sizes() && given.scalar_type() == results[0].scalar_type())
            withoutLast.push_back(given);
    }
    m_nulls.tryOn(m_present.expected, m_present.inputs, withoutLast, [&](std::size_t i, const at::Tensor& actual) {
        return compareOutput(i, actual).difference.equal();
    });
}

MeasureTraffic::Reply Witness::traffic(const MeasureTraffic& request)
{
    // An input must be read as a whole only if every row of it can change the result; a structured one is not.
    const Tensors inputs = draw(request.seed), before = runReference(inputs, request.forwardSeed);
    MeasureTraffic::Reply out;
    std::size_t t = 0;
    for (const TensorSpec& spec : m_layout.inputs) {
        if (!spec.isTensor())
            continue;
        const std::size_t own = t++;
        if (m_traits[own].structured || m_traits[own].symmetric)
            continue;
        Tensors others = inputs;
        others[own] = inputs[own].roll(1); // other values of the same kind, everywhere
        const Tensors after = runReference(others, request.forwardSeed);
        for (std::size_t i = 0; i < before.size(); ++i)
            if (!at::equal(before[i], after[i])) {
                out.read += static_cast<double>(spec.bytes);
                break;
            }
    }
    for (const TensorSpec& spec : m_layout.outputs)
        out.written += static_cast<double>(spec.bytes);
    return out;
}

MeasureBandwidth::Reply Witness::bandwidth() const
{
    if (m_device.is_cpu())
        return {};
    constexpr std::size_t bytes = std::size_t{512} << 20;
    const at::Tensor from = at::empty({static_cast<std::int64_t>(bytes)}, at::TensorOptions().dtype(at::kByte).device(m_device));
    const at::Tensor to = at::empty_like(from);
    cudaEvent_t start{}, end{};
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    float best = 0;
    for (int i = 0; i < 6; ++i) {
        cudaEventRecord(start);
        cudaMemcpyAsync(to.data_ptr(), from.const_data_ptr(), bytes, cudaMemcpyDeviceToDevice);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float milliseconds = 0;
        cudaEventElapsedTime(&milliseconds, start, end);
        if (i > 0 && (best == 0 || milliseconds < best))
            best = milliseconds;
    }
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    return {best > 0 ? 2.0 * static_cast<double>(bytes) / (static_cast<double>(best) * 1e-3) : 0};
}

} // namespace cudal1::judge
