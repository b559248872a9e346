// SPDX-License-Identifier: GPL-3.0-or-later
// Errors against float64.
#include "core/judge/witness/precisionoracle.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cudal1::judge {

namespace {

/// Elements that are zero in the oracle do not count in the errors of most; of more than `most` some are drawn. `all`
/// is relativeDistance(). Where a share of the elements is fewer than ten, it is the error that ten exceed, or a
/// quarter of them; fewer than four say little of how many there are.
ResultErrors errorsOf(double all, const at::Tensor& actual, const at::Tensor& oracle, std::int64_t most = 1 << 20)
{
    constexpr std::int64_t few = 10, fewest = 4;
    auto [own, exact] = someOfBoth(actual, oracle, most);
    own = own.to(at::kDouble);
    exact = exact.to(at::kDouble);
    const at::Tensor counts = exact.ne(0).logical_and_(own.isfinite()).logical_and_(exact.isfinite());
    const at::Tensor errors = (own - exact).div_(exact).abs_().masked_select(counts);
    const auto exceededByOneIn = [&](std::int64_t share) {
        const std::int64_t beyond = std::max(errors.numel() / share, std::min(few, errors.numel() / 4));
        return beyond < fewest ? 0 : std::get<0>(errors.kthvalue(errors.numel() - beyond)).item<double>();
    };
    return {all, exceededByOneIn(10), exceededByOneIn(100)};
}

/// No smaller error is one of another format: rounding of a few operators takes that much.
double leastOf(at::ScalarType type)
{
    return type == at::kDouble ? 1e-10 : OracleErrors{}.least;
}

/// Errors of a result of which only the root mean square is known or allowed: those of the smallest of ten, and of a
/// hundred elements of any sign are as many times as large.
ResultErrors errorsAbout(double all)
{
    return {all, 10 * all, 100 * all};
}

/// The candidate's error, on the scale of root mean squares: where most elements tell more, as many times the
/// reference's as their errors are of the reference's.
double asRootMeanSquare(const ResultErrors& candidate, const ResultErrors& reference)
{
    const auto scaled = [&](double own, double theirs) {
        return theirs > 0 && reference.all > 0 ? own / theirs * reference.all : own;
    };
    return std::max({candidate.all, scaled(candidate.ofMost, reference.ofMost),
                     scaled(candidate.ofAllButFew, reference.ofAllButFew)});
}

/// Keeps the errors of the result that is less precise than the other. Each is held against the reference's own error
/// there: what a result of a half type rounds says nothing about one in float32 beside it.
void keepWorse(OracleErrors& errors, double reference, double candidate, at::ScalarType type)
{
    const OracleErrors other{reference, candidate, true, errors.why, leastOf(type)};
    if (!errors.measured || excessOf(other) >= excessOf(errors))
        errors = other;
}

/// Both sides' errors in the part of a result in which the candidate's exceeds the reference's most: a sixteenth along
/// each dimension, or every sixteenth index of it. What is computed less precisely could lie beside what rounding takes
/// as far, and the errors of the whole would not tell.
struct PartErrors {
    double reference = 0, candidate = 0;
};
PartErrors worstPart(const at::Tensor& own, const at::Tensor& theirs, const at::Tensor& exact, double least)
{
    constexpr std::int64_t parts = 16, fewest = 64; // elements of a part
    constexpr double byRounding = 0.05;             // a part of which rounding leaves nothing tells nothing
    const at::Tensor finite = own.isfinite().logical_and(theirs.isfinite()).logical_and_(exact.isfinite());
    const auto squares = [&finite](const at::Tensor& of) { return at::where(finite, of.square(), 0.0); };
    const std::array<at::Tensor, 3> all{squares(own.to(at::kDouble) - exact), squares(theirs.to(at::kDouble) - exact),
                                        squares(exact)};
    PartErrors worst;
    const auto look = [&](const auto& sumsOf) {
        const at::Tensor sums = at::stack({sumsOf(all[0]), sumsOf(all[1]), sumsOf(all[2])}).cpu();
        const auto values = sums.accessor<double, 2>();
        for (std::int64_t i = 0; i < sums.size(1); ++i) {
            if (values[2][i] <= 0)
                continue;
            const PartErrors part{std::sqrt(values[1][i] / values[2][i]), std::sqrt(values[0][i] / values[2][i])};
            if (part.reference <= byRounding &&
                part.candidate / mostOf(part.reference, least) > worst.candidate / mostOf(worst.reference, least))
                worst = part;
        }
    };
    for (std::int64_t d = 0; d < exact.dim(); ++d) {
        const std::int64_t size = exact.size(d), count = std::min(size, parts), each = size / count;
        if (count < 2 || exact.numel() / size * each < fewest)
            continue;
        const auto along = [&](const at::Tensor& of) {
            return of.movedim(d, 0).reshape({size, -1}).sum(1).narrow(0, 0, count * each);
        };
        look([&](const at::Tensor& of) { return along(of).view({count, each}).sum(1); });
        if (each > 1)
            look([&](const at::Tensor& of) { return along(of).view({each, count}).sum(0); });
    }
    return worst;
}

ResultErrors errorsAgainst(const at::Tensor& exact, const at::Tensor& result)
{
    return errorsOf(relativeDistance(result, exact), result, exact);
}

} // namespace

