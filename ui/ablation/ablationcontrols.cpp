// SPDX-License-Identifier: GPL-3.0-or-later
// Choosers of an ablation.
#include "ui/ablation/ablationcontrols.h"

#include "ui/kit/elidedcombobox.h"
#include "ui/kit/elidedlabel.h"
#include "ui/kit/theme.h"
#include "ui/variants/texts.h"
#include "ui/work/jobsmodel.h"

#include <QDateTime>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace cudal1::ui {

namespace {

/// Of a narrow window a chooser takes what there is.
void letShrink(QComboBox* box)
{
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(8);
    box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

} // namespace

AblationControls::AblationControls(QWidget* parent)
    : QFrame(parent), m_stored(new ElidedComboBox), m_variant(new ElidedComboBox), m_design(new ElidedComboBox),
      m_list(new QLineEdit), m_forecast(new ElidedLabel), m_progress(new QProgressBar),
      m_run(new QPushButton(tr("Run")))
{
    const Theme& theme = Theme::instance();
    setProperty("class", QStringLiteral("bar"));
    m_stored->setObjectName(QStringLiteral("storedAblation"));
    m_stored->setAccessibleName(tr("Ablation"));
    m_stored->setToolTip(tr("An ablation that was run, with its device, precision and preset, or a new one"));
    m_variant->setObjectName(QStringLiteral("ablatedVariant"));
    m_variant->setAccessibleName(tr("Variant to take apart"));
    m_variant->setToolTip(tr("The variant whose toggles are switched"));
    m_design->setObjectName(QStringLiteral("ablationDesign"));
    m_design->setAccessibleName(tr("Design"));
    m_design->setToolTip(tr("Which combinations of the toggles are judged"));
    for (const auto& [design, text] : {std::pair(ablation::Design::Full, tr("All combinations")),
                                       std::pair(ablation::Design::One, tr("One at a time")),
                                       std::pair(ablation::Design::LeaveOneOut, tr("Leave one out")),
                                       std::pair(ablation::Design::List, tr("A list"))})
        m_design->addItem(text, int(design));
    m_list->setObjectName(QStringLiteral("combinationList"));
    m_list->setAccessibleName(tr("Combinations"));
    m_list->setPlaceholderText(tr("none, cuda_graph, cuda_graph+tf32, all"));
    m_list->setToolTip(
        tr("Combinations separated by commas: none, all, or names of toggles joined with +; Enter takes them"));
    for (QComboBox* box : {m_stored, m_variant, m_design})
        letShrink(box);
    m_forecast->setObjectName(QStringLiteral("ablationForecast"));
    m_forecast->setProperty("class", QStringLiteral("muted"));
    m_progress->setAccessibleName(tr("Progress of the ablation"));
    m_progress->setTextVisible(false);
    m_progress->setRange(0, 1000);
    m_progress->setFixedWidth(theme.unit(30));
    m_progress->hide();
    m_run->setObjectName(QStringLiteral("runAblation"));
    m_run->setProperty("class", QStringLiteral("primary"));

    auto* upper = new QHBoxLayout;
    upper->setSpacing(theme.unit(2));
    const auto add = [&](const QString& text, QWidget* widget, int stretch) {
        auto* label = new QLabel(text);
        label->setProperty("class", QStringLiteral("muted"));
        label->setBuddy(widget);
        upper->addWidget(label);
        upper->addWidget(widget, stretch);
    };
    add(tr("&Ablation"), m_stored, 4);
    add(tr("&of"), m_variant, 4);
    add(tr("&design"), m_design, 2);
    upper->addWidget(m_list, 4);
    auto* lower = new QHBoxLayout;
    lower->setSpacing(theme.unit(2));
    lower->addWidget(m_forecast, 1);
    lower->addWidget(m_progress);
    lower->addWidget(m_run);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.unit(3), theme.unit(2), theme.unit(3), theme.unit(2));
    layout->setSpacing(theme.unit(2));
    layout->addLayout(upper);
    layout->addLayout(lower);

    connect(m_stored, &QComboBox::activated, this,
            [this] { emit storedChosen({m_stored->currentData().toLongLong()}); });
    connect(m_variant, &QComboBox::activated, this, &AblationControls::requestChanged);
    connect(m_design, &QComboBox::activated, this, [this] {
        showList();
        if (!m_list->isVisibleTo(this) || !m_list->text().isEmpty())
            emit requestChanged();
        else
            m_list->setFocus();
    });
    connect(m_list, &QLineEdit::editingFinished, this, [this] {
        if (m_list->isModified())
            emit requestChanged();
        m_list->setModified(false);
    });
    connect(m_run, &QPushButton::clicked, this, [this] { m_busy ? emit stopRequested() : emit runRequested(); });
    showList();
    setJob(nullptr);
}

