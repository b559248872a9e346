// SPDX-License-Identifier: GPL-3.0-or-later
// A document as data: comma-separated values of its records, and JSON of all of it.
#include "core/base/csv.h"
#include "core/report/report.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>

namespace cudal1::report {

namespace {

using nlohmann::json;

json textOf(const QString& text)
{
    return text.toStdString();
}

/// Whole numbers and truth values as such, as far as a double holds every whole number.
json numberOf(const Cell& cell)
{
    const double value = *cell.value;
    if (cell.text == QLatin1String("true") || cell.text == QLatin1String("false"))
        return value != 0;
    constexpr double mostWhole = 9007199254740992; // 2^53
    if (std::abs(value) <= mostWhole && value == std::trunc(value))
        return std::int64_t(value);
    return value;
}

/// The number where there is one, else the text.
json valueOf(const Cell& cell)
{
    if (cell.interval.valid() && cell.value)
        return {{"value", *cell.value}, {"low", cell.interval.low}, {"high", cell.interval.high}};
    if (cell.value)
        return numberOf(cell);
    if (!cell.tags.isEmpty()) {
        json tags = json::array();
        for (const QString& tag : cell.tags)
            tags.push_back(textOf(tag));
        return tags;
    }
    return cell.text.isEmpty() || cell.none ? json(nullptr) : textOf(cell.text);
}

json rowsOf(const Table& table)
{
    json rows = json::array();
    for (const auto& cells : table.rows) {
        json row = json::object();
        for (std::size_t at = 0; at < cells.size(); ++at) {
            const std::string key = table.columns[at].key.toStdString();
            row[key] = valueOf(cells[at]);
            if (!cells[at].below.isEmpty())
                row[key + "_reason"] = textOf(cells[at].below);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

json blockOf(const Paragraph& paragraph)
{
    return {{"type", "paragraph"},
            {"text",
             textOf(paragraph.lead.isEmpty() ? paragraph.text : paragraph.lead + QLatin1Char(' ') + paragraph.text)}};
}

json blockOf(const FactList& list)
{
    json facts = json::object();
    for (const Fact& fact : list.facts) {
        json values = json::array();
        for (const Cell& value : fact.values)
            values.push_back(valueOf(value));
        facts[fact.key.toStdString()] = fact.values.size() == 1 ? values[0] : values;
    }
    return {{"type", "facts"}, {"facts", std::move(facts)}};
}

json blockOf(const Cards& cards)
{
    json numbers = json::object();
    for (const Card& card : cards.cards)
        numbers[card.key.toStdString()] = valueOf(card.value);
    return {{"type", "numbers"}, {"numbers", std::move(numbers)}};
}

json blockOf(const Table& table)
{
    json columns = json::array();
    for (const Column& column : table.columns)
        columns.push_back({{"key", textOf(column.key)}, {"title", textOf(column.title)}});
    return {{"type", "table"},
            {"id", textOf(table.id)},
            {"caption", textOf(table.caption)},
            {"columns", std::move(columns)},
            {"rows", rowsOf(table)}};
}

json blockOf(const Figure& drawing)
{
    return {{"type", "drawing"},
            {"id", textOf(drawing.id)},
            {"caption", textOf(drawing.caption)},
            {"rows", rowsOf(drawing.data)}};
}

json blockOf(const CodeListing& code)
{
    return {{"type", "code"}, {"title", textOf(code.title)}, {"text", textOf(code.text)}};
}

json blockOf(const CodeDifference& difference)
{
    json lines = json::array();
    for (const DiffLine& line : difference.lines) {
        static constexpr const char* kinds[]{"same", "removed", "added", "equal_lines_left_out"};
        lines.push_back({{"kind", kinds[std::size_t(line.kind)]}, {"text", textOf(line.text)}});
    }
    return {{"type", "difference"}, {"title", textOf(difference.title)}, {"lines", std::move(lines)}};
}

json blockOf(const FindingBlock& finding)
{
    return {{"type", "finding"},
            {"code", textOf(finding.code)},
            {"text", textOf(finding.text)},
            {"evidence", textOf(finding.evidence)}};
}

json blockOf(const Heading& heading)
{
    return {{"type", "heading"}, {"text", textOf(heading.text)}, {"aside", textOf(heading.aside)}};
}

} // namespace

QByteArray csvOf(const Document& document)
{
    const Table& table = document.records;
    std::string out;
    for (std::size_t at = 0; at < table.columns.size(); ++at)
        out += (at > 0 ? "," : "") + base::csvField(table.columns[at].key.toStdString());
    out += "\r\n";
    for (const auto& row : table.rows) {
        for (std::size_t at = 0; at < row.size(); ++at)
            out += (at > 0 ? "," : "") +
                   (row[at].value ? base::csvField(*row[at].value)
                                  : base::csvField(row[at].none ? std::string() : row[at].text.toStdString()));
        out += "\r\n";
    }
    return QByteArray::fromStdString(out);
}

QByteArray jsonOf(const Document& document)
{
    json sections = json::array();
    for (const Section& section : document.sections) {
        json blocks = json::array();
        for (const Block& block : section.blocks)
            blocks.push_back(std::visit([](const auto& it) { return blockOf(it); }, block));
        sections.push_back(
            {{"id", textOf(section.id)}, {"title", textOf(section.title)}, {"blocks", std::move(blocks)}});
    }
    const json out{{"report", 1}, // version of this format
                   {"title", textOf(document.title)},
                   {"project", textOf(document.project)},
                   {"scope", textOf(document.scope)},
                   {"template", textOf(document.templateName)},
                   {"created_ms", document.created_ms},
                   {"head", blockOf(document.head)["facts"]},
                   {"sections", std::move(sections)},
                   {"records", rowsOf(document.records)}};
    return QByteArray::fromStdString(out.dump(1, ' ', false, json::error_handler_t::replace)) + '\n';
}

} // namespace cudal1::report
