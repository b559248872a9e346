// SPDX-License-Identifier: GPL-3.0-or-later
// Asks where to, and writes a variant's reproducer.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"

#include <QString>

class QWidget;

namespace cudal1::ui {

class ProjectModel;

/// The path; empty when the person thought better of it.
base::Result<QString> saveReproducer(QWidget* parent, const ProjectModel& project, base::VariantId variant);

} // namespace cudal1::ui
