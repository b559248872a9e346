// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers in texts, by printf.
<<<<<<<<HEAD : core / judge / supervisor / formattednumber.cpp
#include "core/judge/supervisor/formattednumber.h"
        == == == ==
#include "core/judge/supervisor/formattednumber.h"
        >>>>>>>> 8a455c02647908831709c93be96dd704f4679cec : core /
                                                            judge / supervisor /
                                                            formattednumber.cpp

#include <cstdio>

                                                            namespace cudal1::judge
{

    std::string number(double value, const char* format)
    {
        char text[64];
        std::snprintf(text, sizeof text, format, value);
        return text;
    }

} // namespace cudal1::judge
