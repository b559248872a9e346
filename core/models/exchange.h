// SPDX-License-Identifier: GPL-3.0-or-later
// One attempt to get one reply: a request over HTTP and what became of it.
#pragma once

#include "core/models/attemptfailures.h"
#include "core/models/chatwire.h"

#include <QObject>
#include <QPointer>
#include <QTimer>
#include <QUrl>

#include <functional>
#include <optional>

class QNetworkAccessManager;
class QNetworkReply;

namespace cudal1::models {

class Secret;

/// Begins when it is made, on a thread with an event loop, and ends with one call of `ended`; never within the
/// constructor. Destroying it closes the connection and nothing is called any more; it may be destroyed from within
/// both calls. Errors have no key in them.
class Exchange : public QObject {
public:
    struct Calls {
        std::function<void(const std::string& text)> partial;
        std::function<void(AttemptOutcome outcome)> ended;
    };
    /// `key` and `settings` must outlive it. `most_s` caps the time of the whole reply.
    Exchange(QNetworkAccessManager& network, const EndpointSettings& settings, const Secret& key,
             const std::string& body, std::optional<double> most_s, Calls calls);
    ~Exchange() override;

private:
    void sent();
    void received();
    void closed();
    void fail(base::Error error, AttemptOutcome::Again again);
    void succeed();
    void end(AttemptOutcome outcome);

    int status() const; ///< of HTTP; 0 before there is one
    /// Whether as much came as the head of the answer promised. Qt now and then reports no error where less did.
    bool cameWhole() const;

    const EndpointSettings& m_settings;
    const AttemptFailures m_failures;
    Calls m_calls;
    QPointer<QNetworkReply> m_reply;
    QTimer m_connecting, m_silence, m_whole;
    AnswerReader m_reader;
    QByteArray m_refusal; ///< the body of an answer that is no success, its beginning
    qint64 m_bytes = 0;
    bool m_ended = false;
};

} // namespace cudal1::models
