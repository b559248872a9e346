// SPDX-License-Identifier: GPL-3.0-or-later
// What the window's help says: of each page, of keys that belong to no action, and of each word that the window uses.
#pragma once

#include <QString>

#include <utility>
#include <vector>

namespace cudal1::ui {

/// What the page with this object name shows and how it is used, as the body of an InfoView; empty for an unknown one.
QString pageHelp(const QString& page);

/// Keys of a page that are no actions, as "W, S" and what they do. With an empty name those that hold everywhere.
std::vector<std::pair<QString, QString>> pageKeys(const QString& page);

/// Words in the order of the alphabet, each with its meaning in a sentence or two.
const std::vector<std::pair<QString, QString>>& glossary();

} // namespace cudal1::ui
