// SPDX-License-Identifier: GPL-3.0-or-later
// Warns of work that will probably not fit into a device's memory.
#pragma once

#include "core/store/project.h"
#include "ui/kit/messagebar.h"

#include <QObject>

#include <functional>

namespace cudal1::ui {

/// Forecasts on a worker what judging `task` needs on `device`; `raise` gets a warning on the thread of `context`,
/// never after that was destroyed, and is not called where it fits. `project` is the open project's file; may be empty.
void warnOfMemory(QObject* context, const store::TaskRecord& task, const QString& project,
                  const protocol::DeviceInfo& device, std::function<void(const Message&)> raise);

} // namespace cudal1::ui
