// SPDX-License-Identifier: GPL-3.0-or-later
// Results of the last trials, which are held so that a later call cannot return the same memory unnoticed.
#pragma once

#include "core/judge/module/modulehost.h"

#include <deque>
#include <vector>

namespace cudal1::judge {

/// Used from the subject's main thread. Keeps a reference to `host`, whose layout says which results are the call's
/// own.
class HeldResults {
public:
    explicit HeldResults(const ModuleHost& host) : m_host(host) {}

    /// Throws Refusal (`static_output`) when one of these results lies where an earlier one lies that is still held.
    /// Otherwise holds them too: up to 16, or 1 GiB of them; the oldest go first.
    void add(const std::vector<at::Tensor>& results);
    void clear() { m_held.clear(); }

private:
    const ModuleHost& m_host;
    std::deque<std::vector<at::Tensor>> m_held; ///< oldest first
};

} // namespace cudal1::judge
