// SPDX-License-Identifier: GPL-3.0-or-later
// Exemplars from populations that evolve apart (the paper's section 3.4 and table 5, after FunSearch).
#pragma once

#include "core/language/exemplarsampler.h"

namespace cudal1::language {

struct IslandSettings {
    int islands = 4;          ///< from 1
    int migrateEvery = 8;     ///< variants; 0: never
    int resetEvery = 32;      ///< variants; 0: never
    double temperature = 0.5; ///< of the choice within an island; above 0
};

/// Who lives where is no state of its own: it is worked out anew from what the store knows of every variant, in the
/// order of their numbers. So it outlives the program, and is the same for everyone who asks.
///
/// - A variant whose prompt showed exemplars is born on the island that has all of them, of several on the one with
///   fewest inhabitants. All others are dealt out in turn.
/// - After every `migrateEvery` variants the best of each island is copied to the next one, and from the last to the
///   first.
/// - After every `resetEvery` variants (and then nobody migrates) the worse half of the islands, by the best of each,
///   is emptied. The worst gets a copy of the best island's inhabitants, the second worst of the second best, and so
///   on; of an odd number the middle one keeps its own.
///
/// An island is drawn among those that are inhabited, all equally likely; then `most` of its inhabitants, one after the
/// other, with weights exp(score / temperature).
class IslandSampler : public ExemplarSampler {
public:
    explicit IslandSampler(IslandSettings settings = {}) : m_settings(settings) {}

    std::string name() const override { return "islands"; }
    std::vector<std::size_t> sample(const std::vector<Scored>& scored, int most, std::uint64_t seed) const override;
    /// Of each island the places of its inhabitants, in the order in which they came.
    std::vector<std::vector<std::size_t>> populations(const std::vector<Scored>& scored) const;

private:
    IslandSettings m_settings;
};

} // namespace cudal1::language
