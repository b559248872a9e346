// SPDX-License-Identifier: GPL-3.0-or-later
// Reading a project's samples for a replay.
#include "core/models/recordedsamples.h"

#include "core/store/project.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <vector>

namespace cudal1::models {

namespace {

using base::Error;
using base::ErrorCode;

/// "endpoint: qwen3" of "endpoint:qwen3".
std::string storedName(std::string policy)
{
    const std::size_t colon = policy.find(':');
    if (colon != policy.npos && policy.compare(colon, 2, ": ") != 0)
        policy.insert(colon + 1, " ");
    return policy;
}

policy::ChatReply replyOfSample(const store::Sample& sample)
{
    policy::ChatReply out;
    out.text = sample.reply;
    out.model = sample.policyVersion;
    out.usage.promptTokens = sample.promptTokens;
    out.usage.replyTokens = sample.replyTokens;
    const auto settings = policy::settingsOf(policy::samplingText(sample.settings));
    if (settings && settings->maxTokens && sample.replyTokens.value_or(0) >= *settings->maxTokens)
        out.end = policy::ChatReply::End::Length;
    return out;
}

} // namespace

bool isProject(const std::filesystem::path& file)
{
    char head[16] = {};
    std::ifstream in(file, std::ios::binary);
    return in.read(head, sizeof head) && std::string(head, sizeof head - 1) == "SQLite format 3";
}

base::Result<std::unique_ptr<ReplayModel>> replayOf(const std::filesystem::path& file, const std::string& policy)
{
    const auto project = store::Project::openExisting(file);
    if (!project)
        return project.error();
    auto records = (*project)->samplesOf();
    if (!records)
        return records.error();
    std::sort(records->begin(), records->end(), [](const auto& a, const auto& b) { return a.id.value < b.id.value; });
    const std::string wanted = storedName(policy);
    std::set<std::string> names;
    std::vector<store::Sample> samples;
    for (const store::SampleRecord& record : *records) {
        if (!wanted.empty() && record.policy != wanted)
            continue;
        auto sample = (*project)->sample(record.id);
        if (!sample)
            return sample.error();
        if (sample->prompt.empty() || (sample->reply.empty() && sample->unusable.empty()))
            continue; // of a policy that asks nobody
        names.insert(sample->policy);
        samples.push_back(std::move(*sample));
    }
    if (samples.empty())
        return Error{ErrorCode::NotFound,
                     wanted.empty() ? "The project has no replies of a language model"
                                    : "The project has no replies of " + wanted,
                     file.string(), "`cudal1 samples` lists what it has"};
    if (names.size() > 1) {
        std::string all;
        for (const std::string& name : names)
            all += (all.empty() ? "" : ", ") + name;
        return Error{ErrorCode::InvalidArgument, "The project has replies of several models: " + all, file.string(),
                     "Say of which: replay:" + file.string() + "#endpoint:NAME"};
    }
    auto out = std::make_unique<ReplayModel>(*names.begin());
    for (const store::Sample& sample : samples)
        out->record(sample.prompt, sample.settings, replyOfSample(sample));
    return out;
}

} // namespace cudal1::models
