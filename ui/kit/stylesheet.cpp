// SPDX-License-Identifier: GPL-3.0-or-later
// The style sheet: placeholders @role and $n (n steps of the grid) are filled in from the theme.
#include "ui/kit/stylesheet.h"

#include "ui/kit/theme.h"

#include <QMetaEnum>
#include <QRegularExpression>

#include <utility>

namespace cudal1::ui {

namespace {

constexpr const char* text = R"(
QMainWindow, QDialog { background: @window; }
QToolTip { background: @raised; color: @text; border: 1px solid @border; padding: $1; }

QMenuBar { background: @raised; padding: 0 $1; border: none; }
QMenuBar::item { padding: $1 $2; border-radius: $1; background: transparent; }
QMenuBar::item:selected { background: @hover; }
QMenu { background: @surface; border: 1px solid @border; padding: $1; }
QMenu::item { padding: $1 $7 $1 $6; border-radius: $1; }
QMenu::item:selected { background: @selected; color: @text; }
QMenu::item:disabled { color: @disabled; }
QMenu::separator { height: 1px; background: @border; margin: $1 $2; }
QMenu::icon { padding-left: $2; }

QToolBar { background: @raised; border: none; border-bottom: 1px solid @border; padding: $1 $2; spacing: $1; }
QToolBar#dockStrip { border-bottom: none; border-right: 1px solid @border; padding: $2 $1; }
QToolBar::separator { width: 1px; background: @border; margin: $1 $1; }
QStatusBar { background: @raised; border-top: 1px solid @border; color: @muted; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: @muted; padding: 0 $1; }

QToolButton { border: 1px solid transparent; border-radius: $1; padding: $1; background: transparent; }
QToolButton:hover { background: @hover; }
QToolButton:pressed, QToolButton:checked { background: @selected; }
QToolButton:focus { border-color: @accent; }
QToolButton:disabled { color: @disabled; }
QToolButton::menu-indicator { image: none; }
QToolButton[popupMode="1"] { padding-right: $5; }
QToolButton::menu-button { border: none; border-left: 1px solid @border; width: $4; border-top-right-radius: $1; border-bottom-right-radius: $1; }
QToolButton[class="chooser"] { background: @surface; border: 1px solid @border; padding: $1 $2; text-align: left; }
QToolButton[class="chooser"]:hover { border-color: @muted; }
QToolButton[class="link"] { color: @muted; padding: 2px 0; text-align: left; }
QToolButton[class="link"]:hover { color: @text; background: transparent; }
QToolButton[class="link"]:checked { background: transparent; }
QToolButton[class="primary"] { background: @accent; color: @accenttext; border: 1px solid @accent; padding: $1 $6 $1 $2; font-weight: 600; }
QToolButton[class="primary"]:hover { background: @link; color: @window; }
QToolButton[class="primary"]:disabled { background: @hover; color: @disabled; border-color: @border; }
QToolButton[class="primary"]::menu-button { border-left: 1px solid @accenttext; width: $5; }
QToolButton[class="primary"]::menu-button:disabled { border-left-color: @border; }

QPushButton { background: @surface; border: 1px solid @border; border-radius: $1; padding: $1 $3; min-height: $4; }
QPushButton::menu-indicator { image: none; }
QPushButton:hover { background: @hover; border-color: @muted; }
QPushButton:pressed { background: @selected; }
QPushButton:focus { border-color: @accent; }
QPushButton:disabled { color: @disabled; background: @window; }
QPushButton[class="primary"], QPushButton:default { background: @accent; color: @accenttext; border-color: @accent; font-weight: 600; }
QPushButton[class="primary"]:hover { background: @link; color: @window; }
QPushButton[class="primary"]:disabled, QPushButton:default:disabled { background: @hover; color: @disabled; border-color: @border; }
QPushButton[class="quiet"] { background: transparent; border-color: transparent; color: @link; padding: $1 $2; }
QPushButton[class="quiet"]:hover { background: @hover; }
QPushButton[class="quiet"]:focus { border-color: @accent; }
QPushButton[class="chip"], QToolButton[class="chip"] { background: @raised; border: 1px solid @border; border-radius: $2; padding: 0 $2; min-height: $5; }
QPushButton[class="chip"]:hover, QToolButton[class="chip"]:hover { background: @hover; }
QPushButton[class="chip"]:checked, QToolButton[class="chip"]:checked { background: @selected; border-color: @accent; }

QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox { background: @surface; border: 1px solid @border; border-radius: $1; padding: 2px $2; min-height: $5; selection-background-color: @selected; selection-color: @text; }
QLineEdit:hover, QComboBox:hover, QSpinBox:hover, QDoubleSpinBox:hover { border-color: @muted; }
QLineEdit:focus, QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus { border-color: @accent; }
QLineEdit:disabled, QComboBox:disabled { color: @disabled; background: @window; }
QComboBox { padding-right: $5; }
QComboBox::drop-down { border: none; width: $5; }
QComboBox::down-arrow { image: url(:/icons/@arrow.svg); width: $3; height: $3; }
QComboBox QAbstractItemView { background: @surface; border: 1px solid @border; selection-background-color: @selected; selection-color: @text; padding: $1; outline: none; }
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button { border: none; width: $4; background: transparent; }

QPlainTextEdit, QTextEdit, QTextBrowser { background: @surface; border: 1px solid @border; border-radius: $1; selection-background-color: @selected; selection-color: @text; }
QPlainTextEdit[class="flat"], QTextEdit[class="flat"] { border: none; border-radius: 0; }
QWidget[class="pane"] { background: @surface; }
QAbstractItemView { background: @surface; alternate-background-color: @raised; border: none; outline: none; selection-background-color: @selected; selection-color: @text; }
QTableView { gridline-color: @border; }
QTreeView::item, QListView::item { padding: 2px 0; border: none; }
QTreeView[class="columns"]::item { padding: 2px $2; }
QTableView::item { padding: 0 $2; border: none; }
QTableView::item:selected, QTreeView::item:selected, QListView::item:selected { background: @selected; color: @text; }
QTreeView::item:hover:!selected, QListView::item:hover:!selected { background: @hover; }
QTreeView::branch { background: transparent; }
QTreeView::branch:has-children:closed { image: url(:/icons/@branch-closed.svg); }
QTreeView::branch:has-children:open { image: url(:/icons/@arrow.svg); }
QHeaderView { background: @raised; border: none; }
QHeaderView::section { background: @raised; color: @muted; border: none; border-bottom: 1px solid @border; padding: $1 $1 $1 @cellpad; font-weight: 500; }
QHeaderView::section:hover { color: @text; }
QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-origin: border; subcontrol-position: center right; width: @densepad; height: @densepad; }
QHeaderView::up-arrow { image: url(:/icons/@rising.svg); }
QHeaderView::down-arrow { image: url(:/icons/@arrow.svg); }
QTableView[class="dense"]::item { padding: 0 $1; }
QTableView[class="dense"] QHeaderView::section { padding: $1 0 $1 @densepad; }
QTableCornerButton::section { background: @raised; border: none; border-bottom: 1px solid @border; }

QTabBar[class="pages"] { background: @raised; border: none; }
QTabBar[class="pages"]::tab { background: transparent; color: @muted; padding: $2 $3; border: none; }
QTabBar[class="pages"][tight="true"]::tab { padding: $2 $2; }
QTabBar[class="pages"]::tab:hover { color: @text; background: @hover; }
QTabBar[class="pages"]::tab:selected { color: @text; }
QTabBar[class="pages"]::tab:disabled { color: @disabled; }

QDockWidget { color: @muted; font-weight: 600; titlebar-close-icon: url(:/icons/@close.svg); }
QDockWidget::title { background: @raised; padding: $2 $2 $2 $3; border: none; }
QSplitter::handle { background: @window; }
QSplitter::handle:hover, QMainWindow::separator:hover { background: @accent; }
QMainWindow::separator { background: @window; width: $1; height: $1; }

QScrollBar { background: transparent; border: none; }
QScrollBar:vertical { width: $3; margin: 0; }
QScrollBar:horizontal { height: $3; margin: 0; }
QScrollBar::handle { background: @scroll; border-radius: @scrollradius; margin: 3px; }
QScrollBar::handle:vertical { min-height: $8; }
QScrollBar::handle:horizontal { min-width: $8; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; }

QProgressBar { background: @hover; border: none; border-radius: 2px; max-height: $1; text-align: center; }
QProgressBar::chunk { background: @accent; border-radius: 2px; }

QFrame[class="card"] { background: @surface; border: 1px solid @border; border-radius: $2; }
QFrame[class="bar"] { background: @raised; border: none; border-bottom: 1px solid @border; }
QFrame[class="popup"] { background: @surface; border: 1px solid @border; border-radius: $2; }
QFrame[class="separator"] { background: @border; border: none; }
QLabel[class="muted"] { color: @muted; }
QLabel[class="heading"] { color: @muted; padding: $1 $2; }
QLabel { background: transparent; }
QLabel[class="key"] { color: @muted; background: @raised; border: 1px solid @border; border-radius: $1; padding: 0 $1; }
QGroupBox { border: 1px solid @border; border-radius: $1; margin-top: $3; padding-top: $2; }
QGroupBox::title { subcontrol-origin: margin; left: $2; color: @muted; }
QCheckBox, QRadioButton { spacing: $2; }
)";

} // namespace

