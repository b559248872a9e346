// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of what every request has.
#include "core/decoder/clientrequest.h"

namespace cudal1::decoder {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

Error refusedRequest(const std::string& message, const std::string& page)
{
    return {ErrorCode::InvalidArgument, message, "", page + " lists the messages"};
}

ClientRequest clientRequest(const std::string& line, const std::string& page)
{
    ClientRequest out;
    out.body = json::parse(line, nullptr, false);
    const json& message = out.body;
    if (!message.is_object() || !message.contains("type") || !message["type"].is_string()) {
        out.wrong = refusedRequest("A line that is no JSON object with a type was refused", page);
        return out;
    }
    out.type = message["type"].get<std::string>();
    if (message.contains("id") && message["id"].is_number_unsigned())
        out.id = message["id"].get<std::uint64_t>();
    if (out.type == "hello")
        out.wrong = refusedRequest("hello was said before", page);
    else if (out.type != "quit" && out.id == 0)
        out.wrong = refusedRequest("The request " + out.type + " has no id above 0", page);
    return out;
}

base::Status checkGreeting(const std::string& line, int version, const std::string& page)
{
    const json hello = json::parse(line, nullptr, false);
    if (!hello.is_object() || hello.value("type", json()) != json("hello"))
        return refusedRequest("The first line must be hello", page);
    const json theirs = hello.value("protocol", json());
    if (theirs != json(version))
        return Error{ErrorCode::InvalidArgument,
                     "The client speaks version " + (theirs.is_null() ? "none" : theirs.dump()) +
                         " of the protocol, this program version " + std::to_string(version),
                     "", "Install the same version on both sides"};
    return {};
}

} // namespace cudal1::decoder
