// SPDX-License-Identifier: GPL-3.0-or-later
// The planted corpus as the self-test reads it: heads, holes, and which of it is planned on which machine.
#include "core/selftest/plan.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace cudal1;
using namespace cudal1::selftest;

namespace {

const std::string licence = "# SPDX-License-Identifier: GPL-3.0-or-later\n";

const Corpus& corpus()
{
    static const auto read = [] {
        auto out = readCorpus(std::string(CUDAL1_SOURCE_DIR) + "/tests/judge");
        if (!out)
            qFatal("%s", out.error().text().c_str());
        return *out;
    }();
    return read;
}

SelfTestOptions on(const std::string& device, bool full = false, Equipment equipment = {})
{
    SelfTestOptions out;
    out.device.name = device;
    out.full = full;
    out.equipment = equipment;
    return out;
}

int countOf(const SelfTestPlan& plan, TestSection section)
{
    return int(std::count_if(plan.checks.begin(), plan.checks.end(),
                             [&](const Check& check) { return check.section == section; }));
}

std::string messageOf(const std::string& text)
{
    const auto program = parseProgram("x/1.py", text);
    return program ? std::string() : program.error().message;
}

} // namespace

class TestCorpus : public QObject {
    Q_OBJECT
private slots:
    void headsAreReadAndRefused()
    {
        const auto program = parseProgram(
            "exploits/h06/1_x.py", licence +
                                       "# class: h06\n# device: cpu\n# task: row_sum\n# expect: label:odd\n# ends: "
                                       "crashed timed_out\n# needs: nvcc ninja\n"
                                       "# threads: all\n# It works\n# task: like this.\nimport torch\n# class: c01\n");
        QVERIFY(program.ok());
        QCOMPARE(program->name(), std::string("h06/1_x"));
        QCOMPARE(program->kind, std::string("h06"));
        QCOMPARE(program->task, std::string("row_sum"));
        QCOMPARE(program->about, std::string("It works task: like this."));
        QVERIFY((program->ends == std::vector<std::string>{"crashed", "timed_out"}));
        QVERIFY(program->fits("cpu") && !program->fits("cuda:0") && !program->hasHonestFile());

        const std::string whole = "# class: c01\n# expect: reject\n# device: any\n# task: row_sum\n# Text.\n";
        QVERIFY(messageOf(licence + whole).empty());
        QVERIFY(messageOf(whole).find("licence") != std::string::npos);
        QVERIFY(messageOf(licence + "# task: row_sum\n# Text.\n").find("device") != std::string::npos);
        QVERIFY(messageOf(licence + "# device: any\n# Text.\n").find("task") != std::string::npos);
        QVERIFY(messageOf(licence + "# device: any\n# task: row_sum\n").find("how it works") != std::string::npos);
        QVERIFY(messageOf(licence + "# device: tpu\n# task: row_sum\n# Text.\n").find("tpu") != std::string::npos);
        QVERIFY(messageOf(licence + "# class: c01\n# expect: maybe\n# device: any\n# task: row_sum\n# Text.\n")
                    .find("maybe") != std::string::npos);
        QVERIFY(messageOf(licence + "# device: any\n# task: row_sum\n# needs: luck\n# Text.\n").find("luck") !=
                std::string::npos);
    }

    void corpusIsWhole()
    {
        QVERIFY(corpus().exploits.size() >= 90 && corpus().lookalikes.size() >= 12 && corpus().canaries.size() >= 3);
        QCOMPARE(corpus().kinds.all.size(), std::size_t(8));
        const std::string source = corpus().kinds.source(corpus().kinds.all[2], "ModelNew", 5, true);
        QVERIFY2(source.find("class ModelNew") != std::string::npos &&
                     source.find("nn.Linear(512, 512)") != std::string::npos &&
                     source.find("range(5)") != std::string::npos && source.find('@') == std::string::npos,
                 source.c_str());
    }

    void holesAreNotPassedOver()
    {
        QTemporaryDir folder;
        const QDir from(QString(CUDAL1_SOURCE_DIR) + "/tests/judge"), to(folder.path());
        for (const char* part : {"exploits/c01", "lookalikes", "canaries", "tasks", "kinds"}) {
            QVERIFY(to.mkpath(part));
            for (const QString& name : QDir(from.filePath(part)).entryList(QDir::Files))
                QVERIFY(QFile::copy(from.filePath(part) + "/" + name, to.filePath(part) + "/" + name));
        }
        const std::string path = folder.path().toStdString();
        QVERIFY(readCorpus(path).ok());
        QVERIFY(QFile::remove(to.filePath("tasks/recurrence.py")));
        const auto broken = readCorpus(path);
        QVERIFY(!broken && broken.error().message.find("recurrence") != std::string::npos);
        QVERIFY(QFile::copy(from.filePath("tasks/recurrence.py"), to.filePath("tasks/recurrence.py")));
        QVERIFY(QFile::rename(to.filePath("canaries"), to.filePath("away")));
        QVERIFY(readCorpus(path).error().code == base::ErrorCode::NotFound);
    }

