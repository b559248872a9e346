// SPDX-License-Identifier: GPL-3.0-or-later
// Pinned memory of the host for what the copy engine brings there, used again when nobody holds it any more: taking it anew costs a
// millisecond for some MiB.
#pragma once

#include <ATen/ATen.h>

#include <vector>

namespace cudal1::judge {

class PinnedPool {
public:
    /// Bytes that no other tensor lies in, and nobody gets as long as one does.
    at::Tensor take(std::int64_t bytes)
    {
        for (const at::Tensor& known : m_known)
            if (known.numel() >= bytes && known.storage().use_count() == 1)
                return known.slice(0, 0, bytes);
        m_known.push_back(at::empty({bytes}, at::TensorOptions().dtype(at::kByte).pinned_memory(true)));
        return m_known.back().slice(0, 0, bytes);
    }

private:
    std::vector<at::Tensor> m_known;
};

/// A tensor of this shape and type that begins at a byte of another one's memory.
inline at::Tensor laidOver(const at::Tensor& bytes, std::size_t offset, at::IntArrayRef shape, at::IntArrayRef strides, at::ScalarType type)
{
    const at::Tensor out = at::empty({0}, bytes.options().dtype(type).pinned_memory(false));
    return out.set_(bytes.storage(), (bytes.storage_offset() + static_cast<std::int64_t>(offset)) / out.element_size(), shape, strides);
}

} // namespace cudal1::judge
