// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 variants TASK`: the variants of a task, best first, and its baselines.
#include "app/cli/baselinestable.h"
#include "app/cli/claimstable.h"
#include "app/cli/context.h"
#include "app/cli/help.h"
#include "app/cli/rows.h"
#include "app/cli/verbs.h"
#include "core/optimize/handedover.h"

namespace cudal1::cli {

namespace {

/// In which order the table has them; empty where fewer than two of them were timed.
std::string orderText(const std::vector<store::VariantRow>& rows)
{
    int timed = 0;
    bool marked = false, elsewhere = false;
    for (const store::VariantRow& row : rows) {
        if (!row.evaluation || !row.evaluation->wall.valid())
            continue;
        ++timed;
        marked = marked || !row.evaluation->marks.empty();
        elsewhere = elsewhere || !row.counts || row.stale;
    }
    if (timed < 2)
        return {};
    QString text = "Sorted by the lower end of each interval";
    if (marked)
        text += "; a gain at another precision comes behind the others, and a questioned one behind both";
    if (elsewhere)
        text += "; what was judged at another precision setting alone, or with another text of the task, comes last";
    text += ".";
    return wrapped(text, outputWidth()).toStdString();
}

} // namespace

int variants(Context& context, const QCommandLineParser&, const QStringList& arguments)
{
    const auto project = context.storedProject();
    if (!project)
        return context.fail(project.error());
    // A task that the project knows needs no suite to be listed; a suite that is named says which version is meant.
    base::TaskId id{arguments[0].toStdString()};
    if (!context.settings().suite.empty() || !(*project)->task(id)) {
        const auto task = context.task(arguments[0]);
        if (!task)
            return context.fail(task.error());
        id = task->id;
    }
    const auto rows = (*project)->variantRows(id);
    if (!rows)
        return context.fail(rows.error());
    const auto measured = baselines::latestOf(**project, id);
    if (!measured)
        return context.fail(measured.error());
    auto claims = (*project)->claims();
    if (!claims)
        return context.fail(claims.error());
    std::erase_if(*claims, [&id](const store::ClaimRecord& claim) { return claim.task != id; });
    const store::VariantRow* fastest = optimize::fastestOf(*rows);
    const base::Interval wall = fastest ? fastest->evaluation->wall : base::Interval();
    const bool kept = optimize::referenceIsBest(wall);
    if (context.settings().json) {
        nlohmann::json out = {{"task", id.value}, {"variants", toJson(*rows)}, {"baselines", nlohmann::json::array()}};
        out["reference_is_best"] = kept;
        out["best"] = kept ? nlohmann::json(nullptr) : nlohmann::json(fastest->id.value);
        for (const baselines::BaselineRow& row : *measured)
            out["baselines"].push_back(toJson(row));
        out["claims"] = toJson(*claims);
        context.printJson(out);
    }
    context.terminal().print(variantsTable(context.terminal(), *rows));
    if (const std::string order = orderText(*rows); !order.empty())
        context.terminal().print(order);
    if (fastest && kept)
        context.terminal().print("\n" + optimize::referenceIsBestText(fastest->id, wall));
    if (rows->empty())
        context.terminal().print("`cudal1 optimize " + id.value + "` makes some.");
    if (!measured->empty())
        context.terminal().print("\n" + context.terminal().toned(Terminal::Tone::Strong, "Baselines") + "\n" +
                                 baselinesTable(context.terminal(), *measured));
    if (!claims->empty())
        context.terminal().print("\n" + context.terminal().toned(Terminal::Tone::Strong, "Claims of others") + "\n" +
                                 claimsTable(*claims));
    return Done;
}

} // namespace cudal1::cli
