// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of a task, as HTML for an InfoView.
#pragma once

#include "core/taskfacts/taskfacts.h"

#include <QString>

namespace cudal1::ui {

/// Sections: what it computes with its flags, shapes, cost and floor, memory, parameters and modules, where it is from.
/// What is not known says so and how it becomes known; `why` says why a task could not be run on its shapes.
QString taskFactsHtml(const store::TaskRecord& task, const taskfacts::TaskFacts& facts, const QString& why = {});

} // namespace cudal1::ui
