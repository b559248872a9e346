// SPDX-License-Identifier: GPL-3.0-or-later
// Where evaluators are put: any command whose standard input and output reach a `cudal1-evaluator`.
#pragma once

#include <QString>
#include <QStringList>

namespace cudal1::farm {

/// A command as typed ("ssh gpu1 cudal1-evaluator", "srun --gres=gpu:1 \"/my path/cudal1-evaluator\"") as program and
/// arguments. Double quotes group words; no shell is involved. Empty for a blank text.
QStringList commandFromText(const QString& text);

/// The command as a person would type it: the inverse of commandFromText.
QString commandText(const QStringList& command);

/// $CUDAL1_EVALUATOR when set, else `cudal1-evaluator` beside the running program.
QStringList defaultEvaluatorCommand();

} // namespace cudal1::farm
