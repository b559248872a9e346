// SPDX-License-Identifier: GPL-3.0-or-later
// A request over QNetworkAccessManager with its limits of waiting.
#include "core/models/exchange.h"

#include "core/base/bytestext.h"
#include "core/base/timetext.h"
#include "core/models/secret.h"

#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QNetworkRequest>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace cudal1::models {

namespace {

using base::Error;
using base::ErrorCode;

constexpr qint64 longestRefusal_bytes = 64 << 10;
/// A stream that has said [DONE] is done, whether or not the server closes it.
constexpr int afterDone_ms = 1000;

int ms(double seconds)
{
    return int(std::clamp(std::ceil(seconds * 1000), 1.0, 2e9));
}

QNetworkRequest requestFor(const EndpointSettings& settings, const Secret& key)
{
    QNetworkRequest request(requestUrl(settings));
    request.setHeader(QNetworkRequest::ContentTypeHeader, QStringLiteral("application/json"));
    request.setHeader(QNetworkRequest::UserAgentHeader, QStringLiteral("cudal1-workbench"));
    request.setRawHeader("Accept", "text/event-stream, application/json");
    if (!key.empty())
        request.setRawHeader("Authorization", "Bearer " + QByteArray::fromStdString(key.reveal()));
    // A redirection would take the key to another server, and make a GET of the request.
    request.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    request.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::CacheLoadControlAttribute, QNetworkRequest::AlwaysNetwork);
    request.setAttribute(QNetworkRequest::CacheSaveControlAttribute, false);
    // One connection for all requests would let one that is lost take all others with it.
    request.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
    // Patience::longestAnswer_bytes is what keeps a packed answer small.
    request.setDecompressedSafetyCheckThreshold(-1);
    return request;
}

} // namespace

Exchange::Exchange(QNetworkAccessManager& network, const EndpointSettings& settings, const Secret& key,
                   const std::string& body, std::optional<double> most_s, Calls calls)
    : m_settings(settings), m_failures(settings, key), m_calls(std::move(calls))
{
    m_reply = network.post(requestFor(settings, key), QByteArray::fromStdString(body));
    for (QTimer* timer : {&m_connecting, &m_silence, &m_whole})
        timer->setSingleShot(true);
    m_whole.setTimerType(Qt::PreciseTimer); // not before the limit of a run, which is asked for then
    const Patience& patience = settings.patience;
    const double whole_s = std::min(patience.reply_s, std::max(0.001, most_s.value_or(patience.reply_s)));
    connect(m_reply, &QNetworkReply::requestSent, this, &Exchange::sent);
    connect(m_reply, &QNetworkReply::readyRead, this, &Exchange::received);
    connect(m_reply, &QNetworkReply::finished, this, &Exchange::closed);
    connect(&m_connecting, &QTimer::timeout, this, [this] {
        fail(m_failures.error(ErrorCode::TimedOut,
                              "The server took no request within " + base::durationText(m_settings.patience.connect_s),
                              "Check the URL and that the server runs"),
             AttemptOutcome::Again::Yes);
    });
    connect(&m_silence, &QTimer::timeout, this, [this] {
        if (m_reader.complete())
            succeed();
        else
            fail(m_failures.error(ErrorCode::TimedOut,
                                  "The server sent nothing for " + base::durationText(m_settings.patience.silence_s),
                                  "Look at what it is doing, or raise the limit (--silence-limit)"),
                 AttemptOutcome::Again::Once);
    });
    connect(&m_whole, &QTimer::timeout, this, [this, whole_s] {
        fail(m_failures.error(ErrorCode::TimedOut, "The reply was not done within " + base::durationText(whole_s),
                              "Allow fewer tokens (--max-tokens) or more time (--reply-limit)"),
             AttemptOutcome::Again::No);
    });
    m_connecting.start(ms(patience.connect_s));
    m_whole.start(ms(whole_s));
}

Exchange::~Exchange()
{
    if (!m_reply)
        return;
    m_reply->disconnect(this);
    m_reply->abort(); // closes the connection unless the answer has come to its end
    m_reply->deleteLater();
}

int Exchange::status() const
{
    return m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
}

