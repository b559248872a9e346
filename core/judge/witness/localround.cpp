// SPDX-License-Identifier: GPL-3.0-or-later
// Timed calls of the reference in this process.
#include "core/judge/witness/localround.h"

#include "core/judge/witness/comparison.h"
#include "core/judge/witness/threadschedule.h"

namespace cudal1::judge {

RunRound::Reply localRound(const LocalMeans& means, const RunRound& request)
{
    ReferenceHost& reference = means.reference;
    RunRound::Reply out;
    const double begun = clock_ns(), waitedBefore = ownSchedule().waited_ns;
    while (out.wall_ns.empty() || (static_cast<int>(out.wall_ns.size()) < request.maxCalls &&
                                   clock_ns() - begun < static_cast<double>(request.duration_ns))) {
        SecretCall own;
        if (!request.paired)
            own = means.calls.newCall();
        SecretCall& call = request.paired ? means.calls.pairedCall(DrivenSide::Reference) : own;
        std::vector<at::Tensor> inputs = call.inputs;
        if (reference.modifiesInputs())
            for (at::Tensor& tensor : inputs)
                tensor = tensor.clone();
        reference.makeArguments(inputs);
        means.flush();
        synchronise(reference.device());
        if (reference.device().is_cuda())
            out.probe_ns.push_back(means.driver.probe());
        const double start = clock_ns();
        if (reference.layout().random)
            at::manual_seed(call.seed);
        const PyRef result = reference.forward();
        synchronise(reference.device());
        out.wall_ns.push_back(clock_ns() - start);
        out.calls.push_back(static_cast<int>(out.calls.size()));
        if (request.paired && reference.modifiesInputs())
            call.left = inputs;
        if (request.paired)
            for (const at::Tensor& tensor : flattenOutputs(result.get(), false).tensors)
                call.expected.push_back(asReal(tensor.detach().contiguous().clone()));
    }
    out.waited_ns = ownSchedule().waited_ns - waitedBefore;
    return out;
}

} // namespace cudal1::judge
