// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what the template of claims says besides its charts.
#pragma once

#include "core/report/facts.h"

namespace cudal1::report {

/// Fills `published` and `gallery`. NotFound where nothing was imported, InvalidArgument for another scope than the
/// project.
base::Status readClaimsOf(const store::Project& project, ReportFacts& facts);

} // namespace cudal1::report
