// SPDX-License-Identifier: GPL-3.0-or-later
// The evaluators of a verb: requests that return when their answer is there, or when a signal came.
#pragma once

#include "core/base/result.h"
#include "core/crew/crew.h"
#include "core/protocol/messages.h"

#include <functional>
#include <memory>

namespace cudal1::cli {

class Interrupt;

class Client {
public:
    using OnProgress = std::function<void(const protocol::Progress&)>;

    explicit Client(Interrupt& interrupt);

    /// Each ends with ErrorCode::Cancelled after SIGINT or SIGTERM. An evaluator that dies is started once more.
    base::Result<protocol::Machine>
    describe(const OnProgress& onProgress = {}); ///< told of waiting for the evaluator alone
    base::Result<protocol::Inspection> inspect(const protocol::InspectRequest& request, const OnProgress& onProgress);
    base::Result<std::shared_ptr<const protocol::Facts>> facts(const protocol::FactsRequest& request,
                                                               const OnProgress& onProgress);
    base::Result<std::shared_ptr<const protocol::OperatorGraph>> graph(const protocol::GraphRequest& request,
                                                                       const OnProgress& onProgress);
    base::Result<std::shared_ptr<const protocol::Evaluation>> evaluate(const protocol::EvaluateRequest& request,
                                                                       const OnProgress& onProgress);
    base::Result<std::shared_ptr<const protocol::TimelineAnswer>> timeline(const protocol::TimelineRequest& request,
                                                                           const OnProgress& onProgress);
    base::Result<std::shared_ptr<const protocol::Counters>> counters(const protocol::CountersRequest& request,
                                                                     const OnProgress& onProgress);
    base::Result<std::shared_ptr<const protocol::Kernels>> kernels(const protocol::KernelsRequest& request,
                                                                   const OnProgress& onProgress);
    /// Devices of one model on the evaluator's machine. What names the first of them is judged on all.
    void judgeOn(const std::vector<protocol::DeviceInfo>& devices);
    crew::Crew& crew() { return m_crew; }

private:
    template<class Answer> base::Result<Answer> ask(farm::Request request, const OnProgress& onProgress);

    Interrupt& m_interrupt;
    crew::Crew m_crew;
};

} // namespace cudal1::cli
