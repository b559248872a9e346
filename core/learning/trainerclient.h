// SPDX-License-Identifier: GPL-3.0-or-later
// The client's end of `cudal1-trainer` (core/protocol/training.h): one process, asked without waiting.
#pragma once

#include "core/base/result.h"
#include "core/farm/launcher.h"
#include "core/protocol/training.h"

#include <nlohmann/json.hpp>

#include <QObject>
#include <QTimer>

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>

namespace cudal1::farm {
class LineProcess;
}

namespace cudal1::learning {

/// The process is started by the first request and ended with the client. A training cannot go on with a trainer that
/// died or refused something, so every error is the last thing that is told: `failed` comes once, and no answer after
/// it. Lives on one thread with an event loop; never blocks, save for a second at its end.
class TrainerClient : public QObject {
    Q_OBJECT
public:
    /// $CUDAL1_TRAINER when set, else `cudal1-trainer` beside the running program.
    static farm::Launcher standardLauncher();
    explicit TrainerClient(farm::Launcher launcher = standardLauncher(), QObject* parent = nullptr);
    ~TrainerClient() override; ///< ends the process: quit, then terminate, then kill

    /// Called with each answer of a request: once for most, for each update of `sft` and `grpo`, for each reply of
    /// `generate`.
    using Answered = std::function<void(const nlohmann::json& answer)>;
    void open(const protocol::OpenTraining& request, Answered answered);
    void learn(const protocol::SftRequest& request, Answered answered);
    void learn(const protocol::GrpoRequest& request, Answered answered);
    void generate(const protocol::GenerateRequest& request, Answered answered);
    void save(const protocol::SaveRequest& request, Answered answered);

signals:
    void complained(const QString& line); ///< of the process's standard error
    void failed(const cudal1::base::Error& error);

private:
    struct Asked {
        Answered answered;
        int left = 1; ///< answers to come; of `sft` and `grpo` until the last is marked
    };

    void ask(std::string_view type, const nlohmann::json& payload, int answers, Answered answered);
    void start();
    void readLines();
    void take(const QByteArray& line);
    void takeAnswer(const std::string& type, const nlohmann::json& message);
    void ended(bool bySignal, int status);
    void fail(base::Error error);
    base::Error error(base::ErrorCode code, const std::string& what, const std::string& hint = {}) const;

    const farm::Launcher m_launcher;
    farm::LineProcess* m_process = nullptr;
    std::map<std::uint64_t, Asked> m_asked;
    std::uint64_t m_lastId = 0;
    int m_linesBefore = 0; ///< of its greeting
    bool m_greeted = false, m_failed = false;
    QTimer m_silence; ///< until its greeting
};

} // namespace cudal1::learning
