// SPDX-License-Identifier: GPL-3.0-or-later
// What a server has done, as Prometheus reads it.
#pragma once

#include "core/serve/httpserver.h"
#include "core/serve/judgeservice.h"

#include <QElapsedTimer>
#include <QObject>

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace cudal1::serve {

/// Counts what the service signals; lives on its thread.
class Metrics {
public:
    Metrics(const JudgeService& service, const HttpServer& server);

    /// The text format of version 0.0.4.
    std::string text() const;

private:
    static constexpr std::array<double, 10> bounds_s{1, 2, 5, 10, 20, 30, 60, 120, 300, 1200};

    const JudgeService& m_service;
    const HttpServer& m_server;
    QObject m_connections; ///< ends what is connected below with this object
    QElapsedTimer m_started;
    std::map<std::string, std::uint64_t> m_verdicts, m_refused;
    std::array<std::uint64_t, bounds_s.size()> m_within{};
    std::uint64_t m_judged = 0, m_shared = 0, m_fromStore = 0, m_notStored = 0;
    double m_seconds = 0;
};

} // namespace cudal1::serve
