// SPDX-License-Identifier: GPL-3.0-or-later
// Which blocks of the paged cache belong to which texts.
#pragma once

#include <cstddef>
#include <vector>

namespace cudal1::decoder {

/// Blocks are numbers; several texts may share one, as long as none of them writes into it. Used by one thread.
class BlockPool {
public:
    explicit BlockPool(int blocks);

    int size() const { return static_cast<int>(m_uses.size()); }
    int available() const { return static_cast<int>(m_free.size()); }
    int take();            ///< with one use; there must be one available
    void share(int block); ///< one use more
    void release(int block);
    int uses(int block) const { return m_uses[static_cast<std::size_t>(block)]; }

private:
    std::vector<int> m_uses;
    std::vector<int> m_free;
};

} // namespace cudal1::decoder
