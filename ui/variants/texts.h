// SPDX-License-Identifier: GPL-3.0-or-later
// How verdicts, speed-ups and ages read: the same words, icons and colours in every view.
#pragma once

#include "core/base/ids.h"
#include "core/protocol/marks.h"
#include "core/protocol/messages.h"
#include "core/store/project.h"
#include "ui/kit/theme.h"

#include <QString>

namespace cudal1::ui {

/// "3.86×", "19.8×", "449×": three figures.
QString speedupText(double speedup);
/// The estimate, with the decimals of intervalText().
QString speedupText(const base::Interval& interval);
/// "3.83–3.89"
QString intervalText(const base::Interval& interval);
/// The estimate, or "unclear" or "same" where the interval straddles 1; "not timed" where there is none. Behind it
/// stands the badge of `marks` (protocol::marksOf()), for places that paint none: "3.86× (questioned)".
QString speedupPhrase(const base::Interval& interval, const std::string& marks = {});
/// "3.86×  3.83–3.89", "unclear  0.91–1.14"
QString speedupSentence(const base::Interval& interval, const std::string& marks = {});
/// What they mean, a line each, by the words of their badges.
QString marksNote(const std::string& marks);
/// Text colour of a speed-up: gain, loss, or muted. A gain that comes at another precision has a colour of its own, and
/// one that is in question that of warnings.
Role meritRole(protocol::Merit merit);
Role speedupRole(const base::Interval& interval, const std::string& marks = {});
/// The colour of its bar, in the same meanings.
Role speedupBarRole(const base::Interval& interval, const std::string& marks = {});
/// protocol::marksWord() for a badge.
QString marksBadge(const std::string& marks);
/// Of a correct variant, for tables to sort by: larger for what protocol::isBetter() puts first, -1 where it was not
/// timed.
double gainOrder(const base::Interval& wall, const std::string& marks);

struct VerdictStyle {
    QString word; ///< "does not build"
    QString icon; ///< a name for Theme::icon
    Role role;    ///< of icon and word
};
VerdictStyle verdictStyle(protocol::Verdict verdict);
/// "#14", or what a baseline is called; "Reference" for none.
QString variantName(base::VariantId id, const std::string& baseline);
std::string marksOf(const store::VariantRow& row); ///< empty where it was not judged
/// Of a row: its verdict; "not judged" when it has not been: its run may have been stopped.
VerdictStyle verdictStyle(const store::VariantRow& row);

/// "#12", or "Reference" for 0.
QString variantName(base::VariantId id);
/// "cuda graph + tf32"; an em dash when there are none.
QString techniquesText(const std::vector<std::string>& techniques);
/// Who made a variant, as it is kept, with the names that the window has for variants: "ablation of #1: 1101".
QString originText(const std::string& origin);
/// base::ageText(), and base::agoText() for a sentence.
QString ageText(std::int64_t created_ms, std::int64_t now_ms);
QString agoText(std::int64_t created_ms, std::int64_t now_ms);
/// base::countText(): "12,345".
QString countText(std::int64_t count);
/// "1 task", "3,000 tasks": both words are given, since the program's own language has no translation file.
QString counted(std::int64_t count, const QString& one, const QString& many);
/// base::timeText(), base::bytesText() and base::rateText(); no line breaks between number and unit.
QString timeText(double nanoseconds);
QString bytesText(double bytes);
QString rateText(double bytesPerSecond);
/// "43 %", "0.4 %"; empty for 0, where it is not known
QString floorShareText(double share);

} // namespace cudal1::ui
