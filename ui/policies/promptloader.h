// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the prompt that a model would be sent now, on a worker with a connection of its own.
#pragma once

#include "core/language/promptpreview.h"
#include "ui/work/promptbasis.h"

#include <QString>

#include <memory>
#include <string>
#include <vector>

namespace cudal1::ui {

struct PromptView {
    language::PromptPreview preview;
    std::vector<std::string> ownTemplates; ///< names of those that are the user's own
};

/// The first question of the next run about the task of `basis`, by what the project has judged; any thread.
base::Result<std::shared_ptr<const PromptView>> loadPrompt(const QString& projectFile, const PromptBasis& basis,
                                                           const language::AskMethod& method, const std::string& who);

} // namespace cudal1::ui
