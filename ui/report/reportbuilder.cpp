// SPDX-License-Identifier: GPL-3.0-or-later
// Makes reports on a worker.
#include "ui/report/reportbuilder.h"

#include "core/pages/pagelayout.h"
#include "core/pages/pdf.h"

#include <QSaveFile>

namespace cudal1::ui {

namespace {

const base::Error cancelled{base::ErrorCode::Cancelled, "The report was cancelled", {}, {}};

/// Progress of a part of a job, from `first` to `last` of the whole.
std::function<bool(double)> partOf(const std::shared_ptr<ReportJob>& job, double first, double last)
{
    return [job, first, last](double share) {
        job->share = first + (last - first) * share;
        return !job->cancelled;
    };
}

} // namespace

QString endingOf(ReportFormat format)
{
    switch (format) {
    case ReportFormat::Html: return QStringLiteral("html");
    case ReportFormat::Pdf: return QStringLiteral("pdf");
    case ReportFormat::Markdown: return QStringLiteral("md");
    case ReportFormat::Csv: return QStringLiteral("csv");
    case ReportFormat::Json: return QStringLiteral("json");
    }
    return {};
}

bool hasPages(ReportFormat format)
{
    return format == ReportFormat::Html || format == ReportFormat::Pdf;
}

base::Result<std::shared_ptr<const BuiltReport>> buildReport(const QString& projectFile, report::ReportScope scope,
                                                             ReportFormat format, const std::shared_ptr<ReportJob>& job)
{
    const auto project = store::Project::open(projectFile.toStdString());
    if (!project)
        return project.error();
    scope.progress = partOf(job, 0, 0.6);
    auto document = report::reportOn(**project, scope);
    if (!document)
        return document.error();
    auto built = std::make_shared<BuiltReport>();
    built->document = std::move(*document);
    if (hasPages(format))
        built->paged = pages::layOut(built->document, partOf(job, 0.6, 1));
    else
        built->text = QString::fromUtf8(bytesOf(*built, format, job));
    if (job->cancelled)
        return cancelled;
    return std::shared_ptr<const BuiltReport>(std::move(built));
}

QByteArray bytesOf(const BuiltReport& built, ReportFormat format, const std::shared_ptr<ReportJob>& job)
{
    switch (format) {
    case ReportFormat::Html: return report::htmlOf(built.document).toUtf8();
    case ReportFormat::Pdf:
        return pages::pdfOf(built.paged.sheets.empty() ? pages::layOut(built.document) : built.paged,
                            partOf(job, 0, 1));
    case ReportFormat::Markdown: return report::markdownOf(built.document).toUtf8();
    case ReportFormat::Csv: return report::csvOf(built.document);
    case ReportFormat::Json: return report::jsonOf(built.document);
    }
    return {};
}

base::Status writeFile(const QString& path, const QByteArray& bytes)
{
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit())
        return {};
    return base::Error{base::ErrorCode::Unavailable,
                       "The file could not be written: " + file.errorString().toStdString(), path.toStdString(),
                       "Choose another place"};
}

} // namespace cudal1::ui
