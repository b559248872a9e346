// SPDX-License-Identifier: GPL-3.0-or-later
// The compare page follows the selection: strip above, sources in the middle, evidence at the right.
#include "ui/compare/comparepage.h"

#include "core/store/storedversus.h"
#include "ui/compare/comparebar.h"
#include "ui/compare/comparedcode.h"
#include "ui/compare/counterspanel.h"
#include "ui/compare/diffview.h"
#include "ui/compare/drafteditor.h"
#include "ui/compare/sidepanel.h"
#include "ui/compare/sourceexport.h"
#include "ui/compare/stripmodel.h"
#include "ui/compare/variantchooser.h"
#include "ui/compare/variantstrip.h"
#include "ui/editor/codeview.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"
#include "ui/variants/infoview.h"
#include "ui/variants/texts.h"
#include "ui/variants/whymarked.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"

#include <QApplication>
#include <QClipboard>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace cudal1::ui {

namespace {

store::VariantRow rowOf(const baselines::BaselineRow& baseline)
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
    : Page(QStringLiteral("compare"), tr("Compare"), QStringLiteral("compare"), parent), m_project(project),
      m_selection(selection), m_chooser(new VariantChooser(*this)), m_middle(new QStackedWidget), m_diff(new DiffView),
      m_code(new ComparedCode(project, *m_diff, this)), m_counters(new CountersPanel(project)),
      m_draft(new DraftEditor), m_side(new SidePanel), m_bar(new CompareBar(*this, *m_diff))
{
    const Theme& theme = Theme::instance();
    new BadgeClicks(strip(), project, [](const QModelIndex& index) {
        return index.data(StripModel::MarkedRole).toBool()
                 ? base::VariantId{index.data(StripModel::IdRole).toLongLong()}
                 : base::VariantId();
    });
    m_side->setMinimumWidth(theme.unit(64));
    m_side->setMaximumWidth(theme.unit(120)); // longer lines are no easier to read
    m_middle->addWidget(m_diff);
    m_middle->addWidget(m_counters);
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
    layout->addWidget(m_chooser);
    layout->addWidget(m_bar);
    layout->addWidget(body, 1);
    setContent(content);

    connectBar();
    connect(strip(), &VariantStrip::leftRequested, this,
            [this](base::VariantId id) { choose(id, m_selection.right()); });
    connect(strip(), &VariantStrip::rightRequested, this,
            [this](base::VariantId id) { choose(m_selection.left(), id); });
    connect(m_diff, &DiffView::shown, this, &ComparePage::showCounter);
    connect(m_diff, &DiffView::currentChanged, this, &ComparePage::showCounter);
    connect(m_code, &ComparedCode::errorRaised, this, &ComparePage::errorRaised);
    connect(m_side, &SidePanel::linesRequested, this, [this](const std::vector<policy::SourceLines>& lines) {
        std::vector<LineRange> ranges;
        ranges.reserve(lines.size());
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
    connect(m_counters, &CountersPanel::errorRaised, this, &ComparePage::errorRaised);
    connect(m_draft, &DraftEditor::left, this, [this] {
        showMiddle();
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

VariantStrip* ComparePage::strip() const
{
    return m_chooser->strip();
}

void ComparePage::setRoomy(bool roomy)
{
    m_side->setVisible(!roomy);
}

void ComparePage::connectBar()
{
    connect(m_bar, &CompareBar::wrapToggled, m_diff, &DiffView::setWrapped);
    connect(m_bar, &CompareBar::wrapToggled, m_draft, &DraftEditor::setWrapped);
    connect(m_bar, &CompareBar::spaceToggled, m_diff, &DiffView::setSpaceShown);
    connect(m_bar, &CompareBar::spaceToggled, m_draft, &DraftEditor::setSpaceShown);
    connect(m_bar, &CompareBar::captureRequested, this, [this] {
        if (const base::VariantId id = subject())
            emit captureRequested(id, codeKind() == CodeKind::Counters);
    });
    connect(m_bar, &CompareBar::evaluateRequested, this, [this] {
        if (const base::VariantId id = subject())
            emit evaluateRequested(id);
    });
    connect(m_bar, &CompareBar::swapRequested, this, [this] { choose(m_selection.right(), m_selection.left()); });
    connect(m_bar, &CompareBar::editRequested, this, &ComparePage::edit);
    connect(m_bar, &CompareBar::kindRequested, this, &ComparePage::setCodeKind);
    connect(m_bar, &CompareBar::copyRequested, this, &ComparePage::copySource);
    connect(m_bar, &CompareBar::saveRequested, this, &ComparePage::saveSource);
    connect(m_bar, &CompareBar::openRequested, this, &ComparePage::openSource);
    m_bar->keepReading();
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

CodeKind ComparePage::codeKind() const
{
    return m_code->kind();
}

base::Result<std::string> ComparePage::sourceOf(base::VariantId id) const
{
    return m_code->sourceOf(m_selection.task(), id);
}

void ComparePage::showSources()
{
    const base::VariantId left = m_selection.left(), right = m_selection.right();
    if (codeKind() == CodeKind::Counters)
        return m_counters->show({m_selection.task(), left, right, label(left, false), label(right, false)});
    m_diff->setTitles(label(left), label(right));
    m_code->show(m_selection.task(), left, right);
}

void ComparePage::showMiddle()
{
    m_middle->setCurrentWidget(codeKind() == CodeKind::Counters ? static_cast<QWidget*>(m_counters) : m_diff);
}

void ComparePage::setCodeKind(CodeKind kind)
{
    m_bar->setKind(kind);
    if (kind == codeKind())
        return;
    m_code->setKind(kind);
    if (!isEditing())
        showMiddle();
    kernelsChanged();
    showTools();
}

void ComparePage::kernelsChanged()
{
    m_code->forget();
    m_counters->forget();
    if (!isEmpty())
        showSources();
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
    const QString task =
        QString::fromStdString(m_selection.task().value).section(u'/', -2).replace(u'/', u'_').replace(u'@', u'_');
    return QStringLiteral("%1_%2.py").arg(task, id ? QString::number(id.value) : QStringLiteral("reference"));
}

void ComparePage::withSource(bool left,
                             const std::function<base::Status(const QString& name, const std::string& source)>& use)
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
    withSource(left,
               [this](const QString& name, const std::string& source) { return saveSourceAs(this, name, source); });
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
        for (const baselines::BaselineRow& baseline : *baselines)
            rows->push_back(rowOf(baseline));
    strip()->setRows(rows);
    strip()->setCompared(m_selection.left(), m_selection.right());
}

void ComparePage::showSelection()
{
    const base::TaskId task = m_selection.task();
    if (task.empty() || !m_project.isOpen()) {
        m_code->forget();
        const base::TaskId first = m_project.isOpen() ? m_project.firstTask() : base::TaskId();
        showEmpty(
            tr("Nothing to compare yet"),
            tr("Two versions of a task's code stand here side by side, with their differences and what was measured. "
               "Choose a task first."),
            first.empty() ? QString() : tr("Open %1").arg(QString::fromStdString(first.value)),
            [this, first] { m_selection.selectTask(first); });
        return;
    }
    const std::shared_ptr<const VariantList> rows = m_project.variants(task);
    const std::shared_ptr<const BaselineList> baselines = m_project.baselines(task);
    loadRows();
    if (rows && rows->empty() && (!baselines || baselines->empty())) {
        m_code->forget();
        showEmpty(
            tr("No variants of %1 yet").arg(QString::fromStdString(task.value)),
            tr("The reference and a variant stand here side by side, with their differences and what was measured."),
            m_project.isReadOnly() ? QString() : tr("Optimize %1").arg(QString::fromStdString(task.value)),
            [this, task] { emit optimizeRequested(task); });
        return;
    }
    // A task that was just opened shows its best variant: the question that most often brings a person here.
    const bool opened = rows && m_openedTask != task;
    if (rows)
        m_openedTask = task;
    const base::VariantId first = !opened                  ? base::VariantId()
                                : rows->empty()            ? baselines->front().variant
                                : rows->front().evaluation ? rows->front().id
                                                           : base::VariantId();
    if (first && !m_selection.left() && !m_selection.right()) {
        m_code->forget();
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
    const base::Result<std::string> source = id ? sourceOf(id) : base::Result<std::string>(std::string());
    const bool hasDraft = id && source && m_draft->hasDraft({m_project.path(), id, *source});
    m_bar->setState({bool(id), isEditing(), hasDraft, !m_project.isReadOnly(), codeKind()});
}

QString ComparePage::label(base::VariantId id, bool withTechniques) const
{
    if (!id)
        return tr("Reference");
    const base::Result<store::VariantRecord> variant = m_project.variant(id);
    const bool hasSome = withTechniques && variant && !variant->techniques.empty();
    const QString techniques = hasSome ? u' ' + techniquesText(variant->techniques) : QString();
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
            m_side->showNote(QStringLiteral("<p class=muted>%1</p>")
                                 .arg(tr("Reading the measurements of %1…").arg(variantName(id))));
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
    m_side->showVariant(QStringLiteral("%1 %2").arg(QString::fromStdString(variant->task.value), name(id)), lead,
                        *variant, *evaluation ? std::optional(**evaluation) : std::nullopt,
                        designHtml(*variant, policy::namedTechniques(variant->source, variant->techniques),
                                   m_effects ? m_effects(id) : ToggleEffects()),
                        originHtml(*variant, rows ? *rows : VariantList(), madeBy ? *madeBy : std::nullopt));
    m_analysed = id;
}

QString ComparePage::counterText() const
{
    if (!m_code->isRelated())
        return tr("nothing to compare");
    const int all = m_diff->differenceCount();
    if (all == 0)
        return tr("the same text");
    const base::SideBySide& diff = m_diff->diff();
    const QString lines = tr("+%1 −%2 ~%3 lines").arg(diff.added).arg(diff.removed).arg(diff.changed);
    return (m_diff->current() < 0 ? counted(all, tr("difference"), tr("differences"))
                                  : tr("%1 of %2 differences").arg(m_diff->current() + 1).arg(all)) +
           QStringLiteral("   ") + lines;
}

void ComparePage::showCounter()
{
    m_bar->setCounter(counterText());
}

void ComparePage::find()
{
    if (isEditing())
        return m_draft->find();
    if (codeKind() == CodeKind::Counters) {
        if (ViewTools* tools = ViewTools::around(m_counters->kernels()))
            tools->find();
        return;
    }
    const bool right = !m_diff->isInline() &&
                       (m_diff->right()->isAncestorOf(focusWidget()) || m_diff->right()->hasFocus());
    (right ? m_diff->right() : m_diff->left())->find();
}

} // namespace cudal1::ui
