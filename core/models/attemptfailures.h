// SPDX-License-Identifier: GPL-3.0-or-later
// What statuses of HTTP and failures of the network mean for an attempt to get a reply.
#pragma once

#include "core/models/chatwire.h"

#include <chrono>
#include <optional>
#include <string>

class QNetworkReply;

namespace cudal1::models {

class Secret;

/// How an attempt ended.
struct AttemptOutcome {
    std::optional<policy::ChatReply> reply; ///< empty: it failed
    base::Error error;                      ///< of one that failed
    /// Whether another attempt may end better.
    enum class Again { No, Once, Yes, InAnotherForm } again = Again::No;
    bool RequestForm::*unknown = nullptr;           ///< with InAnotherForm: what the server does not know
    std::optional<std::chrono::milliseconds> asked; ///< the pause that the server asks for
    std::size_t textBytes = 0;                      ///< of the reply that had come; servers charge for it
};

/// The failures of an endpoint in words, none of which has the key in it.
class AttemptFailures {
public:
    /// Both must outlive it.
    AttemptFailures(const EndpointSettings& settings, const Secret& key) : m_settings(settings), m_key(key) {}

    base::Error error(base::ErrorCode code, const std::string& message, const std::string& hint = {}) const;
    /// Of an answer whose status is not 200. What the server says is passed on, except beside a key that it does not
    /// accept: some servers quote parts of it.
    AttemptOutcome refused(const QNetworkReply& reply, std::string_view body) const;
    /// An error that came in the middle of a stream of status 200.
    AttemptOutcome midStream(const ServerError& said) const;
    /// `begun`: bytes of an answer had come.
    AttemptOutcome network(const QNetworkReply& reply, bool begun) const;

private:
    const EndpointSettings& m_settings;
    const Secret& m_key;
};

} // namespace cudal1::models
