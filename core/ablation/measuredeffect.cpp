// SPDX-License-Identifier: GPL-3.0-or-later
// Effects from summaries of evaluations.
#include "core/ablation/measuredeffect.h"

#include "core/ablation/ablation.h"
#include "core/ablation/effects.h"

#include <algorithm>

namespace cudal1::ablation {

namespace {

std::vector<Measured> measuredOf(const store::Project& project, const store::AblationRecord& record)
{
    const Settings settings = settingsOf(record);
    std::vector<Measured> out;
    for (const store::AblationRow& row : record.rows) {
        const auto found = project.findEvaluation(row.variant, settings.deviceModel, settings.precision, settings.preset);
        if (found && *found && (*found)->verdict == protocol::Verdict::Correct && (*found)->wall.valid())
            out.push_back({row.on, (*found)->wall});
    }
    return out;
}

} // namespace

std::optional<base::Interval> measuredEffect(const store::Project& project, base::VariantId variant, const std::string& toggle)
{
    const auto known = project.variant(variant);
    const auto records = known ? project.ablations(known->task) : base::Result<std::vector<store::AblationRecord>>(known.error());
    if (!records)
        return {};
    for (const store::AblationRecord& record : *records) {
        const auto place = std::find(record.toggles.begin(), record.toggles.end(), toggle);
        const bool about = record.variant == variant || std::any_of(record.rows.begin(), record.rows.end(), [&](const store::AblationRow& row) { return row.variant == variant; });
        if (place == record.toggles.end() || !about)
            continue;
        const std::uint32_t bit = 1U << (place - record.toggles.begin());
        for (const Effect& main : effectsOf(record.toggles.size(), measuredOf(project, record)).mains)
            if (main.toggles == bit)
                return main.factor;
    }
    return {};
}

} // namespace cudal1::ablation
