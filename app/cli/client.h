// SPDX-License-Identifier: GPL-3.0-or-later
// An evaluator for verbs that want one answer at a time: calls that return when it is there, or when a signal came.
#pragma once

#include "core/base/result.h"
#include "core/farm/evaluator.h"
#include "core/protocol/messages.h"

#include <functional>
#include <memory>

namespace cudal1::cli {

class Interrupt;

class Client {
public:
    using OnProgress = std::function<void(const protocol::Progress&)>;

    explicit Client(Interrupt& interrupt);

    /// Each ends with ErrorCode::Cancelled after SIGINT or SIGTERM.
    base::Result<protocol::Machine> describe(const OnProgress& onProgress = {}); ///< told of waiting for the evaluator alone
    base::Result<protocol::Inspection> inspect(const protocol::InspectRequest& request, const OnProgress& onProgress);
    base::Result<std::shared_ptr<const protocol::Facts>> facts(const protocol::FactsRequest& request, const OnProgress& onProgress);
    base::Result<std::shared_ptr<const protocol::OperatorGraph>> graph(const protocol::GraphRequest& request,
                                                                       const OnProgress& onProgress);
    base::Result<std::shared_ptr<const protocol::Evaluation>> evaluate(const protocol::EvaluateRequest& request,
                                                                       const OnProgress& onProgress);
    base::Result<std::shared_ptr<const protocol::TimelineAnswer>> timeline(const protocol::TimelineRequest& request,
                                                                           const OnProgress& onProgress);
    base::Result<std::shared_ptr<const protocol::Kernels>> kernels(const protocol::KernelsRequest& request, const OnProgress& onProgress);
    farm::Evaluator& evaluator() { return m_evaluator; }

private:
    template<class Answer, class Signal>
    base::Result<Answer> wait(farm::RequestId id, Signal answered, const OnProgress& onProgress);

    Interrupt& m_interrupt;
    farm::Evaluator m_evaluator;
};

} // namespace cudal1::cli
