// SPDX-License-Identifier: GPL-3.0-or-later
// A module's process that can also say what ran in its calls: busy time, timelines, device code. What it says is a
// claim.
#pragma once

#include "core/judge/module/modulehost.h"

namespace cudal1::judge {

class CaptureHost : public ModuleHost {
public:
    CaptureHost(int memoryFile, std::string folder);

private:
    ObserveBusy::Reply observe(const ObserveBusy& request);
    RecordTimeline::Reply record(const RecordTimeline& request);
    void watchModules();
};

} // namespace cudal1::judge
