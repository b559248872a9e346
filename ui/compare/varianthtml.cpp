// SPDX-License-Identifier: GPL-3.0-or-later
// The evidence of an evaluation in the order in which a person asks for it: verdict, number, why, how sure, where.
#include "ui/compare/varianthtml.h"

#include "core/optimize/outcometext.h"
#include "core/policy/prompttext.h"
#include "core/protocol/codes.h"
#include "core/protocol/marks.h"
#include "core/protocol/outcome.h"
#include "ui/kit/tr.h"
#include "ui/variants/infoview.h"
#include "ui/variants/judgedhtml.h"
#include "ui/variants/texts.h"
#include "ui/work/jobsmodel.h"

#include <QDateTime>
#include <QRegularExpression>

#include <algorithm>

namespace cudal1::ui {

namespace {

QString clocksHtml(const protocol::Evaluation& evaluation)
{
    const protocol::Speedup& speedup = evaluation.speedup;
    if (!speedup.wall.valid())
        return {};
    const bool disagree = protocol::clocksDisagree(speedup.wall.speedup, speedup.event.speedup);
    QString out = InfoView::heading(tr("Clocks")) + QStringLiteral("<table>");
    const std::string marks = protocol::marksOf(evaluation);
    out += clockRow(tr("Wall"), speedup.wall, marks, false);
    out += clockRow(tr("Events"), speedup.event, marks, disagree);
    out += clockRow(tr("GPU busy"), speedup.gpuBusy, marks, false);
    out += QStringLiteral("</table>");
    if (disagree)
        out += QStringLiteral("<p class=warn>%1</p>").arg(QString::fromStdString(protocol::clocksDisagreeText()));
    if (const std::string why = protocol::recordedBusyText(speedup); !why.empty())
        out += QStringLiteral("<p class=muted>%1</p>").arg(QString::fromStdString(why));
    int dropped = 0;
    for (const protocol::PairSamples& pair : evaluation.pairs)
        dropped += pair.dropped;
    if (!evaluation.pairs.empty())
        out += htmlSpan(QStringLiteral("muted"),
                        tr("%1 pairs of rounds, %2 thrown away; stopped: %3")
                            .arg(evaluation.pairs.size())
                            .arg(dropped)
                            .arg(QString::fromStdString(protocol::stopText(evaluation.stopReason))));
    return out;
}

QString trialsHtml(const protocol::Trials& trials)
{
    if (trials.run == 0)
        return {};
    QStringList families, skipped;
    for (const std::string& family : trials.families)
        families << QString::fromStdString(family).replace(u'_', u' ');
    for (const std::string& family : trials.skipped)
        skipped << InfoView::escaped(family);
    QString out = InfoView::heading(tr("Trials")) + QStringLiteral("<table>");
    out += InfoView::row(tr("Passed"),
                         htmlSpan(trials.passed == trials.run ? QStringLiteral("gain") : QStringLiteral("loss"),
                                  tr("%1 of %2").arg(trials.passed).arg(trials.run)));
    if (!families.isEmpty())
        out += InfoView::row(tr("Inputs"), families.join(QStringLiteral(", ")).toHtmlEscaped());
    if (!skipped.isEmpty())
        out += InfoView::row(tr("Left out"), skipped.join(QStringLiteral("<br>")));
    out += InfoView::row(tr("Worst error"), QString::number(trials.worstRelativeError, 'g', 2));
    return out + QStringLiteral("</table>");
}

/// How the numbers were made sure of.
QString checksHtml(const protocol::Evaluation& evaluation)
{
    QString rows;
    if (evaluation.control.wall.valid())
        rows += InfoView::row(tr("Control"), tr("reference against itself %1, %2")
                                                 .arg(speedupSentence(evaluation.control.wall),
                                                      counted(evaluation.control.pairs, tr("pair"), tr("pairs"))));
    if (evaluation.confirmation.run) {
        const VerdictStyle style = verdictStyle(evaluation.confirmation.verdict);
        const base::Interval& wall = evaluation.confirmation.wall.speedup;
        rows += InfoView::row(tr("Second look"),
                              htmlSpan(InfoView::styleClass(style.role), style.word) +
                                  (wall.valid() ? QStringLiteral(", ") + speedupSentence(wall) : QString()));
    }
    if (evaluation.floor.time_ns > 0)
        rows += InfoView::row(tr("Judge's limit"),
                              tr("%1: a call that is faster is questioned, since the part of %2 that no cache holds "
                                 "must move, as calls of the reference have shown")
                                  .arg(timeText(evaluation.floor.time_ns),
                                       bytesText(evaluation.floor.read_bytes + evaluation.floor.written_bytes)));
    if (const protocol::TimedChecks& checks = evaluation.timedChecks; checks.compared > 0 || checks.timed > 0)
        rows += InfoView::row(tr("Timed calls"),
                              tr("%1 compared with the reference, of %2").arg(checks.compared).arg(checks.timed) +
                                  (checks.flushedOutside > 0 && checks.flushedOutside < checks.timed
                                       ? tr("; caches emptied from outside before %1").arg(checks.flushedOutside)
                                       : QString()));
    return rows.isEmpty()
             ? QString()
             : InfoView::heading(tr("Checks")) + QStringLiteral("<table>") + rows + QStringLiteral("</table>");
}

QString rangesText(const std::vector<policy::SourceLines>& lines)
{
    QStringList out;
    for (const policy::SourceLines& range : lines)
        out << QStringLiteral("%1-%2").arg(range.first).arg(range.last);
    return out.join(u',');
}

QString linesLink(const std::vector<policy::SourceLines>& lines, const QString& text)
{
    return QStringLiteral("<a href='lines:%1'>%2</a>").arg(rangesText(lines), text.toHtmlEscaped());
}

/// The techniques that a text names, as links to their lines; `html` is InfoView's.
QString withLinks(const QString& html, const std::vector<policy::NamedTechnique>& techniques)
{
    QStringList names;
    // "CUDA graphs", "cuda-graph" and "cuda_graph" are one name, in the middle of a line or at its end.
    static const QRegularExpression gap(QStringLiteral("[\\s_-]+")), plural(QStringLiteral("s$"));
    const auto keyOf = [](const QString& text) {
        return text.toLower().replace(gap, QStringLiteral(" ")).remove(plural);
    };
    QHash<QString, QString> links;
    for (const policy::NamedTechnique& technique : techniques) {
        if (technique.lines.empty())
            continue;
        for (const std::string& name : {technique.toggle, technique.title, technique.id}) {
            const QString text = QString::fromStdString(name).toHtmlEscaped();
            if (text.size() < 4 || links.contains(keyOf(text)))
                continue;
            links.insert(keyOf(text), rangesText(technique.lines));
            QStringList words = keyOf(text).split(u' ');
            for (QString& word : words)
                word = QRegularExpression::escape(word);
            names << words.join(QLatin1String("[\\s_-]+")) + QLatin1String("s?");
        }
    }
    if (names.isEmpty())
        return html;
    std::sort(names.begin(), names.end(), [](const QString& a, const QString& b) { return a.size() > b.size(); });
    // A tag is matched too, so that nothing inside of one is taken for a name.
    const QRegularExpression wanted(QStringLiteral("<[^>]*>|(?<!\\w)(%1)(?!\\w)").arg(names.join(u'|')),
                                    QRegularExpression::CaseInsensitiveOption);
    QString out;
    qsizetype done = 0;
    for (auto it = wanted.globalMatch(html); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        if (match.captured(1).isEmpty())
            continue;
        out +=
            html.mid(done, match.capturedStart() - done) +
            QStringLiteral("<a href='lines:%1'>%2</a>").arg(links.value(keyOf(match.captured(1))), match.captured(1));
        done = match.capturedEnd();
    }
    return out + html.mid(done);
}

QString sectionsHtml(const store::VariantRecord& variant, const std::vector<policy::NamedTechnique>& techniques)
{
    const std::pair<QString, const std::string&> sections[] = {
        {tr("Performance analysis"), variant.performanceAnalysis},
        {tr("Algorithm design"), variant.algorithmDesign},
        {tr("Code implementation"), variant.codeImplementation}};
    QString out;
    for (const auto& [title, text] : sections)
        if (!text.empty())
            out += InfoView::heading(title) + withLinks(InfoView::prose(text), techniques);
    if (out.isEmpty())
        out = InfoView::heading(tr("Analysis")) +
              QStringLiteral("<p class=muted>%1</p>").arg(tr("Its author gave none."));
    return out;
}

QString techniqueHtml(const policy::NamedTechnique& technique, const ToggleEffects& effects)
{
    QString out = QStringLiteral("<p><b>%1</b>")
                      .arg(technique.lines.empty()
                               ? InfoView::escaped(technique.title)
                               : linesLink(technique.lines, QString::fromStdString(technique.title)));
    if (!technique.toggle.empty())
        out += QStringLiteral("&nbsp;&nbsp;<span class=mono>%1 = %2</span>")
                   .arg(InfoView::escaped(technique.toggle),
                        technique.on ? QStringLiteral("True") : QStringLiteral("False"));
    out += QStringLiteral("<br><span class=muted>");
    if (technique.lines.empty())
        out += tr("not found in the source");
    QStringList lines;
    for (const policy::SourceLines& range : technique.lines)
        lines << linesLink({range}, range.first == range.last
                                        ? QString::number(range.first)
                                        : QStringLiteral("%1–%2").arg(range.first).arg(range.last));
    // A long list says no more than that it is everywhere.
    if (lines.size() > 8)
        lines = lines.mid(0, 8) << tr("and %1 more").arg(technique.lines.size() - 8);
    if (!lines.isEmpty())
        out += (technique.lines.size() == 1 && technique.lines[0].first == technique.lines[0].last ? tr("line %1")
                                                                                                   : tr("lines %1"))
                   .arg(lines.join(QStringLiteral(", ")));
    out += QStringLiteral("</span>");
    if (!technique.toggle.empty()) {
        const auto measured = effects.find(technique.toggle);
        out += QStringLiteral("<br>");
        if (measured != effects.end())
            out += tr("effect %1")
                       .arg(htmlSpan(InfoView::styleClass(speedupRole(measured->second)),
                                     speedupSentence(measured->second)));
        else
            out += htmlSpan(QStringLiteral("muted"), tr("effect not measured: an ablation would tell"));
    }
    return out + QStringLiteral("</p>");
}

QString whereHtml(const protocol::Evaluation& evaluation)
{
    const protocol::DeviceInfo& device = evaluation.device;
    QString out = InfoView::heading(tr("Measured")) + QStringLiteral("<table>");
    out += InfoView::row(tr("Device"), InfoView::escaped(device.model.empty() ? device.name : device.model));
    if (!device.driver.empty())
        out += InfoView::row(tr("Driver"), InfoView::escaped(device.driver));
    out += InfoView::row(tr("Framework"), tr("torch %1, Python %2")
                                              .arg(InfoView::escaped(evaluation.environment.torch),
                                                   InfoView::escaped(evaluation.environment.python)));
    out += InfoView::row(
        tr("Preset"),
        tr("%1, seed %2").arg(QString::fromUtf8(protocol::toString(evaluation.preset))).arg(evaluation.seed));
    if (!evaluation.environment.clock.empty())
        out += InfoView::row(tr("Clocks"), InfoView::escaped(evaluation.environment.clock));
    out += InfoView::row(tr("Took"),
                         tr("%1: reference %2, build %3, check %4, time %5")
                             .arg(durationText(evaluation.seconds.total), durationText(evaluation.seconds.reference),
                                  durationText(evaluation.seconds.build), durationText(evaluation.seconds.check),
                                  durationText(evaluation.seconds.time)));
    return out + QStringLiteral("</table>");
}

} // namespace

QString evidenceHtml(const std::optional<protocol::Evaluation>& evaluation)
{
    if (!evaluation)
        return QStringLiteral("<p><span class='big muted'>%1</span></p><p class=muted>%2</p>")
            .arg(tr("not judged"), tr("Its run has not come to it yet, or was stopped before."));
    QString out;
    const VerdictStyle style = verdictStyle(evaluation->verdict);
    const base::Interval& wall = evaluation->speedup.wall.speedup;
    const std::string marks = protocol::marksOf(*evaluation);
    const QString css = InfoView::styleClass(speedupRole(wall, marks));
    const std::string sides = optimize::sidesText(evaluation->precision.mode);
    if (evaluation->verdict == protocol::Verdict::Correct && wall.valid())
        out += QStringLiteral("<p><span class='big %1'>%2</span>&nbsp;&nbsp;<span class=mono><span "
                              "class=muted>%3</span></span><br>%4</p>")
                   .arg(css, speedupPhrase(wall), intervalText(wall),
                        htmlSpan(InfoView::styleClass(style.role), style.word) +
                            (sides.empty() ? QString() : QStringLiteral(", ") + InfoView::escaped(sides)) +
                            (marks.empty() ? QString() : QStringLiteral(" · ") + htmlSpan(css, marksBadge(marks))));
    else
        out +=
            QStringLiteral("<p><span class='big %1'>%2</span></p>").arg(InfoView::styleClass(style.role), style.word);
    out += reasonsHtml(evaluation->reasons, InfoView::styleClass(style.role));
    out += labelsHtml(evaluation->labels);
    out += clocksHtml(*evaluation) + precisionHtml(*evaluation) + trialsHtml(evaluation->trials) +
           checksHtml(*evaluation) + labelEvidenceHtml(evaluation->labels) + whereHtml(*evaluation);
    if (!evaluation->output.empty())
        out += InfoView::heading(tr("It printed")) + htmlBox(evaluation->output);
    return out;
}

QString designHtml(const store::VariantRecord& variant, const std::vector<policy::NamedTechnique>& techniques,
                   const ToggleEffects& effects)
{
    QString out = QStringLiteral("<p class=h2>%1</p>").arg(tr("Techniques"));
    for (const policy::NamedTechnique& technique : techniques)
        out += techniqueHtml(technique, effects);
    if (techniques.empty())
        out += QStringLiteral("<p class=muted>%1</p>").arg(tr("None is named, and none was recognised in the source."));
    return out + sectionsHtml(variant, techniques);
}

QString originHtml(const store::VariantRecord& variant, const std::vector<store::VariantRow>& rows,
                   const std::optional<store::Sample>& madeBy)
{
    QString out = QStringLiteral("<p class=h2>%1</p><table>").arg(tr("Origin"));
    out += InfoView::row(tr("Made by"), InfoView::escaped(variant.origin.empty() ? std::string("—") : variant.origin));
    if (variant.run)
        out += InfoView::row(tr("Run"), QString::number(variant.run.value));
    if (variant.created_ms > 0)
        out += InfoView::row(
            tr("When"),
            QDateTime::fromMSecsSinceEpoch(variant.created_ms).toString(QStringLiteral("yyyy-MM-dd hh:mm")));
    out += QStringLiteral("</table>") + InfoView::heading(tr("Lineage"));
    const std::vector<store::LineageNode> nodes = store::lineage(rows, variant.id);
    for (const store::LineageNode& node : nodes) {
        const auto row = std::find_if(rows.begin(), rows.end(),
                                      [&](const store::VariantRow& one) { return one.id == node.id; });
        QString text = node.id == variant.id
                         ? QStringLiteral("<b>%1</b>").arg(variantName(node.id))
                         : QStringLiteral("<a href='variant:%1'>%2</a>").arg(node.id.value).arg(variantName(node.id));
        if (row != rows.end()) {
            const VerdictStyle style = verdictStyle(*row);
            text += QStringLiteral("&nbsp;&nbsp;") + htmlSpan(InfoView::styleClass(style.role), style.word);
            if (row->evaluation && row->evaluation->wall.valid())
                text += QStringLiteral(", ") + speedupSentence(row->evaluation->wall, row->evaluation->marks);
            text += QStringLiteral("<br>") + htmlSpan(QStringLiteral("muted"), row->techniques.empty()
                                                                                   ? QString::fromStdString(row->origin)
                                                                                   : techniquesText(row->techniques));
        }
        out += QStringLiteral("<p style='margin-left:%1px'>%2%3</p>")
                   .arg(node.depth * Theme::instance().unit(4))
                   .arg(node.depth > 0 ? QStringLiteral("↳ ") : QString(), text);
    }
    if (nodes.size() == 1)
        out += QStringLiteral("<p class=muted>%1</p>").arg(tr("It was made from no other variant, and none from it."));
    out += InfoView::heading(tr("Prompt"));
    if (!madeBy)
        return out + QStringLiteral("<p class=muted>%1</p>")
                         .arg(tr("There is none: this program asked no language model for this variant."));
    out += htmlBox(madeBy->prompt) + InfoView::heading(tr("Reply"));
    return out + htmlBox(madeBy->reply.empty() ? policy::replyText(variant.performanceAnalysis, variant.algorithmDesign,
                                                                   variant.codeImplementation, variant.source)
                                               : madeBy->reply);
}

QString versusHtml(const QString& left, const QString& right, const base::Result<protocol::Versus>& versus)
{
    const QString next = InfoView::heading(tr("%1 against the reference").arg(right));
    QString out = QStringLiteral("<p class=h2>%1</p>").arg(tr("%1 against %2").arg(right, left));
    if (!versus)
        return out + QStringLiteral("<p class=muted>%1</p>").arg(InfoView::escaped(versus.error().text())) + next;
    const auto word = [](const base::Interval& interval) {
        switch (base::compare(interval)) {
        case base::Comparison::Faster: return tr("faster");
        case base::Comparison::Slower: return tr("slower");
        case base::Comparison::Same: return tr("same");
        case base::Comparison::Unclear: break;
        }
        return tr("unclear");
    };
    const auto row = [&](const QString& clock, const base::Interval& interval) {
        return InfoView::row(clock, htmlSpan(InfoView::styleClass(speedupRole(interval)), word(interval)) +
                                        QStringLiteral("&nbsp; ") +
                                        QStringLiteral("<span class=mono>%1&nbsp; %2</span>")
                                            .arg(speedupText(interval), intervalText(interval)));
    };
    out += QStringLiteral("<table>") + row(tr("Wall"), versus->wall);
    if (versus->event.valid())
        out += row(tr("Events"), versus->event);
    out += QStringLiteral("</table>");
    if (versus->hostChanged)
        out += QStringLiteral("<p class=muted>%1</p>")
                   .arg(InfoView::escaped(protocol::hostText(*versus, right.toStdString(), left.toStdString())));
    return out + next;
}

QString referenceHtml()
{
    return QStringLiteral("<p class=muted>%1</p>")
        .arg(tr("Both sides show the reference. Choose a variant above: its verdict, its clocks and its analysis stand "
                "here."));
}

std::vector<policy::SourceLines> linesOfLink(const QUrl& link)
{
    std::vector<policy::SourceLines> lines;
    if (link.scheme() != QLatin1String("lines"))
        return lines;
    for (const QString& range : link.path().split(u',', Qt::SkipEmptyParts))
        lines.push_back({range.section(u'-', 0, 0).toInt(), range.section(u'-', 1, 1).toInt()});
    return lines;
}

base::VariantId variantOfLink(const QUrl& link)
{
    return {link.scheme() == QLatin1String("variant") ? link.path().toLongLong() : 0};
}

} // namespace cudal1::ui
