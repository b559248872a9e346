// SPDX-License-Identifier: GPL-3.0-or-later
// Results that take no work.
#include "core/judge/witness/nullcandidates.h"

#include <ATen/core/function_schema.h>
#include <ATen/record_function.h>

#include <algorithm>

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

thread_local at::Tensor lastGiven;
thread_local int depth = 0; ///< of operators that call others

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
    if (depth++ > 0)
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
        lastGiven = schema->is_mutable() ? argument.toTensor().detach().clone() : argument.toTensor().detach();
        return nullptr;
    }
    return nullptr;
}

void leave(const at::RecordFunction&, at::ObserverContext*)
{
    --depth;
}

} // namespace

LastOperator::LastOperator()
    : m_handle(at::addThreadLocalCallback(
          at::RecordFunctionCallback(&observe, &leave).needsInputs(true).scopes({at::RecordScope::FUNCTION})))
{
    lastGiven = at::Tensor();
    depth = 0;
}

LastOperator::~LastOperator()
{
    at::removeCallback(m_handle);
    lastGiven = at::Tensor();
}

at::Tensor LastOperator::given() const
{
    return lastGiven;
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

void NullCandidates::tryOn(const Tensors& expected, const Tensors& inputs, const Tensors& withoutLast,
                           const std::function<bool(std::size_t, const at::Tensor&)>& passes)
{
    ++m_trials;
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
