// SPDX-License-Identifier: GPL-3.0-or-later
// Values of the store as cells of a report: the text that is read and the number behind it.
#pragma once

#include "core/protocol/messages.h"
#include "core/report/document.h"
#include "core/store/project.h"

#include <string_view>

namespace cudal1::report {

QString fromUtf8(std::string_view text);

Cell textCell(const QString& text, Tone tone = Tone::Plain);
Cell textCell(std::string_view text);
Cell noCell(); ///< a dash for a value that is not there; sorts as 0
/// `text` is what is read of it; shortest exact digits when empty.
Cell numberCell(double value, const QString& text = {});
Cell timeCell(double nanoseconds);
Cell dateCell(std::int64_t milliseconds);
/// The number, and the word of protocol::marksOf() behind it.
QString markedText(const base::Interval& speedup, const std::string& marks);
/// With interval, sign, and a word where the interval holds 1; a dash when invalid.
Cell speedupCell(const base::Interval& speedup,
                 const std::string& marks = {}); ///< with protocol::marksOf() behind the number
/// The event clock's: struck where it disagrees with the wall clock.
Cell eventCell(const base::Interval& event, const base::Interval& wall);
/// The verdict with its first reason; "waiting" without an evaluation.
Cell verdictCell(const store::VariantRow& variant);
/// "3.50 ms → 875 µs, 4.00×", with the speed-up's interval; nothing for an invalid one.
std::optional<Cell> clockCell(const protocol::ClockSpeedup& clock);

/// Adds a fact of one line, unless it says nothing.
void addFact(FactList& list, const char* key, const QString& name, Cell value);
void addFact(FactList& list, const char* key, const QString& name, const QString& text);

QString levelText(int level);       ///< "level 1", "files"
QString share(int part, int whole); ///< "80 %"; "99.6 %", since a part is never 100 %
/// The id of a task's part, for links.
QString anchorOf(const base::TaskId& task);

} // namespace cudal1::report
