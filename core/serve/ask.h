// SPDX-License-Identifier: GPL-3.0-or-later
// One candidate that somebody wants judged, and how it is read from JSON.
#pragma once

#include "core/protocol/messages.h"
#include "core/serve/taskbook.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace cudal1::serve {

struct Ask {
    store::TaskRecord task;
    std::string source; ///< Python that defines ModelNew
    std::string device; ///< one of those that are served
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Standard;
    std::uint64_t seed = 0; ///< 0: drawn
    bool cached = false;    ///< an evaluation that the project has with these settings will do
    std::string client;     ///< who asks: the name of a token, an address, "mcp"
    base::VariantId parent; ///< that the source was made from; none where unknown
};

/// What is meant where a request leaves it out, and what it may name.
struct ServiceDefaults {
    std::vector<protocol::DeviceInfo> devices; ///< never empty
    std::string device;                        ///< one of them
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Standard;
    std::uint64_t seed = 0;
};

inline constexpr std::size_t mostSourceBytes = 4u << 20; ///< of a candidate, and of a reference

/// Fields: "task" or "reference", "source" or "reply" (code is taken from it), and where they differ from what is
/// served "device", "preset", "precision", "seed", "cached", "parent". Others are ignored. An error names the field.
base::Result<Ask> readAsk(const nlohmann::json& fields, const TaskBook& book, const ServiceDefaults& served,
                          const std::string& client);
/// The task alone, by "task" or "reference".
base::Result<store::TaskRecord> readTask(const nlohmann::json& fields, const TaskBook& book);
/// All but task and source, into `out`.
base::Status readSettings(const nlohmann::json& fields, const ServiceDefaults& served, Ask& out);
/// From "source", or from "reply".
base::Result<std::string> readSource(const nlohmann::json& fields);

} // namespace cudal1::serve
