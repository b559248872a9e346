// SPDX-License-Identifier: GPL-3.0-or-later
// The settings: one table makes loading, saving, the change signal and the dialog.
#pragma once

#include <QObject>
#include <QStringList>
#include <QVariant>

#include <span>

namespace cudal1::ui {

enum class SettingType { Choice, Integer, Number, Text, Lines, Folder, Flag };

struct Setting {
    const char* key; ///< also the key in the file
    SettingType type;
    QVariant standard;
    double low = 0, high = 0; ///< Integer and Number
    QStringList choices;      ///< Choice: the words that are stored
    const char* section;
    const char* label;
    const char* help;
};

/// Values are checked against the table when they are loaded and when they are set: out of range is clamped, an unknown
/// word or a value of another type becomes the default.
class Settings : public QObject {
    Q_OBJECT
public:
    static Settings& instance();
    static std::span<const Setting> table();

    QVariant value(const char* key) const;
    QString text(const char* key) const { return value(key).toString(); }
    int integer(const char* key) const { return value(key).toInt(); }
    double number(const char* key) const { return value(key).toDouble(); }

    void set(const char* key, const QVariant& value);
    void reset(const char* key);

    // Not preferences, hence not in the table: what was opened last.
    QStringList recentProjects() const;
    void addRecentProject(const QString& path);

signals:
    void changed(const QString& key);
    void recentProjectsChanged();

private:
    Settings() = default;
    static const Setting& row(const char* key);
    static QVariant checked(const Setting& setting, const QVariant& value);
};

} // namespace cudal1::ui
