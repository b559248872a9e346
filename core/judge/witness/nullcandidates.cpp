// SPDX-License-Identifier: GPL-3.0-or-later
// Results that take no work.
#include "core/judge/witness/nullcandidates.h"

#include "core/judge/wire/steadyclock.h"

#include <ATen/core/function_schema.h>
#include <ATen/record_function.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>

#include <algorithm>
#include <utility>

namespace cudal1::judge {

namespace {

using Tensors = std::vector<at::Tensor>;

Tensors zeros(const Tensors& expected)
{
    Tensors out;
    for (const at::Tensor& tensor : expected)
        out.push_back(at::zeros_like(tensor));
    return out;
}

double meanOf(const at::Tensor& result)
{
    return at::isFloatingType(result.scalar_type()) && result.numel() > 0 ? result.mean(at::kDouble).item<double>() : 0;
}

/// For each result an input of its shape and type; empty when one has none.
Tensors copies(const Tensors& expected, const Tensors& inputs)
{
    Tensors out;
    for (const at::Tensor& tensor : expected)
        for (const at::Tensor& input : inputs)
            if (input.sizes() == tensor.sizes() && input.scalar_type() == tensor.scalar_type()) {
                out.push_back(input);
                break;
            }
    return out;
}

/// What is known of the operators of this thread.
struct Observed {
    LastOperatorCall last;
    int depth = 0;      ///< of operators that call others
    double begun_s = 0; ///< of the operator that runs, where it counts; 0 otherwise
};

thread_local Observed observed;

/// Waits until the device has done its work. False while a graph is recorded, when nobody may wait.
bool waitedFor(const c10::Device& device)
{
    if (device.is_cuda() && c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None)
        return false;
    synchronise(device);
    return true;
}

/// A result that is only another view of an argument.
bool isView(const c10::FunctionSchema& schema)
{
    return std::any_of(schema.returns().begin(), schema.returns().end(), [](const c10::Argument& result) {
        return result.alias_info() && !result.alias_info()->isWrite();
    });
}

std::unique_ptr<at::ObserverContext> observe(const at::RecordFunction& function)
{
    // What an operator calls is its own matter: a product copies its bias into memory that nothing was written to yet,
    // where the result of an earlier call may still lie.
    if (observed.depth++ > 0)
        return nullptr;
    const auto schema = function.operator_schema();
    if (!schema || isView(*schema) || schema->name() == "aten::copy_")
        return nullptr;
    for (const c10::IValue& argument : function.inputs()) {
        if (!argument.isTensor())
            continue;
        if (!argument.toTensor().defined())
            return nullptr;
        const at::DisableRecordFunctionGuard quiet;
        const at::Tensor& given = argument.toTensor();
        observed.last = {schema->is_mutable() ? given.detach().clone() : given.detach()};
        observed.begun_s = waitedFor(given.device()) ? secondsNow() : 0;
        return nullptr;
    }
    return nullptr;
}

void leave(const at::RecordFunction&, at::ObserverContext*)
{
    if (--observed.depth > 0)
        return;
    const double begun_s = std::exchange(observed.begun_s, 0);
    if (begun_s > 0 && waitedFor(observed.last.given.device()))
        observed.last.took_ns = (secondsNow() - begun_s) * 1e9;
}

} // namespace

LastOperator::LastOperator()
    : m_handle(at::addThreadLocalCallback(
          at::RecordFunctionCallback(&observe, &leave).needsInputs(true).scopes({at::RecordScope::FUNCTION})))
{
    observed = {};
}

LastOperator::~LastOperator()
{
    at::removeCallback(m_handle);
    observed = {};
}

LastOperatorCall LastOperator::call() const
{
    return observed.last;
}

Tensors NullCandidates::means(const Tensors& expected)
{
    const bool first = m_first.empty();
    Tensors out;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double mean = meanOf(expected[i]);
        if (first)
            m_first.push_back(mean);
        out.push_back(at::full_like(expected[i], expected[i].numel() == 1 ? m_first.at(i) : mean));
    }
    return out;
}

void NullCandidates::tryOn(const Tensors& expected, const Tensors& inputs, const LastOperatorCall& last,
                           const std::function<bool(std::size_t, const at::Tensor&)>& passes)
{
    ++m_trials;
    m_lastOperator_ns = std::min(m_lastOperator_ns, last.took_ns);
    Tensors withoutLast;
    if (expected.size() == 1 && last.given.defined() && last.given.sizes() == expected[0].sizes() &&
        last.given.scalar_type() == expected[0].scalar_type())
        withoutLast.push_back(last.given);
    std::erase_if(m_left, [&](const std::string& name) {
        const Tensors result = name == "zeros"                  ? zeros(expected)
                             : name == "the mean of the result" ? means(expected)
                             : name == "a copy of an input"     ? copies(expected, inputs)
                                                                : withoutLast;
        if (result.size() != expected.size())
            return true;
        for (std::size_t i = 0; i < result.size(); ++i)
            if (!passes(i, result[i].contiguous()))
                return true;
        return false;
    });
}

} // namespace cudal1::judge
