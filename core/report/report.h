// SPDX-License-Identifier: GPL-3.0-or-later
// Reports on a project: built once as a document, written in any format.
#pragma once

#include "core/base/result.h"
#include "core/report/document.h"
#include "core/report/scope.h"
#include "core/store/project.h"

#include <QByteArray>
#include <QString>

namespace cudal1::report {

/// NotFound when the project does not have what the scope names, Cancelled when its `progress` said so. Reads raw
/// samples: takes milliseconds a variant, so call it on a worker thread, with a Project of that thread.
base::Result<Document> reportOn(const store::Project& project, const ReportScope& scope = {});

/// One file that is well-formed both as HTML and as XML. It loads nothing, and its one script (sorting of tables) is
/// the only one that a browser will run in it.
QString htmlOf(const Document& document);
/// GitHub's flavour; charts stand as tables of their numbers.
QString markdownOf(const Document& document);
/// The document's records: a line of column names, then a line each; numbers as stored, with a decimal point.
QByteArray csvOf(const Document& document);
/// One object: sections with typed blocks, and the records. docs/reports.md describes it.
QByteArray jsonOf(const Document& document);

} // namespace cudal1::report
