// SPDX-License-Identifier: GPL-3.0-or-later
// The compare page follows the selection: strip above, sources in the middle, evidence at the right.
#include "ui/compare/comparepage.h"

#include "core/store/versus.h"
#include "ui/compare/diffview.h"
#include "ui/compare/drafteditor.h"
#include "ui/compare/sidepanel.h"
#include "ui/compare/sourcefile.h"
#include "ui/compare/variantstrip.h"
#include "ui/editor/codeview.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"
#include "ui/kit/theme.h"
#include "ui/kit/tool.h"
#include "ui/kit/uistate.h"
#include "ui/variants/infoview.h"
#include "ui/variants/texts.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace cudal1::ui {

namespace {

store::VariantRow rowOf(const baselines::Row& baseline)
{
    store::VariantRow row;
    row.id = baseline.variant;
    row.task = baseline.task;
    row.baseline = std::string(baseline.kind->id);
    if (baseline.found) {
        store::EvaluationSummary& evaluation = row.evaluation.emplace();
        evaluation.id = baseline.found->id;
        evaluation.variant = baseline.variant;
        evaluation.verdict = baseline.found->verdict;
        evaluation.wall = baseline.found->wall.speedup;
        evaluation.event = baseline.found->event.speedup;
        evaluation.deviceModel = baseline.found->deviceModel;
        evaluation.marks = baseline.found->marks;
        evaluation.firstReason = baseline.found->reason.text;
    }
    return row;
}

} // namespace

