// SPDX-License-Identifier: GPL-3.0-or-later
// A document as one HTML file.
#include "core/charts/numbertext.h"
#include "core/report/cells.h"
#include "core/report/look.h"
#include "core/report/report.h"

#include <QCryptographicHash>

namespace cudal1::report {

namespace {

/// What a browser may do with the page: apply its styles and run its one script, known by its hash, and nothing else.
/// So text from a candidate could not act even if it slipped past the escaping.
QString policy()
{
    const QByteArray hash = QCryptographicHash::hash(QByteArrayView(sortScript), QCryptographicHash::Sha256).toBase64();
    return QStringLiteral("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%1'; base-uri 'none'; "
                          "form-action 'none'")
        .arg(QLatin1String(hash));
}

const char* classOf(Tone tone)
{
    switch (tone) {
    case Tone::Plain: return "";
    case Tone::Soft: return "soft";
    case Tone::Gain: return "gain";
    case Tone::Loss: return "loss";
    case Tone::Warning: return "warn";
    }
    return "";
}

QString attribute(const char* name, const QString& value)
{
    return value.isEmpty() ? QString() : QStringLiteral(" %1=\"%2\"").arg(QLatin1String(name), charts::escaped(value));
}

class HtmlWriter {
public:
    QString write(const Document& document)
    {
        m_html = QStringLiteral("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" "
                                "lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n");
        m_html += QStringLiteral("<meta http-equiv=\"Content-Security-Policy\" content=\"%1\" />\n").arg(policy());
        m_html += QStringLiteral("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n");
        m_html +=
            QStringLiteral("<title>%1 – CUDA-L1 Workbench</title>\n<style>").arg(charts::escaped(document.title)) +
            styleSheet() + QStringLiteral("</style>\n</head>\n<body>\n<header><h1>") + charts::escaped(document.title) +
            QStringLiteral("</h1>");
        block(document.head);
        m_html += QStringLiteral("</header>\n");
        for (const Section& section : document.sections) {
            m_html += QStringLiteral("<section%1%2>")
                          .arg(attribute("id", section.id),
                               section.newPage ? QStringLiteral(" class=\"task\"") : QString());
            if (!section.title.isEmpty())
                m_html += QStringLiteral("<h2>") + charts::escaped(section.title) + QStringLiteral("</h2>\n");
            for (const Block& one : section.blocks)
                std::visit([this](const auto& it) { block(it); }, one);
            m_html += QStringLiteral("</section>\n");
        }
        m_html += QStringLiteral("<footer>Made by CUDA-L1 Workbench. Times in UTC.</footer>\n<script>") +
                  QString::fromUtf8(sortScript) + QStringLiteral("</script>\n</body>\n</html>\n");
        return std::move(m_html);
    }

private:
    // The pieces are put together with +=: QString::arg() would look for places in foreign text again and again.

    void cellText(const Cell& cell)
    {
        const bool toned = cell.tone != Tone::Plain;
        if (!cell.target.isEmpty())
            m_html += QStringLiteral("<a href=\"#") + charts::escaped(cell.target) + QStringLiteral("\">");
        if (cell.struck)
            m_html += QStringLiteral("<s") + attribute("title", cell.note) + QLatin1Char('>');
        if (toned)
            m_html += QStringLiteral("<span class=\"%1\">").arg(QLatin1String(classOf(cell.tone)));
        if (!cell.sign.isEmpty())
            m_html += QStringLiteral("<span class=\"sign\">") + charts::escaped(cell.sign) + QStringLiteral("</span>");
        if (cell.strong)
            m_html += QStringLiteral("<b>");
        m_html += charts::escaped(cell.text);
        if (cell.strong)
            m_html += QStringLiteral("</b>");
        if (toned)
            m_html += QStringLiteral("</span>");
        if (cell.struck)
            m_html += QStringLiteral("</s>");
        if (!cell.target.isEmpty())
            m_html += QStringLiteral("</a>");
        for (const QString& tag : cell.tags)
            m_html += QStringLiteral("<span class=\"tag\">") + charts::escaped(tag) + QStringLiteral("</span>");
        if (!cell.detail.isEmpty())
            m_html += QStringLiteral(" <span class=\"interval\">") + charts::escaped(cell.detail) +
                      QStringLiteral("</span>");
        if (!cell.below.isEmpty())
            m_html += QStringLiteral("<br /><span class=\"soft small\">") + charts::escaped(cell.below) +
                      QStringLiteral("</span>");
    }

    void block(const Paragraph& paragraph)
    {
        const QString tone = paragraph.tone == Tone::Soft ? QStringLiteral("rule")
                                                          : QLatin1String(classOf(paragraph.tone));
        m_html += QStringLiteral("<p%1%2>").arg(attribute("class", paragraph.verbatim ? QStringLiteral("words") : tone),
                                                attribute("id", paragraph.id));
        if (!paragraph.lead.isEmpty())
            m_html += QStringLiteral("<b>") + charts::escaped(paragraph.lead) + QStringLiteral("</b> ");
        m_html += charts::escaped(paragraph.text) + QStringLiteral("</p>\n");
    }

    void block(const FactList& list)
    {
        m_html += QStringLiteral("<dl class=\"facts\">");
        for (const Fact& fact : list.facts) {
            m_html += QStringLiteral("<dt>") + charts::escaped(fact.name) + QStringLiteral("</dt><dd>");
            for (std::size_t at = 0; at < fact.values.size(); ++at) {
                if (at > 0)
                    m_html += QStringLiteral("<br />");
                cellText(fact.values[at]);
            }
            m_html += QStringLiteral("</dd>");
        }
        m_html += QStringLiteral("</dl>\n");
    }

