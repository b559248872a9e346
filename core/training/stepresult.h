// SPDX-License-Identifier: GPL-3.0-or-later
// What a step of the optimizer did.
#pragma once

namespace cudal1::training {

struct StepResult {
    double gradientNorm = 0; ///< before it was clipped
    bool isSkipped = false;  ///< the gradient was not finite, and nothing was changed
};

} // namespace cudal1::training
