// SPDX-License-Identifier: GPL-3.0-or-later
// The judge as an environment for reinforcement learning: an episode is one task, a step one candidate for it. Messages
// and fields are those of OpenEnv, so that its clients connect as they are; docs/serving.md lists them.
#pragma once

#include "core/serve/judgeservice.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace cudal1::serve {

/// One client's way through a task. Lives on the service's thread.
class Episode {
public:
    static constexpr int mostSteps = 1000;

    Episode(JudgeService& service, const TaskBook& book, std::string client);
    ~Episode(); ///< takes back the step that is under way

    const std::string& id() const { return m_id; }
    bool isBegun() const { return m_begun; }
    bool isBusy() const { return m_ticket != 0; }

    /// {"observation", "reward", "done"} of the beginning. `fields`: "task" or "reference" (default: one of the
    /// training split, drawn by "seed"), "episode_id", "max_steps", "seed", "device", "preset", "precision". Ends a
    /// step that is under way.
    base::Result<nlohmann::json> reset(const nlohmann::json& fields);
    using Reply = std::function<void(const base::Result<nlohmann::json>&)>;
    /// Judges "source" or the code in "reply"; the reply comes from the event loop, or at once for what is refused. A
    /// reply without code is a step with reward 0. InvalidArgument before reset(), after the last step and while
    /// another step is under way.
    void step(const nlohmann::json& action, Reply reply);
    void takeBack(); ///< the step under way: it is not judged, and its reply does not come
    nlohmann::json state() const;

    static nlohmann::json metadata();
    static nlohmann::json schema(); ///< JSON schemas of action, observation and state

private:
    base::Result<store::TaskRecord> drawnTask(std::uint64_t seed) const;
    nlohmann::json observation() const;
    nlohmann::json result() const;
    void take(const JudgeAnswer& answer);

    JudgeService& m_service;
    const TaskBook& m_book;
    std::string m_client, m_id;
    bool m_begun = false;
    Ask m_ask; ///< task and settings
    int m_steps = 0, m_mostSteps = 8;
    TicketId m_ticket = 0;
    std::optional<JudgeAnswer> m_last; ///< of the newest step
    std::string m_problem;             ///< why that had nothing to judge
    std::optional<double> m_reward, m_best;
};

} // namespace cudal1::serve
