// SPDX-License-Identifier: GPL-3.0-or-later
// A variant as one Python file that runs with torch alone: task, variant, check and timing, for whoever wants to see
// for themselves.
#pragma once

#include "core/base/result.h"
#include "core/store/project.h"

#include <string>

namespace cudal1::report {

/// The program's text. It compares the variant with the reference on several seeds, times both in pairs and prints the
/// speed-up with an interval; at its head stands what the judge measured. It runs the variant without any of the
/// judge's protection, and says so. NotFound for an unknown variant; InvalidArgument for one that was made for another
/// text of its task.
base::Result<std::string> reproducerOf(const store::Project& project, base::VariantId variant);

/// A Python literal of this very text, readable where it can be.
std::string pythonLiteral(const std::string& text);

} // namespace cudal1::report
