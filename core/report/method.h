// SPDX-License-Identifier: GPL-3.0-or-later
// The facts at the head of a report.
#pragma once

#include "core/report/document.h"
#include "core/report/facts.h"

namespace cudal1::report {

FactList headOf(const ReportFacts& facts, std::int64_t created_ms);

} // namespace cudal1::report
