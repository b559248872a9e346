// SPDX-License-Identifier: GPL-3.0-or-later
// What is sent to an OpenAI-compatible `/chat/completions`, and what comes back, without the network.
#pragma once

#include "core/base/result.h"
#include "core/models/endpointsettings.h"
#include "core/models/eventstream.h"
#include "core/policy/chatmodel.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::models {

/// What most servers of this kind know and some refuse.
struct RequestForm {
    bool oldLimitName = true;  ///< `max_tokens`; OpenAI's newer models want `max_completion_tokens`
    bool countedStream = true; ///< `stream_options`, which has the tokens counted at the end of a stream
};

/// The body of the request for one reply, with the model's own settings where the request leaves one open.
std::string requestBody(const EndpointSettings& settings, const policy::ChatRequest& request, int reply,
                        const RequestForm& form);

/// What a server says about a failure.
struct ServerError {
    std::string message; ///< at most 400 characters; may be empty
    std::string code;    ///< "insufficient_quota", "503"; may be empty
    std::string param;   ///< the field of the request that it is about ("stream_options.x"); may be empty
};
/// Of the body of a refused request, in the forms that servers of this kind use; a body that is no JSON gives its
/// beginning as the message, one of HTML nothing.
ServerError serverError(std::string_view body);

/// Reads one answer of status 200 in pieces of any size: a stream of events, or one object.
class AnswerReader {
public:
    using Pieces = std::vector<std::string>;
    /// What these bytes add to the text of the reply, as the server cut it; none is empty. Errors end it: ProcessFailed
    /// for what is no such answer. An error that the server tells in mid-stream is kept as told().
    base::Result<Pieces> feed(std::string_view bytes);
    /// Whether nothing that matters can follow.
    bool complete() const { return m_done; }
    /// At the end: the reply. ProcessFailed where it is not whole (brokenOff()), or has no choices.
    base::Result<policy::ChatReply> finish(bool endedWell);

    bool brokenOff() const { return m_brokenOff; } ///< finish() failed since something was missing
    const std::optional<ServerError>& told() const { return m_told; }
    bool isStream() const { return m_kind == Kind::Stream; }
    /// Received so far; a model's thoughts count, since servers charge for them.
    std::size_t textBytes() const { return m_reply.text.size() + m_thoughtBytes; }

private:
    enum class Kind { Unknown, Stream, Object, Neither };

    static Kind kindOf(std::string_view text);
    base::Status feedObject(const std::string& text, Pieces& added);
    base::Status take(const nlohmann::json& object, Pieces& added);
    void takeChoice(const nlohmann::json& choice, Pieces& added);
    void takeUsage(const nlohmann::json& usage);

    Kind m_kind = Kind::Unknown;
    EventStream m_events;
    std::string m_object; ///< so far; of a stream that has not begun, its blanks
    policy::ChatReply m_reply;
    std::size_t m_thoughtBytes = 0; ///< in fields of their own
    std::optional<ServerError> m_told;
    bool m_choices = false, m_finished = false, m_done = false, m_brokenOff = false;
    bool m_abandoned = false; ///< the server says that it has given the reply up
    bool m_refusal = false;   ///< the text is the model's own refusal
};

} // namespace cudal1::models
