// SPDX-License-Identifier: GPL-3.0-or-later
// SHA-256 against the published vectors, and against another implementation at every padding boundary.
#include "core/base/sha256.h"

#include <QCryptographicHash>
#include <QTest>

using cudal1::base::sha256Hex;

class TestSha256 : public QObject {
    Q_OBJECT

private slots:
    void publishedVectors_data()
    {
        QTest::addColumn<QByteArray>("input");
        QTest::addColumn<QByteArray>("digest");
        QTest::newRow("nothing") << QByteArray()
                                 << QByteArray("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        QTest::newRow("abc") << QByteArray("abc")
                             << QByteArray("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        QTest::newRow("56 bytes") << QByteArray("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                                  << QByteArray("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        QTest::newRow("112 bytes") << QByteArray("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklm"
                                                 "nopjklmnopqklmnopqrlmnopqrsmnopqrst"
                                                 "nopqrstu")
                                   << QByteArray("cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
        QTest::newRow("a million a") << QByteArray(1000000, 'a')
                                     << QByteArray("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    void publishedVectors()
    {
        QFETCH(QByteArray, input);
        QFETCH(QByteArray, digest);
        QCOMPARE(QByteArray::fromStdString(sha256Hex({input.constData(), static_cast<std::size_t>(input.size())})),
                 digest);
    }

    void everyLengthAroundTheBlocks()
    {
        QByteArray input;
        for (int length = 0; length <= 200; ++length) {
            const QByteArray expected = QCryptographicHash::hash(input, QCryptographicHash::Sha256).toHex();
            const std::string digest = sha256Hex({input.constData(), static_cast<std::size_t>(input.size())});
            QVERIFY2(digest == expected.toStdString(), qPrintable(QStringLiteral("length %1").arg(length)));
            input.append(static_cast<char>(length * 37 + 200));
        }
    }
};

QTEST_APPLESS_MAIN(TestSha256)
#include "tst_sha256.moc"
