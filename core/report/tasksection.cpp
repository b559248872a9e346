// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a report that speaks of one task: verdict, times, analysis, code, variants.
#include "core/report/sections.h"
#include "core/report/text.h"

#include <array>

namespace cudal1::report {

namespace {

const char* colourOf(base::Comparison comparison)
{
    switch (comparison) {
    case base::Comparison::Faster: return "gain";
    case base::Comparison::Slower: return "loss";
    default: return "soft";
    }
}

QString word(base::Comparison comparison)
{
    const std::string_view text = protocol::toString(comparison);
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString row(const QString& name, const QString& html)
{
    return html.isEmpty() ? QString() : QStringLiteral("<dt>%1</dt><dd>%2</dd>").arg(name, html);
}

QString clockText(const protocol::ClockSpeedup& clock)
{
    if (!clock.valid())
        return {};
    return QStringLiteral("%1 → %2, <b>%3</b> <span class=\"interval\">%4</span>")
        .arg(timeText(clock.reference_ns), timeText(clock.candidate_ns), speedupText(clock.speedup.estimate), intervalText(clock.speedup));
}

QString reasonList(const std::vector<protocol::Reason>& reasons)
{
    QString html;
    for (const protocol::Reason& reason : reasons) {
        html += QStringLiteral(R"(<div class="reason">%1 <code>%2</code>)").arg(escaped(reason.text), escaped(reason.code));
        if (!reason.evidence.empty())
            html += QStringLiteral("<details%1><summary>evidence</summary><pre>%2</pre></details>")
                        .arg(reason.evidence.size() < 600 ? QStringLiteral(" open=\"open\"") : QString(), escaped(reason.evidence));
        html += QStringLiteral("</div>\n");
    }
    return html;
}

QString stopText(const std::string& reason)
{
    if (reason == "interval")
        return QStringLiteral("the interval was narrow enough");
    if (reason == "budget")
        return QStringLiteral("the time allowed was used up");
    return reason == "not_timed" ? QStringLiteral("not timed") : escaped(reason);
}

QString evaluationFacts(const protocol::Evaluation& e)
{
    QString html = QStringLiteral("<dl class=\"facts\">");
    html += row(QStringLiteral("Verdict"), verdictText(e.verdict));
    html += row(QStringLiteral("Wall clock"), clockText(e.speedup.wall));
    html += row(QStringLiteral("Events"), clockText(e.speedup.event));
    html += row(QStringLiteral("GPU busy"), clockText(e.speedup.gpuBusy));
    if (e.trials.run > 0)
        html += row(QStringLiteral("Trials"), QStringLiteral("%1 of %2 passed, worst relative error %3")
                                                  .arg(e.trials.passed).arg(e.trials.run).arg(e.trials.worstRelativeError, 0, 'g', 2));
    const QString mode = escaped(protocol::toString(e.precision.mode));
    html += row(QStringLiteral("Precision"),
                e.precision.matched ? mode + QStringLiteral(", the same on both sides")
                                    : mode + QStringLiteral(", <span class=\"warn\">differs</span>: variant %1, reference %2")
                                                 .arg(escaped(e.precision.candidate), escaped(e.precision.reference)));
    html += row(QStringLiteral("Same precision"), clockText(e.precision.atCandidateSettings));
    html += row(QStringLiteral("Measuring stopped"), stopText(e.stopReason));
    html += row(QStringLiteral("Device"), escaped(e.device.model.empty() ? e.device.name : e.device.model));
    html += row(QStringLiteral("Seed"), QString::number(e.seed));
    return html + QStringLiteral("</dl>\n");
}

QString verdictCell(const store::VariantRow& variant)
{
    if (!variant.evaluation)
        return QStringLiteral("<td class=\"soft\">waiting</td>");
    const bool correct = variant.evaluation->verdict == protocol::Verdict::Correct;
    QString html = QStringLiteral("<td class=\"%1\"><span class=\"sign\">%2</span>%3")
                       .arg(correct ? QStringLiteral("gain") : QStringLiteral("loss"), correct ? QStringLiteral("✓") : QStringLiteral("✗"),
                            verdictText(variant.evaluation->verdict));
    if (variant.stale)
        html += QStringLiteral(" <span class=\"warn\">(for an older source of the task)</span>");
    if (!variant.evaluation->firstReason.empty())
        html += QStringLiteral("<br /><span class=\"soft small\">%1</span>").arg(escaped(variant.evaluation->firstReason));
    return html + QStringLiteral("</td>");
}

QString variantTable(const TaskFacts& task)
{
    QString html = QStringLiteral(
        R"(<h3>Variants</h3><div class="scroll"><table class="sortable variants"><thead><tr><th class="num"><button>Variant</button></th><th><button>Verdict</button></th>)"
        R"(<th class="num"><button>Speed-up (wall)</button></th><th class="num"><button>By events</button></th><th><button>Techniques</button></th>)"
        R"(<th><button>Origin</button></th><th><button>Device</button></th><th class="num"><button>Made</button></th></tr></thead><tbody>)");
    for (const store::VariantRow& variant : task.variants) {
        QString techniques;
        for (const std::string& technique : variant.techniques)
            techniques += QStringLiteral("<span class=\"tag\">%1</span>").arg(escaped(technique));
        const base::Interval wall = variant.evaluation ? variant.evaluation->wall : base::Interval();
        const base::Interval event = variant.evaluation ? variant.evaluation->event : base::Interval();
        html += QStringLiteral(R"(<tr><td class="num" data-v="%1">%1</td>)").arg(QString::number(variant.id.value)) + verdictCell(variant)
            + speedupCell(wall) + eventCell(event, wall)
            + QStringLiteral("<td>%1</td><td>%2</td><td>%3</td><td class=\"num\" data-v=\"%4\">%5</td></tr>\n")
                  .arg(techniques, escaped(variant.origin), variant.evaluation ? escaped(variant.evaluation->deviceModel) : QString(),
                       QString::number(variant.created_ms), dateText(variant.created_ms));
    }
    return html + QStringLiteral("</tbody></table></div>\n");
}

QString code(const QString& summary, const std::string& source, bool open)
{
    return QStringLiteral("<details%1><summary>%2</summary><pre><code>%3</code></pre></details>\n")
        .arg(open ? QStringLiteral(" open=\"open\"") : QString(), summary, escaped(source));
}

QString analysis(const store::VariantRecord& variant)
{
    QString html;
    const std::array<std::pair<const char*, const std::string*>, 3> sections{{{"Performance analysis", &variant.performanceAnalysis},
                                                                              {"Algorithm design", &variant.algorithmDesign},
                                                                              {"Code implementation", &variant.codeImplementation}}};
    for (const auto& [name, words] : sections)
        if (!words->empty())
            html += QStringLiteral("<h3>%1</h3><div class=\"words\">%2</div>\n").arg(QLatin1String(name), escaped(*words));
    return html;
}

} // namespace

QString anchorOf(const base::TaskId& task)
{
    // Any text may be a task's name; hexadecimal digits are safe in an id and in a link, and never collide.
    return QStringLiteral("task-") + QString::fromLatin1(QByteArray::fromStdString(task.value).toHex());
}

QString speedupCell(const base::Interval& speedup)
{
    if (!speedup.valid())
        return QStringLiteral("<td class=\"num soft\" data-v=\"0\">–</td>");
    const base::Comparison comparison = base::compare(speedup);
    return QStringLiteral(R"(<td class="num" data-v="%1"><span class="%2"><span class="sign" title="%3">%4</span><b>%5</b></span> <span class="interval">%6%7</span></td>)")
        .arg(QString::number(speedup.estimate, 'g', 17), QLatin1String(colourOf(comparison)), word(comparison), comparisonSign(comparison),
             speedupText(speedup.estimate), intervalText(speedup),
             comparison == base::Comparison::Faster || comparison == base::Comparison::Slower ? QString() : QStringLiteral(" ") + word(comparison));
}

QString eventCell(const base::Interval& event, const base::Interval& wall)
{
    if (!event.valid())
        return QStringLiteral("<td class=\"num soft\" data-v=\"0\">–</td>");
    const QString number = speedupText(event.estimate);
    return QStringLiteral("<td class=\"num\" data-v=\"%1\">%2 <span class=\"interval\">%3</span></td>")
        .arg(QString::number(event.estimate, 'g', 17),
             disagree(event, wall) ? QStringLiteral("<s title=\"The two clocks disagree beyond their intervals; the wall clock counts.\">%1</s>").arg(number)
                                   : number,
             intervalText(event));
}

QString taskSection(const TaskFacts& task)
{
    QString html = QStringLiteral("<section class=\"task\" id=\"%1\"><h2>%2 %3</h2>\n")
                       .arg(anchorOf(task.row.id), escaped(task.row.id.value), escaped(task.row.name));
    const bool correct = bool(task.row.bestVariant);
    if (!task.shown) {
        html += QStringLiteral("<p class=\"soft\">No variant has been judged yet.</p>\n");
    } else {
        html += QStringLiteral("<h3>%1 %2 <span class=\"soft\">by %3</span></h3>\n")
                    .arg(correct ? QStringLiteral("Best variant:") : QStringLiteral("No variant is correct; the latest:"),
                         QString::number(task.shown->id.value), escaped(task.shown->origin));
        if (task.shownEvaluation) {
            html += evaluationFacts(*task.shownEvaluation);
            html += reasonList(task.shownEvaluation->reasons);
            html += reasonList(task.shownEvaluation->labels);
        }
        html += analysis(*task.shown);
        html += QStringLiteral("<h3>Code</h3>\n") + code(QStringLiteral("variant %1").arg(task.shown->id.value), task.shown->source, true);
    }
    html += code(QStringLiteral("reference"), task.source, false);
    if (!task.variants.empty())
        html += variantTable(task);
    return html + QStringLiteral("</section>\n");
}

} // namespace cudal1::report
