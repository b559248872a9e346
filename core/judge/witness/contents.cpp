// SPDX-License-Identifier: GPL-3.0-or-later
// Contents put together from several draws.
#include "core/judge/witness/contents.h"

#include <sys/random.h>

#include <stdexcept>

namespace cudal1::judge {

namespace {

constexpr std::size_t mostDraws = 4;
constexpr double smallestScale = 0.6;

bool hasArithmetic(const at::Tensor& input)
{
    const at::ScalarType type = input.scalar_type();
    return type == at::kFloat || type == at::kDouble || type == at::kHalf || type == at::kBFloat16;
}

/// Each whole number but the first and the last moves by less than half of the way to its neighbours, so that none of
/// them meet.
at::Tensor betweenNeighbours(const at::Tensor& ordered)
{
    const at::Tensor out = ordered.to(at::kLong).clone();
    const std::int64_t inner = out.size(0) - 2;
    if (inner < 1)
        return ordered.clone();
    const at::Tensor room = out.diff().sub_(1).clamp_min_(0).floor_divide(2), below = room.slice(0, 0, inner),
                     above = room.slice(0, 1), share = at::rand({inner}, out.options().dtype(at::kDouble));
    out.slice(0, 1, inner + 1).add_(share.mul(below + above + 1).floor().to(at::kLong) - below);
    return out.to(ordered.scalar_type());
}

/// Numbers below `count`, one for each element, or for each row where `byRows` says so.
at::Tensor choices(const at::Tensor& like, std::size_t count, bool byRows)
{
    std::vector<std::int64_t> shape = like.sizes().vec();
    if (byRows && !shape.empty())
        shape.back() = 1;
    return at::randint(static_cast<std::int64_t>(count), shape, like.options().dtype(at::kByte));
}

} // namespace

std::uint64_t secretNumber()
{
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number))
        throw std::runtime_error("the system gives no random numbers");
    return number;
}

bool oneIn(std::uint64_t n)
{
    return secretNumber() % n == 0;
}

bool Contents::changesByItself(const InputTraits& traits)
{
    return traits.repeats && (traits.movable || traits.ordered || traits.choices);
}

std::size_t Contents::wantedDraws() const
{
    for (const InputTraits& traits : m_traits)
        if (traits.fixed)
            return mostDraws;
    return 2;
}

void Contents::addDraw(std::vector<at::Tensor> inputs, std::size_t most)
{
    while (!m_draws.empty() && m_draws.size() >= std::min(most, mostDraws))
        m_draws.erase(m_draws.begin());
    m_draws.push_back(std::move(inputs));
}

std::vector<at::Tensor> Contents::make(std::uint64_t key) const
{
    at::manual_seed(key >> 1); // for what is chosen by the framework's operators
    std::vector<at::Tensor> out;
    for (std::size_t i = 0; i < m_draws.front().size(); ++i) {
        const InputTraits& traits = m_traits[i];
        const at::Tensor& first = m_draws.front()[i];
        const std::uint64_t own = judge::mixed(key ^ judge::mixed(i));
        if (!traits.fixed && hasArithmetic(first))
            out.push_back(withPromises(mixed(i, own), traits).contiguous());
        else if (changesByItself(traits) || (traits.movable && m_draws.size() == 1))
            out.push_back(drawnAnew(i));
        else if (traits.ordered)
            out.push_back(std::get<0>(selected(i, false).sort())); // as many ids of the same range, in order again
        else if (traits.probabilities && hasArithmetic(first))
            out.push_back(distributions(i));
        else
            out.push_back(selected(i, traits.choices));
    }
    return out;
}

at::Tensor Contents::mixed(std::size_t input, std::uint64_t key) const
{
    const at::Tensor out = at::empty_like(m_draws.front()[input], at::MemoryFormat::Contiguous);
    DeviceKernels::Mixture mixture;
    for (const std::vector<at::Tensor>& draw : m_draws)
        mixture.bases.push_back(draw[input].const_data_ptr());
    mixture.count = static_cast<std::uint64_t>(out.numel());
    mixture.key = key;
    // One factor for the whole tensor beside one for each element, since a mean over many elements hides the latter.
    mixture.scale = smallestScale + (1 - smallestScale) * static_cast<double>(judge::mixed(~key) >> 11) * 0x1p-53;
    mixture.signs = m_traits[input].bothSigns;
    mixture.columns = m_traits[input].symmetric && out.dim() == 2 ? static_cast<std::uint64_t>(out.size(-1)) : 0;
    m_kernels.mix(nameOf(out.scalar_type()), mixture, out.mutable_data_ptr());
    return out;
}

/// Each element (or row) from one of the draws.
at::Tensor Contents::selected(std::size_t input, bool byRows) const
{
    at::Tensor out = m_draws.front()[input].clone();
    if (out.numel() == 0)
        return out;
    if (m_draws.size() == 1) // there is one alone: its rows move round
        return out.dim() > 0
                 ? out.roll(1 + static_cast<std::int64_t>(at::randint(out.size(0), {1}).item<std::int64_t>()), 0)
                 : out;
    const at::Tensor chosen = choices(out, m_draws.size(), byRows);
    for (std::size_t draw = 1; draw < m_draws.size(); ++draw)
        out = at::where(chosen.eq(static_cast<std::int64_t>(draw)), m_draws[draw][input], out);
    return out;
}

/// Where there is one draw alone, or each gives the same whole numbers, a result that was kept would be right in every
/// call. Where no two in a row are equal, as in a permutation, they stay so and move round.
at::Tensor Contents::drawnAnew(std::size_t input) const
{
    const at::Tensor& own = m_draws.front()[input];
    if (m_traits[input].ordered)
        return betweenNeighbours(own);
    if (m_traits[input].choices) {
        const at::Tensor rows = own.reshape({-1, own.size(-1)});
        return rows.index_select(0, at::randint(rows.size(0), {rows.size(0)}, rows.options().dtype(at::kLong)))
            .reshape(own.sizes());
    }
    std::int64_t d = own.dim() - 1;
    while (d > 0 && own.size(d) == 1)
        --d;
    const auto numbers = own.options().dtype(at::kLong);
    if (m_traits[input].distinct)
        return own.roll(1 + at::randint(std::max<std::int64_t>(own.size(d) - 1, 1), {1}).item<std::int64_t>(), d);
    return own.gather(d, at::randint(own.size(d), own.sizes(), numbers));
}

/// Rows that sum to one stay such rows: elements of two draws, to powers that add up to one and each with a factor of
/// its own, divided by their sum. That is linear in neither draw.
at::Tensor Contents::distributions(std::size_t input) const
{
    const std::size_t count = m_draws.size();
    const auto pick = static_cast<std::size_t>(at::randint(static_cast<std::int64_t>(count), {1}).item<std::int64_t>());
    const at::Tensor a = m_draws[pick][input].to(at::kFloat), b = m_draws[(pick + 1) % count][input].to(at::kFloat);
    const at::Tensor power = at::rand({1}, a.options());
    const at::Tensor raw = a.pow(power).mul_(b.pow(1 - power)).mul_(at::rand_like(a).mul_(-0.5).add_(1.0));
    return raw.div(raw.sum(-1, true)).to(m_draws.front()[input].scalar_type());
}

} // namespace cudal1::judge
