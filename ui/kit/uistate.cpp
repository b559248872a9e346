// SPDX-License-Identifier: GPL-3.0-or-later
// The kept states live in QSettings under "layout/".
#include "ui/kit/uistate.h"

#include <QAction>
#include <QApplication>
#include <QHeaderView>
#include <QMainWindow>
#include <QSettings>
#include <QSplitter>

#include <cmath>
#include <utility>

namespace cudal1::ui {

namespace {
/// Raised when docks or columns change so much that an older state would do harm.
constexpr int layoutVersion = 5; // a state of other columns or panes would give each the next one's width
/// At which the widths of columns were kept.
constexpr QLatin1String textSizeKey("layout/textSize");

void scale(QHeaderView& header, double factor)
{
    if (std::abs(factor - 1) < 0.01)
        return;
    for (int column = 0; column < header.count(); ++column)
        if (!header.isSectionHidden(column) && header.sectionResizeMode(column) == QHeaderView::Interactive)
            header.resizeSection(column, int(std::lround(header.sectionSize(column) * factor)));
}

} // namespace

UiState& UiState::instance()
{
    static UiState state;
    return state;
}

bool UiState::add(Kept kept)
{
    kept.key = QStringLiteral("layout/%1/").arg(layoutVersion) + kept.key;
    std::erase_if(m_kept, [&](const Kept& other) { return !other.object || other.key == kept.key; });
    kept.original = kept.take();
    const QByteArray saved = QSettings().value(kept.key).toByteArray();
    const bool restored = !saved.isEmpty() && kept.put(saved);
    m_kept.push_back(std::move(kept));
    return restored;
}

void UiState::keep(QSplitter* splitter, const QString& name)
{
    add({splitter,
         QStringLiteral("splitter/") + name,
         {},
         [splitter] { return splitter->saveState(); },
         [splitter](const QByteArray& state) { return splitter->restoreState(state); }});
}

void UiState::keep(QHeaderView* header, const QString& name)
{
    add({header,
         QStringLiteral("header/") + name,
         {},
         [header] { return header->saveState(); },
         // A header with other columns than the saved one had keeps its own widths.
         [header](const QByteArray& state) {
             if (header->count() == 0 || !header->restoreState(state))
                 return false;
             if (const double before = QSettings().value(textSizeKey).toDouble(); before > 0)
                 scale(*header, QApplication::font().pointSizeF() / before);
             return true;
         }});
}

void UiState::scaleColumns(double factor)
{
    for (const Kept& kept : m_kept)
        if (auto* header = qobject_cast<QHeaderView*>(kept.object))
            scale(*header, factor);
}

bool UiState::keep(QMainWindow* window, const QString& name)
{
    add({window,
         QStringLiteral("geometry/") + name,
         {},
         [window] { return window->saveGeometry(); },
         [window](const QByteArray& state) { return window->restoreGeometry(state); }});
    return add({window,
                QStringLiteral("docks/") + name,
                {},
                [window] { return window->saveState(layoutVersion); },
                [window](const QByteArray& state) { return window->restoreState(state, layoutVersion); }});
}

void UiState::keep(QAction* checkable, const QString& name)
{
    add({checkable,
         QStringLiteral("switch/") + name,
         {},
         [checkable] { return QByteArray(checkable->isChecked() ? "on" : "off"); },
         [checkable](const QByteArray& state) {
             checkable->setChecked(state == "on");
             return true;
         }});
}

void UiState::save()
{
    QSettings settings;
    settings.setValue(textSizeKey, QApplication::font().pointSizeF());
    for (const Kept& kept : m_kept)
        if (kept.object)
            settings.setValue(kept.key, kept.take());
}

void UiState::reset()
{
    QSettings().remove(QStringLiteral("layout"));
    for (const Kept& kept : m_kept)
        if (kept.object)
            kept.put(kept.original);
    emit wasReset();
}

} // namespace cudal1::ui
