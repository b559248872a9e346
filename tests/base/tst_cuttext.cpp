// SPDX-License-Identifier: GPL-3.0-or-later
// How texts of any length are cut.
#include "core/base/cuttext.h"

#include <QTest>

using namespace cudal1::base;

class TestCutText : public QObject {
    Q_OBJECT
private slots:
    void shortTextsStay()
    {
        QCOMPARE(withoutMiddle("abc", 3), std::string("abc"));
        QCOMPARE(fewLines("a\nb\n", 2, 5), std::string("a\nb"));
        QCOMPARE(fewLines("", 2, 5), std::string());
    }

    void blanksAtTheEndsGo()
    {
        const std::string text = "\t\f a b \r\n";
        const std::string_view found = trimmed(text);
        QCOMPARE(found, std::string_view("a b"));
        QVERIFY(found.data() == text.data() + 3); // a part of it
        QCOMPARE(trimmed("a"), std::string_view("a"));
        QVERIFY(trimmed(" \n ").empty() && trimmed("").empty());
    }

    void bothEndsAreKept()
    {
        // 2 of 3 kept bytes are from the beginning.
        QCOMPARE(withoutMiddle("abcdefghij", 3), std::string("ab\n… 7 B left out …\nj"));
    }

    void charactersStayWhole()
    {
        const std::string text = "éééééé"; // 12 bytes; a cut at 3 and at 11 would be inside of a character
        QCOMPARE(withoutMiddle(text, 4), std::string("é\n… 8 B left out …\né"));
        QCOMPARE(fewLines(text, 3, 2), std::string("éé … 8 B more"));
    }

    void middleLinesAreCounted()
    {
        QCOMPARE(fewLines("1\n2\n3\n4\n5\n6\n7", 3, 9), std::string("1\n2\n… 4 lines left out …\n7"));
        QCOMPARE(fewLines("1\n2\n3\n4", 2, 9), std::string("1\n2\n… 2 lines left out …"));
    }
};

QTEST_GUILESS_MAIN(TestCutText)
#include "tst_cuttext.moc"
