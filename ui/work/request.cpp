// SPDX-License-Identifier: GPL-3.0-or-later
// What can be said of any request.
#include "ui/work/request.h"

#include "core/optimize/options.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace cudal1::ui {

bool Place::disturbs(const Place& other) const
{
    const bool cpu = device == QLatin1String("cpu") || other.device == QLatin1String("cpu");
    return launcher == other.launcher && (cpu || device == other.device);
}

optimize::SearchPlace searchPlace(const Place& place)
{
    return {nullptr, optimize::deviceName(place.device.toStdString()), place.launcher.text().toStdString(),
            place.name.toStdString()};
}

QString title(JobKind kind)
{
    switch (kind) {
    case JobKind::Optimize:
    case JobKind::OptimizeMany: return QCoreApplication::translate("Job", "Optimize");
    case JobKind::Evaluate: return QCoreApplication::translate("Job", "Evaluate");
    case JobKind::Baselines: return QCoreApplication::translate("Job", "Baselines");
    case JobKind::Ablation: return QCoreApplication::translate("Job", "Ablation");
    case JobKind::Timeline: return QCoreApplication::translate("Job", "Timeline");
    case JobKind::Kernels: return QCoreApplication::translate("Job", "Kernels");
    case JobKind::Counters: return QCoreApplication::translate("Job", "Counters");
    case JobKind::Prompt: return QCoreApplication::translate("Job", "Prompt");
    case JobKind::Experiment: return QCoreApplication::translate("Job", "Experiment");
    case JobKind::Train:
    case JobKind::TrainExample: return QCoreApplication::translate("Job", "Training");
    }
    return {};
}

QString resultPage(JobKind kind)
{
    switch (kind) {
    case JobKind::OptimizeMany: return QStringLiteral("overview");
    case JobKind::Evaluate:
    case JobKind::Kernels:
    case JobKind::Counters: return QStringLiteral("compare");
    case JobKind::Timeline: return QStringLiteral("timeline");
    case JobKind::Ablation: return QStringLiteral("ablation");
    case JobKind::Experiment: return QStringLiteral("experiment");
    case JobKind::Train:
    case JobKind::TrainExample: return QStringLiteral("training");
    default: return QStringLiteral("task");
    }
}

base::TaskId JobRequest::task() const
{
    return std::visit(
        [](const auto& one) {
            if constexpr (requires { one.task; })
                return one.task.id;
            else if constexpr (
                requires { one.options.task; } && !requires { one.tasks; })
                return one.options.task.id;
            else
                return base::TaskId();
        },
        what);
}

base::VariantId JobRequest::variant() const
{
    return std::visit(
        [](const auto& one) {
            if constexpr (requires { one.variant; })
                return one.variant.id;
            else
                return base::VariantId();
        },
        what);
}

QString JobRequest::subject() const
{
    if (const auto* many = std::get_if<OptimizeManyJob>(&what))
        return many->tasks.size() == 1 ? QString::fromStdString(many->tasks.front().id.value)
                                       : QCoreApplication::translate("Job", "%1 tasks").arg(many->tasks.size());
    if (const auto* job = std::get_if<ExperimentJob>(&what))
        return QString::fromStdString(job->record.name);
    if (const auto* job = std::get_if<TrainJob>(&what))
        return QFileInfo(QString::fromStdString(job->options.out)).fileName();
    if (const auto* job = std::get_if<TrainExampleJob>(&what))
        return QFileInfo(job->folder).fileName();
    return QString::fromStdString(task().value);
}

QString JobRequest::preset() const
{
    return std::visit(
        [](const auto& one) {
            if constexpr (requires { one.preset; })
                return QString::fromUtf8(protocol::toString(one.preset));
            else if constexpr (requires { one.options; })
                return QString::fromUtf8(protocol::toString(one.options.preset));
            else if constexpr (requires { one.record; })
                return QString::fromUtf8(protocol::toString(one.record.preset));
            else
                return QString();
        },
        what);
}

QString JobRequest::place() const
{
    QStringList names;
    for (const Place& one : places)
        names << one.name;
    return names.size() < 2 ? names.value(0)
                            : QCoreApplication::translate("Job", "%1 and %2")
                                  .arg(names.mid(0, names.size() - 1).join(QStringLiteral(", ")), names.last());
}

} // namespace cudal1::ui
