// SPDX-License-Identifier: GPL-3.0-or-later
// Words for events, gaps and sides.
#include "ui/timeline/timelinetexts.h"

#include "core/base/timetext.h"
#include "ui/kit/tr.h"
#include "ui/variants/infoview.h"
#include "ui/variants/texts.h"

#include <algorithm>

namespace cudal1::ui {

using timeline::EventIndex;
using timeline::Gap;
using timeline::Model;
using timeline::Side;
using Category = protocol::TimelineEvent::Category;
using Place = protocol::TimelineEvent::Place;

QString categoryText(Category category)
{
    switch (category) {
    case Category::Operator: return tr("operator");
    case Category::UserScope: return tr("named scope");
    case Category::Runtime: return tr("CUDA call");
    case Category::Driver: return tr("driver call");
    case Category::Wait: return tr("wait");
    case Category::Kernel: return tr("kernel");
    case Category::Copy: return tr("copy");
    case Category::Memset: return tr("memset");
    }
    return {};
}

QString extentText(const std::array<std::int32_t, 3>& extent)
{
    QString text = QString::number(extent[0]);
    for (std::size_t d = 1; d < 3; ++d)
        if (extent[d] != 1 || (d == 1 && extent[2] != 1))
            text += QStringLiteral("×%1").arg(extent[d]);
    return text;
}

QString momentText(double time_ns)
{
    return QString::fromStdString(base::momentText(time_ns));
}

QString placeText(Place place)
{
    switch (place) {
    case Place::Inside: return {};
    case Place::BeyondStream:
        return tr("Ended after the caller's stream was done: a clock of events on that stream does not see it");
    case Place::Outside: return tr("Outside the timed windows: no clock sees it");
    }
    return {};
}

QString eventSentence(const Model& model, EventIndex event)
{
    QString text = tr("%1, %2, %3, starts at %4, on %5")
                       .arg(QString::fromStdString(model.nameOf(event)), categoryText(model.category[event]),
                            timeText(double(model.duration_ns(event))), momentText(double(model.begin_ns[event])),
                            QString::fromStdString(model.trackOf(event).name));
    if (const QString place = placeText(model.place[event]); !place.isEmpty())
        text += QStringLiteral(". ") + place;
    return text;
}

QString eventHtml(const Side& side, EventIndex event)
{
    const Model& model = *side.model;
    const auto& facts = model.facts[event];
    QString body = QStringLiteral("<p class=mono>%1</p>").arg(InfoView::escaped(model.nameOf(event)));
    if (const QString place = placeText(model.place[event]); !place.isEmpty())
        body += QStringLiteral("<p class=warn>%1</p>").arg(place);
    body += QStringLiteral("<table>");
    const auto row = [&](const QString& key, const QString& value) {
        if (!value.isEmpty())
            body += InfoView::row(key, value.toHtmlEscaped());
    };
    row(tr("What"), categoryText(model.category[event]));
    row(tr("Duration"), momentText(double(model.duration_ns(event))));
    row(tr("Start"), momentText(double(model.begin_ns[event])));
    row(tr("End"), momentText(double(model.end_ns[event])));
    row(tr("Track"), QString::fromStdString(model.trackOf(event).name));
    row(tr("Side"), QString::fromStdString(side.title));
    row(tr("Details"), QString::fromStdString(model.detailOf(event)));
    if (const protocol::KernelLaunch* launch = model.launchOf(event)) {
        row(tr("Grid"), extentText(launch->grid));
        row(tr("Block"), extentText(launch->block));
        row(tr("Registers a thread"), QString::number(launch->registers));
        row(tr("Shared memory"),
            tr("%1 static, %2 dynamic")
                .arg(bytesText(double(launch->staticShared_bytes)), bytesText(double(launch->dynamicShared_bytes))));
    }
    if (facts.bytes > 0) {
        row(tr("Bytes"), bytesText(double(facts.bytes)));
        if (model.duration_ns(event) > 0)
            row(tr("Rate"), rateText(double(facts.bytes) * 1e9 / double(model.duration_ns(event))));
    }
    if (facts.stream >= 0)
        row(tr("Stream"), QString::number(facts.stream));
    if (facts.device >= 0)
        row(tr("Device"), QString::number(facts.device));
    if (facts.graph)
        row(tr("CUDA graph"), QString::number(facts.graph));
    if (facts.correlation)
        row(tr("Correlation"), QString::number(facts.correlation));
    return body + QStringLiteral("</table>");
}

QString gapHtml(const Side& side, const Gap& gap)
{
    return QStringLiteral("<p class=mono>%1</p><p>%2</p><table>")
               .arg(tr("gap: %1").arg(QString::fromUtf8(word(gap.cause).data(), qsizetype(word(gap.cause).size()))),
                    InfoView::escaped(sentence(*side.model, gap))) +
           InfoView::row(tr("Duration"), momentText(double(gap.duration_ns()))) +
           InfoView::row(tr("Start"), momentText(double(gap.begin_ns))) +
           InfoView::row(tr("End"), momentText(double(gap.end_ns))) +
           InfoView::row(tr("Side"), InfoView::escaped(side.title)) + QStringLiteral("</table>");
}

QString hintHtml()
{
    return QStringLiteral("<p class=muted>%1</p>")
        .arg(tr("Click an event or a gap, or walk with the arrow keys. W and S zoom, A and D move, F fits, C folds a "
                "track and Shift+C those without work on a device, M measures, P pins, N names a pin, / searches."));
}

QString spanHtml(const timeline::Span& span)
{
    return QStringLiteral("<p class=mono>%1</p><table>").arg(tr("measured")) +
           InfoView::row(tr("Duration"), momentText(double(span.duration_ns()))) +
           InfoView::row(tr("From"), momentText(double(span.begin_ns))) +
           InfoView::row(tr("To"), momentText(double(span.end_ns))) + QStringLiteral("</table>");
}

QString sideLetter(int side)
{
    return QString(QChar(u'A' + side % 26));
}

QString sideName(const timeline::Side& side)
{
    return QString::fromStdString(side.title).section(QStringLiteral(" · "), 0, 0);
}

QString sideSentence(const Side& side)
{
    const Model& model = *side.model;
    QString text;
    if (model.windows.empty()) {
        text = tr("no timed windows, %1").arg(timeText(double(model.last_ns - model.first_ns)));
    } else {
        std::vector<std::int64_t> lengths;
        std::int64_t windows_ns = 0, gaps_ns = 0;
        for (const auto& window : model.windows) {
            lengths.push_back(window.duration_ns());
            windows_ns += window.duration_ns();
        }
        for (const Gap& gap : model.gaps)
            gaps_ns += gap.duration_ns();
        std::nth_element(lengths.begin(), lengths.begin() + std::ptrdiff_t(lengths.size() / 2), lengths.end());
        text = tr("%1 of %2")
                   .arg(counted(std::int64_t(lengths.size()), tr("call"), tr("calls")),
                        timeText(double(lengths[lengths.size() / 2])));
        if (windows_ns > 0)
            text += tr(", %1 busy %2 %")
                        .arg(model.device == "cpu" ? tr("operators") : tr("device"))
                        .arg(100.0 * double(windows_ns - gaps_ns) / double(windows_ns), 0, 'f', 0);
    }
    if (const std::uint32_t misplaced = model.misplacedBefore.back())
        text += tr(", ⚠ %1 outside what is timed").arg(counted(misplaced, tr("event"), tr("events")));
    return text;
}

} // namespace cudal1::ui
