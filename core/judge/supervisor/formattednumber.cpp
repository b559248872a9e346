// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers in texts, by printf.
#include "core/judge/supervisor/formattednumber.h"

#include <cstdio>

namespace cudal1::judge {

std::string number(double value, const char* format)
{
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

} // namespace cudal1::judge