    void block(const Cards& cards)
    {
        m_html += QStringLiteral("<div class=\"cards\">");
        for (const Card& card : cards.cards)
            m_html += QStringLiteral("<div class=\"card\"><span class=\"name\">") + charts::escaped(card.name) +
                      QStringLiteral("</span><b>") + charts::escaped(card.value.text) + QStringLiteral(" <small>") +
                      charts::escaped(card.value.detail) + QStringLiteral("</small></b><span>") +
                      charts::escaped(card.explanation) + QStringLiteral("</span></div>");
        m_html += QStringLiteral("</div>\n");
    }

    void block(const Table& table)
    {
        m_html += QStringLiteral("<div class=\"scroll\"><table%1%2>")
                      .arg(attribute("id", table.id),
                           table.sortable ? QStringLiteral(" class=\"sortable\"") : QString());
        if (!table.caption.isEmpty())
            m_html += QStringLiteral("<caption>") + charts::escaped(table.caption) + QStringLiteral("</caption>");
        m_html += QStringLiteral("<thead><tr>");
        for (const Column& column : table.columns) {
            const QString title = charts::escaped(column.title);
            m_html += (column.numeric ? QStringLiteral("<th class=\"num\">") : QStringLiteral("<th>")) +
                      (table.sortable ? QStringLiteral("<button>") + title + QStringLiteral("</button>") : title) +
                      QStringLiteral("</th>");
        }
        m_html += QStringLiteral("</tr></thead><tbody>");
        for (const auto& row : table.rows) {
            m_html += QStringLiteral("<tr>");
            for (std::size_t at = 0; at < row.size(); ++at) {
                const Cell& cell = row[at];
                const std::optional<double> order = cell.value ? cell.value : cell.order;
                m_html += table.columns[at].numeric ? QStringLiteral("<td class=\"num\"") : QStringLiteral("<td");
                if (table.sortable && order)
                    m_html += QStringLiteral(" data-v=\"%1\"").arg(QString::number(*order, 'g', 17));
                m_html += QLatin1Char('>');
                cellText(cell);
                m_html += QStringLiteral("</td>");
            }
            m_html += QStringLiteral("</tr>\n");
        }
        m_html += QStringLiteral("</tbody></table></div>\n");
    }

    void block(const Figure& drawing)
    {
        m_html += QStringLiteral("<figure>") + drawing.svg + QStringLiteral("<figcaption>") +
                  charts::escaped(drawing.caption) + QStringLiteral("</figcaption></figure>\n");
    }

    void fold(const QString& title, const QString& aside, bool open)
    {
        m_html += QStringLiteral("<details%1><summary>").arg(open ? QStringLiteral(" open=\"open\"") : QString()) +
                  charts::escaped(title) +
                  (aside.isEmpty() ? QString()
                                   : QStringLiteral(" <span class=\"soft\">") + charts::escaped(aside) +
                                         QStringLiteral("</span>")) +
                  QStringLiteral("</summary>");
    }

    void block(const CodeListing& code)
    {
        fold(code.title, {}, code.open);
        m_html += QStringLiteral("<pre><code>") + charts::escaped(code.text) +
                  QStringLiteral("</code></pre></details>\n");
    }

    void block(const CodeDifference& difference)
    {
        fold(difference.title, difference.counts, difference.open);
        m_html += QStringLiteral("<pre class=\"diff\">");
        for (const DiffLine& line : difference.lines)
            diffLine(line);
        m_html += QStringLiteral("</pre></details>\n");
    }

    void diffLine(const DiffLine& line)
    {
        static constexpr const char* classes[]{"same", "removed", "added", "gap"};
        static constexpr const char* signs[]{"  ", "− ", "+ ", "⋯ "};
        const auto kind = std::size_t(line.kind);
        m_html +=
            QStringLiteral("<span class=\"%1\">%2").arg(QLatin1String(classes[kind]), QString::fromUtf8(signs[kind]));
        int from = 0;
        for (const auto& [first, count] : line.words) {
            m_html += charts::escaped(line.text.mid(from, first - from)) + QStringLiteral("<mark>") +
                      charts::escaped(line.text.mid(first, count)) + QStringLiteral("</mark>");
            from = first + count;
        }
        m_html += charts::escaped(line.text.mid(from)) + QStringLiteral("</span>\n");
    }

    void block(const FindingBlock& finding)
    {
        m_html += QStringLiteral("<div class=\"reason %1\">").arg(QLatin1String(classOf(finding.tone))) +
                  charts::escaped(finding.text) + QStringLiteral(" <code%1>").arg(attribute("title", finding.meaning)) +
                  charts::escaped(finding.code) + QStringLiteral("</code>");
        if (!finding.evidence.isEmpty()) {
            fold(QStringLiteral("evidence"), {}, finding.evidence.size() < 600);
            m_html += QStringLiteral("<pre>") + charts::escaped(finding.evidence) + QStringLiteral("</pre></details>");
        }
        m_html += QStringLiteral("</div>\n");
    }

    void block(const Heading& heading)
    {
        m_html += QStringLiteral("<h3>") + charts::escaped(heading.text) +
                  (heading.aside.isEmpty() ? QString()
                                           : QStringLiteral(" <span class=\"soft\">") + charts::escaped(heading.aside) +
                                                 QStringLiteral("</span>")) +
                  QStringLiteral("</h3>\n");
    }

    QString m_html;
};

} // namespace

QString htmlOf(const Document& document)
{
    return HtmlWriter().write(document);
}

} // namespace cudal1::report
