// SPDX-License-Identifier: GPL-3.0-or-later
// The compare page follows the selection: strip above, sources in the middle, evidence at the right.
#include "ui/compare/comparepage.h"

#include "ui/compare/analysis.h"
#include "ui/compare/diffview.h"
#include "ui/compare/variantstrip.h"
#include "ui/editor/codeview.h"
#include "ui/shell/elidedlabel.h"
#include "ui/shell/projectmodel.h"
#include "ui/shell/selection.h"
#include "ui/shell/theme.h"
#include "ui/shell/uistate.h"
#include "ui/variants/infoview.h"
#include "ui/variants/texts.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

namespace cudal1::ui {

ComparePage::ComparePage(ProjectModel& project, Selection& selection, QWidget* parent)
    : Page(QStringLiteral("compare"), tr("Compare"), QStringLiteral("compare"), parent), m_project(project), m_selection(selection),
      m_strip(new VariantStrip), m_diff(new DiffView), m_analysis(new InfoView), m_names(new ElidedLabel), m_counter(new QLabel),
      m_evaluate(new QToolButton)
{
    const Theme& theme = Theme::instance();
    m_analysis->setAccessibleName(tr("Verdict, measurements and analysis"));
    m_analysis->setMinimumWidth(theme.unit(56));
    auto* body = new QSplitter(Qt::Horizontal);
    body->addWidget(m_diff);
    body->addWidget(m_analysis);
    // Both shrink with the window: beside a fixed column of text a small window would have no room for code.
    body->setStretchFactor(0, 3);
    body->setStretchFactor(1, 1);
    body->setSizes({theme.unit(240), theme.unit(86)});
    body->setChildrenCollapsible(false);
    body->setHandleWidth(theme.unit(1));
    UiState::instance().keep(body, QStringLiteral("compareBody"));

    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_strip);
    layout->addWidget(makeBar());
    layout->addWidget(body, 1);
    setContent(content);

    connect(m_strip, &VariantStrip::leftRequested, this, [this](base::VariantId id) { choose(id, m_selection.right()); });
    connect(m_strip, &VariantStrip::rightRequested, this, [this](base::VariantId id) { choose(m_selection.left(), id); });
    connect(m_diff, &DiffView::shown, this, &ComparePage::showCounter);
    connect(m_diff, &DiffView::currentChanged, this, &ComparePage::showCounter);
    connect(&selection, &Selection::variantsChanged, this, &ComparePage::showSelection);
    connect(&project, &ProjectModel::tasksChanged, this, &ComparePage::showSelection);
    connect(&project, &ProjectModel::closed, this, &ComparePage::showSelection);
    connect(&project, &ProjectModel::variantsChanged, this, [this](const base::TaskId& task) {
        if (task != m_selection.task() || task.empty())
            return;
        loadRows();
        showAnalysis();
    });
    connect(&project, &ProjectModel::evaluationLoaded, this, [this](base::VariantId id) {
        if (!m_selection.task().empty() && (id == m_selection.right() || id == m_selection.left()))
            showAnalysis();
    });
    showSelection();
}

QWidget* ComparePage::makeBar()
{
    const Theme& theme = Theme::instance();
    auto* bar = new QFrame;
    bar->setProperty("class", QStringLiteral("bar"));
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(theme.unit(3), theme.unit(1), theme.unit(2), theme.unit(1));
    layout->setSpacing(theme.unit(1));
    m_counter->setProperty("class", QStringLiteral("muted"));
    m_counter->setObjectName(QStringLiteral("counter"));
    layout->addWidget(m_names, 1);
    layout->addWidget(m_counter);

    const auto add = [&](const QString& icon, const QString& text, const QString& tip, const QKeySequence& key, auto slot) {
        auto* action = new QAction(text, this);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        action->setToolTip(QStringLiteral("%1 (%2)").arg(tip, key.toString(QKeySequence::NativeText)));
        const auto draw = [action, icon] { action->setIcon(Theme::instance().icon(icon)); };
        draw();
        connect(&Theme::instance(), &Theme::changed, action, draw);
        connect(action, &QAction::triggered, this, slot);
        addAction(action);
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        button->setFocusPolicy(Qt::TabFocus);
        layout->addWidget(button);
        return action;
    };
    add(QStringLiteral("up"), tr("Previous difference"), tr("Previous difference"), Qt::Key_BracketLeft, [this] { m_diff->previousDifference(); });
    add(QStringLiteral("down"), tr("Next difference"), tr("Next difference"), Qt::Key_BracketRight, [this] { m_diff->nextDifference(); });
    add(QStringLiteral("compare"), tr("Swap sides"), tr("Swap the left and the right side"), Qt::Key_X,
        [this] { choose(m_selection.right(), m_selection.left()); });
    m_evaluate->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_evaluate->setText(tr("Evaluate again"));
    m_evaluate->setToolTip(tr("Judge the variant on the right once more"));
    const auto draw = [this] { m_evaluate->setIcon(Theme::instance().icon(QStringLiteral("refresh"))); };
    draw();
    connect(&Theme::instance(), &Theme::changed, this, draw);
    connect(m_evaluate, &QToolButton::clicked, this, [this] {
        if (const base::VariantId id = m_selection.right() ? m_selection.right() : m_selection.left())
            emit evaluateRequested(id);
    });
    layout->addWidget(m_evaluate);
    return bar;
}

