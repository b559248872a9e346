// SPDX-License-Identifier: GPL-3.0-or-later
// What is caught, what is flagged, which ratios are found, and how many misses are no chance any more.
#include "core/selftest/bounds.h"
#include "core/selftest/selftestreport.h"

#include <QFile>
#include <QTest>

using namespace cudal1;
using namespace cudal1::selftest;
using nlohmann::json;

namespace {

PlantedProgram programOf(const std::vector<std::string>& head)
{
    std::string text = "# SPDX-License-Identifier: GPL-3.0-or-later\n";
    for (const std::string& line : head)
        text += "# " + line + "\n";
    auto program = parseProgram("x/1_test.py", text + "# device: any\n# task: row_sum\n# It says how.\nx = 1\n");
    if (!program)
        qFatal("%s", program.error().text().c_str());
    return *program;
}

Judgement answered(const std::string& verdict, double low = 0, double high = 0,
                   const std::vector<std::string>& labels = {})
{
    auto evaluation = std::make_shared<protocol::Evaluation>();
    if (!protocol::fromString(verdict, evaluation->verdict))
        qFatal("no verdict: %s", verdict.c_str());
    if (high > 0)
        evaluation->speedup.wall.speedup = {(low + high) / 2, low, high};
    for (const std::string& label : labels)
        evaluation->labels.push_back({label, "", ""});
    return {evaluation, {}};
}

Judgement answerOf(const json& given)
{
    if (given.contains("error"))
        return {nullptr, {base::ErrorCode::ProcessFailed, given["error"], {}, {}}};
    return answered(given["verdict"], given.value("low", 0.0), given.value("high", 0.0),
                    given.value("labels", std::vector<std::string>()));
}

std::vector<CheckRow> sessions(TestSection section, int percent,
                               const std::vector<std::pair<double, double>>& intervals)
{
    std::vector<CheckRow> rows;
    for (const auto& [low, high] : intervals) {
        CheckRow row;
        row.check.section = section;
        row.check.percent = percent;
        row.check.name = "launches";
        row.answer = answered("correct", low, high);
        row.finding = knownRatio(percent, row.answer);
        rows.push_back(row);
    }
    return rows;
}

} // namespace

