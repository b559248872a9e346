// SPDX-License-Identifier: GPL-3.0-or-later
// What the checks of models' settings share.
#pragma once

#include "core/base/result.h"

#include <QRegularExpression>
#include <QString>

#include <string>

namespace cudal1::models {

/// The error for a setting that cannot be used.
inline base::Error wrongSetting(const std::string& message, const std::string& hint = {})
{
    return {base::ErrorCode::InvalidArgument, message, {}, hint};
}

/// Whether the whole of `text` is as the regular expression says.
inline bool matchesWhole(const std::string& text, const char* pattern)
{
    return QRegularExpression(QRegularExpression::anchoredPattern(QLatin1String(pattern)))
        .match(QString::fromStdString(text))
        .hasMatch();
}

} // namespace cudal1::models
