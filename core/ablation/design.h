// SPDX-License-Identifier: GPL-3.0-or-later
// Which combinations of toggles are judged. Bit i of a combination is toggle i.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::ablation {

enum class Design {
    Full,        ///< all 2^k, the empty one first, then by number of toggles
    One,         ///< none, then each alone
    LeaveOneOut, ///< all, then each left out
    List,        ///< as named
};

std::string_view toString(Design design);            ///< "full", "one", "leave-one-out", "list"
bool fromString(std::string_view word, Design& out); ///< false, and `out` untouched, for an unknown word

/// A full design of more is thousands of evaluations.
inline constexpr std::size_t mostFull = 10;
inline constexpr std::size_t mostToggles = 32;

/// In order, each once. `list` is for Design::List: "none, USE_A, a+b, all", separated by commas; a toggle may be
/// written without USE_ and in lower case. InvalidArgument for no toggles, for too many, for an empty list and for an
/// unknown name.
base::Result<std::vector<std::uint32_t>> combinations(Design design, const std::vector<std::string>& toggles,
                                                      const std::string& list = {});

/// All toggles on.
std::uint32_t allOn(std::size_t toggles);

} // namespace cudal1::ablation
