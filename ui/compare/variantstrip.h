// SPDX-License-Identifier: GPL-3.0-or-later
// The strip of cards, or list, from which the two sides of a comparison are chosen.
#pragma once

#include "core/base/ids.h"
#include "core/store/project.h"

#include <QListView>

#include <memory>

namespace cudal1::ui {

class CardDelegate;
class StripModel;

/// Click or Enter: to the right. Shift+click, a click on the card's A, or the key A: to the left. B: to the right.
class VariantStrip : public QListView {
    Q_OBJECT
public:
    explicit VariantStrip(QWidget* parent = nullptr);

    void setRows(std::shared_ptr<const std::vector<store::VariantRow>> rows);
    void setCompared(base::VariantId left, base::VariantId right);
    StripModel* stripModel() const { return m_model; }
    /// One variant in a line, some lines high, in place of cards beside each other.
    void setList(bool list);
    /// The first variant that is shown, to the right.
    void chooseFirst();
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void leftRequested(cudal1::base::VariantId variant);
    void rightRequested(cudal1::base::VariantId variant);

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void choose(const QModelIndex& index, bool toLeft);

    StripModel* m_model;
    CardDelegate* m_cards;
};

} // namespace cudal1::ui
