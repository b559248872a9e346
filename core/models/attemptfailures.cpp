// SPDX-License-Identifier: GPL-3.0-or-later
// Failures in words, with the next step, and whether to try again.
#include "core/models/attemptfailures.h"

#include "core/models/backoff.h"
#include "core/models/secret.h"

#include <QDateTime>
#include <QNetworkReply>

namespace cudal1::models {

namespace {

using base::ErrorCode;

std::string behind(const std::string& text, const std::string& more)
{
    return more.empty() ? text : text + ": " + more;
}

std::string keyHint(const EndpointSettings& settings)
{
    if (settings.keyInKeyring)
        return "Add the model again with --replace --key-keyring, and give the right key";
    if (!settings.keyVariable.empty())
        return "Put the right key into the environment variable " + settings.keyVariable;
    return "Add the model again with --replace and --key-env VAR, the environment variable that holds the key";
}

bool busy(int status)
{
    return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504 ||
           status == 529;
}

/// Whether the words of a failure in mid-stream are those of a server that is busy.
bool busy(const std::string& code)
{
    const int number = QString::fromStdString(code).toInt();
    return busy(number) || code == "rate_limit_exceeded" || code == "overloaded_error" || code == "server_error" ||
           code == "InternalServerError" || code == "internal_error";
}

/// The part of the request that the server refuses and can do without; null where it is another.
bool RequestForm::*unknownPart(int status, const ServerError& said)
{
    if (status == 400 && said.param == "max_tokens" && said.code == "unsupported_parameter")
        return &RequestForm::oldLimitName;
    if ((status == 400 || status == 422) && (said.param + ".").starts_with("stream_options."))
        return &RequestForm::countedStream;
    return nullptr;
}

} // namespace

base::Error AttemptFailures::error(ErrorCode code, const std::string& message, const std::string& hint) const
{
    const std::string where = requestUrl(m_settings).toDisplayString(QUrl::RemoveQuery).toStdString();
    return {code, m_key.scrubbed(message), m_settings.name + ", " + where, hint};
}

AttemptOutcome AttemptFailures::refused(const QNetworkReply& reply, std::string_view body) const
{
    const int code = reply.attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    const ServerError said = serverError(body);
    const std::string number = " (" + std::to_string(code) + ")";
    AttemptOutcome out;
    if (code == 401 || code == 403) {
        const bool none = m_key.empty();
        out.error = error(ErrorCode::InvalidArgument,
                          (none ? "The server wants a key" : "The server does not accept the key") + number,
                          keyHint(m_settings));
    } else if (code == 404) {
        out.error = error(
            ErrorCode::NotFound,
            behind("The server has no model " + m_settings.model + ", or nothing at this URL" + number, said.message),
            "Check the model's id and the URL; most end in /v1");
    } else if (code >= 300 && code < 400) {
        const QUrl target = reply.header(QNetworkRequest::LocationHeader).toUrl();
        out.error = error(ErrorCode::InvalidArgument,
                          behind("The server sends to another URL" + number,
                                 target.toDisplayString(QUrl::RemoveQuery | QUrl::RemoveUserInfo).toStdString()),
                          "Set that URL, if you trust it with your prompts and your key");
    } else if (busy(code) && said.code != "insufficient_quota") {
        const std::string what = code == 429 ? "The server has too many requests" : "The server cannot answer now";
        out.error = error(ErrorCode::Unavailable, behind(what + number, said.message),
                          "Try again later, or ask for less at a time (--parallel)");
        out.again = AttemptOutcome::Again::Yes;
        out.asked = retryAfter(reply.rawHeader("Retry-After"), QDateTime::currentDateTimeUtc());
    } else if (code == 402 || code == 429) {
        out.error = error(ErrorCode::Unavailable, behind("The account at the server is used up" + number, said.message),
                          "Look at the account");
    } else if (bool RequestForm::*const unknown = unknownPart(code, said)) {
        out.error = error(ErrorCode::InvalidArgument, behind("The server refuses the request" + number, said.message));
        out.again = AttemptOutcome::Again::InAnotherForm;
        out.unknown = unknown;
    } else if (code < 500) {
        out.error = error(ErrorCode::InvalidArgument, behind("The server refuses the request" + number, said.message),
                          "Check the model's id and its sampling settings");
    } else {
        out.error = error(ErrorCode::Unavailable, behind("The server has failed" + number, said.message),
                          "Look at the server's log");
    }
    return out;
}

AttemptOutcome AttemptFailures::midStream(const ServerError& said) const
{
    const bool again = busy(said.code);
    AttemptOutcome out;
    out.error = error(again ? ErrorCode::Unavailable : ErrorCode::ProcessFailed,
                      behind("The server gives up in the middle of its answer", said.message),
                      "Look at the server's log");
    out.again = again ? AttemptOutcome::Again::Yes : AttemptOutcome::Again::No;
    return out;
}

AttemptOutcome AttemptFailures::network(const QNetworkReply& reply, bool begun) const
{
    AttemptOutcome out;
    out.again = AttemptOutcome::Again::Yes;
    const std::string why = reply.errorString().toStdString();
    switch (reply.error()) {
    case QNetworkReply::ConnectionRefusedError:
        out.error = error(ErrorCode::Unavailable, "No server answers at this URL: the connection was refused",
                          "Start the server, or check host and port");
        break;
    case QNetworkReply::HostNotFoundError:
        out.error = error(ErrorCode::Unavailable, "The host of the URL is not known", "Check the URL and the network");
        break;
    case QNetworkReply::SslHandshakeFailedError:
        out.error = error(ErrorCode::Unavailable, "There is no safe connection to the server: " + why,
                          "Check its certificate, and whether the URL is https:// or http://");
        out.again = AttemptOutcome::Again::No;
        break;
    case QNetworkReply::ProtocolUnknownError:
    case QNetworkReply::ProtocolInvalidOperationError:
    case QNetworkReply::ProxyAuthenticationRequiredError:
    case QNetworkReply::ProxyNotFoundError:
        out.error = error(ErrorCode::Unavailable, "The server cannot be reached: " + why, "Check URL and proxy");
        out.again = AttemptOutcome::Again::No;
        break;
    default:
        out.error = error(
            ErrorCode::Unavailable,
            (begun ? "The connection broke in the middle of an answer: " : "The connection broke before an answer: ") +
                why,
            "Look at the server's log");
        break;
    }
    return out;
}

} // namespace cudal1::models
