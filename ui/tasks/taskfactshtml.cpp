// SPDX-License-Identifier: GPL-3.0-or-later
// Facts of a task as sections of rows.
#include "ui/tasks/taskfactshtml.h"

#include "ui/kit/tr.h"
#include "ui/variants/infoview.h"
#include "ui/variants/texts.h"

#include <QStringList>

#include <algorithm>

namespace cudal1::ui {

namespace {

using taskfacts::TaskFacts;
using Source = costs::Roofline::Source;

constexpr std::size_t listRows = 12;

QString mono(const QString& text)
{
    return QStringLiteral("<span class=mono>%1</span>").arg(text.toHtmlEscaped());
}

QString plain(const QString& text)
{
    return text.toHtmlEscaped();
}

QString muted(const QString& text)
{
    return QStringLiteral("<span class=muted>%1</span>").arg(text.toHtmlEscaped());
}

QString flops(double value)
{
    return QString::fromStdString(taskfacts::flopsText(value));
}
QString shape(const costs::Tensor& tensor)
{
    return QString::fromStdString(costs::shapeText(tensor));
}

QString deviceName(const TaskFacts& facts)
{
    return facts.device ? QString::fromStdString(facts.device->model) : QString();
}

QString describedHtml(const TaskFacts& facts)
{
    QString out = InfoView::prose(facts.description);
    // U+FE0E asks for the sign as text, not as a coloured picture.
    for (const taskfacts::Flag& flag : facts.flags)
        out += QStringLiteral("<p><span class=warn>⚠&#xFE0E; %1</span><br>%2</p>")
                   .arg(InfoView::escaped(flag.text), muted(QString::fromStdString(flag.source)));
    return out;
}

QString shapesHtml(const costs::Program& program)
{
    QString out = InfoView::heading(tr("Shapes")) + QStringLiteral("<table>");
    for (std::size_t i = 0; i < program.inputs.size(); ++i)
        out += InfoView::row(i == 0 ? tr("Inputs") : QString(),
                             mono(QString::fromStdString(program.inputs[i].name) + QStringLiteral("\u00A0\u00A0") +
                                  shape(program.inputs[i].tensor)));
    for (std::size_t i = 0; i < program.outputs.size(); ++i)
        out += InfoView::row(i == 0 ? tr("Output") : QString(), mono(shape(program.outputs[i])));
    return out + QStringLiteral("</table>");
}

QString floorText(const TaskFacts& facts)
{
    if (facts.onRecordedGpu)
        return floorText(*facts.onRecordedGpu);
    if (facts.device && !facts.onGpu())
        return muted(tr("none is given on a CPU"));
    const costs::Roofline& floor = facts.floor;
    if (floor.source == Source::Unknown)
        return muted(tr("unknown until something is judged on the device"));
    const QString from = floor.source == Source::Measured
                           ? tr("%1 measured on %2").arg(rateText(floor.bytesPerSecond), deviceName(facts))
                           : tr("%1 by the data sheet of %2, not measured yet")
                                 .arg(rateText(floor.bytesPerSecond), QString::fromStdString(floor.gpu));
    return plain(timeText(floor.bytes_ns)) + QStringLiteral("&nbsp;&nbsp; ") + muted(from);
}

QString productsText(const costs::Roofline& floor)
{
    QString out = plain(timeText(floor.fp32_ns)) + u' ' + tr("in fp32");
    if (floor.tf32_ns > 0)
        out += QStringLiteral(", %1 %2").arg(plain(timeText(floor.tf32_ns)), tr("in TF32"));
    return out + QStringLiteral("&nbsp;&nbsp; ") +
           muted(tr("products as written, at the peak of the data sheet of %1").arg(QString::fromStdString(floor.gpu)));
}

QString costHtml(const TaskFacts& facts)
{
    const costs::Costs& sums = *facts.costs;
    const QString atLeast = sums.complete ? QString() : tr("at least ");
    QString out = InfoView::heading(tr("Cost of one forward")) + QStringLiteral("<table>");
    out += InfoView::row(tr("FLOPs"), atLeast + plain(flops(sums.flops.total())) + QStringLiteral("&nbsp;&nbsp; ") +
                                          muted(sums.flops.products == sums.flops.total()
                                                    ? tr("all in products")
                                                    : tr("%1 in products").arg(flops(sums.flops.products))));
    out += InfoView::row(
        tr("Must move"),
        plain(bytesText(sums.minimum_bytes())) + QStringLiteral("&nbsp;&nbsp; ") +
            muted(tr("%1 read, %2 written").arg(bytesText(sums.read_bytes), bytesText(sums.written_bytes))));
    out += InfoView::row(tr("Floor by bytes"), floorText(facts));
    const costs::Roofline& floor = facts.onRecordedGpu ? facts.onRecordedGpu->floor : facts.floor;
    if (floor.fp32_ns > 0)
        out += InfoView::row(tr("By FLOPs"), productsText(floor));
    if (facts.program->forward_ns > 0)
        out += InfoView::row(tr("Measured"), plain(timeText(facts.program->forward_ns)) +
                                                 QStringLiteral("&nbsp;&nbsp; ") +
                                                 muted(QString::fromStdString(facts.programSource)));
    if (facts.program->randomised)
        out += InfoView::row(tr("Random"), tr("draws random numbers"));
    return out + QStringLiteral("</table>");
}

QString memoryHtml(const TaskFacts& facts)
{
    QString out = InfoView::heading(tr("Memory")) + QStringLiteral("<table>");
    out += InfoView::row(
        tr("One forward"),
        plain(bytesText(facts.costs->forward_bytes())) + QStringLiteral("&nbsp;&nbsp; ") +
            muted(tr("%1 of it results and intermediates").arg(bytesText(facts.costs->intermediates_bytes))));
    if (!facts.memory)
        return out + InfoView::row(tr("To judge it"), muted(tr("depends on the device"))) + QStringLiteral("</table>");
    const double has = static_cast<double>(facts.device->memory_bytes);
    const std::string warning = taskfacts::memoryWarning(facts);
    QString verdict = has > 0 ? tr("fits into the %1 of %2").arg(bytesText(has), deviceName(facts)) : tr("by forecast");
    verdict = warning.empty()
                ? muted(verdict)
                : QStringLiteral("<span class=warn>⚠&#xFE0E; %1</span>")
                      .arg(tr("does not fit into the %1 of %2").arg(bytesText(has), deviceName(facts)).toHtmlEscaped());
    out += InfoView::row(tr("To judge it"), tr("about ") + plain(bytesText(facts.memory->total_bytes())) +
                                                QStringLiteral("&nbsp;&nbsp; ") + verdict);
    return out + QStringLiteral("</table>");
}

QString moreHtml(std::size_t all)
{
    return all > listRows ? QStringLiteral("<p class=muted>%1</p>").arg(tr("and %1 more").arg(all - listRows))
                          : QString();
}

QString parametersHtml(const TaskFacts& facts)
{
    const costs::Program& program = *facts.program;
    QString out = InfoView::heading(tr("Parameters"));
    if (program.parameters.empty())
        return out + QStringLiteral("<p class=muted>%1</p>").arg(tr("none"));
    out += QStringLiteral("<p>%1</p><table>")
               .arg(tr("%1 numbers in %2 tensors, %3")
                        .arg(countText(std::int64_t(facts.costs->parameter_count)))
                        .arg(program.parameters.size())
                        .arg(bytesText(facts.costs->parameter_bytes)));
    for (std::size_t i = 0; i < std::min(program.parameters.size(), listRows); ++i)
        out += QStringLiteral("<tr><td class=mono>%1</td><td class=mono>&nbsp;&nbsp;%2</td></tr>")
                   .arg(InfoView::escaped(program.parameters[i].name),
                        shape(program.parameters[i].tensor).toHtmlEscaped());
    return out + QStringLiteral("</table>") + moreHtml(program.parameters.size());
}

QString modulesHtml(const costs::Program& program)
{
    if (program.modules.empty())
        return {};
    QString out = InfoView::heading(tr("Modules")) + QStringLiteral("<p>");
    for (std::size_t i = 0; i < std::min(program.modules.size(), listRows); ++i)
        out += (i > 0 ? QStringLiteral("<br>") : QString()) +
               mono(QStringLiteral("%1: %2").arg(QString::fromStdString(program.modules[i].first),
                                                 QString::fromStdString(program.modules[i].second)));
    return out + QStringLiteral("</p>") + moreHtml(program.modules.size());
}

QString sourceHtml(const store::TaskRecord& task, const TaskFacts& facts)
{
    QString out = InfoView::heading(tr("Source")) + QStringLiteral("<table>");
    out += InfoView::row(tr("Suite"), task.suite.empty() ? tr("single file") : InfoView::escaped(task.suite));
    if (task.level == 0)
        out += InfoView::row(tr("File"), mono(QString::fromStdString(task.id.value)));
    out += InfoView::row(tr("Split"), facts.split == tasks::Split::HeldOut
                                          ? tr("held out: policies are tested on it and do not learn from it")
                                          : tr("train: policies may learn from it"));
    out += InfoView::row(tr("SHA-256"), mono(QString::fromStdString(task.hash).left(16) + QChar(0x2026)));
    out += InfoView::row(tr("Lines"), QString::number(std::count(task.source.begin(), task.source.end(), '\n')));
    return out + QStringLiteral("</table>");
}

} // namespace

QString taskFactsHtml(const store::TaskRecord& task, const TaskFacts& facts, const QString& why)
{
    QString out = describedHtml(facts);
    if (facts.program)
        out += shapesHtml(*facts.program) + costHtml(facts) + memoryHtml(facts) + parametersHtml(facts) +
               modulesHtml(*facts.program);
    else
        out += QStringLiteral("<p class=muted>%1</p>")
                   .arg(why.isEmpty()
                            ? tr("Shapes, cost, memory and operators stand here once the task has been run on its "
                                 "shapes alone.")
                            : tr("Shapes, cost, memory and operators are not known: %1").arg(why.toHtmlEscaped()));
    return out + sourceHtml(task, facts);
}

} // namespace cudal1::ui
