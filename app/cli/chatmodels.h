// SPDX-License-Identifier: GPL-3.0-or-later
// Language models by the names that users give them, and what they may take and have taken.
#pragma once

#include "core/base/result.h"
#include "core/models/makechatmodel.h"
#include "core/policy/chatmodel.h"

#include <QCommandLineOption>
#include <QCommandLineParser>
#include <QList>

#include <nlohmann/json.hpp>

#include <memory>
#include <string>

namespace cudal1::cli {

/// Of "endpoint:NAME", "local:NAME" or "replay:FILE"; each call makes a model of its own. Errors as those of
/// models::makeChatModel().
base::Result<std::unique_ptr<policy::ChatModel>> chatModel(const std::string& name,
                                                           const models::ModelSources& sources);

/// What --limit-tokens, --limit-cost and --limit-seconds say. InvalidArgument for what is no limit.
base::Result<models::RunLimits> readLimits(const QCommandLineParser& parser);
QList<QCommandLineOption> limitOptions();
/// What models were asked for and gave, for a person: "12 requests, 2 of them again; 10 replies; …".
std::string ledgerText(const models::Ledger::Totals& totals);
nlohmann::json ledgerJson(const models::Ledger::Totals& totals);

} // namespace cudal1::cli
