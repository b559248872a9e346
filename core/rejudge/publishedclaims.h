// SPDX-License-Identifier: GPL-3.0-or-later
// What a publication claims: of each row over each program that it was compared with, and what all rows come to, by
// device and level, beside what was found here.
#pragma once

#include "core/rejudge/rejudgesummary.h"
#include "core/store/project.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cudal1::rejudge {

/// How many times as fast as another program a candidate is said to be.
struct ClaimedOver {
    std::string over; ///< "eager", "torch.compile", "torch.compile reduce-overhead", "CUDA graph", "cuDNN autotuning"
    double speedup = 0;
};

/// Eager first, then the others that the row has a number for. Empty for a row that claims none.
std::vector<ClaimedOver> claimedOver(const store::ClaimRecord& claim);
/// What a publication was measured on, as far as that is told.
struct ClaimedDevice {
    std::string name; ///< "NVIDIA L40S" of a row that says so, "A100" of a file "a100.json"; empty where nothing does
    bool byFileName = false; ///< no row says it

    bool operator==(const ClaimedDevice&) const = default;
    std::string text() const;    ///< "A100 (by the file's name)"
    nlohmann::json from() const; ///< "row", "file_name" or null: for JSON
};
ClaimedDevice claimedDevice(const store::ClaimRecord& claim);
/// "6.30× over eager, 6.33× over torch.compile on A100 (by the file's name)": what one row claims.
std::string claimText(const store::ClaimRecord& claim);
/// {"source", "key", "device", "device_from", "variant", "correct", "speedup": {"eager": 6.3, …}}
nlohmann::json claimJson(const store::ClaimRecord& claim);
/// Those of one variant, in the order of their import.
std::vector<store::ClaimRecord> claimsOf(const std::vector<store::ClaimRecord>& claims, base::VariantId variant);

/// The rows of one publication and one level, over one program.
struct ClaimLine {
    std::string source;
    ClaimedDevice device;     ///< of all rows; without a name where they are of several
    std::optional<int> level; ///< empty: all
    std::string over;         ///< "eager"
    int rows = 0;             ///< published, with a claim or without
    int success = 0;          ///< with a claim: their success
    int above = 0;            ///< of these, above 1.01
    std::optional<ClockSummary> claimed;
    int judged = 0, correct = 0;      ///< of the rows, here; 0 where `over` is not eager
    std::optional<ClockSummary> here; ///< by our wall clock, of the judged rows
};

struct TechniqueUse {
    std::string technique; ///< "cuda_graph"
    int variants = 0;
};

/// The highest claim over eager of a task.
struct RankedClaim {
    store::ClaimRecord claim;
    std::string name; ///< of the task
    int level = 0;
    std::vector<std::string> techniques;           ///< that its source is seen to use
    std::optional<store::EvaluationSummary> found; ///< here, on `deviceModel`
};

struct PublishedClaims {
    std::string deviceModel;         ///< that `here` was judged on; empty where nothing was judged
    std::vector<ClaimLine> levels;   ///< over eager: by publication, all its levels and each
    std::vector<ClaimLine> others;   ///< all levels: by publication, over each program
    std::vector<TechniqueUse> uses;  ///< techniques that the sources are seen to use, the most frequent first
    int variants = 0;                ///< imported ones
    std::vector<RankedClaim> ranked; ///< of each task with a claim, the highest first
    Failures rule = Failures::LeftOut;
};

/// Of all that was imported. What was found is each variant's newest evaluation, where it is on `deviceModel`; empty:
/// on the device that has judged most of them.
base::Result<PublishedClaims> publishedClaims(const store::Project& project, const std::string& deviceModel,
                                              Failures rule);

} // namespace cudal1::rejudge
