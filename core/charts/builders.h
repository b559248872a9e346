// SPDX-License-Identifier: GPL-3.0-or-later
// One function a kind of chart, and the words that they share.
#pragma once

#include "core/base/spelled.h"
#include "core/charts/chartof.h"
#include "core/charts/numbertext.h"

#include <map>

namespace cudal1::charts {

Chart distribution(const Numbers& numbers, Failures rule);
Chart percentiles(const Numbers& numbers, Failures rule);
Chart fastP(const Numbers& numbers);
Chart scatter(const Numbers& numbers, const Choices& choices);
/// Compares the scatter's pairs. What cannot be compared, or is a claim that nobody judged, is not there.
base::Status readVersus(const store::Project& project, const Choices& choices, Numbers& numbers);
Chart effects(const Numbers& numbers, const Choices& choices);
Chart techniques(const Numbers& numbers);
Chart progress(const Numbers& numbers);
Chart claimed(const Numbers& numbers);
Chart claimedMeans(const Numbers& numbers);
Chart deviceMatrix(const Numbers& numbers, Failures rule);

/// Level 0 comes behind the others.
inline int orderOf(int level)
{
    return level > 0 ? level : 1'000'000;
}

inline QString techniqueName(const std::string& id)
{
    return QString::fromStdString(base::spelled(id));
}

inline QString taskName(const store::TaskRow& row)
{
    return QString::fromStdString(row.level > 0 ? row.id.value + " " + row.name : row.name);
}

/// The rows by id, for looking up.
inline std::map<base::TaskId, const store::TaskRow*> byId(const std::vector<store::TaskRow>& rows)
{
    std::map<base::TaskId, const store::TaskRow*> out;
    for (const store::TaskRow& row : rows)
        out.emplace(row.id, &row);
    return out;
}

/// Room beyond the least and greatest value on a logarithmic axis of speed-ups, with 1x inside.
void fitSpeedups(Axis& axis, double least, double most);

/// The device that was asked for, or the one with results for most tasks.
std::string deviceOf(const Numbers& numbers, const Choices& choices);

} // namespace cudal1::charts
