// SPDX-License-Identifier: GPL-3.0-or-later
// Tensors of one number that a reference writes out, in an operator graph.
#pragma once

#include "core/protocol/messages.h"

namespace cudal1::policy {

/// Makes numbers of tensors of one float32 that forward writes out, as torch.tensor(100.0), of what functions make of
/// them, and of what reads them: clamp(x, max=tensor) becomes clamp(x, max=number). Then no call sends them to the
/// device. Operators that nobody reads any more stay.
void foldWrittenNumbers(protocol::OperatorGraph& graph);

} // namespace cudal1::policy
