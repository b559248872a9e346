// SPDX-License-Identifier: GPL-3.0-or-later
// A small project with tasks and judged variants for page tests: written through the store, as a run would.
#pragma once

#include "core/protocol/messages.h"
#include "core/store/project.h"

#include <QString>

namespace cudal1::tests {

struct SampleProject {
    QString file;
    base::TaskId task{"1/12"}; ///< with three variants
    base::TaskId untried{"2/40"};
    base::VariantId best, incorrect, second;
};

/// Writes the project into `folder`. Empty `file` when the store refused.
SampleProject makeSampleProject(const QString& folder);

/// An evaluation with wall clock [low, high] around `estimate`; 0: not timed.
protocol::Evaluation judged(protocol::Verdict verdict, double estimate, double low, double high);

/// The source of the sample's reference, and of its best variant.
std::string referenceSource();
std::string bestSource();

} // namespace cudal1::tests
