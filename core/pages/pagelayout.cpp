// SPDX-License-Identifier: GPL-3.0-or-later
// A report's document as pages: blocks one below the other, broken where a page ends.
#include "core/pages/pagelayout.h"

#include "core/charts/numbertext.h"
#include "core/pages/celllines.h"
#include "core/pages/tablelayout.h"
#include "core/report/look.h"

#include <QRegularExpression>

#include <algorithm>

namespace cudal1::pages {

using namespace cudal1::report;

namespace {

constexpr double width = rightEdge - leftEdge;
constexpr double small = 40, gap = 90; ///< between blocks
constexpr double belowDrawing = 300;   ///< for the caption
constexpr int mostEvidence = 30;       ///< lines

class Layout {
public:
    explicit Layout(const Document& document) : m_document(document) { m_paged.title = document.title; }

    Paged make(const std::function<bool(double)>& progress)
    {
        newSheet();
        for (const QString& line : wrapped(charts::visible(m_document.title), Style::Title, width))
            text(line, Style::Title, SheetInk::Text, leftEdge);
        m_y += gap;
        block(m_document.head);
        for (std::size_t at = 0; at < m_document.sections.size(); ++at) {
            if (progress && !progress(double(at) / double(m_document.sections.size())))
                break;
            section(m_document.sections[at]);
        }
        return std::move(m_paged);
    }

private:
    Sheet& sheet() { return m_paged.sheets.back(); }

    void newSheet()
    {
        m_paged.sheets.emplace_back().heading = m_heading;
        m_y = topEdge;
    }

    bool atTop() const { return m_y <= topEdge; }

    /// Room for so much on this sheet, or a new one.
    void need(double height)
    {
        if (m_y + height > bottomEdge && !atTop())
            newSheet();
    }

    void text(const QString& words, Style style, SheetInk ink, double x)
    {
        need(lineHeight(style));
        sheet().texts.push_back({{x, m_y + ascent(style)}, words, style, ink, false});
        m_y += lineHeight(style);
    }

    void put(const Line& line, double x, double y)
    {
        const double height = heightOf(line);
        for (const Run& run : line) {
            // Smaller pieces stand on the line of the largest.
            sheet().texts.push_back(
                {{x, y + height - lineHeight(Style::Small) * 0.32 - (height - lineHeight(Style::Small)) / 2},
                 run.text,
                 run.style,
                 run.ink,
                 run.struck});
            x += widthOf(run.text, run.style);
        }
    }

    void rule(double y, double from = leftEdge, double to = rightEdge)
    {
        sheet().boxes.push_back({{from, y, to - from, 4}, SheetInk::Line, 0});
    }

    void section(const Section& section)
    {
        if (!section.title.isEmpty())
            m_heading = charts::visible(section.title);
        if (section.newPage && !atTop())
            newSheet();
        if (!section.title.isEmpty()) {
            if (!atTop())
                m_y += 2 * gap;
            need(lineHeight(Style::Heading) +
                 std::max(900.0, heightTogether(section.blocks, 0))); // never alone at the foot
            if (atTop())
                sheet().heading.clear();
            for (const QString& line : wrapped(charts::visible(section.title), Style::Heading, width))
                text(line, Style::Heading, SheetInk::Text, leftEdge);
            m_y += small;
        }
        for (std::size_t at = 0; at < section.blocks.size(); ++at) {
            if (at + 1 < section.blocks.size() && std::holds_alternative<Heading>(section.blocks[at]) &&
                isLeftOut(section.blocks[at + 1]))
                continue;
            need(heightTogether(section.blocks, at));
            std::visit([this](const auto& it) { block(it); }, section.blocks[at]);
        }
    }

    /// Closed parts are for readers that can open them.
    static bool isLeftOut(const Block& block)
    {
        const auto* code = std::get_if<CodeListing>(&block);
        const auto* difference = std::get_if<CodeDifference>(&block);
        return (code && !code->open) || (difference && !difference->open);
    }

