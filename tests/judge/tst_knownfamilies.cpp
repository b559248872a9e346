// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of families of inputs holds for the weights that it was measured with.
#undef slots      // a name in Python's headers, and a keyword of Qt
#ifndef Q_MOC_RUN // which would read all of torch
#include "core/judge/witness/knownfamilies.h"
#endif

#include <QtTest>

using namespace cudal1::judge;

namespace {

FamilyFacts unusable()
{
    FamilyFacts facts;
    facts.usable = false;
    facts.why = "it would change none of these inputs";
    return facts;
}

FamilyFacts withSlack(double slack)
{
    FamilyFacts facts;
    facts.bounds.push_back({0.01, slack});
    return facts;
}

} // namespace

class TestKnownFamilies : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFamilyIsUnknownUntilItIsMeasured()
    {
        KnownFamilies families;
        QVERIFY(!families.find("scaled"));
        families.add("scaled", withSlack(3));
        QVERIFY(families.find("scaled"));
        QCOMPARE(families.find("scaled")->bounds.at(0).slack, 3.0);
    }
    void whatHasWaitedIsReplacedByWhatWasMeasured()
    {
        KnownFamilies families;
        FamilyFacts waits = withSlack(0);
        waits.measured = false;
        families.add("scaled", waits);
        families.replace("scaled", withSlack(3));
        QVERIFY(families.find("scaled")->measured);
        QCOMPARE(families.find("scaled")->bounds.at(0).slack, 3.0);
        families.leaveOut("scaled", "it is dominated by rounding");
        QVERIFY(!families.find("scaled")->usable);
    }

    void whatWasMeasuredFirstStays()
    {
        KnownFamilies families;
        families.add("scaled", withSlack(3));
        QCOMPARE(families.add("scaled", withSlack(5)).bounds.at(0).slack, 3.0);
    }
    void callsOfRoundsUseOtherFamiliesThatCanBeUsed()
    {
        KnownFamilies families;
        families.add("sparse", {});
        families.add("as_given", {});
        families.add("constant", unusable());
        families.add("rows", {});
        QVERIFY((families.usableOthers() == std::vector<std::string>{"rows", "sparse"}));
    }
    void otherWeightsMakeAllUnknown()
    {
        KnownFamilies families;
        families.add("scaled", withSlack(3));
        families.weightsChanged(false);
        QVERIFY(!families.find("scaled"));
        QVERIFY(families.usableOthers().empty());
    }
    void initialWeightsBringBackWhatWasKnownOfThem()
    {
        KnownFamilies families;
        families.add("scaled", withSlack(3));
        families.weightsChanged(false);
        families.add("scaled", withSlack(5));
        families.weightsChanged(false); // a second set: the first set's facts are not the initial ones
        families.add("scaled", withSlack(7));
        families.add("rows", {});
        families.weightsChanged(true);
        QCOMPARE(families.find("scaled")->bounds.at(0).slack, 3.0);
        QVERIFY(!families.find("rows"));
        families.weightsChanged(true); // no change
        QCOMPARE(families.find("scaled")->bounds.at(0).slack, 3.0);
    }
};

QTEST_GUILESS_MAIN(TestKnownFamilies)
#include "tst_knownfamilies.moc"
