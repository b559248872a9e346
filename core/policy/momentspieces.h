// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of the CUDA text of kernels that take the statistics of norms.
#pragma once

#include <string>

namespace cudal1::policy::momentstext {

extern const std::string moments;        ///< struct Moments { float count, mean, square; } and join(Moments& a, b)
extern const std::string overBlock;      ///< over_block(moments, shared), over the 256 threads of a block
extern const std::string lastBlock;      ///< where a set has several blocks: all but the last one leave
extern const std::string overRows;       ///< over_rows(moments, shared, row), where channels are innermost
extern const std::string innermostBegin; ///< the kernel for channels that are innermost, up to what it reads
extern const std::string innermostEnd;   ///< the rest of it, up to what it stores

} // namespace cudal1::policy::momentstext
