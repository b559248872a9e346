// SPDX-License-Identifier: GPL-3.0-or-later
// Thrown while a file of weights is read. For the readers of such files.
#pragma once

#include <stdexcept>

namespace cudal1::modelfiles {

/// What is wrong with the file, as a clause: "it ends within its header".
struct Damaged : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace cudal1::modelfiles
