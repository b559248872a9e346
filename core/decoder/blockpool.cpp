// SPDX-License-Identifier: GPL-3.0-or-later
// Uses of cache blocks.
#include "core/decoder/blockpool.h"

#include <cassert>

namespace cudal1::decoder {

BlockPool::BlockPool(int blocks) : m_uses(static_cast<std::size_t>(blocks), 0)
{
    for (int block = blocks; block-- > 0;)
        m_free.push_back(block);
}

int BlockPool::take()
{
    assert(!m_free.empty());
    const int block = m_free.back();
    m_free.pop_back();
    m_uses[static_cast<std::size_t>(block)] = 1;
    return block;
}

void BlockPool::share(int block)
{
    ++m_uses[static_cast<std::size_t>(block)];
}

void BlockPool::release(int block)
{
    if (--m_uses[static_cast<std::size_t>(block)] == 0)
        m_free.push_back(block);
}

} // namespace cudal1::decoder
