# SPDX-License-Identifier: GPL-3.0-or-later
# Turns INPUT into a header OUTPUT with its text as the raw string NAME, in pieces that every compiler takes. SPACE is
# the namespace within cudal1, `judge` where none is given.
if(NOT DEFINED SPACE)
    set(SPACE judge)
endif()
file(READ ${INPUT} text)
string(LENGTH "${text}" length)
set(pieces "")
set(start 0)
while(start LESS length)
    string(SUBSTRING "${text}" ${start} 8000 piece)
    string(APPEND pieces "R\"embedded(${piece})embedded\"\n")
    math(EXPR start "${start} + 8000")
endwhile()
file(WRITE ${OUTPUT} "// Generated from ${INPUT}.\n#pragma once\n\nnamespace cudal1::${SPACE} {\n\n"
    "inline constexpr const char* ${NAME} =\n${pieces};\n\n} // namespace cudal1::${SPACE}\n")
