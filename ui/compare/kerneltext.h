// SPDX-License-Identifier: GPL-3.0-or-later
// The device code of one side of a comparison as a text to show, or what is in its place.
#pragma once

#include "core/store/project.h"

#include <string>

namespace cudal1::ui {

enum class CodeKind { Source, Ptx, Sass, Counters };

/// Comments at its head say on which device it was captured and what is missing; SASS is without addresses. Empty
/// `records`: it was not captured. Any thread. `captured`: other variants of the task that have some, named where this
/// one has none. `source`: the variant's, whose lines stand beside the code that came from them.
std::string kernelText(base::VariantId variant, const std::vector<store::KernelsRecord>& records, CodeKind kind,
                       const std::vector<base::VariantId>& captured = {}, const std::string& source = {});

} // namespace cudal1::ui
