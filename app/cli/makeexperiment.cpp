// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the runs of an experiment on the command line.
#include "app/cli/makeexperiment.h"

#include "app/cli/context.h"
#include "app/cli/interrupt.h"

#include <QEventLoop>

namespace cudal1::cli {

using base::Error;
using base::ErrorCode;
using experiment::Arm;
using experiment::CellResult;
using store::RunState;

namespace {

/// A model that draws on a device which judges would disturb the times of another run.
int runsAtOnce(const ExperimentModels& models, const std::vector<protocol::DeviceInfo>& devices)
{
    constexpr int drawnTogether = 8;
    std::string names;
    for (const protocol::DeviceInfo& device : devices)
        names += (names.empty() ? "" : ",") + device.name;
    const int judges = int(devices.size());
    if (models.empty())
        return judges;
    return models.drawOn(names) ? 1 : std::max(judges, drawnTogether);
}

} // namespace

ExperimentOutcome makeExperiment(Context& context, store::Project& project, Client& client, Interrupt& interrupt,
                                 const experiment::ExperimentRecord& record,
                                 const std::vector<store::TaskRecord>& tasks, ExperimentModels& models,
                                 const std::vector<protocol::DeviceInfo>& devices)
{
    Terminal& terminal = context.terminal();
    if (const auto made = models.make(context, interrupt, client, project); !made) {
        terminal.clearLive();
        auto results = experiment::resultsOf(project, record);
        return {record.plan.arms(), results ? std::move(*results) : std::vector<CellResult>(), made.error(), {}};
    }
    experiment::ExperimentRun run(project, client.crew());
    run.setAtOnce(runsAtOnce(models, devices));
    run.setModels([&models](const Arm& arm, std::uint64_t seed, const models::ModelSources& sources) {
        return models.policyOf(arm, seed, sources);
    });
    RunState state = RunState::Failed;
    QEventLoop loop;
    bool over = false;
    QObject::connect(&run, &experiment::ExperimentRun::log, &loop,
                     [&](const QString& line) { terminal.print(line.toStdString()); });
    QObject::connect(&run, &experiment::ExperimentRun::progress, &loop, [&](const experiment::ExperimentProgress& now) {
        terminal.live(std::to_string(now.done) + " of " + std::to_string(now.planned) +
                      (now.text.empty() ? "" : " · " + now.text));
    });
    QObject::connect(&run, &experiment::ExperimentRun::finished, &loop, [&](RunState how) {
        state = how;
        over = true;
        loop.quit();
    });
    QObject::connect(&interrupt, &Interrupt::requested, &loop, [&] {
        terminal.live("Stopping …");
        run.stop();
    });
    run.start(record, tasks);
    if (interrupt.caught())
        run.stop();
    if (!over)
        loop.exec();
    terminal.clearLive();
    ExperimentOutcome out{record.plan.arms(), run.results(), {}, run.spent()};
    if (state == RunState::Stopped)
        out.ended = run.error().message.empty() ? Error{ErrorCode::Cancelled, "Stopped", {}, {}} : run.error();
    if (state == RunState::Failed)
        out.ended = run.error();
    return out;
}

} // namespace cudal1::cli
