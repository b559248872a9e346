// SPDX-License-Identifier: GPL-3.0-or-later
// Results that take no work: zeros, a constant, a copy of an input, the reference without its last operator. A task
// that one of them passes on all inputs tells nothing about a candidate, and is marked degenerate.
#pragma once

#include "core/judge/module/torchsupport.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace cudal1::judge {

/// What the last operator that computed something got as its first tensor, while this lives, on this thread. What
/// operators call themselves does not count, and neither do copies. Observed in C++: a dispatch mode of Python would
/// load a thousand modules into the process that is timed.
class LastOperator {
public:
    LastOperator();
    LastOperator(const LastOperator&) = delete;
    LastOperator& operator=(const LastOperator&) = delete;
    ~LastOperator();
    at::Tensor given() const; ///< undefined when no operator ran

private:
    std::uint64_t m_handle;
};

class NullCandidates {
public:
    /// Tries the nulls that passed so far on one trial: the reference's results and inputs, whatever its result is
    /// without its last operator (empty where there is none), and what decides whether result `i` passes.
    void tryOn(const std::vector<at::Tensor>& expected, const std::vector<at::Tensor>& inputs,
               const std::vector<at::Tensor>& withoutLast,
               const std::function<bool(std::size_t i, const at::Tensor& actual)>& passes);

    int trials() const { return m_trials; }
    bool anyLeft() const { return !m_left.empty(); }
    bool needsLastOperator() const { return m_left.contains("last operator left out"); }
    /// Those that have passed every trial.
    std::vector<std::string> left() const { return {m_left.begin(), m_left.end()}; }

private:
    /// Constants in the place of these results. The mean of one number is that number, which takes all of its work: of
    /// such a result it is that of the first trial.
    std::vector<at::Tensor> means(const std::vector<at::Tensor>& expected);

    std::vector<double> m_first; ///< the mean of each result in the first trial
    std::set<std::string> m_left{"zeros", "the mean of the result", "a copy of an input", "last operator left out"};
    int m_trials = 0;
};

} // namespace cudal1::judge
