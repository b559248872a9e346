// SPDX-License-Identifier: GPL-3.0-or-later
// The table of combinations, and how its columns fit.
#include "ui/ablation/combinationsview.h"

#include "core/ablation/ablationtable.h"
#include "ui/ablation/combinationsmodel.h"
#include "ui/ablation/panes.h"
#include "ui/kit/filterchips.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/variants/speedupdelegate.h"
#include "ui/variants/texts.h"
#include "ui/variants/whymarked.h"

#include <QEvent>
#include <QFocusEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelection>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace cudal1::ui {

namespace {

/// A label with a link is one stop of the Tab key, not two: the link has the focus, and is seen to have it, as soon as
/// the label has. Return follows it.
class LinkLabel : public QLabel {
protected:
    void focusInEvent(QFocusEvent* event) override
    {
        QLabel::focusInEvent(event);
        const bool back = event->reason() == Qt::BacktabFocusReason;
        if ((back || event->reason() == Qt::TabFocusReason) && text().contains(QLatin1String("<a ")))
            QLabel::focusNextPrevChild(!back); // to the link, which is within
    }
};

} // namespace

CombinationsView::CombinationsView(ProjectModel& project, QWidget* parent)
    : QWidget(parent), m_model(new CombinationsModel(this)), m_proxy(new QSortFilterProxyModel(this)),
      m_title(paneTitle(tr("Combinations"))), m_elsewhere(new LinkLabel), m_table(new QTableView)
{
    const Theme& theme = Theme::instance();
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(CombinationsModel::SortRole);
    m_table->setObjectName(QStringLiteral("combinations"));
    m_table->setAccessibleName(tr("Combinations of the toggles"));
    m_table->setModel(m_proxy);
    makeDense(*m_table);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setMinimumSectionSize(theme.unit(8));
    m_table->horizontalHeader()->setStretchLastSection(false);
    m_table->viewport()->installEventFilter(this);
    m_tools = setupView(m_table, QStringLiteral("combinations"));
    new BadgeClicks(m_table, project, [this](const QModelIndex& index) {
        return m_model->marks(m_proxy->mapToSource(index).row()).empty()
                 ? base::VariantId()
                 : base::VariantId{index.data(CombinationsModel::VariantRole).toLongLong()};
    });
    connect(m_table, &QTableView::doubleClicked, this, &CombinationsView::open);
    connect(m_model, &QAbstractItemModel::modelReset, this, &CombinationsView::makeColumns);
    connect(m_model, &QAbstractItemModel::dataChanged, this, [this](const QModelIndex& first, const QModelIndex& last) {
        if (first.column() < last.column()) // else these are the bottlenecks in other words, for the room there is
            fitColumns();
    });

    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(0, 0, theme.unit(3), 0);
    bar->addWidget(m_title);
    bar->addStretch(1);
    bar->addWidget(m_tools->makeChips());
    m_elsewhere->setObjectName(QStringLiteral("judgedElsewhere"));
    m_elsewhere->setWordWrap(true);
    m_elsewhere->setTextFormat(Qt::RichText);
    m_elsewhere->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_elsewhere->setContentsMargins(theme.unit(3), 0, theme.unit(3), theme.unit(2));
    m_elsewhere->hide();
    connect(m_elsewhere, &QLabel::linkActivated, this,
            [this](const QString& link) { emit chosenDeviceWanted(link == QLatin1String("chosen")); });
    setMinimumWidth(theme.unit(100));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(m_elsewhere);
    layout->addWidget(m_table, 1);
}

void CombinationsView::setView(std::shared_ptr<const AblationView> view)
{
    m_view = std::move(view);
    m_model->setView(m_view);
    showElsewhere();
}