void noteErrors(OracleErrors& errors, const at::Tensor& actual, const at::Tensor& expected, const at::Tensor& exact,
                at::ScalarType type)
{
    const ResultErrors theirs = errorsAgainst(exact, expected);
    keepWorse(errors, theirs.all, asRootMeanSquare(errorsAgainst(exact, actual), theirs), type);
    const PartErrors part = worstPart(actual, expected, exact, leastOf(type));
    keepWorse(errors, part.reference, part.candidate, type);
}

bool isBeyondRounding(const at::Tensor& actual, const at::Tensor& expected, at::ScalarType type)
{
    const double least = leastOf(type);
    return asRootMeanSquare(errorsAgainst(expected, actual), errorsAbout(least)) > least;
}

std::vector<PrecisionOracle::Made> PrecisionOracle::madeByCall() const
{
    const SecretCall& call = m_present.call();
    std::vector<Made> made;
    for (std::size_t i = 0; i < call.expected.size(); ++i)
        if (at::isFloatingType(call.expected[i].scalar_type()))
            made.push_back({i, call.expected[i], call.actual[i]});
    for (const auto& [input, expected, actual] : m_present.left())
        if (const at::Tensor own = asReal(expected);
            at::isFloatingType(own.scalar_type()) && !sameBytes(expected, call.inputs[input]))
            made.push_back({call.expected.size() + input, own, asReal(actual)});
    return made;
}

double PrecisionOracle::ofRounding(const Made& made)
{
    const std::vector<RoundingMove>& moved = m_present.movedByOperators();
    return made.place < moved.size() ? moved[made.place].distance : 0;
}

// Noise may stand beside what is computed, in one result: sin(1e8 * x) beside a product. Elements are known as steady
// by several ways of rounding, since one way leaves some of the noise where it was by chance. Those that none of them
// moves at all say nothing: a limit may hold them, on which an honest candidate's noise may be elsewhere.
std::optional<PrecisionOracle::SteadyElements> PrecisionOracle::steadyElements(const Made& made)
{
    constexpr int ways = 4;
    constexpr double far = 64; // times as much as steady elements move
    constexpr std::int64_t fewest = 64;
    const SecretCall& call = m_present.call();
    if (made.place >= call.expected.size() || made.expected.numel() < 2 * fewest)
        return {};
    const at::Tensor expected = made.expected.to(at::kDouble);
    at::Tensor moves = at::zeros_like(expected);
    for (int way = 1; way <= ways; ++way) {
        const std::vector<at::Tensor> results = m_present.roundedOtherwise(1, way);
        if (made.place >= results.size() || results[made.place].sizes() != expected.sizes())
            return {};
        moves = at::maximum(moves, (results[made.place].to(at::kDouble) - expected).abs_());
    }
    const at::Tensor actual = made.actual.to(at::kDouble);
    const at::Tensor finite = expected.isfinite().logical_and_(actual.isfinite()).logical_and_(moves.isfinite());
    const double usual = std::sqrt(moves.masked_select(finite).square_().mean().item<double>());
    const at::Tensor steady = moves.gt(0).logical_and_(moves.lt(usual / far)).logical_and_(finite);
    const std::int64_t count = steady.sum().item<std::int64_t>();
    if (count < std::max(fewest, expected.numel() / fewest))
        return {};
    const auto ofNine =
        [&](const at::Tensor& of) { // what nine in ten do not exceed: the tenth may hold noise all the same
            return std::get<0>(of.masked_select(steady).abs_().kthvalue(count - count / 10)).item<double>();
        };
    const double size = ofNine(expected);
    if (size <= 0)
        return {};
    return SteadyElements{ofNine(moves) / size, ofNine(actual - expected) / size};
}

