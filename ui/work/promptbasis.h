// SPDX-License-Identifier: GPL-3.0-or-later
// What an evaluator has said that goes into a prompt.
#pragma once

#include "core/protocol/messages.h"
#include "core/store/project.h"

#include <memory>

namespace cudal1::ui {

struct PromptBasis {
    store::TaskRecord task;
    protocol::Machine machine;
    protocol::DeviceInfo device; ///< of the machine
    protocol::Precision precision = protocol::Precision::Kernelbench;
    std::shared_ptr<const protocol::OperatorGraph> graph; ///< of the reference, on the device
};

} // namespace cudal1::ui
