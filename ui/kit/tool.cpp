// SPDX-License-Identifier: GPL-3.0-or-later
// Actions with a tip and their buttons.
#include "ui/kit/tool.h"

#include "ui/kit/theme.h"

#include <QAction>
#include <QToolButton>

namespace cudal1::ui {

QAction* makeTool(QWidget* owner, const QString& icon, const QString& text, const QString& tip, const QKeySequence& key)
{
    auto* action = new QAction(text, owner);
    action->setToolTip(key.isEmpty() ? tip
                                     : QStringLiteral("%1 (%2)").arg(tip, key.toString(QKeySequence::NativeText)));
    if (!icon.isEmpty())
        action->setIcon(Theme::instance().icon(icon));
    owner->addAction(action);
    return action;
}

QToolButton* makeToolButton(QAction* action)
{
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setAccessibleName(action->text());
    button->setFocusPolicy(Qt::TabFocus);
    // A button shows a hidden action as one that is disabled; it has to go with it.
    QObject::connect(action, &QAction::changed, button, [action, button] { button->setVisible(action->isVisible()); });
    return button;
}

} // namespace cudal1::ui
