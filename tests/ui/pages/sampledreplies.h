// SPDX-License-Identifier: GPL-3.0-or-later
// Replies of a model for the sample project: a question with three replies, a repair, and one of another task.
#pragma once

#include "pageproject.h"

#include <vector>

namespace cudal1::tests {

/// The replies in the order of their ids: an incorrect one, one without a program, the best variant, the repair of the
/// first, and one of the library about the other task that waits for its judge.
inline std::vector<base::SampleId> addReplies(const SampleProject& sample)
{
    const auto project = store::Project::open(sample.file.toStdString());
    store::RunRecord run;
    run.kind = "optimize";
    run.task = sample.task;
    store::Sample reply;
    reply.run = *(*project)->startRun(run);
    reply.task = sample.task;
    reply.policy = "endpoint: qwen3";
    reply.policyVersion = "qwen3-8b";
    reply.method = "contrastive";
    reply.settings = R"({"method":"contrastive","temperature":0.5})";
    reply.prompt = "<|system|>\nBe fast.\n<|user|>\nMake the diagonal product faster.\n";
    reply.promptTokens = 1200;
    reply.replyTokens = 300;
    reply.cost = 0.25;
    reply.costUnit = "USD";
    reply.shown = {sample.second, sample.best};
    reply.reply = "## Code Implementation\n```python\n" + bestSource() + "# wrong\n```\n";
    reply.variant = sample.incorrect;
    store::Sample none = reply, best = reply;
    none.variant = {};
    none.reply = "I would rather speak of Needles than write code.";
    none.unusable = "It has no block of code.";
    best.variant = sample.best;
    best.reply = "## Code Implementation\n```python\n" + bestSource() + "```\n";
    auto ids = *(*project)->addSamples({reply, none, best});
    store::Sample mended = reply;
    mended.variant = sample.second;
    mended.prompt = "<|user|>\n7 of 20 trials differ. Mend it.\n";
    mended.promptTokens = 800;
    mended.reply = "Mended: a haystack.";
    mended.turn = 1;
    mended.parent = ids[0];
    mended.repair = true;
    mended.shown.clear();
    ids.push_back((*project)->addSamples({mended})->front());

    store::VariantRecord waiting;
    waiting.task = sample.untried;
    waiting.source = "class ModelNew: pass\n";
    waiting.origin = "technique library";
    store::Sample other;
    other.task = sample.untried;
    other.policy = "technique library";
    other.variant = *(*project)->addVariant(waiting);
    ids.push_back((*project)->addSamples({other})->front());
    return ids;
}

} // namespace cudal1::tests
