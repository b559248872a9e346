// SPDX-License-Identifier: GPL-3.0-or-later
// The built-in policy: techniques that match on the reference's operator graph and write ModelNew, without any model.
#pragma once

#include "core/policy/policy.h"
#include "core/policy/technique.h"

#include <memory>
#include <vector>

namespace cudal1::policy {

/// Round 0 proposes the combination of everything that matches and each technique alone; later rounds start from the best
/// that was measured, and add, drop and vary. Without state: the exemplars of the prompt are all it remembers.
///
/// Its proposals are kept as samples like those of every policy, so that what was asked and what came of it can be compared among
/// policies. It reads the prompt as data; what is kept is promptText(), once for a question (half a kilobyte), and no reply, since
/// the sections and the source of the variant are all of it. That makes a sample some 200 bytes beside kilobytes of its variant.
/// Its version is the program's, and it has no settings, tokens or cost.
class TechniqueLibrary : public InstantPolicy {
public:
    TechniqueLibrary();
    ~TechniqueLibrary() override;

    std::string name() const override { return "technique library"; }
    Reply propose(const Prompt& prompt) override;

private:
    std::vector<std::unique_ptr<Technique>> m_techniques;
};

} // namespace cudal1::policy
