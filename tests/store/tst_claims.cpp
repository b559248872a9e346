// SPDX-License-Identifier: GPL-3.0-or-later
// Published claims: stored once, corrected when their source is, and never half an import.
#include "core/store/project.h"
#include "tests/store/storesamples.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using namespace cudal1::store;

class TestClaims : public QObject {
    Q_OBJECT
private slots:
    void claimsAreKeptOnce()
    {
        QTemporaryDir folder;
        auto opened = Project::open(folder.filePath("p.cudal1").toStdString());
        QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
        const auto project = std::move(*opened);
        ImportRow with;
        with.task = samples::task();
        with.variant = samples::variant("class ModelNew: pass");
        with.variant->taskHash = with.task.hash;
        with.claim.source = "cuda-l1: a.jsonl";
        with.claim.key = "3/41";
        with.claim.correct = true;
        with.claim.speedup = 449.25;
        with.claim.referenceHash = "ref";
        with.claim.irregularities = {"fenced: „ein Zaun“"};
        with.claim.details = R"({"score_cudnn":1.5})";
        ImportRow without = with;
        without.variant.reset();
        without.claim.key = "3/42";
        without.claim.correct.reset();
        without.claim.speedup.reset();

        const auto first = project->importRows({with, without});
        QVERIFY(first.ok());
        QCOMPARE(first->newTasks, 1);
        QCOMPARE(first->newVariants, 1);
        QCOMPARE(first->newClaims, 2);
        const auto again = project->importRows({with, without});
        QCOMPARE(again->newTasks + again->newVariants + again->newClaims + again->changedClaims, 0);

        auto claims = *project->claims();
        QCOMPARE(claims.size(), std::size_t(2));
        QCOMPARE(claims[0].key, std::string("3/41"));
        QVERIFY(claims[0].variant && claims[0].correct == true && claims[0].speedup == 449.25);
        QVERIFY(claims[0].irregularities == with.claim.irregularities);
        QCOMPARE(claims[0].details, with.claim.details);
        QCOMPARE(claims[0].referenceHash, std::string("ref"));
        QVERIFY(!claims[1].variant && !claims[1].correct && !claims[1].speedup);
        QCOMPARE(project->variantRows()->front().claimed, 449.25);

        // Corrected at the source: the claim follows, the earlier candidate stays with its evaluations.
        with.claim.speedup = 3.2;
        with.variant->source = "class ModelNew: x = 1";
        const auto corrected = project->importRows({with});
        QCOMPARE(corrected->changedClaims, 1);
        QCOMPARE(corrected->newVariants, 1);
        claims = *project->claims();
        QCOMPARE(claims.size(), std::size_t(2));
        QVERIFY(claims[0].speedup == 3.2);
        QCOMPARE(project->variantRows()->size(), std::size_t(2));

        // A task that is there keeps its text; one bad row takes the whole import back.
        ImportRow other = with;
        other.task.source = "another text";
        other.task.hash = "other";
        other.claim.key = "3/43";
        QCOMPARE(project->importRows({other})->newTasks, 0);
        QCOMPARE(project->task(with.task.id)->source, samples::task().source);
        ImportRow bad = with;
        bad.claim.key = "3/44";
        bad.task.id.value.clear();
        ImportRow good = with;
        good.claim.key = "3/45";
        QVERIFY(!project->importRows({good, bad}).ok());
        QCOMPARE(project->claims()->size(), std::size_t(3));
    }
};

QTEST_GUILESS_MAIN(TestClaims)
#include "tst_claims.moc"
