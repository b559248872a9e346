// SPDX-License-Identifier: GPL-3.0-or-later
// Packing by length.
#include "core/training/packing.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace cudal1::training {

namespace {

std::vector<std::size_t> longestFirst(std::span<const std::size_t> lengths)
{
    std::vector<std::size_t> order(lengths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return lengths[a] > lengths[b]; });
    return order;
}

} // namespace

std::vector<Pass> packed(std::span<const std::size_t> lengths, std::size_t limit)
{
    std::vector<Pass> out;
    std::vector<std::size_t> used;
    for (const std::size_t number : longestFirst(lengths)) {
        std::size_t pass = 0;
        while (pass < out.size() && used[pass] + lengths[number] > limit)
            ++pass;
        if (pass == out.size()) {
            out.emplace_back();
            used.push_back(0);
        }
        out[pass].push_back(number);
        used[pass] += lengths[number];
    }
    for (Pass& pass : out)
        std::sort(pass.begin(), pass.end());
    return out;
}

std::vector<Pass> bundles(std::span<const Sequence> sequences, std::span<const std::size_t> numbers, std::size_t limit)
{
    std::vector<Pass> out;
    std::vector<std::size_t> tokens;
    std::map<std::vector<int>, std::size_t> open; ///< by prompt, the bundle that takes more
    for (const std::size_t number : numbers) {
        const Sequence& sequence = sequences[number];
        const auto begin = sequence.tokens.begin();
        const std::vector<int> prompt(begin, begin + static_cast<std::ptrdiff_t>(sequence.promptTokens));
        const auto [place, isNew] = open.try_emplace(prompt, out.size());
        if (isNew || tokens[place->second] + sequence.replyTokens() > limit) {
            place->second = out.size();
            out.emplace_back();
            tokens.push_back(sequence.promptTokens);
        }
        out[place->second].push_back(number);
        tokens[place->second] += sequence.replyTokens();
    }
    return out;
}

std::size_t computedTokens(std::span<const Sequence> sequences, const Pass& bundle)
{
    std::size_t out = bundle.empty() ? 0 : sequences[bundle.front()].promptTokens;
    for (const std::size_t number : bundle)
        out += sequences[number].replyTokens();
    return out;
}

std::vector<std::vector<std::size_t>> sharedOut(std::span<const std::size_t> lengths, std::size_t processes)
{
    std::vector<std::vector<std::size_t>> out(processes);
    std::vector<std::size_t> tokens(processes, 0);
    for (const std::size_t number : longestFirst(lengths)) {
        const auto least = static_cast<std::size_t>(std::min_element(tokens.begin(), tokens.end()) - tokens.begin());
        out[least].push_back(number);
        tokens[least] += lengths[number];
    }
    for (auto& numbers : out)
        std::sort(numbers.begin(), numbers.end());
    return out;
}

} // namespace cudal1::training
