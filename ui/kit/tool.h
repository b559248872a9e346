// SPDX-License-Identifier: GPL-3.0-or-later
// Actions of a page or bar, and their buttons.
#pragma once

#include <QKeySequence>
#include <QString>

class QAction;
class QToolButton;
class QWidget;

namespace cudal1::ui {

/// An action of `owner`, whose tool tip names its key. `icon` as in Theme::icon; empty for none. Binding the key is the
/// caller's.
QAction* makeTool(QWidget* owner, const QString& icon, const QString& text, const QString& tip,
                  const QKeySequence& key = {});

/// A button that the Tab key reaches; hidden with its action. Whoever puts it into a layout owns it.
QToolButton* makeToolButton(QAction* action);

} // namespace cudal1::ui
