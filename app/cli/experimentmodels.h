// SPDX-License-Identifier: GPL-3.0-or-later
// The models of an experiment's own: each made once for each seed by a stage of a training, then asked as any other.
#pragma once

#include "core/experiment/experimentrun.h"
#include "core/language/templates.h"
#include "core/learning/stagejson.h"
#include "core/tasks/suite.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudal1::cli {

class Client;
class Context;
class Interrupt;

/// A stage that was made leaves FOLDER/NAME.DIGEST/seed-N/finished.json with its checkpoint and is not made again;
/// where its file of examples has changed since, that is an error, since the rows would mix two models. One that was
/// stopped or killed goes on from its newest checkpoint. Stages 2 and 3 learn from the experiment's tasks that are not
/// held out, unless they name others, and show only exemplars that they have found themselves, so that no row knows
/// what another has found.
class ExperimentModels {
public:
    /// Reads settings, templates and the names of models; nothing is begun. InvalidArgument for what is wrong there.
    static base::Result<ExperimentModels> of(Context& context, const experiment::ExperimentRecord& record,
                                             const std::vector<store::TaskRecord>& tasks);

    bool empty() const { return m_wanted.empty(); }
    /// Whether one of them draws on one of these devices, which are named with commas between.
    bool drawOn(std::string_view devices) const;
    /// Makes what the rows need and what is not there. Cancelled after a signal.
    base::Status make(Context& context, Interrupt& interrupt, Client& client, store::Project& project);
    /// For ExperimentRun::setModels(); this object must outlive it.
    base::Result<std::unique_ptr<policy::Policy>> policyOf(const experiment::Arm& arm, std::uint64_t seed,
                                                           const models::ModelSources& sources) const;

private:
    struct Wanted {
        experiment::PlannedModel model;
        std::string folder;                         ///< name and digest
        std::optional<learning::StageText> stage{}; ///< none for a model that is there
        std::vector<store::TaskRecord> tasks{};     ///< of stages 2 and 3
    };

    base::Result<std::string> makeOne(Context& context, Interrupt& interrupt, Client& client, store::Project& project,
                                      const Wanted& wanted, const learning::StageOptions& options);
    base::Status readTasks(Context& context, const std::vector<store::TaskRecord>& tasks, Wanted& wanted) const;
    /// What was made of an earlier run of the command; empty where nothing was.
    base::Result<std::string> finishedIn(const Wanted& wanted, std::uint64_t seed) const;
    std::filesystem::path folderOf(const Wanted& wanted, std::uint64_t seed) const;

    experiment::ExperimentRecord m_record;
    tasks::Suite m_bundled;
    std::vector<store::TaskRecord> m_heldOut; ///< of the experiment
    std::filesystem::path m_folder;
    language::Templates m_templates;
    std::vector<Wanted> m_wanted;                                        ///< in the order of the file
    std::map<std::pair<std::string, std::uint64_t>, std::string> m_made; ///< folders of models, by name and seed
    std::map<std::string, models::LocalSettings> m_settings;             ///< how each is asked, by name
};

} // namespace cudal1::cli
