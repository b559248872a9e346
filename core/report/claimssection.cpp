// SPDX-License-Identifier: GPL-3.0-or-later
// What imported publications claim: sums by device and level as in the paper's tables 4, 6 and 7, the highest claims as
// in its table 8, and what the code of these was before and is after.
#include "core/base/spelled.h"
#include "core/charts/numbertext.h"
#include "core/report/cells.h"
#include "core/report/claimfacts.h"
#include "core/report/differences.h"
#include "core/report/levels.h"
#include "core/report/sections.h"

#include <algorithm>

namespace cudal1::report {

namespace {

using rejudge::ClaimLine;
using rejudge::RankedClaim;

constexpr std::size_t mostRanked = 10, mostShown = 10;

void addSummary(const std::optional<rejudge::ClockSummary>& of, std::vector<Cell>& row)
{
    const auto speedup = [&of](double rejudge::ClockSummary::*number) {
        return of ? numberCell((*of).*number, charts::speedupText((*of).*number)) : noCell();
    };
    using Summary = rejudge::ClockSummary;
    for (const auto number : {&Summary::mean, &Summary::geometricMean, &Summary::maximum, &Summary::upperQuartile,
                              &Summary::median, &Summary::lowerQuartile})
        row.push_back(speedup(number));
}

std::vector<Column> columns(std::vector<Column> first)
{
    for (const auto& [key, title] :
         {std::pair("mean", "Mean"), std::pair("geometric_mean", "Geometric mean"), std::pair("max", "Max"),
          std::pair("p75", "75 %"), std::pair("median", "50 %"), std::pair("p25", "25 %")})
        first.push_back({QLatin1String(key), QLatin1String(title), true});
    return first;
}

/// `byLevel`: over eager, a row a level; else of all levels, a row a program.
Table claimedTable(const std::vector<ClaimLine>& lines, bool byLevel)
{
    Table table{byLevel ? QStringLiteral("claimed-levels") : QStringLiteral("claimed-programs"),
                byLevel ? QStringLiteral("Claimed over eager, by device and level. A row without a speed-up is left "
                                         "out of the means.")
                        : QStringLiteral("Claimed over each program, of all levels."),
                columns({{"source", "Published"},
                         {"device", "Device"},
                         {"of", byLevel ? "Level" : "Over"},
                         {"rows", "Rows", true},
                         {"success", "Success", true},
                         {"above", ">1.01×", true}}),
                {},
                false};
    for (const ClaimLine& line : lines) {
        Cell device = textCell(line.device.name);
        if (line.device.byFileName)
            device.below = QStringLiteral("by the file's name");
        std::vector<Cell> row{textCell(line.source),
                              device,
                              byLevel ? textCell(line.level ? lineName(*line.level) : lineName(LevelLine::allLevels))
                                      : textCell(line.over),
                              numberCell(line.rows),
                              numberCell(line.success),
                              numberCell(line.above)};
        addSummary(line.claimed, row);
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// By our wall clock, of the rows that were judged here.
Table foundTable(const std::vector<ClaimLine>& lines, const std::string& device)
{
    Table table{
        QStringLiteral("claimed-found"),
        QStringLiteral("The same rows as they were found here, by the wall clock on %1.").arg(fromUtf8(device)),
        columns(
            {{"source", "Published"}, {"level", "Level"}, {"judged", "Judged", true}, {"correct", "Correct", true}}),
        {},
        false};
    for (const ClaimLine& line : lines)
        if (line.judged > 0) {
            std::vector<Cell> row{textCell(line.source),
                                  textCell(line.level ? lineName(*line.level) : lineName(LevelLine::allLevels)),
                                  numberCell(line.judged), numberCell(line.correct)};
            addSummary(line.here, row);
            table.rows.push_back(std::move(row));
        }
    return table;
}

Cell foundCell(const RankedClaim& one)
{
    if (!one.found)
        return textCell(QStringLiteral("not judged"), Tone::Soft);
    return one.found->verdict == protocol::Verdict::Correct
             ? speedupCell(one.found->wall, one.found->marks)
             : textCell(charts::verdictText(one.found->verdict), Tone::Loss);
}

QString galleryAnchor(const RankedClaim& one)
{
    return QStringLiteral("before-%1").arg(one.claim.variant.value);
}

Table rankedTable(const ReportFacts& facts)
{
    Table table{QStringLiteral("claimed-highest"),
                QStringLiteral("The highest claims over eager, a row a task."),
                {{"task", "Task"},
                 {"name", "Name"},
                 {"claimed", "Claimed", true},
                 {"found", "Found here", true},
                 {"source", "Published"},
                 {"techniques", "Techniques seen"}},
                {}};
    for (std::size_t at = 0; at < std::min(mostRanked, facts.published.ranked.size()); ++at) {
        const RankedClaim& one = facts.published.ranked[at];
        Cell task = textCell(one.claim.task.value), techniques;
        task.order = double(at);
        if (std::any_of(facts.gallery.begin(), facts.gallery.end(),
                        [&](const BeforeAndAfter& pair) { return pair.variant.id == one.claim.variant; }))
            task.target = galleryAnchor(one);
        for (const std::string& technique : one.techniques)
            techniques.tags << fromUtf8(base::spelled(technique));
        table.rows.push_back({task, textCell(one.name),
                              numberCell(*one.claim.speedup, charts::speedupText(*one.claim.speedup)), foundCell(one),
                              textCell(one.claim.source), techniques});
    }
    return table;
}

Table usesTable(const rejudge::PublishedClaims& published)
{
    Table table{QStringLiteral("claimed-techniques"),
                QStringLiteral("Techniques that the %1 published programs are seen to use.").arg(published.variants),
                {{"technique", "Technique"}, {"variants", "Programs", true}},
                {}};
    for (const rejudge::TechniqueUse& use : published.uses)
        table.rows.push_back({textCell(use.technique), numberCell(use.variants)});
    return table;
}

} // namespace

base::Status readClaimsOf(const store::Project& project, ReportFacts& facts)
{
    using base::Error;
    using base::ErrorCode;
    if (facts.scope.kind != ReportScope::Kind::Project)
        return Error{ErrorCode::InvalidArgument, "The template claims is of a whole project", {}, "Leave --scope out"};
    auto published = rejudge::publishedClaims(project, {}, rejudge::Failures::LeftOut);
    if (!published)
        return published.error();
    facts.published = std::move(*published);
    if (facts.published.levels.empty())
        return Error{ErrorCode::NotFound, "The project has no published claims", project.path().string(),
                     "`cudal1 import cuda-l1 FILE` takes some in"};
    const auto claims = project.claims();
    if (!claims)
        return claims.error();
    for (const RankedClaim& claim : facts.published.ranked) {
        if (facts.gallery.size() == mostShown)
            break;
        if (!claim.claim.variant)
            continue;
        auto variant = project.variant(claim.claim.variant);
        if (!variant)
            return variant.error();
        auto task = project.task(claim.claim.task);
        if (!task)
            return task.error();
        facts.gallery.push_back(
            {claim, std::move(task->source), rejudge::claimsOf(*claims, variant->id), std::move(*variant)});
    }
    return {};
}

void addClaims(const ReportFacts& facts, Document& document)
{
    Section section{QStringLiteral("claimed"), QStringLiteral("Claims by device and level"), {}};
    section.blocks.emplace_back(Paragraph{{},
                                          QStringLiteral("As they were published, by the publisher's clock and device. "
                                                         "Nothing in these tables is a measurement of ours but what "
                                                         "is said to be found here."),
                                          {},
                                          Tone::Soft,
                                          false});
    section.blocks.emplace_back(claimedTable(facts.published.levels, true));
    section.blocks.emplace_back(claimedTable(facts.published.others, false));
    if (Table found = foundTable(facts.published.levels, facts.published.deviceModel); !found.rows.empty())
        section.blocks.emplace_back(std::move(found));
    section.blocks.emplace_back(rankedTable(facts));
    if (!facts.published.uses.empty())
        section.blocks.emplace_back(usesTable(facts.published));
    document.sections.push_back(std::move(section));
}

void addGallery(const ReportFacts& facts, Document& document)
{
    for (const BeforeAndAfter& pair : facts.gallery) {
        const RankedClaim& one = pair.claim;
        Section section{galleryAnchor(one),
                        QStringLiteral("%1 before and after").arg(fromUtf8(one.claim.task.value + " " + one.name)),
                        {},
                        true};
        FactList list;
        Cell claimed;
        for (const store::ClaimRecord& claim : pair.ofVariant) {
            claimed = textCell(fromUtf8(rejudge::claimText(claim)));
            claimed.below = fromUtf8(claim.source);
            addFact(list, "claimed", QStringLiteral("Claimed"), claimed);
        }
        addFact(list, "found", QStringLiteral("Found here"), foundCell(one));
        Cell techniques = textCell(one.techniques.empty() ? QStringLiteral("none is recognised")
                                                          : QStringLiteral("%1 seen").arg(one.techniques.size()));
        for (const std::string& technique : one.techniques)
            techniques.tags << fromUtf8(base::spelled(technique));
        addFact(list, "techniques", QStringLiteral("Techniques"), techniques);
        section.blocks.emplace_back(std::move(list));
        const QString after = QStringLiteral("variant %1").arg(pair.variant.id.value);
        section.blocks.emplace_back(
            differenceOf(QStringLiteral("reference"), pair.reference, after, pair.variant.source, true));
        section.blocks.emplace_back(
            CodeListing{QStringLiteral("before: the reference"), fromUtf8(pair.reference), false});
        section.blocks.emplace_back(
            CodeListing{QStringLiteral("after: ") + after, fromUtf8(pair.variant.source), false});
        document.sections.push_back(std::move(section));
    }
}

} // namespace cudal1::report
