// SPDX-License-Identifier: GPL-3.0-or-later
// Widgets side by side, in as many lines as the width needs.
#pragma once

#include <QLayout>
#include <QList>

namespace cudal1::ui {

/// Each has the size of its hint, or the whole width where that is less. Hidden ones take no room.
class FlowLayout : public QLayout {
    Q_OBJECT
public:
    explicit FlowLayout(QWidget* parent = nullptr);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override { m_items.append(item); }
    int count() const override { return int(m_items.size()); }
    QLayoutItem* itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return arrange({0, 0, width, 0}, false); }
    void setGeometry(const QRect& area) override;
    QSize sizeHint() const override { return minimumSize(); }
    QSize minimumSize() const override; ///< of the widest alone in its line

private:
    int arrange(const QRect& area, bool move) const;

    QList<QLayoutItem*> m_items;
};

} // namespace cudal1::ui
