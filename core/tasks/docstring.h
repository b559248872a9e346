// SPDX-License-Identifier: GPL-3.0-or-later
// What a Python file says of itself at its beginning.
#pragma once

#include <string>
#include <string_view>

namespace cudal1::tasks {

/// The text of the string that is the module's first statement, after comments and blank lines: without the indent that
/// its lines share and without blank lines around it. Empty when there is none. Escapes are left as they stand.
std::string docstringOf(std::string_view source);

} // namespace cudal1::tasks
