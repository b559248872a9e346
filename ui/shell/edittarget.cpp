// SPDX-License-Identifier: GPL-3.0-or-later
// Follows the focus of the window.
#include "ui/shell/edittarget.h"

#include "ui/kit/page.h"
#include "ui/kit/setupview.h"
#include "ui/shell/commandpalette.h"

#include <QApplication>
#include <QMenuBar>
#include <QStackedWidget>

namespace cudal1::ui {

namespace {

/// Menus and the palette take the focus away from what they are to act on.
bool isForActions(const QWidget* widget)
{
    if (qobject_cast<const QMenuBar*>(widget))
        return true;
    for (; widget; widget = widget->parentWidget())
        if (qobject_cast<const CommandPalette*>(widget))
            return true;
    return false;
}

} // namespace

EditTarget::EditTarget(const QWidget& window, const QStackedWidget& pages) : m_pages(pages)
{
    connect(qApp, &QApplication::focusChanged, this, [this, &window](QWidget*, QWidget* now) {
        if (now && now->window() == &window && !isForActions(now))
            m_focused = now;
    });
}

ViewTools* EditTarget::table() const
{
    if (ViewTools* table = ViewTools::around(m_focused))
        return table;
    const auto* page = qobject_cast<const Page*>(m_pages.currentWidget());
    return page && !page->isEmpty() ? page->table() : nullptr;
}

void EditTarget::copy()
{
    if (ViewTools* table = ViewTools::around(m_focused))
        table->copy();
    else if (m_focused && m_focused->metaObject()->indexOfMethod("copy()") >= 0)
        QMetaObject::invokeMethod(m_focused, "copy");
    else if (ViewTools* main = EditTarget::table())
        main->copy();
}

void EditTarget::find()
{
    if (ViewTools* table = ViewTools::around(m_focused))
        return table->find();
    if (auto* page = qobject_cast<Page*>(m_pages.currentWidget()))
        page->find();
}

} // namespace cudal1::ui
