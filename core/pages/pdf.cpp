// SPDX-License-Identifier: GPL-3.0-or-later
// A report as PDF.
#include "core/pages/pdf.h"

#include "core/pages/paint.h"

#include <QBuffer>
#include <QPainter>
#include <QPdfWriter>

namespace cudal1::pages {

QByteArray pdfOf(const Paged& paged, const std::function<bool(double)>& progress)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(720); // tenths of a point
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins({0, 0, 0, 0});
    writer.setTitle(paged.title);
    writer.setCreator(QStringLiteral("CUDA-L1 Workbench"));
    QPainter painter(&writer);
    for (std::size_t page = 0; page < paged.sheets.size(); ++page) {
        if (progress && !progress(double(page) / double(paged.sheets.size()))) {
            painter.end();
            return {};
        }
        if (page > 0)
            writer.newPage();
        paint(painter, paged, page);
    }
    painter.end();
    return bytes;
}

} // namespace cudal1::pages
