// SPDX-License-Identifier: GPL-3.0-or-later
// Lines out of a stream that comes in pieces.
#include "core/farm/linereader.h"

#include <QTest>

using cudal1::farm::LineReader;

class TestLineReader : public QObject {
    Q_OBJECT
private slots:
    void joinsPieces()
    {
        LineReader reader;
        reader.append("{\"a\":");
        QVERIFY(!reader.take());
        reader.append("1}\r\n\nlast");
        QCOMPARE(reader.take().value(), QByteArray("{\"a\":1}"));
        QCOMPARE(reader.take().value(), QByteArray());
        QVERIFY(!reader.take());
        reader.append("\n");
        QCOMPARE(reader.take().value(), QByteArray("last"));
    }

    void staysRightOverManyLines()
    {
        LineReader reader;
        QByteArray stream;
        for (int number = 0; number < 5000; ++number)
            stream += QByteArray::number(number) + '\n';
        int expected = 0;
        for (qsizetype at = 0; at < stream.size(); at += 37) {
            reader.append(stream.mid(at, 37));
            while (const auto line = reader.take())
                QCOMPARE(*line, QByteArray::number(expected++));
        }
        QCOMPARE(expected, 5000);
    }

    void refusesLinesOverTheLimit()
    {
        LineReader finished(10);
        finished.append("0123456789\n01234567890\nok\n");
        QCOMPARE(finished.take().value(), QByteArray("0123456789"));
        QVERIFY(!finished.take());
        QVERIFY(finished.overflowed());

        LineReader endless(10);
        endless.append("01234567890");
        QVERIFY(!endless.take());
        QVERIFY(endless.overflowed());
        endless.clear();
        endless.append("a\n");
        QCOMPARE(endless.take().value(), QByteArray("a"));
    }
};

QTEST_GUILESS_MAIN(TestLineReader)
#include "tst_linereader.moc"
