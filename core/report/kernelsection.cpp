// SPDX-License-Identifier: GPL-3.0-or-later
// What the hardware does in the kernels of the variants that a report shows.
#include "core/report/sections.h"

#include "core/base/percenttext.h"
#include "core/base/timetext.h"
#include "core/charts/kernelcharts.h"
#include "core/report/cells.h"
#include "core/report/chartblock.h"

#include <algorithm>
#include <cmath>

namespace cudal1::report {

namespace {

using counters::KernelFacts;
using protocol::KernelMetrics;

constexpr std::size_t mostKernels = 12;

Cell shareCell(const std::optional<double>& share)
{
    return share ? numberCell(*share, fromUtf8(base::percentText(std::abs(*share) < 0.005 ? 0 : *share))) : noCell();
}

/// A difference has its sign, and may be below 0.
Cell signedTimeCell(double ns, bool isDifference)
{
    return numberCell(ns, fromUtf8((isDifference && ns > 0 ? "+" : "") + base::timeText(ns)));
}

Cell useCell(const KernelFacts& facts, std::optional<double> KernelMetrics::*use)
{
    return shareCell(facts.row.measured ? (*facts.row.measured).*use : std::nullopt);
}

Table kernelsTable(const ReportedKernels& one, std::span<const charts::KernelSide> sides)
{
    Table table{QStringLiteral("kernels-%1").arg(one.variant.value),
                QStringLiteral("The kernels that take most of a call, at most %1 a side.").arg(mostKernels),
                {{"side", "Side"},
                 {"kernel", "Kernel"},
                 {"time_ns", "A call", true},
                 {"share", "Share", true},
                 {"launches", "Times", true},
                 {"occupancy", "Occupancy", true},
                 {"occupancy_most", "At most", true},
                 {"limited_by", "Limited by"},
                 {"dram_use", "DRAM", true},
                 {"l2_use", "L2", true},
                 {"l1_use", "L1", true},
                 {"tensor_use", "Tensor", true},
                 {"fp32_use", "FP32", true},
                 {"held_up_by", "Held up by"}},
                {}};
    for (const charts::KernelSide& side : sides)
        for (std::size_t i = 0; i < std::min(side.facts.kernels.size(), mostKernels); ++i) {
            const KernelFacts& kernel = side.facts.kernels[i];
            const auto& fit = kernel.occupancy;
            table.rows.push_back(
                {textCell(side.name), textCell(counters::shortName(kernel.row.name)), timeCell(kernel.row.time_ns),
                 shareCell(kernel.share), numberCell(kernel.row.launches, QString::number(kernel.row.launches, 'g', 4)),
                 useCell(kernel, &KernelMetrics::occupancy), shareCell(fit ? std::optional(fit->share) : std::nullopt),
                 fit ? textCell(counters::limiterText(*fit, kernel.row.launch)) : noCell(),
                 useCell(kernel, &KernelMetrics::dramUse), useCell(kernel, &KernelMetrics::l2Use),
                 useCell(kernel, &KernelMetrics::l1Use), useCell(kernel, &KernelMetrics::tensorUse),
                 useCell(kernel, &KernelMetrics::fp32Use), kernel.held.empty() ? noCell() : textCell(kernel.held)});
        }
    return table;
}

Table changesTable(const ReportedKernels& one, const std::vector<counters::KernelChange>& changes)
{
    Table table{
        QStringLiteral("kernel-changes-%1").arg(one.variant.value),
        QStringLiteral("Where the time of the reference went in the variant. The last row has what is left of a "
                       "call; it is 0 where kernels run side by side, so that their times add up to more than the "
                       "call."),
        {{"kernel", "Kernel"},
         {"reference_ns", "Reference", true},
         {"variant_ns", "Variant", true},
         {"difference_ns", "Difference", true},
         {"share_of_gain", "Of the change", true}},
        {}};
    for (const counters::KernelChange& change : changes) {
        const bool isRest = &change == &changes.back(); // of which either side has some, if only 0
        const auto cellOf = [&](double ns) { return ns != 0 || isRest ? signedTimeCell(ns, false) : noCell(); };
        table.rows.push_back({textCell(counters::shortName(change.name)), cellOf(change.a_ns), cellOf(change.b_ns),
                              signedTimeCell(-change.gained_ns(), true), shareCell(change.share)});
    }
    return table;
}

} // namespace

void addKernels(const ReportFacts& facts, Document& document)
{
    for (const ReportedKernels& one : facts.kernels) {
        const QString number = QString::number(one.variant.value);
        const protocol::CounterSide reference = counters::sideOf(one.stored, {}),
                                    variant = counters::sideOf(one.stored, one.variant);
        const costs::Costs* costs = one.costs ? &*one.costs : nullptr;
        const protocol::DeviceInfo& device = one.stored.counters.device;
        const charts::KernelSide sides[] = {
            {QStringLiteral("reference"), counters::factsOf(reference, device, costs)},
            {QStringLiteral("variant ") + number, counters::factsOf(variant, device, costs)}};
        Section section{QStringLiteral("kernels-%1-section").arg(number),
                        QStringLiteral("Kernels of variant %1 of %2").arg(number, fromUtf8(one.task.value)),
                        {}};
        section.blocks.emplace_back(
            Paragraph{{}, fromUtf8(counters::sourceText(one.stored.counters)), {}, Tone::Soft, false});
        for (const charts::KernelSide& side : sides)
            if (!side.facts.bottleneck.empty())
                section.blocks.emplace_back(Paragraph{side.name, fromUtf8(side.facts.bottleneck) + u'.', {}});
        if (const charts::Chart chart = charts::roofline(sides, counters::roofsOf(device.model)); !chart.isEmpty()) {
            Figure figure = chartBlock(chart);
            figure.id = QStringLiteral("roofline-") + number;
            figure.data = {}; // the table below has what can be read
            section.blocks.emplace_back(std::move(figure));
        }
        section.blocks.emplace_back(kernelsTable(one, sides));
        section.blocks.emplace_back(changesTable(one, counters::changesOf(reference, variant)));
        document.sections.push_back(std::move(section));
    }
}

} // namespace cudal1::report
