// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a report, each as a piece of HTML.
#pragma once

#include "core/report/facts.h"

#include <QString>

namespace cudal1::report {

QString headSection(const Facts& facts, std::int64_t created_ms);
/// The four numbers, of a project with the rule behind them.
QString cardsSection(const Facts& facts);
/// Histogram and percentiles.
QString chartsSection(const Facts& facts);
QString taskTable(const Facts& facts);
QString taskSection(const TaskFacts& task);
/// How the numbers were measured, in words.
QString methodSection(const Facts& facts);

/// A table cell with a speed-up and its interval, sign and word beside the colour.
QString speedupCell(const base::Interval& speedup);
/// The event clock's cell: struck through where it disagrees with the wall clock.
QString eventCell(const base::Interval& event, const base::Interval& wall);
/// A number card: name, value with an optional smaller part, explanation.
QString card(const QString& name, const QString& value, const QString& smaller, const QString& explanation);
/// The id of a task's part, for links.
QString anchorOf(const base::TaskId& task);

} // namespace cudal1::report
