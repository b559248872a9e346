// SPDX-License-Identifier: GPL-3.0-or-later
// What runs in a subject: the process that holds a candidate, or the timed reference, with whose calls the candidate's
// are compared. The same code runs around the calls of both.
//
// The witness drives a subject step by step (wire/handover.h). A subject does not know the expected result, the keys
// and draws of the inputs, or which calls are compared, and no time that it measures itself decides a verdict. Nothing
// that it says is evidence.
//
// The timed reference has a process of its own. The witness runs many other things, which makes its short calls slower
// (a kernel of 15 us by some 1.6 % on an H200); that would count in favour of every candidate.
#pragma once

#include "core/judge/capture/capturehost.h"
#include "core/judge/subject/callserver.h"
#include "core/judge/subject/sleepingthreads.h"

#include <cstdint>
#include <map>
#include <string>

namespace cudal1::judge {

/// Used from the process's main thread. Handlers throw Refusal for what is wrong with the module or its results, and
/// pass on what its code throws.
class CandidateSubject : public CaptureHost {
public:
    /// `memoryFile` holds the arena on the CPU, `handover` is the file of the handover page; both stay the caller's.
    /// `className` is the class to construct: "ModelNew" for a candidate, "Model" for the timed reference.
    CandidateSubject(int memoryFile, int handover, std::string folder, const char* className);

private:
    void openArena(const OpenArena& request);
    LoadModule::Reply load(const LoadModule& request);
    void buildAhead(const BuildAhead& request);
    void loadWeights(); ///< copies the weights in the arena into the module's parameters, in place
    /// Calls `use` with each buffer that calls of the reference change, the module's first and then its place in the
    /// arena. Returns the name of the first that the module lacks; empty when it has all.
    std::string forBuffers(const std::function<void(const at::Tensor&, const at::Tensor&)>& use) const;
    void rebuild(std::uint64_t seed); ///< constructs the module again
    ReadState::Reply state(const ReadState& request) const;
    /// Why the reference's weights cannot be put into this module by name; empty when they can.
    std::string weightsDiffer() const;
    std::map<std::string, std::uint64_t> parameterFingerprints() const; ///< by name

    const char* m_className;
    /// A candidate's results must be plain tensors; the reference's may be of a derived class.
    bool m_exact;
    CallServer m_calls;
    SleepingThreads m_sleepers;
    PyRef m_module;
    PyRef m_initInputs;
    std::map<std::string, std::uint64_t> m_fingerprints; ///< of the parameters, which calls must leave unchanged
};

} // namespace cudal1::judge
