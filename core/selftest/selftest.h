// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a plan through evaluators of its own, with several requests on their way at a time, and judges the answers.
//
// Lives on one thread with an event loop. Stores nothing. An evaluator that dies is started anew: what was with it is
// judged alone, so that the blame falls on the right program. Evaluators are exchanged (which waits up to a second)
// after whatever may have left them other than they were.
#pragma once

#include "core/farm/launcher.h"
#include "core/selftest/plan.h"
#include "core/selftest/rule.h"

#include <QObject>

#include <memory>
#include <vector>

namespace cudal1::selftest {

/// A check and what came of it.
struct CheckRow {
    Check check;
    Judgement answer; ///< the one that decided
    Finding finding;
    int evaluations = 0; ///< without that of the honest form
    double seconds = 0;  ///< of its evaluations, from each request to its answer
};

/// Sent at most every 50 ms.
struct SelfTestProgress {
    int done = 0, planned = 0;
    double fraction = 0;
    double secondsLeft = -1; ///< -1 while unknown
    bool guessed = false;    ///< nothing is judged yet: secondsLeft is by what is usual
    std::string text;        ///< "c01/1_pointer_memo"
};

enum class Ended { Finished, Stopped, Failed };

class SelfTest : public QObject {
    Q_OBJECT
public:
    /// How its evaluators are started.
    explicit SelfTest(farm::Launcher launcher, QObject* parent = nullptr);
    ~SelfTest() override;

    void start(const SelfTestOptions& options, SelfTestPlan plan);
    /// Ends within a second or two; `finished` follows with Ended::Stopped.
    void stop();
    bool isRunning() const;
    /// In the order of the plan; complete after Ended::Finished.
    const std::vector<CheckRow>& rows() const;
    /// Why the machine cannot; meaningful after Ended::Failed.
    const base::Error& error() const;

    /// Requests that an evaluator knows at a time.
    static constexpr int ahead = 4;

signals:
    void log(const QString& line); ///< for a person, one line
    void progress(const cudal1::selftest::SelfTestProgress& progress);
    void rowReady(const cudal1::selftest::CheckRow& row);
    void finished(cudal1::selftest::Ended how);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace cudal1::selftest
