// SPDX-License-Identifier: GPL-3.0-or-later
// Requests that wait for their outcome.
#include "app/cli/client.h"

#include "app/cli/interrupt.h"

#include <QEventLoop>

#include <optional>

namespace cudal1::cli {

Client::Client(Interrupt& interrupt) : m_interrupt(interrupt)
{
    m_crew.add(farm::Launcher::standard());
}

void Client::judgeOn(const std::vector<protocol::DeviceInfo>& devices)
{
    for (std::size_t i = 1; i < devices.size(); ++i)
        m_crew.add(farm::Launcher::standard(), devices[i].name);
}

template<class Answer> base::Result<Answer> Client::ask(farm::Request request, const OnProgress& onProgress)
{
    std::optional<crew::JobOutcome> out;
    QEventLoop loop;
    const crew::JobId id = m_crew.submit({std::move(request), "this request", false, {}, false});
    QObject::connect(&m_crew, &crew::Crew::done, &loop, [&](quint64 which, const crew::JobOutcome& outcome) {
        if (which != id)
            return;
        out = outcome;
        loop.quit();
    });
    QObject::connect(&m_crew, &crew::Crew::progress, &loop, [&](quint64 which, const protocol::Progress& progress) {
        if (which == id && onProgress)
            onProgress(progress);
    });
    QObject::connect(&m_crew, &crew::Crew::log, &loop, [&](const QString& line) {
        if (onProgress)
            onProgress({"wait", 0, line.toStdString()});
    });
    QObject::connect(&m_interrupt, &Interrupt::requested, &loop, [&] { m_crew.cancel(id); });
    if (m_interrupt.caught())
        m_crew.cancel(id);
    loop.exec();
    if (out->kind != crew::JobOutcome::Kind::Answered)
        return out->error;
    return std::get<Answer>(std::move(out->answer));
}

base::Result<protocol::Machine> Client::describe(const OnProgress& onProgress)
{
    return ask<protocol::Machine>(farm::DescribeRequest{}, onProgress);
}

base::Result<protocol::Inspection> Client::inspect(const protocol::InspectRequest& request,
                                                   const OnProgress& onProgress)
{
    return ask<protocol::Inspection>(request, onProgress);
}

base::Result<std::shared_ptr<const protocol::Facts>> Client::facts(const protocol::FactsRequest& request,
                                                                   const OnProgress& onProgress)
{
    return ask<std::shared_ptr<const protocol::Facts>>(request, onProgress);
}

base::Result<std::shared_ptr<const protocol::OperatorGraph>> Client::graph(const protocol::GraphRequest& request,
                                                                           const OnProgress& onProgress)
{
    return ask<std::shared_ptr<const protocol::OperatorGraph>>(request, onProgress);
}

base::Result<std::shared_ptr<const protocol::Evaluation>> Client::evaluate(const protocol::EvaluateRequest& request,
                                                                           const OnProgress& onProgress)
{
    return ask<std::shared_ptr<const protocol::Evaluation>>(request, onProgress);
}

base::Result<std::shared_ptr<const protocol::TimelineAnswer>> Client::timeline(const protocol::TimelineRequest& request,
                                                                               const OnProgress& onProgress)
{
    return ask<std::shared_ptr<const protocol::TimelineAnswer>>(request, onProgress);
}

base::Result<std::shared_ptr<const protocol::Counters>> Client::counters(const protocol::CountersRequest& request,
                                                                         const OnProgress& onProgress)
{
    return ask<std::shared_ptr<const protocol::Counters>>(request, onProgress);
}

base::Result<std::shared_ptr<const protocol::Kernels>> Client::kernels(const protocol::KernelsRequest& request,
                                                                       const OnProgress& onProgress)
{
    return ask<std::shared_ptr<const protocol::Kernels>>(request, onProgress);
}

} // namespace cudal1::cli
