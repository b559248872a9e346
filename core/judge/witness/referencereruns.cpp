// SPDX-License-Identifier: GPL-3.0-or-later
// The reference's results of a call when it is made otherwise.
#include "core/judge/witness/referencereruns.h"

#include "core/judge/generated/rounding_py.h"
#include "core/judge/module/pythoncontext.h"

#include <cuda_runtime_api.h>

namespace cudal1::judge {

std::vector<at::Tensor> ReferenceReruns::inPrecision(const SecretCall& call, const char* precision)
{
    const PrecisionFlags own = m_reference.flags();
    setFlags({{}, precision, precision, {}});
    try {
        std::vector<at::Tensor> results = m_reference.runReference(call.inputs, call.seed);
        setFlags(own);
        return results;
    } catch (...) {
        setFlags(own);
        throw;
    }
}

std::vector<at::Tensor> ReferenceReruns::runUnder(const char* mode, const std::vector<long>& arguments,
                                                  const SecretCall& call, std::vector<at::Tensor>* left)
{
    try {
        if (!m_rounding)
            m_rounding = runModule("cudal1_rounding", pythonRounding, "cudal1_rounding.py");
        const PythonContext under(checked(arguments.empty() ? PyObject_CallMethod(m_rounding.get(), mode, nullptr)
                                                            : PyObject_CallMethod(m_rounding.get(), mode, "sll",
                                                                                  m_reference.deviceName().c_str(),
                                                                                  arguments.at(0), arguments.at(1))));
        return m_reference.runReference(call.inputs, call.seed, left);
    } catch (const PythonError&) {
        return {};
    }
}

std::vector<at::Tensor> ReferenceReruns::withTF32Products(const SecretCall& call)
{
    return runUnder("TF32Products", {}, call, nullptr);
}

std::vector<at::Tensor> ReferenceReruns::rounded(const SecretCall& call, int times, int seed,
                                                 std::vector<at::Tensor>* left)
{
    return runUnder("Rounded", {times, seed}, call, left);
}

std::vector<at::Tensor> ReferenceReruns::inDouble(const SecretCall& call, std::string& why)
{
    if (!call.facts->exact.empty())
        return call.facts->exact;
    // A copy of the model in double, its activations, its result: about four times what the call needs.
    if (m_reference.device().is_cuda()) {
        std::size_t free = 0, total = 0;
        cudaMemGetInfo(&free, &total);
        if (m_reference.arena().bytes() * 6 > free) {
            why = "too little memory for a call in double precision";
            return {};
        }
    }
    const std::optional<std::vector<at::Tensor>> run = m_reference.runInDouble(call.inputs, call.seed, why);
    if (!run) {
        why = "the reference does not run in double precision: " + why;
        return {};
    }
    if (call.facts->stays)
        call.facts->exact = *run;
    return *run;
}

} // namespace cudal1::judge
