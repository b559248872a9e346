// SPDX-License-Identifier: GPL-3.0-or-later
// One big number with what it counts.
#pragma once

#include "ui/kit/themecolors.h"

#include <QFrame>

#include <vector>

class QLabel;
class QVBoxLayout;

namespace cudal1::ui {

class ElidedLabel;

class NumberCard : public QFrame {
    Q_OBJECT
public:
    NumberCard(const QString& caption, const QString& toolTip, QWidget* parent = nullptr);

    /// `detail` stands beside the number in smaller type: "of 18".
    void setNumber(const QString& number, const QString& detail);
    /// What is counted beside the number and not in it, each on a line of its own at the card's right end: "8 at
    /// another precision".
    struct Segment {
        QString key; ///< for segmentActivated()
        int count = 0;
        QString text;
        Role role = Role::Muted; ///< of the count
    };
    /// Replaces them. Those that count nothing are left out.
    void setSegments(std::vector<Segment> segments);
    QString number() const;

signals:
    void segmentActivated(const QString& key);

private:
    void showSegments(); ///< in the theme's colours

    QString m_caption;
    QLabel* m_number;
    QLabel* m_detail;
    ElidedLabel* m_text;
    QVBoxLayout* m_segments;
    std::vector<Segment> m_counted;
};

} // namespace cudal1::ui
