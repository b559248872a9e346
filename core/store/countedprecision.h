// SPDX-License-Identifier: GPL-3.0-or-later
// Which evaluation of a variant counts, where a project has them at several precisions.
#pragma once

#include "core/store/database.h"
#include "core/store/project.h"

#include <string>

namespace cudal1::store {

CountedPrecision readCountedPrecision(const Database& database);
std::optional<EvaluationSummary> readCountedEvaluation(const Database& database, base::VariantId variant);

/// The one that counts as SQL has it: "'tf32'". Only where there are several.
std::string sqlOf(const CountedPrecision& precision);
bool areSeveral(const CountedPrecision& precision);
/// An expression for the id of the evaluation of variant v that counts: its newest, at the precision that counts. NULL
/// where it has none.
std::string sqlOfCountedEvaluation(const CountedPrecision& precision);

} // namespace cudal1::store
