// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over a program.
#include "core/costs/costs.h"

#include <algorithm>

namespace cudal1::costs {

namespace {

double bytesOf(const std::vector<NamedTensor>& tensors)
{
    double sum = 0;
    for (const NamedTensor& one : tensors)
        sum += one.tensor.bytes();
    return sum;
}

} // namespace

Costs costsOf(const Program& program)
{
    Costs out;
    for (const Call& call : program.calls) {
        const Operation& operation = program.operations[static_cast<std::size_t>(call.operation)];
        out.flops += operation.flops;
        out.operator_bytes += operation.bytes;
    }
    out.input_bytes = bytesOf(program.inputs);
    out.parameter_bytes = bytesOf(program.parameters);
    out.buffer_bytes = bytesOf(program.buffers);
    for (const NamedTensor& parameter : program.parameters)
        out.parameter_count += parameter.tensor.elements();
    out.read_bytes = out.input_bytes + out.parameter_bytes;
    for (const Tensor& tensor : program.outputs)
        out.written_bytes += tensor.bytes();
    out.intermediates_bytes = program.intermediates_bytes;
    out.operators = program.calls.size();
    out.complete = !program.truncated;
    // A module may look at a part of what it holds: a table's rows, a slice of an input.
    if (out.complete && out.operators > 0)
        out.read_bytes = std::min(out.read_bytes, std::max(0.0, out.operator_bytes - out.written_bytes));
    return out;
}

} // namespace cudal1::costs
