// SPDX-License-Identifier: GPL-3.0-or-later
// Distributions of inputs.
#include "core/judge/witness/inputfamily.h"

#include "core/judge/witness/comparison.h"

#include <algorithm>
#include <cmath>

namespace cudal1::judge {

namespace {

bool holds(const at::Tensor& condition)
{
    return condition.all().item<bool>();
}

/// Rows that sum to one, none negative: a distribution over the last dimension.
bool looksLikeProbabilities(const at::Tensor& input)
{
    if (input.dim() == 0 || input.size(-1) < 2)
        return false;
    const at::Tensor rows = input.reshape({-1, input.size(-1)}).slice(0, 0, 64).to(at::kDouble);
    return holds(rows.ge(0)) && holds(rows.sum(-1).sub(1).abs().lt(1e-4));
}

bool isSymmetric(const at::Tensor& input)
{
    return input.dim() >= 2 && input.size(-2) == input.size(-1) && input.size(-1) > 1 && at::equal(input, input.mT());
}

bool hasUnitRows(const at::Tensor& input)
{
    if (input.dim() == 0 || input.size(-1) < 2)
        return false;
    const double rounding = input.element_size() < 4 ? 5e-3 : 1e-4;
    const at::Tensor rows = input.reshape({-1, input.size(-1)}).slice(0, 0, 64).to(at::kDouble);
    return holds(rows.norm(2, -1).sub(1).abs().lt(rounding));
}

/// Rows that never fall, and are long enough for that to be no chance.
bool hasOrderedRows(const at::Tensor& input)
{
    constexpr std::int64_t leastPairs = 16;
    if (input.dim() == 0 || input.size(-1) < 2 || input.numel() - input.numel() / input.size(-1) < leastPairs)
        return false;
    return holds(input.slice(-1, 1).ge(input.slice(-1, 0, -1)));
}

/// Of integers, whether the framework compares and sorts them.
bool hasOrder(at::ScalarType type)
{
    return type == at::kByte || type == at::kChar || type == at::kShort || type == at::kInt || type == at::kLong;
}

/// Judged by some rows, and by the first elements of long ones.
bool hasDistinctRows(const at::Tensor& input)
{
    constexpr std::int64_t mostRows = 64, mostColumns = 1 << 16;
    const at::Tensor rows = input.reshape({-1, input.size(-1)}).slice(0, 0, mostRows).slice(1, 0, mostColumns);
    return input.size(-1) > 1 && holds(std::get<0>(rows.sort(-1)).diff().ne(0));
}

/// Keeps the zeros of a structured input.
at::Tensor onPattern(const at::Tensor& changed, const at::Tensor& original, const InputTraits& traits)
{
    return traits.structured ? at::where(original.ne(0), changed, at::zeros({}, original.options())) : changed;
}

/// One element, at a random place, is as large as an eighth of all of its row's elements together could be. Who leaves
/// out a part of the rows misses it, and cannot tell by the rest. (With one in each row, others would give it away.)
at::Tensor spiked(const at::Tensor& input)
{
    constexpr double most = 3e4; // half has numbers up to 65504
    at::Tensor out = input.clone(at::MemoryFormat::Contiguous);
    const std::int64_t rows = input.dim() > 1 ? input.size(0) : 1, columns = input.numel() / rows;
    const auto below = [](std::int64_t count) { return at::randint(count, {1}).item<std::int64_t>(); };
    const at::Tensor row = out.view({rows, columns})[below(rows)];
    const at::Tensor element = row[below(columns)];
    const double size = row.abs().max().item<double>() * static_cast<double>(columns) / 8;
    element.fill_(std::min(size, most) * (element.item<double>() < 0 ? -1 : 1));
    return out;
}

bool isConstant(const at::Tensor& input)
{
    return input.numel() > 0 && holds(input.eq(input.reshape({-1})[0]));
}

/// One element in ten in half of the calls; in the others any share from that down to one element, each order of
/// magnitude as often: who looks at some elements alone does not see those.
double shareOfFlipped(std::int64_t count)
{
    constexpr double most = 0.1;
    const at::Tensor drawn = at::rand({2}, at::kDouble);
    const double least = std::min(1.0 / static_cast<double>(count), most);
    return drawn[0].item<double>() < 0.5 ? most : most * std::pow(least / most, drawn[1].item<double>());
}

/// Where `chosen` says so, another whole number or truth value: of an input whose elements are not all the same, that
/// of another element.
at::Tensor withOthers(const at::Tensor& flat, const at::Tensor& chosen, const InputTraits& traits)
{
    if (!traits.constant) {
        const auto places = flat.options().dtype(at::kLong);
        return at::where(chosen, flat.index_select(0, at::randint(flat.numel(), flat.sizes(), places)), flat);
    }
    const at::Tensor first = flat[0];
    const at::Tensor other = flat.numel() > 1 || flat.scalar_type() == at::kBool ? first.eq(0).to(flat.scalar_type())
                                                                                 : first + 1;
    return at::where(chosen, other, flat);
}

/// True for about this share of the elements, and for one at least.
at::Tensor someOf(const at::Tensor& flat, double share)
{
    at::Tensor chosen = at::rand(flat.sizes(), flat.options().dtype(at::kFloat)).lt(share);
    chosen[at::randint(flat.numel(), {1}).item<std::int64_t>()].fill_(true);
    return chosen;
}

/// Some elements, at least one, are another whole number or truth value. Who does not read an input since it is always
/// the same in the dataset is found out.
at::Tensor flipped(const at::Tensor& input, const InputTraits& traits)
{
    const at::Tensor flat = input.reshape({-1});
    return withOthers(flat, someOf(flat, shareOfFlipped(flat.numel())), traits).reshape(input.sizes());
}

/// From a quarter to four, another number for each row, in the shape that multiplies rows.
at::Tensor factorsOfRows(const at::Tensor& input)
{
    const at::Tensor exponent = at::rand({input.size(0)}, input.options().dtype(at::kFloat)).mul_(4).sub_(2);
    std::vector<std::int64_t> shape(static_cast<std::size_t>(input.dim()), 1);
    shape[0] = input.size(0);
    return at::exp2(exponent).reshape(shape);
}

/// Rows that sum to one still do, and some are much more even than others.
at::Tensor sharpened(const at::Tensor& input)
{
    const at::Tensor raw = input.to(at::kDouble).pow(factorsOfRows(input));
    return raw.div(raw.sum(-1, true)).to(input.scalar_type());
}

bool canBeSpiked(const InputTraits& traits)
{
    return traits.coarse && !traits.fixed && !traits.symmetric;
}

bool canBeFlipped(const InputTraits& traits)
{
    return traits.constant || (traits.repeats && !traits.movable && !traits.ordered && !traits.choices);
}

bool canBeBlended(const InputTraits& traits)
{
    return traits.manyRows && !traits.fixed && !traits.symmetric;
}

/// Each row has a share of its elements from another row, at random places: from one element to all of them, each order
/// of magnitude as often. Where a result says which rows are large, in a sense, and the dataset's own are clearly large
/// or clearly small, a part of a row tells. Here it does not, since there are rows about wherever the limit is.
at::Tensor blended(const at::Tensor& input)
{
    const auto below = [](std::int64_t count) { return at::randint(count, {1}).item<std::int64_t>(); };
    std::int64_t rows = 1;
    for (std::int64_t d = 0, last = below(input.dim() - 1); d <= last || rows < 2; ++d) // results may be of any of them
        rows *= input.size(d);
    const at::Tensor own = input.reshape({rows, -1}), other = own.roll(1 + below(rows - 1), 0);
    const auto numbers = own.options().dtype(at::kFloat);
    const at::Tensor share = at::rand({rows, 1}, numbers).mul_(-std::log2(static_cast<double>(own.size(1)))).exp2_();
    return at::where(at::rand(own.sizes(), numbers).lt(share), other, own).reshape(input.sizes());
}

} // namespace

InputTraits traitsOf(const at::Tensor& input)
{
    InputTraits traits;
    const bool floating = at::isFloatingType(input.scalar_type());
    if (!floating || input.numel() == 0) {
        traits.fixed = true;
        traits.constant = input.scalar_type() == at::kBool && isConstant(input);
        traits.ordered = at::isIntegralType(input.scalar_type(), false) && input.dim() == 1 && input.numel() > 1 &&
                         holds(input.slice(0, 1).ge(input.slice(0, 0, -1)));
        traits.movable = hasOrder(input.scalar_type()) && input.numel() > 1 && !traits.ordered && !isConstant(input) &&
                         !hasOrderedRows(input);
        traits.distinct = traits.movable && hasDistinctRows(input);
        traits.movable = traits.movable || (at::isComplexType(input.scalar_type()) && input.numel() > 1);
        return traits;
    }
    traits.nonNegative = holds(input.ge(0));
    traits.bothSigns = !traits.nonNegative && !holds(input.le(0));
    traits.structured = input.numel() > 16 && input.eq(0).sum().item<std::int64_t>() * 20 > input.numel();
    traits.symmetric = isSymmetric(input);
    const bool whole = holds(input.eq(input.round())), distributions = looksLikeProbabilities(input);
    traits.probabilities = !whole && distributions;
    traits.choices = whole && distributions;
    traits.constant = whole && isConstant(input);
    traits.fixed = whole || traits.probabilities;
    traits.ordered = !traits.fixed && hasOrderedRows(input);
    traits.unitRows = !traits.fixed && hasUnitRows(input);
    traits.manyRows = input.dim() > 1 && input.numel() / input.size(-1) > 1;
    return traits;
}

bool canBeRedrawn(const at::Tensor& input, const InputTraits& traits)
{
    return canBeFlipped(traits) && input.numel() > 1 &&
           (!at::isFloatingType(input.scalar_type()) || holds(input.isfinite()));
}

at::Tensor redrawn(const at::Tensor& input, const InputTraits& traits)
{
    const at::Tensor flat = input.reshape({-1});
    return withOthers(flat, someOf(flat, traits.constant ? 0.5 : 1), traits).reshape(input.sizes());
}

bool canRepeat(const at::Tensor& input, const InputTraits& traits)
{
    return traits.fixed && !traits.constant && !traits.probabilities && input.numel() > 1 &&
           (traits.movable || traits.ordered || input.scalar_type() == at::kBool ||
            at::isFloatingType(input.scalar_type()));
}

bool familyApplies(std::string_view family, std::span<const InputTraits> traits)
{
    if (family == "as_given")
        return true;
    if (family == "spiked")
        return std::any_of(traits.begin(), traits.end(), canBeSpiked);
    if (family == "blended")
        return std::any_of(traits.begin(), traits.end(), canBeBlended);
    if (family == "flipped" || family == "redrawn")
        return std::any_of(traits.begin(), traits.end(), canBeFlipped);
    return std::any_of(traits.begin(), traits.end(), [&](const InputTraits& t) {
        return family == "rows" && t.probabilities ? true : !t.fixed && !(family == "sparse" && t.symmetric);
    });
}

at::Tensor withPromises(const at::Tensor& changed, const InputTraits& traits)
{
    at::Tensor out = changed;
    if (traits.symmetric && out.dim() > 2)
        out = out.tril() + out.tril(-1).mT();
    if (traits.ordered)
        out = std::get<0>(out.sort(-1));
    if (traits.unitRows) {
        const at::Tensor rows = out.to(at::kDouble), length = rows.norm(2, -1, true), first = at::zeros_like(rows);
        first.select(-1, 0).fill_(1); // the direction of rows that were all zeros
        out = at::where(length.gt(0), rows.div(length), first).to(out.scalar_type());
    }
    return out;
}

/// As applyFamily(), for an input whose elements may be changed one by one.
static at::Tensor changedTo(std::string_view family, const at::Tensor& input, const InputTraits& traits)
{
    if (family == "scaled")
        return input * 4;
    if (family == "rows") {
        // From a quarter to four times, another factor for each row, so that no part of the data stands for the rest.
        if (traits.symmetric || input.dim() == 0)
            return input * 2;
        return input * factorsOfRows(input).to(input.scalar_type());
    }
    if (family == "shifted")
        return onPattern(input + 1.5, input, traits);
    if (family == "sparse")
        return traits.symmetric ? input : input * at::rand_like(input).lt(0.1);
    if (family == "spiked")
        return canBeSpiked(traits) ? onPattern(spiked(input), input, traits) : input;
    if (family == "blended")
        return canBeBlended(traits) ? onPattern(blended(input), input, traits) : input;
    if (family == "constant")
        return onPattern(at::full_like(input, 0.5), input, traits);
    if (family == "tiny")
        return input * 1e-3;
    if (family == "large_values")
        // Numbers of one sign come from a bounded range more often: what holds within it alone must show there too.
        return traits.symmetric
                 ? input * 16
                 : at::where(at::rand_like(input).lt(1e-3), input * (traits.bothSigns ? 64 : 256), input);
    return input;
}

at::Tensor applyFamily(std::string_view family, const at::Tensor& input, const InputTraits& traits)
{
    if (family == "flipped")
        return canBeFlipped(traits) ? flipped(input, traits) : input;
    if (family == "rows" && traits.probabilities)
        return sharpened(input);
    if (traits.fixed || family == "as_given")
        return input;
    return withPromises(changedTo(family, input, traits), traits);
}

bool keepsDifferent(std::string_view family)
{
    return family == "as_given" || family == "scaled" || family == "large_values";
}

at::Tensor perturbed(const at::Tensor& input, const InputTraits& traits)
{
    if (traits.fixed)
        return input;
    const double most = input.scalar_type() == at::kDouble ? 9e-16 : 4.8e-7; // half of it: two units, of float32
    return input * (at::rand_like(input).sub_(0.5).mul_(most).add_(1.0));
}

void noteHiding(std::span<InputTraits> traits, const std::vector<at::Tensor>& results)
{
    const auto any = [&results](auto isSo) {
        return std::any_of(results.begin(), results.end(),
                           [&](const at::Tensor& result) { return isSo(result.scalar_type()); });
    };
    const bool coarse = any([](at::ScalarType type) { return type == at::kHalf || type == at::kBFloat16; }),
               whole = any([](at::ScalarType type) { return at::isIntegralType(type, true); });
    for (InputTraits& one : traits) {
        one.coarse = coarse;
        one.whole = whole;
    }
}

void noteRepeats(std::span<InputTraits> traits, const std::vector<at::Tensor>& inputs,
                 const std::function<std::vector<at::Tensor>()>& drawAgain)
{
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (canRepeat(inputs[i], traits[i]))
            candidates.push_back(i);
    if (candidates.empty())
        return;
    const std::vector<at::Tensor> others = drawAgain();
    for (const std::size_t i : candidates)
        traits[i].repeats = i < others.size() && others[i].sizes() == inputs[i].sizes() &&
                            sameBytes(inputs[i], others[i]);
}

} // namespace cudal1::judge
