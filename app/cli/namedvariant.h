// SPDX-License-Identifier: GPL-3.0-or-later
// A variant that was named on the command line, with all its evaluations.
#pragma once

#include "core/store/storedjson.h"
#include "core/store/variantfacts.h"

#include <QString>

#include <string>
#include <vector>

namespace cudal1::cli {

using store::lineageOf;
using store::readVariant;
using store::toJson;
using store::VariantFacts;

/// InvalidArgument when `text` is no number of a variant.
base::Result<base::VariantId> variantId(const QString& text);

/// "3 → 7 → 12" with what was made from it, see store::lineage().
std::string lineageText(const std::vector<store::LineageNode>& nodes, base::VariantId of);

/// Writes the raw pairs of the newest timed evaluation of each as CSV, the variant's number first. InvalidArgument when
/// none was timed, Unreadable when the file cannot be written.
base::Status writePairs(const QString& path, const std::vector<const VariantFacts*>& variants);

} // namespace cudal1::cli
