// SPDX-License-Identifier: GPL-3.0-or-later
// Comparison of results, in pieces, so that it needs little memory beside them.
#include "core/judge/witness/comparison.h"

#include "core/judge/witness/contents.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <mutex>

namespace cudal1::judge {

namespace {

constexpr std::int64_t piece = std::int64_t{1} << 23;

/// Calls `use` with one piece after the other of a flat tensor, and where it starts.
template<typename Use> void inPieces(const at::Tensor& tensor, const Use& use)
{
    const at::Tensor flat = tensor.reshape({-1});
    for (std::int64_t start = 0; start < flat.numel(); start += piece)
        use(flat.slice(0, start, std::min(flat.numel(), start + piece)), start);
}

/// The common case, which is looked at in one pass: temporaries in double of a large result would take longer than the
/// arithmetic.
bool isPlainFloat(const at::Tensor& tensor)
{
    return tensor.scalar_type() == at::kFloat && tensor.is_cpu();
}

/// The sum of `part(begin, end)` over pieces of so many elements, worked on side by side.
template<typename Part> double sumInParallel(std::int64_t elements, const Part& part)
{
    return at::parallel_reduce(
        0, elements, std::int64_t{1} << 16, 0.0,
        [&](std::int64_t begin, std::int64_t end, double sum) { return sum + part(begin, end); }, std::plus<double>());
}

double rmsOfFloats(const at::Tensor& dense)
{
    const float* const values = dense.const_data_ptr<float>();
    std::atomic<std::int64_t> count = 0;
    const double sum = sumInParallel(dense.numel(), [&](std::int64_t begin, std::int64_t end) {
        double squares = 0;
        std::int64_t finite = 0;
        for (std::int64_t i = begin; i < end; ++i)
            if (std::isfinite(values[i])) {
                squares += double{values[i]} * double{values[i]};
                ++finite;
            }
        count += finite;
        return squares;
    });
    return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
}

double largestDifferenceOfFloats(const at::Tensor& a, const at::Tensor& b)
{
    const float *const own = a.const_data_ptr<float>(), *const other = b.const_data_ptr<float>();
    return at::parallel_reduce(
        0, a.numel(), std::int64_t{1} << 16, 0.0,
        [&](std::int64_t begin, std::int64_t end, double largest) {
            for (std::int64_t i = begin; i < end; ++i) {
                const float difference = std::abs(own[i] - other[i]);
                if (std::isfinite(difference))
                    largest = std::max(largest, double{difference});
            }
            return largest;
        },
        [](double x, double y) { return std::max(x, y); });
}

/// The least number with all its digits, below which some operators go on and others round to zero. float16 is left
/// out: its least is as large as results that count.
double leastNormal(c10::ScalarType type)
{
    if (type == c10::kFloat || type == c10::kBFloat16)
        return std::numeric_limits<float>::min();
    return type == c10::kDouble ? std::numeric_limits<double>::min() : 0;
}

/// The root of a quotient of sums of squares; 0 where the lower one is of numbers that may be zero as well.
double ratioOfSums(double error, double scale, const at::Tensor& of)
{
    const double least = leastNormal(of.scalar_type());
    return scale > least * least * static_cast<double>(of.numel()) ? std::sqrt(error / scale) : 0;
}

/// relativeDistance() of two dense tensors, the first of them of floats.
template<typename Exact> double relativeDistanceOf(const at::Tensor& actual, const at::Tensor& exact)
{
    const float* const own = actual.const_data_ptr<float>();
    const Exact* const right = exact.const_data_ptr<Exact>();
    const auto sumOf = [&](const auto& term) {
        return sumInParallel(actual.numel(), [&](std::int64_t begin, std::int64_t end) {
            double sum = 0;
            for (std::int64_t i = begin; i < end; ++i)
                if (std::isfinite(own[i]) && std::isfinite(right[i]))
                    sum += term(double{own[i]}, double{right[i]});
            return sum;
        });
    };
    const double scale = sumOf([](double, double r) { return r * r; });
    const double error = sumOf([](double o, double r) { return (o - r) * (o - r); });
    return ratioOfSums(error, scale, actual);
}

/// Float32 on the CPU.
void compareFloats(const float* expected, const float* actual, double tolerance, double slack, Difference& out)
{
    std::mutex guard;
    at::parallel_for(0, out.elements, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        Difference part;
        for (std::int64_t i = begin; i < end; ++i) {
            const double e = expected[i], a = actual[i];
            bool bad = false;
            if (!std::isfinite(e) || !std::isfinite(a)) {
                if (e != a && !(std::isnan(e) && std::isnan(a))) {
                    ++part.misplaced;
                    bad = true;
                }
            } else {
                const double scale = out.rms + std::abs(e);
                const double error = std::abs(a - e);
                part.squares += error * error;
                if (scale > 0)
                    part.worstRelative = std::max(part.worstRelative, error / scale);
                const double allowed = tolerance * scale + slack;
                if (!(error <= allowed)) {
                    ++part.wrong;
                    part.far += error > 2 * allowed;
                    bad = true;
                }
            }
            if (bad && part.firstWrong < 0) {
                part.firstWrong = i;
                part.expectedThere = e;
                part.actualThere = a;
            }
        }
        const std::lock_guard lock(guard);
        out.wrong += part.wrong;
        out.far += part.far;
        out.misplaced += part.misplaced;
        out.squares += part.squares;
        out.worstRelative = std::max(out.worstRelative, part.worstRelative);
        if (part.firstWrong >= 0 && (out.firstWrong < 0 || part.firstWrong < out.firstWrong)) {
            out.firstWrong = part.firstWrong;
            out.expectedThere = part.expectedThere;
            out.actualThere = part.actualThere;
        }
    });
}

void noteFirst(const at::Tensor& bad, const at::Tensor& expected, const at::Tensor& actual, std::int64_t start,
               Difference& out)
{
    if (out.firstWrong >= 0)
        return;
    const std::int64_t index = bad.to(at::kInt).argmax().item<std::int64_t>();
    out.firstWrong = start + index;
    out.expectedThere = expected[index].to(at::kDouble).item<double>();
    out.actualThere = actual[index].to(at::kDouble).item<double>();
}

void compareFloatPiece(const at::Tensor& expectedPart, const at::Tensor& actualPart, std::int64_t start,
                       double tolerance, double slack, Difference& out)
{
    const at::Tensor expected = expectedPart.to(at::kDouble);
    const at::Tensor actual = actualPart.to(at::kDouble);
    const at::Tensor finite = expected.isfinite().logical_and_(actual.isfinite());
    const at::Tensor same = expected.eq(actual).logical_or_(expected.isnan().logical_and(actual.isnan()));
    const at::Tensor misplaced = finite.logical_not().logical_and_(same.logical_not());
    const at::Tensor scale = expected.abs().add_(out.rms);
    const at::Tensor error = at::where(finite, (actual - expected).abs_(), 0.0);
    const at::Tensor allowed = scale * tolerance + slack;
    const at::Tensor wrong = finite.logical_and(error.gt(allowed));
    const at::Tensor relative = at::where(finite.logical_and(scale.gt(0)), error / scale, 0.0);
    out.worstRelative = std::max(out.worstRelative, relative.max().item<double>());
    out.squares += error.square().sum().item<double>();
    out.misplaced += misplaced.sum().item<std::int64_t>();
    const std::int64_t count = wrong.sum().item<std::int64_t>();
    out.wrong += count;
    if (count > 0)
        out.far += finite.logical_and(error.gt(allowed * 2)).sum().item<std::int64_t>();
    if (out.wrong > 0 || out.misplaced > 0)
        noteFirst(wrong.logical_or(misplaced), expected, actual, start, out);
}

} // namespace

