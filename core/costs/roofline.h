// SPDX-License-Identifier: GPL-3.0-or-later
// What the time of a call can be held against: the least time for the bytes that it moves, and for its operations.
#pragma once

#include "core/costs/costs.h"

#include <optional>
#include <string>
#include <string_view>

namespace cudal1::costs {

/// From a data sheet, dense, at boost clock. Bytes and operations per second; 0: it has no such unit.
struct KnownGpu {
    std::string_view model; ///< "H100 PCIe"
    double bytesPerSecond = 0;
    double fp32 = 0, tf32 = 0;
    double l2_bytes = 0;
    double memory_bytes = 0;
};

/// By the name that the driver gives ("NVIDIA H200"); null for what is not in the table.
const KnownGpu* knownGpu(std::string_view deviceModel);

struct Roofline {
    enum class Source { Unknown, DataSheet, Measured };
    Source source = Source::Unknown;
    double bytesPerSecond = 0;
    /// Costs::minimum_bytes() at that bandwidth; 0 while it is not known. Nothing is taken off for the last-level
    /// cache: it is filled with changed lines before a timed call, so what a call writes pushes as many bytes out. The
    /// floor in an evaluation is lower: the judge counts only bytes of which it has proven that they are moved, so that
    /// it accuses nobody wrongly.
    double bytes_ns = 0;
    /// The products of the operators as written, at the peak of the data sheet; 0 where there is none. No floor for
    /// code that computes less, such as one that skips a matrix's zeros.
    double fp32_ns = 0, tf32_ns = 0;
    std::string gpu; ///< of the data sheet
};

/// `measured` is in bytes per second, 0 for none. Nothing is known of a CPU.
Roofline floorOf(const Costs& costs, const std::string& deviceModel, double measured);

} // namespace cudal1::costs
