// SPDX-License-Identifier: GPL-3.0-or-later
// How far a result may be from the reference's: rounding, by family of inputs, and other precisions, by call.
#include "core/judge/witness/presentcall.h"

#include "core/judge/wire/steadyclock.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace cudal1::judge {

namespace {

constexpr double mayJump = 0.01;      ///< of a result that rounding moves by steps, the share that may be anything
constexpr double widestTolerance = 5; ///< times the tolerance, that a precision which a candidate chose may miss by

/// The most slack that rounding of the operators may add on the dataset's own inputs.
double mostByOperators(const at::Tensor& expected)
{
    return std::min(2 * rmsOfFinite(expected), 0.9 * largestDifference(expected, at::zeros_like(expected)));
}

std::string indexText(const at::Tensor& tensor, std::int64_t flat)
{
    std::vector<std::int64_t> index(static_cast<std::size_t>(tensor.dim()));
    for (std::size_t d = index.size(); d-- > 0;) {
        index[d] = flat % tensor.size(static_cast<std::int64_t>(d));
        flat /= tensor.size(static_cast<std::int64_t>(d));
    }
    std::string text = "[";
    for (std::size_t d = 0; d < index.size(); ++d)
        text += (d ? ", " : "") + std::to_string(index[d]);
    return text + "]";
}

} // namespace

PresentCall::PresentCall(ReferenceHost& reference, KnownFamilies& families)
    : m_reference(reference), m_reruns(reference), m_families(families)
{
}

FamilyFacts PresentCall::measureFamily()
{
    FamilyFacts facts = lookAtFamily();
    if (facts.usable && !facts.measured)
        measureBounds(facts);
    return facts;
}

FamilyFacts PresentCall::lookAtFamily()
{
    FamilyFacts facts;
    const std::vector<at::Tensor>& expected = m_call.expected;
    if (m_call.family == "as_given") {
        for (const at::Tensor& result : expected)
            facts.finite.push_back(allFinite(result) ? at::Tensor() : result.isfinite());
    } else if (!familyApplies(m_call.family, m_reference.traits())) {
        facts.usable = false;
        facts.why = FamilyFacts::changesNothing;
        return facts;
    } else if (!isFiniteAsGiven()) {
        facts.usable = false;
        facts.why = "the reference gives NaN or infinity";
        return facts;
    }
    const auto isFloating = [](const at::Tensor& result) { return at::isFloatingType(result.scalar_type()); };
    if (!std::all_of(expected.begin(), expected.end(), isFloating) || !m_reference.hasLongCalls()) {
        measureBounds(facts);
        return facts;
    }
    facts.measured = false;
    for (const at::Tensor& result : expected)
        facts.bounds.push_back({toleranceFor(result.scalar_type(), m_reference.ieee()), 0, 0});
    return facts;
}

void PresentCall::measureBounds(FamilyFacts& facts)
{
    const std::string& family = m_call.family;
    const bool given = family == "as_given";
    const std::vector<at::Tensor>& expected = m_call.expected;
    const std::vector<RoundingMove> moved = movedByRounding();
    facts.measured = true;
    facts.bounds.clear();
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (!at::isFloatingType(expected[i].scalar_type())) {
            // Who comes first among numbers that are nearly the same follows from their last digits, and no rounding of
            // the reference's own takes part in that.
            if (!given && moved[i].noise > 0 && (!keepsDifferent(family) || movedByOperators().at(i).noise > 0)) {
                facts.usable = false;
                facts.why = "rounding of the inputs changes an integer result";
            }
            facts.bounds.push_back({});
            continue;
        }
        const double tolerance = toleranceFor(expected[i].scalar_type(), m_reference.ieee());
        if (!given && moved[i].noise > tolerance * rmsOfFinite(expected[i]) / 4) {
            facts.usable = false;
            facts.why = "the result is dominated by rounding";
        }
        facts.bounds.push_back({tolerance, 4 * moved[i].noise, moved[i].jumping});
    }
}

void PresentCall::measureWhatWaits()
{
    const FamilyFacts* known = m_families.find(m_call.family);
    if (!known || known->measured)
        return;
    FamilyFacts facts = *known;
    const bool given = m_call.family == "as_given";
    try {
        measureBounds(facts);
    } catch (const PythonError& error) {
        if (given || error.kind != "exception")
            throw;
        facts.usable = false;
        facts.why = FamilyFacts::raises(error.what());
    } catch (const Refusal& refusal) {
        if (given)
            throw;
        facts.usable = false;
        facts.why = refusal.what();
    }
    if (!m_families.replace(m_call.family, std::move(facts)).usable)
        throw FamilyLeftOut{m_families.find(m_call.family)->why};
}

