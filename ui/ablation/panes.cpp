// SPDX-License-Identifier: GPL-3.0-or-later
// Titles, columns and tables of the panes.
#include "ui/ablation/panes.h"

#include "ui/kit/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

namespace cudal1::ui {

QLabel* paneTitle(const QString& text)
{
    const Theme& theme = Theme::instance();
    auto* label = new QLabel(text);
    label->setFont(theme.titleFont(2));
    label->setContentsMargins(theme.unit(3), theme.unit(2), theme.unit(3), theme.unit(2));
    return label;
}

QWidget* paneColumn(std::initializer_list<std::pair<QWidget*, int>> panes)
{
    auto* widget = new QWidget;
    auto* layout = new QVBoxLayout(widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (const auto& [pane, stretch] : panes)
        layout->addWidget(pane, stretch);
    return widget;
}

void makeDense(QTableView& view)
{
    view.setProperty("class", QStringLiteral("dense"));
    view.setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
    view.setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    view.setShowGrid(false);
    view.setWordWrap(false);
    view.setTabKeyNavigation(false);
    view.verticalHeader()->hide();
    view.verticalHeader()->setDefaultSectionSize(Theme::instance().unit(6));
    view.horizontalHeader()->setHighlightSections(false);
    view.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
}

} // namespace cudal1::ui
