// SPDX-License-Identifier: GPL-3.0-or-later
// The built-in policy. Its techniques find what applies to the reference's operator graph and write ModelNew; no
// language model is involved.
#pragma once

#include "core/policy/policy.h"
#include "core/policy/technique.h"

#include <memory>
#include <vector>

namespace cudal1::policy {

/// Round 0 proposes all techniques that apply together, and each of them alone. Later rounds start from the best
/// variant that was measured, and add a technique, drop one, or vary the parameters of kernels. It keeps no state
/// between rounds: all that it knows of earlier ones is in the prompt's exemplars.
///
/// A technique that rewrites the graph but finds nothing in the reference's is shown what each of those before it
/// leaves. Where it finds something behind one of them, it is proposed together with that one, and never without it.
///
/// Its proposals are kept as samples, as those of every policy are, so that what was asked and what came of it can be
/// compared among policies. It reads the prompt as data. What is kept of it is promptText(), once for each question
/// (half a kilobyte), and no reply, since the sections and the source of the variant are all of it: a sample takes some
/// 200 bytes beside the kilobytes of its variant. Its version is the program's, and it has no settings, tokens or cost.
class TechniqueLibrary : public InstantPolicy {
public:
    TechniqueLibrary();
    ~TechniqueLibrary() override;

    static constexpr const char* storedName = "technique library";
    std::string name() const override { return storedName; }
    Reply propose(const Prompt& prompt) override;

private:
    std::vector<std::unique_ptr<Technique>> m_techniques;
};

} // namespace cudal1::policy
