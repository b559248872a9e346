// SPDX-License-Identifier: GPL-3.0-or-later
// The evidence of an evaluation in the order in which a person asks for it: verdict, number, why, how sure, where.
#include "ui/compare/analysis.h"

#include "core/protocol/versus.h"
#include "ui/variants/infoview.h"
#include "ui/variants/texts.h"

#include <QCoreApplication>

namespace cudal1::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("cudal1::ui::Analysis", text);
}

QString cssClass(Role role)
{
    switch (role) {
    case Role::GainText:
        return QStringLiteral("gain");
    case Role::LossText:
        return QStringLiteral("loss");
    case Role::WarningText:
        return QStringLiteral("warn");
    default:
        return QStringLiteral("muted");
    }
}

QString span(const QString& css, const QString& text)
{
    return QStringLiteral("<span class=%1>%2</span>").arg(css, text.toHtmlEscaped());
}

QString reasonsHtml(const std::vector<protocol::Reason>& reasons, const QString& css)
{
    QString out;
    for (const protocol::Reason& reason : reasons) {
        out += QStringLiteral("<p><span class=%1>●</span> %2 <span class=muted>(%3)</span></p>")
                   .arg(css, InfoView::escaped(reason.text), InfoView::escaped(reason.code));
        if (!reason.evidence.empty())
            out += QStringLiteral("<table width='100%' cellpadding=6><tr><td class=box><pre>%1</pre></td></tr></table>")
                       .arg(QString::fromStdString(reason.evidence).trimmed().toHtmlEscaped());
    }
    return out;
}

QString clockRow(const QString& name, const protocol::ClockSpeedup& clock, bool struck)
{
    if (!clock.valid())
        return {};
    const QString number = span(cssClass(speedupRole(clock.speedup)), speedupPhrase(clock.speedup));
    // The times stand under the ratio, since the panel is narrow; none of it may break within a number.
    return QStringLiteral("<tr><td class=key>%1</td><td class=mono style='white-space:nowrap'><b>%2</b><span class=muted>&nbsp;&nbsp;%3</span></td></tr>"
                          "<tr><td></td><td class=mono style='white-space:nowrap'><span class=muted>%4&nbsp;→&nbsp;%5</span></td></tr>")
        .arg(name, struck ? QStringLiteral("<s>%1</s>").arg(number) : number, intervalText(clock.speedup), timeText(clock.reference_ns),
             timeText(clock.candidate_ns));
}

QString clocksHtml(const protocol::Evaluation& evaluation)
{
    const protocol::Speedup& speedup = evaluation.speedup;
    if (!speedup.wall.valid())
        return {};
    const bool disagree = clocksDisagree(speedup.wall.speedup, speedup.event.speedup);
    QString out = InfoView::heading(tr("Clocks")) + QStringLiteral("<table>");
    out += clockRow(tr("Wall"), speedup.wall, false);
    out += clockRow(tr("Events"), speedup.event, disagree);
    out += clockRow(tr("GPU busy"), speedup.gpuBusy, false);
    out += QStringLiteral("</table>");
    if (disagree)
        out += QStringLiteral("<p class=warn>%1</p>")
                   .arg(tr("The two clocks do not meet: the work is not all inside the events, or the time is not spent on the GPU. "
                           "The wall clock counts."));
    int dropped = 0;
    for (const protocol::PairSamples& pair : evaluation.pairs)
        dropped += pair.dropped;
    if (!evaluation.pairs.empty())
        out += span(QStringLiteral("muted"), tr("%1 pairs of rounds, %2 thrown away; stopped by %3")
                                                 .arg(evaluation.pairs.size())
                                                 .arg(dropped)
                                                 .arg(QString::fromStdString(evaluation.stopReason)));
    return out;
}

QString precisionHtml(const protocol::PrecisionReport& precision)
{
    QString out = InfoView::heading(tr("Precision")) + QStringLiteral("<table>");
    out += InfoView::row(tr("Mode"), QString::fromUtf8(protocol::toString(precision.mode)));
    out += InfoView::row(tr("Candidate"), precision.candidate.empty() ? tr("not read") : InfoView::escaped(precision.candidate));
    out += InfoView::row(tr("Reference"), precision.reference.empty() ? tr("not read") : InfoView::escaped(precision.reference));
    out += QStringLiteral("</table>");
    if (!precision.matched) {
        out += QStringLiteral("<p class=warn>%1</p>").arg(tr("Part of the gain is precision, not code."));
        if (precision.atCandidateSettings.valid())
            out += QStringLiteral("<table>") + clockRow(tr("At equal settings"), precision.atCandidateSettings, false) + QStringLiteral("</table>");
    }
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
        skipped << QString::fromStdString(family);
    QString out = InfoView::heading(tr("Trials")) + QStringLiteral("<table>");
    out += InfoView::row(tr("Passed"), span(trials.passed == trials.run ? QStringLiteral("gain") : QStringLiteral("loss"),
                                            tr("%1 of %2").arg(trials.passed).arg(trials.run)));
    if (!families.isEmpty())
        out += InfoView::row(tr("Inputs"), families.join(QStringLiteral(", ")).toHtmlEscaped());
    if (!skipped.isEmpty())
        out += InfoView::row(tr("Left out"), skipped.join(QStringLiteral("<br>")));
    out += InfoView::row(tr("Worst error"), QString::number(trials.worstRelativeError, 'g', 2));
    return out + QStringLiteral("</table>");
}

