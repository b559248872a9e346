// SPDX-License-Identifier: GPL-3.0-or-later
// Chips of the selection.
#include "ui/work/selectionchips.h"

#include "ui/kit/filterchips.h"
#include "ui/work/selection.h"

namespace cudal1::ui {

FilterChips* makeChips(Selection& selection)
{
    auto* chips = new FilterChips;
    const auto show = [chips, &selection] {
        std::vector<FilterChip> shown;
        for (const SelectionFilter& filter : selection.filters())
            shown.push_back({filter.kind, filter.text});
        chips->setChips(shown);
    };
    QObject::connect(&selection, &Selection::filtersChanged, chips, show);
    QObject::connect(chips, &FilterChips::removed, &selection, &Selection::removeFilter);
    QObject::connect(chips, &FilterChips::cleared, &selection, [&selection] { selection.removeFilter({}); });
    show();
    return chips;
}

} // namespace cudal1::ui
