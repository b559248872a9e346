// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 counters VARIANT|TASK`: what the hardware does in a call's kernels, from the project; --capture takes it.
#include "app/cli/context.h"
#include "app/cli/counterstext.h"
#include "app/cli/fitwarning.h"
#include "app/cli/interrupt.h"
#include "app/cli/namedvariant.h"
#include "app/cli/rows.h"
#include "app/cli/verbs.h"
#include "core/optimize/options.h"
#include "core/taskfacts/taskfacts.h"

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;
using counters::StoredCounters;

/// A task, and a variant of it where one is meant.
struct Subject {
    store::TaskRecord task;
    std::optional<store::VariantRecord> variant;

    base::VariantId id() const { return variant ? variant->id : base::VariantId(); }
    std::string name() const { return variant ? "variant " + std::to_string(variant->id.value) : "the reference"; }
};

/// A variant's number, or a task, which means its reference.
base::Result<Subject> subjectOf(Context& context, const store::Project& project, const QString& text)
{
    bool isNumber = false;
    text.toLongLong(&isNumber);
    if (isNumber) {
        const auto id = variantId(text);
        if (!id)
            return id.error();
        auto variant = project.variant(*id);
        if (!variant)
            return variant.error();
        auto task = project.task(variant->task);
        if (!task)
            return task.error();
        return Subject{std::move(*task), std::move(*variant)};
    }
    const auto task = context.task(text);
    if (!task)
        return task.error();
    auto stored = project.task(task->id);
    return Subject{stored ? std::move(*stored) : recordOf(*task), {}};
}

base::Status takeCounters(Context& context, store::Project& project, const Subject& subject, const QString& by,
                          Interrupt& interrupt)
{
    protocol::CountersRequest request;
    if (!protocol::fromString(by.toStdString(), request.source))
        return Error{
            ErrorCode::InvalidArgument, "--by is cupti, ncu or static, not \"" + by.toStdString() + "\"", {}, {}};
    if (subject.variant && subject.variant->taskHash != subject.task.hash)
        return Error{ErrorCode::InvalidArgument, "It was made for an older text of the task", subject.task.id.value,
                     "Judge it against the present one first"};
    Client client(interrupt);
    const auto device = context.device(client);
    if (!device)
        return device.error();
    request.task = {subject.task.id.value, subject.task.source};
    if (subject.variant) {
        request.candidate = subject.variant->source;
        request.candidateName = "variant_" + std::to_string(subject.id().value) + ".py";
    }
    request.mayLeaveIsolation = !subject.variant; // the task's own code, which the witness runs too
    request.device = device->name;
    request.precision = context.settings().precision;
    request.seed = context.settings().seed;
    const auto counters = client.counters(request, context.showing());
    context.terminal().clearLive();
    if (!counters)
        return counters.error();
    if (const auto put = project.putTask(subject.task); !put)
        return put.error();
    return project.putCounters(subject.task.id, subject.id(), **counters);
}

base::Result<StoredCounters> knownCounters(const store::Project& project, const Subject& subject)
{
    const std::string argument = subject.variant ? std::to_string(subject.id().value) : subject.task.id.value;
    auto found = counters::storedCounters(project, subject.task.id, subject.id());
    if (!found)
        return found.error();
    if (!*found)
        return Error{ErrorCode::NotFound,
                     "Nothing is known of the kernels of " + subject.name() + " of " + subject.task.id.value + " yet",
                     {},
                     "`cudal1 counters " + argument + " --capture` counts on a GPU"};
    return std::move(**found);
}

/// What is set against the variant: the reference of the same record, or another variant of the same task.
base::Result<CountedSide> baselineOf(Context& context, const store::Project& project, const Subject& subject,
                                     const StoredCounters& own, const QString& against)
{
    if (against == QLatin1String("reference"))
        return CountedSide{"reference", own, counters::sideOf(own, {})};
    const auto other = subjectOf(context, project, against);
    if (!other)
        return other.error();
    if (other->task.id != subject.task.id)
        return Error{ErrorCode::InvalidArgument,
                     against.toStdString() + " is of " + other->task.id.value + ", not of " + subject.task.id.value,
                     {},
                     "`cudal1 variants " + subject.task.id.value + "` lists those of this task"};
    const auto found = knownCounters(project, *other);
    if (!found)
        return found.error();
    return CountedSide{other->name(), *found, counters::sideOf(*found, other->id())};
}

} // namespace

int counters(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    const auto project = context.storedProject();
    if (!project)
        return context.fail(project.error());
    const auto subject = subjectOf(context, **project, arguments[0]);
    if (!subject)
        return context.fail(subject.error());
    if (options.isSet("capture")) {
        Interrupt interrupt;
        if (const auto done = takeCounters(context, **project, *subject, options.value("by"), interrupt); !done)
            return context.fail(done.error(), interrupt, "nothing was stored");
    }
    const auto own = knownCounters(**project, *subject);
    if (!own)
        return context.fail(own.error());
    CountersReport report;
    report.project = context.projectPath().string();
    report.task = subject->task;
    report.variant = subject->id();
    report.own = {subject->name(), *own, counters::sideOf(*own, subject->id())};
    if (subject->variant) {
        auto baseline = baselineOf(context, **project, *subject, *own, options.value("against"));
        if (!baseline)
            return context.fail(baseline.error());
        report.baseline = std::move(*baseline);
    }
    taskfacts::FactsQuestion question{subject->task, bundledFolder(), own->counters.device};
    report.costs = taskfacts::gather(question, *project).costs;
    if (context.settings().json)
        context.printJson(countersJson(report));
    context.terminal().print(countersText(context.terminal(), report));
    return Done;
}

} // namespace cudal1::cli
