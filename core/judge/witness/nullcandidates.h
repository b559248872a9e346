// SPDX-License-Identifier: GPL-3.0-or-later
// Results that take no work, or less: zeros, a constant, a copy of an input, the reference without its last operator. A
// task that one of the first three passes on all inputs tells nothing about a candidate, and is marked degenerate. One
// that the last of them passes is marked so where leaving out that operator may be what a gain comes from.
#pragma once

#include "core/judge/module/torchsupport.h"
#include "core/protocol/codes.h"

#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace cudal1::judge {

/// The last operator that computed something.
struct LastOperatorCall {
    at::Tensor given; ///< its first tensor, as it was before; undefined when no operator ran
    /// How long the host waited for it and for the device, so at least what it takes; infinite where that is not known.
    double took_ns = std::numeric_limits<double>::infinity();
};

/// Watches the operators of this thread while it lives. What operators call themselves does not count, and neither do
/// copies. The device has done its work before each operator and after it, so that calls take longer. Observed in C++:
/// a dispatch mode of Python would load a thousand modules into the process that is timed.
class LastOperator {
public:
    LastOperator();
    LastOperator(const LastOperator&) = delete;
    LastOperator& operator=(const LastOperator&) = delete;
    ~LastOperator();
    LastOperatorCall call() const;

private:
    std::uint64_t m_handle;
};

class NullCandidates {
public:
    /// Tries the nulls that passed so far on one trial: the reference's results and inputs, its last operator where
    /// needsLastOperator(), and what decides whether result `i` passes.
    void tryOn(const std::vector<at::Tensor>& expected, const std::vector<at::Tensor>& inputs,
               const LastOperatorCall& last,
               const std::function<bool(std::size_t i, const at::Tensor& actual)>& passes);

    int trials() const { return m_trials; }
    bool anyLeft() const { return !m_left.empty(); }
    bool needsLastOperator() const { return m_left.contains(protocol::lastOperatorLeftOut); }
    double lastOperator_ns() const { return m_lastOperator_ns; } ///< LastOperatorCall::took_ns, the shortest so far
    /// Those that have passed every trial.
    std::vector<std::string> left() const { return {m_left.begin(), m_left.end()}; }

private:
    /// Constants in the place of these results. The mean of one number is that number, which takes all of its work: of
    /// such a result it is that of the first trial.
    std::vector<at::Tensor> means(const std::vector<at::Tensor>& expected);

    std::vector<double> m_first; ///< the mean of each result in the first trial
    std::set<std::string, std::less<>> m_left{"zeros", "the mean of the result", "a copy of an input",
                                              std::string(protocol::lastOperatorLeftOut)};
    double m_lastOperator_ns = std::numeric_limits<double>::infinity();
    int m_trials = 0;
};

} // namespace cudal1::judge