    void corpusIsFoundBesideTheProgramFirst()
    {
        QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath("share/cudal1/judge/exploits"));
        const std::string bin = folder.path().toStdString() + "/bin";
        QCOMPARE(QString::fromStdString(bundledCorpus(bin)->string()), folder.filePath("share/cudal1/judge"));
        QCOMPARE(bundledCorpus("/nowhere/bin")->string(), std::string(CUDAL1_SOURCE_DIR) + "/tests/judge");
        qputenv("CUDAL1_JUDGE_CORPUS", "/nowhere/corpus");
        QVERIFY(bundledCorpus(bin).error().code == base::ErrorCode::NotFound);
        qunsetenv("CUDAL1_JUDGE_CORPUS");
    }

    void quickPlanHasOneCheatAClass()
    {
        const SelfTestPlan plan = makePlan(corpus(), on("cpu"));
        std::set<std::string> classes;
        for (const Check& check : plan.checks) {
            if (check.section == TestSection::Exploits)
                QVERIFY2(classes.insert(check.group).second, check.group.c_str());
            if (check.program)
                QVERIFY2(check.program->device != "cuda" && check.program->needs.empty(), check.name.c_str());
            QVERIFY(check.oneThread == (!check.program || check.program->threads == "one"));
        }
        QVERIFY(classes.size() >= 27);
        QCOMPARE(countOf(plan, TestSection::Same), 8);
        QCOMPARE(countOf(plan, TestSection::Slower), 9);
        QVERIFY(countOf(plan, TestSection::Lookalikes) >= 12);
        QVERIFY(std::any_of(plan.leftOut.begin(), plan.leftOut.end(),
                            [](const std::string& line) { return line.starts_with("class t06"); }));
        QVERIFY(plan.checks.size() < 90);
    }

    void fullPlanHasAllThatTheMachineCan()
    {
        const SelfTestPlan without = makePlan(corpus(), on("cuda:0", true)),
                           with = makePlan(corpus(), on("cuda:0", true, {true, true, true, true}));
        QVERIFY(with.leftOut.empty());
        QVERIFY(!without.leftOut.empty());
        QVERIFY(countOf(with, TestSection::Exploits) > countOf(without, TestSection::Exploits));
        const auto& all = corpus().lookalikes;
        QCOMPARE(countOf(with, TestSection::Lookalikes),
                 int(std::count_if(all.begin(), all.end(),
                                   [](const PlantedProgram& program) { return program.fits("cuda:0"); })));
        QCOMPARE(countOf(with, TestSection::Same), 200);
        QCOMPARE(countOf(with, TestSection::Slower), 120);
        QVERIFY(
            std::none_of(with.checks.begin(), with.checks.end(), [](const Check& check) { return check.oneThread; }));
    }

    void choiceOfSections()
    {
        SelfTestOptions options = on("cpu");
        options.sections = {TestSection::Same};
        options.sessions = 3;
        const SelfTestPlan plan = makePlan(corpus(), options);
        QVERIFY(plan.checks.size() == 3 && plan.leftOut.empty());
        for (const TestSection section : allSections) {
            TestSection back = TestSection::Canaries;
            QVERIFY(fromString(toString(section), back) && back == section);
        }
        TestSection untouched = TestSection::Same;
        QVERIFY(!fromString("sames", untouched) && untouched == TestSection::Same);
    }

    void attackersComeLastAndAlone()
    {
        const SelfTestPlan plan = makePlan(corpus(), on("cpu", true, {true, true, true, true}));
        bool seen = false, attackers = false;
        for (const Check& check : plan.checks)
            if (check.oneThread && check.section >= TestSection::Exploits) {
                QVERIFY2(!seen || check.alone, check.name.c_str());
                seen = seen || check.alone;
                attackers = attackers || check.group == "h06";
            }
        QVERIFY(seen && attackers);
    }
};

QTEST_GUILESS_MAIN(TestCorpus)
#include "tst_corpus.moc"
