// SPDX-License-Identifier: GPL-3.0-or-later
// The settings as a form made from their table. Not modal; what is changed takes effect at once.
#pragma once

#include <QDialog>

namespace cudal1::ui {

struct Setting;

class SettingsDialog : public QDialog {
    Q_OBJECT
public:
    explicit SettingsDialog(QWidget* parent = nullptr);

    /// Puts the cursor into the field of a setting; of an unknown key nothing.
    void goTo(const QString& key);

private:
    QWidget* makeField(const Setting& setting);
};

} // namespace cudal1::ui
