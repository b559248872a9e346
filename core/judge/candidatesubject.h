// SPDX-License-Identifier: GPL-3.0-or-later
// The subject that holds a candidate. It knows neither the expected result nor how the inputs were drawn.
#pragma once

#include "core/judge/modulehost.h"

namespace cudal1::judge {

class CandidateSubject : public ModuleHost {
public:
    CandidateSubject(int memoryFile, std::string folder);
    nlohmann::json handle(const nlohmann::json& request) override;

    /// Whether an allocation on the CPU failed since the start: a Python exception alone does not tell.
    static bool ranOutOfMemory();

protected:
    void keepLast(const PyRef& result) override;

private:
    nlohmann::json openArena(const nlohmann::json& request); ///< before any of the candidate's code runs
    nlohmann::json load(const nlohmann::json& request);
    nlohmann::json trial(const nlohmann::json& request);
    nlohmann::json state() const;
    /// Refuses a result of another kind, shape, type or device; then copies it into the arena in the order of the
    /// current stream, without waiting for the device first: what is not ready for the next consumer is wrong.
    void hand(const PyRef& result);
    bool isArgument(const at::Tensor& tensor) const; ///< a view of an input in the arena
    std::vector<double> parameterSums() const;

    std::string m_outputKind;
    std::vector<at::Tensor> m_previous; ///< the last trial's result, held to see whether the next one reuses its memory
    std::vector<double> m_sums;
};

} // namespace cudal1::judge
