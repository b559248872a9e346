// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of the optimizer.
#pragma once

namespace cudal1::training {

/// AdamW (Loshchilov and Hutter, 2019).
struct AdamSettings {
    double beta1 = 0.9;
    double beta2 = 0.95;
    double epsilon = 1e-8;
    double weightDecay = 0.1; ///< of matrices; norms and biases do not decay
    double clipNorm = 1;      ///< the gradient is scaled to this norm where it is longer; 0: never
};

} // namespace cudal1::training
