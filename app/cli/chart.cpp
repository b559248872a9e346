// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 chart`: a chart of the project as a table, picture or data.

#include "app/cli/context.h"
#include "app/cli/output.h"
#include "app/cli/texttable.h"
#include "app/cli/verbs.h"
#include "core/charts/chartof.h"
#include "core/charts/svg.h"
#include "core/optimize/options.h"
#include "core/pages/chartpainter.h"

#include <QBuffer>
#include <QFileInfo>
#include <QGuiApplication>

#include <algorithm>
#include <cstdio>

namespace cudal1::cli {

using base::Error;
using base::ErrorCode;
using charts::Chart;

namespace {

struct Picture {
    QSizeF size;
    double scale = 2;
    bool dark = false;
};

Error badValue(const char* option, const QString& value, const char* hint)
{
    return {ErrorCode::InvalidArgument,
            std::string("--") + option + " cannot be \"" + value.toStdString() + "\"",
            {},
            hint};
}

base::Result<Picture> pictureOf(const QCommandLineParser& options)
{
    Picture picture;
    const QStringList parts = options.value("size").split('x');
    picture.size = {parts.value(0).toDouble(), parts.value(1).toDouble()};
    if (parts.size() != 2 || picture.size.width() < 200 || picture.size.height() < 120 ||
        picture.size.width() > 10000 || picture.size.height() > 10000)
        return badValue("size", options.value("size"),
                        "Give it as WIDTHxHEIGHT, from 200x120 to 10000x10000, such as 960x540");
    bool ok = false;
    picture.scale = options.value("scale").toDouble(&ok);
    if (!ok || picture.scale < 0.5 || picture.scale > 8)
        return badValue("scale", options.value("scale"), "Give a number from 0.5 to 8");
    picture.dark = options.isSet("dark");
    return picture;
}

base::Result<charts::Choices> choicesOf(const QCommandLineParser& options)
{
    charts::Choices choices;
    if (!rejudge::fromString(options.value("failures").toStdString(), choices.failures))
        return badValue("failures", options.value("failures"), "Give one, zero or left-out");
    choices.x = options.value("against").toStdString();
    choices.y = options.value("of").toStdString();
    choices.deviceModel = options.value("on").toStdString();
    if (options.isSet("run")) {
        choices.run.value = options.value("run").toLongLong();
        if (choices.run.value <= 0)
            return badValue("run", options.value("run"), "Give the number of a run");
    }
    return choices;
}

/// Names that are not in the project are errors, not empty charts.
base::Status checkChoices(charts::ChartKind kind, const charts::Choices& choices, const charts::Numbers& numbers)
{
    const auto find = [](const std::vector<charts::Option>& known, const std::string& id,
                         const char* what) -> base::Status {
        if (id.empty() ||
            std::any_of(known.begin(), known.end(), [&id](const charts::Option& option) { return option.id == id; }))
            return {};
        std::string list;
        for (const charts::Option& option : known)
            if (option.id != "0") // all of them, which is to name none
                list += (list.empty() ? "" : ", ") + ("\"" + option.id + "\"");
        return Error{ErrorCode::NotFound,
                     std::string("The project has no ") + what + " \"" + id + "\"",
                     {},
                     list.empty()
                         ? "It has none, or this chart has no such choice; `cudal1 chart --help` says which has"
                         : "It has " + list};
    };
    for (const std::string& id : {choices.x, choices.y})
        if (const auto status = find(charts::contenders(numbers), id, "results of"); !status)
            return status;
    if (kind == charts::ChartKind::Claims) // a device on which nothing was found leaves the claims
        return {};
    if (const auto status = find(charts::devices(numbers), choices.deviceModel, "results on a device"); !status)
        return status;
    return find(charts::runs(numbers), choices.run ? std::to_string(choices.run.value) : std::string(), "optimise run");
}

std::string chartTableText(const Chart& chart)
{
    std::vector<TextTable::Column> columns;
    for (const charts::ChartColumn& column : chart.table.columns)
        columns.push_back(
            {column.title.toStdString(), column.number ? TextTable::Align::Right : TextTable::Align::Left});
    TextTable table(columns);
    for (const std::vector<charts::ChartCell>& row : chart.table.rows) {
        std::vector<std::string> cells;
        cells.reserve(row.size());
        for (const charts::ChartCell& cell : row)
            cells.push_back(charts::textOf(cell).toStdString());
        table.add(std::move(cells));
    }
    std::string text = chart.title.toStdString() + "\n";
    if (!chart.note.isEmpty())
        text += chart.note.toStdString() + "\n";
    return text + "\n" + (chart.isEmpty() ? chart.empty.toStdString() : table.text()) + "\n";
}

base::Result<QByteArray> bytesOf(const Chart& chart, const QString& format, const Picture& picture)
{
    if (format == "json")
        return QByteArray::fromStdString(charts::jsonOf(chart)) + '\n';
    if (format == "csv")
        return charts::csvOf(chart.table).toUtf8();
    if (format == "txt")
        return QByteArray::fromStdString(chartTableText(chart));
    const charts::Palette& palette = picture.dark ? charts::darkPalette() : charts::lightPalette();
    if (format == "svg") {
        charts::SvgOptions how;
        how.palette = &palette;
        return charts::svgOf(chart, picture.size, {}, how).toUtf8();
    }
    if (format != "png")
        return Error{ErrorCode::InvalidArgument,
                     "A chart cannot be written as \"" + format.toStdString() + "\"",
                     {},
                     "Give svg, png, csv, json or txt"};
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const QImage image = charts::imageOf(
        charts::layOut(chart, picture.size - QSizeF(2 * charts::imageMargin, 2 * charts::imageMargin)),
        charts::colorsOf(palette), QGuiApplication::font(), picture.scale);
    if (image.isNull() || !image.save(&buffer, "PNG"))
        return Error{ErrorCode::Unavailable, "The picture could not be made", {}, "Choose a smaller --size or --scale"};
    return bytes;
}

int listCharts(Context& context)
{
    nlohmann::json list = nlohmann::json::array();
    for (const charts::KindInfo& kind : charts::kinds()) {
        list.push_back({{"id", kind.id}, {"what", kind.what}});
        context.terminal().print(QStringLiteral("%1  %2")
                                     .arg(QString::fromUtf8(kind.id), -14)
                                     .arg(QString::fromUtf8(kind.what))
                                     .toStdString());
    }
    if (context.settings().json)
        context.printJson({{"charts", std::move(list)}});
    return Done;
}

/// The chart of what the project has; of the suite that was named, if one was.
base::Result<Chart> made(Context& context, charts::ChartKind kind, const charts::Choices& choices)
{
    const auto project = context.storedProject();
    if (!project)
        return project.error();
    std::set<std::string> texts;
    if (!context.settings().suite.empty()) {
        const auto suite = context.suite();
        if (!suite)
            return suite.error();
        for (const tasks::Task& task : suite->tasks)
            texts.insert(task.hash);
    }
    auto rows = optimize::taskRows(**project);
    if (!rows)
        return rows.error();
    context.tellWhatCounts(**project);
    charts::Numbers numbers = charts::numbersOf(
        std::move(*rows), texts.empty() ? std::function<bool(const store::TaskRow&)>()
                                        : [&texts](const store::TaskRow& row) { return texts.contains(row.hash); });
    if (const auto status = charts::read(**project, kind, choices, numbers); !status)
        return status.error();
    if (const auto status = checkChoices(kind, choices, numbers); !status)
        return status.error();
    return charts::chartOf(kind, numbers, choices);
}

} // namespace

int chart(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    if (arguments.isEmpty())
        return listCharts(context);
    const charts::KindInfo* kind = charts::findKind(arguments[0].toStdString());
    if (!kind) {
        std::string known;
        for (const charts::KindInfo& one : charts::kinds())
            known += (known.empty() ? "" : ", ") + std::string(one.id);
        return context.fail({ErrorCode::InvalidArgument,
                             "There is no chart \"" + arguments[0].toStdString() + "\"",
                             {},
                             "There are " + known});
    }
    const auto choices = choicesOf(options);
    if (!choices)
        return context.fail(choices.error());
    const auto picture = pictureOf(options);
    if (!picture)
        return context.fail(picture.error());
    const QString path = options.value("output");
    const bool toOutput = path.isEmpty() || path == "-";
    QString format = options.value("format").toLower();
    if (format.isEmpty())
        format = context.settings().json ? "json"
               : path.isEmpty()          ? "txt"
               : path == "-"             ? "svg"
                                         : QFileInfo(path).suffix().toLower();
    if (context.settings().json && toOutput && format != "json")
        return context.fail({ErrorCode::InvalidArgument,
                             "--json and --format " + format.toStdString() + " both want the standard output",
                             {},
                             "Give -o a file"});

    const auto drawn = made(context, kind->kind, *choices);
    if (!drawn)
        return context.fail(drawn.error());
    const auto bytes = bytesOf(*drawn, format, *picture);
    if (!bytes)
        return context.fail(bytes.error());
    if (const auto written = write(toOutput ? QStringLiteral("-") : path,
                                   {bytes->constData(), std::size_t(bytes->size())}, "The chart");
        !written)
        return context.fail(written.error());
    if (toOutput)
        return Done;
    const std::string where = std::filesystem::absolute(path.toStdString()).string();
    if (context.settings().json)
        context.printJson({{"chart", where},
                           {"format", format.toStdString()},
                           {"bytes", bytes->size()},
                           {"empty", drawn->isEmpty()}});
    context.terminal().print("Chart written to " + where +
                             (drawn->isEmpty() ? ": " + drawn->empty.toStdString() : std::string()));
    return Done;
}

} // namespace cudal1::cli
