// SPDX-License-Identifier: GPL-3.0-or-later
// The history of islands, from the variants alone.
#include "core/language/islandsampler.h"

#include "core/language/draws.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace cudal1::language {

namespace {

using Population = std::vector<std::size_t>;

class Islands {
public:
    Islands(const std::vector<Scored>& scored, int count)
        : m_scored(scored), m_all(static_cast<std::size_t>(std::max(1, count)))
    {
    }

    void born(std::size_t place) { m_all[homeOf(m_scored[place])].push_back(place); }

    void migrate()
    {
        std::vector<std::size_t> best;
        for (const Population& one : m_all)
            best.push_back(bestOf(one));
        for (std::size_t from = 0; from < m_all.size(); ++from) {
            Population& to = m_all[(from + 1) % m_all.size()];
            if (best[from] != none && std::find(to.begin(), to.end(), best[from]) == to.end())
                to.push_back(best[from]);
        }
    }

    void reset()
    {
        std::vector<std::size_t> order(m_all.size()); // best island first
        std::iota(order.begin(), order.end(), std::size_t(0));
        const auto score = [&](std::size_t island) {
            const std::size_t best = bestOf(m_all[island]);
            return best == none ? -std::numeric_limits<double>::infinity() : m_scored[best].score;
        };
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return score(a) > score(b); });
        for (std::size_t at = 0; at < order.size() / 2; ++at)
            m_all[order[order.size() - 1 - at]] = m_all[order[at]];
    }

    std::vector<Population> take() { return std::move(m_all); }

private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    std::size_t bestOf(const Population& population) const
    {
        std::size_t best = none;
        for (const std::size_t place : population)
            if (best == none || m_scored[place].score > m_scored[best].score)
                best = place;
        return best;
    }

    bool hasAll(const Population& population, const std::vector<base::VariantId>& variants) const
    {
        return std::all_of(variants.begin(), variants.end(), [&](base::VariantId id) {
            return std::any_of(population.begin(), population.end(),
                               [&](std::size_t place) { return m_scored[place].variant == id; });
        });
    }

    std::size_t homeOf(const Scored& one)
    {
        std::size_t home = none;
        for (std::size_t at = 0; at < m_all.size() && !one.shown.empty(); ++at)
            if (hasAll(m_all[at], one.shown) && (home == none || m_all[at].size() < m_all[home].size()))
                home = at;
        return home != none ? home : m_dealt++ % m_all.size();
    }

    const std::vector<Scored>& m_scored;
    std::vector<Population> m_all;
    std::size_t m_dealt = 0;
};

} // namespace

std::vector<std::vector<std::size_t>> IslandSampler::populations(const std::vector<Scored>& scored) const
{
    std::vector<std::size_t> order(scored.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return scored[a].variant < scored[b].variant; });
    Islands islands(scored, m_settings.islands);
    const auto every = [](int count, std::size_t period) {
        return period > 0 && static_cast<std::size_t>(count) % period == 0;
    };
    int count = 0;
    for (const std::size_t place : order) {
        islands.born(place);
        ++count;
        if (every(count, static_cast<std::size_t>(std::max(0, m_settings.resetEvery))))
            islands.reset();
        else if (every(count, static_cast<std::size_t>(std::max(0, m_settings.migrateEvery))))
            islands.migrate();
    }
    return islands.take();
}

std::vector<std::size_t> IslandSampler::sample(const std::vector<Scored>& scored, int most, std::uint64_t seed) const
{
    std::vector<std::vector<std::size_t>> inhabited = populations(scored);
    std::erase_if(inhabited, [](const auto& one) { return one.empty(); });
    if (inhabited.empty())
        return {};
    Draws draws(seed);
    const std::vector<std::size_t>& island = inhabited[draws.below(inhabited.size())];
    std::vector<double> scores;
    for (const std::size_t place : island)
        scores.push_back(scored[place].score);
    std::vector<std::size_t> out;
    for (const std::size_t at : draws.weightedWithoutRepeats(softmaxWeights(scores, m_settings.temperature),
                                                             static_cast<std::size_t>(std::max(0, most))))
        out.push_back(island[at]);
    return out;
}

} // namespace cudal1::language
