// SPDX-License-Identifier: GPL-3.0-or-later
// Effects as weighted sums of logarithms.
#include "core/ablation/effects.h"

#include "core/ablation/design.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>

namespace cudal1::ablation {

namespace {

using Weights = std::map<std::uint32_t, double>;

bool differsFromOne(const base::Interval& factor)
{
    return factor.low > 1 || factor.high < 1;
}

class Arithmetic {
public:
    Arithmetic(std::size_t toggles, std::span<const Measured> measured) : m_count(toggles)
    {
        for (const Measured& one : measured)
            if (one.speedup.valid() && one.speedup.low > 0)
                m_measured[one.on] = one.speedup;
    }

    Effects run() const
    {
        Effects out;
        for (std::size_t i = 0; i < m_count; ++i)
            if (const auto effect = main(bit(i)))
                out.mains.push_back(*effect);
        for (std::size_t i = 0; i < m_count; ++i)
            for (std::size_t j = i + 1; j < m_count; ++j)
                if (const auto effect = interaction(bit(i), bit(j)))
                    out.interactions.push_back(*effect);
        const std::uint32_t all = allOn(m_count);
        if (m_count > 0 && has(all) && has(0))
            out.total = sum({{all, 1}, {0, -1}});
        shapley(out);
        gates(out);
        return out;
    }

private:
    static std::uint32_t bit(std::size_t i) { return 1U << i; }
    bool has(std::uint32_t on) const { return m_measured.contains(on); }

    base::Interval sum(const Weights& weights) const
    {
        double centre = 0, below = 0, above = 0; // the latter two squared
        for (const auto& [on, weight] : weights) {
            const base::Interval& speedup = m_measured.at(on);
            const double down = weight * std::log(speedup.estimate / speedup.low),
                         up = weight * std::log(speedup.high / speedup.estimate);
            centre += weight * std::log(speedup.estimate);
            (weight > 0 ? below : above) += down * down;
            (weight > 0 ? above : below) += up * up;
        }
        return {std::exp(centre), std::exp(centre - std::sqrt(below)), std::exp(centre + std::sqrt(above))};
    }

    /// Mean over the backgrounds that `passes` of what each of them says.
    template<class Passes, class Add> std::optional<Effect> mean(std::uint32_t toggles, Passes passes, Add add) const
    {
        std::vector<std::uint32_t> backgrounds;
        for (const auto& [on, speedup] : m_measured)
            if ((on & toggles) == 0 && passes(on))
                backgrounds.push_back(on);
        if (backgrounds.empty())
            return {};
        Weights weights;
        for (const std::uint32_t on : backgrounds)
            add(weights, on, 1.0 / static_cast<double>(backgrounds.size()));
        return Effect{toggles, sum(weights), static_cast<int>(backgrounds.size())};
    }

    /// With `gate`: only over backgrounds where that toggle is on (`open`) or off.
    std::optional<Effect> main(std::uint32_t toggle, std::uint32_t gate = 0, bool open = false) const
    {
        return mean(
            toggle, [&](std::uint32_t on) { return has(on | toggle) && (gate == 0 || ((on & gate) != 0) == open); },
            [&](Weights& weights, std::uint32_t on, double part) {
                weights[on | toggle] += part;
                weights[on] -= part;
            });
    }

    std::optional<Effect> interaction(std::uint32_t a, std::uint32_t b) const
    {
        return mean(
            a | b, [&](std::uint32_t on) { return has(on | a) && has(on | b) && has(on | a | b); },
            [&](Weights& weights, std::uint32_t on, double part) {
                weights[on | a | b] += part;
                weights[on | a] -= part;
                weights[on | b] -= part;
                weights[on] += part;
            });
    }

    void shapley(Effects& out) const
    {
        if (m_count == 0 || m_count > mostFull)
            return;
        const std::uint32_t all = allOn(m_count);
        for (std::uint32_t on = 0; on <= all; ++on)
            out.missing += !has(on);
        if (out.missing > 0)
            return;
        const double count = static_cast<double>(m_count);
        for (std::size_t i = 0; i < m_count; ++i) {
            Weights weights;
            for (std::uint32_t on = 0; on <= all; ++on) {
                if (on & bit(i))
                    continue;
                const double size = std::popcount(on);
                // |S|! (n - |S| - 1)! / n!
                const double part = std::exp(std::lgamma(size + 1) + std::lgamma(count - size) -
                                             std::lgamma(count + 1));
                weights[on | bit(i)] += part;
                weights[on] -= part;
            }
            out.shapley.push_back({bit(i), sum(weights), 1 << (m_count - 1)});
        }
    }

    std::optional<Gate> gate(std::size_t toggle, std::size_t gate) const
    {
        const auto with = main(bit(toggle), bit(gate), true), without = main(bit(toggle), bit(gate), false);
        const auto together = interaction(bit(toggle), bit(gate));
        if (!with || !without || !together || !differsFromOne(with->factor) || !differsFromOne(together->factor))
            return {};
        const double effect = std::abs(std::log(with->factor.estimate)),
                     left = std::abs(std::log(without->factor.estimate));
        if (effect < std::log(Gate::leastEffect))
            return {};
        if (differsFromOne(without->factor) && left > Gate::mostLeft * effect)
            return {};
        return Gate{static_cast<int>(toggle), static_cast<int>(gate), with->factor, without->factor, false};
    }

    void gates(Effects& out) const
    {
        for (std::size_t i = 0; i < m_count; ++i)
            for (std::size_t j = i + 1; j < m_count; ++j) {
                auto first = gate(i, j), second = gate(j, i);
                if (first && second) {
                    first->mutual = true;
                    out.gates.push_back(*first);
                } else if (first || second) {
                    out.gates.push_back(first ? *first : *second);
                }
            }
        std::stable_sort(out.gates.begin(), out.gates.end(), [](const Gate& a, const Gate& b) {
            return std::abs(std::log(a.with.estimate)) > std::abs(std::log(b.with.estimate));
        });
    }

    std::size_t m_count;
    std::map<std::uint32_t, base::Interval> m_measured;
};

} // namespace

Effects effectsOf(std::size_t toggles, std::span<const Measured> measured)
{
    return Arithmetic(toggles, measured).run();
}

} // namespace cudal1::ablation
