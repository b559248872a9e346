// SPDX-License-Identifier: GPL-3.0-or-later
// Words of the command line by the kind of the job.
#include "ui/work/commandline.h"

#include "ui/work/request.h"

#include <QRegularExpression>
#include <QStringList>

namespace cudal1::ui {

namespace {

QString text(std::string_view word)
{
    return QString::fromUtf8(word.data(), qsizetype(word.size()));
}

QString id(base::VariantId variant)
{
    return QString::number(variant.value);
}

/// For a shell: in quotes where it needs them.
QString quoted(const QString& word)
{
    static const QRegularExpression plain(QStringLiteral("^[\\w@%+=:,./-]+$"));
    return plain.match(word).hasMatch() ? word : u'\'' + QString(word).replace(u'\'', QStringLiteral("'\\''")) + u'\'';
}

QStringList settings(protocol::Precision precision)
{
    return {QStringLiteral("--precision"), text(protocol::toString(precision))};
}

QStringList settings(protocol::Precision precision, protocol::Preset preset)
{
    return settings(precision) + QStringList{QStringLiteral("--preset"), text(protocol::toString(preset))};
}

QStringList search(const optimize::SearchOptions& options, const language::PolicyChoice& policies)
{
    QStringList words{QStringLiteral("--rounds"), QString::number(options.rounds)};
    if (options.budget_s > 0)
        words << QStringLiteral("--budget") << QString::number(options.budget_s);
    QStringList names;
    for (const std::string& name : policies.names())
        names << QString::fromStdString(name);
    if (names != QStringList{QStringLiteral("library")})
        words << QStringLiteral("--policy") << names.join(u',');
    if (policies.asksModel())
        words << QStringLiteral("--method") << text(language::wordOf(policies.method().kind));
    return words + settings(options.precision, options.preset);
}

QStringList words(const OptimizeJob& job)
{
    return QStringList{QStringLiteral("optimize"), QString::fromStdString(job.options.task.id.value)} +
           search(job.options, job.policies);
}

QStringList words(const OptimizeManyJob& job)
{
    QStringList out{QStringLiteral("optimize")};
    for (const store::TaskRecord& task : job.tasks)
        out << QString::fromStdString(task.id.value);
    return out + search(job.options, job.policies);
}

QStringList words(const BaselinesJob& job)
{
    return QStringList{QStringLiteral("baselines"), QString::fromStdString(job.task.id.value)} +
           settings(job.precision, job.preset);
}

QStringList words(const AblationJob& job)
{
    if (!job.variant.id)
        return {};
    QStringList out{QStringLiteral("ablate"), QString::fromStdString(job.task.id.value), id(job.variant.id)};
    QStringList toggles;
    for (const std::string& toggle : job.request.toggles)
        toggles << QString::fromStdString(toggle);
    if (!toggles.isEmpty())
        out << QStringLiteral("--toggles") << toggles.join(u',');
    out << QStringLiteral("--design") << QString::fromStdString(std::string(ablation::toString(job.request.design)));
    if (!job.request.list.empty())
        out << QStringLiteral("--combinations") << QString::fromStdString(job.request.list);
    return out + settings(job.precision, job.preset);
}

QStringList words(const TimelineJob& job)
{
    QStringList out{QStringLiteral("timeline"), QString::fromStdString(job.task.id.value)};
    if (!job.variants.empty())
        out << id(job.variants.front().id);
    return job.variants.size() > 1 ? QStringList() : out + settings(job.precision);
}

QStringList words(const KernelsJob& job)
{
    return QStringList{QStringLiteral("kernels"), id(job.variant.id), QStringLiteral("--capture")} +
           settings(job.precision);
}

QStringList words(const CountersJob& job)
{
    return QStringList{QStringLiteral("counters"), id(job.variant.id), QStringLiteral("--capture")} +
           settings(job.precision);
}

/// Judging a stored variant, prompts, experiments and trainings are begun there with files of their own.
template<class Job> QStringList words(const Job&)
{
    return {};
}

} // namespace

QString commandLine(const JobRequest& request, const QString& project)
{
    QStringList out = std::visit([](const auto& job) { return words(job); }, request.what);
    if (out.isEmpty())
        return {};
    QStringList devices;
    for (const Place& place : request.places)
        devices << place.device;
    if (!devices.isEmpty())
        out << QStringLiteral("--device") << devices.join(u',');
    out << QStringLiteral("--project") << project;
    for (QString& word : out)
        word = quoted(word);
    out.prepend(QStringLiteral("cudal1"));
    if (!request.places.empty() && !request.places.front().launcher.isEmpty())
        out.prepend(QStringLiteral("CUDAL1_EVALUATOR=") + quoted(request.places.front().launcher.text()));
    return out.join(u' ');
}

} // namespace cudal1::ui
