// SPDX-License-Identifier: GPL-3.0-or-later
// Times that a call cannot beat, by the bytes that must move and by the operations that must be done.
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

/// The judge's rule: what the last-level cache holds need not reach the memory, so it is taken off the bytes.
/// 0 where it holds all.
double byteFloor_ns(double minimum_bytes, double bytesPerSecond, double l2_bytes);

struct Roofline {
    enum class Source { Unknown, DataSheet, Measured };
    Source source = Source::Unknown;
    double bytesPerSecond = 0;
    double bytes_ns = 0; ///< 0 with a known bandwidth: the cache could hold everything
    /// The products of the operators as written, at the peak of the data sheet; 0 where there is none. No floor for
    /// code that computes less, such as one that skips a matrix's zeros.
    double fp32_ns = 0, tf32_ns = 0;
    std::string gpu; ///< of the data sheet
};

/// `measured` is in bytes per second, 0 for none; `l2_bytes` 0 takes the data sheet's. Nothing is known of a CPU.
Roofline floorOf(const Costs& costs, const std::string& deviceModel, double measured, double l2_bytes);

} // namespace cudal1::costs
