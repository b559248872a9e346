// SPDX-License-Identifier: GPL-3.0-or-later
// Names of actions and tasks as a person would type them.
#include "ui/shell/paletteitems.h"

#include "core/base/ratiotext.h"
#include "core/base/statistics.h"
#include "core/protocol/marks.h"
#include "ui/kit/theme.h"
#include "ui/work/projectmodel.h"

#include <QAction>
#include <QCoreApplication>
#include <QMenu>
#include <QSet>
#include <QStackedWidget>

#include <algorithm>

namespace cudal1::ui {

namespace {

bool canBeRun(const QAction& action)
{
    return !action.text().isEmpty() && !action.menu() && !action.isSeparator() && action.isEnabled() &&
           action.isVisible();
}

PaletteItem itemOf(QAction* action)
{
    QString title = action->text();
    title.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
    // A key that a menu only shows stands behind a tab.
    const QString shown = title.section(QLatin1Char('\t'), 1);
    QString name = title.section(QLatin1Char('\t'), 0, 0);
    for (const QObject* place : action->associatedObjects())
        if (const auto* menu = qobject_cast<const QMenu*>(place); menu && qobject_cast<QMenu*>(menu->parent()))
            name = menu->title().remove(QLatin1Char('&')) + QStringLiteral(": ") + name; // "Theme: Dark"
    return {name, shown.isEmpty() ? action->shortcut().toString(QKeySequence::NativeText) : shown, action->icon(),
            [action = QPointer<QAction>(action)] {
                if (action)
                    action->trigger();
            }};
}

} // namespace

std::vector<PaletteItem> actionItems(const QWidget& window, const QStackedWidget& pages)
{
    std::vector<PaletteItem> items;
    QSet<const QAction*> seen;
    const auto collect = [&](const QWidget& widget) {
        for (QAction* action : widget.findChildren<QAction*>()) {
            if (!canBeRun(*action) || seen.contains(action))
                continue;
            seen.insert(action);
            PaletteItem item = itemOf(action);
            // Every table has the same tools as the Edit menu, which acts on the right one.
            if (std::none_of(items.begin(), items.end(),
                             [&item](const PaletteItem& known) { return known.title == item.title; }))
                items.push_back(std::move(item));
        }
    };
    // The page's own first: they are the most likely to be meant. Those of hidden pages have nothing to act on.
    if (const QWidget* page = pages.currentWidget())
        collect(*page);
    for (int i = 0; i < pages.count(); ++i)
        for (QAction* action : pages.widget(i)->findChildren<QAction*>())
            seen.insert(action);
    collect(window);
    return items;
}

std::vector<PaletteItem> taskItems(const ProjectModel& project,
                                   const std::function<void(const base::TaskId& task)>& open)
{
    std::vector<PaletteItem> items;
    for (const TaskEntry& entry : *project.tasks()) {
        const QString id = entry.level > 0 ? QString::fromStdString(entry.id.value) + QStringLiteral("  ") : QString();
        QString best;
        if (entry.row.best.valid()) {
            best = base::compare(entry.row.best) == base::Comparison::Unclear
                     ? QCoreApplication::translate("PaletteItems", "unclear")
                     : QString::fromStdString(base::estimateText(entry.row.best));
            if (const std::string word = protocol::marksWord(entry.row.marks); !word.empty())
                best += QStringLiteral(" (%1)").arg(QString::fromStdString(word));
        }
        items.push_back({id + entry.name, best, Theme::instance().icon(QStringLiteral("task"), Role::Muted),
                         [open, task = entry.id] { open(task); }});
    }
    return items;
}

} // namespace cudal1::ui
