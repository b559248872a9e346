// SPDX-License-Identifier: GPL-3.0-or-later
// What a page remembers, and which docks stay in a narrow window, are switches that are kept with the layout.
#include "ui/shell/pageroom.h"

#include "ui/kit/page.h"
#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"

#include <QAbstractButton>
#include <QAction>
#include <QDockWidget>
#include <QEvent>
#include <QMainWindow>
#include <QScreen>
#include <QStackedWidget>
#include <QTimer>
#include <QToolBar>

#include <utility>

namespace cudal1::ui {

namespace {

/// Below it, in units, a page beside the docks has no place for six letters of a name in its tables.
constexpr int narrowWidth = 280;

} // namespace

PageRoom::PageRoom(QAction& toggle, QStackedWidget& stack, QMainWindow& window, const std::vector<QDockWidget*>& docks)
    : QObject(&window), m_toggle(toggle), m_stack(stack), m_window(window),
      m_strip(new QToolBar(tr("Folded lists"), &window))
{
    m_strip->setObjectName(QStringLiteral("dockStrip"));
    m_strip->setMovable(false);
    m_strip->setFloatable(false);
    m_strip->setContextMenuPolicy(Qt::PreventContextMenu);
    m_strip->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    m_strip->toggleViewAction()->setVisible(false);
    m_strip->hide();
    window.addToolBar(Qt::LeftToolBarArea, m_strip);
    m_docks.reserve(docks.size()); // each is referred to from now on
    for (QDockWidget* dock : docks)
        addDock(dock);
    connect(&toggle, &QAction::triggered, this, [this](bool on) {
        const auto found = m_pages.find(qobject_cast<Page*>(m_stack.currentWidget()));
        if (found != m_pages.end())
            found->second->setChecked(on);
        apply();
    });
    connect(&stack, &QStackedWidget::currentChanged, this, &PageRoom::apply);
    connect(&Theme::instance(), &Theme::changed, this, &PageRoom::apply);
    connect(&UiState::instance(), &UiState::wasReset, this, &PageRoom::afresh);
    window.installEventFilter(this);
}

void PageRoom::addDock(QDockWidget* dock)
{
    auto* wanted = new QAction(this);
    wanted->setCheckable(true);
    Dock& added = m_docks.emplace_back(Dock{dock, wanted});
    UiState::instance().keep(wanted, QStringLiteral("narrow/") + dock->objectName());
    connect(wanted, &QAction::toggled, this, &PageRoom::apply);
    dock->toggleViewAction()->setIcon(Theme::instance().icon(dock->objectName().remove(QStringLiteral("Dock"))));
    m_strip->addAction(dock->toggleViewAction());
    connect(dock->toggleViewAction(), &QAction::triggered, this, [this, &added](bool on) { dockChosen(added, on); });
    if (auto* close = dock->findChild<QAbstractButton*>(QStringLiteral("qt_dockwidget_closebutton")))
        connect(close, &QAbstractButton::clicked, this, [this, &added] { dockChosen(added, false); });
}

/// In a narrow window a choice says what stays open there; closed there, the dock is folded like any other.
void PageRoom::dockChosen(Dock& dock, bool shown)
{
    dock.gone = false;
    if (!m_narrow)
        return;
    dock.folded = dock.gone = !shown;
    dock.wanted->setChecked(shown);
}

void PageRoom::addPage(Page& page)
{
    auto* kept = new QAction(this);
    kept->setCheckable(true);
    m_pages.emplace(&page, kept);
    connect(kept, &QAction::toggled, this, &PageRoom::apply);
    UiState::instance().keep(kept, QStringLiteral("room/") + page.objectName());
}

void PageRoom::leave()
{
    m_left = true;
    m_strip->hide();
    for (Dock& dock : m_docks)
        if (dock.gone)
            dock.widget->show();
}

bool PageRoom::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize && m_shown)
        apply();
    if (event->type() == QEvent::Show && !std::exchange(m_shown, true)) {
        afresh();
        m_arranged = true;
    }
    return QObject::eventFilter(watched, event);
}

/// A layout was restored, which shows docks whatever room there is for them.
void PageRoom::afresh()
{
    for (Dock& dock : m_docks)
        dock.folded = dock.gone = false;
    apply();
}

void PageRoom::apply()
{
    if (m_left)
        return;
    auto* page = qobject_cast<Page*>(m_stack.currentWidget());
    const auto found = m_pages.find(page);
    const bool roomy = found != m_pages.end() && found->second->isChecked();
    m_toggle.setEnabled(found != m_pages.end());
    m_toggle.setChecked(roomy);
    if (page)
        page->setRoomy(roomy);
    m_narrow = m_shown && m_window.width() < Theme::instance().unit(narrowWidth);
    m_strip->setVisible(m_narrow && !roomy);
    bool first = false;
    for (Dock& dock : m_docks) {
        const bool folded = roomy || (m_narrow && !dock.wanted->isChecked());
        if (folded == dock.folded)
            continue;
        dock.folded = folded;
        if (folded && !dock.widget->isHidden()) {
            dock.gone = true;
            dock.seen |= m_arranged;
            dock.widget->hide();
        } else if (!folded && dock.gone) {
            dock.gone = false;
            dock.widget->show();
            first |= !std::exchange(dock.seen, true);
        }
    }
    if (first)
        QTimer::singleShot(0, this, &PageRoom::unfolded); // once it has a size that can be changed
}

void fitScreen(QWidget& window)
{
    constexpr QSize frame(8, 40); // what a desktop puts around a window, which its size leaves out
    if (const QScreen* on = window.screen())
        window.resize(window.size().boundedTo(on->availableSize() - frame));
}

} // namespace cudal1::ui
