// SPDX-License-Identifier: GPL-3.0-or-later
// Looks at a task before any candidate is judged for it: its graph by shapes, and whether results that take no work
// pass for its results.
#pragma once

#include "core/judge/wire/screentask.h"
#include "core/judge/witness/nullcandidates.h"
#include "core/judge/witness/presentcall.h"

namespace cudal1::judge {

/// Works on one task, on the CPU and without an arena. What the process held before is given up: one process screens
/// task after task and judges no candidate. Used from the process's main thread; throws what ReferenceHost throws.
class TaskScreen {
public:
    TaskScreen(ReferenceHost& reference, PresentCall& present, KnownFamilies& families)
        : m_reference(reference), m_present(present), m_families(families)
    {
    }

    ScreenTask::Reply screen(const ScreenTask& request);

private:
    std::vector<at::Tensor> drawn(std::uint64_t seed, std::string_view family);
    bool sameFor(const std::vector<at::Tensor>& others); ///< whether these results pass for those of the present call

    ReferenceHost& m_reference;
    PresentCall& m_present;
    KnownFamilies& m_families;
};

} // namespace cudal1::judge