QString styleSheet(const Theme& theme)
{
    QString sheet = QString::fromLatin1(text);
    const auto fill = [&](const char* name, const QString& value) {
        sheet.replace(QRegularExpression(QLatin1Char('@') + QLatin1String(name) + QStringLiteral("(?![a-z])")), value);
    };
    static constexpr std::pair<const char*, Role> roles[] = {
        {"window", Role::Window},   {"surface", Role::Surface},       {"raised", Role::Raised},
        {"hover", Role::Hover},     {"selected", Role::Selected},     {"border", Role::Border},
        {"text", Role::Text},       {"muted", Role::Muted},           {"disabled", Role::Disabled},
        {"accent", Role::Accent},   {"accenttext", Role::AccentText}, {"link", Role::Link},
        {"scroll", Role::Disabled},
    };
    for (const auto& [name, role] : roles)
        fill(name, theme.color(role).name());
    // A style sheet takes files, not icons: these four exist in both inks. Without one of its own a header
    // would have the arrow up where the largest comes first.
    const QString ink = theme.isDark() ? QStringLiteral("-light") : QStringLiteral("-dark");
    fill("arrow", QStringLiteral("style/down") + ink);
    fill("rising", QStringLiteral("style/up") + ink);
    fill("branch-closed", QStringLiteral("style/right") + ink);
    fill("close", QStringLiteral("style/close") + ink);
    // Half of the handle's thickness, or a rounded rectangle is refused and drawn square.
    fill("scrollradius", QStringLiteral("%1px").arg((theme.unit(3) - 6) / 2));
    // A cell's text stands 3 pixels inside its padding, a header's does not.
    // Of a header the arrow of sorting, as wide as densepad, is a part of the right padding: it covers no text.
    fill("densepad", QStringLiteral("%1px").arg(theme.unit(1) + 3));
    fill("cellpad", QStringLiteral("%1px").arg(theme.unit(2) + 3));
    for (int n = 8; n >= 1; --n)
        sheet.replace(QStringLiteral("$%1").arg(n), QStringLiteral("%1px").arg(theme.unit(n)));
    return sheet;
}

} // namespace cudal1::ui
