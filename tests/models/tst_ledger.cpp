// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens, money and time against limits, with a clock of the test.
#include "core/models/runledgers.h"

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
        QVERIFY(ledger.mayAsk().error().message.find("time, 1 min 00 s") != std::string::npos);
        QVERIFY(ledger.mayAsk().error().code == base::ErrorCode::LimitReached);
        QCOMPARE(ledger.totals().seconds, 60.0);
    }

    void goesOnFromBefore()
    {
        RunLimits limits;
        limits.seconds = 60;
        limits.tokens = 100;
        double now = 0;
        Ledger first(limits, [&] { return now; });
        int changes = 0;
        first.setOnChange([&] { ++changes; });
        first.asked(false);
        now = 20;
        first.answered({40, 20, 0.5, "EUR"}, {}, 0, 0, true);
        QCOMPARE(changes, 2);
        // As text and back, in another process.
        const Ledger::Totals kept = models::totalsFromJson(models::toJson(first.totals()));
        Ledger second(limits, [&] { return now; });
        second.goOnFrom(kept);
        now = 1000; // the time between the two counts for neither
        QCOMPARE(*second.secondsLeft(), 40.0);
        second.asked(true);
        now = 1010;
        QCOMPARE(*second.secondsLeft(), 30.0);
        QVERIFY(second.mayAsk());
        second.answered({30, 10, 0.25, "EUR"}, {}, 0, 0, true);
        QVERIFY(!second.mayAsk());
        const auto totals = second.totals();
        QVERIFY(totals.requests == 2 && totals.repeated == 1 && totals.replies == 2 && totals.promptTokens == 70 &&
                totals.replyTokens == 30 && totals.cost.at("EUR") == 0.75 && totals.seconds == 30);
        const auto none = models::totalsFromJson("something else");
        QVERIFY(none.requests == 0 && none.cost.empty());
    }

    void limitsOfAModelCountThroughARun()
    {
        RunLimits limits;
        limits.tokens = 100;
        std::string kept;
        {
            models::RunLedgers run;
            run.setOnChange([&] { kept = models::toJson(run.spent()); });
            QCOMPARE(run.of("endpoint:a", limits).get(), run.of("endpoint:a", limits).get()); // of the next task too
            run.of("endpoint:a", limits)->answered({40, 30, {}, {}}, {}, 0, 0, true);
            run.of("endpoint:b", limits)->answered({1, 1, {}, {}}, {}, 0, 0, true);
            QVERIFY(run.of("endpoint:a", limits)->mayAsk());
        }
        models::RunLedgers again;
        const auto early = again.of("endpoint:a", limits); // a model may be made before the project is read
        again.goOnFrom(models::spendingFromJson(kept));
        early->answered({20, 15, {}, {}}, {}, 0, 0, true);
        QVERIFY(!early->mayAsk());
        QVERIFY(again.of("endpoint:b", limits)->mayAsk());
        QCOMPARE(again.of("endpoint:b", limits)->totals().promptTokens, 1);
        QCOMPARE(again.spent().models.at("endpoint:a").replyTokens, 45);
        // What an earlier version has kept has no models in it.
        QVERIFY(models::spendingFromJson(models::toJson(early->totals())).models.empty());
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
