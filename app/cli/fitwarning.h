// SPDX-License-Identifier: GPL-3.0-or-later
// What verbs say before they start work that will probably not fit.
#pragma once

#include "app/cli/context.h"

#include <filesystem>

namespace cudal1::cli {

/// Complains when judging the task is forecast to need more than the device's memory; the verb goes on, since a
/// forecast may be wrong. A task of which nothing is known is run on its shapes first; what cannot be run so gets no
/// forecast.
void warnOfMemory(Context& context, Client& client, const store::TaskRecord& task, store::Project& project,
                  const protocol::DeviceInfo& device);

/// The folder of the bundled suite, whose facts go with its tasks; empty when it is not installed.
std::filesystem::path bundledFolder();

} // namespace cudal1::cli
