// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a reproducer that is the same for all variants.
#pragma once

namespace cudal1::report {

/// Python; expects REFERENCE, VARIANT, PRECISION and DEVICE before it.
extern const char* const reproducerProgram;

} // namespace cudal1::report
