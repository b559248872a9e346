// SPDX-License-Identifier: GPL-3.0-or-later
// Pinned host memory that the copy engine writes to. Blocks are used again once no tensor refers to them, since the
// driver takes about a millisecond to pin a few MiB.
#pragma once

#include <ATen/ATen.h>

#include <vector>

namespace cudal1::judge {

/// Used from one thread. Blocks are given back when the pool and all tensors in them are gone.
class PinnedPool {
public:
    /// A tensor of `bytes` bytes in a block of its own. The block is not handed out again while this tensor, or another
    /// one in the same storage, lives. Throws c10::Error where no memory can be pinned.
    at::Tensor take(std::int64_t bytes)
    {
        for (const at::Tensor& known : m_known)
            if (known.numel() >= bytes && known.storage().use_count() == 1)
                return known.slice(0, 0, bytes);
        m_known.push_back(at::empty({bytes}, at::TensorOptions().dtype(at::kByte).pinned_memory(true)));
        return m_known.back().slice(0, 0, bytes);
    }

private:
    std::vector<at::Tensor> m_known; ///< all blocks, handed out or not
};

/// A view of another tensor's memory: a tensor of this shape, strides and type that begins `offset` bytes behind the
/// start of `bytes`. That address must be a multiple of the element's size.
inline at::Tensor laidOver(const at::Tensor& bytes, std::size_t offset, at::IntArrayRef shape, at::IntArrayRef strides,
                           at::ScalarType type)
{
    const at::Tensor out = at::empty({0}, bytes.options().dtype(type).pinned_memory(false));
    return out.set_(bytes.storage(), (bytes.storage_offset() + static_cast<std::int64_t>(offset)) / out.element_size(),
                    shape, strides);
}

} // namespace cudal1::judge
