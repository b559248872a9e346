// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 compare-suite` from outside: its table, its object, and what it says where there is nothing.
#include "tests/cli/programfolder.h"
#include "tests/report/sampleproject.h"

#include <QFile>
#include <QTest>

#include <cmath>

using namespace cudal1;
using nlohmann::json;
using tests::Ran;

class TestCompareSuite : public QObject, private tests::ProgramFolder {
    Q_OBJECT
private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        auto project = report::samples::smallProject(projectFile().toStdString());
        store::VariantRecord compiled = store::samples::variant("class ModelNew: # compiled", "2/76");
        compiled.baseline = "compile";
        using report::samples::detail::must;
        must(project->addEvaluation(must(project->addVariant(compiled)),
                                    report::samples::detail::timed(1.5, 1.5, 0.01)));
    }

    void object()
    {
        const Ran ran = cudal1({"compare-suite", "--json"});
        QVERIFY2(ran.status == 0, ran.err);
        const json got = ran.parsed();
        QVERIFY(got.size() == 4 && got["precision"] == "kernelbench" && got["device"] == "NVIDIA H200");
        // 1/1 was not judged, 1/5 has nothing correct, 2/40 at 1x and 2/76 at 0.5x keep the reference: 1, 1, 4, 1,
        // 1, 2.
        const json& ours = got["rows"][0];
        QVERIFY(ours["name"] == "ours" && ours["level"] == "all" && ours.size() == 9);
        QVERIFY(std::abs(ours["mean"].get<double>() - 10. / 6) < 1e-9);
        QVERIFY(std::abs(ours["geometric"].get<double>() - std::sqrt(2)) < 1e-9); // 8^(1/6)
        QVERIFY(ours["median"] == 1 && ours["q25"] == 1);
        QVERIFY(ours["correct"] == 4 && ours["faster"] == 2 && ours["tasks"] == 6);
        QVERIFY(got["rows"][1]["level"] == 1 && got["rows"][3]["level"] == 3);
        QCOMPARE(got["losses"].size(), std::size_t(1));
        const json& loss = got["losses"][0];
        QVERIFY(loss["task"] == "2/76" && loss["against"] == "compile" && loss["ours"] == 1 && loss["theirs"] == 1.5 &&
                loss["variant"].is_null());
    }

    void table()
    {
        const Ran ran = cudal1({"compare-suite", "--on", "h200"});
        QVERIFY2(ran.status == 0, ran.err);
        for (const char* part :
             {"All levels, 6 tasks", "Level 1, 3 tasks", "best torch.compile", "torch.compile or eager",
              "count as 1 (tasks): ours 2, compile 5", "Of ours 2 tasks have a correct variant",
              "1 task where another is faster", "2/76  1.00× reference"})
            QVERIFY2(ran.out.contains(part), ran.out);
        for (const QByteArray& line : ran.out.split('\n'))
            QVERIFY2(QString::fromUtf8(line).size() <= 100, line);
    }

    void csv()
    {
        const QString file = m_folder->filePath("suite.csv");
        const Ran ran = cudal1({"compare-suite", "--json", "--csv", file});
        QVERIFY2(ran.status == 0, ran.err);
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QByteArrayList lines = written.readAll().split('\n');
        QCOMPARE(lines[0], QByteArray("name,level,mean,geometric,median,q25,correct,faster,tasks\r"));
        QVERIFY2(lines[1].startsWith("ours,all,1.66") && lines[1].endsWith(",1,1,4,2,6\r"), lines[1]);
        QVERIFY(lines[2].startsWith("ours,1,"));
        QCOMPARE(std::size_t(lines.size()), ran.parsed()["rows"].size() + 2); // titles, and the end
        for (const QString& nowhere : {m_folder->filePath("none/suite.csv"), QString()})
            QVERIFY(cudal1({"compare-suite", "--csv", nowhere}).err.contains("The table could not be written"));
    }

    void oursAlone()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        report::samples::smallProject(projectFile().toStdString());
        const Ran ran = cudal1({"compare-suite"});
        QVERIFY2(ran.status == 0 && ran.out.contains("Nothing else was measured so: `cudal1 baselines`"), ran.out);
        QVERIFY2(!ran.out.contains("ours over") && !ran.out.contains("is faster than ours"), ran.out);
        QCOMPARE(cudal1({"compare-suite", "--json"}).parsed()["losses"].size(), std::size_t(0));
    }

    void nothing()
    {
        const Ran unknown = cudal1({"compare-suite", "--on", "A100"});
        QVERIFY2(unknown.status == 2 && unknown.err.contains("NVIDIA H200 (kernelbench 4 tasks)"), unknown.err);
        const Ran precision = cudal1({"compare-suite", "--precision", "ieee"});
        QVERIFY2(precision.status == 2 && precision.err.contains("nothing at precision ieee"), precision.err);
        QCOMPARE(cudal1({"compare-suite", "--on", ""}).status, 2);
        m_folder = std::make_unique<QTemporaryDir>();
        const Ran none = cudal1({"compare-suite"});
        QVERIFY2(none.status == 2 && none.err.contains("There is no project yet"), none.err);
        project(); // one with nothing in it
        const Ran empty = cudal1({"compare-suite", "--json"});
        QVERIFY2(empty.status == 2 && empty.err.contains("Nothing was judged in this project yet"), empty.err);
        QVERIFY(empty.parsed().contains("error"));
    }
};

QTEST_GUILESS_MAIN(TestCompareSuite)
#include "tst_comparesuite.moc"
