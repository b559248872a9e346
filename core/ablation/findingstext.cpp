// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences of effects.
#include "core/ablation/findingstext.h"

#include "core/ablation/measured.h"
#include "core/base/percenttext.h"
#include "core/base/ratiotext.h"
#include "core/base/spelled.h"
#include "core/optimize/outcometext.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <utility>

namespace cudal1::ablation {

using base::ratioText;

namespace {

std::string nameOf(const std::vector<std::string>& toggles, int index)
{
    return base::spelled(policy::techniqueOf(toggles[static_cast<std::size_t>(index)]));
}

std::string nameOf(const std::vector<std::string>& toggles, std::uint32_t bit)
{
    return nameOf(toggles, std::countr_zero(bit));
}

/// An effect below a hundredth is none to speak of, however sure it is.
base::Comparison judged(const base::Interval& factor)
{
    return factor.low >= 0.99 && factor.high <= 1.01 ? base::Comparison::Same : base::compare(factor);
}

std::string overText(int backgrounds)
{
    return backgrounds == 1 ? "with one setting of the others"
                            : "on average over " + std::to_string(backgrounds) + " settings of the others";
}

} // namespace

std::string togglesText(const std::vector<std::string>& toggles, std::uint32_t on)
{
    std::string out;
    for (std::size_t i = 0; i < toggles.size(); ++i)
        if (on >> i & 1U)
            out += (out.empty() ? "" : " + ") + policy::techniqueOf(toggles[i]);
    return out;
}

std::string combinationText(const std::vector<std::string>& toggles, std::uint32_t on)
{
    if (on == 0)
        return "none";
    if (on == allOn(toggles.size()) && toggles.size() > 1)
        return "all";
    return togglesText(toggles, on);
}

std::string mainText(const std::vector<std::string>& toggles, const Effect& effect)
{
    const std::string name = nameOf(toggles, effect.toggles), numbers = ratioText(effect.factor),
                      over = overText(effect.backgrounds);
    switch (judged(effect.factor)) {
    case base::Comparison::Faster: return name + " makes a call " + numbers + " as fast, " + over + ".";
    case base::Comparison::Slower: return name + " slows a call down to " + numbers + " of its speed, " + over + ".";
    case base::Comparison::Same: return name + " changes nothing: " + numbers + ", " + over + ".";
    case base::Comparison::Unclear: break;
    }
    return "Whether " + name + " does anything is unclear: " + numbers + ", " + over + ".";
}

std::string interactionText(const std::vector<std::string>& toggles, const Effect& effect)
{
    const std::uint32_t first = effect.toggles & (~effect.toggles + 1);
    const std::string pair = nameOf(toggles, first) + " and " + nameOf(toggles, effect.toggles & ~first),
                      numbers = ratioText(effect.factor);
    switch (judged(effect.factor)) {
    case base::Comparison::Faster: return pair + " help each other: together " + numbers + " of the product of each.";
    case base::Comparison::Slower:
        return pair + " get in each other's way: together " + numbers + " of the product of each.";
    case base::Comparison::Same: return pair + " act independently: together " + numbers + " of the product of each.";
    case base::Comparison::Unclear: break;
    }
    return "Whether " + pair + " depend on each other is unclear: together " + numbers + " of the product of each.";
}

std::string shapleyText(const std::vector<std::string>& toggles, const Effect& effect, const base::Interval& total,
                        bool hostChanged)
{
    if (judged(effect.factor) == base::Comparison::Unclear)
        return "Whether " + nameOf(toggles, effect.toggles) + " contributes anything is unclear: a factor of " +
               ratioText(effect.factor) + ".";
    std::string out = nameOf(toggles, effect.toggles) + " contributes a factor of " + ratioText(effect.factor);
    if (total.valid() && base::compare(total) != base::Comparison::Same &&
        base::compare(total) != base::Comparison::Unclear) {
        const std::string share = base::percentText(std::log(effect.factor.estimate) / std::log(total.estimate));
        out += ", " + (share[0] == '-' ? "\u2212" + share.substr(1) : share) + " of the " + ratioText(total.estimate) +
               " of all" + (hostChanged ? " on an equally fast host" : "");
    }
    return out + ".";
}

std::string gateText(const std::vector<std::string>& toggles, const Gate& gate)
{
    const std::string name = nameOf(toggles, gate.toggle), other = nameOf(toggles, gate.gate);
    const std::string with = ratioText(gate.with), without = ratioText(gate.without);
    if (gate.mutual)
        return name + " and " + other + " work only together: " + name + " gives " + with + " with " + other + " and " +
               without + " without it.";
    return other + " is the gatekeeper of " + name + ", which gives " + with + " with it and " + without +
           " without it.";
}

std::string shapleyMissingText(std::size_t toggles, const Effects& effects)
{
    if (!effects.shapley.empty())
        return {};
    if (toggles > mostFull)
        return "Shapley values are computed for up to " + std::to_string(mostFull) + " toggles.";
    return "Shapley values need all " + std::to_string(1U << toggles) + " combinations; " +
           std::to_string(effects.missing) + (effects.missing == 1 ? " has" : " have") + " no speed-up.";
}

std::vector<std::string> breakingTexts(const std::vector<std::string>& toggles, const std::vector<CombinationRow>& rows)
{
    std::vector<std::string> out;
    for (std::size_t i = 0; i < toggles.size(); ++i) {
        int good[2] = {}, judged[2] = {};
        for (const CombinationRow& row : rows) {
            if (!row.found)
                continue;
            ++judged[row.on >> i & 1U];
            good[row.on >> i & 1U] += row.correct();
        }
        if (judged[0] > 0 && judged[1] > 0 && good[0] == judged[0] && good[1] == 0)
            out.push_back("With " + nameOf(toggles, int(i)) + " no combination is correct; without it all are.");
        else if (judged[0] > 0 && judged[1] > 0 && good[1] == judged[1] && good[0] == 0)
            out.push_back("Without " + nameOf(toggles, int(i)) + " no combination is correct; with it all are.");
    }
    return out;
}

std::vector<Topic> findingsOf(const std::vector<std::string>& toggles, const std::vector<CombinationRow>& rows,
                              const Effects& wall, const Effects& event)
{
    const std::string drift = driftText(rows);
    Topic gates{"Gatekeepers", {}, {}}, wrong{"What makes results wrong", breakingTexts(toggles, rows), {}};
    Topic effects{"Effects, by the wall clock", {}, {}}, shares{"Shares in the whole", {}, {}};
    for (const Gate& gate : wall.gates)
        gates.sentences.push_back(gateText(toggles, gate));
    for (const Gate& gate : event.gates)
        gates.sentences.push_back("By events: " + gateText(toggles, gate));
    for (const Effect& effect : wall.mains)
        effects.sentences.push_back(mainText(toggles, effect));
    for (const Effect& effect : wall.interactions)
        effects.sentences.push_back(interactionText(toggles, effect));
    for (const Effect& effect : wall.shapley)
        shares.sentences.push_back(shapleyText(toggles, effect, wall.total, !drift.empty()));
    Topic host{"The host changed meanwhile", {}, {}};
    if (!drift.empty() && !effects.sentences.empty())
        host.sentences.push_back(drift);
    std::vector<Topic> out{std::move(host), std::move(gates), std::move(wrong), std::move(effects)};
    std::erase_if(out, [](const Topic& topic) { return topic.sentences.empty(); });
    if (out.empty())
        return out;
    if (toggles.size() > 1)
        shares.aside = shapleyMissingText(toggles.size(), wall);
    if (!shares.sentences.empty() || !shares.aside.empty())
        out.push_back(std::move(shares));
    return out;
}

} // namespace cudal1::ablation
