// SPDX-License-Identifier: GPL-3.0-or-later
// The process that holds a candidate, or the reference whose calls a candidate's are compared with: the same code round both.
//
// It knows neither the expected result nor how inputs are made nor which calls are compared, and it has no clock that counts:
// the witness drives it step by step (wire/handover.h). Nothing that it says is evidence.
//
// The timed reference is a process of its own: what judges results runs many other things, and its short calls are slower for it
// (a kernel of 15 us by some 1.6 % on an H200), which would be to every candidate's credit.
#pragma once

#include "core/judge/capture/capturehost.h"
#include "core/judge/module/cacheflush.h"
#include "core/judge/subject/resultplaces.h"

#include <deque>

namespace cudal1::judge {

class CandidateSubject : public CaptureHost {
public:
    /// `handover` is the file of its page. `className`: "ModelNew", or "Model" for the timed reference.
    CandidateSubject(int memoryFile, int handover, std::string folder, const char* className);

private:
    void openArena(const OpenArena& request);
    LoadModule::Reply load(const LoadModule& request);
    void buildAhead(const BuildAhead& request);
    void loadWeights();
    void rebuild(std::uint64_t seed);
    ReadState::Reply state() const;
    /// Why the reference's weights cannot be put into this module by name; empty when they can.
    std::string weightsDiffer() const;
    void poisonFreeMemory() const;
    std::vector<std::uint64_t> parameterFingerprints() const;

    class Served;
    ServeCalls::Reply serve(const ServeCalls& request);
    std::vector<at::Tensor> resultOf(const PyRef& result) const; ///< throws Refusal for one of another kind, shape, type or device
    void flush();
    void refuseReusedMemory(const std::vector<at::Tensor>& results);

    int m_handover;
    const char* m_className;
    bool m_exact;                ///< results must be plain tensors; the reference's may be what they are
    bool m_servedBefore = false;
    std::unique_ptr<CacheFlush> m_flush; ///< made when it is first asked for
    PyRef m_module;
    PyRef m_initInputs;
    std::deque<std::vector<at::Tensor>> m_held; ///< results of trials, to see whether a later one reuses their memory
    std::vector<std::uint64_t> m_fingerprints; ///< of the parameters, which calls must leave alone
};

} // namespace cudal1::judge
