// SPDX-License-Identifier: GPL-3.0-or-later
// Finds repeats in a list of calls.
#include "core/costs/program.h"

namespace cudal1::costs {

namespace {

constexpr std::size_t longestBlock = 64;
constexpr std::size_t leastRepeats = 4;

bool alike(const Call& a, const Call& b)
{
    return a.operation == b.operation && a.module == b.module;
}

std::size_t repeatsAt(const std::vector<Call>& calls, std::size_t first, std::size_t length)
{
    std::size_t same = 0;
    while (first + length + same < calls.size() && alike(calls[first + same], calls[first + length + same]))
        ++same;
    return 1 + same / length;
}

} // namespace

std::vector<Fold> folded(const Program& program)
{
    const std::vector<Call>& calls = program.calls;
    std::vector<Fold> out;
    for (std::size_t at = 0; at < calls.size();) {
        Fold best{at, 1, 1};
        for (std::size_t length = 1; length <= longestBlock && at + 2 * length <= calls.size(); ++length) {
            const std::size_t repeats = repeatsAt(calls, at, length);
            if (repeats >= leastRepeats && repeats * length > best.repeat * best.length)
                best = {at, length, repeats};
        }
        out.push_back(best);
        at += best.length * best.repeat;
    }
    return out;
}

} // namespace cudal1::costs
