// SPDX-License-Identifier: GPL-3.0-or-later
// One field a row of the table, grouped by section.
#include "ui/shell/settingsdialog.h"

#include "ui/kit/settings.h"
#include "ui/kit/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace cudal1::ui {

namespace {

/// Shows what is stored and writes what the person enters; `notify` is the signal of an edit by hand or by program.
template<class Field, class Signal, class Show, class Read>
void bind(Field* field, const char* key, Signal notify, Show show, Read read)
{
    show(Settings::instance().value(key));
    QObject::connect(field, notify, field, [key, read] { Settings::instance().set(key, read()); });
    QObject::connect(&Settings::instance(), &Settings::changed, field, [key, show](const QString& changed) {
        if (changed == QLatin1String(key))
            show(Settings::instance().value(key));
    });
}

} // namespace

SettingsDialog::SettingsDialog(QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("Settings"));
    setObjectName(QStringLiteral("settings"));
    const Theme& theme = Theme::instance();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.unit(4), theme.unit(4), theme.unit(4), theme.unit(4));
    layout->setSpacing(theme.unit(3));
    auto* inside = new QWidget; // more than fits on a small screen
    auto* groups = new QVBoxLayout(inside);
    groups->setContentsMargins(0, 0, theme.unit(2), 0);
    groups->setSpacing(theme.unit(3));
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    layout->addWidget(scroll, 1);

    const char* section = "";
    QFormLayout* form = nullptr;
    for (const Setting& setting : Settings::table()) {
        if (QLatin1String(setting.section) != QLatin1String(section)) {
            section = setting.section;
            auto* group = new QGroupBox(QCoreApplication::translate("Settings", section));
            form = new QFormLayout(group);
            form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
            form->setHorizontalSpacing(theme.unit(4));
            groups->addWidget(group);
        }
        QWidget* field = makeField(setting);
        const QString label = QCoreApplication::translate("Settings", setting.label);
        const QString help = QCoreApplication::translate("Settings", setting.help);
        field->setObjectName(QLatin1String(setting.key));
        field->setAccessibleName(label);
        field->setAccessibleDescription(help);
        field->setToolTip(help);
        field->setMinimumWidth(theme.unit(60));
        // One column of fields through all groups.
        auto* name = new QLabel(setting.type == SettingType::Flag ? QString() : label);
        name->setBuddy(field);
        name->setMinimumWidth(theme.unit(34));
        form->addRow(name, field);
    }

    scroll->setWidget(inside);
    scroll->setMinimumWidth(inside->sizeHint().width() + theme.unit(4));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close | QDialogButtonBox::RestoreDefaults);
    // Changes take effect at once, so no button is the one that Enter should press.
    for (QAbstractButton* button : buttons->buttons())
        static_cast<QPushButton*>(button)->setAutoDefault(false);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this, [] {
        for (const Setting& setting : Settings::table())
            Settings::instance().reset(setting.key);
    });
    layout->addWidget(buttons);
    const int wanted = inside->sizeHint().height() + buttons->sizeHint().height() + theme.unit(12);
    resize(sizeHint().width(), std::min(wanted, theme.unit(170)));
}

void SettingsDialog::goTo(const QString& key)
{
    if (QWidget* field = key.isEmpty() ? nullptr : findChild<QWidget*>(key))
        field->setFocus(Qt::OtherFocusReason); // which the scroll area brings into view
}

QWidget* SettingsDialog::makeField(const Setting& setting)
{
    const char* key = setting.key;
    switch (setting.type) {
    case SettingType::Choice: {
        auto* field = new QComboBox;
        field->addItems(setting.choices);
        bind(
            field, key, &QComboBox::currentTextChanged,
            [field](const QVariant& v) { field->setCurrentText(v.toString()); },
            [field] { return field->currentText(); });
        return field;
    }
    case SettingType::Integer: {
        auto* field = new QSpinBox;
        field->setRange(int(setting.low), int(setting.high));
        bind(
            field, key, &QSpinBox::valueChanged, [field](const QVariant& v) { field->setValue(v.toInt()); },
            [field] { return field->value(); });
        return field;
    }
    case SettingType::Number: {
        auto* field = new QDoubleSpinBox;
        field->setDecimals(1);
        field->setRange(setting.low, setting.high);
        bind(
            field, key, &QDoubleSpinBox::valueChanged, [field](const QVariant& v) { field->setValue(v.toDouble()); },
            [field] { return field->value(); });
        return field;
    }
    case SettingType::Flag: {
        auto* field = new QCheckBox(QCoreApplication::translate("Settings", setting.label));
        bind(
            field, key, &QCheckBox::toggled, [field](const QVariant& v) { field->setChecked(v.toBool()); },
            [field] { return field->isChecked(); });
        return field;
    }
    case SettingType::Lines: {
        auto* field = new QPlainTextEdit;
        field->setTabChangesFocus(true);
        field->setLineWrapMode(QPlainTextEdit::NoWrap);
        field->setPlaceholderText(tr("none"));
        field->setFixedHeight(QFontMetrics(field->font()).lineSpacing() * 3 + Theme::instance().unit(4));
        bind(
            field, key, &QPlainTextEdit::textChanged,
            [field](const QVariant& v) {
                if (field->toPlainText() != v.toString())
                    field->setPlainText(v.toString());
            },
            [field] { return field->toPlainText(); });
        return field;
    }
    case SettingType::Text:
    case SettingType::Folder: break;
    }
    auto* field = new QLineEdit;
    field->setPlaceholderText(tr("default"));
    bind(
        field, key, &QLineEdit::editingFinished,
        [field](const QVariant& v) {
            if (!field->hasFocus())
                field->setText(v.toString());
        },
        [field] { return field->text(); });
    return field;
}

} // namespace cudal1::ui
