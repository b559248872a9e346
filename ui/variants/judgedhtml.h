// SPDX-License-Identifier: GPL-3.0-or-later
// What an evaluation says of itself, as parts of HTML for an InfoView.
#pragma once

#include "core/protocol/messages.h"

#include <QString>

#include <string>
#include <vector>

namespace cudal1::ui {

/// In a class of InfoView; the text is escaped.
QString htmlSpan(const QString& css, const QString& text);
/// A text of a program as it is, but for line breaks where the panel ends.
QString htmlBox(const std::string& text);

QString reasonsHtml(const std::vector<protocol::Reason>& reasons, const QString& css);
QString labelsHtml(const std::vector<protocol::Reason>& labels);
/// Names of kernels and the like, which would fill the panel before the clocks.
QString labelEvidenceHtml(const std::vector<protocol::Reason>& labels);
/// Two rows of a table, with the colour that `marks` give.
QString clockRow(const QString& name, const protocol::ClockSpeedup& clock, const std::string& marks, bool struck);
/// The settings of both sides, and what equal ones give.
QString precisionHtml(const protocol::Evaluation& evaluation);
/// Why its speed-up has a badge: the labels that question it with their evidence, and in what its precision is another.
QString whyMarkedHtml(const protocol::Evaluation& evaluation);

} // namespace cudal1::ui
