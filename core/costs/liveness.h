// SPDX-License-Identifier: GPL-3.0-or-later
// How much memory is held at most while operators run one after the other and each result goes after its last use.
#pragma once

#include <cstddef>
#include <vector>

namespace cudal1::costs {

/// Ids are storages. A step's arguments and results are held together. Sizes are rounded up to 512 bytes, as the
/// framework's allocators do.
class Liveness {
public:
    /// A result of the step in work.
    int allocate(double bytes);
    /// The step in work reads or writes it.
    void use(int storage);
    /// It lasts to the end.
    void keep(int storage);
    void nextStep() { ++m_step; }

    double peak_bytes() const;

private:
    struct Span {
        std::size_t first, last;
        double bytes;
    };
    std::vector<Span> m_storages;
    std::size_t m_step = 0;
};

} // namespace cudal1::costs
