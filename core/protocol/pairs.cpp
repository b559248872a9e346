// SPDX-License-Identifier: GPL-3.0-or-later
// Points from samples, by the rule that the judge measures by.
#include "core/protocol/pairs.h"

#include "core/base/csv.h"

namespace cudal1::protocol {

std::vector<PairPoint> pairPoints(const Evaluation& evaluation)
{
    std::vector<PairPoint> points;
    for (const PairSamples& pair : evaluation.pairs)
        points.push_back({int(points.size()) + 1, pair.instance, pair.referenceFirst, pair.dropped, pair.droppedWhy,
                          base::roundTime(pair.reference_ns), base::roundTime(pair.candidate_ns),
                          base::roundTime(pair.referenceEvent_ns), base::roundTime(pair.candidateEvent_ns)});
    return points;
}

std::string pairsCsv(const std::vector<PairPoint>& points)
{
    std::string out = "pair,instance,first,reference_ns,candidate_ns,speedup,reference_event_ns,candidate_event_ns,"
                      "event_speedup,dropped,why\n";
    const auto number = [](double value) { return value > 0 ? base::csvField(value) : std::string(); };
    for (const PairPoint& point : points)
        out += std::to_string(point.number) + ',' + std::to_string(point.instance) +
               (point.referenceFirst ? ",reference," : ",candidate,") + number(point.reference_ns) + ',' +
               number(point.candidate_ns) + ',' + number(point.wall()) + ',' + number(point.referenceEvent_ns) + ',' +
               number(point.candidateEvent_ns) + ',' + number(point.event()) + ',' + (point.dropped ? "yes," : "no,") +
               base::csvField(point.why) + '\n';
    return out;
}

} // namespace cudal1::protocol
