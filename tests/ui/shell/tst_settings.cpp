// SPDX-License-Identifier: GPL-3.0-or-later
// Every setting goes to the file and back, is checked against its row, and has a working field in the dialog.
#include "ui/kit/settings.h"
#include "ui/kit/theme.h"
#include "ui/shell/settingsdialog.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTest>

using namespace cudal1::ui;

namespace {

/// A value that is allowed and is not the default.
QVariant another(const Setting& setting)
{
    switch (setting.type) {
    case SettingType::Choice:
        return setting.choices.last() == setting.standard.toString() ? setting.choices.first() : setting.choices.last();
    case SettingType::Integer: return int(setting.high) - 1;
    case SettingType::Number: return setting.high - 1.5;
    case SettingType::Flag: return !setting.standard.toBool();
    default: return QStringLiteral("/some where/else");
    }
}

} // namespace

class TestSettings : public QObject {
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("cudal1-test-settings"));
        Theme::instance().install(*qApp);
    }
    void init() { QSettings().clear(); }
    void cleanupTestCase() { QSettings().clear(); }

    void everyKeyGoesRound_data()
    {
        QTest::addColumn<int>("row");
        for (int i = 0; i < int(Settings::table().size()); ++i)
            QTest::addRow("%s", Settings::table()[std::size_t(i)].key) << i;
    }
    void everyKeyGoesRound()
    {
        QFETCH(int, row);
        const Setting& setting = Settings::table()[std::size_t(row)];
        Settings& settings = Settings::instance();
        QCOMPARE(settings.value(setting.key), setting.standard);
        QSignalSpy changed(&settings, &Settings::changed);
        const QVariant value = another(setting);
        settings.set(setting.key, value);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(changed.first().first().toString(), QString::fromLatin1(setting.key));
        QCOMPARE(settings.value(setting.key), value);
        // No other key may be stored under this one: each row reads what it wrote.
        for (const Setting& other : Settings::table())
            if (&other != &setting)
                QCOMPARE(settings.value(other.key), other.standard);
        // As another process would read it.
        QSettings file;
        file.sync();
        QCOMPARE(file.value(QStringLiteral("settings/") + setting.key).toString(), value.toString());
        settings.reset(setting.key);
        QCOMPARE(settings.value(setting.key), setting.standard);
    }

    void whatIsOutOfRangeIsPutRight()
    {
        Settings& settings = Settings::instance();
        settings.set("rounds", 1000000);
        QCOMPARE(settings.integer("rounds"), 100);
        settings.set("preset", QStringLiteral("enormous"));
        QCOMPARE(settings.text("preset"), QStringLiteral("standard"));
        QSettings().setValue(QStringLiteral("settings/rounds"), QStringLiteral("many"));
        QCOMPARE(settings.integer("rounds"), 3);
    }

    void everyKeyHasAFieldThatWritesIt()
    {
        SettingsDialog dialog;
        for (const Setting& setting : Settings::table()) {
            const QVariant value = another(setting);
            auto* field = dialog.findChild<QWidget*>(QString::fromLatin1(setting.key));
            QVERIFY2(field, setting.key);
            QVERIFY(!field->accessibleName().isEmpty());
            if (auto* combo = qobject_cast<QComboBox*>(field))
                combo->setCurrentText(value.toString());
            else if (auto* spin = qobject_cast<QSpinBox*>(field))
                spin->setValue(value.toInt());
            else if (auto* number = qobject_cast<QDoubleSpinBox*>(field))
                number->setValue(value.toDouble());
            else if (auto* check = qobject_cast<QCheckBox*>(field))
                check->setChecked(value.toBool());
            else if (auto* edit = qobject_cast<QLineEdit*>(field)) {
                edit->setText(value.toString());
                emit edit->editingFinished();
            } else if (auto* lines = qobject_cast<QPlainTextEdit*>(field))
                lines->setPlainText(value.toString());
            QCOMPARE(Settings::instance().value(setting.key), value);
        }
    }

    void recentProjectsAreFewAndNewestFirst()
    {
        for (int i = 0; i < 12; ++i)
            Settings::instance().addRecentProject(QStringLiteral("/p%1").arg(i));
        Settings::instance().addRecentProject(QStringLiteral("/p9"));
        const QStringList recent = Settings::instance().recentProjects();
        QCOMPARE(recent.size(), 8);
        QCOMPARE(recent.first(), QStringLiteral("/p9"));
        QCOMPARE(recent.count(QStringLiteral("/p9")), 1);
    }
};

QTEST_MAIN(TestSettings)
#include "tst_settings.moc"
