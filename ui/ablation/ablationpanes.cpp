// SPDX-License-Identifier: GPL-3.0-or-later
// The panes of the ablation page: what they are made of, and how their columns fit.
#include "ui/ablation/ablationpage.h"

#include "core/ablation/examples.h"
#include "core/report/cells.h"
#include "ui/ablation/combinationsmodel.h"
#include "ui/ablation/togglesmodel.h"
#include "ui/charts/chartpanel.h"
#include "ui/charts/chartview.h"
#include "ui/kit/filterchips.h"
#include "ui/work/selection.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/kit/tool.h"
#include "ui/kit/uistate.h"
#include "ui/variants/barpainter.h"
#include "ui/variants/infoview.h"
#include "ui/variants/speedupdelegate.h"
#include "ui/variants/texts.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace cudal1::ui {

namespace {

QLabel* sectionTitle(const QString& text)
{
    const Theme& theme = Theme::instance();
    auto* label = new QLabel(text);
    label->setFont(theme.titleFont(2));
    label->setContentsMargins(theme.unit(3), theme.unit(2), theme.unit(3), theme.unit(2));
    return label;
}

/// Number and bar; the interval is in the tool tip, for which a narrow pane has more room.
class EffectDelegate : public QStyledItemDelegate {
public:
    EffectDelegate(const TogglesModel& model, QObject* parent) : QStyledItemDelegate(parent), m_model(model) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyleOptionViewItem cell(option);
        initStyleOption(&cell, index);
        cell.text.clear();
        QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
        const base::Interval effect = m_model.effect(index.row());
        if (!effect.valid())
            return;
        const Theme& theme = Theme::instance();
        const QRect area = option.rect.adjusted(theme.unit(2), 0, -theme.unit(2), 0);
        const int wide = QFontMetrics(theme.monoFont()).horizontalAdvance(QStringLiteral("unclear "));
        painter->save();
        painter->setFont(theme.monoFont());
        painter->setPen(theme.color(speedupRole(effect)));
        painter->drawText(area, Qt::AlignLeft | Qt::AlignVCenter, speedupPhrase(effect));
        const double height = theme.unit(2);
        if (area.width() - wide >= theme.unit(4))
            paintSpeedupBar(*painter, QRectF(area.left() + wide, area.center().y() - height / 2 + 0.5, area.width() - wide, height), m_model.axis(), effect);
        painter->restore();
    }

private:
    const TogglesModel& m_model;
};

/// One under the other; the number is the stretch.
QWidget* column(std::initializer_list<std::pair<QWidget*, int>> panes)
{
    auto* widget = new QWidget;
    auto* layout = new QVBoxLayout(widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (const auto& [pane, stretch] : panes)
        layout->addWidget(pane, stretch);
    return widget;
}

void plain(QTableView* view)
{
    view->setProperty("class", QStringLiteral("dense"));
    view->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
    view->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setTabKeyNavigation(false);
    view->verticalHeader()->hide();
    view->verticalHeader()->setDefaultSectionSize(Theme::instance().unit(6));
    view->horizontalHeader()->setHighlightSections(false);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
}

} // namespace

QWidget* AblationPage::makePanes()
{
    const Theme& theme = Theme::instance();
    // Tables are as high as their rows; findings and plot take the rest, so that all is seen without scrolling.
    auto* split = new QSplitter(Qt::Horizontal);
    split->setObjectName(QStringLiteral("ablationColumns"));
    split->addWidget(column({{makeTable(), 0}, {makeFindings(), 1}}));
    split->addWidget(column({{makeToggles(), 0}, {makePlot(), 1}}));
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 1);
    split->setSizes({theme.unit(213), theme.unit(81)});
    split->setChildrenCollapsible(false);
    split->setHandleWidth(theme.unit(1));
    UiState::instance().keep(split, QStringLiteral("ablationColumns"));
    return split;
}

