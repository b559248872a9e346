// SPDX-License-Identifier: GPL-3.0-or-later
// The views are made once and given new charts, so that what the keys have reached stays.
#include "ui/training/curvesgrid.h"

#include "ui/charts/chartview.h"
#include "ui/kit/theme.h"

#include <QFrame>
#include <QGridLayout>
#include <QLabel>

#include <algorithm>

namespace cudal1::ui {

CurvesGrid::CurvesGrid(QWidget* parent)
    : QScrollArea(parent), m_inside(new QWidget), m_grid(new QGridLayout(m_inside)), m_note(new QLabel)
{
    const Theme& theme = Theme::instance();
    setObjectName(QStringLiteral("trainingCurves"));
    setAccessibleName(tr("Curves of the training"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    m_note->setProperty("class", QStringLiteral("muted"));
    m_note->setWordWrap(true);
    m_note->setAlignment(Qt::AlignCenter);
    m_grid->setContentsMargins(theme.unit(2), theme.unit(2), theme.unit(2), theme.unit(2));
    m_grid->setSpacing(theme.unit(2));
    m_grid->addWidget(m_note, 0, 0, 1, -1);
    setWidget(m_inside);
}

void CurvesGrid::setCharts(const std::vector<std::shared_ptr<const charts::Chart>>& charts, const QString& note)
{
    while (m_views.size() < charts.size()) {
        auto* view = new ChartView(m_inside);
        view->hide();
        view->setObjectName(QStringLiteral("trainingChart"));
        m_views.push_back(view);
    }
    for (std::size_t i = 0; i < m_views.size(); ++i)
        if (i < charts.size())
            m_views[i]->setChart(charts[i]);
    m_note->setText(note);
    m_note->setVisible(charts.empty());
    if (m_shown != charts.size()) {
        m_shown = charts.size();
        m_columns = 0;
    }
    arrange();
}

void CurvesGrid::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    arrange();
}

void CurvesGrid::arrange()
{
    const int columns = std::clamp(viewport()->width() / Theme::instance().unit(62), 1, 4);
    if (columns == m_columns)
        return;
    m_columns = columns;
    for (std::size_t i = 0; i < m_views.size(); ++i) {
        m_grid->removeWidget(m_views[i]);
        m_views[i]->setVisible(i < m_shown);
        if (i < m_shown)
            m_grid->addWidget(m_views[i], int(i) / columns + 1, int(i) % columns);
    }
    for (int column = 0; column < 4; ++column)
        m_grid->setColumnStretch(column, column < columns ? 1 : 0);
    m_grid->activate(); // now: shown at once, it would keep the width of the columns before
}

QString CurvesGrid::csv() const
{
    QString out;
    for (std::size_t i = 0; i < m_shown; ++i)
        out += m_views[i]->chart().title + QLatin1Char('\n') + charts::csvOf(m_views[i]->chart().table) +
               QLatin1Char('\n');
    return out;
}

} // namespace cudal1::ui
