// SPDX-License-Identifier: GPL-3.0-or-later
// Attention over the paged cache of a GPU by a kernel of our own, which reads keys and values where they lie. With the
// framework's operators, those of each text would be gathered first: for 64 texts of 2000 tokens that is some ten times
// as many bytes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

namespace cudal1::decoder {

class PagedAttention {
public:
    struct Shape {
        std::int64_t heads = 1;    ///< of queries
        std::int64_t keyHeads = 1; ///< of keys and values; divides `heads`
        std::int64_t size = 64;    ///< of a head
        at::ScalarType type = at::kBFloat16;
        std::int64_t blockTokens = 16; ///< tokens in a block of the cache
    };

    /// Null where there is no kernel for the shape: a head's size is no multiple of 32, too many queries share a key,
    /// or the type is neither bfloat16 nor float32. Throws std::runtime_error with the words of NVRTC or the driver.
    static std::unique_ptr<PagedAttention> make(const Shape& shape, const at::Device& device);
    ~PagedAttention();

    /// One new token of each text. `query` is [rows][1][heads][size]; `keys` and `values` are [places][keyHeads][size],
    /// with the token's own among them; `tables`, int32, is [rows][blocks], and `positions`, int64, has the place of
    /// each row's token in its text. Returns a tensor of the shape of `query`. Enqueued on the current stream; may be
    /// captured.
    at::Tensor attend(const at::Tensor& query, const at::Tensor& keys, const at::Tensor& values,
                      const at::Tensor& tables, const at::Tensor& positions) const;

private:
    struct Kernel;
    PagedAttention(const Shape& shape, std::unique_ptr<Kernel> kernel);

    Shape m_shape;
    std::unique_ptr<Kernel> m_kernel;
};

} // namespace cudal1::decoder
