// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog in which a person chooses the weights of a model.
#pragma once

#include <QString>

class QWidget;

namespace cudal1::ui {

/// Asks for a model's weights: a GGUF file, or the config.json of a Hugging Face folder. The dialog begins where `now`
/// is. Returns the path of the file or of the folder; empty when the dialog was left. GUI thread.
QString chooseModelFile(QWidget* parent, const QString& title, const QString& now);

/// What was meant by choosing `file`: itself when it is a GGUF file, else the folder that it lies in.
QString modelOfFile(const QString& file);

} // namespace cudal1::ui