double Difference::relativeError() const
{
    return elements > 0 && rms > least ? std::sqrt(squares / static_cast<double>(elements)) / rms : 0;
}

double rmsOfFinite(const at::Tensor& tensor)
{
    if (isPlainFloat(tensor))
        return rmsOfFloats(tensor.contiguous());
    double sum = 0;
    std::int64_t count = 0;
    inPieces(tensor, [&](const at::Tensor& own, std::int64_t) {
        const at::Tensor part = own.to(at::kDouble);
        const at::Tensor finite = part.isfinite();
        sum += at::where(finite, part.square(), 0.0).sum().item<double>();
        count += finite.sum().item<std::int64_t>();
    });
    return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
}

double largestDifference(const at::Tensor& a, const at::Tensor& b)
{
    if (isPlainFloat(a) && isPlainFloat(b))
        return largestDifferenceOfFloats(a.contiguous(), b.contiguous());
    double largest = 0;
    const at::Tensor other = b.reshape({-1});
    inPieces(a, [&](const at::Tensor& part, std::int64_t start) {
        const at::Tensor difference = (part - other.slice(0, start, start + part.numel())).abs_().to(at::kDouble);
        largest = std::max(largest, at::where(difference.isfinite(), difference, 0.0).max().item<double>());
    });
    return largest;
}

