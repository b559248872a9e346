// SPDX-License-Identifier: GPL-3.0-or-later
// Packed sequences and their attention.
#include "core/training/packedpass.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace cudal1::training {

namespace {

at::Tensor longTensor(const std::vector<std::int64_t>& values, const at::Device& device)
{
    return at::tensor(values, at::TensorOptions(at::kLong)).to(device);
}

} // namespace

PackedPass::PackedPass(std::span<const Sequence> sequences, const Pass& pass, const decoder::DecoderModel& model,
                       const at::Device& device, bool sharesPrompts)
{
    std::map<std::vector<int>, std::pair<int, Segment>> prompts; ///< how often they come, and where they are
    const auto promptOf = [](const Sequence& sequence) {
        return std::vector<int>(sequence.tokens.begin(),
                                sequence.tokens.begin() + static_cast<std::ptrdiff_t>(sequence.promptTokens));
    };
    if (sharesPrompts)
        for (const std::size_t number : pass)
            ++prompts[promptOf(sequences[number])].first;
    for (const std::size_t number : pass) {
        const Sequence& sequence = sequences[number];
        const std::span<const int> all(sequence.tokens);
        const auto promptTokens = static_cast<std::int64_t>(sequence.promptTokens);
        const auto shared = sharesPrompts ? prompts.find(promptOf(sequence)) : prompts.end();
        const auto begin = static_cast<std::int64_t>(m_tokens.size());
        if (shared == prompts.end() || shared->second.first < 2) {
            add(all, 0, {begin, static_cast<std::int64_t>(all.size()), 0, 0});
            addTargets(sequence, number, begin + promptTokens - 1, begin + promptTokens);
            continue;
        }
        Segment& prompt = shared->second.second;
        if (prompt.length == 0) {
            prompt = {begin, promptTokens, 0, 0};
            add(all.first(sequence.promptTokens), 0, prompt);
        }
        const auto own = static_cast<std::int64_t>(m_tokens.size());
        add(all.subspan(sequence.promptTokens), promptTokens,
            {own, static_cast<std::int64_t>(sequence.replyTokens()), prompt.begin, prompt.length});
        addTargets(sequence, number, prompt.begin + prompt.length - 1, own);
    }
    place(model, device);
}

void PackedPass::add(std::span<const int> newTokens, std::int64_t firstPosition, const Segment& segment)
{
    for (const int token : newTokens) {
        m_tokens.push_back(token);
        m_positions.push_back(firstPosition++);
    }
    m_segments.push_back(segment);
}

void PackedPass::addTargets(const Sequence& sequence, std::size_t number, std::int64_t lastOfPrompt,
                            std::int64_t firstOfReply)
{
    for (std::size_t i = 0; i < sequence.replyTokens(); ++i) {
        m_behind.push_back(i == 0 ? lastOfPrompt : firstOfReply + static_cast<std::int64_t>(i) - 1);
        m_came.push_back(sequence.tokens[sequence.promptTokens + i]);
        targets.push_back({number, i});
    }
}

/// What the layers need, on the device.
void PackedPass::place(const decoder::DecoderModel& model, const at::Device& device)
{
    tokens = longTensor(m_tokens, device).unsqueeze(0);
    rows = longTensor(m_behind, device);
    answers = longTensor(m_came, device);
    const at::Tensor places = longTensor(m_positions, device).unsqueeze(0);
    if (model.config().rotary.kind == modelfiles::RotaryScaling::Kind::Dynamic) {
        // The base of the rotation depends on the sequence's own length.
        std::vector<at::Tensor> cosines, sines;
        for (const Segment& segment : m_segments) {
            const auto own = model.angles(places.narrow(1, segment.begin, segment.length),
                                          static_cast<std::size_t>(segment.length));
            cosines.push_back(own.cosine);
            sines.push_back(own.sine);
        }
        angles = {at::cat(cosines, 1), at::cat(sines, 1)};
    } else {
        angles = model.angles(places, 0);
    }
    if (!device.is_cuda())
        return;
    std::vector<std::int64_t> queries{0}, keys{0}, keyRows;
    for (const Segment& segment : m_segments) {
        for (std::int64_t i = 0; i < segment.promptLength; ++i)
            keyRows.push_back(segment.promptBegin + i);
        for (std::int64_t i = 0; i < segment.length; ++i)
            keyRows.push_back(segment.begin + i);
        m_longestQuery = std::max(m_longestQuery, segment.length);
        m_longestKey = std::max(m_longestKey, segment.promptLength + segment.length);
        queries.push_back(segment.begin + segment.length);
        keys.push_back(static_cast<std::int64_t>(keyRows.size()));
    }
    m_queryBounds = longTensor(queries, device).to(at::kInt);
    m_keyBounds = longTensor(keys, device).to(at::kInt);
    if (keyRows.size() > m_tokens.size())
        m_keyRows = longTensor(keyRows, device);
}

/// One kernel with the segments' bounds. Where there are fewer queries than keys, it aligns both at their ends.
at::Tensor PackedPass::attendAtOnce(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const
{
    const auto rowsOf = [&](const at::Tensor& heads) {
        return m_keyRows.defined() ? heads[0].index_select(0, m_keyRows) : heads[0].contiguous();
    };
    const double scale = 1 / std::sqrt(static_cast<double>(query.size(3)));
    return std::get<0>(at::_flash_attention_forward(query[0].contiguous(), rowsOf(key), rowsOf(value), m_queryBounds,
                                                    m_keyBounds, m_longestQuery, m_longestKey, 0.0, true, false, scale))
        .unsqueeze(0);
}

at::Tensor PackedPass::attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const
{
    const std::int64_t size = query.size(3), group = query.size(2) / key.size(2);
    if (m_queryBounds.defined() && query.scalar_type() == at::kBFloat16 && size % 8 == 0 && size <= 256)
        return attendAtOnce(query, key, value);
    std::vector<at::Tensor> mixed;
    for (const Segment& segment : m_segments) {
        const auto keysOf = [&](const at::Tensor& heads) {
            at::Tensor part = heads.narrow(1, segment.begin, segment.length);
            if (segment.promptLength > 0)
                part = at::cat({heads.narrow(1, segment.promptBegin, segment.promptLength), part}, 1);
            return (group > 1 ? part.repeat_interleave(group, 2) : part).transpose(1, 2);
        };
        std::optional<at::Tensor> mask;
        if (segment.promptLength > 0)
            mask = at::ones({segment.length, segment.promptLength + segment.length},
                            at::TensorOptions(at::kBool).device(query.device()))
                       .tril(segment.promptLength);
        const at::Tensor own = query.narrow(1, segment.begin, segment.length).transpose(1, 2);
        mixed.push_back(at::scaled_dot_product_attention(own, keysOf(key), keysOf(value), mask, 0.0, !mask.has_value())
                            .transpose(1, 2));
    }
    return mixed.size() == 1 ? mixed[0] : at::cat(mixed, 1);
}

} // namespace cudal1::training