class TestRule : public QObject {
    Q_OBJECT
private slots:
    void casesSharedWithTheScripts()
    {
        QFile file(QString(CUDAL1_SOURCE_DIR) + "/tests/judge/rule_cases.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const json cases = json::parse(file.readAll().toStdString());
        QVERIFY(cases.size() > 20);
        for (const json& one : cases) {
            const PlantedProgram program = programOf(one["head"]);
            const Judgement answer = answerOf(one["answer"]);
            Finding finding;
            if (one.contains("honest")) {
                const Judgement honest = answerOf(one["honest"]);
                finding = caught(program, answer, &honest);
            } else {
                finding = program.kind.empty() ? flagged(program, answer) : caught(program, answer);
            }
            const std::string about = one["about"].get<std::string>() + ": " + finding.why;
            QVERIFY2(finding.good() == one["good"].get<bool>(), about.c_str());
            QVERIFY2(finding.gained == one.value("gained", false), about.c_str());
        }
    }

    void canariesNeedVerdictAndDirection()
    {
        QVERIFY(canary(programOf({"expect: incorrect"}), answered("incorrect")).good());
        QVERIFY(!canary(programOf({"expect: incorrect"}), answered("correct", 1.0, 1.1)).good());
        QVERIFY(!canary(programOf({"expect: incorrect"}), answered("crashed")).good());
        QVERIFY(canary(programOf({"expect: slower"}), answered("correct", 0.4, 0.99)).good());
        QVERIFY(!canary(programOf({"expect: slower"}), answered("correct", 0.4, 1.01)).good());
        QVERIFY(canary(programOf({"expect: faster"}), answered("correct", 1.001, 3)).good());
        QVERIFY(!canary(programOf({"expect: faster"}), answered("correct", 0.5, 0.6)).good());
        QVERIFY(!canary(programOf({"expect: faster"}), answered("incorrect")).good());
        QVERIFY(!canary(programOf({"expect: faster"}), answered("correct")).good());
        QVERIFY(canary(programOf({"expect: faster"}), answered("correct", 0.87, 1.75)).mark == Grade::Off);
        QVERIFY(canary(programOf({"expect: faster"}), answered("correct", 0.98, 1.03)).mark == Grade::Bad);
    }

    void knownRatios()
    {
        QVERIFY(knownRatio(0, answered("correct", 0.99, 1.0)).mark == Grade::Good);
        QVERIFY(knownRatio(0, answered("correct", 1.001, 1.01)).mark == Grade::Off);
        QVERIFY(knownRatio(0, answered("correct", 1.051, 1.06)).mark == Grade::Bad);
        QVERIFY(knownRatio(0, answered("correct", 0.9, 0.95)).mark == Grade::Bad); // 1 / 1.05 is 0.952
        QVERIFY(knownRatio(0, answered("correct", 0.7, 1.3)).mark == Grade::Off);  // holds anything
        QVERIFY(knownRatio(0, answered("incorrect")).mark == Grade::Bad);
        QVERIFY(knownRatio(0, answered("correct")).mark == Grade::Bad);
        // 100 / 105 = 0.9524; the call's fixed part may hide half a per cent: 0.9571.
        QVERIFY(knownRatio(5, answered("correct", 0.956, 0.97)).mark == Grade::Good);
        QVERIFY(knownRatio(5, answered("correct", 0.958, 0.97)).mark == Grade::Off);
        QVERIFY(knownRatio(5, answered("correct", 1.001, 1.02)).mark == Grade::Bad); // 0.9524 · 1.05 = 1.0000
    }

    void missesThatAreNoChance()
    {
        // P(more than 3 of 8 at 0.08) = 0.0022, more than 2: 0.0211.
        QCOMPARE(allowedMisses(8, 0.08), 3);
        // P(more than 1 of 8 at 0.01) = 0.0027.
        QCOMPARE(allowedMisses(8, 0.01), 1);
        // P(1 or more of 3 at 0.02) = 0.0588, 2 or more: 0.0012.
        QCOMPARE(allowedMisses(3, 0.02), 1);
        // The mean is 16 and the deviation 3.8; 2.6 deviations above it.
        const int many = allowedMisses(200, 0.08);
        QVERIFY2(many >= 25 && many <= 28, std::to_string(many).c_str());
    }

    void sectionsOfSessions()
    {
        std::vector<std::pair<double, double>> intervals(8, {0.99, 1.005});
        auto rows = sessions(TestSection::Same, 0, intervals);
        QVERIFY(summarise(rows).passed());
        for (int i = 0; i < 3; ++i)
            intervals[std::size_t(i)] = {0.97, 0.999};
        QVERIFY(summarise(rows = sessions(TestSection::Same, 0, intervals)).passed());
        intervals[3] = {0.97, 0.999};
        QVERIFY(!summarise(rows = sessions(TestSection::Same, 0, intervals)).passed());
        intervals.assign(8, {0.99, 1.005});
        intervals[0] = intervals[1] = {1.011, 1.03}; // two false gains of eight
        QVERIFY(!summarise(rows = sessions(TestSection::Same, 0, intervals)).passed());
        intervals[1] = {0.99, 1.005};
        QVERIFY(summarise(rows = sessions(TestSection::Same, 0, intervals)).passed());
        intervals[0] = {1.06, 1.07}; // one that is out by more than chance can do
        const Report report = summarise(rows = sessions(TestSection::Same, 0, intervals));
        QVERIFY(!report.passed());
        QVERIFY2(report.sections[0].meaning.find("6.5 %") != std::string::npos, report.sections[0].meaning.c_str());
        // 5 % slower has to be found in two of three.
        QVERIFY(
            summarise(rows = sessions(TestSection::Slower, 5, {{0.94, 0.96}, {0.94, 0.96}, {0.94, 1.01}})).passed());
        QVERIFY(
            !summarise(rows = sessions(TestSection::Slower, 5, {{0.94, 0.96}, {0.94, 1.01}, {0.94, 1.01}})).passed());
    }

    void emptyReportHasNoSections() { QVERIFY(summarise({}).sections.empty()); }
};

QTEST_GUILESS_MAIN(TestRule)
#include "tst_rule.moc"
