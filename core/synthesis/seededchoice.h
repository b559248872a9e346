// SPDX-License-Identifier: GPL-3.0-or-later
// Draws that are the same on every machine and with every standard library, since tasks are made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace cudal1::synthesis {

/// One step of splitmix64, a mixer of 64 bits in which every bit depends on every bit.
constexpr std::uint64_t mixedBits(std::uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

class SeededChoice {
public:
    explicit SeededChoice(std::uint64_t seed) : m_state(mixedBits(seed)) {}

    std::uint64_t next() { return m_state = mixedBits(m_state); }
    /// 0 to n - 1; the bias of 2^-32 does not matter here.
    int below(int n) { return static_cast<int>((next() >> 32) * static_cast<std::uint64_t>(n) >> 32); }
    bool chance(int percent) { return below(100) < percent; }
    template<class T> T of(std::initializer_list<T> items)
    {
        return *(items.begin() + below(static_cast<int>(items.size())));
    }
    template<class T> const T& of(const std::vector<T>& items)
    {
        return items[static_cast<std::size_t>(below(static_cast<int>(items.size())))];
    }

private:
    std::uint64_t m_state;
};

} // namespace cudal1::synthesis