/// Whether NaN and infinities stand where they do with the dataset's own inputs, as those of a mask. Others come from
/// numbers that are too large, or from domains that these inputs leave, and may be elsewhere for another algorithm.
bool PresentCall::isFiniteAsGiven() const
{
    const FamilyFacts* const given = m_families.find("as_given");
    for (std::size_t i = 0; i < m_call.expected.size(); ++i) {
        const at::Tensor known = given && i < given->finite.size() ? given->finite[i] : at::Tensor();
        const at::Tensor& result = m_call.expected[i];
        if (known.defined() ? !at::equal(result.isfinite(), known) : !allFinite(result))
            return false;
    }
    return true;
}

/// How far rounding moves a result, from what it makes of the reference's; of integers, whether. Where that is a step
/// of a few elements alone, as of those that are nearly zero before a sign is taken, the others must not be as far off.
RoundingMove PresentCall::movedTo(const at::Tensor& expected, const at::Tensor& result) const
{
    constexpr double steep = 100;
    if (!at::isFloatingType(expected.scalar_type())) {
        const double share = expected.ne(result).to(at::kDouble).mean().item<double>();
        return {double(share > 0), std::min(share, mayJump)};
    }
    const double largest = largestDifference(expected, result);
    if (4 * largest <= toleranceFor(expected.scalar_type(), m_reference.ieee()) * rmsOfFinite(expected))
        return {largest, 0, relativeDistance(result, expected)};
    const double ofMost = differenceOfMost(expected, result);
    if (largest <= steep * ofMost)
        return {largest, 0, relativeDistance(result, expected)};
    const double rms = rmsOfFinite(expected);
    return {ofMost, mayJump, rms > 0 ? ofMost / rms : 0};
}

/// How far the results move with the last digits of the inputs, per output; of integers, whether. TF32 hides those
/// digits from a product, and the last digits of all that comes between, where another order of the same sums shows
/// them. So a result that the reference's own TF32 takes much farther from float32's than a candidate's may be is
/// dominated by rounding too.
std::vector<RoundingMove> PresentCall::movedByRounding()
{
    const std::vector<at::Tensor>& expected = m_call.expected;
    std::vector<at::Tensor> moved;
    for (std::size_t i = 0; i < m_call.inputs.size(); ++i)
        moved.push_back(perturbed(m_call.inputs[i], m_reference.traits()[i]));
    moved = m_reference.runReference(moved, m_call.seed);
    std::vector<RoundingMove> out;
    for (std::size_t i = 0; i < expected.size(); ++i)
        out.push_back(movedTo(m_call.expected[i], moved[i]));
    moved.clear();
    const PrecisionFlags own = m_reference.flags();
    if (m_reference.ieee() || !m_reference.device().is_cuda() || (own.matmul != "tf32" && own.conv != "tf32"))
        return out;
    const std::vector<at::Tensor> exact = m_reruns.inPrecision(m_call, "fp32");
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (expected[i].scalar_type() != c10::kFloat)
            continue;
        const double missed = largestDifference(expected[i], exact[i]);
        if (missed > widestTolerance * toleranceFor(c10::kFloat, m_reference.ieee()) * rmsOfFinite(expected[i]))
            // Four times the noise is allowed, and twice another precision's miss.
            out[i].noise = std::max(out[i].noise, missed / 2);
    }
    return out;
}

/// How far the reference misses its own results of the present trial with TF32, and without; per output. A library does
/// without TF32 for some shapes, where a candidate may use it.
std::vector<double> PresentCall::missedByOtherPrecisions()
{
    std::vector<double> missed(m_call.expected.size(), 0.0);
    const auto note = [&](const std::vector<at::Tensor>& other) {
        for (std::size_t i = 0; i < std::min(missed.size(), other.size()); ++i)
            if (m_call.expected[i].scalar_type() == c10::kFloat && other[i].sizes() == m_call.expected[i].sizes())
                missed[i] = std::max(missed[i], compareValues(m_call.expected[i], other[i], 0, 0).worstRelative);
    };
    const PrecisionFlags own = m_reference.flags();
    for (const char* precision : {"tf32", "fp32"})
        if (own.matmul != precision || own.conv != precision)
            note(m_reruns.inPrecision(m_call, precision));
    note(m_reruns.withTF32Products(m_call));
    return missed;
}

