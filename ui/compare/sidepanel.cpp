// SPDX-License-Identifier: GPL-3.0-or-later
// Three texts in tabs; the pairs stand under the evidence.
#include "ui/compare/sidepanel.h"

#include "ui/compare/pairschart.h"
#include "ui/kit/pagetabs.h"
#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"
#include "ui/variants/infoview.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace cudal1::ui {

SidePanel::SidePanel(QWidget* parent)
    : QWidget(parent), m_tabs(new PageTabs), m_stack(new QStackedWidget), m_pairs(new PairsChart),
      m_pairsTitle(new QLabel), m_clock(new QToolButton)
{
    const Theme& theme = Theme::instance();
    m_tabs->setObjectName(QStringLiteral("sideTabs"));
    m_tabs->setAccessibleName(tr("Evidence, analysis or origin"));
    m_tabs->setMarked(true);
    const QString titles[] = {tr("Evidence"), tr("Analysis"), tr("Origin")};
    const QString tips[] = {tr("Verdict, reasons, clocks, precision, checks and raw pairs"),
                            tr("Techniques with their lines and effects, and the three sections"),
                            tr("Where it came from: lineage, prompt and reply")};
    auto* evidence = new QSplitter(Qt::Vertical);
    for (int i = 0; i < 3; ++i) {
        m_views[i] = new InfoView;
        m_views[i]->setAccessibleName(titles[i]);
        m_tabs->addTab(titles[i]);
        m_tabs->setTabToolTip(i, tips[i]);
        connect(m_views[i], &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
            if (const auto lines = linesOfLink(link); !lines.empty())
                emit linesRequested(lines);
            if (const base::VariantId variant = variantOfLink(link))
                emit variantRequested(variant);
        });
        if (i != Evidence)
            m_stack->addWidget(m_views[i]);
    }
    evidence->addWidget(m_views[Evidence]);
    m_pairsBox = makePairs();
    evidence->addWidget(m_pairsBox);
    evidence->setStretchFactor(0, 1);
    evidence->setChildrenCollapsible(true);
    evidence->setHandleWidth(theme.unit(1));
    evidence->setSizes({theme.unit(110), theme.unit(56)});
    UiState::instance().keep(evidence, QStringLiteral("compareEvidence"));
    m_stack->insertWidget(Evidence, evidence);
    m_stack->setCurrentIndex(Evidence);
    connect(m_tabs, &QTabBar::currentChanged, m_stack, &QStackedWidget::setCurrentIndex);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_tabs);
    layout->addWidget(m_stack, 1);
}

QWidget* SidePanel::makePairs()
{
    const Theme& theme = Theme::instance();
    auto* box = new QWidget;
    box->setProperty("class", QStringLiteral("pane"));
    box->setAttribute(Qt::WA_StyledBackground);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(theme.unit(3), theme.unit(1), theme.unit(2), 0);
    bar->setSpacing(theme.unit(1));
    m_pairsTitle->setWordWrap(true);
    m_pairsTitle->setText(tr("Pairs"));
    m_pairsTitle->setProperty("class", QStringLiteral("muted"));
    bar->addWidget(m_pairsTitle, 1);
    m_clock->setCheckable(true);
    m_clock->setObjectName(QStringLiteral("pairsClock"));
    m_clock->setText(tr("Events"));
    m_clock->setToolTip(tr("Show the pairs by the clock of events instead of the wall"));
    m_clock->setFocusPolicy(Qt::TabFocus);
    connect(m_clock, &QToolButton::toggled, this, [this](bool on) {
        m_pairs->setEvents(on);
        m_pairsTitle->setText(m_pairs->summary());
    });
    bar->addWidget(m_clock);
    auto* menu = new QToolButton;
    menu->setIcon(Theme::instance().icon(QStringLiteral("export")));
    menu->setToolTip(tr("Copy or export the pairs"));
    menu->setAccessibleName(menu->toolTip());
    menu->setFocusPolicy(Qt::TabFocus);
    menu->setPopupMode(QToolButton::InstantPopup);
    auto* actions = new QMenu(menu);
    connect(actions, &QMenu::aboutToShow, this, [this, actions] {
        actions->clear();
        m_pairs->fillMenu(*actions);
    });
    menu->setMenu(actions);
    bar->addWidget(menu);
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(m_pairs, 1);
    connect(m_pairs, &PairsChart::errorRaised, this, &SidePanel::errorRaised);
    return box;
}

void SidePanel::showNote(const QString& html)
{
    m_shown = {};
    for (InfoView* view : m_views)
        view->setBody(html);
    m_pairs->clear();
    m_pairsBox->hide();
}

void SidePanel::showVariant(const QString& name, const QString& lead, const store::VariantRecord& variant,
                            const std::optional<protocol::Evaluation>& evaluation, const QString& design,
                            const QString& origin)
{
    const bool same = m_shown == variant.id;
    m_shown = variant.id;
    m_views[Evidence]->setBody(lead + evidenceHtml(evaluation), same);
    m_views[Analysis]->setBody(design, same);
    m_views[Origin]->setBody(origin, same);
    const bool timed = evaluation && !evaluation->pairs.empty();
    m_pairsBox->setVisible(timed);
    if (!timed) {
        m_pairs->clear();
        return;
    }
    m_pairs->setEvaluation(name, *evaluation);
    m_clock->setVisible(m_pairs->hasEvents());
    m_clock->setChecked(m_pairs->showsEvents());
    m_pairsTitle->setText(m_pairs->summary());
}

SidePanel::Tab SidePanel::tab() const
{
    return Tab(m_tabs->currentIndex());
}

void SidePanel::setTab(Tab tab)
{
    m_tabs->setCurrentIndex(tab);
}

} // namespace cudal1::ui
