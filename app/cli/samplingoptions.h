// SPDX-License-Identifier: GPL-3.0-or-later
// Options of `models add` that servers' models and those of this machine share.
#pragma once

#include "app/cli/context.h"
#include "app/cli/numberoptions.h"
#include "core/models/ledger.h"
#include "core/policy/chatmodel.h"

#include <QCommandLineParser>

namespace cudal1::cli {

/// --temperature, --top-p, --top-k, --min-p, --max-tokens, --stop and the global --seed. What is wrong is kept by
/// `numbers`, of the same parser.
void readSampling(const Context& context, const QCommandLineParser& parser, NumberOptions& numbers,
                  policy::SamplingSettings& out);
/// --limit-seconds, --limit-tokens and --limit-cost as numbers; the unit of the cost is the caller's.
void readLimits(NumberOptions& numbers, models::RunLimits& out);

} // namespace cudal1::cli
