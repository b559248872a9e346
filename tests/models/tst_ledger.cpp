// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens, money and time against limits, with a clock of the test.
#include "core/models/ledger.h"

#include <QTest>

using namespace cudal1;
using models::Ledger;
using models::RunLimits;
using models::TokenPrice;

class TestLedger : public QObject {
    Q_OBJECT
private slots:
    void countsTokensAndMoney()
    {
        Ledger ledger;
        const TokenPrice price{3, 15, "USD"}, other{1, 1, "EUR"};
        ledger.asked(false);
        ledger.answered({1000, 200, {}, {}}, price, 0, 0, true);
        ledger.asked(true);
        ledger.answered({}, other, 300, 31, false); // guessed: 100 + 11
        ledger.answered({5, {}, {}, {}}, std::nullopt, 300, 3, true);
        const auto totals = ledger.totals();
        QCOMPARE(totals.requests, 2);
        QCOMPARE(totals.repeated, 1);
        QCOMPARE(totals.replies, 2);
        QCOMPARE(totals.promptTokens, 1000 + 100 + 5);
        QCOMPARE(totals.replyTokens, 200 + 11 + 1);
        QCOMPARE(totals.guessedTokens, 100 + 11 + 1);
        QCOMPARE(totals.cost.at("USD"), (1000 * 3 + 200 * 15) / 1e6);
        QCOMPARE(totals.cost.at("EUR"), 111 / 1e6);
        QVERIFY(ledger.mayAsk());
    }

    void limits()
    {
        double now = 100;
        RunLimits limits;
        limits.seconds = 60;
        limits.tokens = 10;
        Ledger ledger(limits, [&] { return now; });
        now = 1000; // time counts from the first request
        QVERIFY(ledger.mayAsk());
        QCOMPARE(*ledger.secondsLeft(), 60.0);
        ledger.asked(false);
        now = 1059.5;
        QVERIFY(ledger.mayAsk());
        QCOMPARE(*ledger.secondsLeft(), 0.5);
        ledger.answered({4, 5, {}, {}}, {}, 0, 0, true);
        QVERIFY(ledger.mayAsk());
        ledger.answered({0, 1, {}, {}}, {}, 0, 0, true);
        QVERIFY(!ledger.mayAsk());
        QVERIFY(ledger.mayAsk().error().message.find("tokens, 10") != std::string::npos);
        now = 1060;
        QVERIFY(ledger.mayAsk().error().message.find("time, 60 s") != std::string::npos);
        QVERIFY(ledger.mayAsk().error().code == base::ErrorCode::LimitReached);
        QCOMPARE(ledger.totals().seconds, 60.0);
    }

    void otherMoneyDoesNotCount()
    {
        RunLimits limits;
        limits.cost = 1;
        Ledger ledger(limits);
        ledger.answered({0, 1'000'000, {}, {}}, TokenPrice{0, 5, "EUR"}, 0, 0, true);
        QVERIFY(ledger.mayAsk());
        ledger.answered({0, 1'000'000, {}, {}}, TokenPrice{0, 1, "USD"}, 0, 0, true);
        QVERIFY(!ledger.mayAsk());
    }

    void costs()
    {
        QVERIFY(!models::costOf({1, 1, {}, {}}, std::nullopt));
        QVERIFY(!models::costOf({1, {}, {}, {}}, TokenPrice{1, 1, "USD"}));
        QCOMPARE(*models::costOf({2'000'000, 500'000, {}, {}}, TokenPrice{1, 4, "USD"}), 4.0);
    }
};

QTEST_APPLESS_MAIN(TestLedger)
#include "tst_ledger.moc"
