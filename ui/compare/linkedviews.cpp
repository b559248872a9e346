// SPDX-License-Identifier: GPL-3.0-or-later
// Scrolling follows what the editors say of themselves; empty lines are annotations, which belong to no text.
#include "ui/compare/linkedviews.h"

#include "ui/editor/codeview.h"
#include "ui/kit/theme.h"

#include <QEvent>
#include <QScrollBar>
#include <QTimer>

namespace cudal1::ui {

namespace {
/// Where each line has to be laid out to know its height, a long text takes too long. Machine code has short lines.
constexpr std::size_t mostAligned = 5'000;
} // namespace

LinkedViews::LinkedViews(CodeView& left, CodeView& right, QObject* parent)
    : QObject(parent), m_views{&left, &right}, m_soon(new QTimer(this))
{
    m_soon->setSingleShot(true);
    m_soon->setInterval(0);
    connect(m_soon, &QTimer::timeout, this, &LinkedViews::alignNow);
    connect(&Theme::instance(), &Theme::changed, this, &LinkedViews::align);
    for (CodeView* view : m_views) {
        link(view);
        view->installEventFilter(this);
    }
}

void LinkedViews::link(CodeView* from)
{
    // A scroll bar says what the mouse did; the editor itself, with the next paint, what keys, find and jumps did.
    for (const QScrollBar* bar : {from->verticalScrollBar(), from->horizontalScrollBar()})
        connect(bar, &QScrollBar::valueChanged, this, [this, from] { follow(from); });
    connect(from, &QsciScintilla::SCN_UPDATEUI, this, [this, from](int updated) {
        if (updated & (CodeView::SC_UPDATE_V_SCROLL | CodeView::SC_UPDATE_H_SCROLL))
            follow(from);
    });
    connect(from, &QsciScintilla::SCN_ZOOM, this, [this, from] {
        const long zoom = from->SendScintilla(CodeView::SCI_GETZOOM);
        if (other(from)->SendScintilla(CodeView::SCI_GETZOOM) != zoom)
            other(from)->zoomTo(int(zoom));
        align();
    });
}

/// Both have the same rows, so places agree. Where one side ends first the other may go on: a side that was put
/// somewhere does not pull back the one that put it there.
void LinkedViews::follow(CodeView* from)
{
    CodeView* to = other(from);
    const auto placeOf = [](CodeView* view) {
        return std::pair(view->firstVisibleLine(), int(view->SendScintilla(CodeView::SCI_GETXOFFSET)));
    };
    const auto place = placeOf(from);
    if (m_places[from] == place)
        return;
    m_places[from] = place;
    to->SendScintilla(CodeView::SCI_SETFIRSTVISIBLELINE, place.first);
    to->SendScintilla(CodeView::SCI_SETXOFFSET, place.second);
    m_places[to] = placeOf(to);
    emit scrolled();
}

void LinkedViews::setRows(std::vector<std::pair<int, int>> rows)
{
    m_rows = std::move(rows);
    align();
}

void LinkedViews::align()
{
    m_soon->start();
}

bool LinkedViews::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        align();
    return QObject::eventFilter(watched, event);
}

void LinkedViews::alignNow()
{
    std::array<std::vector<EmptyLines>, 2> empty;
    if (m_rows.size() <= mostAligned) {
        for (CodeView* view : m_views)
            view->layOut();
        int ahead = 0; // how much further down the left side is than the right
        std::array<int, 2> last{-1, -1};
        const auto even = [&] {
            const std::size_t shorter = ahead > 0 ? 1 : 0;
            if (ahead == 0 || last[shorter] < 0)
                return; // above the first line there is no place
            empty[shorter].push_back({last[shorter], std::abs(ahead)});
            ahead = 0;
        };
        for (const auto& [left, right] : m_rows) {
            if (left >= 0 && right >= 0)
                even();
            ahead += (left < 0 ? 0 : m_views[0]->heightOf(left)) - (right < 0 ? 0 : m_views[1]->heightOf(right));
            last = {left < 0 ? last[0] : left, right < 0 ? last[1] : right};
        }
        even();
    }
    for (std::size_t side = 0; side < 2; ++side)
        m_views[side]->setEmptyLines(std::move(empty[side]));
}

} // namespace cudal1::ui
