// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of an evaluator, what it answers, and one line of it as a value. Reading is pure, so that long lines
// can be read on another thread.
#pragma once

#include "core/base/result.h"
#include "core/protocol/counters.h"
#include "core/protocol/kernels.h"
#include "core/protocol/messages.h"
#include "core/protocol/screening.h"
#include "core/protocol/timeline.h"

#include <QByteArray>

#include <memory>
#include <variant>

namespace cudal1::farm {

/// What the machine has; answered with protocol::Machine.
struct DescribeRequest {};

using Request = std::variant<DescribeRequest, protocol::InspectRequest, protocol::FactsRequest, protocol::GraphRequest,
                             protocol::EvaluateRequest, protocol::TimelineRequest, protocol::KernelsRequest,
                             protocol::ScreenRequest, protocol::CountersRequest>;
/// In the order of the requests. What may be large is shared.
using Answer = std::variant<protocol::Machine, protocol::Inspection, std::shared_ptr<const protocol::Facts>,
                            std::shared_ptr<const protocol::OperatorGraph>, std::shared_ptr<const protocol::Evaluation>,
                            std::shared_ptr<const protocol::TimelineAnswer>, std::shared_ptr<const protocol::Kernels>,
                            std::shared_ptr<const protocol::Screening>, std::shared_ptr<const protocol::Counters>>;

/// The request as a line of the protocol, under this number.
QByteArray requestLine(std::uint64_t id, const Request& request);

/// A line that came from an evaluator.
struct EvaluatorMessage {
    std::uint64_t id = 0;
    /// monostate: a well-formed message of a type that this version does not know.
    std::variant<std::monostate, protocol::Hello, protocol::Progress, base::Error, Answer> payload;
};

/// ProcessFailed, with the start of the line as context, for what is not a message.
base::Result<EvaluatorMessage> readMessage(const QByteArray& line);

} // namespace cudal1::farm
