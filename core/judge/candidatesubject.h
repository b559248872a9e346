// SPDX-License-Identifier: GPL-3.0-or-later
// The subject that holds a candidate. It knows neither the expected result nor how the inputs were drawn.
#pragma once

#include "core/judge/modulehost.h"

#include <deque>

namespace cudal1::judge {

class CandidateSubject : public ModuleHost {
public:
    CandidateSubject(int memoryFile, std::string folder);
    nlohmann::json handle(const nlohmann::json& request) override;

    /// Whether an allocation on the CPU failed since the start: a Python exception alone does not tell.
    static bool ranOutOfMemory();

protected:
    std::vector<at::Tensor> resultOf(const PyRef& result) const override;
    void keep(std::uint64_t index, const std::vector<at::Tensor>& result) override;
    bool keepsInOrder(std::uint64_t index, double lastCall_ns) const override;
    bool keepsAfterwards(std::uint64_t index, std::uint64_t seen) const override;

private:
    nlohmann::json load(const nlohmann::json& request);
    nlohmann::json buildAhead(const nlohmann::json& request);
    nlohmann::json trial(const nlohmann::json& request);
    nlohmann::json loadWeights();
    nlohmann::json rebuild(const nlohmann::json& request);
    nlohmann::json state() const;
    /// Why the reference's weights cannot be put into this module by name; empty when they can.
    std::string weightsDiffer(const std::vector<NamedWeight>& theirs) const;
    void poisonFreeMemory() const;
    std::vector<std::uint64_t> parameterFingerprints() const;

    PyRef m_module;
    PyRef m_initInputs;
    std::vector<NamedWeight> m_weights; ///< the reference's
    std::deque<std::vector<at::Tensor>> m_held; ///< results of trials, to see whether a later one reuses their memory
    std::vector<std::uint64_t> m_fingerprints; ///< of the parameters, which calls must leave alone
};

} // namespace cudal1::judge