ComparePage::ComparePage(ProjectModel& project, Selection& selection, QWidget* parent)
    : Page(QStringLiteral("compare"), tr("Compare"), QStringLiteral("compare"), parent), m_project(project), m_selection(selection),
      m_strip(new VariantStrip), m_middle(new QStackedWidget), m_diff(new DiffView), m_draft(new DraftEditor), m_side(new SidePanel),
      m_counter(new QLabel), m_evaluate(new QToolButton)
{
    const Theme& theme = Theme::instance();
    m_side->setMinimumWidth(theme.unit(64));
    m_side->setMaximumWidth(theme.unit(120)); // longer lines are no easier to read
    m_middle->addWidget(m_diff);
    m_middle->addWidget(m_draft);
    auto* body = new QSplitter(Qt::Horizontal);
    body->addWidget(m_middle);
    body->addWidget(m_side);
    // In these proportions, since beside a fixed column of text a small window would have no room for code.
    body->setSizes({theme.unit(199), theme.unit(94)});
    body->setChildrenCollapsible(false);
    body->setHandleWidth(theme.unit(1));
    UiState::instance().keep(body, QStringLiteral("compareColumns"));

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
    connect(m_side, &SidePanel::linesRequested, this, [this](const std::vector<policy::SourceLines>& lines) {
        std::vector<LineRange> ranges;
        for (const policy::SourceLines& range : lines)
            ranges.push_back({range.first, range.last});
        m_draft->leave();
        setCodeKind(CodeKind::Source);
        m_diff->showLines(!m_selection.right(), ranges);
    });
    connect(m_side, &SidePanel::variantRequested, this, [this](base::VariantId id) { choose(m_selection.left(), id); });
    connect(m_side, &SidePanel::errorRaised, this, &ComparePage::errorRaised);
    connect(m_draft, &DraftEditor::judgeRequested, this, &ComparePage::judgeDraft);
    connect(m_draft, &DraftEditor::errorRaised, this, &ComparePage::errorRaised);
    connect(m_draft, &DraftEditor::left, this, [this] {
        m_middle->setCurrentWidget(m_diff);
        showTools();
    });
    connect(&selection, &Selection::variantsChanged, this, &ComparePage::showSelection);
    connect(&project, &ProjectModel::tasksChanged, this, &ComparePage::showSelection);
    connect(&project, &ProjectModel::closed, this, [this] {
        m_draft->leave();
        m_openedTask = {};
        showSelection();
    });
    connect(&project, &ProjectModel::variantsChanged, this, [this](const base::TaskId& task) {
        if (task != m_selection.task() || task.empty())
            return;
        if (m_openedTask != task)
            return showSelection(); // they are read for the first time
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
    layout->addWidget(m_counter);
    layout->addStretch(1);

    // The first, so that nothing moves under the pointer when it comes.
    m_capture = addTool(layout, QStringLiteral("play"), tr("Capture kernels"), tr("Run the variant once on the chosen GPU and keep the code of its own kernels"), {}, true);
    m_capture->setObjectName(QStringLiteral("captureKernels"));
    m_capture->setIconText(tr("Capture")); // nothing else says how kernels come here
    if (auto* button = qobject_cast<QToolButton*>(layout->itemAt(layout->count() - 1)->widget()))
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(m_capture, &QAction::triggered, this, [this] {
        if (const base::VariantId id = subject())
            emit kernelsRequested(id);
    });
    m_jumps = {addTool(layout, QStringLiteral("up"), tr("Previous difference"), tr("Previous difference"), Qt::Key_BracketLeft, true),
               addTool(layout, QStringLiteral("down"), tr("Next difference"), tr("Next difference"), Qt::Key_BracketRight, true)};
    connect(m_jumps[0], &QAction::triggered, m_diff, &DiffView::previousDifference);
    connect(m_jumps[1], &QAction::triggered, m_diff, &DiffView::nextDifference);
    m_fold = addTool(layout, QStringLiteral("fold"), tr("Fold equal parts"), tr("Hide what both sides have alike, but for lines around each difference"), Qt::Key_E, true);
    m_fold->setCheckable(true);
    m_fold->setObjectName(QStringLiteral("foldEqual"));
    connect(m_fold, &QAction::toggled, m_diff, &DiffView::setFolded);
    addTool(layout, QStringLiteral("compare"), tr("Swap sides"), tr("Swap the left and the right side"), Qt::Key_X, true);
    connect(actions().constLast(), &QAction::triggered, this, [this] { choose(m_selection.right(), m_selection.left()); });
    m_edit = addTool(layout, QStringLiteral("edit"), tr("Edit a copy"), tr("Change a copy of the variant by hand, then judge it"), Qt::Key_F2, true);
    m_edit->setObjectName(QStringLiteral("editCopy"));
    connect(m_edit, &QAction::triggered, this, &ComparePage::edit);

    auto* kinds = new QActionGroup(this);
    const std::pair<QString, QString> titles[] = {{tr("Source"), tr("Show the Python sources")},
                                                  {tr("PTX"), tr("Show the PTX of the variants' own kernels")},
                                                  {tr("SASS"), tr("Show the machine code of the variants' own kernels")}};
    for (int i = 0; i < 3; ++i) {
        m_kinds[i] = addTool(layout, {}, titles[i].first, titles[i].second, {}, true);
        m_kinds[i]->setCheckable(true);
        m_kinds[i]->setObjectName(titles[i].first);
        kinds->addAction(m_kinds[i]);
        connect(m_kinds[i], &QAction::triggered, this, [this, i] { setCodeKind(CodeKind(i)); });
    }
    m_kinds[0]->setChecked(true);

    auto* more = new QToolButton;
    more->setObjectName(QStringLiteral("sources"));
    more->setIcon(Theme::instance().icon(QStringLiteral("export")));
    more->setToolTip(tr("Copy, save or open a source"));
    more->setAccessibleName(more->toolTip());
    more->setFocusPolicy(Qt::TabFocus);
    more->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(more);
    fillMenu(*menu);
    more->setMenu(menu);
    layout->addWidget(more);
    m_evaluate->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_evaluate->setText(tr("Evaluate again"));
    m_evaluate->setToolTip(tr("Judge the variant on the right once more"));
    m_evaluate->setIcon(Theme::instance().icon(QStringLiteral("refresh")));
    connect(m_evaluate, &QToolButton::clicked, this, [this] {
        if (const base::VariantId id = m_selection.right() ? m_selection.right() : m_selection.left())
            emit evaluateRequested(id);
    });
    layout->addWidget(m_evaluate);
    return bar;
}

QAction* ComparePage::addTool(QHBoxLayout* layout, const QString& icon, const QString& text, const QString& tip, const QKeySequence& key, bool button)
{
    QAction* action = makeTool(this, icon, text, tip, key);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    if (button)
        layout->addWidget(makeToolButton(action));
    return action;
}

void ComparePage::fillMenu(QMenu& menu)
{
    for (const bool left : {true, false}) {
        const QString side = left ? tr("A, left") : tr("B, right");
        const auto add = [&](const QString& icon, const QString& text, const QString& name, auto slot) {
            QAction* action = addTool(nullptr, icon, QStringLiteral("%1 (%2)").arg(text, side), text, {}, false);
            action->setObjectName(name + (left ? QStringLiteral("Left") : QStringLiteral("Right")));
            connect(action, &QAction::triggered, this, slot);
            menu.addAction(action);
        };
        add(QStringLiteral("copy"), tr("Copy source"), QStringLiteral("copy"), [this, left] { copySource(left); });
        add(QStringLiteral("export"), tr("Save source as…"), QStringLiteral("save"), [this, left] { saveSource(left); });
        add(QStringLiteral("open"), tr("Open in the system's editor"), QStringLiteral("open"), [this, left] { openSource(left); });
        if (left)
            menu.addSeparator();
    }
}

base::VariantId ComparePage::shown(bool left) const
{
    return left ? m_selection.left() : m_selection.right();
}

base::VariantId ComparePage::subject() const
{
    return m_selection.right() ? m_selection.right() : m_selection.left();
}

InfoView* ComparePage::analysis() const
{
    return m_side->view(SidePanel::Evidence);
}

void ComparePage::setEffects(EffectsOf effects)
{
    m_effects = std::move(effects);
    showAnalysis();
}

bool ComparePage::isEditing() const
{
    return m_middle->currentWidget() == m_draft;
}

void ComparePage::edit()
{
    const base::VariantId id = subject();
    if (!id)
        return;
    const base::Result<std::string> source = sourceOf(id);
    if (!source) {
        emit errorRaised(source.error());
        return;
    }
    m_middle->setCurrentWidget(m_draft);
    m_draft->edit({m_project.path(), id, *source});
    showTools();
}

void ComparePage::judgeDraft(base::VariantId parent, const std::string& source)
{
    const base::Result<store::VariantRecord> from = m_project.variant(parent);
    const base::Result<store::TaskRecord> task = from ? m_project.taskRecord(from->task) : from.error();
    if (!task) {
        emit errorRaised(task.error());
        return;
    }
    store::VariantRecord made;
    made.task = from->task;
    made.taskHash = task->hash;
    made.source = source;
    made.origin = "edited by hand";
    made.parent = parent;
    for (const policy::NamedTechnique& technique : policy::namedTechniques(source))
        if (!technique.toggle.empty() && technique.on)
            made.techniques.push_back(technique.id);
    emit judgeRequested(made);
}

void ComparePage::draftTaken(base::VariantId variant)
{
    const base::VariantId parent = m_draft->variant();
    m_draft->forget();
    choose(parent, variant);
}

QString ComparePage::fileName(base::VariantId id) const
{
    const QString task = QString::fromStdString(m_selection.task().value).section(u'/', -2).replace(u'/', u'_').replace(u'@', u'_');
    return QStringLiteral("%1_%2.py").arg(task, id ? QString::number(id.value) : QStringLiteral("reference"));
}

void ComparePage::withSource(bool left, const std::function<base::Status(const QString& name, const std::string& source)>& use)
{
    const base::Result<std::string> source = sourceOf(shown(left));
    const base::Status status = source ? use(fileName(shown(left)), *source) : base::Status(source.error());
    if (!status)
        emit errorRaised(status.error());
}

void ComparePage::copySource(bool left)
{
    withSource(left, [](const QString&, const std::string& source) {
        QApplication::clipboard()->setText(QString::fromStdString(source));
        return base::Status();
    });
}

void ComparePage::saveSource(bool left)
{
    withSource(left, [this](const QString& name, const std::string& source) { return saveSourceAs(this, name, source); });
}

void ComparePage::openSource(bool left)
{
    withSource(left, openSourceInEditor);
}

void ComparePage::choose(base::VariantId left, base::VariantId right)
{
    m_selection.compare(left, right);
}

/// Baselines stand behind the variants: they are measured like them.
void ComparePage::loadRows()
{
    const auto variants = m_project.variants(m_selection.task());
    auto rows = std::make_shared<VariantList>(variants ? *variants : VariantList());
    if (const auto baselines = m_project.baselines(m_selection.task()))
        for (const baselines::Row& baseline : *baselines)
            rows->push_back(rowOf(baseline));
    m_strip->setRows(rows);
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
    const std::shared_ptr<const BaselineList> baselines = m_project.baselines(task);
    loadRows();
    if (rows && rows->empty() && (!baselines || baselines->empty())) {
        m_shownTask = {};
        showEmpty(tr("No variants of %1 yet").arg(QString::fromStdString(task.value)),
                  tr("The reference and a variant stand here side by side, with their differences and what was measured."),
                  tr("Optimize %1").arg(QString::fromStdString(task.value)), [this, task] { emit optimizeRequested(task); });
        return;
    }
    // A task that was just opened shows its best variant: the question that most often brings a person here.
    const bool opened = rows && m_openedTask != task;
    if (rows)
        m_openedTask = task;
    const base::VariantId first = !opened ? base::VariantId() : rows->empty() ? baselines->front().variant : rows->front().evaluation ? rows->front().id : base::VariantId();
    if (first && !m_selection.left() && !m_selection.right()) {
        m_shownLeft = m_shownRight = {-1};
        choose({}, first);
        return;
    }
    if (isEditing() && m_draft->variant() != subject())
        m_draft->leave();
    showSources();
    showAnalysis();
    showTools();
    showContent();
}

void ComparePage::showTools()
{
    const base::VariantId id = subject();
    m_edit->setEnabled(bool(id) && !isEditing());
    const base::Result<std::string> source = id ? sourceOf(id) : base::Result<std::string>(std::string());
    m_edit->setText(id && source && m_draft->hasDraft({m_project.path(), id, *source}) ? tr("Go on with the draft") : tr("Edit a copy"));
    m_fold->setEnabled(!isEditing());
    for (QAction* jump : m_jumps)
        jump->setEnabled(!isEditing());
    m_evaluate->setEnabled(bool(id));
    m_capture->setVisible(m_kind != CodeKind::Source);
    m_capture->setEnabled(bool(id));
    for (QAction* kind : m_kinds)
        kind->setEnabled(!isEditing());
}

QString ComparePage::label(base::VariantId id) const
{
    if (!id)
        return tr("Reference");
    const base::Result<store::VariantRecord> variant = m_project.variant(id);
    const QString techniques = variant && !variant->techniques.empty() ? u' ' + techniquesText(variant->techniques) : QString();
    return variantName(id, variant ? variant->baseline : std::string()) + techniques;
}

void ComparePage::showAnalysis()
{
    const base::VariantId id = subject();
    if (!id) {
        m_side->showNote(referenceHtml());
        m_analysed = {};
        return;
    }
    const base::Result<store::VariantRecord> variant = m_project.variant(id);
    if (!variant) {
        m_side->showNote(InfoView::escaped(variant.error().text()));
        return;
    }
    const auto evaluation = m_project.evaluation(id);
    if (!evaluation) {
        // evaluationLoaded comes here again. Figures of another variant must not stand under this one's name meanwhile.
        if (m_analysed != id)
            m_side->showNote(QStringLiteral("<p class=muted>%1</p>").arg(tr("Reading the measurements of %1…").arg(variantName(id))));
        return;
    }
    const store::Project& project = *m_project.project();
    const auto name = [this](base::VariantId of) {
        const base::Result<store::VariantRecord> record = m_project.variant(of);
        return variantName(of, record ? record->baseline : std::string());
    };
    QString lead;
    if (const base::VariantId other = m_selection.left(); other && other != id)
        lead = versusHtml(name(other), name(id), store::versus(project, id, other));
    const auto madeBy = project.madeBy(id);
    if (!madeBy)
        emit errorRaised(madeBy.error());
    const std::shared_ptr<const VariantList> rows = m_project.variants(variant->task);
    m_side->showVariant(QStringLiteral("%1 %2").arg(QString::fromStdString(variant->task.value), name(id)), lead, *variant,
                        *evaluation ? std::optional(**evaluation) : std::nullopt,
                        designHtml(*variant, policy::namedTechniques(variant->source, variant->techniques), m_effects ? m_effects(id) : Effects()),
                        originHtml(*variant, rows ? *rows : VariantList(), madeBy ? *madeBy : std::nullopt));
    m_analysed = id;
}

QString ComparePage::counterText() const
{
    if (!m_related)
        return tr("nothing to compare");
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
    if (isEditing())
        return m_draft->find();
    (m_diff->right()->isAncestorOf(focusWidget()) || m_diff->right()->hasFocus() ? m_diff->right() : m_diff->left())->find();
}

} // namespace cudal1::ui
