// SPDX-License-Identifier: GPL-3.0-or-later
// The subject whose calls a candidate's are compared with: the task's Model in a process that has done nothing
// else, with the same code around its calls as around a candidate's.
//
// What judges results runs many other things, and its short calls are slower for it (a kernel of 15 us by some 1.6 % on
// an H200), which would be to every candidate's credit.
#pragma once

#include "core/judge/candidatesubject.h"

namespace cudal1::judge {

class TimedReference final : public CandidateSubject {
public:
    using CandidateSubject::CandidateSubject;
    nlohmann::json handle(const nlohmann::json& request) override;

protected:
    std::vector<at::Tensor> resultOf(const PyRef& result) const override { return ModuleHost::resultOf(result); }
    void keep(std::uint64_t, const std::vector<at::Tensor>&) override {} ///< the candidate's stay where they are
};

} // namespace cudal1::judge
