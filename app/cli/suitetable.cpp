// SPDX-License-Identifier: GPL-3.0-or-later
// Tables and JSON of the comparison of a suite.
#include "app/cli/suitetable.h"

#include "app/cli/help.h"
#include "app/cli/texttable.h"
#include "core/base/csv.h"
#include "core/base/ratiotext.h"

#include <algorithm>

namespace cudal1::cli {

using base::ratioText;
using nlohmann::json;
using report::LevelLine;
using report::SuiteComparison;
using report::SuiteRow;
using Align = TextTable::Align;
using Kind = SuiteRow::Kind;
using Tone = Terminal::Tone;

namespace {

constexpr int nameColumns = 24; ///< so that a table fits 80 columns

std::string counted(int number, const char* one, const char* many)
{
    return std::to_string(number) + " " + (number == 1 ? one : many);
}

std::string levelTable(const SuiteComparison& suite, std::size_t place, bool ratios)
{
    TextTable table({{ratios ? "ours over" : ""},
                     {"mean", Align::Right},
                     {"geom.", Align::Right},
                     {"median", Align::Right},
                     {"25 %", Align::Right},
                     {ratios ? "both" : "correct", Align::Right},
                     {"> 1.01", Align::Right},
                     {"tasks", Align::Right}});
    constexpr std::string_view over = "ours / ";
    for (const SuiteRow& row : suite.rows) {
        if ((row.kind == Kind::Ratio) != ratios)
            continue;
        const LevelLine& line = row.lines[place];
        std::string name = ratios ? row.name.substr(over.size()) : row.name;
        if (name.starts_with("max("))
            name = "torch.compile or eager";
        table.add({elided(name, nameColumns), ratioText(line.mean), ratioText(line.geometricMean),
                   ratioText(line.median), ratioText(line.lower), std::to_string(line.successes),
                   std::to_string(line.above), std::to_string(line.tasks)});
    }
    return table.text();
}

/// "ours 3, compile 1": the rows of which `number` says more than 0.
template<class Number> std::string rowsText(const SuiteComparison& suite, const Number& number)
{
    std::string out;
    for (const SuiteRow& row : suite.rows)
        if (row.kind != Kind::Ratio && number(row) > 0)
            out += (out.empty() ? "" : ", ") + row.name + " " + std::to_string(number(row));
    return out;
}

std::vector<std::string> notesOf(const SuiteComparison& suite, int missing)
{
    std::vector<std::string> notes{
        "Speed-ups over the reference by the wall clock; a task that failed or has no variant counts as 1."};
    if (suite.rows.size() > 1)
        notes.back() +=
            " \"ours over\" is task by task, on an equally fast host, and \"both\" are the tasks where both "
            "are correct.";
    else
        notes.push_back("Nothing else was measured so: `cudal1 baselines` measures what the framework's own switches "
                        "make of the tasks, and `cudal1 import` with `cudal1 rejudge` what others published.");
    if (std::any_of(suite.rows.begin(), suite.rows.end(),
                    [](const SuiteRow& row) { return row.name == "best torch.compile"; }))
        notes.front() += " \"torch.compile or eager\" is the faster of its best mode and the reference.";
    if (suite.precision == protocol::Precision::Kernelbench)
        notes.push_back(
            "A gain at another precision than the reference's, as by tf32, counts here like any other, since "
            "a baseline may have it too. The window and reports take a gain at the reference's own before "
            "it, so their means are lower.");
    const std::string none = rowsText(suite, [](const SuiteRow& row) { return row.notMeasured; });
    if (!none.empty())
        notes.push_back("No measurement at all, so that they count as 1 (tasks): " + none + ".");
    if (const int kept = suite.ours().kept; kept > 0)
        notes.push_back("Of ours " + counted(kept, "task has", "tasks have") +
                        " a correct variant that is not faster by its whole interval: the reference is kept there, "
                        "and counts as 1.");
    const std::string doubtful = rowsText(suite, [](const SuiteRow& row) { return row.inQuestion; });
    if (!doubtful.empty())
        notes.push_back("Gains that a label puts in question, so that they count as 1 (tasks): " + doubtful + ".");
    if (missing > 0)
        notes.push_back(counted(missing, "task of the suite is", "tasks of the suite are") +
                        " not in this project, and in no number here.");
    if (suite.files > 0)
        notes.push_back(counted(suite.files, "single file belongs", "single files belong") +
                        " to no level, and to no number here.");
    if (const std::string version = suite.version.sentence(); !version.empty())
        notes.push_back(version);
    std::string elsewhere;
    for (const store::MeasuredOn& one : suite.elsewhere)
        elsewhere += (elsewhere.empty() ? "" : "; ") + one.deviceModel + " at precision " +
                     std::string(protocol::toString(one.precision)) + ", " + counted(one.tasks, "task", "tasks");
    if (!elsewhere.empty())
        notes.push_back("The project also has " + elsewhere + ": --on and --precision choose.");
    return notes;
}

std::string levelName(const LevelLine& line)
{
    return (line.level == LevelLine::allLevels ? std::string("All levels") : "Level " + std::to_string(line.level)) +
           ", " + counted(line.tasks, "task", "tasks");
}

/// What ours is on a task where it loses: "1.20× #14", or why it is the reference.
std::string oursText(const report::Standing& ours)
{
    if (ours.measured)
        return ratioText(ours.counted.estimate) + " #" + std::to_string(ours.variant.value);
    return std::string("1.00× ") + (!ours.isMeasured() ? "none judged"
                                    : !ours.correct    ? "none correct"
                                    : ours.inQuestion  ? "in question"
                                                       : "reference");
}

} // namespace

std::string suiteText(const Terminal& terminal, const SuiteComparison& suite, int missing)
{
    std::string out;
    const bool others = suite.rows.size() > 1;
    for (std::size_t place = 0; place < suite.ours().lines.size(); ++place) {
        if (place == 1 && suite.ours().lines.size() == 2)
            break; // the only level is all of them
        out += (out.empty() ? "" : "\n\n") + terminal.toned(Tone::Strong, levelName(suite.ours().lines[place])) + "\n" +
               levelTable(suite, place, false) + (others ? "\n\n" + levelTable(suite, place, true) : std::string());
    }
    out += "\n";
    for (const std::string& note : notesOf(suite, missing))
        out += "\n" + wrapped(QString::fromStdString(note), outputWidth()).toStdString();
    return out;
}

std::string lossesText(const Terminal& terminal, const SuiteComparison& suite)
{
    TextTable table({{"task"}, {"ours"}, {"faster"}, {"theirs", Align::Right}, {"over ours"}, {"and"}});
    int tasks = 0;
    for (std::size_t at = 0; at < suite.losses.size();) {
        const report::SuiteLoss& loss = suite.losses[at];
        std::size_t end = at;
        while (end < suite.losses.size() && suite.losses[end].task == loss.task)
            ++end;
        const report::Standing& theirs = suite.rows[loss.row].standings[loss.task];
        table.add({suite.tasks[loss.task].id.value, oursText(suite.ours().standings[loss.task]),
                   elided(suite.rows[loss.row].name, nameColumns), ratioText(theirs.counted.estimate),
                   ratioText(loss.ratio), end - at > 1 ? std::to_string(end - at - 1) + " more" : std::string()});
        ++tasks;
        at = end;
    }
    const bool others = suite.rows.size() > 1;
    std::string out;
    if (tasks > 0)
        out = terminal.toned(Tone::Strong, counted(tasks, "task", "tasks") + " where another is faster") + "\n" +
              table.text();
    else if (others)
        out = "No baseline and no publication is faster than ours on any task.";
    if (suite.unclear > 0) {
        const std::string note = "On " + counted(suite.unclear, "task", "tasks") +
                                 " without such a loss another is ahead by less than can be told apart.";
        out += (tasks > 0 ? "\n\n" : "\n") + wrapped(QString::fromStdString(note), outputWidth()).toStdString();
    }
    return out;
}

std::string csvOf(const SuiteComparison& suite)
{
    using base::csvField;
    std::string out = "name,level,mean,geometric,median,q25,correct,faster,tasks\r\n";
    for (const SuiteRow& row : suite.rows)
        for (const LevelLine& line : row.lines) {
            out += csvField(row.name) + "," +
                   (line.level == LevelLine::allLevels ? std::string("all") : std::to_string(line.level));
            for (const double number : {line.mean, line.geometricMean, line.median, line.lower})
                out += "," + csvField(number);
            for (const int count : {line.successes, line.above, line.tasks})
                out += "," + std::to_string(count);
            out += "\r\n";
        }
    return out;
}

json toJson(const SuiteComparison& suite)
{
    json rows = json::array(), losses = json::array();
    for (const SuiteRow& row : suite.rows)
        for (const LevelLine& line : row.lines)
            rows.push_back({{"name", row.name},
                            {"level", line.level == LevelLine::allLevels ? json("all") : json(line.level)},
                            {"mean", line.mean},
                            {"geometric", line.geometricMean},
                            {"median", line.median},
                            {"q25", line.lower},
                            {"correct", line.successes},
                            {"faster", line.above},
                            {"tasks", line.tasks}});
    for (const report::SuiteLoss& loss : suite.losses) {
        const report::Standing &ours = suite.ours().standings[loss.task],
                               &theirs = suite.rows[loss.row].standings[loss.task];
        losses.push_back(
            {{"task", suite.tasks[loss.task].id.value},
             {"level", suite.tasks[loss.task].level},
             {"against", suite.rows[loss.row].name},
             {"ours", ours.counted.estimate},
             {"theirs", theirs.counted.estimate},
             {"variant", ours.measured ? json(ours.variant.value) : json(nullptr)},
             {"their_variant", theirs.variant.value},
             {"ratio", {{"estimate", loss.ratio.estimate}, {"low", loss.ratio.low}, {"high", loss.ratio.high}}}});
    }
    return {{"precision", protocol::toString(suite.precision)},
            {"device", suite.deviceModel},
            {"rows", std::move(rows)},
            {"losses", std::move(losses)}};
}

} // namespace cudal1::cli
