// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the text of a PDF as QPdfWriter makes it: streams unpacked, glyphs back to characters by each font's own map.
#pragma once

#include <QByteArray>
#include <QHash>
#include <QRegularExpression>
#include <QString>

namespace cudal1::tests {

class PdfText {
public:
    explicit PdfText(const QByteArray& pdf) { read(pdf); }

    /// All pages in order, without white space: glyphs are placed one by one, so spaces tell nothing.
    const QString& text() const { return m_text; }
    int pages() const { return m_pages; }
    int images() const { return m_images; } ///< pictures made of pixels

private:
    static QByteArray unpacked(const QByteArray& packed)
    {
        QByteArray sized(4, 0); // qUncompress wants the size in front and takes it for a hint
        sized[1] = char(0x40);
        return qUncompress(sized + packed);
    }

    void read(const QByteArray& pdf)
    {
        QHash<int, QByteArray> streams;
        QHash<int, int> maps; // font object -> its map
        QList<int> contents;
        static const QRegularExpression object("(\\d+) 0 obj\\n?"), toUnicode("/ToUnicode (\\d+) 0 R"),
            content("/Contents (\\d+) 0 R"), page("/Type\\s*/Page\\b(?!s)");
        for (qsizetype at = 0; (at = pdf.indexOf(" 0 obj", at)) >= 0; ++at) {
            qsizetype start = at;
            while (start > 0 && pdf[start - 1] >= '0' && pdf[start - 1] <= '9')
                --start;
            const int number = pdf.mid(start, at - start).toInt();
            const qsizetype end = pdf.indexOf("endobj", at), data = pdf.indexOf("stream\n", at);
            const bool hasStream = data >= 0 && data < end;
            const QString head = QString::fromLatin1(pdf.mid(at, (hasStream ? data : end) - at));
            if (hasStream) {
                const qsizetype close = pdf.indexOf("endstream", data);
                const QByteArray raw = pdf.mid(data + 7, close - data - 7);
                streams[number] = head.contains("FlateDecode") ? unpacked(raw) : raw;
                m_images += head.contains("/Subtype /Image");
                at = close;
            }
            if (const auto match = toUnicode.match(head); match.hasMatch())
                maps[number] = match.captured(1).toInt();
            if (const auto match = content.match(head); match.hasMatch() && page.match(head).hasMatch()) {
                contents << match.captured(1).toInt();
                ++m_pages;
            }
        }
        QHash<int, QHash<int, QString>> glyphs;
        for (auto it = maps.constBegin(); it != maps.constEnd(); ++it)
            glyphs[it.key()] = mapOf(QString::fromLatin1(streams[it.value()]));
        for (const int number : contents)
            readPage(QString::fromLatin1(streams[number]), glyphs);
    }

    static QHash<int, QString> mapOf(const QString& cmap)
    {
        QHash<int, QString> map;
        static const QRegularExpression range(
            "<([0-9a-fA-F]{4})>\\s*<([0-9a-fA-F]{4})>\\s*(?:<([0-9a-fA-F]+)>|\\[([^\\]]*)\\])"),
            one("<([0-9a-fA-F]+)>");
        const qsizetype begin = cmap.indexOf("endcodespacerange");
        auto ranges = range.globalMatch(cmap, begin);
        while (ranges.hasNext()) {
            const auto match = ranges.next();
            const int first = match.captured(1).toInt(nullptr, 16), last = match.captured(2).toInt(nullptr, 16);
            if (match.captured(4).isEmpty()) {
                const uint code = match.captured(3).toUInt(nullptr, 16);
                for (int glyph = first; glyph <= last; ++glyph)
                    map[glyph] = QString(QChar(char16_t(code + uint(glyph - first))));
                continue;
            }
            int glyph = first;
            auto ones = one.globalMatch(match.captured(4));
            while (ones.hasNext())
                map[glyph++] = QString(QChar(char16_t(ones.next().captured(1).toUInt(nullptr, 16))));
        }
        return map;
    }

    void readPage(const QString& page, const QHash<int, QHash<int, QString>>& glyphs)
    {
        static const QRegularExpression token("/F(\\d+) [-\\d.]+ Tf|<([0-9a-fA-F]+)>");
        int font = 0;
        auto tokens = token.globalMatch(page);
        while (tokens.hasNext()) {
            const auto match = tokens.next();
            if (!match.captured(1).isEmpty()) {
                font = match.captured(1).toInt();
                continue;
            }
            const QString hex = match.captured(2);
            for (qsizetype at = 0; at + 4 <= hex.size(); at += 4)
                m_text += glyphs[font].value(hex.mid(at, 4).toInt(nullptr, 16)).simplified();
        }
    }

    QString m_text;
    int m_pages = 0, m_images = 0;
};

} // namespace cudal1::tests
