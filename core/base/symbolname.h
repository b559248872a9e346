// SPDX-License-Identifier: GPL-3.0-or-later
// Names of functions in object code, as people write them.
#pragma once

#include <string>

namespace cudal1::base {

/// "void scale<float>(float*, int)" of "_Z5scaleIfEvPT_i"; what is no mangled name stays as it is.
std::string demangled(const std::string& name);

} // namespace cudal1::base
