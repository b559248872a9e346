// SPDX-License-Identifier: GPL-3.0-or-later
// The client's end of `cudal1-model` (docs/localmodel.md): one process, any number of questions.
#pragma once

#include "core/farm/launcher.h"
#include "core/models/localjob.h"
#include "core/models/localsettings.h"
#include "core/models/sharedclock.h"
#include "core/protocol/localmodelmessages.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

namespace cudal1::farm {
class LineProcess;
}

namespace cudal1::models {

/// Started by the first question and again by the next one after its death, ended with the last model that uses it.
///
/// A process that is killed while replies are on their way: they are asked for once more in a new one, each with its
/// own seed, and `restarted` is told of those that had begun. Any other end, and a second death, is an error of each
/// reply that was still to come, with the process's last words. Loading has no deadline: listeners are told that it
/// lasts. For LocalModel alone; held by shared pointers, since a listener may destroy models while it is told
/// something.
class ModelProcess : public QObject {
public:
    ~ModelProcess() override;
    /// The one of this thread for these settings of process and this command, while somebody holds it; else a new one.
    static std::shared_ptr<ModelProcess> of(const LocalSettings& settings, const farm::Launcher& launcher);

    void add(const std::shared_ptr<LocalQuestion>& question);
    /// Nothing of it is told any more, and what the model still writes of it is cancelled.
    void takeBack(LocalQuestion& question);
    void takeBackAll(const void* owner);
    /// What the process says of its model; empty until it is loaded.
    const std::optional<protocol::ModelFacts>& facts() const { return m_facts; }

private:
    enum class State { Idle, Starting, Loading, Ready, Ending };
    using Jobs = std::map<std::uint64_t, LocalJob>;

    ModelProcess(std::string name, QStringList arguments, std::string unit, farm::Launcher launcher);

    static QByteArray lineOf(std::string_view type, std::uint64_t id, const nlohmann::json& payload);
    void addJob(std::shared_ptr<LocalQuestion> question, int first, std::size_t replies);
    void pumpLater();
    void pump();
    void start();
    void send(std::uint64_t id, LocalJob& job);
    void readLines();
    void take(const QByteArray& line);
    void takeGreeting(const nlohmann::json& message);
    void takeFacts(const nlohmann::json& message);
    void takePart(std::uint64_t id, const protocol::ReplyPart& part);
    void takeReply(std::uint64_t id, protocol::GeneratedReply reply);
    void takeError(std::uint64_t id, base::Error error);
    void ended(bool bySignal, int status);
    void endWith(base::Error error);
    void conclude(const base::Error& why, bool again);
    void askAgain(LocalJob&& job);
    void failJob(LocalJob&& job, const base::Error& why);
    void cancel(std::uint64_t id);
    void checkTime();
    void tellWaiting(const std::string& text);
    void tell(const std::function<void()>& told);
    base::Error error(base::ErrorCode code, const std::string& what, const std::string& hint = {}) const;

    const std::string m_name; ///< of the model, for sentences
    const QStringList m_arguments;
    const std::string m_unit;
    const farm::Launcher m_launcher;
    State m_state = State::Idle;
    farm::LineProcess* m_process = nullptr;
    std::optional<protocol::ModelFacts> m_facts;
    std::optional<base::Error> m_why; ///< of the end that is on its way
    Jobs m_jobs;                      ///< by the id of their requests
    std::uint64_t m_lastId = 0, m_infoId = 0;
    int m_linesBefore = 0; ///< of its greeting
    int m_telling = 0;     ///< listeners that are being told something
    bool m_pumping = false;
    QTimer m_news;
    QElapsedTimer m_started;
    SharedClock m_clock; ///< of the device, shared among the replies that are on their way
};

} // namespace cudal1::models
