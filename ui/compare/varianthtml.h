// SPDX-License-Identifier: GPL-3.0-or-later
// What is said beside a comparison, as HTML for an InfoView. Links: "lines:3-3,10-15" of the variant's source,
// "variant:12".
#pragma once

#include "core/policy/namedtechniques.h"
#include "core/protocol/messages.h"
#include "core/protocol/versus.h"
#include "core/store/lineage.h"
#include "core/store/project.h"

#include <QString>
#include <QUrl>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::ui {

/// The effects of a variant's toggles as ablations measured them, speed-ups, by the toggle's name.
using ToggleEffects = std::map<std::string, base::Interval>;
using EffectsOf = std::function<ToggleEffects(base::VariantId variant)>;

/// Verdict with every reason and its evidence, clocks, precision, checks. `evaluation` is empty while the variant
/// waits.
QString evidenceHtml(const std::optional<protocol::Evaluation>& evaluation);

/// Techniques with their toggles, lines and effects, then the three sections; techniques that these name are links.
QString designHtml(const store::VariantRecord& variant, const std::vector<policy::NamedTechnique>& techniques,
                   const ToggleEffects& effects);

/// Where the variant came from: origin, lineage, prompt and reply of the sample that it was made by, if one.
QString originHtml(const store::VariantRecord& variant, const std::vector<store::VariantRow>& rows,
                   const std::optional<store::Sample>& madeBy);

/// Whether the right one is faster than the left, in a sentence to stand above its evidence.
QString versusHtml(const QString& left, const QString& right, const base::Result<protocol::Versus>& versus);

/// The reference has no verdict: what a person may do next.
QString referenceHtml();

/// The lines that a link names; none for another link.
std::vector<policy::SourceLines> linesOfLink(const QUrl& link);
/// The variant that a link names; 0 for another link.
base::VariantId variantOfLink(const QUrl& link);

} // namespace cudal1::ui
