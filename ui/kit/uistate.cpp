// SPDX-License-Identifier: GPL-3.0-or-later
// The kept states live in QSettings under "layout/".
#include "ui/kit/uistate.h"

#include <QHeaderView>
#include <QMainWindow>
#include <QSettings>
#include <QSplitter>

#include <utility>

namespace cudal1::ui {

namespace {
/// Raised when docks or columns change so much that an older state would do harm.
constexpr int layoutVersion = 2; // a state of other columns would give each the next one's width
} // namespace

UiState& UiState::instance()
{
    static UiState state;
    return state;
}

void UiState::add(Kept kept)
{
    kept.key = QStringLiteral("layout/%1/").arg(layoutVersion) + kept.key;
    std::erase_if(m_kept, [&](const Kept& other) { return !other.object || other.key == kept.key; });
    kept.original = kept.take();
    const QByteArray saved = QSettings().value(kept.key).toByteArray();
    if (!saved.isEmpty())
        kept.put(saved);
    m_kept.push_back(std::move(kept));
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
         [header](const QByteArray& state) { return header->count() > 0 && header->restoreState(state); }});
}

void UiState::keep(QMainWindow* window, const QString& name)
{
    add({window,
         QStringLiteral("geometry/") + name,
         {},
         [window] { return window->saveGeometry(); },
         [window](const QByteArray& state) { return window->restoreGeometry(state); }});
    add({window,
         QStringLiteral("docks/") + name,
         {},
         [window] { return window->saveState(layoutVersion); },
         [window](const QByteArray& state) { return window->restoreState(state, layoutVersion); }});
}

void UiState::save()
{
    QSettings settings;
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
}

} // namespace cudal1::ui