    /// A picture stays on the page of the heading above it, a table beside the sentence before it.
    static double heightTogether(const std::vector<Block>& blocks, std::size_t at)
    {
        if (at < blocks.size())
            if (const auto* alone = std::get_if<Figure>(&blocks[at]))
                return sizeOf(*alone).height() + belowDrawing;
        if (at + 1 < blocks.size() && std::holds_alternative<Paragraph>(blocks[at]) &&
            std::holds_alternative<Table>(blocks[at + 1]))
            return 1400; // a few rows
        if (at + 1 >= blocks.size() || !std::holds_alternative<Heading>(blocks[at]))
            return 0;
        const auto* drawing = std::get_if<Figure>(&blocks[at + 1]);
        return drawing ? gap + lineHeight(Style::Subheading) + small + sizeOf(*drawing).height() + belowDrawing : 0;
    }

    void block(const Paragraph& paragraph)
    {
        const Style style = paragraph.tone == Tone::Soft ? Style::Small : Style::Body;
        const QString words = charts::visible(
            paragraph.lead.isEmpty() ? paragraph.text : paragraph.lead + QLatin1Char(' ') + paragraph.text);
        const double most = std::min(width, 4700.0);
        const QStringList lines = wrapped(words, style, most);
        need(lineHeight(style) * double(std::min<qsizetype>(lines.size(), 3)));
        bool first = true;
        for (const QString& line : lines) {
            const QString lead = first ? charts::visible(paragraph.lead) : QString();
            if (!lead.isEmpty() && line.startsWith(lead)) {
                need(lineHeight(style));
                const double y = m_y + ascent(style);
                sheet().texts.push_back({{leftEdge, y}, lead, Style::Bold, inkOf(paragraph.tone), false});
                sheet().texts.push_back({{leftEdge + widthOf(lead + QLatin1Char(' '), Style::Bold), y},
                                         line.mid(lead.size() + 1),
                                         style,
                                         SheetInk::Text,
                                         false});
                m_y += lineHeight(style);
            } else {
                text(line, style, inkOf(paragraph.tone), leftEdge);
            }
            first = false;
        }
        m_y += gap * 0.6;
    }

    void block(const FactList& list)
    {
        constexpr double names = 1000;
        for (const Fact& fact : list.facts) {
            std::vector<Line> lines;
            for (const Cell& value : fact.values)
                for (Line& line : linesOf(value, Style::Small, Style::SmallBold, Style::Small, width - names))
                    lines.push_back(std::move(line));
            need(lineHeight(Style::Small));
            put({{fact.name, Style::Small, SheetInk::Soft}}, leftEdge, m_y);
            for (const Line& line : lines) {
                need(heightOf(line));
                put(line, leftEdge + names, m_y);
                m_y += heightOf(line);
            }
        }
        m_y += gap;
    }

    void block(const Cards& cards)
    {
        constexpr double between = 100, inside = 90;
        const double each = (width - between * double(cards.cards.size() - 1)) / double(cards.cards.size());
        const auto explained = [each](const Card& card) {
            return wrapped(card.explanation, Style::Tiny, each - 2 * inside);
        };
        qsizetype most = 0;
        for (const Card& card : cards.cards)
            most = std::max(most, explained(card).size());
        const double height = 2 * inside + lineHeight(Style::Small) + 20 + lineHeight(Style::Number) +
                              lineHeight(Style::Tiny) * double(most);
        need(height + gap);
        double x = leftEdge;
        for (const Card& card : cards.cards) {
            sheet().boxes.push_back({{x, m_y, each, height}, SheetInk::Panel, 60});
            double y = m_y + inside;
            put({{card.name, Style::SmallBold, SheetInk::Text}}, x + inside, y);
            y += lineHeight(Style::Small) + 20;
            const double base = y + ascent(Style::Number);
            sheet().texts.push_back({{x + inside, base}, card.value.text, Style::Number, SheetInk::Text, false});
            const double after = widthOf(card.value.text, Style::Number) + 40;
            if (inside + after + widthOf(card.value.detail, Style::Tiny) <= each)
                sheet().texts.push_back(
                    {{x + inside + after, base}, card.value.detail, Style::Tiny, SheetInk::Soft, false});
            y += lineHeight(Style::Number);
            for (const QString& line : explained(card)) {
                put({{line, Style::Tiny, SheetInk::Soft}}, x + inside, y);
                y += lineHeight(Style::Tiny);
            }
            x += each + between;
        }
        m_y += height + gap;
    }

