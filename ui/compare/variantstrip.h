// SPDX-License-Identifier: GPL-3.0-or-later
// The strip of cards from which the two sides of a comparison are chosen.
#pragma once

#include "core/base/ids.h"
#include "core/store/project.h"

#include <QListView>

#include <memory>

namespace cudal1::ui {

class StripModel;

/// Click or Enter: to the right. Shift+click, a click on the card's A, or the key A: to the left. B: to the right.
class VariantStrip : public QListView {
    Q_OBJECT
public:
    explicit VariantStrip(QWidget* parent = nullptr);

    void setRows(std::shared_ptr<const std::vector<store::VariantRow>> rows);
    void setCompared(base::VariantId left, base::VariantId right);
    StripModel* stripModel() const { return m_model; }
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
};

} // namespace cudal1::ui
