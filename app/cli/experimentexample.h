// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 experiment --example`: the rows of the paper's tables 5 and 11 with a tiny model on small tasks.
#pragma once

#include "core/base/result.h"

#include <QString>

namespace cudal1::cli {

class Client;
class Context;
class Interrupt;

/// Writes model, data.jsonl and experiment.json to the folder where they are not there, and gives the path of the
/// latter, which `cudal1 experiment` takes as any other. Cancelled after a signal.
base::Result<QString> makeExperimentExample(Context& context, Interrupt& interrupt, Client& client,
                                            const QString& folder);

} // namespace cudal1::cli
