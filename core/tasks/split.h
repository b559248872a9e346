// SPDX-License-Identifier: GPL-3.0-or-later
// Which tasks a policy may learn from, and which are held out to test it.
#pragma once

#include "core/base/ids.h"

#include <optional>
#include <string_view>

namespace cudal1::tasks {

enum class Split { Train, HeldOut };

/// A fixed rule: the first 32 bits of the SHA-256 of "split 717: LEVEL/ID" below a fifth of their range hold a task
/// out. It asks of no other task, so adding one moves none. The number was chosen once, so that of KernelBench's 100,
/// 100 and 50 tasks the same fifth of each level is held out: 20, 20 and 10. A single file (level 0) is never held out.
Split splitOf(int level, int number);
Split splitOf(int level, const base::TaskId& id); ///< "3/41", also of another version ("3/41@1a2b3c4d")

/// "train", "held_out": in JSON.
std::string_view toString(Split split);
/// The same words as a person types them, also "held-out".
std::optional<Split> splitFromText(std::string_view text);

} // namespace cudal1::tasks
