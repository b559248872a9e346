// SPDX-License-Identifier: GPL-3.0-or-later
// What CUPTI knows of the counters of a chip, without a GPU.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cudal1::judge {

/// Those of `metrics` that a chip has, "GH100".
std::vector<std::string> countableOn(const std::string& chip, const std::vector<std::string>& metrics);
/// How many times a kernel has to run for these metrics, all of which the chip must have; 0 where they do not fit
/// together.
std::size_t passesOn(const std::string& chip, const std::vector<std::string>& metrics);

} // namespace cudal1::judge
