// SPDX-License-Identifier: GPL-3.0-or-later
// A report before it has a format: sections of typed blocks. Plain values, any thread; every writer reads the same
// ones, so that all formats carry the same numbers. Text is plain text, foreign or not: writers escape it.
#pragma once

#include "core/base/statistics.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace cudal1::report {

/// What a colour means; a sign or a word always stands beside it.
enum class Tone { Plain, Soft, Gain, Loss, Warning };

/// One value: what is shown, and the number behind it as it is stored.
struct Cell {
    QString text;
    QString sign;     ///< "▲" before the text
    QString detail;   ///< smaller, behind the text: "3.83–3.89"
    QString below;    ///< smaller, on a line of its own
    QString note;     ///< why it is struck
    QString target;   ///< id of the section that it leads to
    QStringList tags; ///< after the text
    Tone tone = Tone::Plain;
    bool none = false; ///< stands for a value that is not there; data formats hold null
    bool strong = false;
    bool struck = false;
    std::optional<double> value; ///< what a table is sorted by and what data formats hold instead of the text
    base::Interval interval;     ///< valid for a speed-up: data formats hold both its ends too
    std::optional<double> order; ///< to sort by where the value is none: place in a natural order
};

struct Column {
    QString key; ///< in data formats: "wall"
    QString title;
    bool numeric = false;
};

struct Table {
    QString id;
    QString caption;
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows; ///< each as long as columns
    bool sortable = true;
};

struct Paragraph {
    QString lead; ///< bold, before the text
    QString text;
    QString id;
    Tone tone = Tone::Plain;
    bool verbatim = false; ///< line ends and spaces count
};

struct Fact {
    QString key, name;
    std::vector<Cell> values; ///< one a line
};
struct FactList {
    std::vector<Fact> facts;
};

struct Card {
    QString key, name;
    Cell value;
    QString explanation;
};
struct Cards {
    std::vector<Card> cards;
};

/// A chart or a timeline. The SVG takes its colours from classes of the page (core/report/look.h); `data` holds its
/// numbers for formats that cannot draw; none where a table beside it has them.
struct Figure {
    QString id;
    QString svg;
    QString caption;
    Table data;
};

struct CodeListing {
    QString title;
    QString text;
    bool open = false; ///< unfolded where a format can fold
};

struct DiffLine {
    enum class Kind {
        Same,
        Removed,
        Added,
        Gap
    } kind = Kind::Same; ///< Gap: equal lines that are left out, told by the text
    QString text;
    std::vector<std::pair<int, int>> words; ///< first and length of what differs within the line
};
struct CodeDifference {
    QString title;  ///< "reference → variant 3"
    QString counts; ///< "+3 −1"
    std::vector<DiffLine> lines;
    bool open = false;
};

/// Why a verdict is what it is, or what was seen beside it.
struct FindingBlock {
    QString code, text, evidence;
    Tone tone = Tone::Warning;
    QString meaning; ///< of the code; shown where one points at it
};

struct Heading {
    QString text, aside;
};

using Block =
    std::variant<Paragraph, FactList, Cards, Table, Figure, CodeListing, CodeDifference, FindingBlock, Heading>;

struct Section {
    QString id;
    QString title; ///< empty: continues the one before
    std::vector<Block> blocks;
    bool newPage = false; ///< begins on a page of its own where there are pages
};

struct Document {
    QString title;
    QString project; ///< file name
    QString scope;   ///< "task 3/41"
    QString templateName;
    std::int64_t created_ms = 0;
    FactList head;
    std::vector<Section> sections;
    Table records; ///< what CSV holds: one row a judged variant, an ablation's combinations and effects, or the paper's
                   ///< tables, all numbers as stored
};

} // namespace cudal1::report
