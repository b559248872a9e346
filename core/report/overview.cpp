// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a report that speak of all tasks: head, numbers, charts, table, method.
#include "core/report/histogram.h"
#include "core/report/sections.h"
#include "core/report/svg.h"
#include "core/report/text.h"

#include <array>
#include <string_view>

namespace cudal1::report {

namespace {

QString joined(const std::set<std::string>& texts)
{
    QStringList list;
    for (const std::string& text : texts)
        list << escaped(text);
    return list.join(QStringLiteral("<br />"));
}

QString fact(const char* name, const QString& html)
{
    return html.isEmpty() ? QString() : QStringLiteral("<dt>%1</dt><dd>%2</dd>").arg(QLatin1String(name), html);
}

QString levelText(int level) { return level > 0 ? QStringLiteral("level %1").arg(level) : QStringLiteral("files"); }

/// Levels beyond the palette share its last colour.
constexpr int groups = 6;
int groupOf(int level) { return std::clamp(level, 0, groups - 1); }

struct Counted {
    std::vector<Sample> samples;
    QStringList names;
    std::array<int, groups> sizes{};
    QString what;
};

/// What the histogram counts: tasks, or the variants of a single task.
Counted counted(const Facts& facts)
{
    Counted out;
    out.what = facts.single ? QStringLiteral("correct variants") : QStringLiteral("tasks");
    for (int group = 0; group < groups; ++group)
        out.names << levelText(group);
    for (const TaskFacts& task : facts.tasks) {
        const int group = groupOf(task.row.level);
        if (!facts.single) {
            if (isTried(task.row))
                out.samples.push_back({task.row.best.valid() ? task.row.best.estimate : 1.0, group});
        } else {
            for (const store::VariantRow& variant : task.variants)
                if (variant.evaluation && !variant.stale && variant.evaluation->verdict == protocol::Verdict::Correct
                    && variant.evaluation->wall.valid())
                    out.samples.push_back({variant.evaluation->wall.estimate, group});
        }
    }
    for (const Sample& sample : out.samples)
        ++out.sizes[static_cast<std::size_t>(sample.group)];
    return out;
}

QString legend(const Counted& counted)
{
    QString html;
    for (int group : {1, 2, 3, 4, 5, 0})
        if (const int size = counted.sizes[static_cast<std::size_t>(group)])
            html += QStringLiteral(R"(<span class="key g%1"></span>%2 (%3))").arg(group).arg(counted.names[group]).arg(size);
    return html;
}

QString percentileTable(const std::vector<double>& all, const std::vector<double>& correct, bool single)
{
    const auto cell = [](const std::vector<double>& values, double q) {
        return QStringLiteral(R"(<td class="num">%1</td>)").arg(values.empty() ? QStringLiteral("–") : speedupText(base::quantile(values, q)));
    };
    QString html = QStringLiteral(R"(<table class="percentiles"><thead><tr><th>Percentile</th>)");
    if (!single)
        html += QStringLiteral(R"(<th class="num">All tried</th>)");
    html += single ? QStringLiteral(R"(<th class="num">Correct variants</th>)") : QStringLiteral(R"(<th class="num">Correct only</th>)");
    html += QStringLiteral("</tr></thead><tbody>");
    const struct { const char* name; double q; } rows[]{{"least", 0}, {"10", .1}, {"25", .25}, {"50 (median)", .5}, {"75", .75}, {"90", .9}, {"95", .95}, {"most", 1}};
    for (const auto& row : rows)
        html += QStringLiteral("<tr><td>%1</td>").arg(QLatin1String(row.name)) + (single ? QString() : cell(all, row.q)) + cell(correct, row.q)
            + QStringLiteral("</tr>");
    return html + QStringLiteral("</tbody></table>");
}

QString share(int part, int whole)
{
    return whole ? QStringLiteral("%1 %").arg(QString::number(100.0 * part / whole, 'f', 0)) : QStringLiteral("–");
}

} // namespace

QString card(const QString& name, const QString& value, const QString& smaller, const QString& explanation)
{
    return QStringLiteral(R"(<div class="card"><span class="name">%1</span><b>%2 <small>%3</small></b><span>%4</span></div>)")
        .arg(name, value, smaller, explanation);
}

QString headSection(const Facts& facts, std::int64_t created_ms)
{
    QString title = QStringLiteral("Speed-ups of ") + escaped(facts.project);
    if (facts.single && !facts.tasks.empty())
        title = QStringLiteral("Speed-up of ") + escaped(facts.tasks.front().row.id.value + " " + facts.tasks.front().row.name);
    QString html = QStringLiteral("<header><h1>%1</h1><dl class=\"facts\">").arg(title);
    html += fact("Project", escaped(facts.project));
    html += fact("Device", joined(facts.devices));
    html += fact("Environment", joined(facts.environments));
    html += fact("Precision", joined(facts.precisions));
    html += fact("Preset", joined(facts.presets));
    html += fact("Tasks", escaped(facts.version.suite));
    if (facts.lastMeasured_ms)
        html += fact("Measured", QStringLiteral("%1 to %2 UTC").arg(dateText(facts.firstMeasured_ms), dateText(facts.lastMeasured_ms)));
    html += fact("Report made", dateText(created_ms) + QStringLiteral(" UTC"));
    return html + QStringLiteral("</dl></header>\n");
}

/// The numbers of a single task: its best variant by both clocks, the times behind them, the share that was correct.
static QString singleCards(const TaskFacts& task)
{
    int judged = 0, correct = 0;
    for (const store::VariantRow& variant : task.variants)
        if (variant.evaluation && !variant.stale) {
            ++judged;
            correct += variant.evaluation->verdict == protocol::Verdict::Correct;
        }
    const bool timed = task.row.best.valid() && task.shownEvaluation;
    const protocol::Speedup speedup = timed ? task.shownEvaluation->speedup : protocol::Speedup();
    const std::string_view comparison = timed ? protocol::toString(base::compare(task.row.best)) : "no correct variant was timed";
    QString html = QStringLiteral(R"(<section class="cards" id="task-numbers">)");
    html += card(QStringLiteral("Speed-up (wall)"), speedupText(task.row.best.estimate), intervalText(task.row.best), escaped(comparison));
    html += card(QStringLiteral("By events"), speedupText(speedup.event.speedup.estimate), intervalText(speedup.event.speedup),
                 disagree(speedup.event.speedup, task.row.best) ? QStringLiteral("disagrees with the wall clock, which counts")
                                                                : QStringLiteral("on the caller's stream"));
    html += card(QStringLiteral("One call"), timed ? timeText(speedup.wall.candidate_ns) : QStringLiteral("–"),
                 timed ? QStringLiteral("from ") + timeText(speedup.wall.reference_ns) : QString(), QStringLiteral("median by the wall clock"));
    html += card(QStringLiteral("Correct"), share(correct, judged), QStringLiteral("%1 of %2").arg(correct).arg(judged),
                 QStringLiteral("variants judged"));
    html += QStringLiteral("</section>\n");
    if (task.row.otherTexts > 0)
        html += QStringLiteral("<p class=\"rule\" id=\"left-out\">%1 made for another text of the task %2 in no number here.</p>\n")
                    .arg(task.row.otherTexts == 1 ? QStringLiteral("One result") : QStringLiteral("%1 results").arg(task.row.otherTexts),
                         task.row.otherTexts == 1 ? QStringLiteral("is") : QStringLiteral("are"));
    return html;
}

QString cardsSection(const Facts& facts)
{
    if (facts.single)
        return facts.tasks.empty() ? QString() : singleCards(facts.tasks.front());
    const Summary& s = facts.summary;
    QString html = QStringLiteral(R"(<section class="cards" id="numbers">)");
    html += card(QStringLiteral("True gain"), QString::number(s.improved), QStringLiteral("of %1 tasks").arg(s.tried),
                 QStringLiteral("the whole 95 % interval lies above %1×").arg(store::TaskRow::leastGain));
    html += card(QStringLiteral("Geometric mean"), speedupText(s.geometricMean), {}, QStringLiteral("of all tried tasks; failures count as 1×"));
    html += card(QStringLiteral("Median"), speedupText(s.median), {}, QStringLiteral("of all tried tasks; failures count as 1×"));
    html += card(QStringLiteral("Correct"), share(s.correct, s.tried), QStringLiteral("%1 of %2").arg(s.correct).arg(s.tried),
                 QStringLiteral("tasks with at least one correct variant"));
    html += QStringLiteral("</section>\n");
    html += QStringLiteral(
        "<p class=\"rule\">A task counts with its best correct variant by the wall clock, also when that is slower than the reference; "
        "a task without a correct variant counts as 1×, since one would keep the reference. Best means the highest lower bound of the "
        "interval, so that luck in one measurement does not win.");
    if (facts.untried > 0)
        html += QStringLiteral(" %1 not tried yet and counted nowhere.")
                    .arg(facts.untried == 1 ? QStringLiteral("One task was") : QStringLiteral("%1 tasks were").arg(facts.untried));
    html += QStringLiteral("</p>\n");
    if (const std::string leftOut = facts.version.sentence(); !leftOut.empty())
        html += QStringLiteral("<p class=\"rule\" id=\"left-out\">%1</p>\n").arg(escaped(leftOut));
    return html;
}

QString chartsSection(const Facts& facts)
{
    const Counted all = counted(facts);
    if (all.samples.empty())
        return QStringLiteral("<p class=\"soft\">No speed-up has been measured yet: nothing to draw.</p>\n");
    std::vector<double> variants;
    for (const Sample& sample : all.samples)
        variants.push_back(sample.speedup);
    QString html = QStringLiteral("<h2>Distribution</h2><section class=\"charts\"><figure>");
    html += histogramSvg(histogram(all.samples, groups), all.names, all.what);
    html += QStringLiteral("<figcaption>Number of %1 by speed-up.%2</figcaption></figure><div>").arg(all.what, legend(all));
    html += percentileTable(facts.summary.all, facts.single ? variants : facts.summary.correctOnly, facts.single);
    return html + QStringLiteral("</div></section>\n");
}

QString taskTable(const Facts& facts)
{
    // The bar spans from 1x to the best of the table on a ln axis; losses are drawn from 1x downward on the same scale.
    double widest = std::log(2.0);
    for (const TaskFacts& task : facts.tasks)
        if (task.row.best.valid())
            widest = std::max(widest, std::abs(std::log(task.row.best.estimate)));
    QString html = QStringLiteral(
        R"(<h2>Tasks</h2><div class="scroll"><table class="sortable" id="tasks"><thead><tr><th><button>Task</button></th><th><button>Name</button></th>)"
        R"(<th><button>State</button></th><th class="num"><button>Speed-up (wall)</button></th><th class="bar"></th>)"
        R"(<th class="num"><button>By events</button></th><th class="num"><button>Variants</button></th><th><button>Techniques of the best</button></th></tr></thead><tbody>)");
    int place = 0;
    for (const TaskFacts& task : facts.tasks) {
        const store::VariantRow* best = !task.variants.empty() && task.row.bestVariant ? &task.variants.front() : nullptr;
        QString techniques;
        if (best)
            for (const std::string& technique : best->techniques)
                techniques += QStringLiteral("<span class=\"tag\">%1</span>").arg(escaped(technique));
        const double log = task.row.best.valid() ? std::log(task.row.best.estimate) : 0;
        html += QStringLiteral(R"(<tr><td data-v="%1"><a href="#%2">%3</a></td><td>%4</td><td>%5</td>)")
                    .arg(QString::number(place++), anchorOf(task.row.id), escaped(task.row.id.value), escaped(task.row.name), stateText(task.row.state));
        html += speedupCell(task.row.best);
        html += QStringLiteral(R"(<td class="bar"><span class="track"><i%1 style="width:%2%"></i></span></td>)")
                    .arg(log < 0 ? QStringLiteral(" class=\"loss\"") : QString(), QString::number(100 * std::abs(log) / widest, 'f', 1));
        html += eventCell(best && best->evaluation ? best->evaluation->event : base::Interval(), task.row.best);
        html += QStringLiteral(R"(<td class="num" data-v="%1">%1</td><td>%2</td></tr>)").arg(QString::number(task.row.variants), techniques);
    }
    return html + QStringLiteral("</tbody></table></div>\n");
}

QString methodSection(const Facts& facts)
{
    QString html = QStringLiteral("<h2 id=\"method\">How this was measured</h2>\n");
    html += QStringLiteral(
        "<p><b>Correct</b> means that the variant gave the reference's results on every trial. Reference and variant run in processes of "
        "their own, build their modules under the same seed and get the same inputs, drawn afresh for each trial from several "
        "distributions under a seed that the variant cannot know. Shape, data type, not-a-number and infinity patterns and values within "
        "a tolerance per data type are compared outside of the variant's process; the inputs must be left untouched.</p>\n"
        "<p><b>Speed-up</b> is the reference's time divided by the variant's, so above 1× is faster. The headline is wall time of one call, "
        "from an idle device to an idle device. Rounds of both sides are paired, in random order, on the same processor core. The "
        "estimate is the median of the logarithms of the pairs' ratios; the interval beside it holds 95 % of a bootstrap over processes "
        "and pairs. Where an interval holds 1× the report says same or unclear, never faster.</p>\n"
        "<p><b>By events</b> is the ratio of the times between two events on the caller's stream, on devices that have them. Events do "
        "not see work on other streams or on the host. Where the two clocks cannot both be right the events' number is struck "
        "through: the wall clock is what a user waits for.</p>\n");
    if (facts.devices.size() > 1)
        html += QStringLiteral("<p><b>More than one device</b> was used for what is shown here. Ratios of different devices stand side by "
                               "side; they are not the same experiment.</p>\n");
    return html;
}

} // namespace cudal1::report
