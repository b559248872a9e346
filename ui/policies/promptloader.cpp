// SPDX-License-Identifier: GPL-3.0-or-later
// As `cudal1 prompt` makes it.
#include "ui/policies/promptloader.h"

#include "core/language/templatefolders.h"
#include "core/optimize/judged.h"
#include "core/optimize/taskbackground.h"
#include "core/optimize/taskprompt.h"

namespace cudal1::ui {

base::Result<std::shared_ptr<const PromptView>> loadPrompt(const QString& projectFile, const PromptBasis& basis,
                                                           const language::AskMethod& method, const std::string& who)
{
    const auto templates = language::readTemplates();
    if (!templates)
        return templates.error();
    const auto project = store::Project::open(projectFile.toStdString());
    if (!project)
        return project.error();
    optimize::SearchOptions options;
    options.task = basis.task;
    options.device = basis.device.name;
    options.precision = basis.precision;
    options.seed = 1; // draws exemplars; a run draws its own
    const auto judged = optimize::JudgedList::load(**project, basis.task, basis.device.model, basis.precision);
    if (!judged)
        return judged.error();
    policy::Prompt prompt = optimize::taskPrompt(options, basis.machine, basis.device, *basis.graph, *judged);
    if (language::PromptBuilder(method, *templates).readsBackground())
        optimize::TaskBackground().fill(prompt, **project, basis.task,
                                        judged->best() ? judged->best()->variant : base::VariantId());
    auto out = std::make_shared<PromptView>();
    out->preview = language::previewOf(prompt, method, *templates, who);
    out->ownTemplates = templates->ownNames();
    return std::shared_ptr<const PromptView>(std::move(out));
}

} // namespace cudal1::ui
