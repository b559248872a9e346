// SPDX-License-Identifier: GPL-3.0-or-later
// The train/held-out split and docstrings.
#include "core/base/sha256.h"
#include "core/tasks/docstring.h"
#include "core/tasks/split.h"

#include <QTest>

using namespace cudal1::tasks;

class TestSplit : public QObject {
    Q_OBJECT
private slots:
    void aFifthOfEachLevelIsHeldOut()
    {
        const auto heldOut = [](int level, int tasks) {
            int count = 0;
            for (int id = 1; id <= tasks; ++id)
                count += splitOf(level, id) == Split::HeldOut;
            return count;
        };
        QCOMPARE(heldOut(1, 100), 20);
        QCOMPARE(heldOut(2, 100), 20);
        QCOMPARE(heldOut(3, 50), 10);
        QVERIFY(splitOf(0, 7) == Split::Train);
        for (const char* id : {"1/7", "1/7@1a2b3c4d"})
            QVERIFY(splitOf(1, cudal1::base::TaskId{id}) == splitOf(1, 7));
        QVERIFY(splitOf(0, cudal1::base::TaskId{"my_task.py"}) == Split::Train);
        QVERIFY(splitFromText("held-out") == Split::HeldOut && splitFromText("train") == Split::Train &&
                !splitFromText("test"));
    }

    void theRuleIsTheDocumentedOne()
    {
        for (int id = 1; id <= 50; ++id) {
            const double place = std::stoul(cudal1::base::sha256Hex("split 717: 3/" + std::to_string(id)).substr(0, 8),
                                            nullptr, 16) /
                                 4294967296.0;
            QCOMPARE(splitOf(3, id) == Split::HeldOut, place < 0.2);
        }
        // What results refer to must never move.
        QVERIFY(splitOf(3, 41) == Split::Train);
    }

    void docstrings_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("text");
        QTest::newRow("one line") << "# licence\n\n\"\"\"Sum of squares.\"\"\"\nimport torch\n"
                                  << "Sum of squares.";
        QTest::newRow("several lines") << "\"\"\"First.\n\n    - a\n      - b\n    \"\"\"\n"
                                       << "First.\n\n- a\n  - b";
        QTest::newRow("single quotes, raw") << "r'''a\\b'''\n"
                                            << "a\\b";
        QTest::newRow("plain string") << "'short'\n"
                                      << "short";
        QTest::newRow("Windows line ends") << "# c\r\n\"\"\"One.\r\nTwo.\"\"\"\r\n"
                                           << "One.\nTwo.";
        QTest::newRow("quotes inside") << "\"\"\"a \\\"\"\" b\"\"\""
                                       << "a \\\"\"\" b";
        QTest::newRow("none") << "import torch\n\"\"\"not this\"\"\"\n"
                              << "";
        QTest::newRow("never closed") << "\"\"\"abc\n"
                                      << "";
        QTest::newRow("empty") << ""
                               << "";
        QTest::newRow("comment alone") << "# only"
                                       << "";
    }

    void docstrings()
    {
        QFETCH(QString, source);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(docstringOf(source.toStdString())), text);
    }
};

QTEST_APPLESS_MAIN(TestSplit)
#include "tst_split.moc"
