// SPDX-License-Identifier: GPL-3.0-or-later
// Calls to the evaluator that wait.
#include "app/cli/client.h"

#include "app/cli/interrupt.h"

#include <QEventLoop>

#include <optional>

namespace cudal1::cli {

Client::Client(Interrupt& interrupt) : m_interrupt(interrupt), m_evaluator(farm::Launcher::standard()) {}

template<class Answer, class Signal>
base::Result<Answer> Client::wait(farm::RequestId id, Signal answered, const OnProgress& onProgress)
{
    std::optional<base::Result<Answer>> out;
    QEventLoop loop;
    QObject::connect(&m_evaluator, answered, &loop, [&](quint64 which, const Answer& answer) {
        if (which != id)
            return;
        out.emplace(answer);
        loop.quit();
    });
    QObject::connect(&m_evaluator, &farm::Evaluator::failed, &loop, [&](quint64 which, const base::Error& error) {
        if (which != id)
            return;
        out.emplace(error);
        loop.quit();
    });
    QObject::connect(&m_evaluator, &farm::Evaluator::progress, &loop, [&](quint64 which, const protocol::Progress& progress) {
        if (which == id && onProgress)
            onProgress(progress);
    });
    QObject::connect(&m_evaluator, &farm::Evaluator::waiting, &loop, [&](double seconds) {
        if (onProgress)
            onProgress({"wait", 0, farm::waitingText(m_evaluator.launcher(), seconds).toStdString()});
    });
    QObject::connect(&m_interrupt, &Interrupt::requested, &loop, [&] { m_evaluator.cancel(id); });
    if (m_interrupt.caught())
        m_evaluator.cancel(id);
    loop.exec();
    return std::move(*out);
}

base::Result<protocol::Machine> Client::describe(const OnProgress& onProgress)
{
    return wait<protocol::Machine>(m_evaluator.describe(), &farm::Evaluator::machineReady, onProgress);
}

base::Result<protocol::Inspection> Client::inspect(const protocol::InspectRequest& request, const OnProgress& onProgress)
{
    return wait<protocol::Inspection>(m_evaluator.inspect(request), &farm::Evaluator::inspectionReady, onProgress);
}

base::Result<std::shared_ptr<const protocol::Facts>> Client::facts(const protocol::FactsRequest& request, const OnProgress& onProgress)
{
    return wait<std::shared_ptr<const protocol::Facts>>(m_evaluator.facts(request), &farm::Evaluator::factsReady, onProgress);
}

base::Result<std::shared_ptr<const protocol::OperatorGraph>> Client::graph(const protocol::GraphRequest& request,
                                                                          const OnProgress& onProgress)
{
    return wait<std::shared_ptr<const protocol::OperatorGraph>>(m_evaluator.graph(request), &farm::Evaluator::graphReady, onProgress);
}

base::Result<std::shared_ptr<const protocol::Evaluation>> Client::evaluate(const protocol::EvaluateRequest& request,
                                                                           const OnProgress& onProgress)
{
    return wait<std::shared_ptr<const protocol::Evaluation>>(m_evaluator.evaluate(request), &farm::Evaluator::evaluationReady,
                                                             onProgress);
}

base::Result<std::shared_ptr<const protocol::TimelineAnswer>> Client::timeline(const protocol::TimelineRequest& request,
                                                                               const OnProgress& onProgress)
{
    return wait<std::shared_ptr<const protocol::TimelineAnswer>>(m_evaluator.timeline(request), &farm::Evaluator::timelineReady,
                                                                 onProgress);
}

base::Result<std::shared_ptr<const protocol::Kernels>> Client::kernels(const protocol::KernelsRequest& request, const OnProgress& onProgress)
{
    return wait<std::shared_ptr<const protocol::Kernels>>(m_evaluator.kernels(request), &farm::Evaluator::kernelsReady, onProgress);
}

} // namespace cudal1::cli