QWidget* AblationPage::makeNothing()
{
    const Theme& theme = Theme::instance();
    auto* widget = new QWidget;
    auto* title = new QLabel(tr("Which optimisation does what"));
    title->setFont(theme.titleFont(1));
    title->setAlignment(Qt::AlignCenter);
    m_nothing = new QLabel;
    m_nothing->setObjectName(QStringLiteral("ablationNothing"));
    m_nothing->setWordWrap(true);
    m_nothing->setAlignment(Qt::AlignCenter);
    m_nothing->setProperty("class", QStringLiteral("muted"));
    m_nothing->setFixedWidth(theme.unit(100)); // its height follows from that
    auto* layout = new QVBoxLayout(widget);
    layout->setSpacing(theme.unit(3));
    layout->addStretch(2);
    layout->addWidget(title, 0, Qt::AlignHCenter);
    layout->addWidget(m_nothing, 0, Qt::AlignHCenter);
    for (const ablation::Example& example : ablation::examples()) {
        auto* button = new QPushButton(tr("%1: %2").arg(report::fromUtf8(example.task), report::fromUtf8(example.title)));
        button->setObjectName(QStringLiteral("ablationExample_") + report::fromUtf8(example.task));
        button->setToolTip(tr("Take our program for %1 apart, as the paper does in its %2").arg(report::fromUtf8(example.task), report::fromUtf8(example.table)));
        button->setProperty("class", QStringLiteral("primary"));
        layout->addWidget(button, 0, Qt::AlignHCenter);
        m_examples.push_back(button);
        connect(button, &QPushButton::clicked, this, [this, task = base::TaskId{std::string(example.task)}] { openExample(task); });
    }
    layout->addStretch(3);
    return widget;
}

QWidget* AblationPage::makeToggles()
{
    m_togglesView = new QTableView;
    m_togglesView->setObjectName(QStringLiteral("toggles"));
    m_togglesView->setAccessibleName(tr("Toggles of the variant"));
    m_togglesView->setModel(m_toggles);
    plain(m_togglesView);
    m_togglesView->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_togglesView->setItemDelegateForColumn(TogglesModel::Effect, new EffectDelegate(*m_toggles, m_togglesView));
    m_togglesView->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_togglesView->horizontalHeader()->setSectionResizeMode(TogglesModel::Name, QHeaderView::ResizeToContents);
    m_togglesView->horizontalHeader()->setStretchLastSection(true);
    return column({{sectionTitle(tr("Toggles")), 0}, {m_togglesView, 1}});
}

QWidget* AblationPage::makeTable()
{
    const Theme& theme = Theme::instance();
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(CombinationsModel::SortRole);
    m_combinations = new QTableView;
    m_combinations->setObjectName(QStringLiteral("combinations"));
    m_combinations->setAccessibleName(tr("Combinations of the toggles"));
    m_combinations->setModel(m_proxy);
    plain(m_combinations);
    m_combinations->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_combinations->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_combinations->setSortingEnabled(true);
    m_combinations->horizontalHeader()->setMinimumSectionSize(theme.unit(8));
    m_combinations->horizontalHeader()->setStretchLastSection(false);
    m_combinations->viewport()->installEventFilter(this);
    m_tools = setupView(m_combinations, QStringLiteral("combinations"));
    connect(m_combinations, &QTableView::doubleClicked, this, &AblationPage::openRow);
    // How many columns there are depends on the variant.
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] {
        const int widths[CombinationsModel::FixedCount] = {38, 14, 20, 0, 18, 15};
        const Theme& now = Theme::instance();
        QHeaderView* header = m_combinations->horizontalHeader();
        for (int column = 0; column < m_model->columnCount(); ++column) {
            const int fixed = column - m_model->toggles();
            m_combinations->setItemDelegateForColumn(column, nullptr);
            int wide = fixed < 0 ? now.unit(8) : now.unit(widths[fixed]);
            if (fixed < 0)
                for (const QString& word : m_model->headerData(column, Qt::Horizontal).toString().split(u'\n'))
                    wide = std::max(wide, header->fontMetrics().horizontalAdvance(word) + now.unit(3));
            header->resizeSection(column, wide);
        }
        if (m_model->columnCount() == 0)
            return;
        fitColumns();
        m_combinations->setItemDelegateForColumn(m_model->column(CombinationsModel::Wall),
                                                 new SpeedupDelegate([this](const QModelIndex& index) { return m_model->speedup(m_proxy->mapToSource(index).row()); },
                                                                     [this] { return m_model->axis(); }, m_combinations));
        m_combinations->sortByColumn(m_model->column(CombinationsModel::Wall), Qt::DescendingOrder);
    });
    connect(m_model, &QAbstractItemModel::dataChanged, this, &AblationPage::fitColumns);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(0, 0, theme.unit(3), 0);
    bar->addWidget(sectionTitle(tr("Combinations")));
    bar->addStretch(1);
    bar->addWidget(m_tools->makeChips());
    auto* pane = new QWidget;
    pane->setMinimumWidth(theme.unit(100));
    auto* layout = new QVBoxLayout(pane);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(m_combinations, 1);
    return pane;
}

