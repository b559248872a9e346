// SPDX-License-Identifier: GPL-3.0-or-later
// How events, gaps and launches of a timeline read: the same words in tool tips, details and tables.
#pragma once

#include "core/timeline/eventtables.h"
#include "core/timeline/traceimport.h"

#include <QString>

namespace cudal1::ui {

/// "kernel", "CUDA call", "operator"
QString categoryText(protocol::TimelineEvent::Category category);
/// As timeline::shortName().
inline QString shortName(const std::string& name)
{
    return QString::fromStdString(timeline::shortName(name));
}
/// "16×4", without trailing ones.
QString extentText(const std::array<std::int32_t, 3>& extent);
/// base::momentText(): "-1.2 µs".
QString momentText(double time_ns);
/// "Outside the timed windows"; empty for what lies inside.
QString placeText(protocol::TimelineEvent::Place place);
/// One line for tool tips and screen readers: "gemm, kernel, 12.3 µs, starts at 4.5 µs on stream 7".
QString eventSentence(const timeline::Model& model, timeline::EventIndex event);
/// Everything that is known, for an InfoView.
QString eventHtml(const timeline::Side& side, timeline::EventIndex event);
QString gapHtml(const timeline::Side& side, const timeline::Gap& gap);
/// What to do where nothing is picked.
QString hintHtml();
/// What was measured.
QString spanHtml(const timeline::Span& span);
/// "A" of the first, by which tables and headings name it.
QString sideLetter(int side);
/// Its title without the device: "Reference 3/41".
QString sideName(const timeline::Side& side);
/// What a side is, in one line: "3 calls of 12.3 µs, device busy 80 %".
QString sideSentence(const timeline::Side& side);

} // namespace cudal1::ui
