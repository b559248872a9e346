// SPDX-License-Identifier: GPL-3.0-or-later
// What a page remembers is a switch of its own, which is kept with the layout.
#include "ui/shell/pageroom.h"

#include "ui/kit/page.h"
#include "ui/kit/uistate.h"

#include <QAction>
#include <QDockWidget>
#include <QStackedWidget>

#include <utility>

namespace cudal1::ui {

PageRoom::PageRoom(QAction& toggle, QStackedWidget& stack, std::vector<QDockWidget*> docks, QObject* parent)
    : QObject(parent), m_toggle(toggle), m_stack(stack), m_docks(std::move(docks))
{
    connect(&toggle, &QAction::triggered, this, [this](bool on) {
        const auto found = m_pages.find(qobject_cast<Page*>(m_stack.currentWidget()));
        if (found != m_pages.end())
            found->second->setChecked(on);
        apply();
    });
    connect(&stack, &QStackedWidget::currentChanged, this, &PageRoom::apply);
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
    for (const QPointer<QDockWidget>& dock : std::exchange(m_gone, {}))
        if (dock)
            dock->show();
    m_applied = false;
}

void PageRoom::apply()
{
    auto* page = qobject_cast<Page*>(m_stack.currentWidget());
    const auto found = m_pages.find(page);
    const bool roomy = found != m_pages.end() && found->second->isChecked();
    m_toggle.setEnabled(found != m_pages.end());
    m_toggle.setChecked(roomy);
    if (page)
        page->setRoomy(roomy);
    if (roomy == m_applied)
        return;
    if (!roomy)
        return leave();
    for (QDockWidget* dock : m_docks) {
        if (dock->isHidden())
            continue;
        m_gone.emplace_back(dock);
        dock->hide();
    }
    m_applied = true;
}

} // namespace cudal1::ui
