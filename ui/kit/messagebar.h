// SPDX-License-Identifier: GPL-3.0-or-later
// Where the window says what went wrong and what to do next, without a dialog.
#pragma once

#include "core/base/result.h"

#include <QFrame>

#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace cudal1::ui {

struct Message {
    enum class Kind { Error, Warning, Info };
    struct Action {
        QString text;
        std::function<void()> run; ///< the message is dismissed afterwards
    };
    Kind kind = Kind::Error;
    QString cause;    ///< one sentence
    QString nextStep; ///< may be empty
    QString details;  ///< for "Copy details"; may be empty
    std::vector<Action> actions;

    static Message fromError(const base::Error& error, std::vector<Action> actions = {});
};

/// Shows one message at a time, the newest; dismissing it brings back the one before. A message with the same cause as
/// one that is waiting takes its place.
class MessageBar : public QFrame {
    Q_OBJECT
public:
    explicit MessageBar(QWidget* parent = nullptr);

    void add(Message message);
    void dismiss();
    void retract(const QString& cause); ///< what is no longer so, shown or waiting
    void clear();
    int count() const { return int(m_messages.size()); }
    /// Cause and next step of the message shown; empty when there is none.
    QString text() const;

private:
    void showNewest();

    std::vector<Message> m_messages;
    QLabel* m_icon;
    QLabel* m_text;
    QLabel* m_more;
    QWidget* m_actions;
    QPushButton* m_copy;
    QToolButton* m_close;
};

} // namespace cudal1::ui
