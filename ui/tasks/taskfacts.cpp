// SPDX-License-Identifier: GPL-3.0-or-later
// Facts of a task from its record and its operator graph.
#include "ui/tasks/taskfacts.h"

#include "ui/variants/infoview.h"
#include "ui/variants/texts.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <map>

namespace cudal1::ui {

namespace {

constexpr std::size_t operatorRows = 12;
constexpr std::size_t parameterRows = 12;

QString tr(const char* text)
{
    return QCoreApplication::translate("cudal1::ui::TaskFacts", text);
}

QString mono(const QString& text)
{
    return QStringLiteral("<span class=mono>%1</span>").arg(text.toHtmlEscaped());
}

double elements(const protocol::GraphValue& value)
{
    double count = 1;
    for (const std::int64_t extent : value.shape)
        count *= double(extent);
    return count;
}

const protocol::GraphValue* valueOf(const protocol::OperatorGraph& graph, int id)
{
    const auto found = std::find_if(graph.values.begin(), graph.values.end(), [id](const auto& value) { return value.id == id; });
    return found == graph.values.end() ? nullptr : &*found;
}

QString operatorName(const std::string& op)
{
    QString name = QString::fromStdString(op);
    name.remove(QStringLiteral("aten."));
    if (name.endsWith(QLatin1String(".default")))
        name.chop(8);
    return name;
}

struct OperatorSum {
    QString name;
    int calls = 0;
    double time_ns = 0;
};

std::vector<OperatorSum> operatorsByTime(const protocol::OperatorGraph& graph)
{
    std::map<QString, OperatorSum> sums;
    for (const protocol::GraphNode& node : graph.nodes) {
        OperatorSum& sum = sums[operatorName(node.op)];
        ++sum.calls;
        sum.time_ns += node.time_ns;
    }
    std::vector<OperatorSum> out;
    for (auto& [name, sum] : sums) {
        sum.name = name;
        out.push_back(sum);
    }
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.time_ns > b.time_ns; });
    return out;
}