void ComparePage::choose(base::VariantId left, base::VariantId right)
{
    m_selection.compare(left, right);
}

void ComparePage::loadRows()
{
    m_strip->setRows(m_project.variants(m_selection.task()));
    m_strip->setCompared(m_selection.left(), m_selection.right());
}

void ComparePage::showSelection()
{
    const base::TaskId task = m_selection.task();
    if (task.empty() || !m_project.isOpen()) {
        m_shownTask = {};
        showEmpty(tr("Nothing to compare yet"),
                  tr("Two versions of a task's code stand here side by side, with their differences and what was measured. "
                     "Choose a task first."));
        return;
    }
    const std::shared_ptr<const VariantList> rows = m_project.variants(task);
    loadRows();
    if (rows && rows->empty()) {
        m_shownTask = {};
        showEmpty(tr("No variants of %1 yet").arg(QString::fromStdString(task.value)),
                  tr("The reference and a variant stand here side by side, with their differences and what was measured."),
                  tr("Optimize %1").arg(QString::fromStdString(task.value)), [this, task] { emit optimizeRequested(task); });
        return;
    }
    // A task that was just opened shows its best variant: the question that most often brings a person here.
    if (rows && !m_selection.left() && !m_selection.right() && m_shownTask != task && rows->front().evaluation) {
        m_shownTask = task;
        m_shownLeft = m_shownRight = {-1};
        choose({}, rows->front().id);
        return;
    }
    showSources();
    showAnalysis();
    showContent();
}

base::Result<std::string> ComparePage::sourceOf(base::VariantId id) const
{
    if (!id) {
        base::Result<store::TaskRecord> task = m_project.taskRecord(m_selection.task());
        return task ? base::Result<std::string>(std::move(task->source)) : task.error();
    }
    base::Result<store::VariantRecord> variant = m_project.variant(id);
    return variant ? base::Result<std::string>(std::move(variant->source)) : variant.error();
}

void ComparePage::showSources()
{
    const base::VariantId left = m_selection.left(), right = m_selection.right();
    m_names->setText(tr("A  %1   →   B  %2").arg(label(left), label(right)));
    if (m_shownTask == m_selection.task() && m_shownLeft == left && m_shownRight == right)
        return;
    const base::Result<std::string> a = sourceOf(left), b = sourceOf(right);
    if (!a || !b) {
        // Not for good: the task may still be loading, and tasksChanged comes here again.
        if (!m_project.isLoading())
            emit errorRaised((a ? b : a).error());
        return;
    }
    m_shownTask = m_selection.task();
    m_shownLeft = left;
    m_shownRight = right;
    m_diff->setTexts(*a, *b);
}

QString ComparePage::label(base::VariantId id) const
{
    if (!id)
        return tr("Reference");
    const base::Result<store::VariantRecord> variant = m_project.variant(id);
    const QString techniques = variant && !variant->techniques.empty() ? u' ' + techniquesText(variant->techniques) : QString();
    return variantName(id) + techniques;
}

void ComparePage::showAnalysis()
{
    const base::VariantId id = m_selection.right() ? m_selection.right() : m_selection.left();
    m_evaluate->setEnabled(bool(id));
    if (!id) {
        m_analysis->setBody(referenceHtml());
        m_analysed = {};
        return;
    }
    const base::Result<store::VariantRecord> variant = m_project.variant(id);
    if (!variant) {
        m_analysis->setBody(InfoView::escaped(variant.error().text()));
        return;
    }
    const auto evaluation = m_project.evaluation(id);
    if (!evaluation) {
        // evaluationLoaded comes here again. Figures of another variant must not stand under this one's name meanwhile.
        if (m_analysed != id)
            m_analysis->setBody(QStringLiteral("<p class=muted>%1</p>").arg(tr("Reading the measurements of %1…").arg(variantName(id))));
        return;
    }
    QString body;
    if (const base::VariantId other = m_selection.left(); other && other != id && *evaluation)
        if (const auto theirs = m_project.evaluation(other); theirs && *theirs)
            body = versusHtml(variantName(other), **theirs, variantName(id), **evaluation);
    body += analysisHtml(*variant, *evaluation ? std::optional(**evaluation) : std::nullopt);
    m_analysis->setBody(body, m_analysed == id);
    m_analysed = id;
}

QString ComparePage::counterText() const
{
    const int all = m_diff->differenceCount();
    if (all == 0)
        return tr("the same text");
    const SideBySide& diff = m_diff->diff();
    const QString lines = tr("+%1 −%2 ~%3 lines").arg(diff.added).arg(diff.removed).arg(diff.changed);
    return (m_diff->current() < 0 ? counted(all, tr("difference"), tr("differences")) : tr("%1 of %2 differences").arg(m_diff->current() + 1).arg(all))
        + QStringLiteral("   ") + lines;
}

void ComparePage::showCounter()
{
    m_counter->setText(counterText());
}

void ComparePage::find()
{
    (m_diff->right()->isAncestorOf(focusWidget()) || m_diff->right()->hasFocus() ? m_diff->right() : m_diff->left())->find();
}

} // namespace cudal1::ui
