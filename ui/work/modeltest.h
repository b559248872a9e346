// SPDX-License-Identifier: GPL-3.0-or-later
// A small question to a language model, to see whether it answers and how fast, without waiting; of a coding agent,
// whether its program starts.
#pragma once

#include "core/agents/agenttrial.h"
#include "core/models/modelregistry.h"
#include "core/policy/chatmodel.h"

#include <QObject>
#include <QString>

#include <memory>

namespace cudal1::ui {

/// One test at a time; another one takes back the one before.
class ModelTest : public QObject {
    Q_OBJECT
public:
    explicit ModelTest(QObject* parent = nullptr);
    ~ModelTest() override;

    /// `ended` follows, from the event loop.
    void start(const models::NamedModel& settings);
    void stop(); ///< nothing follows
    bool isRunning() const { return m_question || m_agent; }

signals:
    /// "Answers after 1.2 s, first words after 0.3 s, 45 tokens a second. It streams.", or what is wrong and the next
    /// step.
    void ended(bool good, const QString& text);

private:
    void tryAgent(const models::AgentSettings& settings);

    std::unique_ptr<policy::ChatModel> m_model;
    std::unique_ptr<policy::Question> m_question;
    std::unique_ptr<agents::AgentTrial> m_agent;
    quint64 m_number = 0; ///< of the test
};

} // namespace cudal1::ui
