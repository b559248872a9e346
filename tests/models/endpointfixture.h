// SPDX-License-Identifier: GPL-3.0-or-later
// An endpoint before a scripted server, with a clock of retries that the test sees.
#pragma once

#include "core/models/endpoint.h"
#include "tests/models/scriptedserver.h"

#include <QDeadlineTimer>
#include <QTest>

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace cudal1::tests {

inline constexpr int deadline_ms = 30'000;

/// What became of each reply of a question.
struct Replies {
    std::map<int, int> told; ///< times that `replied` was called
    std::map<int, base::Result<policy::ChatReply>> results;
    std::map<int, std::string> partial;
    std::map<int, int> pieces, restarts;

    policy::ChatListener listener()
    {
        return {[this](int reply, const std::string& text) {
                    partial[reply] += text;
                    ++pieces[reply];
                },
                [this](int reply, base::Result<policy::ChatReply> result) {
                    ++told[reply];
                    results.insert_or_assign(reply, std::move(result));
                },
                [this](int reply) {
                    partial[reply].clear();
                    ++restarts[reply];
                }};
    }
    const policy::ChatReply& good(int reply = 0) const { return *results.at(reply); }
    const base::Error& bad(int reply = 0) const { return results.at(reply).error(); }
    bool isGood(int reply = 0) const { return results.contains(reply) && results.at(reply).ok(); }
};

/// Retries begin at once; the pauses that they would have taken are kept.
struct SeenPauses {
    std::vector<std::int64_t> pauses_ms;
    models::RetryClock clock()
    {
        return {[this](std::chrono::milliseconds pause, QObject* context, std::function<void()> then) {
                    pauses_ms.push_back(pause.count());
                    QTimer::singleShot(0, context, std::move(then));
                },
                [] { return 0.0; }};
    }
};

inline models::EndpointSettings settingsOf(const ScriptedServer& server)
{
    models::EndpointSettings out;
    out.name = "tiny";
    out.url = server.url();
    out.model = "tiny-model";
    out.patience.connect_s = out.patience.silence_s = out.patience.reply_s = 25;
    return out;
}

inline policy::ChatRequest question(int replies = 1)
{
    policy::ChatRequest out;
    out.messages = {{"system", "Be short."}, {"user", "Write a kernel."}};
    out.replies = replies;
    return out;
}

/// Handles events as they come; QTest::qWaitFor sleeps between them.
inline bool waitUntil(const std::function<bool()>& condition, int limit_ms = deadline_ms)
{
    const QDeadlineTimer limit(limit_ms);
    QTimer wake; // so that the limit is seen when nothing happens
    wake.start(100);
    while (!condition() && !limit.hasExpired())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    return condition();
}

/// Waits until each of `replies` was told, and then for what would come too often.
inline bool allTold(const Replies& replies, int number)
{
    if (!waitUntil([&] { return int(replies.told.size()) == number; }))
        return false;
    QCoreApplication::processEvents();
    return std::all_of(replies.told.begin(), replies.told.end(), [](const auto& one) { return one.second == 1; });
}

} // namespace cudal1::tests
