// SPDX-License-Identifier: GPL-3.0-or-later
// From the options of every verb to a judge that can be asked.
#include "app/cli/serving.h"

#include "app/cli/fitwarning.h"
#include "core/optimize/options.h"

#include <QString>

#include <utility>

namespace cudal1::cli {

namespace {

base::Result<serve::ServiceDefaults> servedBy(const CommandSettings& settings, const protocol::Machine& machine)
{
    serve::ServiceDefaults out;
    out.precision = settings.precision;
    out.preset = settings.preset;
    out.seed = settings.seed;
    for (const QString& name : QString::fromStdString(settings.device).split(',', Qt::SkipEmptyParts)) {
        const auto device = optimize::deviceOf(machine, name.toStdString());
        if (!device)
            return device.error();
        out.devices.push_back(*device);
    }
    if (out.devices.empty()) {
        const auto device = optimize::deviceOf(machine, {});
        if (!device)
            return device.error();
        out.devices = machine.devices;
        out.device = device->name;
        return out;
    }
    out.device = out.devices.front().name;
    for (const auto& one : out.devices)
        if (one.model != out.devices.front().model)
            return base::Error{base::ErrorCode::InvalidArgument,
                               "Devices of two models cannot be served together: " + out.devices.front().model +
                                   " and " + one.model,
                               {},
                               "Serve each on a port of its own"};
    return out;
}

} // namespace

base::Result<std::unique_ptr<Serving>> Serving::make(Context& context, const serve::ServiceLimits& limits)
{
    std::unique_ptr<Serving> out(new Serving(context));
    auto suite = context.suite();
    if (!suite)
        return suite.error();
    const auto project = context.project();
    if (!project)
        return project.error();
    out->m_project = *project;
    if (out->m_project->isReadOnly())
        return base::Error{base::ErrorCode::InvalidArgument, "The project may not be written",
                           context.projectPath().string(), "What is judged is stored: name another with --project"};
    out->m_bundled = bundledFolder();
    out->m_crew = std::make_unique<crew::Crew>();
    const QStringList devices = QString::fromStdString(context.settings().device).split(',', Qt::SkipEmptyParts);
    for (const QString& device : devices)
        out->m_crew->add(farm::Launcher::standard(), optimize::deviceName(device.toStdString()));
    if (devices.isEmpty())
        out->m_crew->add(farm::Launcher::standard());
    out->m_book = std::make_unique<serve::TaskBook>(std::move(*suite), *out->m_project);
    out->m_service = std::make_unique<serve::JudgeService>(*out->m_project, *out->m_crew, limits);
    connect(out->m_service.get(), &serve::JudgeService::log, out.get(),
            [&context](const QString& line) { context.terminal().complain("cudal1: " + line.toStdString()); });
    connect(out->m_crew.get(), &crew::Crew::done, out.get(),
            [self = out.get()](quint64 job, const crew::JobOutcome& outcome) {
                if (job == self->m_describing)
                    self->take(outcome);
            });
    return out;
}

serve::McpTools::Means Serving::means()
{
    return {*m_service, *m_crew, *m_project, *m_book, m_bundled, [this](Ready ready) { whenReady(std::move(ready)); }};
}

void Serving::whenReady(Ready ready)
{
    if (!m_service->served().devices.empty())
        return ready({});
    m_waiting.push_back(std::move(ready));
    if (m_describing == 0)
        m_describing = m_crew->submit(crew::describing());
}

void Serving::take(const crew::JobOutcome& outcome)
{
    m_describing = 0;
    base::Status status;
    if (outcome.kind == crew::JobOutcome::Kind::Answered) {
        auto served = servedBy(m_context.settings(), std::get<protocol::Machine>(outcome.answer));
        if (served)
            m_service->setServed(std::move(*served));
        else
            status = served.error();
    } else {
        status = outcome.error;
    }
    for (const Ready& ready : std::exchange(m_waiting, {}))
        ready(status);
}

} // namespace cudal1::cli