/// Of integers, whether; also where it is not known.
std::vector<RoundingMove> PresentCall::measureMovedByOperators(int times)
{
    std::vector<RoundingMove> moved;
    for (const at::Tensor& expected : m_call.expected)
        moved.push_back({at::isFloatingType(expected.scalar_type()) ? 0.0 : 1.0, 0});
    std::vector<at::Tensor> left;
    const std::vector<at::Tensor> results = roundedOtherwise(times, 1, &left);
    for (std::size_t i = 0; i < moved.size() && i < results.size(); ++i)
        if (results[i].sizes() == m_call.expected[i].sizes())
            moved[i] = movedTo(m_call.expected[i], results[i]);
    for (std::size_t i = 0; i < std::min(m_call.left.size(), left.size()); ++i)
        moved.push_back(movedTo(asReal(m_call.left[i]), asReal(left[i])));
    return moved;
}

/// What would be wrong is held against two wider bounds before it is, which take more calls of the reference.
///
/// A candidate's kernels may round otherwise at every step. The last digits of the inputs do not tell how far that
/// goes: what comes first may hide them. Four times what it does to the reference is allowed, as of the inputs, and on
/// the dataset's own inputs no more than twice the result's rms, and less than its largest element; other kinds may
/// leave nothing but rounding. (Null candidates miss as well, so a task's first trial measures it once.)
///
/// Where few elements are wrong, they may be those that rounding makes jump. With 32 times as much as rounding does,
/// some do if any can. Of whole results so many may be others: a sum that was rounded to the next whole number is
/// another one in another order now and then.
///
/// A candidate may choose TF32, or do without: that is a matter of precision, and not wrong. Where a sum cancels, the
/// reference itself misses the tolerance then; twice as far is allowed, up to five times the tolerance.
///
/// A result that none of these allows may be the more exact one of the two: see compareWithMoreExact().
PresentCall::Comparison PresentCall::compareOutput(std::size_t output, const at::Tensor& actual)
{
    const at::Tensor& expected = m_call.expected.at(output);
    Comparison found{boundOf(output, actual.scalar_type()), {}, {}};
    ResultBound& bound = found.bound;
    const auto compare = [&] {
        found.difference = compareValues(expected, actual, bound.tolerance, bound.slack);
        found.difference.jumping = bound.jumping;
    };
    const auto allowJumps = [&] {
        constexpr int times = 32;
        if (static_cast<double>(found.difference.wrong) > mayJump * static_cast<double>(found.difference.elements))
            return;
        if (m_call.facts->far.empty())
            m_call.facts->far = measureMovedByOperators(times);
        bound.jumping = m_call.facts->far.at(output).jumping;
        found.difference.jumping = bound.jumping;
    };
    compare();
    if (found.difference.equal())
        return found;
    if (!at::isFloatingType(actual.scalar_type())) {
        allowJumps();
        return found;
    }
    measureWhatWaits();
    if (const ResultBound measured = boundOf(output, actual.scalar_type());
        measured.slack > bound.slack || measured.jumping > bound.jumping) {
        bound = measured;
        compare();
        if (found.difference.equal())
            return found;
    }
    if (m_reference.device().is_cpu() && isBeyondRounding(output, actual, found))
        return found;
    const RoundingMove& byOperators = movedByOperators().at(output);
    double moved = 4 * byOperators.noise;
    if (m_call.family == "as_given" && moved > bound.slack) // zeros must not pass
        moved = std::min(moved, mostByOperators(expected));
    if (moved > bound.slack || byOperators.jumping > bound.jumping) {
        bound.slack = std::max(moved, bound.slack);
        bound.jumping = std::max(byOperators.jumping, bound.jumping);
        compare();
    }
    if (!found.difference.equal() && found.difference.misplaced == 0 && bound.jumping == 0)
        allowJumps();
    if (!found.difference.equal() && !m_reference.ieee() && m_reference.device().is_cuda() &&
        actual.scalar_type() == c10::kFloat &&
        compareValues(expected, actual, widestTolerance * bound.tolerance, bound.slack).equal()) {
        if (m_call.facts->missed.empty())
            m_call.facts->missed = missedByOtherPrecisions();
        const double wider = std::min(2 * m_call.facts->missed.at(output), widestTolerance * bound.tolerance);
        if (wider > bound.tolerance) {
            bound.tolerance = wider;
            compare();
        }
    }
    compareWithMoreExact(output, actual, found);
    return found;
}

