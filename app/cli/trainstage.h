// SPDX-License-Identifier: GPL-3.0-or-later
// One stage of a training on the command line: a line for each step, Ctrl+C, the outcome.
#pragma once

#include "core/learning/stagerun.h"
#include "core/store/project.h"

#include <functional>
#include <string>
#include <vector>

namespace cudal1::cli {

class Context;
class Interrupt;

/// What is done with the trainer once the steps are made and before its process ends; calls `then` once. May be empty.
using AfterSteps = std::function<void(learning::TrainerClient& trainer, const std::string& checkpoint,
                                      std::function<void(base::Status)> then)>;

/// Whether the steps of a stage are lines of the output, or the live line alone, since the output is about something
/// else.
enum class StepLines { Printed, Live };

/// Runs the stage to its end and gives the checkpoint; Cancelled after a signal, which is a success of a kind: the same
/// command goes on. With --json each step is a line of JSON.
base::Result<std::string> runStage(Context& context, Interrupt& interrupt, const learning::StageOptions& options,
                                   learning::BatchMaker& maker, const AfterSteps& afterSteps = {},
                                   StepLines lines = StepLines::Printed);

/// Prints the object as one line.
void printLine(const nlohmann::json& object);

} // namespace cudal1::cli
