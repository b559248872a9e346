// SPDX-License-Identifier: GPL-3.0-or-later
// Distinct types for the ids that travel through the program, so that one cannot be passed for another.
#pragma once

#include <string> // first: Qt 6.4's moc fails to parse libstdc++'s <compare> when nothing came before it

#include <compare>
#include <cstdint>
#include <functional>
#include <utility>

namespace cudal1::base {

/// A row id of the store; 0 means "none".
template<class Tag> struct RowId {
    std::int64_t value = 0;

    explicit operator bool() const { return value != 0; }
    auto operator<=>(const RowId&) const = default;
};

using VariantId = RowId<struct VariantTag>;
using SampleId = RowId<struct SampleTag>;
using EvaluationId = RowId<struct EvaluationTag>;
using RunId = RowId<struct RunTag>;
using TimelineId = RowId<struct TimelineTag>;
using AblationId = RowId<struct AblationTag>;

/// The name of a task: "LEVEL/ID" for one of a suite ("3/41"), or the absolute path of a file.
struct TaskId {
    std::string value;

    bool empty() const { return value.empty(); }
    auto operator<=>(const TaskId&) const = default;
};

} // namespace cudal1::base

template<class Tag> struct std::hash<cudal1::base::RowId<Tag>> {
    std::size_t operator()(const cudal1::base::RowId<Tag>& id) const noexcept
    {
        return std::hash<std::int64_t>()(id.value);
    }
};

template<> struct std::hash<cudal1::base::TaskId> {
    std::size_t operator()(const cudal1::base::TaskId& id) const noexcept { return std::hash<std::string>()(id.value); }
};
