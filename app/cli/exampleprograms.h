// SPDX-License-Identifier: GPL-3.0-or-later
// What the examples of trainings begin with: programs that the judge has looked at, and a model that knows nothing yet.
#pragma once

#include "core/crew/crew.h"
#include "core/learning/exampledata.h"
#include "core/learning/trainingexamples.h"
#include "core/protocol/messages.h"
#include "core/store/project.h"

#include <filesystem>
#include <vector>

namespace cudal1::cli {

class Context;
class Interrupt;

/// Puts the tasks into the project and has both programs of each task to learn from judged; what is correct is an
/// answer, asked for without exemplars and with them. The model is written to `folder` where it is not there.
/// Cancelled after a signal; Unavailable where no program is correct.
base::Result<std::vector<learning::LearnedExample>>
exampleToLearn(Context& context, Interrupt& interrupt, store::Project& project, crew::Crew& crew,
               const protocol::Machine& machine, const learning::ExampleData& data, const std::filesystem::path& folder,
               std::uint64_t seed);

} // namespace cudal1::cli
