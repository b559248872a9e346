// SPDX-License-Identifier: GPL-3.0-or-later
// A document as Markdown (GitHub's flavour).
#include "core/charts/numbertext.h"
#include "core/report/report.h"

#include <algorithm>

namespace cudal1::report {

namespace {

/// Text that Markdown takes for nothing but text, on one line. It lets HTML through, so that is kept from beginning.
QString plain(const QString& text)
{
    QString out;
    for (const QChar c : charts::visible(text)) {
        if (c == QLatin1Char('\n') || c == QLatin1Char('\t'))
            out += QLatin1Char(' ');
        else if (c == QLatin1Char('&'))
            out += QStringLiteral("&amp;");
        else if (c == QLatin1Char('<'))
            out += QStringLiteral("&lt;");
        else if (c == QLatin1Char('>') && out.trimmed().isEmpty()) // else a quotation begins
            out += QStringLiteral("&gt;");
        else if (QStringLiteral("\\`*_[]|~#").contains(c))
            out += QStringLiteral("\\") + c;
        else
            out += c;
    }
    return out;
}

/// Of a cell that is a row's first thing, so that a "-" or "1." begins no list.
QString cellText(const Cell& cell)
{
    QString text = cell.sign.isEmpty() ? plain(cell.text) : plain(cell.sign) + QLatin1Char(' ') + plain(cell.text);
    if (cell.struck)
        text = QStringLiteral("~~") + text + QStringLiteral("~~");
    if (cell.strong)
        text = QStringLiteral("**") + text + QStringLiteral("**");
    if (!cell.target.isEmpty())
        text = QLatin1Char('[') + text + QStringLiteral("](#") + cell.target + QLatin1Char(')');
    for (const QString& tag : cell.tags)
        text += (text.isEmpty() ? QString() : QStringLiteral(", ")) + plain(tag);
    if (!cell.detail.isEmpty())
        text += QStringLiteral(" (") + plain(cell.detail) + QLatin1Char(')');
    if (!cell.below.isEmpty())
        text += QStringLiteral("<br>") + plain(cell.below);
    return text;
}

/// A fence longer than any run of backticks inside.
QString fenced(const QString& language, const QString& text)
{
    int longest = 2, run = 0;
    for (const QChar c : text) {
        run = c == QLatin1Char('`') ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const QString fence(longest + 1, QLatin1Char('`'));
    return fence + language + QLatin1Char('\n') + charts::visible(text) +
           (text.endsWith(QLatin1Char('\n')) ? QString() : QStringLiteral("\n")) + fence + QStringLiteral("\n\n");
}

class MarkdownWriter {
public:
    QString write(const Document& document)
    {
        m_text = QStringLiteral("# ") + plain(document.title) + QStringLiteral("\n\n");
        block(document.head);
        for (const Section& section : document.sections) {
            if (!section.id.isEmpty())
                m_text += QStringLiteral("<a id=\"") + charts::escaped(section.id) + QStringLiteral("\"></a>\n\n");
            if (!section.title.isEmpty())
                m_text += QStringLiteral("## ") + plain(section.title) + QStringLiteral("\n\n");
            for (const Block& one : section.blocks)
                std::visit([this](const auto& it) { block(it); }, one);
        }
        m_text += QStringLiteral("---\n\nMade by CUDA-L1 Workbench. Times in UTC.\n");
        return std::move(m_text);
    }

private:
    void block(const Paragraph& paragraph)
    {
        if (!paragraph.lead.isEmpty())
            m_text += QStringLiteral("**") + plain(paragraph.lead) + QStringLiteral("** ");
        if (!paragraph.verbatim) {
            m_text += plain(paragraph.text) + QStringLiteral("\n\n");
            return;
        }
        for (const QString& line : paragraph.text.split(QLatin1Char('\n')))
            m_text += plain(line) + QStringLiteral("  \n");
        m_text += QLatin1Char('\n');
    }

    void block(const FactList& list)
    {
        for (const Fact& fact : list.facts) {
            QStringList values;
            for (const Cell& value : fact.values)
                values << cellText(value);
            m_text += QStringLiteral("- **") + plain(fact.name) + QStringLiteral("**: ") +
                      values.join(QStringLiteral("; ")) + QLatin1Char('\n');
        }
        m_text += QLatin1Char('\n');
    }

    void block(const Cards& cards)
    {
        for (const Card& card : cards.cards)
            m_text += QStringLiteral("- **") + plain(card.name) + QStringLiteral("**: ") + cellText(card.value) +
                      QStringLiteral(", ") + plain(card.explanation) + QLatin1Char('\n');
        m_text += QLatin1Char('\n');
    }

    void block(const Table& table)
    {
        if (!table.caption.isEmpty())
            m_text += plain(table.caption) + QStringLiteral("\n\n");
        QString rule;
        for (const Column& column : table.columns) {
            m_text += QStringLiteral("| ") + plain(column.title) + QLatin1Char(' ');
            rule += column.numeric ? QStringLiteral("|---:") : QStringLiteral("|---");
        }
        m_text += QStringLiteral("|\n") + rule + QStringLiteral("|\n");
        for (const auto& row : table.rows) {
            for (const Cell& cell : row)
                m_text += QStringLiteral("| ") + cellText(cell) + QLatin1Char(' ');
            m_text += QStringLiteral("|\n");
        }
        m_text += QLatin1Char('\n');
    }

    void block(const Figure& drawing)
    {
        if (drawing.data.rows.empty())
            return; // nothing is left of it without the picture
        m_text += plain(drawing.caption) + QStringLiteral("\n\n");
        block(drawing.data);
    }

    void block(const CodeListing& code)
    {
        m_text += plain(code.title) + QStringLiteral(":\n\n") + fenced(QStringLiteral("python"), code.text);
    }

    void block(const CodeDifference& difference)
    {
        QString text;
        for (const DiffLine& line : difference.lines) {
            static constexpr const char* signs[]{" ", "-", "+", "@@ "};
            text += QLatin1String(signs[std::size_t(line.kind)]) + line.text +
                    (line.kind == DiffLine::Kind::Gap ? QStringLiteral(" @@\n") : QStringLiteral("\n"));
        }
        m_text += plain(difference.title) + QStringLiteral(" (") + difference.counts + QStringLiteral("):\n\n") +
                  fenced(QStringLiteral("diff"), text);
    }

    void block(const FindingBlock& finding)
    {
        m_text += QStringLiteral("> ") + plain(finding.text) + QStringLiteral(" (") + plain(finding.code) +
                  QStringLiteral(")\n\n");
        if (!finding.evidence.isEmpty())
            m_text += fenced({}, finding.evidence);
    }

    void block(const Heading& heading)
    {
        m_text += QStringLiteral("### ") + plain(heading.text) +
                  (heading.aside.isEmpty() ? QString() : QLatin1Char(' ') + plain(heading.aside)) +
                  QStringLiteral("\n\n");
    }

    QString m_text;
};

} // namespace

QString markdownOf(const Document& document)
{
    return MarkdownWriter().write(document);
}

} // namespace cudal1::report
