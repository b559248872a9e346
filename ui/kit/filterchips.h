// SPDX-License-Identifier: GPL-3.0-or-later
// The active filters of a view as chips that are removed by a click; no room is taken when there are none.
#pragma once

#include <QWidget>

#include <vector>

class QToolButton;

namespace cudal1::ui {

class FlowLayout;

struct FilterChip {
    QString id;   ///< stable; what removed() says
    QString text; ///< "improved", "name has matmul"
};

/// Wraps into as many lines as its width needs. Del or Space on a chip removes it.
class FilterChips : public QWidget {
    Q_OBJECT
public:
    explicit FilterChips(QWidget* parent = nullptr);

    void setChips(const std::vector<FilterChip>& chips);
    int count() const { return int(m_buttons.size()); }
    /// Texts of the chips, in order.
    QStringList texts() const;

signals:
    void removed(const QString& id);
    void cleared();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QToolButton* button(const QString& text, const QString& icon);

    FlowLayout* m_lines;
    std::vector<QToolButton*> m_buttons; ///< without m_clear
    std::vector<FilterChip> m_chips;
    QToolButton* m_clear; ///< shown from two chips on
};

} // namespace cudal1::ui
