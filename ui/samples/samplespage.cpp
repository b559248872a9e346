// SPDX-License-Identifier: GPL-3.0-or-later
// A bar with scope and search, the tree of replies over the chosen one, and the ledger.
#include "ui/samples/samplespage.h"

#include "ui/kit/elidedlabel.h"
#include "ui/kit/filterchips.h"
#include "ui/kit/pagetabs.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"
#include "ui/samples/ledgerview.h"
#include "ui/samples/sampledetail.h"
#include "ui/samples/samplesmodel.h"
#include "ui/samples/samplestree.h"
#include "ui/variants/texts.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

namespace cudal1::ui {

SamplesPage::SamplesPage(ProjectModel& project, Selection& selection, QWidget* parent)
    : Page(QStringLiteral("samples"), tr("Samples"), QStringLiteral("samples"), parent), m_project(project),
      m_selection(selection), m_tabs(new PageTabs), m_stack(new QStackedWidget), m_scope(new QComboBox),
      m_search(new QLineEdit), m_sum(new ElidedLabel), m_tree(new SamplesTree), m_detail(new SampleDetail),
      m_ledger(new LedgerView), m_wait(new QTimer(this)), m_searchWait(new QTimer(this))
{
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar());
    layout->addWidget(m_stack, 1);
    m_stack->addWidget(makeReplies());
    m_stack->addWidget(m_ledger);
    setContent(content);
    showEmpty(tr("No replies yet"), tr("Open a project first."));

    m_wait->setSingleShot(true);
    m_wait->setInterval(50); // many changes in a row are read once
    connect(m_wait, &QTimer::timeout, this, &SamplesPage::load);
    m_searchWait->setSingleShot(true);
    m_searchWait->setInterval(250);
    connect(m_searchWait, &QTimer::timeout, this, &SamplesPage::search);
    connect(m_search, &QLineEdit::textChanged, m_searchWait, qOverload<>(&QTimer::start));
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        m_searchWait->stop();
        search();
    });
    connect(&m_project, &ProjectModel::tasksChanged, this, &SamplesPage::changed);
    connect(&m_project, &ProjectModel::opened, this, &SamplesPage::changed);
    connect(&m_project, &ProjectModel::closed, this, [this] {
        m_asker.forget();
        m_view.reset();
        m_tree->setView(nullptr);
        showEmpty(tr("No replies yet"), tr("Open a project first."));
    });
    connect(&m_selection, &Selection::taskChanged, this, [this] {
        if (!showsAll())
            changed();
    });
    connect(m_tree, &SamplesTree::currentSampleChanged, this, [this] {
        const optimize::SampleFacts* facts = m_tree->current();
        m_detail->show(m_project.path(), facts ? std::optional(*facts) : std::nullopt);
    });
    connect(m_tree, &SamplesTree::variantClicked, this, [this](const base::TaskId& task, base::VariantId variant) {
        m_selection.select(task, {}, variant, objectName());
    });
    const auto compare = [this](const base::TaskId& task, base::VariantId variant) {
        m_selection.select(task, {}, variant, QStringLiteral("compare"));
    };
    connect(m_tree, &SamplesTree::variantActivated, this, compare);
    connect(m_detail, &SampleDetail::compareRequested, this, compare);
    connect(m_detail, &SampleDetail::errorRaised, this, &SamplesPage::errorRaised);
    connect(m_ledger, &LedgerView::taskRequested, this,
            [this](const base::TaskId& task) { m_selection.open(task, QStringLiteral("task")); });
}

QWidget* SamplesPage::makeBar()
{
    const Theme& theme = Theme::instance();
    m_scope->setObjectName(QStringLiteral("samplesScope"));
    m_scope->setAccessibleName(tr("Of which tasks"));
    m_scope->addItems({tr("Selected task"), tr("All tasks")});
    connect(m_scope, &QComboBox::currentIndexChanged, this, &SamplesPage::changed);
    m_search->setObjectName(QStringLiteral("samplesSearch"));
    m_search->setAccessibleName(tr("Search prompts and replies"));
    m_search->setPlaceholderText(tr("Search prompts and replies"));
    m_search->setToolTip(tr("Show the replies whose text, or whose prompt, has these words (Ctrl+F)"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(theme.icon(QStringLiteral("search"), Role::Muted), QLineEdit::LeadingPosition);
    m_search->setFixedWidth(theme.unit(64));
    m_sum->setObjectName(QStringLiteral("samplesSum"));
    m_sum->setProperty("class", QStringLiteral("muted"));
    m_tabs->setObjectName(QStringLiteral("samplesTabs"));
    m_tabs->setAccessibleName(tr("Replies or ledger"));
    m_tabs->addTab(tr("Replies"));
    m_tabs->addTab(tr("Ledger"));
    m_tabs->setTabToolTip(1, tr("Tokens and cost by policy and by task"));
    m_tabs->setMarked(true);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int tab) {
        m_stack->setCurrentIndex(tab);
        m_search->setVisible(tab == 0);
    });
    auto* bar = new QFrame;
    bar->setProperty("class", QStringLiteral("bar"));
    auto* line = new QHBoxLayout(bar);
    line->setContentsMargins(theme.unit(3), theme.unit(1), theme.unit(3), theme.unit(1));
    line->setSpacing(theme.unit(3));
    line->addWidget(m_tabs);
    line->addWidget(m_scope);
    line->addWidget(m_search);
    line->addWidget(m_sum, 1);
    return bar;
}

