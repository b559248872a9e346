// SPDX-License-Identifier: GPL-3.0-or-later
// What the gaps of each side add up to, in wrapped lines.
#pragma once

#include <QLabel>

namespace cudal1::ui {

/// At most three lines, or one a side where there are more sides; what has no room ends in an ellipsis, and the tool
/// tip has all of it then. The accessible name always has.
class GapTotals : public QLabel {
    Q_OBJECT
public:
    explicit GapTotals(QWidget* parent = nullptr);

    /// A sentence for each side.
    void setTotals(const QStringList& totals);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void wrap();

    QStringList m_totals;
};

} // namespace cudal1::ui
