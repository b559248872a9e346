// SPDX-License-Identifier: GPL-3.0-or-later
// What a run knows of variants judged so far, as exemplars for the policy.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/policy/policy.h"
#include "core/store/project.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::optimize {

struct JudgedVariant {
    base::VariantId variant;
    policy::Exemplar exemplar;
    std::string marks; ///< protocol::marksOf()
};

/// Correct ones as protocol::isBetter() orders them, the best first, then the others; `add` keeps the order.
class JudgedList {
public:
    /// Everything in the project for this very task source on this device model at this precision, newest evaluation
    /// of each variant. With a run, only what that run's samples led to in its rounds before `rounds`.
    static base::Result<JudgedList> load(const store::Project& project, const store::TaskRecord& task,
                                         const std::string& deviceModel, protocol::Precision precision,
                                         base::RunId run = {}, int rounds = std::numeric_limits<int>::max());

    /// Replaces what was known of the same variant. `shown`: see policy::Exemplar.
    void add(const store::VariantRecord& variant, const protocol::Evaluation& evaluation,
             const std::vector<base::VariantId>& shown = {});
    std::vector<policy::Exemplar> exemplars() const;
    /// The best correct and timed one; null when there is none.
    const JudgedVariant* best() const;
    /// All of them, in that order.
    const std::vector<JudgedVariant>& items() const { return m_items; }
    /// Wall speed-up of the best correct and timed one that a policy with this stored name wrote first; empty when
    /// there is none.
    std::optional<double> bestOf(const std::string& origin) const;

private:
    void insert(JudgedVariant judged);

    std::vector<JudgedVariant> m_items;
};

} // namespace cudal1::optimize
