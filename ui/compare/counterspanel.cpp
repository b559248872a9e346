// SPDX-License-Identifier: GPL-3.0-or-later
// Counters of two sides, read through a connection of a worker's own.
#include "ui/compare/counterspanel.h"

#include "core/charts/kernelcharts.h"
#include "core/counters/nsightcommand.h"
#include "core/counters/storedcounters.h"
#include "core/taskfacts/taskfacts.h"
#include "ui/charts/chartpanel.h"
#include "ui/charts/charttable.h"
#include "ui/charts/chartview.h"
#include "ui/kit/pagetabs.h"
#include "ui/kit/rowtable.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"
#include "ui/variants/texts.h"
#include "ui/work/projectmodel.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QDateTime>
#include <QHeaderView>
#include <QLabel>
#include <QResizeEvent>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace cudal1::ui {

using counters::StoredCounters;

/// What a worker makes of the project.
struct CountersPanel::Read {
    QString said;
    charts::Chart roofline, changes;
    bool any = false;
};

namespace {

struct Question {
    QString path;
    taskfacts::FactsQuestion facts;
    CountersPanel::Sides sides;
};

/// A record of its own for each side; the reference is of the record of the variant that it stands beside, else of any.
base::Result<std::optional<StoredCounters>> recordOf(const store::Project& project, const CountersPanel::Sides& sides,
                                                     bool left)
{
    const base::VariantId own = left ? sides.left : sides.right, other = left ? sides.right : sides.left;
    auto found = counters::storedCounters(project, sides.task, own ? own : other);
    return own || !found || *found ? std::move(found) : counters::storedCounters(project, sides.task, {});
}

/// "#28 and #14": variants of the task that have a timeline, a few of them.
QString recordedVariants(const store::Project& project, const base::TaskId& task)
{
    constexpr qsizetype most = 3;
    QStringList names;
    const auto timelines = project.timelines(task);
    for (std::size_t i = 0; timelines && i < timelines->size() && names.size() < most; ++i)
        if (const base::VariantId id = (*timelines)[i].variant; id && !names.contains(variantName(id)))
            names << variantName(id);
    return names.join(QStringLiteral(", "));
}

QString paragraph(const QString& name, const counters::SideFacts& facts)
{
    const QString bottleneck = facts.bottleneck.empty() ? CountersPanel::tr("No kernel ran")
                                                        : QString::fromStdString(facts.bottleneck);
    QString out = QStringLiteral("<p><b>%1</b>&nbsp; %2.").arg(name.toHtmlEscaped(), bottleneck.toHtmlEscaped());
    for (const std::string& note : facts.notes)
        out += QLatin1Char(' ') + QString::fromStdString(note).toHtmlEscaped();
    return out + QStringLiteral("</p>");
}

QString sourceWords(const StoredCounters& record, std::int64_t now_ms)
{
    return CountersPanel::tr("%1 On %2, %3.")
        .arg(QString::fromStdString(counters::sourceText(record.counters)),
             QString::fromStdString(record.counters.device.model), agoText(record.created_ms, now_ms));
}

/// Where the variant was judged otherwise than its counters were taken; empty where both agree.
QString otherwiseJudged(const store::Project& project, base::VariantId variant, const protocol::Counters& counters)
{
    if (!variant)
        return {};
    const auto judged = project.countedEvaluation(variant);
    if (!judged || !*judged ||
        ((*judged)->deviceModel == counters.device.model && (*judged)->precision == counters.precision))
        return {};
    return QStringLiteral("<p><b>%1</b></p>")
        .arg(CountersPanel::tr(
                 "The speed-up beside this was measured on %1 at the precision %2, and these counters were "
                 "taken on %3 at %4: the two do not explain each other. Capture takes new ones.")
                 .arg(QString::fromStdString((*judged)->deviceModel),
                      QString::fromUtf8(protocol::toString((*judged)->precision)),
                      QString::fromStdString(counters.device.model),
                      QString::fromUtf8(protocol::toString(counters.precision)))
                 .toHtmlEscaped());
}

/// With tabs as the others of the window look.
class KernelTabs : public QTabWidget {
public:
    KernelTabs()
    {
        auto* tabs = new PageTabs;
        tabs->setMarked(true);
        setTabBar(tabs);
        setDocumentMode(true);
        setObjectName(QStringLiteral("countersTables"));
        setAccessibleName(CountersPanel::tr("Tables of kernels"));
        tabs->setAccessibleName(accessibleName());
    }
};

} // namespace

