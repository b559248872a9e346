// SPDX-License-Identifier: GPL-3.0-or-later
// From which the two sides of a comparison are chosen: a strip of cards or a list, and a field that leaves few of many.
#pragma once

#include <QWidget>

class QAction;
class QLabel;
class QLineEdit;

namespace cudal1::ui {

class VariantStrip;

class VariantChooser : public QWidget {
    Q_OBJECT
public:
    /// Its actions are added to `page`, which has their keys.
    explicit VariantChooser(QWidget& page);

    VariantStrip* strip() const { return m_strip; }
    bool isList() const;

private:
    void showCount();

    VariantStrip* m_strip;
    QLineEdit* m_filter;
    QLabel* m_count;
    QAction* m_list;
};

} // namespace cudal1::ui
