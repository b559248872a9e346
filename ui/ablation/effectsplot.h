// SPDX-License-Identifier: GPL-3.0-or-later
// Effects, interactions and Shapley values as marks with whiskers on one logarithmic axis, by both clocks.
#pragma once

#include "ui/ablation/ablationloader.h"
#include "ui/variants/speedupbar.h"

#include <QWidget>

class QPainter;

namespace cudal1::ui {

/// Up and Down walk the rows; the tool tip and the description of the current row is its sentence. The wall clock has filled
/// marks, events hollow ones; effects are circles, interactions diamonds, Shapley values squares.
class EffectsPlot : public QWidget {
    Q_OBJECT
public:
    enum class Kind { Title, Main, Interaction, Shapley };
    struct Row {
        Kind kind = Kind::Main;
        QString name;
        base::Interval wall, event; ///< invalid where there is none
        int backgrounds = 0;
        QString sentence;
    };

    explicit EffectsPlot(QWidget* parent = nullptr);

    void setView(std::shared_ptr<const AblationView> view); ///< null for none
    const std::vector<Row>& rows() const { return m_rows; }
    int current() const { return m_current; } ///< -1 for none
    /// -1 outside of any row.
    int rowAt(const QPointF& at) const;

    QString csv() const;
    /// In the colours of paper, whatever the theme.
    void save(const QString& path); ///< .svg, .png or .csv; `failed` follows where it cannot be written
    void copyPicture();

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void currentChanged(int row);
    void failed(const cudal1::base::Error& error);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void paint(QPainter& painter, const QRectF& area, bool dark, bool pointing) const;
    void choose(int row);
    /// As airy as `height` for all rows allows.
    double rowHeight(double height) const;
    double heightOf(double row) const;
    QSizeF paperSize() const;

    std::vector<Row> m_rows;
    SpeedupAxis m_axis;
    bool m_events = false;
    int m_current = -1;
};

} // namespace cudal1::ui