QString graphHtml(const TracedGraph& traced)
{
    const protocol::OperatorGraph& graph = traced.graph;
    QString out = QStringLiteral("<table>");
    int number = 0;
    for (const int id : graph.inputs)
        if (const protocol::GraphValue* value = valueOf(graph, id)) {
            const QString name = value->name.empty() ? tr("input %1").arg(number) : QString::fromStdString(value->name);
            out += InfoView::row(number == 0 ? tr("Inputs") : QString(), mono(name + QStringLiteral("  ") + shapeText(*value)));
            ++number;
        }
    number = 0;
    for (const int id : graph.outputs)
        if (const protocol::GraphValue* value = valueOf(graph, id))
            out += InfoView::row(number++ == 0 ? tr("Output") : QString(), mono(shapeText(*value)));

    std::vector<const protocol::GraphValue*> parameters;
    double total = 0;
    for (const protocol::GraphValue& value : graph.values)
        if (value.kind == protocol::GraphValue::Kind::Parameter) {
            parameters.push_back(&value);
            total += elements(value);
        }
    out += InfoView::row(tr("Parameters"), parameters.empty() ? tr("none")
                                                              : tr("%1 tensors, %2 numbers, %3")
                                                                    .arg(parameters.size())
                                                                    .arg(QLocale(QLocale::English).toString(total, 'f', 0))
                                                                    .arg(bytesText(double(graph.parameter_bytes))));
    if (graph.total_ns > 0)
        out += InfoView::row(tr("One forward"), tr("%1 on %2, precision %3")
                                                    .arg(timeText(graph.total_ns), InfoView::escaped(traced.device),
                                                         InfoView::escaped(traced.precision)));
    out += InfoView::row(tr("Operators"), graph.truncated ? tr("more than %1").arg(graph.nodes.size()) : QString::number(graph.nodes.size()));
    if (graph.randomised)
        out += InfoView::row(tr("Random"), tr("draws random numbers"));
    out += QStringLiteral("</table>");

    const std::vector<OperatorSum> operators = operatorsByTime(graph);
    double sum = 0;
    for (const OperatorSum& op : operators)
        sum += op.time_ns;
    out += InfoView::heading(sum > 0 ? tr("Operators by time, each measured alone") : tr("Operators")) + QStringLiteral("<table>");
    for (std::size_t i = 0; i < std::min(operators.size(), operatorRows); ++i) {
        const OperatorSum& op = operators[i];
        out += QStringLiteral("<tr><td class=mono>%1</td><td align=right class=muted>&nbsp;&nbsp;%2×&nbsp;&nbsp;</td>"
                              "<td align=right class=mono>%3</td><td align=right class=muted>&nbsp;&nbsp;%4</td></tr>")
                   .arg(op.name.toHtmlEscaped())
                   .arg(op.calls)
                   .arg(sum > 0 ? timeText(op.time_ns) : QString(),
                        sum > 0 ? QStringLiteral("%1 %").arg(100 * op.time_ns / sum, 0, 'f', 0) : QString());
    }
    out += QStringLiteral("</table>");
    if (operators.size() > operatorRows)
        out += QStringLiteral("<p class=muted>%1</p>").arg(tr("and %1 more kinds").arg(operators.size() - operatorRows));

    if (!parameters.empty()) {
        out += InfoView::heading(tr("Parameters")) + QStringLiteral("<table>");
        for (std::size_t i = 0; i < std::min(parameters.size(), parameterRows); ++i)
            out += QStringLiteral("<tr><td class=mono>%1</td><td class=mono>&nbsp;&nbsp;%2</td></tr>")
                       .arg(InfoView::escaped(parameters[i]->name), shapeText(*parameters[i]).toHtmlEscaped());
        out += QStringLiteral("</table>");
        if (parameters.size() > parameterRows)
            out += QStringLiteral("<p class=muted>%1</p>").arg(tr("and %1 more").arg(parameters.size() - parameterRows));
    }
    if (!graph.modules.empty()) {
        out += InfoView::heading(tr("Modules"));
        for (std::size_t i = 0; i < std::min(graph.modules.size(), parameterRows); ++i)
            out += mono(QString::fromStdString(graph.modules[i])) + QStringLiteral("<br>");
        if (graph.modules.size() > parameterRows)
            out += QStringLiteral("<span class=muted>%1</span>").arg(tr("and %1 more").arg(graph.modules.size() - parameterRows));
    }
    return out;
}

} // namespace

QString shapeText(const protocol::GraphValue& value)
{
    QStringList extents;
    for (const std::int64_t extent : value.shape)
        extents << QString::number(extent);
    return (extents.isEmpty() ? tr("scalar") : extents.join(QStringLiteral(" × "))) + u' ' + QString::fromStdString(value.dtype);
}

QString taskFactsHtml(const store::TaskRecord& task, const std::optional<TracedGraph>& graph)
{
    QString out;
    if (graph)
        out += graphHtml(*graph);
    else
        out += QStringLiteral("<p class=muted>%1</p>")
                   .arg(tr("Shapes, parameters and operators stand here once the task has been traced: the first step of Optimize."));
    out += InfoView::heading(tr("Source")) + QStringLiteral("<table>");
    out += InfoView::row(tr("Suite"), task.suite.empty() ? tr("single file") : InfoView::escaped(task.suite));
    if (task.level == 0)
        out += InfoView::row(tr("File"), mono(QString::fromStdString(task.id.value)));
    out += InfoView::row(tr("SHA-256"), mono(QString::fromStdString(task.hash).left(16) + QChar(0x2026)));
    out += InfoView::row(tr("Lines"), QString::number(std::count(task.source.begin(), task.source.end(), '\n')));
    return out + QStringLiteral("</table>");
}

} // namespace cudal1::ui
