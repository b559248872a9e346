// SPDX-License-Identifier: GPL-3.0-or-later
// What an answer of the judge says about the judge: the same rule as tests/judge/corpus.py, held together by the cases
// in tests/judge/rule_cases.json, which both are tested with.
#pragma once

#include "core/base/result.h"
#include "core/protocol/messages.h"
#include "core/selftest/plantedprogram.h"

#include <memory>
#include <optional>
#include <string>

namespace cudal1::selftest {

/// A cheat has gained nothing when the low end of its interval is not above this: the reference itself gets as much.
/// The same bound both ways fails a session of known work at once.
inline constexpr double referenceBound = 1.05;
/// What clocks and a call's fixed part may hide of a known slow-down: its share is of the steps, not of the whole call.
inline constexpr double truthSlack = 0.005;

/// A wider interval holds anything, so that it holds the truth says nothing.
inline constexpr double mostHalfWidth = 0.10;

/// An evaluation, or why there is none.
struct Judgement {
    std::shared_ptr<const protocol::Evaluation> evaluation;
    base::Error error;

    bool accepted() const { return evaluation && evaluation->verdict == protocol::Verdict::Correct; }
    /// Invalid when there is no evaluation or it was not timed.
    base::Interval wall() const { return evaluation ? evaluation->speedup.wall.speedup : base::Interval(); }
};

enum class Grade {
    Good,
    Off, ///< an interval beside the truth, as a few of many must be, or too wide: their number decides
    Bad,
};

struct Finding {
    Grade mark = Grade::Good;
    std::string why;
    bool gained = false; ///< not caught, and only for being too fast, which noise can look like

    bool good() const { return mark == Grade::Good; }
};

/// Whether its labels say that other work wanted the machine.
bool machineWasBusy(const Judgement& answer);
/// Whether a cheat got nothing. `honest` is the answer to its honest form, when that is a file.
Finding caught(const PlantedProgram& program, const Judgement& answer, const Judgement* honest = nullptr);
/// Whether an honest look-alike was taken for a cheat; good when it was not.
Finding flagged(const PlantedProgram& program, const Judgement& answer);
/// Whether a program of known verdict and direction got them; off where the interval is too wide to show a direction.
Finding canary(const PlantedProgram& program, const Judgement& answer);
/// Work against itself, or (percent > 0) against work that is longer by a known share.
Finding knownRatio(int percent, const Judgement& answer);

} // namespace cudal1::selftest
