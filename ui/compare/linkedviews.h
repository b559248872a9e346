// SPDX-License-Identifier: GPL-3.0-or-later
// Two code views that scroll and zoom together, and whose rows stay beside each other however long they are.
#pragma once

#include <QObject>

#include <array>
#include <map>
#include <utility>
#include <vector>

class QTimer;

namespace cudal1::ui {

class CodeView;

/// Both views outlive it.
class LinkedViews : public QObject {
    Q_OBJECT
public:
    LinkedViews(CodeView& left, CodeView& right, QObject* parent);

    /// What stands beside each other, in order: rows of the left and the right view, -1 for none. Empty lines make up
    /// for what one side lacks, once the views are painted.
    void setRows(std::vector<std::pair<int, int>> rows);
    /// Goes on without the places at which the views were; for another text.
    void forgetPlaces() { m_places.clear(); }
    /// Puts the other view where this one is.
    void follow(CodeView* from);

public slots:
    /// Puts the rows beside each other soon: lines have another height now, or others are hidden.
    void align();

signals:
    void scrolled();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void link(CodeView* from);
    CodeView* other(const CodeView* view) const { return m_views[view == m_views[0] ? 1 : 0]; }
    void alignNow();

    std::array<CodeView*, 2> m_views;
    std::vector<std::pair<int, int>> m_rows;
    /// Where each side was last seen or put, as line and pixels.
    std::map<CodeView*, std::pair<int, int>> m_places;
    QTimer* m_soon;
};

} // namespace cudal1::ui
