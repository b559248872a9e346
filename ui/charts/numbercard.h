// SPDX-License-Identifier: GPL-3.0-or-later
// One big number with what it counts.
#pragma once

#include <QFrame>

class QLabel;

namespace cudal1::ui {

class ElidedLabel;

class NumberCard : public QFrame {
    Q_OBJECT
public:
    NumberCard(const QString& caption, const QString& toolTip, QWidget* parent = nullptr);

    /// `detail` stands beside the number in smaller type: "of 18".
    void setNumber(const QString& number, const QString& detail);
    QString number() const;

private:
    QString m_caption;
    QLabel* m_number;
    QLabel* m_detail;
    ElidedLabel* m_text;
};

} // namespace cudal1::ui
