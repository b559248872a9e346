// SPDX-License-Identifier: GPL-3.0-or-later
// The least that a call on a GPU can be: the interpreter calls a function in C, which launches a kernel that does
// nothing and returns tensors of the results' form.
#pragma once

#include "core/judge/module/pythonhost.h"

#include <memory>

namespace cudal1::judge {

class ModuleHost;

/// Used from the subject's main thread. Keeps a reference to `host`, whose device must be a GPU.
class LeastCall {
public:
    /// Allocates results of the form of `host`'s layout. They must not be `tooLarge`.
    explicit LeastCall(const ModuleHost& host);
    LeastCall(const LeastCall&) = delete;
    LeastCall& operator=(const LeastCall&) = delete;
    ~LeastCall();

    /// Results of more bytes are not allocated for this: a call that makes them takes much longer than the way to it.
    static bool tooLarge(const ModuleHost& host);
    /// Calls the function with the arguments of the next call. Returns what a module would: a tensor, or a tuple of
    /// them.
    PyRef operator()() const;

private:
    struct State;
    std::unique_ptr<State> m_state; ///< the function keeps its address
    PyRef m_function;
};

} // namespace cudal1::judge
