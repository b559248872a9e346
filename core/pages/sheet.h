// SPDX-License-Identifier: GPL-3.0-or-later
// What stands on a page: pieces of text, boxes and pictures at their places. Values; units are tenths of a point.
#pragma once

#include <QByteArray>
#include <QFont>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <QStringList>

#include <vector>

namespace cudal1::pages {

enum class Style { Body, Bold, Small, SmallBold, Tiny, TinyBold, Mono, Title, Heading, Subheading, Number };
enum class SheetInk { Text, Soft, Gain, Loss, Warning, Line, Panel, Removed, RemovedWord, Added, AddedWord };

struct TextPiece {
    QPointF baseline;
    QString text;
    Style style = Style::Body;
    SheetInk ink = SheetInk::Text;
    bool struck = false;
};

struct BoxPiece {
    QRectF box;
    SheetInk ink = SheetInk::Panel;
    double radius = 0;
};

struct PicturePiece {
    QRectF box;
    QByteArray svg; ///< with its colours inside
};

struct Sheet {
    QString heading;             ///< what the page is about, for its upper edge
    std::vector<BoxPiece> boxes; ///< painted first, in order
    std::vector<TextPiece> texts;
    std::vector<PicturePiece> pictures;
};

/// Pages of A4. Const once made; any thread may paint it.
struct Paged {
    QString title;
    std::vector<Sheet> sheets;
};

inline constexpr double pageWidth = 5953, pageHeight = 8419;
inline constexpr double leftEdge = 520, rightEdge = pageWidth - 520, topEdge = 640, bottomEdge = pageHeight - 640;

/// Fonts by style, in units of the page; needs an application with fonts (QGuiApplication).
QFont fontOf(Style style);
/// Height of a line, and how far its baseline is below its upper edge.
double lineHeight(Style style);
double ascent(Style style);
double widthOf(const QString& text, Style style);
/// Lines no wider than `width`; breaks between words, and within those that are too long. Line ends of the text count.
QStringList wrapped(const QString& text, Style style, double width);

} // namespace cudal1::pages