void AblationControls::setVariants(const std::vector<store::VariantRow>& rows, bool example)
{
    const QVariant before = m_variant->currentData();
    const QSignalBlocker quiet(m_variant);
    m_variant->clear();
    if (example)
        m_variant->addItem(tr("our example"), 0);
    for (const store::VariantRow& row : rows) {
        if (row.stale || row.origin.starts_with("ablation of variant"))
            continue;
        const bool timed = row.evaluation && row.evaluation->wall.valid();
        // All techniques of an example say less than its title.
        const bool byOrigin = row.techniques.empty() || row.origin.starts_with("example: ");
        m_variant->addItem(
            QStringLiteral("%1  %2%3")
                .arg(variantName(row.id),
                     byOrigin ? QString::fromStdString(row.origin) : techniquesText(row.techniques),
                     timed ? QStringLiteral("  ") + speedupPhrase(row.evaluation->wall, row.evaluation->marks)
                           : QString()),
            qlonglong(row.id.value));
    }
    m_variant->setCurrentIndex(std::max(0, m_variant->findData(before)));
    m_variant->setEnabled(m_variant->count() > 0);
}

void AblationControls::setView(const AblationView& view)
{
    const QSignalBlocker a(m_stored), b(m_variant), c(m_design), d(m_list);
    m_stored->clear();
    m_stored->addItem(tr("new"), 0);
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    for (const store::AblationRecord& one : view.stored)
        m_stored->addItem(tr("%1: variant %2, %3, %4 toggles, %5, %6, %7")
                              .arg(one.id.value)
                              .arg(variantName(one.variant), QString::fromStdString(one.design))
                              .arg(one.toggles.size())
                              .arg(QString::fromStdString(one.deviceModel.empty() ? one.device : one.deviceModel),
                                   QString::fromUtf8(protocol::toString(one.preset)), agoText(one.created_ms, now)),
                          qlonglong(one.id.value));
    m_stored->setCurrentIndex(view.shown ? std::max(0, m_stored->findData(qlonglong(view.shown->value))) : 0);
    m_stored->setEnabled(!view.stored.empty());
    if (const int at = m_variant->findData(qlonglong(view.request.variant.value)); at >= 0)
        m_variant->setCurrentIndex(at);
    m_design->setCurrentIndex(m_design->findData(int(view.request.design)));
    if (!m_list->hasFocus())
        m_list->setText(QString::fromStdString(view.request.list));
    showList();
    m_possible = !view.error && m_startable;
    QString line = view.error ? QString::fromStdString(view.error->text())
                              : tr("%1 combinations on %2: %3")
                                    .arg(view.plan.combinations.size())
                                    .arg(conditionsText(view.settings), QString::fromStdString(view.forecast.text()));
    if (!view.error && view.here)
        line += tr(". Run on %1: %2")
                    .arg(conditionsText(view.here->settings), QString::fromStdString(view.here->forecast.text()));
    m_forecast->setText(line);
    m_run->setEnabled(m_busy || m_possible);
}

void AblationControls::setJob(const Job* job)
{
    m_busy = job && job->isActive();
    m_run->setText(m_busy ? tr("Stop") : tr("Run"));
    m_run->setToolTip(
        m_busy
            ? tr("Stop after the evaluation in work; what is judged is stored, and Run goes on with the rest")
            : tr("Judge the combinations that have no evaluation with the chosen device, precision and preset (F6)"));
    m_run->setEnabled(m_busy ? job->state != Job::State::Stopping : m_possible);
    m_progress->setVisible(m_busy);
    if (m_busy) {
        m_progress->setValue(int(job->progress.fraction * 1000));
        m_forecast->setText(
            describe(*job, 0) +
            (job->progress.planned > 0 ? tr(", %1 of %2").arg(job->progress.done).arg(job->progress.planned)
                                       : QString()) +
            (job->progress.secondsLeft >= 0 ? QStringLiteral(", ") + timeLeftText(job->progress) : QString()));
    }
}

ablation::AblationRequest AblationControls::request() const
{
    ablation::AblationRequest out;
    out.variant = {m_variant->currentData().toLongLong()};
    out.design = ablation::Design(m_design->currentData().toInt());
    if (out.design == ablation::Design::List)
        out.list = m_list->text().toStdString();
    return out;
}

void AblationControls::showList()
{
    m_list->setVisible(ablation::Design(m_design->currentData().toInt()) == ablation::Design::List);
}

} // namespace cudal1::ui
