// SPDX-License-Identifier: GPL-3.0-or-later
// The differences of core/base/diff.h under the names that the page uses.
#pragma once

#include "core/base/diff.h"

namespace cudal1::ui {

using base::ByteSpan;
using base::Difference;
using base::DiffRow;
using base::diffSequences;
using base::diffWords;
using base::EqualRun;
using base::equalRuns;
using base::Hunk;
using base::RowKind;
using base::rowOfLine;
using base::SideBySide;
using base::sideBySide;
using base::splitLines;

} // namespace cudal1::ui
