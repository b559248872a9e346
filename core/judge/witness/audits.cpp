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
            own[i].second.copy_(request.mode == "replace" ? replacement(own[i].first, m_initialWeights[i])
                                                          : m_initialWeights[i]);
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

/// How far the candidate's result is from the reference's own, where float64 cannot say how far both are from the right
/// one.
OracleErrors Witness::againstReference(const std::string& why)
{
    // Half of what TF32 leaves, an eighth of which is the least that is taken for another format; see
    // Judging::noteOracle.
    constexpr double single = 2e-5, tensorFloat = 3e-4, half = 3e-4, bfloat = 3e-3;
    const PrecisionFlags own = flags();
    const bool products = m_device.is_cuda() && !m_ieee && (own.matmul == "tf32" || own.conv == "tf32");
    OracleErrors errors{0, 0, false, why};
    for (std::size_t i = 0; i < m_present.expected.size(); ++i) {
        const at::Tensor& expected = m_present.expected[i];
        if (!at::isFloatingType(expected.scalar_type()))
            continue;
        const at::Tensor wide = expected.to(at::kDouble);
        errors.measured = true;
        errors.candidate = std::max(errors.candidate, relativeError(m_present.actual[i], wide));
        const auto type = expected.scalar_type();
        errors.reference = std::max(errors.reference, type == at::kBFloat16 ? bfloat
                                                      : type == at::kHalf   ? half
                                                      : products            ? tensorFloat
                                                                            : single);
    }
    if (errors.candidate <= errors.reference)
        return errors;
    // What rounding does to this call in particular takes one more call of the reference.
    if (m_moved.empty())
        m_moved = movedByOperators();
    for (std::size_t i = 0; i < m_present.expected.size(); ++i)
        if (const double rms = at::isFloatingType(m_present.expected[i].scalar_type())
                                 ? rmsOfFinite(m_present.expected[i])
                                 : 0;
            rms > 0)
            errors.reference = std::max(errors.reference, m_moved.at(i) / rms);
    return errors;
}

OracleErrors Witness::oracle(Yardstick yardstick)
{
    const SecretCall& call = m_present;
    if (yardstick == Yardstick::Reference)
        return againstReference("a call takes too long in double precision");
    // A copy of the model in double, its activations, its result: about four times what the call needs.
    if (m_device.is_cuda()) {
        std::size_t free = 0, total = 0;
        cudaMemGetInfo(&free, &total);
        if (m_arena.bytes() * 6 > free)
            return againstReference("too little memory for a call in double precision");
    }
    Tensors inputs = call.inputs;
    if (m_modifiesInputs)
        for (at::Tensor& tensor : inputs)
            tensor = tensor.clone();
    makeArguments(inputs);
    at::manual_seed(call.seed);
    Tensors exact;
    try {
        const PyRef model = inDouble(m_model), arguments = inDoubleArguments(m_arguments);
        exact = flattenOutputs(checked(PyObject_Call(model.get(), arguments.get(), nullptr)).get(), false).tensors;
    } catch (const PythonError& error) {
        return againstReference("the reference does not run in double precision: " + std::string(error.what()));
    }
    OracleErrors errors;
    bool any = false;
    for (std::size_t i = 0; i < call.expected.size() && i < exact.size(); ++i) {
        if (!at::isFloatingType(call.expected[i].scalar_type()))
            continue;
        if (exact[i].scalar_type() != at::kDouble || exact[i].sizes() != call.expected[i].sizes())
            return againstReference("the reference has a result that is not in double precision there");
        any = true;
        errors.reference = std::max(errors.reference, relativeError(call.expected[i], exact[i]));
        errors.candidate = std::max(errors.candidate, relativeError(call.actual[i], exact[i]));
    }
    if (!any)
        errors = {0, 0, false, "no result has a precision"};
    return errors;
}

void Witness::tryNulls()
{
    std::vector<at::Tensor> withoutLast;
    if (m_nulls.needsLastOperator()) {
        const LastOperator last;
        const std::vector<at::Tensor> results = again();
        const at::Tensor given = last.given();
        if (results.size() == 1 && given.defined() && given.sizes() == results[0].sizes() &&
            given.scalar_type() == results[0].scalar_type())
            withoutLast.push_back(given);
    }
    m_nulls.tryOn(m_present.expected, m_present.inputs, withoutLast,
                  [&](std::size_t i, const at::Tensor& actual) { return compareOutput(i, actual).difference.equal(); });
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
    const at::Tensor from = at::empty({static_cast<std::int64_t>(bytes)},
                                      at::TensorOptions().dtype(at::kByte).device(m_device));
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