/// The reference rounds too, and where the same number is added a million times, always to the same side. A candidate
/// that rounds less is not wrong. A more exact result that is much smaller than the reference's, or farther from it
/// than rounding goes, is another one: of noise, or of other random numbers.
void PresentCall::compareWithMoreExact(std::size_t output, const at::Tensor& actual, Comparison& found)
{
    const at::Tensor& expected = m_call.expected.at(output);
    const Difference& missed = found.difference;
    if (missed.equal() || missed.misplaced > 0 ||
        missed.relativeError() * missed.rms > 2 * anotherResult * missed.rms + found.bound.slack)
        return;
    // The exact one may be `farther` from the reference's than others, besides.
    const auto isEqualTo = [&](const at::Tensor& exact, double farther) {
        const double rms = rmsOfFinite(exact);
        if (exact.sizes() != expected.sizes() || 2 * rms < rmsOfFinite(expected) ||
            relativeDistance(expected, exact) * rms > anotherResult * rms + farther)
            return false;
        double slack = found.bound.slack;
        if (m_call.family == "as_given") // zeros must not pass
            slack = std::min(slack, mostByOperators(exact));
        Difference difference = compareValues(exact.to(actual.scalar_type()).contiguous(), actual,
                                              found.bound.tolerance, slack);
        difference.jumping = found.bound.jumping;
        if (!difference.equal())
            return false;
        found.difference = difference;
        return true;
    };
    try {
        const PrecisionFlags own = m_reference.flags();
        if (m_reference.device().is_cuda() && (own.matmul == "tf32" || own.conv == "tf32") &&
            isEqualTo(m_reruns.inPrecision(m_call, "fp32").at(output), found.bound.slack))
            return;
        if (m_reference.call_ns() > longestInDouble_ns) {
            found.whyNotInDouble = "a call takes too long";
            return;
        }
        const std::vector<at::Tensor> exact = inDouble(found.whyNotInDouble);
        if (output < exact.size() && exact[output].scalar_type() == at::kDouble)
            isEqualTo(exact[output], 0);
    } catch (const PythonError& error) { // as when memory is short: the result stays what it was found to be
        found.whyNotInDouble = error.what();
    } catch (const c10::Error& error) {
        found.whyNotInDouble = error.what_without_backtrace();
    }
}

bool PresentCall::isBeyondRounding(std::size_t output, const at::Tensor& actual, Comparison& found) const
{
    const at::Tensor& expected = m_call.expected.at(output);
    const double most = mostByOperators(expected);
    if (m_call.family != "as_given" || found.bound.jumping > mayJump)
        return false;
    const ResultBound widest{found.bound.tolerance, std::max(most, found.bound.slack), found.bound.jumping};
    Difference left = compareValues(expected, actual, widest.tolerance, widest.slack);
    if (left.misplaced == 0 && static_cast<double>(left.wrong) <= mayJump * static_cast<double>(left.elements))
        return false;
    left.jumping = widest.jumping;
    found = {widest, left, {}};
    return true;
}

ResultBound PresentCall::boundOf(std::size_t output, c10::ScalarType type) const
{
    const FamilyFacts* facts = m_families.find(m_call.family);
    return facts && output < facts->bounds.size() ? facts->bounds[output]
                                                  : ResultBound{toleranceFor(type, m_reference.ieee()), 0};
}

void PresentCall::set(SecretCall call)
{
    m_call = std::move(call);
    if (!m_call.facts)
        m_call.facts = std::make_shared<CallFacts>();
}

const std::vector<RoundingMove>& PresentCall::movedByOperators()
{
    if (m_call.facts->byOperators.empty())
        m_call.facts->byOperators = measureMovedByOperators(1);
    return m_call.facts->byOperators;
}

