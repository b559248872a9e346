// SPDX-License-Identifier: GPL-3.0-or-later
// A small question to a language model, to see whether it answers and how fast, without waiting.
#pragma once

#include "core/models/endpointsettings.h"
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
    void start(const models::EndpointSettings& settings);
    void stop(); ///< nothing follows
    bool isRunning() const { return bool(m_question); }

signals:
    /// "Answers after 1.2 s, first words after 0.3 s, 45 tokens a second. It streams.", or what is wrong and the next
    /// step.
    void ended(bool good, const QString& text);

private:
    std::unique_ptr<policy::ChatModel> m_model;
    std::unique_ptr<policy::Question> m_question;
    quint64 m_number = 0; ///< of the test
};

} // namespace cudal1::ui
