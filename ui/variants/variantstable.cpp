// SPDX-License-Identifier: GPL-3.0-or-later
// The variants table: sorting, filter, context menu and the intents that come out of them.
#include "ui/variants/variantstable.h"

#include "core/optimize/outcometext.h"
#include "core/store/storedversus.h"
#include "ui/kit/elidedlabel.h"
#include "ui/kit/filterchips.h"
#include "ui/kit/rowtable.h"
#include "ui/kit/setupview.h"
#include "ui/variants/speedupdelegate.h"
#include "ui/variants/texts.h"
#include "ui/variants/variantsfilter.h"
#include "ui/variants/variantsmodel.h"
#include "ui/variants/whymarked.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"
#include "ui/work/selectionchips.h"
#include "ui/work/writing.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSaveFile>
#include <QStackedLayout>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>

#include <map>

namespace cudal1::ui {

namespace {

constexpr int deviceWidth = 34; // units of its column, where it has nothing but names of devices

} // namespace

VariantsTable::VariantsTable(ProjectModel& project, QWidget* parent)
    : QWidget(parent), m_project(project), m_model(new VariantsModel(this)),
      m_proxy(new VariantsFilter(*m_model, this)), m_view(new QTableView), m_summary(new ElidedLabel),
      m_hint(new QLabel), m_rival(new QLabel), m_stack(new QStackedLayout)
{
    const Theme& theme = Theme::instance();
    setUpView();
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_hint->setProperty("class", QStringLiteral("muted"));
    auto* title = new QLabel(tr("Variants"));
    title->setFont(theme.titleFont(2));
    m_summary->setProperty("class", QStringLiteral("muted"));
    QHBoxLayout* bar = m_bar = new QHBoxLayout;
    bar->setContentsMargins(theme.unit(3), theme.unit(2), theme.unit(3), theme.unit(2));
    bar->setSpacing(theme.unit(2));
    bar->addWidget(title);
    bar->addWidget(m_summary, 1);
    bar->addWidget(m_tools->makeChips(), 1);
    auto* file = new QPushButton(tr("Evaluate a file…"));
    file->setProperty("class", QStringLiteral("quiet"));
    file->setObjectName(QStringLiteral("evaluateFile"));
    file->setToolTip(tr("Judge a candidate of your own: a Python file that defines ModelNew"));
    bar->addWidget(file);
    connect(file, &QPushButton::clicked, this, &VariantsTable::evaluateFileRequested);
    m_rival->setObjectName(QStringLiteral("rival"));
    m_rival->setWordWrap(true);
    m_rival->setTextFormat(Qt::RichText);
    m_rival->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_rival->setContentsMargins(theme.unit(3), 0, theme.unit(3), theme.unit(2));
    connect(m_rival, &QLabel::linkActivated, this, [this](const QString& link) {
        const QStringList ids = link.split(QLatin1Char(' '));
        emit compareRequested({ids.front().toLongLong()}, {ids.back().toLongLong()});
    });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(m_rival);
    layout->addLayout(m_stack, 1);
    m_stack->addWidget(m_hint);
    m_stack->addWidget(m_view);

    connect(&project, &ProjectModel::variantsChanged, this, [this](const base::TaskId& task) {
        if (task == m_task && !task.empty())
            reload(true);
    });
    auto* ages = new QTimer(this);
    ages->setInterval(30'000);
    connect(ages, &QTimer::timeout, m_model, &VariantsModel::refreshAges);
    ages->start();
    updateSummary();
}

void VariantsTable::setUpView()
{
    const Theme& theme = Theme::instance();
    m_proxy->setSortRole(VariantsModel::SortRole);
    m_proxy->setDynamicSortFilter(true);

    m_view->setModel(m_proxy);
    m_view->setItemDelegateForColumn(
        VariantsModel::Wall, new SpeedupDelegate(
                                 [this](const QModelIndex& index) {
                                     const int row = m_model->rowOf({index.data(VariantsModel::IdRole).toLongLong()});
                                     const auto& evaluation = m_model->at(row).evaluation;
                                     return evaluation && evaluation->verdict == protocol::Verdict::Correct
                                              ? SpeedupDelegate::Marked{evaluation->wall, evaluation->marks}
                                              : SpeedupDelegate::Marked();
                                 },
                                 [this] { return m_model->axis(); }, m_view));
    setUpRows(*m_view, QStringLiteral("variants"), tr("Variants of the task"));
    m_view->setSortingEnabled(true);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    QHeaderView* header = m_view->horizontalHeader();
    const int widths[VariantsModel::ColumnCount] = {18, 36, 74, 20, 18, 24, 62, 36, deviceWidth, 18};
    for (int column = 0; column < VariantsModel::ColumnCount; ++column)
        header->resizeSection(column, theme.unit(widths[column]));
    header->setMinimumSectionSize(theme.unit(13));
    header->setStretchLastSection(false);
    header->setSectionResizeMode(VariantsModel::Techniques, QHeaderView::Stretch);
    m_view->sortByColumn(VariantsModel::Wall, Qt::DescendingOrder);
    m_tools = setupView(m_view, QStringLiteral("variants"));
    new BadgeClicks(m_view, m_project, [this](const QModelIndex& index) {
        const store::VariantRow& row = m_model->at(m_proxy->mapToSource(index).row());
        return marksOf(row).empty() ? base::VariantId() : row.id;
    });
    m_view->installEventFilter(this);
    connect(m_model, &QAbstractItemModel::dataChanged, this, [this](const QModelIndex& from, const QModelIndex& to) {
        if (from.column() <= VariantsModel::FloorShare && to.column() >= VariantsModel::FloorShare)
            showColumns();
    });
    connect(m_view, &QTableView::customContextMenuRequested, this, &VariantsTable::showMenu);
    connect(m_view, &QTableView::doubleClicked, this, [this] { emit compareRequested({}, current()); });
}

void VariantsTable::setTask(const base::TaskId& task)
{
    const bool same = task == m_task;
    m_task = task;
    if (!same)
        m_model->setFloors({});
    reload(same);
}

void VariantsTable::setSelection(Selection& selection)
{
    m_bar->insertWidget(2, makeChips(selection), 1);
    connect(&selection, &Selection::filtersChanged, this, [this, &selection] {
        m_proxy->setFilter(selection.filters().empty()
                               ? VariantsFilter::Predicate()
                               : [&selection](const store::VariantRow& row) { return selection.leaves(row); });
        updateSummary();
    });
}

void VariantsTable::reload(bool sameTask)
{
    const std::shared_ptr<const VariantList> rows = m_task.empty() ? nullptr : m_project.variants(m_task);
    if (sameTask && rows)
        m_model->update(rows);
    else
        m_model->reset(rows);
    updateSummary();
}

/// What says least goes first where the table is narrow; events that nowhere contradict the wall clock and an unknown
/// floor have no column.
void VariantsTable::showColumns()
{
    const Theme& theme = Theme::instance();
    bool events = false;
    for (int row = 0; row < m_model->rowCount() && !events; ++row)
        if (const auto& evaluation = m_model->at(row).evaluation)
            events = protocol::clocksDisagree(evaluation->wall, evaluation->event);
    m_view->setColumnHidden(VariantsModel::Event, !events);
    const bool floors = m_model->hasFloorShares();
    m_view->setColumnHidden(VariantsModel::FloorShare, !floors);
    const int free = width() - theme.unit((floors ? 24 : 0) + (events ? 18 : 0));
    // Numbers of two devices or precisions say nothing about each other, so where they differ comes before the origin.
    const bool devices = m_device.isEmpty() && free >= theme.unit(225);
    m_view->setColumnHidden(VariantsModel::Device, !devices);
    m_view->setColumnHidden(VariantsModel::Origin, !m_origin.isEmpty() || free < theme.unit(devices ? 280 : 245));
}

/// What all rows that say anything in a column say; empty where they differ.
QString VariantsTable::sameInAll(int column) const
{
    QString same;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const QString text = m_model->index(row, column).data().toString();
        if (!same.isEmpty() && !text.isEmpty() && text != same)
            return {};
        if (!text.isEmpty())
            same = text;
    }
    return same;
}

void VariantsTable::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    showColumns();
}

