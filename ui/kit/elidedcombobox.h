// SPDX-License-Identifier: GPL-3.0-or-later
// A combo box that ends its text in "…" where the text does not fit.
#pragma once

#include <QComboBox>

namespace cudal1::ui {

/// A plain combo box under a style sheet cuts a long text off in the middle of a letter. This one shows that there is
/// more to read. It must not be editable.
class ElidedComboBox : public QComboBox {
public:
    using QComboBox::QComboBox;

    /// Six letters, where a place is narrow; sizeHint() has room for minimumContentsLength().
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace cudal1::ui
