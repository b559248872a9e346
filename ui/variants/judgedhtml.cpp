// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of the evidence that are shown alone as well.
#include "ui/variants/judgedhtml.h"

#include "core/base/spelled.h"
#include "core/protocol/codes.h"
#include "core/protocol/marks.h"
#include "ui/kit/tr.h"
#include "ui/variants/infoview.h"
#include "ui/variants/texts.h"

#include <algorithm>
#include <iterator>

namespace cudal1::ui {

namespace {

QString reasonHtml(const protocol::Reason& reason, const QString& css)
{
    return QStringLiteral("<p><span class=%1>●</span> %2 <span class=muted title=\"%3\">(%4)</span></p>")
        .arg(css, InfoView::escaped(reason.text), InfoView::escaped(protocol::meaningOf(reason.code)),
             InfoView::escaped(base::spelled(reason.code)));
}

/// With a capital and a full stop.
QString sentenceOf(const std::string& clause)
{
    const QString text = InfoView::escaped(clause);
    return text.left(1).toUpper() + text.mid(1) + u'.';
}

} // namespace

QString htmlSpan(const QString& css, const QString& text)
{
    return QStringLiteral("<span class=%1>%2</span>").arg(css, text.toHtmlEscaped());
}

QString htmlBox(const std::string& text)
{
    return QStringLiteral("<table width='100%' cellpadding=6><tr><td class=box><pre "
                          "style='white-space:pre-wrap'>%1</pre></td></tr></table>")
        .arg(QString::fromStdString(text).trimmed().toHtmlEscaped());
}

QString reasonsHtml(const std::vector<protocol::Reason>& reasons, const QString& css)
{
    QString out;
    for (const protocol::Reason& reason : reasons)
        out += reasonHtml(reason, css) + (reason.evidence.empty() ? QString() : htmlBox(reason.evidence));
    return out;
}

QString labelsHtml(const std::vector<protocol::Reason>& labels)
{
    QString out;
    for (const protocol::Reason& label : labels) {
        const protocol::Code* code = protocol::findCode(label.code);
        out += reasonHtml(label, code && code->severity == protocol::Severity::Note ? QStringLiteral("muted")
                                                                                    : QStringLiteral("warn"));
    }
    return out;
}

QString labelEvidenceHtml(const std::vector<protocol::Reason>& labels)
{
    QString out;
    for (const protocol::Reason& label : labels)
        if (!label.evidence.empty())
            out += InfoView::heading(tr("Evidence of %1").arg(InfoView::escaped(base::spelled(label.code)))) +
                   htmlBox(label.evidence);
    return out;
}

QString clockRow(const QString& name, const protocol::ClockSpeedup& clock, const std::string& marks, bool struck)
{
    if (!clock.valid())
        return {};
    const QString number = htmlSpan(InfoView::styleClass(speedupRole(clock.speedup, marks)),
                                    speedupPhrase(clock.speedup));
    // The times stand under the ratio, since the panel is narrow; none of it may break within a number.
    return QStringLiteral("<tr><td class=key>%1</td><td class=mono style='white-space:nowrap'><b>%2</b><span "
                          "class=muted>&nbsp;&nbsp;%3</span></td></tr>"
                          "<tr><td></td><td class=mono style='white-space:nowrap'><span "
                          "class=muted>%4&nbsp;→&nbsp;%5</span></td></tr>")
        .arg(name, struck ? QStringLiteral("<s>%1</s>").arg(number) : number, intervalText(clock.speedup),
             timeText(clock.reference_ns), timeText(clock.candidate_ns));
}

QString precisionHtml(const protocol::Evaluation& evaluation)
{
    const protocol::PrecisionReport& precision = evaluation.precision;
    const base::Interval& wall = evaluation.speedup.wall.speedup;
    const bool inQuestion = protocol::gainInQuestion(protocol::labelCodes(evaluation));
    QString out = InfoView::heading(tr("Precision")) + QStringLiteral("<table>");
    out += InfoView::row(tr("Mode"), QString::fromUtf8(protocol::toString(precision.mode)));
    out += InfoView::row(tr("Candidate"),
                         precision.candidate.empty() ? tr("not read") : InfoView::escaped(precision.candidate));
    out += InfoView::row(tr("Reference"),
                         precision.reference.empty() ? tr("not read") : InfoView::escaped(precision.reference));
    out += QStringLiteral("</table>");
    if (!precision.matched) {
        out += QStringLiteral("<p class=warn>%1</p>")
                   .arg(wall.low > 1 && precision.atCandidateSettings.valid() &&
                                precision.atCandidateSettings.speedup.high < wall.low
                            ? tr("Part of the gain is precision, not code.")
                            : sentenceOf(protocol::otherPrecision(precision)));
        if (precision.atCandidateSettings.valid())
            out += QStringLiteral("<table>") +
                   clockRow(tr("At equal settings"), precision.atCandidateSettings, inQuestion ? "!" : "", false) +
                   QStringLiteral("</table>");
    }
    return out;
}

QString whyMarkedHtml(const protocol::Evaluation& evaluation)
{
    const std::string marks = protocol::marksOf(evaluation);
    const base::Interval& wall = evaluation.speedup.wall.speedup;
    const QString css = InfoView::styleClass(speedupRole(wall, marks));
    QString out = QStringLiteral("<p><span class='big %1'>%2</span>&nbsp;&nbsp;<span class=mono><span "
                                 "class=muted>%3</span></span></p>")
                      .arg(css, speedupPhrase(wall), intervalText(wall));
    if (protocol::isQuestioned(marks)) {
        std::vector<protocol::Reason> doubts;
        std::copy_if(evaluation.labels.begin(), evaluation.labels.end(), std::back_inserter(doubts),
                     [](const protocol::Reason& label) { return protocol::gainInQuestion(label.code); });
        out += InfoView::heading(tr("Why it is questioned")) + labelsHtml(doubts) + labelEvidenceHtml(doubts);
    }
    if (protocol::isOfOtherPrecision(marks))
        out += precisionHtml(evaluation);
    return out;
}

} // namespace cudal1::ui