/// The window's device is for all pages, so the page only looks elsewhere.
void CombinationsView::showElsewhere()
{
    m_elsewhere->setVisible(m_view && m_view->elsewhere);
    if (!m_view || !m_view->elsewhere)
        return;
    const bool there = m_view->here.has_value();
    const ablation::AblationSettings& chosen = there ? m_view->here->settings : m_view->settings;
    const QString here = conditionsText(chosen).toHtmlEscaped();
    const QString other = conditionsText(*m_view->elsewhere).toHtmlEscaped();
    // Nothing is found for a device of which the model is not known, whatever was judged on it.
    const QString said =
        chosen.deviceModel.empty()
            ? tr("It is not known yet which model %1 is.").arg(QString::fromStdString(chosen.device).toHtmlEscaped())
            : tr("None of these combinations has been judged on %1.").arg(here);
    const bool onLink = m_elsewhere->hasFocus() && m_elsewhere->hasSelectedText();
    m_elsewhere->setText(
        there ? tr("%1 These are the results on %2. <a href=\"chosen\">Show %3</a>").arg(said, other, here)
              : tr("%1 <a href=\"elsewhere\">Show the results on %2</a>").arg(said, other));
    if (onLink) { // as before, on the other link now
        m_elsewhere->clearFocus();
        m_elsewhere->setFocus(Qt::TabFocusReason);
    }
}

void CombinationsView::open(const QModelIndex& index)
{
    if (const base::VariantId variant{index.data(CombinationsModel::VariantRole).toLongLong()})
        emit variantRequested(variant);
}

void CombinationsView::choose(std::uint32_t toggles)
{
    QItemSelection rows;
    for (int row = 0; m_view && row < m_proxy->rowCount(); ++row) {
        const QModelIndex first = m_proxy->index(row, 0);
        if ((m_view->rows[std::size_t(m_proxy->mapToSource(first).row())].on & toggles) == toggles)
            rows.select(first, m_proxy->index(row, m_proxy->columnCount() - 1));
    }
    if (rows.isEmpty())
        return;
    m_table->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    m_table->scrollTo(rows.front().topLeft());
}

void CombinationsView::openChosen()
{
    const QModelIndexList chosen = m_table->selectionModel()->selectedRows();
    if (!chosen.isEmpty())
        open(*std::min_element(chosen.begin(), chosen.end()));
}

/// How many columns there are depends on the variant.
void CombinationsView::makeColumns()
{
    const int widths[CombinationsModel::FixedCount] = {38, 14, 20, 0, 18, 15};
    const Theme& theme = Theme::instance();
    QHeaderView* header = m_table->horizontalHeader();
    for (int column = 0; column < m_model->columnCount(); ++column) {
        const int fixed = column - m_model->toggles();
        m_table->setItemDelegateForColumn(column, nullptr);
        int wide = fixed < 0 ? theme.unit(8) : theme.unit(widths[fixed]);
        if (fixed < 0)
            for (const QString& word : m_model->headerData(column, Qt::Horizontal).toString().split(u'\n'))
                wide = std::max(wide, header->fontMetrics().horizontalAdvance(word) + theme.unit(3));
        header->resizeSection(column, wide);
    }
    if (m_model->columnCount() == 0)
        return;
    fitColumns();
    auto* speedups = new SpeedupDelegate(
        [this](const QModelIndex& index) {
            const int row = m_proxy->mapToSource(index).row();
            return SpeedupDelegate::Marked{m_model->speedup(row), m_model->marks(row)};
        },
        [this] { return m_model->axis(); }, m_table);
    m_table->setItemDelegateForColumn(m_model->column(CombinationsModel::Wall), speedups);
    if (m_view && ablation::rankedBy(m_view->rows) == ablation::Order::Call)
        m_table->sortByColumn(m_model->column(CombinationsModel::Call), Qt::AscendingOrder);
    else
        m_table->sortByColumn(m_model->column(CombinationsModel::Wall), Qt::DescendingOrder);
}

