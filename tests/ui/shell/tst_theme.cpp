// SPDX-License-Identifier: GPL-3.0-or-later
// Contrast of every ink on every surface that it is used on, in both themes; icons in the theme's colours.
#include "ui/kit/theme.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>

using namespace cudal1::ui;

class TestTheme : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { Theme::instance().install(*qApp); }

    void contrastIsThatOfTheGuidelines()
    {
        QVERIFY(qAbs(contrast(Qt::black, Qt::white) - 21.0) < 1e-9);
        QVERIFY(qAbs(contrast(Qt::white, Qt::white) - 1.0) < 1e-9);
        // #777777 on white is the textbook near miss: 4.48.
        QVERIFY(qAbs(contrast(QColor(0x77, 0x77, 0x77), Qt::white) - 4.48) < 0.01);
    }

    void textIsReadable_data()
    {
        QTest::addColumn<int>("ink");
        QTest::addColumn<int>("ground");
        const auto add = [](Role ink, std::initializer_list<Role> grounds) {
            for (const Role ground : grounds)
                QTest::addRow("%d on %d", int(ink), int(ground)) << int(ink) << int(ground);
        };
        add(Role::Text, {Role::Window, Role::Surface, Role::Raised, Role::Hover, Role::Selected, Role::RemovedLine,
                         Role::RemovedWord, Role::AddedLine, Role::AddedWord, Role::Filler});
        add(Role::Muted, {Role::Window, Role::Surface, Role::Raised, Role::Hover, Role::Selected});
        for (const Role ink : {Role::Link, Role::VariantText, Role::GainText, Role::LossText, Role::WarningText})
            add(ink, {Role::Surface, Role::Raised});
        add(Role::AccentText, {Role::Accent});
        for (int ink = int(Role::CodeKeyword); ink <= int(Role::CodeOperator); ++ink)
            add(Role(ink), {Role::CodeBackground, Role::CodeCurrentLine, Role::RemovedLine, Role::AddedLine});
        add(Role::CodeText, {Role::CodeBackground, Role::RemovedWord, Role::AddedWord});
        add(Role::CodeMargin, {Role::CodeBackground});
    }

    void textIsReadable()
    {
        QFETCH(int, ink);
        QFETCH(int, ground);
        for (const bool dark : {false, true}) {
            const double found = contrast(Theme::color(Role(ink), dark), Theme::color(Role(ground), dark));
            QVERIFY2(found >= 4.5,
                     qPrintable(QStringLiteral("%1 in the %2 theme").arg(found).arg(dark ? "dark" : "light")));
        }
    }

    void marksStandOut()
    {
        // Graphics need 3:1 beside their surface.
        for (const bool dark : {false, true}) {
            for (const Role mark : {Role::Reference, Role::Variant, Role::Gain, Role::Loss, Role::Warning, Role::Level0,
                                    Role::Level1, Role::Level2, Role::Level3})
                QVERIFY(contrast(Theme::color(mark, dark), Theme::color(Role::Surface, dark)) >= 3.0);
            // Steps of one hue have to differ by lightness.
            for (const auto& [one, next] :
                 {std::pair(Role::Level1, Role::Level2), std::pair(Role::Level2, Role::Level3)})
                QVERIFY(contrast(Theme::color(one, dark), Theme::color(next, dark)) >= 1.5);
        }
    }

    void switchChangesPaletteOnce()
    {
        Theme& theme = Theme::instance();
        theme.setMode(Theme::Mode::Light);
        QSignalSpy changed(&theme, &Theme::changed);
        theme.setMode(Theme::Mode::Dark);
        QCOMPARE(changed.size(), 1);
        QVERIFY(theme.isDark());
        QCOMPARE(qApp->palette().color(QPalette::Base), Theme::color(Role::Surface, true));
        theme.setMode(Theme::Mode::Dark);
        QCOMPARE(changed.size(), 1);
        theme.setMode(Theme::Mode::Light);
        QCOMPARE(qApp->palette().color(QPalette::Base), Theme::color(Role::Surface, false));
    }

    void iconsTakeTheColourOfTheirRole()
    {
        Theme& theme = Theme::instance();
        const QIcon icon = theme.icon(QStringLiteral("stop"), Role::Loss);
        for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
            theme.setMode(mode);
            const QImage image = icon.pixmap(QSize(32, 32)).toImage();
            QCOMPARE(image.pixelColor(image.width() / 2, image.height() / 2), theme.color(Role::Loss));
            QCOMPARE(image.pixelColor(0, 0).alpha(), 0);
        }
        QVERIFY(theme.icon(QStringLiteral("no-such-icon")).isNull());
    }

    void spacingFollowsTheFont()
    {
        const QFont before = QApplication::font();
        QFont font = before;
        font.setPointSizeF(10);
        QApplication::setFont(font);
        QCOMPARE(Theme::instance().unit(2), 8);
        font.setPointSizeF(15);
        QApplication::setFont(font);
        QCOMPARE(Theme::instance().unit(2), 12);
        QApplication::setFont(before);
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
