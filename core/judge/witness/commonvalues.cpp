// SPDX-License-Identifier: GPL-3.0-or-later
// Counts equal elements of a sample, and draws others for them.
#include "core/judge/witness/commonvalues.h"

#include "core/judge/witness/comparison.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace cudal1::judge {

std::vector<double> commonValues(const at::Tensor& weight)
{
    constexpr std::int64_t most = 4096, share = 10;
    at::Tensor some = asReal(weight).reshape({-1});
    if (some.numel() > most) {
        std::mt19937_64 generator; // places at random, since a stride could follow a diagonal
        std::uniform_int_distribution<std::int64_t> place(0, some.numel() - 1);
        std::vector<std::int64_t> places(most);
        std::generate(places.begin(), places.end(), [&] { return place(generator); });
        some = some.index_select(0, at::tensor(places, at::kLong).to(some.device()));
    }
    some = std::get<0>(some.to(at::kCPU, at::kDouble).sort());
    const double* const begin = some.const_data_ptr<double>();
    const double* const end = begin + some.numel();
    const std::int64_t least = std::min(std::max<std::int64_t>(2, some.numel() / share), some.numel());
    std::vector<double> common;
    for (const double* first = begin; first != end;) {
        const double* const next = std::find_if(first, end, [&](double value) { return value != *first; });
        if (next - first >= least)
            common.push_back(*first);
        first = std::max(next, first + 1); // NaN differs from itself
    }
    return common;
}

at::Tensor aboutIts(const at::Tensor& weight)
{
    constexpr double most = 0.25;
    if (weight.is_complex())
        return at::view_as_complex(aboutIts(at::view_as_real(weight.contiguous())));
    return weight * at::rand_like(weight).mul_(2 * most).add_(1 - most);
}

at::Tensor withoutCommonValues(const at::Tensor& weight)
{
    constexpr double small = 1e-3, aboutZero = 0.1;
    if (weight.is_complex())
        return at::view_as_complex(withoutCommonValues(at::view_as_real(weight.contiguous())));
    at::Tensor out = weight.clone();
    for (const double value : commonValues(weight)) {
        at::Tensor others;
        if (std::abs(value) >= small) {
            others = aboutIts(weight);
        } else {
            const double scale = rmsOfFinite(weight);
            others = at::randn_like(weight).mul_(scale >= small ? scale : aboutZero);
            if (value != 0)
                others = others.abs_().mul_(value < 0 ? -1 : 1);
        }
        out = at::where(weight.eq(value), others, out);
    }
    return out;
}

} // namespace cudal1::judge
