// SPDX-License-Identifier: GPL-3.0-or-later
// Copy and export of a chart.
#include "ui/charts/chartpanel.h"

#include "core/charts/svg.h"
#include "ui/charts/charttable.h"
#include "ui/charts/chartview.h"
#include "ui/kit/rowtable.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"

#include <QAction>
#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QMessageBox>
#include <QMimeData>
#include <QSaveFile>
#include <QSortFilterProxyModel>
#include <QStackedLayout>
#include <QStatusTipEvent>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace cudal1::ui {

namespace {

QByteArray svgOf(const ChartView& view)
{
    charts::SvgOptions how;
    how.palette = Theme::instance().isDark() ? &charts::darkPalette() : &charts::lightPalette();
    return charts::svgOf(view.drawing(), view.chart(), how).toUtf8();
}

/// Sharp also where it is shown larger than here.
QImage imageOf(const ChartView& view)
{
    return charts::imageOf(view.drawing(), chartColors(), Theme::instance().smallFont(),
                           std::max(2.0, view.devicePixelRatioF()));
}

} // namespace

ChartPanel::ChartPanel(QWidget* parent)
    : QFrame(parent), m_chart(std::make_shared<charts::Chart>()), m_view(new ChartView), m_model(new ChartTable(this)),
      m_sorted(new QSortFilterProxyModel(this)), m_table(new QTableView), m_choices(new QHBoxLayout),
      m_tools(new QHBoxLayout), m_line(new QHBoxLayout), m_stack(new QStackedLayout)
{
    const Theme& theme = Theme::instance();
    setProperty("class", QStringLiteral("card"));
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(ChartTable::SortRole);
    m_table->setModel(m_sorted);
    setUpRows(*m_table, QStringLiteral("chartTable"), tr("The chart as a table"), 6);
    m_table->setSortingEnabled(true);
    setupView(m_table, {});
    m_choices->setSpacing(theme.unit(2));

    m_asTable = button(QStringLiteral("tasks"), tr("Show as Table"), QStringLiteral("chartAsTable"));
    m_asTable->setCheckable(true);
    connect(m_asTable, &QToolButton::toggled, this, &ChartPanel::showTable);
    QToolButton* copy = button(QStringLiteral("copy"), tr("Copy as Picture"), QStringLiteral("copyChart"));
    connect(copy, &QToolButton::clicked, this, &ChartPanel::copyPicture);
    QToolButton* save = button(QStringLiteral("export"), tr("Export as SVG, PNG or CSV…"),
                               QStringLiteral("exportChart"));
    connect(save, &QToolButton::clicked, this, &ChartPanel::askAndExport);
    for (QToolButton* tool : {m_asTable, copy, save}) {
        auto* action = new QAction(tool->icon(), tool->accessibleName(), m_view);
        connect(action, &QAction::triggered, tool, &QToolButton::click);
        if (tool == copy) {
            action->setShortcut(QKeySequence::Copy);
            action->setShortcutContext(Qt::WidgetShortcut);
        }
        m_view->addAction(action);
    }
    m_view->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_tools->setSpacing(theme.unit(1));
    m_tools->addStretch();
    m_tools->addWidget(m_asTable);
    m_tools->addWidget(copy);
    m_tools->addWidget(save);
    m_line->setContentsMargins(theme.unit(3), theme.unit(1), theme.unit(1), 0);
    m_line->setSpacing(theme.unit(1));
    m_line->addLayout(m_choices, 1);
    m_line->addLayout(m_tools);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, theme.unit(1));
    layout->setSpacing(0);
    layout->addLayout(m_line);
    layout->addLayout(m_stack, 1);
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_table);
}

bool ChartPanel::event(QEvent* event)
{
    const bool taken = QFrame::event(event);
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
        placeTools();
    return taken;
}

/// Where all do not fit beside each other, the choices have a row of their own.
void ChartPanel::placeTools()
{
    const QMargins around = m_line->contentsMargins();
    const int needed = m_choices->sizeHint().width() + m_line->spacing() + m_tools->sizeHint().width() + around.left() +
                       around.right();
    const QBoxLayout::Direction direction = needed > width() ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight;
    if (m_line->direction() != direction)
        m_line->setDirection(direction);
}

QToolButton* ChartPanel::button(const QString& icon, const QString& text, const QString& name)
{
    auto* made = new QToolButton;
    made->setIcon(Theme::instance().icon(icon, Role::Muted));
    made->setToolTip(QString(text).remove(QStringLiteral("…")));
    made->setAccessibleName(text);
    made->setObjectName(name);
    return made;
}

void ChartPanel::setChart(std::shared_ptr<const charts::Chart> chart)
{
    m_chart = std::move(chart);
    m_view->setChart(m_chart);
    m_model->setChart(m_chart);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    m_table->resizeColumnsToContents();
}

void ChartPanel::showTable(bool on)
{
    m_asTable->setChecked(on);
    m_stack->setCurrentWidget(on ? static_cast<QWidget*>(m_table) : m_view);
}

void ChartPanel::copyPicture()
{
    auto* picture = new QMimeData;
    picture->setImageData(imageOf(*m_view));
    picture->setData(QStringLiteral("image/svg+xml"), svgOf(*m_view));
    QApplication::clipboard()->setMimeData(picture);
    say(tr("The chart is on the clipboard"));
}

base::Status ChartPanel::exportTo(const QString& file) const
{
    const QString ending = QFileInfo(file).suffix().toLower();
    QByteArray bytes;
    if (ending == QLatin1String("svg")) {
        bytes = svgOf(*m_view);
    } else if (ending == QLatin1String("csv")) {
        bytes = charts::csvOf(m_chart->table).toUtf8();
    } else if (ending == QLatin1String("png")) {
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        imageOf(*m_view).save(&buffer, "PNG");
    } else {
        return base::Error{base::ErrorCode::InvalidArgument,
                           "A chart is exported to a file that ends in .svg, .png or .csv", file.toStdString(),
                           "Choose such a name"};
    }
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit())
        return base::Error{base::ErrorCode::Unavailable,
                           file.toStdString() + " cannot be written: " + out.errorString().toStdString(),
                           {},
                           "Choose another place"};
    return {};
}

void ChartPanel::askAndExport()
{
    const QString file = QFileDialog::getSaveFileName(window(), tr("Export the Chart"),
                                                      QString::fromStdString(m_chart->kind) + QStringLiteral(".svg"),
                                                      tr("Pictures and tables (*.svg *.png *.csv)"));
    if (file.isEmpty())
        return;
    if (const base::Status status = exportTo(file); !status)
        QMessageBox::warning(window(), tr("Export the Chart"), QString::fromStdString(status.error().text()));
    else
        say(tr("The chart was written to %1").arg(file));
}

/// In the status line of the window that it is in.
void ChartPanel::say(const QString& what)
{
    QStatusTipEvent said(what);
    QApplication::sendEvent(window(), &said);
    QTimer::singleShot(5000, this, [this] { // true for a moment, not for the rest of the day
        QStatusTipEvent over{QString()};
        QApplication::sendEvent(window(), &over);
    });
}

} // namespace cudal1::ui
