// SPDX-License-Identifier: GPL-3.0-or-later
// A source on its way out of the window: into a file of the person's choice, or into the system's editor.
#pragma once

#include "core/base/result.h"

#include <QString>

#include <string>

class QWidget;

namespace cudal1::ui {

/// Whole or not at all. Empty when it was written, else why not.
QString writeSource(const QString& path, const std::string& source);

/// Asks for a place, with this name offered, and writes there; nothing when no place is chosen.
base::Status saveSourceAs(QWidget* parent, const QString& name, const std::string& source);

/// Opens a read-only copy, kept in a temporary folder of this process, in what the system has for such files.
base::Status openSourceInEditor(const QString& name, const std::string& source);

} // namespace cudal1::ui
