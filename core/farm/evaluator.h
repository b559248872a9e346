// SPDX-License-Identifier: GPL-3.0-or-later
// One evaluator process, wherever its launch command puts it, as an object with signals.
//
// Lives on the thread that made it and needs its event loop. Requests are queued by the process in the order sent; each
// gets exactly one final signal (answered or failed), also when the process dies: then every open request fails with
// ErrorCode::ProcessFailed and `stopped` follows.
#pragma once

#include "core/base/result.h"
#include "core/farm/answer.h"
#include "core/farm/launcher.h"
#include "core/protocol/messages.h"

#include <QByteArray>
#include <QObject>

#include <memory>

namespace cudal1::farm {

/// A seed for an evaluation that was asked for without one. Not the same for everybody, or candidates could learn it;
/// exact as a number in every JSON reader.
std::uint64_t freshSeed();

using RequestId = quint64;

class Evaluator : public QObject {
    Q_OBJECT
public:
    explicit Evaluator(Launcher launcher, QObject* parent = nullptr);
    ~Evaluator() override; ///< ends the process: quit, then terminate, then kill

    /// Starts the process and says hello; `ready` or `stopped` follows, within two minutes where the launcher may not
    /// wait, else whenever the evaluator is there. A second call while running does nothing.
    void start();
    const Launcher& launcher() const;
    bool isReady() const;
    const protocol::Hello& hello() const;
    /// The last 64 KiB that the process wrote to its standard error; kept after its end, until the next start.
    QByteArray standardError() const;

    /// A request may be made before `ready`; it is sent then. `start` is implied.
    RequestId ask(const Request& request);
    /// Ends a request within a second: the final signal is an evaluation with the verdict Cancelled, or
    /// failed(Cancelled).
    void cancel(RequestId id);

signals:
    void ready();
    /// Until `ready`, where the launcher may wait: after 10 and 30 seconds, and then every minute.
    void waiting(double seconds);
    void progress(quint64 id, const cudal1::protocol::Progress& progress);
    /// The answer's type follows from the request's.
    void answered(quint64 id, const cudal1::farm::Answer& answer);
    void failed(quint64 id, const cudal1::base::Error& error);
    /// The process ended; `error` says why (code Cancelled after an orderly quit). `start` may be called again.
    void stopped(const cudal1::base::Error& error);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace cudal1::farm
