// SPDX-License-Identifier: GPL-3.0-or-later
// Packed sequences and their attention.
#include "core/training/packedpass.h"

#include <algorithm>
#include <cmath>

namespace cudal1::training {

namespace {

at::Tensor longTensor(const std::vector<std::int64_t>& values, const at::Device& device)
{
    return at::tensor(values, at::TensorOptions(at::kLong)).to(device);
}

} // namespace

PackedPass::PackedPass(std::span<const Sequence> sequences, const Pass& pass, const decoder::DecoderModel& model,
                       const at::Device& device)
    : m_bounds{0}
{
    std::vector<std::int64_t> all, positions, behind, came;
    for (const std::size_t number : pass) {
        const Sequence& sequence = sequences[number];
        const std::int64_t begin = m_bounds.back();
        for (std::size_t i = 0; i < sequence.tokens.size(); ++i) {
            all.push_back(sequence.tokens[i]);
            positions.push_back(static_cast<std::int64_t>(i));
            if (i < sequence.promptTokens)
                continue;
            behind.push_back(begin + static_cast<std::int64_t>(i) - 1);
            came.push_back(sequence.tokens[i]);
            targets.push_back({number, i - sequence.promptTokens});
        }
        m_bounds.push_back(static_cast<std::int64_t>(all.size()));
        m_longest = std::max(m_longest, m_bounds.back() - begin);
    }
    tokens = longTensor(all, device).unsqueeze(0);
    rows = longTensor(behind, device);
    answers = longTensor(came, device);
    const at::Tensor places = longTensor(positions, device).unsqueeze(0);
    if (model.config().rotary.kind == decoder::RotaryScaling::Kind::Dynamic) {
        // The base of the rotation depends on the sequence's own length.
        std::vector<at::Tensor> cosines, sines;
        for (std::size_t i = 0; i + 1 < m_bounds.size(); ++i) {
            const std::int64_t length = m_bounds[i + 1] - m_bounds[i];
            const auto own = model.angles(places.narrow(1, m_bounds[i], length), static_cast<std::size_t>(length));
            cosines.push_back(own.cosine);
            sines.push_back(own.sine);
        }
        angles = {at::cat(cosines, 1), at::cat(sines, 1)};
    } else {
        angles = model.angles(places, 0);
    }
    if (device.is_cuda())
        m_deviceBounds = longTensor(m_bounds, device).to(at::kInt);
}

at::Tensor PackedPass::attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const
{
    const std::int64_t size = query.size(3), group = query.size(2) / key.size(2);
    if (m_deviceBounds.defined() && query.scalar_type() == at::kBFloat16 && size % 8 == 0 && size <= 256)
        return std::get<0>(at::_flash_attention_forward(query[0].contiguous(), key[0].contiguous(),
                                                        value[0].contiguous(), m_deviceBounds, m_deviceBounds,
                                                        m_longest, m_longest, 0.0, true, false,
                                                        1 / std::sqrt(static_cast<double>(size))))
            .unsqueeze(0);
    std::vector<at::Tensor> mixed;
    for (std::size_t i = 0; i + 1 < m_bounds.size(); ++i) {
        const auto own = [&](const at::Tensor& heads, std::int64_t times) {
            const at::Tensor part = heads.narrow(1, m_bounds[i], m_bounds[i + 1] - m_bounds[i]);
            return (times > 1 ? part.repeat_interleave(times, 2) : part).transpose(1, 2);
        };
        mixed.push_back(
            at::scaled_dot_product_attention(own(query, 1), own(key, group), own(value, group), std::nullopt, 0.0, true)
                .transpose(1, 2));
    }
    return mixed.size() == 1 ? mixed[0] : at::cat(mixed, 1);
}

} // namespace cudal1::training