void Exchange::sent()
{
    m_connecting.stop();
    m_silence.start(ms(m_settings.patience.silence_s));
}

void Exchange::received()
{
    if (m_ended)
        return;
    m_connecting.stop();
    m_silence.start(m_reader.complete() ? afterDone_ms : ms(m_settings.patience.silence_s));
    const QByteArray bytes = m_reply->readAll();
    m_bytes += bytes.size();
    if (const qint64 most = m_settings.patience.longestAnswer_bytes; m_bytes > most)
        return fail(m_failures.error(ErrorCode::ProcessFailed,
                                     "The answer is longer than " + base::bytesText(double(most)) +
                                         " and was not read any further",
                                     "Set a limit of tokens (--max-tokens)"),
                    AttemptOutcome::Again::No);
    if (status() != 200) {
        m_refusal += bytes.left(longestRefusal_bytes - m_refusal.size());
        return;
    }
    const auto added = m_reader.feed({bytes.constData(), std::size_t(bytes.size())});
    if (!added) {
        AttemptOutcome out;
        out.error = m_failures.error(added.error().code, added.error().message, added.error().hint);
        if (m_reader.told())
            out = m_failures.midStream(*m_reader.told());
        else if (!added.error().context.empty())
            out.error = m_failures.error(added.error().code, added.error().message + ": " + added.error().context,
                                         added.error().hint);
        return end(std::move(out));
    }
    if (m_reader.complete())
        m_silence.start(afterDone_ms);
    if (added->empty() || !m_calls.partial)
        return;
    const QPointer<Exchange> here(this); // the call may destroy this exchange
    const auto partial = m_calls.partial;
    for (const std::string& piece : *added) {
        partial(piece);
        if (!here)
            return;
    }
}

void Exchange::closed()
{
    if (m_ended)
        return;
    const QPointer<Exchange> here(this);
    received();
    if (!here || m_ended)
        return;
    if (status() != 0 && status() != 200)
        return end(m_failures.refused(*m_reply, {m_refusal.constData(), std::size_t(m_refusal.size())}));
    const bool noError = m_reply->error() == QNetworkReply::NoError;
    if (status() == 200 && (m_reader.complete() || (noError && cameWhole())))
        return succeed();
    // A reply whose end has come is whole, however the connection ended.
    auto whole = m_reader.finish(false);
    if (status() == 200 && whole) {
        AttemptOutcome out;
        out.reply = std::move(*whole);
        return end(std::move(out));
    }
    if (status() == 200 && noError)
        return fail(m_failures.error(whole.error().code, whole.error().message, whole.error().hint),
                    AttemptOutcome::Again::Yes);
    end(m_failures.network(*m_reply, m_bytes > 0));
}

bool Exchange::cameWhole() const
{
    const QVariant promised = m_reply->header(QNetworkRequest::ContentLengthHeader);
    return !promised.isValid() || m_bytes >= promised.toLongLong();
}

void Exchange::succeed()
{
    const bool wasStream = m_reader.isStream();
    auto reply = m_reader.finish(true);
    if (!reply) {
        const Error& why = reply.error();
        return fail(m_failures.error(why.code, why.message + (why.context.empty() ? "" : ": " + why.context), why.hint),
                    m_reader.brokenOff() ? AttemptOutcome::Again::Yes : AttemptOutcome::Again::No);
    }
    if (!wasStream && m_calls.partial && !reply->text.empty()) {
        const QPointer<Exchange> here(this);
        const auto partial = m_calls.partial;
        partial(reply->text);
        if (!here)
            return;
    }
    AttemptOutcome out;
    out.reply = std::move(*reply);
    end(std::move(out));
}

void Exchange::fail(Error error, AttemptOutcome::Again again)
{
    AttemptOutcome out;
    out.error = std::move(error);
    out.again = again;
    end(std::move(out));
}

void Exchange::end(AttemptOutcome outcome)
{
    if (std::exchange(m_ended, true))
        return;
    for (QTimer* timer : {&m_connecting, &m_silence, &m_whole})
        timer->stop();
    outcome.textBytes = m_reader.textBytes();
    const auto ended = std::move(m_calls.ended);
    ended(std::move(outcome));
}

} // namespace cudal1::models
