// SPDX-License-Identifier: GPL-3.0-or-later
// Results that take no work, or less: zeros, a constant, a copy of an input, the reference without its last operators.
// A task that one of the first three passes on all inputs tells nothing about a candidate, and is marked degenerate.
// One that the last of them passes is marked so where leaving out those operators may be what a gain comes from.
#pragma once

#include "core/judge/module/torchsupport.h"
#include "core/judge/witness/recycledmemory.h"
#include "core/protocol/codes.h"

#include <array>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace cudal1::judge {

/// What a call looks like without its last operators.
struct WithoutLast {
    at::Tensor given; ///< the first tensor of the first of these operators, as it was before; undefined where none ran
    /// From where the device has done what comes before that operator to where it has done the last one. Infinite where
    /// that does not bound the work for what comes after `given`: an operator behind it reads a tensor that was
    /// computed before, or not all run on one stream.
    double took_ns = std::numeric_limits<double>::infinity();
};

/// Without the last operator, the last two and so on.
using WithoutLastOnes = std::array<WithoutLast, 4>;

/// Watches the operators of this thread while it lives. What operators call themselves does not count, and neither do
/// copies, nor an operator at the end whose result nobody reads and the call does not return: who leaves that out gives
/// the same results for all inputs. Nobody waits for the device before the end, so operators follow each other as they
/// do in other calls; and where a GPU is kept at work until the host is ahead of it, as they do in a CUDA graph, where
/// it never waits for the host. Observed in C++: a dispatch mode of Python would load a thousand modules into the
/// process that is timed.
class LastOperators {
public:
    /// Where the reference computes; a GPU is given other work first, for `ahead_s`.
    explicit LastOperators(c10::Device device, double ahead_s = 0);
    LastOperators(const LastOperators&) = delete;
    LastOperators& operator=(const LastOperators&) = delete;
    ~LastOperators();
    /// Of a call that has ended and returned these; waits for the device.
    WithoutLastOnes end(const std::vector<at::Tensor>& results) const;

private:
    FreshMemory m_fresh;
    std::uint64_t m_handle;
};

class NullCandidates {
public:
    /// Tries the nulls that passed so far on one trial: the reference's results and inputs, the call without its last
    /// operators where needsLastOperators(), and what decides whether result `i` passes.
    void tryOn(const std::vector<at::Tensor>& expected, const std::vector<at::Tensor>& inputs,
               const WithoutLastOnes& withoutLast,
               const std::function<bool(std::size_t i, const at::Tensor& actual)>& passes);
    /// Zeros pass on inputs like those of timed calls, whatever they do on others: timed calls could take no work.
    void keepZeros();
    void noteTimes(const WithoutLastOnes& withoutLast); ///< of a call on inputs like those of timed calls

    int trials() const { return m_trials; }
    bool anyLeft() const { return !m_left.empty(); }
    bool needsLastOperators() const { return m_left.contains(protocol::lastOperatorLeftOut); }
    /// What the operators take at most that have been left out in all trials; infinite where that is not known.
    double lastOperators_ns() const;
    /// Those that have passed every trial.
    std::vector<std::string> left() const { return {m_left.begin(), m_left.end()}; }

private:
    /// Constants in the place of these results. The mean of one number is that number, which takes all of its work: of
    /// such a result it is that of the first trial.
    std::vector<at::Tensor> means(const std::vector<at::Tensor>& expected);

    std::vector<double> m_first; ///< the mean of each result in the first trial
    static constexpr const char* noWork = "zeros";
    std::set<std::string, std::less<>> m_left{noWork, "the mean of the result", "a copy of an input",
                                              std::string(protocol::lastOperatorLeftOut)};
    /// Whether the call without its last operators, of some number, still passes all trials.
    bool tryWithoutLast(const std::vector<at::Tensor>& expected, const WithoutLastOnes& withoutLast,
                        const std::function<bool(const std::vector<at::Tensor>&)>& allPass);

    struct LeftOut {
        bool passed = true;                                       ///< all trials so far
        double took_ns = std::numeric_limits<double>::infinity(); ///< the shortest that was noted
    };
    std::array<LeftOut, std::tuple_size_v<WithoutLastOnes>> m_withoutLast;
    bool m_zerosStay = false;
    int m_trials = 0;
};

} // namespace cudal1::judge
