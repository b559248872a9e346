// SPDX-License-Identifier: GPL-3.0-or-later
// Samples with what became of them, and what many of them took together.
#pragma once

#include "core/store/project.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::optimize {

/// A sample with the evaluation of its variant that counts.
struct SampleFacts {
    store::SampleRecord sample;
    std::optional<store::EvaluationSummary> evaluation;

    bool usable() const { return sample.unusable.empty(); }
    bool correct() const { return usable() && evaluation && evaluation->verdict == protocol::Verdict::Correct; }
    /// "correct"; "unusable" for a reply without a program, empty for one that was not judged yet.
    std::string verdict() const;
    /// By the evaluation; what is stored where there is none any more.
    std::optional<double> reward() const;
};

base::Result<std::vector<SampleFacts>> sampleFacts(const store::Project& project,
                                                   std::vector<store::SampleRecord> samples);
/// Of all samples of a run.
base::Result<std::vector<SampleFacts>> sampleFacts(const store::Project& project, base::RunId run);

/// Whether the prompt of a question is read, and paid for, with each of its replies: a server gets a request for each.
/// A model on this machine reads it once for all of them. `policy` as it is stored.
bool readsPromptEachTime(const std::string& policy);

/// Tokens of prompts count as often as they were read.
struct SampleSum {
    int questions = 0, samples = 0, unusable = 0, correct = 0;
    int repairs = 0, mended = 0; ///< mended: repairs that are correct
    std::int64_t promptTokens = 0, replyTokens = 0;
    std::map<std::string, double> costs; ///< by unit
    std::optional<double> bestReward;
};
SampleSum sumOf(const std::vector<const SampleFacts*>& samples);
SampleSum sumOf(const std::vector<SampleFacts>& samples);

/// All that came of one text: the reply as it was stored, else the sections and the source of its variant.
base::Result<std::string> replyOf(const store::Project& project, const store::Sample& sample);

/// Those among `samples` whose reply or prompt has the text, in any case of letters; texts are unpacked one by one, so
/// on a worker. `goOn` is asked after each; false ends it with Cancelled.
base::Result<std::vector<base::SampleId>> samplesWith(const store::Project& project,
                                                      const std::vector<SampleFacts>& samples, const std::string& text,
                                                      const std::function<bool()>& goOn = {});

} // namespace cudal1::optimize
