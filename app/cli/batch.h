// SPDX-License-Identifier: GPL-3.0-or-later
// What verbs that judge many stored variants share: the run in a terminal, and the file of its table.
#pragma once

#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "core/batch/session.h"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace cudal1::cli {

struct BatchEnd {
    store::RunState state = store::RunState::Finished;
    std::string message;
    int judged = 0;
};

/// Returns when the run has ended, by itself, by its budget or by a signal; shows each evaluation and the time left.
BatchEnd runBatch(Context& context, Interrupt& interrupt, batch::Session& session, const batch::Options& options,
                  const std::vector<base::VariantId>& variants, const std::optional<store::RunRecord>& unfinished);

/// Whole or not at all.
base::Status writeTable(const QString& path, const std::string& csv);

} // namespace cudal1::cli