    struct RowLines {
        std::vector<std::vector<Line>> cells;
        double height = 0;
    };

    void putRow(const RowLines& row, const Table& table, const TableLook& look)
    {
        double x = leftEdge;
        for (std::size_t at = 0; at < row.cells.size(); ++at) {
            double y = m_y;
            for (const Line& line : row.cells[at]) {
                put(line, table.columns[at].numeric ? x + look.widths[at] - cellGap - widthOf(line) : x, y);
                y += heightOf(line);
            }
            x += look.widths[at];
        }
        m_y += row.height;
    }

    void block(const Table& table)
    {
        const TableLook look = lookOf(table, width);
        if (!table.caption.isEmpty())
            block(Paragraph{{}, table.caption, {}, Tone::Soft, false});
        RowLines head;
        for (std::size_t at = 0; at < table.columns.size(); ++at) {
            auto& lines = head.cells.emplace_back();
            for (const QString& line : wrapped(table.columns[at].title, look.strong, look.widths[at] - cellGap))
                lines.push_back({{line, look.strong, SheetInk::Text}});
            head.height = std::max(head.height, double(lines.size()) * lineHeight(look.strong));
        }
        const auto putHead = [&] {
            putRow(head, table, look);
            m_y += 14;
            rule(m_y);
            m_y += 22;
        };
        const auto linesOfRow = [&](const std::vector<Cell>& cells) {
            RowLines row;
            for (std::size_t at = 0; at < cells.size(); ++at) {
                row.cells.push_back(linesOf(cells[at], look.style, look.strong, look.small, look.widths[at] - cellGap));
                double height = 0;
                for (const Line& line : row.cells.back())
                    height += heightOf(line);
                row.height = std::max(row.height, height);
            }
            return row;
        };
        need(head.height +
             std::max(500.0,
                      table.rows.empty() ? 0 : linesOfRow(table.rows.front()).height + 80)); // never alone at the foot
        putHead();
        for (const auto& cells : table.rows) {
            const RowLines row = linesOfRow(cells);
            if (m_y + row.height + 40 > bottomEdge && !atTop()) {
                newSheet();
                putHead();
            }
            putRow(row, table, look);
            m_y += 10;
            rule(m_y);
            m_y += 20;
        }
        m_y += gap;
    }

    /// On the page: as wide as its text, unless it would be too high.
    static QSizeF sizeOf(const Figure& drawing)
    {
        static const QRegularExpression box(QStringLiteral("viewBox=[\"'][-\\d.]+ [-\\d.]+ ([\\d.]+) ([\\d.]+)[\"']"));
        const auto match = box.match(drawing.svg);
        const double ratio = match.hasMatch() && match.captured(1).toDouble() > 0
                               ? match.captured(2).toDouble() / match.captured(1).toDouble()
                               : 0.5;
        const double height = std::min(width * ratio, (bottomEdge - topEdge) * 0.6);
        return {height / ratio, height};
    }

    void block(const Figure& drawing)
    {
        const QSizeF size = sizeOf(drawing);
        need(size.height() + belowDrawing);
        sheet().pictures.push_back({{{leftEdge, m_y}, size}, printable(drawing.svg).toUtf8()});
        m_y += size.height() + small;
        block(Paragraph{{}, drawing.caption, {}, Tone::Soft, false});
    }

    void codeLine(const QString& line, SheetInk ink, SheetInk ground)
    {
        for (const QString& piece : wrapped(line, Style::Mono, width - 120)) {
            need(lineHeight(Style::Mono));
            sheet().boxes.push_back({{leftEdge, m_y, width, lineHeight(Style::Mono)}, ground, 0});
            text(piece, Style::Mono, ink, leftEdge + 60);
        }
    }

    static QString printed(QString line)
    {
        return charts::visible(line.replace(QLatin1Char('\t'), QStringLiteral("    ")));
    }

