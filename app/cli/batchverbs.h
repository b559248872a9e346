// SPDX-License-Identifier: GPL-3.0-or-later
// What verbs that judge many stored variants share: the run in a terminal, the file of its table, its exit status.
#pragma once

#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "core/batch/batchrun.h"

#include <QCommandLineParser>
#include <QString>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::cli {

struct BatchEnd {
    store::RunState state = store::RunState::Finished;
    std::string message;
    int judged = 0;
};

/// The options that these verbs have in common.
struct BatchAsked {
    int level = 0, limit = 0; ///< 0: all
    double budget_s = 0;      ///< 0: no end
    double buildLimit_s = 0;
    bool again = false;
    QString csv;
    std::string on; ///< a device model: print what the project has of it, and judge nothing; empty: judge
};
/// `many`: the verb has --level and --limit too.
base::Result<BatchAsked> readBatch(const QCommandLineParser& parser, bool many = true);
/// " with precision kernelbench and preset quick": the settings of the command line.
std::string withSettingsText(const Context& context);
/// "--preset quick has 40" for each of the settings for which `count` gives something; empty for none.
std::string heldText(const std::function<int(protocol::Precision, protocol::Preset)>& count);
/// "--NAME is WHAT, not VALUE".
base::Error wrongValue(const char* name, const char* what, const QString& value);

/// On this device, with the settings of the command line.
batch::BatchOptions batchOptions(const Context& context, const char* kind, const protocol::DeviceInfo& device,
                                 const BatchAsked& asked);

/// Returns when the run has ended, by itself, by its budget or by a signal; shows each evaluation and the time left.
BatchEnd runBatch(Context& context, Interrupt& interrupt, batch::BatchRun& session, const batch::BatchOptions& options,
                  const batch::Recipe& recipe);

/// The fields of --json that tell of the run.
nlohmann::json toJson(const BatchEnd& ended, const batch::BatchRun& session, const batch::BatchOptions& options);

/// Whole or not at all; nothing for an empty path.
base::Status writeTable(const QString& path, const std::string& table);

/// Writes the table to `csv` (empty: nowhere), says what was not judged and why the run ended early, and
/// returns the exit status.
int finishBatch(Context& context, const Interrupt& interrupt, const batch::BatchRun& session, const BatchEnd& ended,
                const QString& csv, const std::string& table);

} // namespace cudal1::cli
