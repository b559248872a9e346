// SPDX-License-Identifier: GPL-3.0-or-later
// The table of colours: one row a role, light and dark beside each other.
#include "ui/kit/themecolors.h"

#include <array>

namespace cudal1::ui {

namespace {

struct Row {
    Role role;
    QRgb light;
    QRgb dark;
};

constexpr std::array colorRows{
    Row{Role::Window, 0xfff1f3f6, 0xff15171c},
    Row{Role::Surface, 0xffffffff, 0xff1c1f26},
    Row{Role::Raised, 0xfff8f9fb, 0xff232730},
    Row{Role::Hover, 0xffebeff5, 0xff2a2f3a},
    Row{Role::Selected, 0xffd9e8f7, 0xff233f5c},
    Row{Role::Border, 0xffd8dde4, 0xff343a46},
    Row{Role::Text, 0xff1a1f26, 0xffe4e8ee},
    Row{Role::Muted, 0xff57606c, 0xffa1aab7},
    Row{Role::Disabled, 0xff9aa2ad, 0xff626b79},
    Row{Role::Link, 0xff0a61ad, 0xff6cb4f5},
    Row{Role::Accent, 0xff0067b0, 0xff2374c4},
    Row{Role::AccentText, 0xffffffff, 0xffffffff},
    Row{Role::Reference, 0xff7d8691, 0xff8d96a4},
    Row{Role::Variant, 0xff0072b2, 0xff56b4e9},
    Row{Role::Gain, 0xff009e73, 0xff22b88c},
    Row{Role::Loss, 0xffd55e00, 0xfff07f3c},
    Row{Role::Warning, 0xffb87d00, 0xfff0b232},
    Row{Role::VariantText, 0xff00619a, 0xff6fc0ee},
    Row{Role::GainText, 0xff00704f, 0xff3fcda2},
    Row{Role::LossText, 0xffad4500, 0xfff79458},
    Row{Role::WarningText, 0xff855700, 0xfff3be4e},
    // Levels are ordered, so they are steps of one hue: each at least 3:1 against the surface and 1.5:1 against the
    // next.
    Row{Role::Level1, 0xff4a97d2, 0xff3a7ab5},
    Row{Role::Level2, 0xff2a70ad, 0xff56a9e0},
    Row{Role::Level3, 0xff0b4c82, 0xffb3dcf7},
    Row{Role::Level0, 0xffcc79a7, 0xffd58fb6},
    Row{Role::RemovedLine, 0xfffdeee6, 0xff38241c},
    Row{Role::RemovedWord, 0xfff7c9b0, 0xff6d3c24},
    Row{Role::AddedLine, 0xffe2f4ee, 0xff17322b},
    Row{Role::AddedWord, 0xffabe0ce, 0xff1e5f4b},
    Row{Role::Filler, 0xfff3f4f6, 0xff20232a},
    Row{Role::CodeText, 0xff1f252d, 0xffd9dee6},
    Row{Role::CodeBackground, 0xffffffff, 0xff1a1d23},
    Row{Role::CodeMargin, 0xff6a727d, 0xff8a93a1},
    Row{Role::CodeCurrentLine, 0xfff4f7fb, 0xff22262e},
    Row{Role::CodeKeyword, 0xff7a2f9c, 0xffc895e8},
    Row{Role::CodeString, 0xff1b6e3c, 0xff8fcf9e},
    Row{Role::CodeNumber, 0xff9a4a00, 0xffe6a66b},
    Row{Role::CodeComment, 0xff646c77, 0xff8b95a3},
    Row{Role::CodeFunction, 0xff0a5aa6, 0xff79bdf2},
    Row{Role::CodeClass, 0xff00666b, 0xff63cdd1},
    Row{Role::CodeDecorator, 0xff7d5a00, 0xffdcbf6d},
    Row{Role::CodeOperator, 0xff3a424d, 0xffb6bfcb},
};

constexpr bool inOrder()
{
    for (std::size_t i = 0; i < colorRows.size(); ++i)
        if (colorRows[i].role != Role(i))
            return false;
    return colorRows.size() == std::size_t(Role::Count);
}
static_assert(inOrder(), "one row for each role, in the order of the enumeration");

} // namespace

QColor themeColor(Role role, bool dark)
{
    const Row& row = colorRows[std::size_t(role)];
    return QColor::fromRgba(dark ? row.dark : row.light);
}

} // namespace cudal1::ui