QString sectionsHtml(const store::VariantRecord& variant)
{
    const std::pair<QString, const std::string&> sections[] = {{tr("Performance analysis"), variant.performanceAnalysis},
                                                               {tr("Algorithm design"), variant.algorithmDesign},
                                                               {tr("Code implementation"), variant.codeImplementation}};
    QString out;
    for (const auto& [title, text] : sections)
        if (!text.empty())
            out += InfoView::heading(title) + InfoView::prose(text);
    if (out.isEmpty())
        out = InfoView::heading(tr("Analysis")) + QStringLiteral("<p class=muted>%1</p>").arg(tr("Its author gave none."));
    return out;
}

QString whereHtml(const protocol::Evaluation& evaluation)
{
    const protocol::DeviceInfo& device = evaluation.device;
    QString out = InfoView::heading(tr("Measured")) + QStringLiteral("<table>");
    out += InfoView::row(tr("Device"), InfoView::escaped(device.model.empty() ? device.name : device.model));
    if (!device.driver.empty())
        out += InfoView::row(tr("Driver"), InfoView::escaped(device.driver));
    out += InfoView::row(tr("Framework"), tr("torch %1, Python %2")
                                              .arg(InfoView::escaped(evaluation.environment.torch), InfoView::escaped(evaluation.environment.python)));
    out += InfoView::row(tr("Preset"), tr("%1, seed %2").arg(QString::fromUtf8(protocol::toString(evaluation.preset))).arg(evaluation.seed));
    if (!evaluation.environment.clock.empty())
        out += InfoView::row(tr("Clocks"), InfoView::escaped(evaluation.environment.clock));
    out += InfoView::row(tr("Took"), tr("%1 s: build %2, check %3, time %4")
                                         .arg(evaluation.seconds.total, 0, 'f', 1)
                                         .arg(evaluation.seconds.build, 0, 'f', 1)
                                         .arg(evaluation.seconds.check, 0, 'f', 1)
                                         .arg(evaluation.seconds.time, 0, 'f', 1));
    return out + QStringLiteral("</table>");
}

} // namespace

QString analysisHtml(const store::VariantRecord& variant, const std::optional<protocol::Evaluation>& evaluation)
{
    QString out;
    if (evaluation) {
        const VerdictStyle style = verdictStyle(evaluation->verdict);
        const base::Interval& wall = evaluation->speedup.wall.speedup;
        if (evaluation->verdict == protocol::Verdict::Correct && wall.valid())
            out += QStringLiteral("<p><span class='big %1'>%2</span>&nbsp;&nbsp;<span class=mono><span class=muted>%3</span></span><br>%4</p>")
                       .arg(cssClass(speedupRole(wall)), speedupPhrase(wall), intervalText(wall), span(cssClass(style.role), style.word));
        else
            out += QStringLiteral("<p><span class='big %1'>%2</span></p>").arg(cssClass(style.role), style.word);
        out += reasonsHtml(evaluation->reasons, cssClass(style.role));
        out += reasonsHtml(evaluation->labels, QStringLiteral("warn"));
        out += clocksHtml(*evaluation);
    } else {
        out += QStringLiteral("<p><span class='big muted'>%1</span></p><p class=muted>%2</p>")
                   .arg(tr("waiting"), tr("It has not been judged yet."));
    }
    out += InfoView::heading(tr("Techniques")) + QStringLiteral("<p>%1</p>").arg(techniquesText(variant.techniques).toHtmlEscaped());
    out += sectionsHtml(variant);
    if (evaluation) {
        out += precisionHtml(evaluation->precision) + trialsHtml(evaluation->trials) + whereHtml(*evaluation);
        if (!evaluation->output.empty())
            out += InfoView::heading(tr("It printed"))
                + QStringLiteral("<table width='100%' cellpadding=6><tr><td class=box><pre>%1</pre></td></tr></table>")
                      .arg(QString::fromStdString(evaluation->output).toHtmlEscaped());
    }
    return out;
}

QString versusHtml(const QString& left, const protocol::Evaluation& leftEvaluation, const QString& right, const protocol::Evaluation& rightEvaluation)
{
    const base::Result<protocol::Versus> versus = protocol::versus(rightEvaluation, leftEvaluation);
    QString out = InfoView::heading(tr("%1 against %2").arg(right, left));
    const QString next = InfoView::heading(tr("%1 against the reference").arg(right));
    if (!versus)
        return out + QStringLiteral("<p class=muted>%1</p>").arg(InfoView::escaped(versus.error().message)) + next;
    out += QStringLiteral("<table>") + InfoView::row(tr("Wall"), span(cssClass(speedupRole(versus->wall)), speedupSentence(versus->wall)));
    if (versus->event.valid())
        out += InfoView::row(tr("Events"), span(cssClass(speedupRole(versus->event)), speedupSentence(versus->event)));
    return out + QStringLiteral("</table>") + next;
}

QString referenceHtml()
{
    return QStringLiteral("<p class=muted>%1</p>")
        .arg(tr("Both sides show the reference. Choose a variant above: its verdict, its clocks and its analysis stand here."));
}

} // namespace cudal1::ui
