// SPDX-License-Identifier: GPL-3.0-or-later
// Effects of stored ablations.
#include "core/ablation/measuredeffect.h"

#include "core/ablation/measured.h"

#include <algorithm>
#include <bit>

namespace cudal1::ablation {

namespace {

std::vector<JudgedCombination> judgedOfRecord(const store::Project& project, const store::AblationRecord& record)
{
    const AblationSettings settings = settingsOf(record);
    std::vector<JudgedCombination> out;
    for (const store::AblationRow& row : record.rows) {
        const auto found = project.findWholeEvaluation(row.variant, settings.deviceModel, settings.precision,
                                                       settings.preset);
        if (found && *found && (*found)->evaluation.verdict == protocol::Verdict::Correct)
            out.push_back({row.on, protocol::outcomeOf((*found)->evaluation)});
    }
    return out;
}

} // namespace

std::map<std::string, base::Interval> measuredEffects(const store::Project& project, base::VariantId variant)
{
    std::map<std::string, base::Interval> out;
    const auto known = project.variant(variant);
    const auto records = known ? project.ablations(known->task)
                               : base::Result<std::vector<store::AblationRecord>>(known.error());
    if (!records)
        return out;
    for (const store::AblationRecord& record : *records) {
        const bool about = record.variant == variant ||
                           std::any_of(record.rows.begin(), record.rows.end(),
                                       [&](const store::AblationRow& row) { return row.variant == variant; });
        if (!about)
            continue;
        for (const Effect& main :
             effectsOf(record.toggles.size(), measuredOf(judgedOfRecord(project, record), EffectClock::Wall)).mains)
            out.emplace(record.toggles[static_cast<std::size_t>(std::countr_zero(main.toggles))],
                        main.factor); // the newest comes first
    }
    return out;
}

} // namespace cudal1::ablation
