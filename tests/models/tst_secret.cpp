// SPDX-License-Identifier: GPL-3.0-or-later
// Keys are taken out of texts, and a process that holds one leaves no core file.
#include "core/models/secret.h"

#include <QTest>

#include <sys/prctl.h>

using cudal1::models::Secret;

class TestSecret : public QObject {
    Q_OBJECT
private slots:
    void noCoreFileOnceThereIsAKey()
    {
        QCOMPARE(::prctl(PR_GET_DUMPABLE), 1);
        const Secret none;
        QCOMPARE(::prctl(PR_GET_DUMPABLE), 1);
        const Secret key("sk-0123456789");
        QCOMPARE(::prctl(PR_GET_DUMPABLE), 0);
    }

    void scrubs_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("left");
        const auto row = [](const char* text, const char* left) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(left);
        };
        row("", "");
        row("nothing of it", "nothing of it");
        row("sk-0123456789abcdef", "[key]");
        row("Bearer sk-0123456789abcdef.", "Bearer [key].");
        row("sk-0123456789abcdefsk-0123456789abcdef", "[key][key]");
        row("key sk-01234*** is wrong", "key [key]*** is wrong");
        row("ends in 789abcdef", "ends in [key]");
        row("only 9abcdef", "only 9abcdef"); // seven characters
    }
    void scrubs()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, left);
        const Secret key("sk-0123456789abcdef");
        QCOMPARE(QByteArray::fromStdString(key.scrubbed(text.toStdString())), left);
    }

    void shortKeys()
    {
        QCOMPARE(Secret("abc").scrubbed("xabcabx"), std::string("x[key]abx"));
        QCOMPARE(Secret().scrubbed("text"), std::string("text"));
    }

    void moves()
    {
        Secret first("short"), second(std::string(100, 'k'));
        second = std::move(first);
        QVERIFY(first.empty()); // NOLINT(bugprone-use-after-move): that is what is tested
        QCOMPARE(second.reveal(), std::string("short"));
        const Secret third(std::move(second));
        QVERIFY(second.empty()); // NOLINT(bugprone-use-after-move)
        QCOMPARE(third.reveal(), std::string("short"));
    }

    void wipes()
    {
        // The memory of the object outlives it here, so that what is left in it can be seen.
        alignas(Secret) char place[sizeof(Secret)];
        auto* key = new (place) Secret("shortkey");
        QVERIFY(QByteArray(place, sizeof place).contains("shortkey")); // as GCC's library keeps short texts
        key->~Secret();
        volatile const char* seen = place;
        QByteArray left;
        for (std::size_t i = 0; i < sizeof place; ++i)
            left += seen[i];
        QVERIFY(!left.contains("shortkey"));
    }
};

QTEST_APPLESS_MAIN(TestSecret)
#include "tst_secret.moc"
