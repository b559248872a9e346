// SPDX-License-Identifier: GPL-3.0-or-later
// What is said beside a comparison, as HTML for an InfoView: verdict and reasons, clocks, precision, trials, analysis.
#pragma once

#include "core/protocol/messages.h"
#include "core/store/project.h"

#include <QString>

#include <optional>

namespace cudal1::ui {

/// `evaluation` is empty while the variant waits to be judged.
QString analysisHtml(const store::VariantRecord& variant, const std::optional<protocol::Evaluation>& evaluation);

/// Whether the right one is faster than the left, in a sentence to stand above its analysis.
QString versusHtml(const QString& left, const protocol::Evaluation& leftEvaluation, const QString& right, const protocol::Evaluation& rightEvaluation);

/// The reference has no verdict: what a person may do next.
QString referenceHtml();

} // namespace cudal1::ui
