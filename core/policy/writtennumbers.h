// SPDX-License-Identifier: GPL-3.0-or-later
// Tensors of one number that a reference writes out, in an operator graph.
#pragma once

#include "core/protocol/messages.h"

namespace cudal1::policy {

/// Operators that read a tensor of one float32 which forward writes out, as torch.tensor(100.0), read a number instead:
/// clamp(x, max=tensor) becomes clamp(x, max=number). So do those that read the logarithm or another function of such a
/// tensor. Then no call sends it to the device. Operators that nobody reads any more stay.
void foldWrittenNumbers(protocol::OperatorGraph& graph);

} // namespace cudal1::policy
