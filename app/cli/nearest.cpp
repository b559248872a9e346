// SPDX-License-Identifier: GPL-3.0-or-later
// Distances between words.
#include "app/cli/nearest.h"

#include <algorithm>
#include <vector>

namespace cudal1::cli {

namespace {

/// How many letters have to be put in, left out, replaced, or swapped with the next one (optimal string alignment).
int distance(const QString& a, const QString& b)
{
    const auto width = static_cast<std::size_t>(b.size()) + 1;
    std::vector<int> beforeLast(width), last(width), row(width);
    for (std::size_t j = 0; j < width; ++j)
        row[j] = static_cast<int>(j);
    for (int i = 1; i <= a.size(); ++i) {
        beforeLast.swap(last);
        last.swap(row);
        row[0] = i;
        for (int j = 1; j <= b.size(); ++j) {
            const auto at = static_cast<std::size_t>(j);
            row[at] = std::min({last[at] + 1, row[at - 1] + 1, last[at - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[at] = std::min(row[at], beforeLast[at - 2] + 1);
        }
    }
    return row.back();
}

} // namespace

QString nearest(const QString& word, const QStringList& known)
{
    QString found;
    int least = std::max(1, static_cast<int>(word.size()) / 3) + 1;
    for (const QString& one : known) {
        if (const int away = distance(word.toLower(), one.toLower()); away < least) {
            least = away;
            found = one;
        }
    }
    return found;
}

} // namespace cudal1::cli
