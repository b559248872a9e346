// SPDX-License-Identifier: GPL-3.0-or-later
// Amounts of bytes for people, the same in every verb, page and report. Columns of CSV and fields of JSON keep their
// plain numbers instead.
#pragma once

#include <string>

namespace cudal1::base {

/// "512 B", "1.50 KiB", "140 GiB": powers of 1024, as memories, caches and tensors have them, with three digits and the
/// unit that fits, "B" to "TiB"; whole bytes, "0 B" for none. 1023.6 KiB are "1.00 MiB". "-1.50 KiB"; empty for what is
/// no number.
std::string bytesText(double bytes);
/// "1.23 TB/s": powers of 1000, as data sheets give bandwidths, with three digits, from "MB/s" to "TB/s"; empty for
/// none.
std::string rateText(double bytesPerSecond);

} // namespace cudal1::base
