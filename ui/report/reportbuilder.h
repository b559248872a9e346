// SPDX-License-Identifier: GPL-3.0-or-later
// Makes reports on a worker: reads the project, lays pages out, writes files. Values in, const values out.
#pragma once

#include "core/base/result.h"
#include "core/pages/sheet.h"
#include "core/report/report.h"

#include <QString>

#include <atomic>
#include <functional>
#include <memory>

namespace cudal1::ui {

enum class ReportFormat { Html, Pdf, Markdown, Csv, Json };

QString endingOf(ReportFormat format); ///< "html"
bool hasPages(ReportFormat format);    ///< is previewed as pages, not as text

/// What the page shows: the document, and its pages or the text of its file.
struct BuiltReport {
    report::Document document;
    pages::Paged paged;
    QString text;
};

/// Set to true to have a job end soon with Cancelled; its `share` is what is done, 0 to 1.
struct ReportJob {
    std::atomic<bool> cancelled = false;
    std::atomic<double> share = 0;
};

/// Opens a connection of its own, so any thread will do.
base::Result<std::shared_ptr<const BuiltReport>> buildReport(const QString& projectFile, report::ReportScope scope,
                                                             ReportFormat format,
                                                             const std::shared_ptr<ReportJob>& job);

/// The bytes of a file in this format; empty when the job was cancelled.
QByteArray bytesOf(const BuiltReport& built, ReportFormat format, const std::shared_ptr<ReportJob>& job);

/// Written beside and renamed, so that a file that was there stays whole when the disk is full.
base::Status writeFile(const QString& path, const QByteArray& bytes);

} // namespace cudal1::ui
