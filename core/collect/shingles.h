// SPDX-License-Identifier: GPL-3.0-or-later
// How alike two programs are, whatever their comments, names and spaces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::collect {

/// The tokens of a Python text as near-duplicates are told by: keywords, attributes, numbers and signs stay; every
/// other name is one and the same; comments, docstrings, spaces and line breaks are gone. Strings are taken apart in
/// the same way, since kernels are written in them, with the comments of C gone as well.
std::vector<std::string> normalisedTokens(const std::string& source);

/// Hashes of all rows of `length` tokens, sorted, each once. A text with fewer tokens is one row.
inline constexpr std::size_t shingleLength = 5;
std::vector<std::uint64_t> shinglesOf(const std::string& source);

/// The share of rows that both have among those that either has: 1 for equal sets.
double similarity(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b);

/// Two programs for one task are near-duplicates when they are at least so similar.
inline constexpr double nearDuplicate = 0.9;

} // namespace cudal1::collect
