// SPDX-License-Identifier: GPL-3.0-or-later
// An ablation: a variant, its toggles, the combinations to judge, and what each of them came to.
//
// Each combination is a variant of its own, judged like any other; one that was judged before under the same settings
// is taken from the store. So an ablation that was stopped goes on where it was, and an incorrect combination is a row.
#pragma once

#include "core/ablation/design.h"
#include "core/base/ids.h"
#include "core/policy/toggles.h"
#include "core/protocol/outcome.h"
#include "core/store/project.h"

#include <optional>
#include <string>
#include <vector>

namespace cudal1::ablation {

using policy::Toggle;

inline constexpr const char* runKind = "ablation";

/// What makes an evaluation count as one of the ablation.
struct AblationSettings {
    std::string device;      ///< "cuda:0"
    std::string deviceModel; ///< "NVIDIA H200"
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Standard;
};

/// A request to take a variant apart.
struct AblationRequest {
    base::TaskId task;
    base::VariantId variant;          ///< none: our example for the task, which becomes a variant
    std::vector<std::string> toggles; ///< empty: all USE_… of the source
    Design design = Design::Full;
    std::string list;   ///< for Design::List
    bool again = false; ///< judge also what has an evaluation

    bool operator==(const AblationRequest&) const = default;
};

struct AblationPlan {
    store::TaskRecord task;
    store::VariantRecord variant; ///< the one that is taken apart
    std::vector<Toggle> toggles;
    Design design = Design::Full;
    std::vector<std::uint32_t> combinations;

    std::vector<std::string> names() const; ///< of the toggles
    std::string source(std::uint32_t on) const { return policy::withToggles(variant.source, toggles, on); }
};

/// An evaluation without its samples.
struct CombinationResult : protocol::Outcome {
    base::EvaluationId id;
    std::string bottleneck; ///< a sentence
};

struct CombinationRow {
    std::uint32_t on = 0;
    base::VariantId variant; ///< none where the project does not have it yet
    std::optional<CombinationResult> found;

    bool correct() const { return found && found->verdict == protocol::Verdict::Correct; }
    /// "correct", "incorrect", "not_judged"
    std::string word() const;
};

/// With no `toggles`, all USE_… of the source are used. `list` is for Design::List. InvalidArgument also for a variant
/// whose task has changed since.
base::Result<AblationPlan> planFor(const store::Project& project, base::VariantId variant,
                                   const std::vector<std::string>& toggles, Design design,
                                   const std::string& list = {});
/// For a variant that need not be in the project; `variant` then has no id.
base::Result<AblationPlan> planFor(const store::TaskRecord& task, const store::VariantRecord& variant,
                                   const std::vector<std::string>& toggles, Design design,
                                   const std::string& list = {});
/// Of a stored ablation.
base::Result<AblationPlan> planOf(const store::Project& project, const store::AblationRecord& record);
AblationSettings settingsOf(const store::AblationRecord& record);

/// In the plan's order, each with its newest evaluation under these settings. Reads raw samples: do not call it on the
/// GUI thread.
base::Result<std::vector<CombinationRow>> rowsOf(const store::Project& project, const AblationPlan& plan,
                                                 const AblationSettings& settings);

/// The settings, other than these, with which most combinations of `rows` were judged; among equals those with the same
/// precision, and then those that came last. None where nothing was judged with other ones.
base::Result<std::optional<AblationSettings>> judgedElsewhere(const store::Project& project,
                                                              const std::vector<CombinationRow>& rows,
                                                              const AblationSettings& settings);

/// Stores the combinations as variants, and the ablation; doing it again gives the same one.
base::Result<store::AblationRecord> prepare(store::Project& project, const AblationPlan& plan,
                                            const AblationSettings& settings);

/// What an unfinished run of this ablation is found by: the selection of its batch::BatchOptions.
std::string selectionOf(const store::AblationRecord& record, bool again);

/// The variants of the rows without an evaluation, or of all; in order. For rows of a prepared plan.
std::vector<base::VariantId> toJudge(const std::vector<CombinationRow>& rows, bool again);

} // namespace cudal1::ablation