void VariantsTable::updateSummary()
{
    m_device = sameInAll(VariantsModel::Device);
    bool otherPrecisions = false; // of both sides, which the device's column says
    for (int row = 0; row < m_model->rowCount() && !otherPrecisions; ++row)
        if (const auto& evaluation = m_model->at(row).evaluation)
            otherPrecisions = evaluation->precision != protocol::Precision::Kernelbench;
    if (m_otherPrecisions != otherPrecisions) {
        m_otherPrecisions = otherPrecisions;
        m_view->horizontalHeader()->resizeSection(VariantsModel::Device,
                                                  Theme::instance().unit(otherPrecisions ? 48 : deviceWidth));
    }
    m_origin = sameInAll(VariantsModel::Origin);
    showColumns();
    using protocol::Merit;
    int correct = 0, elsewhere = 0;
    std::map<Merit, int> merits;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const auto& evaluation = m_model->at(row).evaluation;
        elsewhere += !m_model->at(row).counts;
        if (!m_model->at(row).counts || !evaluation || evaluation->verdict != protocol::Verdict::Correct)
            continue;
        ++correct;
        ++merits[protocol::meritOf(evaluation->wall, evaluation->marks)];
    }
    const std::shared_ptr<const VariantList> rows = m_task.empty() ? nullptr : m_project.variants(m_task);
    const std::optional<store::Rival> rival = rows ? store::rivalOf(*rows) : std::nullopt;
    const std::optional<store::SlowHost> slow = rows ? store::slowHostOf(*rows) : std::nullopt;
    m_rival->setVisible(rival || slow);
    QStringList said;
    if (slow)
        said << QString::fromStdString(optimize::slowHostText(*slow)).toHtmlEscaped();
    if (rival)
        said << QString::fromStdString(optimize::rivalSentence(*rival)).toHtmlEscaped() +
                    QStringLiteral(" <a href='%1 %2'>%3</a>")
                        .arg(rival->best.value)
                        .arg(rival->variant.value)
                        .arg(tr("Compare them"));
    m_rival->setText(said.join(u' '));
    m_rival->setToolTip(rival ? QString::fromStdString(optimize::rivalText(*rival)) : QString());
    const int all = m_model->rowCount();
    QStringList counts{m_device.isEmpty() ? tr("%1").arg(all) : tr("%1 on %2").arg(all).arg(m_device)};
    counts << tr("%1 correct").arg(correct) << tr("%1 faster than the reference").arg(merits[Merit::Gain]);
    if (const int other = merits[Merit::OtherPrecision]; other > 0)
        counts << tr("%1 faster at another precision").arg(other);
    if (const int questioned = merits[Merit::Questioned]; questioned > 0)
        counts << tr("%1 questioned").arg(questioned);
    if (elsewhere > 0)
        counts << tr("%1 judged at other precisions alone").arg(elsewhere);
    if (!m_origin.isEmpty())
        counts << tr("from: %1").arg(m_origin);
    m_summary->setText(all == 0 ? QString() : counts.join(QStringLiteral(" · ")));
    m_hint->setText(m_project.isLoading() && !m_task.empty()
                        ? tr("Loading…")
                        : tr("Every variant that is tried for this task stands here with its verdict and speed-up.\n"
                             "Optimize makes the first ones."));
    m_stack->setCurrentWidget(all == 0 ? static_cast<QWidget*>(m_hint) : m_view);
}