/// Verdicts, events, intervals and badges are read whole. Verdicts that are all the same stand in the title alone. A
/// device without events has no column of them, nor has a plan of which nothing is judged: a narrow window has no room
/// for empty ones.
void CombinationsView::fitColumns()
{
    if (m_model->columnCount() == 0)
        return;
    const Theme& theme = Theme::instance();
    QHeaderView* header = m_table->horizontalHeader();
    const int verdict = m_model->column(CombinationsModel::Verdict), event = m_model->column(CombinationsModel::Event);
    const auto widest = [&](int column, const QFontMetrics& font) {
        int wide = 0;
        for (int row = 0; row < m_model->rowCount(); ++row)
            wide = std::max(wide, font.horizontalAdvance(m_model->index(row, column).data().toString()));
        return wide;
    };
    const int ofEvents = widest(event, QFontMetrics(theme.monoFont()));
    header->resizeSection(verdict, std::max(theme.unit(20), widest(verdict, m_table->fontMetrics()) + theme.unit(8)));
    header->resizeSection(event, std::max(header->sectionSize(event), ofEvents + theme.unit(5)));
    const bool allCorrect = m_model->areAllCorrect();
    header->setSectionHidden(verdict, allCorrect);
    m_title->setText(allCorrect ? tr("Combinations, all correct") : tr("Combinations"));
    const int wall = m_model->column(CombinationsModel::Wall);
    for (int row = 0; row < m_model->rowCount(); ++row) // whole, with its interval
        if (m_model->speedup(row).valid())
            header->resizeSection(wall, std::max(header->sectionSize(wall),
                                                 SpeedupDelegate::wholeWidth(marksBadge(m_model->marks(row)))));
    m_hasEvents = ofEvents > 0;
    fitBottleneck();
}

/// The bottleneck, a word with the share of the GPU of which its tool tip has the sentence, gets the width that the
/// numbers leave: where that is little the word is shorter. For that the columns behind it are scrolled to, and where
/// there is too little for it, or even for a word, the table scrolls too. Calls stay in view where they make the order,
/// and events go for them.
void CombinationsView::fitBottleneck()
{
    if (m_model->columnCount() == 0)
        return;
    const Theme& theme = Theme::instance();
    QHeaderView* header = m_table->horizontalHeader();
    const int column = m_model->column(CombinationsModel::Bottleneck);
    const int event = m_model->column(CombinationsModel::Event);
    const bool byCall = m_view && ablation::rankedBy(m_view->rows) == ablation::Order::Call; // then it must be seen
    header->setSectionHidden(event, !m_hasEvents);
    const auto restNow = [&] {
        return m_table->viewport()->width() - (header->length() - header->sectionSize(column));
    };
    const auto withoutVariantNow = [&] {
        return restNow() + header->sectionSize(m_model->column(CombinationsModel::Variant));
    };
    if (byCall && withoutVariantNow() < theme.unit(30))
        header->setSectionHidden(event, true);
    const int rest = restNow(), withoutVariant = withoutVariantNow();
    const int most = withoutVariant + (byCall ? 0 : header->sectionSize(m_model->column(CombinationsModel::Call)));
    using Shown = CombinationsModel::Bottlenecks;
    const auto needs = [&](Shown how) {
        int wide = 0;
        for (int row = 0; row < m_model->rowCount(); ++row)
            wide = std::max(wide, m_table->fontMetrics().horizontalAdvance(m_model->bottleneckWithShare(row, how)));
        return wide > 0 ? wide + theme.unit(4) : 0; // a CPU has no share
    };
    const int share = needs(Shown::Share), shortShare = needs(Shown::ShortShare);
    const Shown shown = most >= share ? Shown::Share : most >= shortShare ? Shown::ShortShare : Shown::Word;
    m_model->setBottlenecks(shown);
    const int needed = std::max(theme.unit(25), shown == Shown::Share        ? share
                                                : shown == Shown::ShortShare ? shortShare
                                                                             : 0);
    // What is scrolled to is out of sight as a whole.
    header->resizeSection(column, rest >= needed             ? rest
                                  : withoutVariant >= needed ? withoutVariant
                                                             : std::max(most, needed));
}

bool CombinationsView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table->viewport() && event->type() == QEvent::Resize)
        fitBottleneck();
    return QWidget::eventFilter(watched, event);
}

} // namespace cudal1::ui