double PresentCall::compareResults(const std::string& inputs)
{
    double worst = 0;
    m_errors.clear();
    for (std::size_t i = 0; i < m_reference.layout().outputs.size(); ++i) {
        const at::Tensor actual = m_call.actual.at(i).contiguous();
        const auto [bound, difference, whyNotInDouble] = compareOutput(i, actual);
        m_errors.push_back(difference.relativeError());
        worst = std::max(worst, difference.worstRelative);
        if (difference.equal())
            continue;
        std::ostringstream evidence;
        evidence << difference.wrong << " of " << difference.elements << " elements outside " << bound.tolerance
                 << " * (rms + |reference|)" << (bound.slack > 0 ? " + " + std::to_string(bound.slack) : "") << ", "
                 << difference.misplaced << " NaN or infinity on one side alone; first at "
                 << indexText(actual, difference.firstWrong) << ": reference " << difference.expectedThere
                 << ", candidate " << difference.actualThere << "; rms of the reference " << difference.rms
                 << "; largest relative error " << difference.worstRelative << "; inputs: " << inputs << "; output "
                 << i << (whyNotInDouble.empty() ? "" : "; not held against float64: " + whyNotInDouble);
        throw Refusal(difference.misplaced > 0 ? "nan_mismatch" : "wrong_values",
                      difference.misplaced > 0
                          ? "The result has NaN or infinity where the reference has none, or the other way round."
                          : "The result is not the reference's.",
                      evidence.str());
    }
    return worst;
}

std::vector<PresentCall::LeftInput> PresentCall::left() const
{
    std::vector<LeftInput> out;
    if (m_call.left.empty() || !m_call.inputsAfter.defined())
        return out;
    const at::Tensor bytes = m_call.inputsAfter.to(m_reference.device());
    for (const TensorSpec& spec : m_reference.layout().inputs)
        if (spec.isTensor()) {
            const at::Tensor actual = bytes.narrow(0, static_cast<std::int64_t>(spec.offset),
                                                   static_cast<std::int64_t>(spec.bytes));
            out.push_back({out.size(), m_call.left[out.size()].contiguous(),
                           actual.view(scalarTypeOf(spec.dtype)).view(spec.shape)});
        }
    return out;
}

void PresentCall::compareLeft(const std::string& inputs) const
{
    for (const auto& [input, expected, actual] : left()) {
        const std::string evidence = "input " + std::to_string(input) + "; inputs: " + inputs;
        if (expected.sizes() != actual.sizes() || sameBytes(expected, actual))
            continue;
        if (sameBytes(expected, m_call.inputs[input]))
            throw Refusal("input_modified", "The call changed an input that the reference leaves as it is.", evidence);
        if (!compareValues(expected, actual, toleranceFor(expected.scalar_type(), m_reference.ieee()), 0).equal())
            throw Refusal("wrong_values", "The call does not leave in its inputs what the reference leaves there.",
                          evidence);
    }
}

void PresentCall::tryNulls(NullCandidates& nulls)
{
    if (m_call.family == "as_given" && std::all_of(m_call.expected.begin(), m_call.expected.end(), vanishes))
        nulls.keepZeros();
    WithoutLastOnes withoutLast;
    if (nulls.needsLastOperators()) {
        withoutLast = std::exchange(m_call.facts->withoutLast, {});
        if (!withoutLast[0].given.defined()) {
            const LastOperators last(m_reference.device());
            withoutLast = last.end(again());
        }
    }
    nulls.tryOn(m_call.expected, m_call.inputs, withoutLast,
                [&](std::size_t i, const at::Tensor& actual) { return compareOutput(i, actual).difference.equal(); });
    if (!nulls.needsLastOperators() || m_call.family != "as_given") // timed calls have inputs like those as given
        return;
    nulls.noteTimes(withoutLast);
    // The first call of an operator takes longer than others, and a GPU waits for the host between short operators. Who
    // does their work need not make it wait, so what they take is what they take once the host is ahead.
    constexpr double longestAhead_s = 0.02;
    double call_s = 0;
    for (int calls = 0; calls < 3 && !m_reference.hasLongCalls(); ++calls) {
        const double begin_s = secondsNow();
        const LastOperators last(m_reference.device(), std::min(1.5 * call_s, longestAhead_s));
        const std::vector<at::Tensor> results = again();
        call_s = calls == 0 ? secondsNow() - begin_s : call_s;
        nulls.noteTimes(last.end(results));
    }
}

} // namespace cudal1::judge
