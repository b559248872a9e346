// SPDX-License-Identifier: GPL-3.0-or-later
// The subject whose calls a candidate's are compared with: the task's Model in a process that has done nothing else.
//
// What judges results runs many other things, and its short calls are slower for it (a kernel of 15 us by some 1.6 % on
// an H200), which would be to every candidate's credit.
#pragma once

#include "core/judge/modulehost.h"

namespace cudal1::judge {

class TimedReference final : public ModuleHost {
public:
    using ModuleHost::ModuleHost;
    nlohmann::json handle(const nlohmann::json& request) override;

protected:
    void keep(std::uint64_t, const std::vector<at::Tensor>&) override {}
    bool keepsInOrder(std::uint64_t, double) const override { return false; }
    bool keepsAfterwards(std::uint64_t, std::uint64_t) const override { return false; }
};

} // namespace cudal1::judge
