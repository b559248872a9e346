// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of a task, as HTML for an InfoView: its file, and its operator graph once an evaluator has traced it.
#pragma once

#include "core/protocol/messages.h"
#include "core/store/project.h"

#include <QString>

#include <optional>

namespace cudal1::ui {

/// A graph with where it was traced.
struct TracedGraph {
    protocol::OperatorGraph graph;
    std::string device;    ///< model
    std::string precision;
};

/// `graph` is empty while none is known.
QString taskFactsHtml(const store::TaskRecord& task, const std::optional<TracedGraph>& graph);

/// "8 × 3 × 224 × 224 float32"
QString shapeText(const protocol::GraphValue& value);

} // namespace cudal1::ui
