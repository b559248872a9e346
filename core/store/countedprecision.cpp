// SPDX-License-Identifier: GPL-3.0-or-later
// The choice is the process's: a person who has chosen a precision sees all projects and pages at it.
#include "core/store/countedprecision.h"

#include "core/protocol/messages.h"
#include "core/store/tables.h"

#include <algorithm>
#include <atomic>

namespace cudal1::store {

namespace {

using protocol::Precision;

constexpr Precision allPrecisions[]{Precision::Kernelbench, Precision::Ieee, Precision::Tf32};
constexpr int none = -1;
std::atomic<int> chosen{none};

/// Each query ends at the first evaluation that it finds, so only a precision that is not there takes long.
std::vector<std::string> evaluatedPrecisions(const Database& database)
{
    std::vector<std::string> out;
    for (const Precision precision : allPrecisions) {
        const std::string word(protocol::toString(precision));
        if (database
                .scalar("SELECT EXISTS (SELECT 1 FROM evaluations e CROSS JOIN variants v ON v.id = e.variant"
                        " WHERE e.precision = ? AND v.baseline = '')",
                        {bound(word)})
                .toBool())
            out.push_back(word);
    }
    return out;
}

} // namespace

void Project::countAt(std::optional<Precision> precision)
{
    chosen = precision ? int(*precision) : none;
}

std::optional<Precision> Project::countsAt()
{
    const int now = chosen;
    return now == none ? std::nullopt : std::optional(Precision(now));
}

CountedPrecision readCountedPrecision(const Database& database)
{
    CountedPrecision out;
    for (const std::string& word : database.keptUntilCommit("evaluated precisions", evaluatedPrecisions))
        if (Precision precision{}; protocol::fromString(word, precision))
            out.all.push_back(precision);
    if (out.all.empty())
        return out;
    const std::optional<Precision> wanted = Project::countsAt();
    const bool isThere = wanted && std::find(out.all.begin(), out.all.end(), *wanted) != out.all.end();
    out.counts = isThere ? *wanted : out.all.front();
    return out;
}

std::optional<EvaluationSummary> readCountedEvaluation(const Database& database, base::VariantId variant)
{
    const std::vector<EvaluationSummary> all = readEvaluations(database, variant); // newest first
    const std::optional<Precision> precision = readCountedPrecision(database).counts;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const EvaluationSummary& one) { return one.precision == precision; });
    if (found != all.end())
        return *found;
    return all.empty() ? std::nullopt : std::optional(all.front());
}

bool areSeveral(const CountedPrecision& precision)
{
    return precision.all.size() > 1;
}

std::string sqlOf(const CountedPrecision& precision)
{
    return "'" + std::string(protocol::toString(precision.counts.value())) + "'";
}

std::string sqlOfCountedEvaluation(const CountedPrecision& precision)
{
    if (!areSeveral(precision))
        return "v.evaluation";
    return "(SELECT newest.id FROM evaluations newest WHERE newest.variant = v.id AND newest.precision = " +
           sqlOf(precision) + " ORDER BY newest.created_ms DESC, newest.id DESC LIMIT 1)";
}

} // namespace cudal1::store
