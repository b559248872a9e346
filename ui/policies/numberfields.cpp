// SPDX-License-Identifier: GPL-3.0-or-later
// Reading numbers from fields.
#include "ui/policies/numberfields.h"

#include "ui/kit/theme.h"

#include <QHBoxLayout>
#include <QLabel>

namespace cudal1::ui {

using base::Error;
using base::ErrorCode;

Error notANumber(const QLineEdit* field, const char* kind)
{
    return {ErrorCode::InvalidArgument,
            field->accessibleName().toStdString() + kind + ", not \"" + field->text().trimmed().toStdString() + "\"",
            {},
            "Leave it empty for the model's own"};
}

base::Status readNumber(const QLineEdit* field, std::optional<double>& out)
{
    out.reset();
    const QString text = field->text().trimmed();
    if (text.isEmpty())
        return {};
    bool good = false;
    out = text.toDouble(&good);
    return good ? base::Status() : notANumber(field, " is a number");
}

QLayout* besideEachOther(QWidget* first, const QString& between, QWidget* second)
{
    auto* out = new QHBoxLayout;
    out->setSpacing(Theme::instance().unit(2));
    out->addWidget(first, 1);
    out->addWidget(new QLabel(between));
    out->addWidget(second, 1);
    return out;
}

} // namespace cudal1::ui
