// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the window in functions that belong to no QObject.
#pragma once

#include <QCoreApplication>
#include <QString>

namespace cudal1::ui {

/// As QObject::tr(), which a class's own functions find first.
inline QString tr(const char* text)
{
    return QCoreApplication::translate("cudal1::ui", text);
}

} // namespace cudal1::ui