QWidget* AblationPage::makeFindings()
{
    m_findings->setAccessibleName(tr("What the ablation found"));
    m_findings->setMinimumHeight(Theme::instance().unit(30));
    return column({{sectionTitle(tr("Findings")), 0}, {m_findings, 1}});
}

QWidget* AblationPage::makePlot()
{
    const Theme& theme = Theme::instance();
    auto* scroll = new QScrollArea;
    scroll->setWidget(m_effects);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_effects->setObjectName(QStringLiteral("effects"));
    m_effects->choices()->addStretch(1);
    connect(m_effects->view(), &ChartView::clicked, this, &AblationPage::chooseWith);
    connect(m_effects->view(), &ChartView::activated, this, [this](const charts::Mark& effect) {
        chooseWith(effect);
        const QModelIndexList chosen = m_combinations->selectionModel()->selectedRows();
        if (!chosen.isEmpty())
            openRow(*std::min_element(chosen.begin(), chosen.end())); // the first as the table is sorted
    });
    connect(&theme, &Theme::changed, this, &AblationPage::showEffects); // its rows grow with the font
    auto* pane = new QWidget;
    pane->setMinimumWidth(theme.unit(78));
    auto* layout = new QVBoxLayout(pane);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(scroll, 1);
    return pane;
}

/// Verdicts and events are read whole. A device without events has no column of them, nor has a plan of which nothing is judged: a narrow
/// window has no room for empty ones.
void AblationPage::fitColumns()
{
    if (m_model->columnCount() == 0)
        return;
    const Theme& theme = Theme::instance();
    QHeaderView* header = m_combinations->horizontalHeader();
    const int verdict = m_model->column(CombinationsModel::Verdict), event = m_model->column(CombinationsModel::Event);
    const auto widest = [&](int column, const QFontMetrics& font) {
        int wide = 0;
        for (int row = 0; row < m_model->rowCount(); ++row)
            wide = std::max(wide, font.horizontalAdvance(m_model->index(row, column).data().toString()));
        return wide;
    };
    const int ofEvents = widest(event, QFontMetrics(theme.monoFont()));
    header->resizeSection(verdict, std::max(header->sectionSize(verdict), widest(verdict, m_combinations->fontMetrics()) + theme.unit(10)));
    header->resizeSection(event, std::max(header->sectionSize(event), ofEvents + theme.unit(5)));
    header->setSectionHidden(event, ofEvents == 0);
    fitBottleneck();
}

/// The bottleneck, a sentence that its tool tip has whole, gets the width that the numbers leave: where that is little only its first word
/// is shown, with the share of the GPU. For that the columns behind it are scrolled to, and where there is too little for it, or
/// even for a word, the table scrolls too.
void AblationPage::fitBottleneck()
{
    if (m_model->columnCount() == 0)
        return;
    const Theme& theme = Theme::instance();
    QHeaderView* header = m_combinations->horizontalHeader();
    const int column = m_model->column(CombinationsModel::Bottleneck);
    const int rest = m_combinations->viewport()->width() - (header->length() - header->sectionSize(column));
    const int withoutVariant = rest + header->sectionSize(m_model->column(CombinationsModel::Variant));
    const int most = withoutVariant + header->sectionSize(m_model->column(CombinationsModel::Call));
    using Shown = CombinationsModel::Bottlenecks;
    const auto needs = [&](Shown how) {
        int wide = 0;
        for (int row = 0; row < m_model->rowCount(); ++row)
            wide = std::max(wide, m_combinations->fontMetrics().horizontalAdvance(m_model->bottleneckWithShare(row, how)));
        return wide > 0 ? wide + theme.unit(4) : 0; // a CPU has no share
    };
    const int share = needs(Shown::Share), shortShare = needs(Shown::ShortShare);
    const Shown shown = rest >= theme.unit(60) ? Shown::Sentence : most >= share ? Shown::Share : most >= shortShare ? Shown::ShortShare : Shown::Word;
    m_model->setBottlenecks(shown);
    const int needed = std::max(theme.unit(25), shown == Shown::Share ? share : shown == Shown::ShortShare ? shortShare : 0);
    // What is scrolled to is out of sight as a whole.
    header->resizeSection(column, rest >= needed ? rest : withoutVariant >= needed ? withoutVariant : std::max(most, needed));
}

bool AblationPage::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_combinations->viewport() && event->type() == QEvent::Resize)
        fitBottleneck();
    return Page::eventFilter(watched, event);
}

} // namespace cudal1::ui
