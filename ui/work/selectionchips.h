// SPDX-License-Identifier: GPL-3.0-or-later
// The filters that all views follow, as removable chips.
#pragma once

namespace cudal1::ui {

class FilterChips;
class Selection;

/// Chips that show the filters of `selection` and take them away; without a parent yet.
FilterChips* makeChips(Selection& selection);

} // namespace cudal1::ui
