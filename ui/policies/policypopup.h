// SPDX-License-Identifier: GPL-3.0-or-later
// The panel of policies as what a button opens.
#pragma once

#include <QFrame>

namespace cudal1::ui {

class PolicyPanel;

/// Closes on Esc, on a click beside it, and when something else is to be shown.
class PolicyPopup : public QFrame {
    Q_OBJECT
public:
    /// Owns the panel from now on.
    PolicyPopup(PolicyPanel* panel, QWidget* parent);

    void openBelow(QWidget* button);

private:
    void fit();

    PolicyPanel* m_panel;
    QWidget* m_button = nullptr;
};

} // namespace cudal1::ui
