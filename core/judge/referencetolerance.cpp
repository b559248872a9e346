// SPDX-License-Identifier: GPL-3.0-or-later
// How far a result may be from the reference's: rounding, by kind of inputs, and other precisions, by trial.
#include "core/judge/referencesubject.h"

#include <algorithm>
#include <sstream>

namespace cudal1::judge {

using nlohmann::json;

namespace {

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

ReferenceSubject::FamilyFacts ReferenceSubject::measureFamily(const std::string& family, std::uint64_t seed,
                                                              const std::vector<at::Tensor>& expected)
{
    FamilyFacts facts;
    const bool given = family == "as_given";
    if (!given && !familyApplies(family, m_traits)) {
        facts.usable = false;
        facts.why = "it would change none of these inputs";
        return facts;
    }
    if (!given && !std::all_of(expected.begin(), expected.end(), allFinite)) {
        facts.usable = false;
        facts.why = "the reference gives NaN or infinity";
        return facts;
    }
    const std::vector<double> noise = movedByRounding(seed, expected);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (!at::isFloatingType(expected[i].scalar_type())) {
            if (!given && noise[i] > 0) {
                facts.usable = false;
                facts.why = "rounding of the inputs changes an integer result";
            }
            facts.bounds.push_back({});
            continue;
        }
        const double tolerance = toleranceFor(expected[i].scalar_type(), m_ieee);
        if (!given && noise[i] > tolerance * rmsOfFinite(expected[i]) / 4) {
            facts.usable = false;
            facts.why = "the result is dominated by rounding";
        }
        facts.bounds.push_back({tolerance, 4 * noise[i]});
    }
    return facts;
}

/// How far the results move with the last digits of the inputs, per output; of integers, whether. Where the reference reads its
/// inputs in TF32 it may not see those digits, and still give other results by another order of the same sums: then with the
/// last digits that it does see, if that moves a result by more than its tolerance.
std::vector<double> ReferenceSubject::movedByRounding(std::uint64_t seed, const std::vector<at::Tensor>& expected)
{
    const auto movedBy = [&](double rounding) {
        std::vector<at::Tensor> moved;
        for (std::size_t i = 0; i < m_drawn.size(); ++i)
            moved.push_back(perturbed(m_drawn[i], m_traits[i], rounding));
        writeInputs(moved);
        moved.clear();
        const std::vector<at::Tensor> shaken = runReference(seed);
        std::vector<double> by;
        for (std::size_t i = 0; i < expected.size(); ++i)
            by.push_back(at::isFloatingType(expected[i].scalar_type()) ? largestDifference(expected[i], shaken[i])
                                                                       : double(!at::equal(expected[i], shaken[i])));
        return by;
    };
    std::vector<double> noise = movedBy(float32Rounding);
    const json own = flags();
    const bool tf32 = m_device.is_cuda() && !m_ieee && (own.at("matmul") == "tf32" || own.at("conv") == "tf32");
    if (!tf32 || std::find(noise.begin(), noise.end(), 0.0) == noise.end())
        return noise;
    const std::vector<double> seen = movedBy(tf32Rounding);
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (noise[i] == 0 && expected[i].scalar_type() == c10::kFloat && seen[i] > toleranceFor(c10::kFloat, m_ieee) * rmsOfFinite(expected[i]))
            noise[i] = seen[i];
    return noise;
}

/// How far the reference misses its own results of the present trial with TF32, and without; per output.
std::vector<double> ReferenceSubject::missedByOtherPrecisions()
{
    std::vector<double> missed(m_expected.size(), 0.0);
    const json own = flags();
    for (const char* word : {"tf32", "fp32"}) {
        if (own.at("matmul") == word && own.at("conv") == word)
            continue;
        setFlags({{"matmul", word}, {"conv", word}});
        std::vector<at::Tensor> other;
        try {
            other = m_again();
        } catch (...) {
            setFlags(own);
            throw;
        }
        setFlags(own);
        for (std::size_t i = 0; i < m_expected.size(); ++i)
            if (m_expected[i].scalar_type() == c10::kFloat)
                missed[i] = std::max(missed[i], compareValues(m_expected[i], other[i], 0, 0).worstRelative);
    }
    return missed;
}

/// A candidate may choose TF32, or do without: that is a matter of precision, and not wrong. Where a sum cancels, the reference
/// itself misses the tolerance then; twice as far is allowed, up to five times the tolerance. Asked only of what would be wrong
/// without, since it takes another call of the reference.
ReferenceSubject::Comparison ReferenceSubject::compareOutput(std::size_t output, const at::Tensor& actual)
{
    constexpr double widest = 5;
    const at::Tensor& expected = m_expected.at(output);
    Comparison found{boundOf(output, actual.scalar_type()), {}};
    const auto [tolerance, slack] = found.bound;
    found.difference = compareValues(expected, actual, tolerance, slack);
    if (found.difference.equal() || m_ieee || !m_device.is_cuda() || actual.scalar_type() != c10::kFloat ||
        !compareValues(expected, actual, widest * tolerance, slack).equal())
        return found;
    if (m_missed.empty())
        m_missed = missedByOtherPrecisions();
    const double wider = std::min(2 * m_missed.at(output), widest * tolerance);
    if (wider > tolerance) {
        found.bound.tolerance = wider;
        found.difference = compareValues(expected, actual, wider, slack);
    }
    return found;
}

ReferenceSubject::Bound ReferenceSubject::boundOf(std::size_t output, c10::ScalarType type) const
{
    const auto facts = m_families.find(m_family);
    return facts != m_families.end() && output < facts->second.bounds.size() ? facts->second.bounds[output] : Bound{toleranceFor(type, m_ieee), 0};
}

double ReferenceSubject::compareOutputs(const std::string& inputs)
{
    double worst = 0;
    for (std::size_t i = 0; i < m_outputs.size(); ++i) {
        const at::Tensor actual = viewOf(m_arena.data(), m_outputs[i], m_device);
        const auto [bound, difference] = compareOutput(i, actual);
        worst = std::max(worst, difference.worstRelative);
        if (difference.equal())
            continue;
        std::ostringstream evidence;
        evidence << difference.wrong << " of " << difference.elements << " elements outside " << bound.tolerance
                 << " * (rms + |reference|)" << (bound.slack > 0 ? " + " + std::to_string(bound.slack) : "") << ", "
                 << difference.misplaced << " NaN or infinity on one side alone; first at "
                 << indexText(actual, difference.firstWrong) << ": reference " << difference.expectedThere << ", candidate "
                 << difference.actualThere << "; rms of the reference " << difference.rms << "; largest relative error "
                 << difference.worstRelative << "; inputs: " << inputs << "; output " << i;
        throw Refusal(difference.misplaced > 0 ? "nan_mismatch" : "wrong_values",
                      difference.misplaced > 0 ? "The result has NaN or infinity where the reference has none, or the other way round."
                                               : "The result is not the reference's.",
                      evidence.str());
    }
    return worst;
}

} // namespace cudal1::judge