    void block(const CodeListing& code)
    {
        if (!code.open)
            return;
        heading(code.title, {}, Style::Small, SheetInk::Soft);
        for (const QString& line : code.text.split(QLatin1Char('\n')))
            codeLine(printed(line), SheetInk::Text, SheetInk::Panel);
        m_y += gap;
    }

    void block(const CodeDifference& difference)
    {
        if (!difference.open)
            return;
        heading(difference.title, difference.counts, Style::Small, SheetInk::Soft);
        for (const DiffLine& line : difference.lines) {
            using Kind = DiffLine::Kind;
            static constexpr const char* signs[]{"  ", "− ", "+ ", "⋯ "};
            const QString words = QString::fromUtf8(signs[std::size_t(line.kind)]) + printed(line.text);
            const SheetInk ground = line.kind == Kind::Removed ? SheetInk::Removed
                                  : line.kind == Kind::Added   ? SheetInk::Added
                                                               : SheetInk::Panel;
            const double y = m_y;
            const auto sheetsBefore = m_paged.sheets.size();
            codeLine(words, line.kind == Kind::Gap ? SheetInk::Soft : SheetInk::Text, ground);
            // Marks only where places in the line are those of the text.
            if (m_paged.sheets.size() == sheetsBefore && m_y - y < 1.5 * lineHeight(Style::Mono) &&
                !line.text.contains(QLatin1Char('\t')))
                for (const auto& [first, count] : line.words) {
                    const double x = leftEdge + 60 + widthOf(words.left(2 + first), Style::Mono);
                    sheet().boxes.push_back(
                        {{x, y, widthOf(words.mid(2 + first, count), Style::Mono), lineHeight(Style::Mono)},
                         line.kind == Kind::Removed ? SheetInk::RemovedWord : SheetInk::AddedWord,
                         12});
                }
        }
        m_y += gap;
    }

    void block(const FindingBlock& finding)
    {
        const QStringList lines = wrapped(
            charts::visible(finding.text + QStringLiteral(" (") + finding.code + QLatin1Char(')')), Style::Body,
            width - 100);
        need(lineHeight(Style::Body) * double(lines.size()));
        for (const QString& line : lines) {
            need(lineHeight(Style::Body));
            sheet().boxes.push_back({{leftEdge, m_y, 24, lineHeight(Style::Body)}, inkOf(finding.tone), 0});
            text(line, Style::Body, SheetInk::Text, leftEdge + 100);
        }
        if (!finding.evidence.isEmpty()) {
            const QStringList evidence = finding.evidence.split(QLatin1Char('\n'));
            for (const QString& line : evidence.mid(0, mostEvidence))
                codeLine(printed(line), SheetInk::Soft, SheetInk::Panel);
            if (evidence.size() > mostEvidence)
                codeLine(QStringLiteral("… %1 more lines in the other formats").arg(evidence.size() - mostEvidence),
                         SheetInk::Soft, SheetInk::Panel);
        }
        m_y += gap * 0.6;
    }

    void heading(const QString& words, const QString& aside, Style style, SheetInk ink)
    {
        need(lineHeight(style) + 400);
        Line line{{charts::visible(words), style, ink, false}};
        if (!aside.isEmpty())
            line.push_back({QStringLiteral("  ") + charts::visible(aside), Style::Small, SheetInk::Soft, false});
        for (Run& run : line) { // an origin may be as long as it likes
            const QStringList fit = wrapped(run.text, run.style, width * 0.8);
            run.text = fit.size() > 1 ? fit.first() + QStringLiteral("…") : run.text;
        }
        put(line, leftEdge, m_y);
        m_y += heightOf(line) + small / 2;
    }

    void block(const Heading& it)
    {
        if (!atTop())
            m_y += gap * 0.7;
        heading(it.text, it.aside, Style::Subheading, SheetInk::Text);
    }

    const Document& m_document;
    Paged m_paged;
    QString m_heading;
    double m_y = topEdge;
};

} // namespace

Paged layOut(const Document& document, const std::function<bool(double)>& progress)
{
    return Layout(document).make(progress);
}

} // namespace cudal1::pages
