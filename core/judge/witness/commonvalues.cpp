// SPDX-License-Identifier: GPL-3.0-or-later
// Looks for equal elements and rows in a sample, and draws others for them.
#include "core/judge/witness/commonvalues.h"

#include "core/judge/witness/comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string_view>
#include <unordered_set>

namespace cudal1::judge {

namespace {

/// Some of `count` places, each at most once. They are drawn, since a stride could follow a diagonal.
at::Tensor somePlaces(std::int64_t count, std::int64_t most)
{
    std::vector<std::int64_t> all(static_cast<std::size_t>(count)), some;
    std::iota(all.begin(), all.end(), 0);
    std::sample(all.begin(), all.end(), std::back_inserter(some), most, std::mt19937_64());
    return at::tensor(some, at::kLong);
}

double usualSpread(const at::Tensor& weight)
{
    if (weight.dim() < 2)
        return 0.1;
    // Which of its sides are the inputs of a product is not known.
    const std::int64_t rows = weight.size(0), inputs = std::max(rows, weight.numel() / std::max<std::int64_t>(rows, 1));
    return 1 / std::sqrt(static_cast<double>(inputs));
}

} // namespace

std::vector<double> commonValues(const at::Tensor& weight)
{
    constexpr std::int64_t most = 4096, share = 10, few = 20;
    const auto leavesOut = [](double value) { return value == 0 || std::abs(value) == 1; };
    at::Tensor some = asReal(weight).reshape({-1});
    if (some.numel() > most) {
        std::mt19937_64 generator; // places at random, as in somePlaces(), and without a list of all
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
        if (next - first >= least || (some.numel() <= few && leavesOut(*first)))
            common.push_back(*first);
        first = std::max(next, first + 1); // NaN differs from itself
    }
    return common;
}

bool hasEqualRows(const at::Tensor& weight)
{
    constexpr std::int64_t mostRows = 4096, mostColumns = 64;
    constexpr std::int64_t fewestColumns = 8; // rows of fewer can be equal by chance
    if (weight.dim() < 2 || weight.size(0) < 2 || weight.numel() / weight.size(0) < fewestColumns)
        return false;
    const at::Tensor rows = asReal(weight).flatten(1);
    const at::Tensor some = rows.index_select(0, somePlaces(rows.size(0), mostRows).to(rows.device()))
                                .index_select(1, somePlaces(rows.size(1), mostColumns).to(rows.device()))
                                .cpu()
                                .contiguous();
    const std::size_t length = some.nbytes() / static_cast<std::size_t>(some.size(0));
    const char* const first = static_cast<const char*>(some.const_data_ptr());
    std::unordered_set<std::string_view> seen;
    for (const char* row = first; row != first + some.nbytes(); row += length)
        if (!seen.emplace(row, length).second)
            return true;
    return false;
}

bool isFaint(const at::Tensor& weight)
{
    constexpr double ofVectors = 1e-3, ofMatrices = 1e-2;
    if (weight.numel() < 2)
        return false;
    const double spread = asReal(weight).to(at::kFloat).std().item<double>();
    return spread > 0 && spread < (weight.dim() < 2 ? ofVectors : ofMatrices) * usualSpread(weight);
}

at::Tensor withUsualSpread(const at::Tensor& weight)
{
    return weight + at::randn_like(weight).mul_(usualSpread(weight));
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
