// SPDX-License-Identifier: GPL-3.0-or-later
// Fields for a number that may be left to the model.
#pragma once

#include "core/base/result.h"

#include <QLayout>
#include <QLineEdit>

#include <limits>
#include <optional>

namespace cudal1::ui {

inline QString numberText(double value)
{
    return QString::number(value, 'g', 12);
}
template<class T> QString numberText(const std::optional<T>& value)
{
    return value ? QString::number(*value) : QString();
}

/// InvalidArgument for text that is no such number, with what the field is called.
base::Error notANumber(const QLineEdit* field, const char* kind);

/// Empty text is nothing; anything else has to be a number.
base::Status readNumber(const QLineEdit* field, std::optional<double>& out);
/// The same for a whole number from 0.
template<class T> base::Status readWhole(const QLineEdit* field, std::optional<T>& out)
{
    out.reset();
    const QString text = field->text().trimmed();
    if (text.isEmpty())
        return {};
    bool good = false;
    const qlonglong value = text.toLongLong(&good);
    if (!good || value < 0 || quint64(value) > quint64(std::numeric_limits<T>::max()))
        return notANumber(field, " is a whole number from 0");
    out = T(value);
    return {};
}

/// Two fields in one row of a form, with a word between them.
QLayout* besideEachOther(QWidget* first, const QString& between, QWidget* second);

} // namespace cudal1::ui
