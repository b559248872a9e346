// SPDX-License-Identifier: GPL-3.0-or-later
// Which evaluation of a variant counts, where a project has them at several precisions.
#pragma once

#include "core/store/database.h"
#include "core/store/project.h"

#include <string>

namespace cudal1::store {

CountedPrecision readCountedPrecision(const Database& database);
void countAt(Database& database, protocol::Precision precision);

std::string wordOf(const CountedPrecision& precision); ///< the one that counts, as SQL has it: "'tf32'"
/// An expression for the id of the evaluation of variant v that counts: its newest, at the precision that counts. NULL
/// where it has none.
std::string countedEvaluation(const CountedPrecision& precision);

} // namespace cudal1::store
