// SPDX-License-Identifier: GPL-3.0-or-later
// Groups, sums and texts of samples.
#include "ui/samples/samplesloader.h"

#include "core/language/replyparser.h"
#include "ui/kit/tr.h"

#include <algorithm>
#include <map>

namespace cudal1::ui {

using optimize::SampleFacts;

namespace {

/// A reply outside of a run is a question of its own.
auto questionOf(const SampleFacts& facts)
{
    const store::SampleRecord& one = facts.sample;
    return std::tuple(one.run.value, one.run ? one.group : one.id.value);
}

void makeGroups(SamplesView& view)
{
    std::map<std::tuple<std::int64_t, std::int64_t>, std::int64_t> begun; // by question, its first sample
    for (const SampleFacts& facts : view.samples)
        begun.try_emplace(questionOf(facts), facts.sample.id.value);
    std::stable_sort(view.samples.begin(), view.samples.end(), [&](const SampleFacts& a, const SampleFacts& b) {
        return begun[questionOf(a)] < begun[questionOf(b)];
    });
    for (std::size_t at = 0; at < view.samples.size();) {
        SampleGroup group{view.samples[at].sample.run, view.samples[at].sample.group, at, 0, {}};
        std::vector<const SampleFacts*> replies;
        while (at < view.samples.size() && questionOf(view.samples[at]) == questionOf(view.samples[group.first]))
            replies.push_back(&view.samples[at++]);
        group.count = replies.size();
        group.sum = optimize::sumOf(replies);
        view.groups.push_back(std::move(group));
    }
}

template<class NameOf> std::vector<LedgerRow> ledgerBy(const SamplesView& view, NameOf nameOf, bool tasks)
{
    std::map<std::string, std::vector<const SampleFacts*>> by;
    for (const SampleFacts& facts : view.samples)
        by[nameOf(facts)].push_back(&facts);
    std::vector<LedgerRow> out;
    for (const auto& [name, samples] : by)
        out.push_back(
            {QString::fromStdString(name), tasks ? base::TaskId{name} : base::TaskId(), optimize::sumOf(samples)});
    return out;
}

/// The one that was fastest by its newest evaluation; the last one where none is correct.
base::VariantId bestOf(const store::Project& project, const std::vector<base::VariantId>& shown)
{
    base::VariantId best;
    double reward = -1;
    for (const base::VariantId id : shown) {
        const auto counted = project.countedEvaluation(id);
        if (!counted || !*counted)
            continue;
        const double now = (*counted)->verdict == protocol::Verdict::Correct ? (*counted)->wall.estimate : 0;
        if (now >= reward) {
            reward = now;
            best = id;
        }
    }
    return best;
}

void addVariant(const store::Project& project, base::VariantId id, const QString& name, SampleTexts& out)
{
    if (!id)
        return;
    if (const auto variant = project.variant(id))
        out.others.push_back({name.arg(id.value), variant->source});
}

std::string sourceOf(const store::Project& project, const store::Sample& sample, const std::string& reply)
{
    if (sample.variant)
        if (const auto variant = project.variant(sample.variant))
            return variant->source;
    return language::parseReply(reply, false).source;
}

} // namespace

base::Result<std::shared_ptr<const SamplesView>> loadSamples(const QString& projectFile, const base::TaskId& task)
{
    const auto project = store::Project::open(projectFile.toStdString());
    if (!project)
        return project.error();
    auto records = (*project)->samplesOf(task);
    if (!records)
        return records.error();
    auto facts = optimize::sampleFacts(**project, std::move(*records));
    if (!facts)
        return facts.error();
    auto view = std::make_shared<SamplesView>();
    view->task = task;
    view->samples = std::move(*facts);
    makeGroups(*view);
    view->sum = optimize::sumOf(view->samples);
    view->byPolicy = ledgerBy(
        *view, [](const SampleFacts& one) { return one.sample.policy; }, false);
    view->byTask = ledgerBy(
        *view, [](const SampleFacts& one) { return one.sample.task.value; }, true);
    if (view->samples.empty() && !task.empty()) {
        const auto all = (*project)->samplesOf({});
        view->elsewhere = all && !all->empty();
    }
    return std::shared_ptr<const SamplesView>(std::move(view));
}

base::Result<std::shared_ptr<const SampleTexts>> loadTexts(const QString& projectFile, base::SampleId id)
{
    const auto project = store::Project::open(projectFile.toStdString());
    if (!project)
        return project.error();
    auto sample = (*project)->sample(id);
    if (!sample)
        return sample.error();
    auto reply = optimize::replyOf(**project, *sample);
    if (!reply)
        return reply.error();
    auto out = std::make_shared<SampleTexts>();
    out->source = sourceOf(**project, *sample, *reply);
    addVariant(**project, bestOf(**project, sample->shown), tr("Best exemplar, #%1"), *out);
    if (sample->parent)
        if (const auto parent = (*project)->sample(sample->parent))
            if (const auto text = optimize::replyOf(**project, *parent))
                if (std::string source = sourceOf(**project, *parent, *text); !source.empty())
                    out->others.push_back({tr("Reply %1, which it followed").arg(parent->id.value), std::move(source)});
    if (const auto task = (*project)->task(sample->task))
        out->others.push_back({tr("Reference"), task->source});
    out->sample = std::move(*sample);
    out->reply = std::move(*reply);
    return std::shared_ptr<const SampleTexts>(std::move(out));
}

base::Result<std::vector<base::SampleId>> searchTexts(const QString& projectFile,
                                                      const std::shared_ptr<const SamplesView>& view,
                                                      const QString& text, const SearchStop& stop)
{
    const auto project = store::Project::open(projectFile.toStdString());
    if (!project)
        return project.error();
    return optimize::samplesWith(**project, view->samples, text.toStdString(), [stop] { return !*stop; });
}

} // namespace cudal1::ui
