// SPDX-License-Identifier: GPL-3.0-or-later
// Names that look alike are grouped, and each group shows where it first differs.
#include "ui/timeline/distinctnames.h"

#include <QHash>
#include <QList>

#include <algorithm>
#include <utility>

namespace cudal1::ui {

namespace {

constexpr QChar cutMark(0x2026);
constexpr int mostRounds = 16;

QString middleCut(const QString& name, int width)
{
    return name.size() <= width ? name : name.left(width / 2) + cutMark + name.right(width - 1 - width / 2);
}

/// The begin of the name, and the word around the character at `difference`.
QString withWordAt(const QString& name, qsizetype difference, int width)
{
    const int head = width / 3, room = width - head - 1;
    qsizetype word = difference;
    while (word > 0 && difference - word < room / 2 && name[word - 1].isLetterOrNumber())
        --word;
    if (word <= head + 1)
        return name.left(width - 1) + cutMark;
    if (name.size() - word <= room)
        return name.left(head) + cutMark + name.right(room);
    return name.left(head) + cutMark + name.mid(word, room - 1) + cutMark;
}

/// -1 where all are the same.
qsizetype firstDifference(const QStringList& names, const QList<qsizetype>& group)
{
    const QString& first = names[group.front()];
    qsizetype same = first.size();
    bool differ = false;
    for (const qsizetype at : group) {
        const QString& name = names[at];
        const auto [mine, its] = std::mismatch(first.begin(), first.end(), name.begin(), name.end());
        differ = differ || mine != first.end() || its != name.end();
        same = std::min<qsizetype>(same, mine - first.begin());
    }
    return differ ? same : -1;
}

} // namespace

QStringList distinctNames(const QStringList& names, int width)
{
    width = std::max(width, 8);
    QStringList out;
    for (const QString& name : names)
        out << middleCut(name, width);
    bool wereAlike = true;
    for (int round = 0; wereAlike && round < mostRounds; ++round) { // a round splits each group at one place
        wereAlike = false;
        QHash<QString, QList<qsizetype>> alike;
        for (qsizetype at = 0; at < names.size(); ++at)
            if (names[at].size() > width)
                alike[out[at]] << at;
        for (const QList<qsizetype>& group : std::as_const(alike))
            if (const qsizetype difference = firstDifference(names, group); difference >= 0) {
                wereAlike = true;
                for (const qsizetype at : group)
                    out[at] = withWordAt(names[at], difference, width);
            }
    }
    return out;
}

} // namespace cudal1::ui
