// SPDX-License-Identifier: GPL-3.0-or-later
// What a measured graph says about where the time goes, in words: the three sections of a proposal.
#pragma once

#include "core/policy/technique.h"

#include <string>

namespace cudal1::policy {

struct Work {
    double flop = 0;  ///< of products and convolutions
    double bytes = 0; ///< inputs, parameters and results, each moved once
};

Work workOf(const TechniqueContext& context);

/// Peak of a known device, from its maker's data sheet; zeros for others.
struct Peak {
    double bytes_per_s = 0;
    double flop_per_s = 0; ///< float32 without matrix units
};
Peak peakOf(const protocol::DeviceInfo& device);

std::string performanceAnalysis(const TechniqueContext& context, const Used& used);
std::string algorithmDesign(const TechniqueContext& context, const Used& used);
std::string codeImplementation(const TechniqueContext& context, const Used& used);

} // namespace cudal1::policy
