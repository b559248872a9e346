// SPDX-License-Identifier: GPL-3.0-or-later
// Units of memory, in bytes.
#pragma once

namespace cudal1::costs {

constexpr double MiB = 1 << 20, GiB = 1 << 30;

} // namespace cudal1::costs
