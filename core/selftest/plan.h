// SPDX-License-Identifier: GPL-3.0-or-later
// What a self-test judges, in which order, and what it leaves out.
#pragma once

#include "core/protocol/messages.h"
#include "core/selftest/corpus.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace cudal1::selftest {

enum class TestSection { Canaries, Same, Slower, Exploits, Lookalikes };
inline constexpr TestSection allSections[] = {TestSection::Canaries, TestSection::Same, TestSection::Slower,
                                              TestSection::Exploits, TestSection::Lookalikes};

/// "canaries", "same", "slower", "exploits", "lookalikes".
std::string_view toString(TestSection section);
/// False, and `out` untouched, for an unknown word.
bool fromString(std::string_view word, TestSection& out);

/// What the machine of the evaluator has that some programs need.
struct Equipment {
    bool compiler = false, nvcc = false, ninja = false, x86_64 = false;

    bool has(const std::string& need) const;
};

struct SelfTestOptions {
    protocol::DeviceInfo device;
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Quick;
    std::uint64_t seed = 0; ///< 0: drawn for each evaluation
    bool full = false;      ///< all programs, and many sessions
    int sessions = 0;       ///< with the same work on both sides; 0: 8, or 200 when full
    std::set<TestSection> sections{std::begin(allSections), std::end(allSections)};
    Equipment equipment;

    bool cuda() const { return device.name.starts_with("cuda"); }
    int sameSessions() const { return sessions > 0 ? sessions : full ? 200 : 8; }
    /// For each known slow-down.
    int slowerSessions() const { return std::max(3, sameSessions() / 5); }
};

inline constexpr int slowdowns[] = {1, 2, 5}; ///< per cent

/// One thing to find out; as a rule one evaluation, more where a gain has to be confirmed.
struct Check {
    TestSection section = TestSection::Canaries;
    std::string name;                              ///< "c01/1_pointer_memo", "softmax"
    std::string group;                             ///< the exploit's class; empty elsewhere
    std::string expected;                          ///< in words: "rejected", "no gain", "accepted", "slower", "0.952"
    std::shared_ptr<const PlantedProgram> program; ///< none for sessions
    int percent = 0;                               ///< how much slower; sessions
    protocol::TaskSource task;
    std::string candidate;
    std::string honest;     ///< source of the honest form of a cheat, where that is not the reference
    bool oneThread = false; ///< a team of threads on a CPU waits for its slowest member, so noise there is tenfold
    /// Attacks the judge or its reference: nothing is sent beside it, and nothing is judged by the same process after
    /// it.
    bool alone = false;
    double weight = 1; ///< expected time, relative to one that is timed
};

struct SelfTestPlan {
    std::vector<Check> checks; ///< those of one kind of process follow each other, and in those, those of one task
    std::vector<std::string> leftOut; ///< a sentence each
};

SelfTestPlan makePlan(const Corpus& corpus, const SelfTestOptions& options);

} // namespace cudal1::selftest
