// SPDX-License-Identifier: GPL-3.0-or-later
// A combo box that ends what does not fit in "…".
#pragma once

#include <QComboBox>

namespace cudal1::ui {

/// A style sheet's combo box cuts its text off in mid-letter; this one says that there is more. Not for editable ones.
class ElidedComboBox : public QComboBox {
public:
    using QComboBox::QComboBox;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace cudal1::ui
