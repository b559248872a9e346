// SPDX-License-Identifier: GPL-3.0-or-later
// Asks the C++ runtime.
#include "core/base/symbolname.h"

#include <cxxabi.h>

#include <cstdlib>

namespace cudal1::base {

std::string demangled(const std::string& name)
{
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string out = text ? text : name;
    std::free(text);
    return out;
}

} // namespace cudal1::base
