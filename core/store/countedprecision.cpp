// SPDX-License-Identifier: GPL-3.0-or-later
// The choice is kept beside the cached texts, so that all processes that open the project count alike.
#include "core/store/countedprecision.h"

#include "core/protocol/messages.h"

#include <algorithm>

namespace cudal1::store {

namespace {

constexpr const char* keptUnder = "counted-precision";

} // namespace

CountedPrecision readCountedPrecision(const Database& database)
{
    CountedPrecision out;
    database.each("SELECT e.precision FROM evaluations e CROSS JOIN variants v ON v.id = e.variant"
                  " WHERE v.baseline = '' GROUP BY e.precision ORDER BY count(*) DESC, e.precision",
                  {}, [&](const QSqlQuery& row) {
                      if (protocol::Precision precision{}; protocol::fromString(text(row, 0), precision))
                          out.all.push_back(precision);
                  });
    if (out.all.size() < 2)
        return out;
    out.counts = out.all.front();
    const std::string word = database.countsAt().empty()
                               ? unpacked(database.scalar("SELECT value_zlib FROM cache WHERE key = ?",
                                                          {bound(std::string(keptUnder))}))
                               : database.countsAt();
    if (protocol::Precision chosen{};
        protocol::fromString(word, chosen) && std::find(out.all.begin(), out.all.end(), chosen) != out.all.end())
        out.counts = chosen;
    return out;
}

void countAt(Database& database, protocol::Precision precision)
{
    database.run("INSERT OR REPLACE INTO cache (key, value_zlib) VALUES (?, ?)",
                 {bound(std::string(keptUnder)), packed(std::string(protocol::toString(precision)))});
}

std::string wordOf(const CountedPrecision& precision)
{
    return "'" + std::string(protocol::toString(precision.counts.value())) + "'";
}

std::string countedEvaluation(const CountedPrecision& precision)
{
    if (!precision.counts)
        return "v.evaluation";
    return "(SELECT newest.id FROM evaluations newest WHERE newest.variant = v.id AND newest.precision = " +
           wordOf(precision) + " ORDER BY newest.created_ms DESC, newest.id DESC LIMIT 1)";
}

} // namespace cudal1::store
