// SPDX-License-Identifier: GPL-3.0-or-later
// Results that somebody else published, as rows with their code and their claims, and what is irregular about each row.
//
// Readers lose nothing: every row of the source is an item, or a problem when not even its task can be told.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::tasks {

/// Something about a row that a person should know. Codes:
///   no_code          the row has no candidate; only its claim, if any, is kept
///   does_not_parse   the text of the candidate is no Python; it is kept, for the judge to decide
///   no_model_new     it defines neither ModelNew nor Model; kept likewise
///   only_model       it defines Model alone; the name ModelNew was added to it
///   fenced           it stood in a Markdown fence, which was taken away
///   repeated         an earlier row has the same task, reference and code; not kept twice
///   claim_without_code there is a claim for it, and no code that could be judged
///   no_result        there is code and no claim for it
///   ambiguous_result the claim could belong to rows of several levels, and is left out
struct Irregularity {
    std::string code;
    std::string text;
};

/// Fields of a row that may name the device that it was measured on.
inline constexpr std::array<std::string_view, 6> deviceFields{"hardware",    "gpu",          "gpu_name",
                                                              "device_name", "device_model", "device"};

struct PublishedItem {
    std::string key; ///< unique in its source, but for repeated rows: "2/14", "2/14#2" for another candidate
    int line = 0;    ///< 1-based; 0 for a file of its own
    int level = 0, number = 0;
    std::string reference; ///< source of the task; empty when the publication has none
    std::string candidate; ///< as the judge gets it; empty without code
    std::optional<bool> claimedCorrect;
    std::optional<double> claimedSpeedup;
    std::string details = "{}"; ///< JSON of everything else that was claimed
    std::vector<Irregularity> irregularities;

    bool has(const std::string& code) const;
};

/// A row that is none.
struct PublishedProblem {
    std::string where; ///< "line 12", a file's name
    std::string message;
};

struct Publication {
    std::string source; ///< "cuda-l1: h100.jsonl", "kernelbench-runs: my_run"
    std::vector<PublishedItem> items;
    std::vector<PublishedProblem> problems;
};

/// Sets `candidate` from the published text: white space, "None" and "null" are no code, a Markdown fence is taken
/// away, a module with Model alone gets the second name. Adds what it found to the irregularities.
void takeCandidate(PublishedItem& item, const std::string& published);

/// Marks what stands there twice and makes keys unique. Call it once, when all items are there.
void markRepeats(Publication& publication);

} // namespace cudal1::tasks
