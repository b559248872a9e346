// SPDX-License-Identifier: GPL-3.0-or-later
// What colours mean, and the table of them: the only place that knows a literal colour.
#pragma once

#include <QColor>

namespace cudal1::ui {

/// What a colour means. Categorical ones are Okabe-Ito's, adjusted for each theme so that text and marks stay readable;
/// meaning is never carried by colour alone (a sign, a word or a hatch goes with it).
enum class Role {
    // surfaces, from the back to the front
    Window,   ///< behind docks and pages
    Surface,  ///< tables, editors, cards
    Raised,   ///< tool bar, headers, chips
    Hover,    ///< under the pointer
    Selected, ///< selected row, with Text on it
    Border,   ///< hairlines
    // ink
    Text,
    Muted, ///< secondary text; still 4.5:1 on Surface
    Disabled,
    Link,
    Accent,     ///< the one primary action; focus ring
    AccentText, ///< on Accent
    // meanings
    Reference, ///< grey
    Variant,   ///< blue
    Gain,      ///< green-blue
    Loss,      ///< vermilion
    Warning,   ///< orange
    // text in these meanings: readable at 4.5:1 on Surface
    VariantText,
    GainText,
    LossText,
    WarningText,
    // levels of a suite
    Level1,
    Level2,
    Level3,
    Level0, ///< single files
    // differences: backgrounds of lines and of words in them
    RemovedLine,
    RemovedWord,
    AddedLine,
    AddedWord,
    Filler, ///< lines that the other side has and this one lacks
    // code
    CodeText,
    CodeBackground,
    CodeMargin,
    CodeCurrentLine,
    CodeKeyword,
    CodeString,
    CodeNumber,
    CodeComment,
    CodeFunction,
    CodeClass,
    CodeDecorator,
    CodeOperator,
    Count, ///< not a role
};

/// Of the dark theme or of the light one. Any thread.
QColor themeColor(Role role, bool dark);

} // namespace cudal1::ui