void VariantsTable::find()
{
    m_tools->find();
}

base::VariantId VariantsTable::current() const
{
    return {m_view->currentIndex().data(VariantsModel::IdRole).toLongLong()};
}

std::vector<base::VariantId> VariantsTable::selected() const
{
    std::vector<base::VariantId> out;
    for (const QModelIndex& index : m_view->selectionModel()->selectedRows())
        out.push_back({index.data(VariantsModel::IdRole).toLongLong()});
    return out;
}

bool VariantsTable::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_view && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) && current()) {
            const std::vector<base::VariantId> ids = selected();
            ids.size() == 2 ? emit compareRequested(ids[0], ids[1]) : emit compareRequested({}, current());
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void VariantsTable::showMenu(const QPoint& at)
{
    QMenu menu(this);
    menu.setToolTipsVisible(true);
    const std::vector<base::VariantId> ids = selected();
    if (current()) {
        const Theme& theme = Theme::instance();
        menu.addAction(theme.icon(QStringLiteral("compare")), tr("Compare with the reference"), this,
                       [this] { emit compareRequested({}, current()); })
            ->setShortcut(Qt::Key_Return);
        QAction* pair = menu.addAction(tr("Compare the two selected"), this,
                                       [this, ids] { emit compareRequested(ids[0], ids[1]); });
        pair->setEnabled(ids.size() == 2);
        menu.addSeparator();
        menu.addAction(theme.icon(QStringLiteral("copy")), tr("Copy source"), this, &VariantsTable::copySource);
        menu.addAction(theme.icon(QStringLiteral("export")), tr("Save source as…"), this, &VariantsTable::saveSource);
        menu.addAction(theme.icon(QStringLiteral("export")), tr("Save reproducer…"), this,
                       [this] { emit reproducerRequested(current()); })
            ->setToolTip(tr("One Python file that checks and times the variant with torch alone"));
        menu.addSeparator();
        QAction* again = menu.addAction(theme.icon(QStringLiteral("refresh")), tr("Evaluate again"), this,
                                        [this] { emit evaluateRequested(current()); });
        again->setToolTip(tr("Judge it once more with the device, precision and preset chosen above"));
        enableWriting(*again, m_project);
        menu.addSeparator();
    }
    menu.addActions(m_view->actions());
    menu.exec(m_view->viewport()->mapToGlobal(at));
}

void VariantsTable::copySource()
{
    const base::Result<store::VariantRecord> variant = m_project.variant(current());
    if (variant)
        QApplication::clipboard()->setText(QString::fromStdString(variant->source));
    else
        emit errorRaised(variant.error());
}

void VariantsTable::saveSource()
{
    const base::Result<store::VariantRecord> variant = m_project.variant(current());
    if (!variant) {
        emit errorRaised(variant.error());
        return;
    }
    const QString proposal = QStringLiteral("%1_%2.py")
                                 .arg(QString::fromStdString(variant->task.value).section(u'/', -2).replace(u'/', u'_'))
                                 .arg(variant->id.value);
    const QString path = QFileDialog::getSaveFileName(this, tr("Save source"), proposal, tr("Python (*.py)"));
    if (path.isEmpty())
        return;
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray::fromStdString(variant->source)) < 0 ||
        !file.commit())
        emit errorRaised({base::ErrorCode::Unreadable,
                          tr("The source was not saved: %1").arg(file.errorString()).toStdString(), path.toStdString(),
                          tr("Choose another folder").toStdString()});
}

} // namespace cudal1::ui
