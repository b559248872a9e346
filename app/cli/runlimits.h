// SPDX-License-Identifier: GPL-3.0-or-later
// What the models of a run may take, and what they have taken.
#pragma once

#include "core/base/result.h"
#include "core/models/ledger.h"

#include <QCommandLineOption>
#include <QCommandLineParser>
#include <QList>

#include <nlohmann/json.hpp>

#include <string>

namespace cudal1::cli {

/// What --limit-tokens, --limit-cost and --limit-seconds say. InvalidArgument for what is no limit.
base::Result<models::RunLimits> readLimits(const QCommandLineParser& parser);
QList<QCommandLineOption> limitOptions();
/// What models were asked for and gave, for a person: "12 requests, 2 of them again; 10 replies; …".
std::string ledgerText(const models::Ledger::Totals& totals);
nlohmann::json ledgerJson(const models::Ledger::Totals& totals);

} // namespace cudal1::cli
