// SPDX-License-Identifier: GPL-3.0-or-later
// Paints pages.
#include "core/pages/paint.h"

#include <QColor>
#include <QFontMetricsF>
#include <QPainter>
#include <QSvgRenderer>

namespace cudal1::pages {

namespace {

/// Paper is white in every theme; text is at least 4.5 to 1 against it and against the grounds of code.
QColor colorOf(SheetInk ink)
{
    switch (ink) {
    case SheetInk::Text: return {0x1b, 0x1f, 0x24};
    case SheetInk::Soft: return {0x57, 0x60, 0x6a};
    case SheetInk::Gain: return {0x00, 0x69, 0x4d};
    case SheetInk::Loss: return {0xa8, 0x43, 0x00};
    case SheetInk::Warning: return {0x7a, 0x52, 0x00};
    case SheetInk::Line: return {0xdd, 0xe1, 0xe6};
    case SheetInk::Panel: return {0xf6, 0xf7, 0xf9};
    case SheetInk::Removed: return {0xfb, 0xe9, 0xe1};
    case SheetInk::RemovedWord: return {0xf5, 0xc9, 0xb4};
    case SheetInk::Added: return {0xe1, 0xf5, 0xed};
    case SheetInk::AddedWord: return {0xae, 0xe2, 0xcd};
    }
    return {};
}

void paintEdges(QPainter& painter, const Paged& paged, std::size_t page)
{
    painter.setFont(fontOf(Style::Tiny));
    painter.setPen(colorOf(SheetInk::Soft));
    const QFontMetricsF metrics(painter.font());
    const auto right = [&](double y, const QString& text) {
        painter.drawText(QPointF(rightEdge - metrics.horizontalAdvance(text), y), text);
    };
    if (page > 0) {
        painter.drawText(QPointF(leftEdge, topEdge - 220),
                         metrics.elidedText(paged.title, Qt::ElideRight, (rightEdge - leftEdge) / 2));
        right(topEdge - 220,
              metrics.elidedText(paged.sheets[page].heading, Qt::ElideRight, (rightEdge - leftEdge) / 2 - 100));
    }
    painter.drawText(QPointF(leftEdge, bottomEdge + 260), QStringLiteral("CUDA-L1 Workbench"));
    right(bottomEdge + 260, QStringLiteral("%1 / %2").arg(page + 1).arg(paged.sheets.size()));
}

} // namespace

void paint(QPainter& painter, const Paged& paged, std::size_t page)
{
    const Sheet& sheet = paged.sheets.at(page);
    painter.save();
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.setPen(Qt::NoPen);
    for (const BoxPiece& piece : sheet.boxes) {
        painter.setBrush(colorOf(piece.ink));
        piece.radius > 0 ? painter.drawRoundedRect(piece.box, piece.radius, piece.radius) : painter.drawRect(piece.box);
    }
    painter.setBrush(Qt::NoBrush);
    for (const PicturePiece& piece : sheet.pictures) {
        QSvgRenderer svg(piece.svg);
        svg.render(&painter, piece.box);
    }
    for (const TextPiece& piece : sheet.texts) {
        QFont font = fontOf(piece.style);
        font.setStrikeOut(piece.struck);
        painter.setFont(font);
        painter.setPen(colorOf(piece.ink));
        painter.drawText(piece.baseline, piece.text);
    }
    paintEdges(painter, paged, page);
    painter.restore();
}

} // namespace cudal1::pages