CountersPanel::CountersPanel(const ProjectModel& project, QWidget* parent)
    : QScrollArea(parent), m_project(project), m_said(new QLabel), m_roofline(new ChartPanel),
      m_changes(new ChartPanel), m_kernelRows(new ChartTable(this)), m_changeRows(new ChartTable(this)),
      m_charts(new QSplitter(Qt::Horizontal)), m_tables(new KernelTabs), m_pictures(new QWidget)
{
    const Theme& theme = Theme::instance();
    m_said->setWordWrap(true);
    m_said->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_said->setObjectName(QStringLiteral("countersSaid"));
    m_said->setAccessibleName(tr("What the kernels are bound by"));
    m_said->setContentsMargins(theme.unit(3), theme.unit(2), theme.unit(3), theme.unit(1));
    m_said->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_roofline->setObjectName(QStringLiteral("countersRoofline"));
    m_changes->setObjectName(QStringLiteral("countersChanges"));
    m_roofline->view()->setAccessibleName(tr("Roofline"));
    m_changes->view()->setAccessibleName(tr("Kernel by kernel"));
    for (ChartPanel* one : {m_roofline, m_changes}) {
        one->setMinimumHeight(theme.unit(66));
        m_charts->addWidget(one);
    }
    m_charts->setChildrenCollapsible(false);
    m_charts->setHandleWidth(theme.unit(1));
    m_tables->setMinimumHeight(theme.unit(44));
    m_kernels = makeTable(m_kernelRows, "countersKernels", tr("Kernels"));
    m_byKernel = makeTable(m_changeRows, "countersByKernel", tr("Kernel by kernel"));
    addHandOver(false, tr("Copy command for Nsight Compute"),
                tr("Copy the commands that open the kernel of the chosen row in Nsight Compute"));
    addHandOver(true, tr("Copy command for Nsight Systems"),
                tr("Copy the commands that record the variant's calls for Nsight Systems"));
    auto* body = new QSplitter(Qt::Vertical);
    body->addWidget(m_charts);
    body->addWidget(m_tables);
    body->setSizes({theme.unit(100), theme.unit(50)});
    body->setChildrenCollapsible(false);
    body->setHandleWidth(theme.unit(1));
    UiState::instance().keep(body, QStringLiteral("countersRows"));
    auto* inner = new QVBoxLayout(m_pictures);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->addWidget(body);
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_said);
    layout->addWidget(m_pictures, 1);
    layout->addStretch(0);
    setWidget(content);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus); // what is in it has it
    m_pictures->hide();
}

void CountersPanel::resizeEvent(QResizeEvent* event)
{
    const bool isNarrow = event->size().width() < Theme::instance().unit(160);
    m_charts->setOrientation(isNarrow ? Qt::Vertical : Qt::Horizontal);
    QScrollArea::resizeEvent(event);
}

QTableView* CountersPanel::makeTable(ChartTable* model, const char* name, const QString& title)
{
    auto* proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(model);
    proxy->setSortRole(TableModel::SortRole);
    auto* table = new QTableView;
    table->setModel(proxy);
    setUpRows(*table, QString::fromLatin1(name), title, 6);
    table->setTextElideMode(Qt::ElideMiddle);
    table->setSortingEnabled(true);
    table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder); // as they come: most time first
    setupView(table, QString::fromLatin1(name));
    m_tables->addTab(table, title);
    return table;
}

void CountersPanel::addHandOver(bool systems, const QString& text, const QString& tip)
{
    auto* action = new QAction(Theme::instance().icon(QStringLiteral("copy")), text, m_kernels);
    action->setToolTip(tip);
    action->setObjectName(systems ? QStringLiteral("copyNsys") : QStringLiteral("copyNcu"));
    connect(action, &QAction::triggered, this, [this, systems] {
        if (const QString command = handOver(systems); !command.isEmpty())
            QApplication::clipboard()->setText(command);
    });
    m_kernels->addAction(action);
}

std::string CountersPanel::chosenKernel() const
{
    const QModelIndex index = m_kernels->currentIndex();
    return index.isValid() ? index.siblingAtColumn(1).data(CopyRole).toString().toStdString() : std::string();
}

QString CountersPanel::handOver(bool systems) const
{
    const base::VariantId variant = !m_shown ? base::VariantId() : m_shown->right ? m_shown->right : m_shown->left;
    if (!variant)
        return {};
    return QString::fromStdString(systems
                                      ? counters::nsysCommand(variant, m_project.path().toStdString())
                                      : counters::ncuCommand(variant, m_project.path().toStdString(), chosenKernel()));
}

QString CountersPanel::said() const
{
    return m_said->text();
}