double relativeDistance(const at::Tensor& actual, const at::Tensor& exact)
{
    if (isPlainFloat(actual) && exact.is_cpu() && exact.scalar_type() == at::kDouble)
        return relativeDistanceOf<double>(actual.contiguous(), exact.contiguous());
    if (isPlainFloat(actual) && isPlainFloat(exact))
        return relativeDistanceOf<float>(actual.contiguous(), exact.contiguous());
    const at::Tensor wide = actual.to(at::kDouble), right = exact.to(at::kDouble);
    const at::Tensor finite = wide.isfinite().logical_and_(right.isfinite());
    const double scale = at::where(finite, right.square(), 0.0).sum().item<double>();
    const double error = at::where(finite, (wide - right).square_(), 0.0).sum().item<double>();
    return ratioOfSums(error, scale, actual);
}

std::pair<at::Tensor, at::Tensor> someOfBoth(const at::Tensor& a, const at::Tensor& b, std::int64_t most)
{
    const at::Tensor own = a.reshape({-1}), other = b.reshape({-1});
    if (own.numel() <= most)
        return {own, other};
    // Not by the framework's generator: it was given the seed of a call, which the candidate's process knows.
    const auto generator = at::make_generator<at::CPUGeneratorImpl>(secretNumber());
    const at::Tensor drawn = at::randint(own.numel(), {most}, generator, at::kLong).to(own.device());
    return {own.index_select(0, drawn), other.index_select(0, drawn)};
}

double differenceOfMost(const at::Tensor& a, const at::Tensor& b)
{
    constexpr std::int64_t most = 1 << 20, share = 1000;
    const auto [own, other] = someOfBoth(a, b, most);
    const at::Tensor all = (own.to(at::kDouble) - other.to(at::kDouble)).abs_();
    const at::Tensor differences = all.masked_select(all.isfinite());
    const std::int64_t count = differences.numel();
    return count > 0 ? std::get<0>(differences.kthvalue(count - std::min(count / share, count - 1))).item<double>() : 0;
}

bool allFinite(const at::Tensor& tensor)
{
    bool finite = true;
    if (at::isFloatingType(tensor.scalar_type()))
        inPieces(tensor,
                 [&](const at::Tensor& part, std::int64_t) { finite = finite && part.isfinite().all().item<bool>(); });
    return finite;
}

at::Tensor asReal(const at::Tensor& result)
{
    return result.is_complex() ? at::view_as_real(result.contiguous()) : result;
}

bool sameBytes(const at::Tensor& a, const at::Tensor& b)
{
    if (a.is_cpu())
        return std::memcmp(a.const_data_ptr(), b.const_data_ptr(), static_cast<std::size_t>(a.nbytes())) == 0;
    const at::ScalarType words = a.nbytes() % 8 == 0 ? at::kLong : at::kByte; // the comparison takes memory for each
    return at::equal(a.reshape({-1}).view(words), b.reshape({-1}).view(words));
}

double toleranceFor(c10::ScalarType type, bool ieee)
{
    switch (type) {
    case c10::kDouble: return 1e-7;
    case c10::kHalf:
    case c10::kBFloat16: return 2e-2;
    default: return ieee ? 1e-4 : 1e-2;
    }
}

bool vanishes(const at::Tensor& result)
{
    return at::isFloatingType(result.scalar_type()) && result.numel() > 0 &&
           largestDifference(result, at::zeros_like(result)) < leastNormal(result.scalar_type());
}

Difference compareValues(const at::Tensor& expectedTensor, const at::Tensor& actualTensor, double tolerance,
                         double slack)
{
    Difference out;
    out.elements = expectedTensor.numel();
    if (out.elements == 0)
        return out;
    at::Tensor expected = expectedTensor.reshape({-1});
    at::Tensor actual = actualTensor.reshape({-1});
    if (expected.is_complex()) {
        expected = at::view_as_real(expected).reshape({-1});
        actual = at::view_as_real(actual).reshape({-1});
        out.elements = expected.numel();
    }
    const bool floating = at::isFloatingType(expected.scalar_type());
    if (floating)
        out.rms = rmsOfFinite(expected);
    out.least = leastNormal(expected.scalar_type());
    slack += out.least;
    if (isPlainFloat(expected)) {
        compareFloats(expected.const_data_ptr<float>(), actual.const_data_ptr<float>(), tolerance, slack, out);
        return out;
    }
    for (std::int64_t start = 0; start < out.elements; start += piece) {
        const std::int64_t end = std::min(out.elements, start + piece);
        const at::Tensor expectedPart = expected.slice(0, start, end), actualPart = actual.slice(0, start, end);
        if (floating) {
            compareFloatPiece(expectedPart, actualPart, start, tolerance, slack, out);
            continue;
        }
        const at::Tensor bad = expectedPart.ne(actualPart);
        const std::int64_t count = bad.sum().item<std::int64_t>();
        out.wrong += count;
        out.far += count;
        if (count > 0)
            noteFirst(bad, expectedPart, actualPart, start, out);
    }
    return out;
}

} // namespace cudal1::judge