OracleErrors PrecisionOracle::againstReference(const std::string& why)
{
    // Half of what TF32 leaves; of single precision what sums over some thousand numbers leave. Eight times as much is
    // the least that is taken for another format, as against float64; whole numbers of 18 bits leave more of a product.
    constexpr double single = 4e-7, tensorFloat = 3e-4, half = 3e-4, bfloat = 3e-3;
    const PrecisionFlags own = m_reference.flags();
    const bool products = m_reference.device().is_cuda() && !m_reference.ieee() &&
                          (own.matmul == "tf32" || own.conv == "tf32");
    OracleErrors errors{0, 0, false, why};
    for (const Made& made : madeByCall()) {
        const auto type = made.expected.scalar_type();
        const ResultErrors distance = errorsOf(relativeDistance(made.actual, made.expected), made.actual,
                                               made.expected);
        double reference = type == at::kDouble   ? leastOf(type)
                         : type == at::kBFloat16 ? bfloat
                         : type == at::kHalf     ? half
                         : products              ? tensorFloat
                                                 : single;
        double candidate = asRootMeanSquare(distance, errorsAbout(reference));
        // What rounding does to this call in particular takes one more call of the reference.
        if (candidate > mostOf(reference, leastOf(type))) {
            const double alone = reference;
            reference = std::max(reference, ofRounding(made));
            candidate = asRootMeanSquare(distance, errorsAbout(reference));
            if (candidate <= mostOf(reference, leastOf(type)))
                if (const auto steady = steadyElements(made))
                    keepWorse(errors, std::max(alone, steady->byRounding), steady->candidate, type);
        }
        keepWorse(errors, reference, candidate, type);
    }
    return errors;
}

OracleErrors PrecisionOracle::errors(Yardstick yardstick)
{
    if (yardstick == Yardstick::Reference)
        return againstReference("a call takes too long in double precision");
    std::string why;
    const std::vector<at::Tensor> exact = m_present.inDouble(why);
    if (exact.empty())
        return againstReference(why);
    OracleErrors errors{0, 0, false, {}};
    for (const Made& made : madeByCall()) {
        if (made.place >= exact.size() || exact[made.place].scalar_type() != at::kDouble ||
            exact[made.place].sizes() != made.expected.sizes())
            return againstReference("the reference has a result that is not in double precision there");
        if (m_ofReference.size() <= made.place)
            m_ofReference.resize(made.place + 1);
        const at::Tensor& right = exact[made.place];
        const auto type = made.expected.scalar_type();
        ResultErrors& theirs = m_ofReference[made.place] = errorsAgainst(right, made.expected);
        if (type == at::kDouble) { // there is nothing more exact, so only rounding tells what its error is
            const ResultErrors own = errorsAgainst(right, made.actual);
            if (asRootMeanSquare(own, theirs) > leastOf(type))
                theirs = errorsAbout(std::max(ofRounding(made), leastOf(type)));
            keepWorse(errors, theirs.all, asRootMeanSquare(own, theirs), type);
        }
        if (theirs.all > anotherResult)
            return againstReference("the reference has another result in double precision");
        if (type != at::kDouble)
            noteErrors(errors, made.actual, made.expected, right, type);
    }
    if (!errors.measured)
        errors.why = "no result has a precision";
    return errors;
}

double PrecisionOracle::doubt() const
{
    constexpr std::int64_t some = 1 << 14;
    const std::vector<double>& ofResults = m_present.relativeErrors();
    double largest = 0;
    for (const auto& [place, expected, actual] : madeByCall()) {
        const auto type = expected.scalar_type();
        const ResultErrors reference = place < m_ofReference.size() ? m_ofReference[place] : ResultErrors{};
        const double all = place < ofResults.size() ? ofResults[place] : relativeDistance(actual, expected);
        const double distance = asRootMeanSquare(errorsOf(all, actual, expected, some), reference);
        // Both errors together are at least the distance.
        largest = std::max(largest, distance / (mostOf(reference.all, leastOf(type)) - reference.all));
    }
    return largest;
}

} // namespace cudal1::judge
