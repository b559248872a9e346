// SPDX-License-Identifier: GPL-3.0-or-later
// Reading of an evaluator's messages.
#include "core/farm/answer.h"

#include <array>
#include <utility>

namespace cudal1::farm {

using base::ErrorCode;
using nlohmann::json;

namespace {

constexpr std::array<std::pair<ErrorCode, std::string_view>, 10> words{{
    {ErrorCode::InvalidArgument, "invalid_argument"},
    {ErrorCode::NotFound, "not_found"},
    {ErrorCode::Unreadable, "unreadable"},
    {ErrorCode::Corrupt, "corrupt"},
    {ErrorCode::TooNew, "too_new"},
    {ErrorCode::Unavailable, "unavailable"},
    {ErrorCode::ProcessFailed, "process_failed"},
    {ErrorCode::TimedOut, "timed_out"},
    {ErrorCode::Cancelled, "cancelled"},
    {ErrorCode::Internal, "internal"},
}};

base::Error errorOf(const json& message)
{
    base::Error error;
    error.code = errorCode(message.value("code", std::string()));
    error.message = message.value("message", std::string());
    error.context = message.value("context", std::string());
    error.hint = message.value("hint", std::string());
    if (error.message.empty())
        error.message = "The evaluator refused the request without saying why";
    return error;
}

} // namespace

std::string_view errorWord(ErrorCode code)
{
    for (const auto& [value, word] : words)
        if (value == code)
            return word;
    return "internal";
}

ErrorCode errorCode(std::string_view word)
{
    for (const auto& [value, candidate] : words)
        if (candidate == word)
            return value;
    return ErrorCode::Internal;
}

base::Result<Answer> readAnswer(const QByteArray& line)
{
    try {
        const json message = json::parse(line.begin(), line.end());
        const std::string type = message.at("type").get<std::string>();
        Answer answer;
        answer.id = message.value("id", std::uint64_t(0));
        if (type == "hello")
            answer.payload = message.get<protocol::Hello>();
        else if (type == "progress")
            answer.payload = message.get<protocol::Progress>();
        else if (type == "machine")
            answer.payload = message.get<protocol::Machine>();
        else if (type == "inspection")
            answer.payload = message.get<protocol::Inspection>();
        else if (type == "facts")
            answer.payload = std::make_shared<const protocol::Facts>(message.get<protocol::Facts>());
        else if (type == "graph")
            answer.payload = std::make_shared<const protocol::OperatorGraph>(message.get<protocol::OperatorGraph>());
        else if (type == "evaluation")
            answer.payload = std::make_shared<const protocol::Evaluation>(message.get<protocol::Evaluation>());
        else if (type == "timeline")
            answer.payload = std::make_shared<const protocol::TimelineAnswer>(message.get<protocol::TimelineAnswer>());
        else if (type == "kernels")
            answer.payload = std::make_shared<const protocol::Kernels>(message.get<protocol::Kernels>());
        else if (type == "error")
            answer.payload = errorOf(message);
        return answer;
    } catch (const json::exception& failure) {
        return base::Error{ErrorCode::ProcessFailed, "The evaluator sent a line that is no message",
                           line.left(200).toStdString() + " [" + failure.what() + "]",
                           "Check that nothing else writes to its standard output"};
    }
}

} // namespace cudal1::farm
