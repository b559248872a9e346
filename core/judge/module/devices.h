// SPDX-License-Identifier: GPL-3.0-or-later
// The devices of this machine, as the framework sees them. For subjects: asking starts CUDA in the process.
#pragma once

#include "core/protocol/messages.h"

#include <string>
#include <vector>

namespace cudal1::judge {

/// The CPU first, then every GPU.
std::vector<protocol::DeviceInfo> listDevices();

/// "runtime 13.0, driver 13.0"; without a GPU "runtime 13.0, no driver".
std::string cudaVersions();

} // namespace cudal1::judge