void CountersPanel::show(const Sides& sides)
{
    if (m_shown == sides)
        return;
    const auto record = m_project.taskRecord(sides.task);
    if (!record) {
        if (!m_project.isLoading())
            emit errorRaised(record.error());
        return;
    }
    m_shown = sides;
    if (m_said->text().isEmpty())
        m_said->setText(tr("Reading…"));
    Question question{m_project.path(), {*record, {}, {}}, sides};
    if (const auto suite = tasks::bundledSuite(QCoreApplication::applicationDirPath().toStdString()))
        question.facts.suite = *suite;
    m_asker.ask(
        [question = std::move(question), now_ms = QDateTime::currentMSecsSinceEpoch()]() mutable -> base::Result<Read> {
            const auto project = store::Project::open(question.path.toStdString());
            if (!project)
                return project.error();
            const Sides& sides = question.sides;
            const auto a = recordOf(**project, sides, true), b = recordOf(**project, sides, false);
            if (!a || !b)
                return (a ? b : a).error();
            Read out;
            QString unknown; // which side nothing is known of
            if (!*a || !*b) {
                const QString which = !*a && !*b ? tr("either side") : !*a ? sides.leftName : sides.rightName;
                unknown = tr("<p><b>Nothing is known of the kernels of %1 yet.</b> Capture, above, counts on a GPU; "
                             "a timeline of the variant says how long each kernel takes and how it was "
                             "launched.</p>")
                              .arg(which.toHtmlEscaped());
                if (const QString others = recordedVariants(**project, sides.task); !others.isEmpty())
                    unknown += tr("<p>The task has timelines of %1.</p>").arg(others.toHtmlEscaped());
            }
            out.any = *a || *b;
            if (!out.any) {
                out.said = unknown;
                return out;
            }
            const StoredCounters& known = *b ? **b : **a; // which the picture is of where one side is not known
            question.facts.device = known.counters.device;
            const auto costs = taskfacts::gather(question.facts, project->get()).costs;
            const auto factsOf = [&](const StoredCounters& record, base::VariantId id) {
                return counters::factsOf(counters::sideOf(record, id), record.counters.device,
                                         costs ? &*costs : nullptr);
            };
            // A side that is not known keeps its place, so that the other one has its own colour.
            const charts::KernelSide shown[] = {
                {sides.leftName, *a ? factsOf(**a, sides.left) : counters::SideFacts()},
                {sides.rightName, *b ? factsOf(**b, sides.right) : counters::SideFacts()}};
            out.said = QStringLiteral("<p>%1</p>").arg(sourceWords(known, now_ms).toHtmlEscaped());
            if (*a && *b && (*a)->created_ms != (*b)->created_ms)
                out.said += QStringLiteral("<p>%1: %2</p>")
                                .arg(sides.leftName.toHtmlEscaped(), sourceWords(**a, now_ms).toHtmlEscaped());
            if (*b)
                out.said += otherwiseJudged(**project, sides.right, (*b)->counters);
            if (*a)
                out.said += paragraph(sides.leftName, shown[0].facts);
            if (*b)
                out.said += paragraph(sides.rightName, shown[1].facts);
            out.roofline = charts::roofline(shown, counters::roofsOf(known.counters.device.model));
            out.said += unknown;
            if (!*a || !*b) {
                out.changes.empty = tr("The kernels of one side are not known yet");
                return out;
            }
            out.changes = charts::kernelChanges(
                counters::changesOf(counters::sideOf(**a, sides.left), counters::sideOf(**b, sides.right)),
                sides.leftName, sides.rightName);
            return out;
        },
        [this](const base::Result<Read>& read) { take(read); });
}

void CountersPanel::take(const base::Result<Read>& read)
{
    if (!read)
        emit errorRaised(read.error());
    const Read none;
    const Read& shownNow = read ? *read : none;
    m_said->setText(shownNow.said);
    m_pictures->setVisible(shownNow.any);
    const auto roofline = std::make_shared<const charts::Chart>(shownNow.roofline);
    const auto changes = std::make_shared<const charts::Chart>(shownNow.changes);
    m_roofline->setChart(roofline);
    m_changes->setChart(changes);
    m_kernelRows->setChart(roofline);
    m_changeRows->setChart(changes);
    const auto setWidths = [](QTableView& table, std::initializer_list<int> widths) {
        int column = 0;
        for (const int width : widths)
            table.horizontalHeader()->resizeSection(column++, Theme::instance().unit(width));
    };
    setWidths(*m_kernels, {22, 70, 24, 20, 18, 32, 26, 56, 20, 20, 28, 18, 26, 18, 26, 24, 24, 20, 70, 34, 120});
    setWidths(*m_byKernel, {70, 34, 30, 32, 34, 38, 30});
    emit shown();
}

} // namespace cudal1::ui