QWidget* SamplesPage::makeReplies()
{
    const Theme& theme = Theme::instance();
    auto* top = new QWidget;
    auto* layout = new QVBoxLayout(top);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_tree->tools()->makeChips());
    layout->addWidget(m_tree, 1);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setObjectName(QStringLiteral("samplesSplitter"));
    splitter->setHandleWidth(theme.unit(1));
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(top);
    splitter->addWidget(m_detail);
    top->setMinimumHeight(theme.unit(26));
    m_detail->setMinimumHeight(theme.unit(36));
    splitter->setSizes({450, 550});
    UiState::instance().keep(splitter, QStringLiteral("samples"));
    return splitter;
}

bool SamplesPage::showsAll() const
{
    return m_scope->currentIndex() == 1;
}

void SamplesPage::setAll(bool all)
{
    m_scope->setCurrentIndex(all ? 1 : 0);
}

ViewTools* SamplesPage::table() const
{
    return m_stack->currentIndex() == 0 ? m_tree->tools() : m_ledger->tools();
}

void SamplesPage::find()
{
    if (m_stack->currentIndex() != 0)
        return m_ledger->tools()->find();
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

void SamplesPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    if (m_stale)
        m_wait->start();
}

void SamplesPage::changed()
{
    m_stale = true;
    if (isVisible())
        m_wait->start();
}

void SamplesPage::load()
{
    if (!isVisible() || !m_project.isOpen())
        return;
    m_stale = false;
    const base::TaskId task = showsAll() ? base::TaskId() : m_selection.task();
    if (!showsAll() && task.empty()) {
        m_asker.forget();
        return showEmpty(tr("No task is chosen"), tr("Choose one in the list on the left, or look at all of them."),
                         tr("Show All Tasks"), [this] { setAll(true); });
    }
    m_asker.ask([file = m_project.path(), task] { return loadSamples(file, task); },
                [this](const base::Result<std::shared_ptr<const SamplesView>>& view) {
                    if (view)
                        display(*view);
                    else
                        emit errorRaised(view.error());
                });
}

void SamplesPage::display(const std::shared_ptr<const SamplesView>& view)
{
    m_view = view;
    m_tree->setView(view);
    m_ledger->setView(*view);
    if (view->samples.empty())
        return showNothing(*view);
    showContent();
    if (m_search->text().trimmed().isEmpty())
        showSum();
    else
        search(); // in what is new too
}

void SamplesPage::showNothing(const SamplesView& view)
{
    const base::TaskId task = m_selection.task();
    if (view.elsewhere)
        showEmpty(tr("No replies about %1 yet").arg(QString::fromStdString(task.value)),
                  tr("What policies answer about this task will stand here. Other tasks have replies."),
                  tr("Show All Tasks"), [this] { setAll(true); });
    else if (task.empty())
        showEmpty(tr("No replies yet"),
                  tr("What the library and language models answer stands here, with what became of it. Choose a task "
                     "and optimize it."));
    else
        showEmpty(tr("No replies yet"),
                  tr("What the library and language models answer stands here, with what became of it. Policy, in the "
                     "tool bar, says who is asked."),
                  m_project.isReadOnly() ? QString() : tr("Optimize %1").arg(QString::fromStdString(task.value)),
                  [this, task] { emit optimizeRequested(task); });
}

void SamplesPage::showSum()
{
    if (!m_view)
        return;
    const optimize::SampleSum& sum = m_view->sum;
    QStringList out;
    if (m_found >= 0)
        out << tr("%1 of %2 replies").arg(m_found).arg(sum.samples);
    else
        out << counted(sum.samples, tr("reply"), tr("replies"));
    out << tr("%1 correct").arg(sum.correct);
    if (sum.promptTokens + sum.replyTokens > 0)
        out << tr("%1 prompt tokens, %2 reply tokens").arg(tokensText(sum.promptTokens), tokensText(sum.replyTokens));
    if (!sum.costs.empty())
        out << costsText(sum.costs);
    m_sum->setText(out.join(QStringLiteral(" · ")));
}

void SamplesPage::search()
{
    if (m_searchStop)
        *m_searchStop = true;
    const QString words = m_search->text().trimmed();
    m_detail->setMarked(words);
    if (words.isEmpty() || !m_view) {
        m_searcher.forget();
        m_found = -1;
        m_tree->setFound(std::nullopt);
        return showSum();
    }
    m_sum->setText(tr("Searching…"));
    m_searchStop = std::make_shared<std::atomic<bool>>(false);
    m_searcher.ask([file = m_project.path(), view = m_view, words,
                    stop = m_searchStop] { return searchTexts(file, view, words, stop); },
                   [this](const base::Result<std::vector<base::SampleId>>& found) {
                       if (!found) {
                           showSum();
                           return emit errorRaised(found.error());
                       }
                       m_found = int(found->size());
                       m_tree->setFound(std::unordered_set<base::SampleId>(found->begin(), found->end()));
                       showSum();
                   });
}

} // namespace cudal1::ui
