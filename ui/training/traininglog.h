// SPDX-License-Identifier: GPL-3.0-or-later
// What a training has to say: how its legs began and ended, checkpoints, what was left out, and the trainer's messages.
#pragma once

#include "core/learning/steplog.h"

#include <QPlainTextEdit>

namespace cudal1::ui {

class TrainingLog : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit TrainingLog(QWidget* parent = nullptr);

    /// Stays where it is, and at the end where it was there. `note` stands in place of messages where there are none.
    void setMessages(const std::vector<learning::LoggedMessage>& messages, const QString& note);

private:
    void applyTheme();
};

} // namespace cudal1::ui
