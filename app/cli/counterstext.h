// SPDX-License-Identifier: GPL-3.0-or-later
// Counters as tables of text, and as the one object of --json.
#pragma once

#include "app/cli/terminal.h"
#include "core/counters/storedcounters.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace cudal1::cli {

/// One side, and the record that it is of.
struct CountedSide {
    std::string name; ///< "variant 14", "reference"
    counters::StoredCounters record;
    protocol::CounterSide side;
};

struct CountersReport {
    std::string project; ///< its path
    store::TaskRecord task;
    base::VariantId variant; ///< none: the reference
    CountedSide own;
    std::optional<CountedSide> baseline; ///< what `own` is set against
    std::optional<costs::Costs> costs;   ///< of the task
};

std::string countersText(const Terminal& terminal, const CountersReport& report);
nlohmann::json countersJson(const CountersReport& report);

} // namespace cudal1::cli
