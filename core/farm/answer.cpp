// SPDX-License-Identifier: GPL-3.0-or-later
// Reading of an evaluator's messages.
#include "core/farm/answer.h"

#include "core/protocol/wireerror.h"

#include <array>

namespace cudal1::farm {

using base::ErrorCode;
using nlohmann::json;

namespace {

template<typename Large> Answer shared(const json& message)
{
    return std::make_shared<const Large>(message.get<Large>());
}

} // namespace

QByteArray requestLine(std::uint64_t id, const Request& request)
{
    constexpr std::array types{"describe", "inspect", "facts",  "graph",   "evaluate",
                               "timeline", "kernels", "screen", "counters"};
    static_assert(types.size() == std::variant_size_v<Request>);
    const json payload = std::visit(
        []<typename One>(const One& one) {
            if constexpr (std::is_same_v<One, DescribeRequest>)
                return json::object();
            else
                return json(one);
        },
        request);
    return QByteArray::fromStdString(protocol::line(types.at(request.index()), id, payload));
}

base::Result<EvaluatorMessage> readMessage(const QByteArray& line)
{
    try {
        const json message = json::parse(line.begin(), line.end());
        const std::string type = message.at("type").get<std::string>();
        EvaluatorMessage out;
        out.id = message.value("id", std::uint64_t(0));
        if (type == "hello")
            out.payload = message.get<protocol::Hello>();
        else if (type == "progress")
            out.payload = message.get<protocol::Progress>();
        else if (type == "error")
            out.payload = protocol::errorFrom(message, "The evaluator refused the request without saying why");
        else if (type == "machine")
            out.payload = Answer(message.get<protocol::Machine>());
        else if (type == "inspection")
            out.payload = Answer(message.get<protocol::Inspection>());
        else if (type == "facts")
            out.payload = shared<protocol::Facts>(message);
        else if (type == "graph")
            out.payload = shared<protocol::OperatorGraph>(message);
        else if (type == "evaluation")
            out.payload = shared<protocol::Evaluation>(message);
        else if (type == "timeline")
            out.payload = shared<protocol::TimelineAnswer>(message);
        else if (type == "kernels")
            out.payload = shared<protocol::Kernels>(message);
        else if (type == "screening")
            out.payload = shared<protocol::Screening>(message);
        else if (type == "counters")
            out.payload = shared<protocol::Counters>(message);
        return out;
    } catch (const json::exception& failure) {
        return base::Error{ErrorCode::ProcessFailed, "The evaluator sent a line that is no message",
                           line.left(200).toStdString() + " [" + failure.what() + "]",
                           "Check that nothing else writes to its standard output"};
    }
}

} // namespace cudal1::farm
