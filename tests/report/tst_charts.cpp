// SPDX-License-Identifier: GPL-3.0-or-later
// Charts: numbers against those worked out by hand and against the store, layout, SVG, CSV and JSON.
#include "core/charts/ablationeffects.h"
#include "core/charts/builders.h"
#include "core/charts/chartlayout.h"
#include "core/charts/chartof.h"
#include "core/charts/projectsummary.h"
#include "core/charts/svg.h"
#include "tests/report/sampleproject.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>

#include <cmath>

using namespace cudal1;
using namespace cudal1::charts;
using report::samples::detail::add;
using report::samples::detail::must;
using report::samples::detail::timed;

namespace {

/// The number in a row that begins with `first`, under a title; NaN when there is none.
double numberIn(const Chart& chart, const QString& first, const char* title)
{
    for (const std::vector<ChartCell>& row : chart.table.rows)
        if (textOf(row.front()) == first)
            for (std::size_t column = 0; column < row.size(); ++column)
                if (chart.table.columns[column].title == QLatin1String(title) &&
                    std::holds_alternative<double>(row[column]))
                    return std::get<double>(row[column]);
    return std::nan("");
}

const Mark* markOf(const Chart& chart, const std::string& key)
{
    for (const Mark& mark : chart.marks)
        if (mark.key == key)
            return &mark;
    return nullptr;
}

std::vector<std::string> idsOf(const std::vector<base::TaskId>& tasks)
{
    std::vector<std::string> out;
    for (const base::TaskId& task : tasks)
        out.push_back(task.value);
    std::sort(out.begin(), out.end());
    return out;
}

bool near(double a, double b)
{
    return std::abs(a - b) < 1e-9 * std::max(1.0, std::abs(b));
}

} // namespace

class TestCharts : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<store::Project> m_project;

    Chart chart(ChartKind kind, const Choices& choices = {}) const { return must(chartOf(*m_project, kind, choices)); }
    void addBaseline(const std::string& task, const std::string& kind, double speedup)
    {
        store::VariantRecord variant = store::samples::variant("class ModelNew: # " + kind, task);
        variant.techniques = {};
        variant.baseline = kind;
        must(m_project->addEvaluation(must(m_project->addVariant(variant)), timed(speedup, speedup, 0.01)));
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_project = report::samples::smallProject(m_folder->filePath("p.cudal1").toStdString());
    }
    void cleanup() { m_project.reset(); }

    // Tried: level 1 with 4x and one failure, level 2 with 1x and 0.5x, level 3 with 2x.
    void percentilesByEachRule()
    {
        const Chart one = chart(ChartKind::Percentiles);
        QCOMPARE(one.table.rows.size(), std::size_t(4));
        QVERIFY(near(numberIn(one, "level 1", "mean"), 2.5));
        QVERIFY(near(numberIn(one, "level 1", "geometric mean"), 2));
        QVERIFY(near(numberIn(one, "level 1", "75 %"), 3.25));
        QVERIFY(near(numberIn(one, "level 1", "50 %"), 2.5));
        QVERIFY(near(numberIn(one, "level 1", "25 %"), 1.75));
        QVERIFY(near(numberIn(one, "level 1", "max"), 4));
        QCOMPARE(numberIn(one, "level 1", "tried"), 2.0);
        QCOMPARE(numberIn(one, "level 1", "correct"), 1.0);
        QCOMPARE(numberIn(one, "all", "above 1.01"), 2.0);
        QVERIFY(near(numberIn(one, "all", "mean"), (4 + 1 + 1 + 1 + 2) / 5.0));
        QVERIFY(near(numberIn(one, "all", "geometric mean"), std::pow(8, 0.2)));

        Choices choices;
        choices.failures = Failures::Zero;
        const Chart zero = chart(ChartKind::Percentiles, choices);
        QVERIFY(near(numberIn(zero, "level 1", "mean"), 2));
        QCOMPARE(numberIn(zero, "level 1", "geometric mean"), 0.0);
        QVERIFY(near(numberIn(zero, "level 1", "25 %"), 1));
        QVERIFY(near(numberIn(zero, "level 3", "mean"), 2));

        choices.failures = Failures::LeftOut;
        const Chart left = chart(ChartKind::Percentiles, choices);
        QVERIFY(near(numberIn(left, "level 1", "mean"), 4));
        QVERIFY(near(numberIn(left, "all", "mean"), (4 + 1 + 1 + 2) / 4.0)); // 0.5x keeps the reference
        QCOMPARE(numberIn(left, "all", "tried"), 5.0);
    }

    void percentilesAgreeWithTheSummary()
    {
        const charts::ProjectSummary summary = charts::summarise(must(m_project->taskRows()));
        const Chart all = chart(ChartKind::Percentiles);
        QVERIFY(near(numberIn(all, "all", "geometric mean"), summary.geometricMean));
        QVERIFY(near(numberIn(all, "all", "50 %"), summary.median));
        QCOMPARE(numberIn(all, "all", "correct"), double(summary.correct));
        QCOMPARE(numberIn(all, "all", "true gains"), double(summary.trueGains));
        QVERIFY(!all.note.contains("True gains"));
    }

    void percentilesCountAQuestionedGainAsNone()
    {
        Numbers numbers;
        numbers.tasks = must(m_project->taskRows());
        QCOMPARE(summarise(numbers.tasks).trueGains, 2);
        for (const auto& [marks, above, other] : {std::tuple{"!", 1.0, ": 1. Other gains: 1 questioned."},
                                                  {"*TF32", 2.0, ": 1. Other gains: 1 at another precision."}}) {
            for (store::TaskRow& row : numbers.tasks)
                if (row.best.estimate == 4)
                    row.marks = marks;
            const Chart made = percentiles(numbers, Failures::One);
            QCOMPARE(numberIn(made, "all", "above 1.01"), above);
            QCOMPARE(numberIn(made, "all", "clearly above 1.01"), above);
            QCOMPARE(numberIn(made, "all", "true gains"), 1.0);
            QVERIFY2(made.note.contains(other), qPrintable(made.note));
        }
    }

    void distributionCountsEachTaskOnce()
    {
        const Chart one = chart(ChartKind::Distribution);
        double tasks = 0;
        std::vector<std::string> behind;
        for (const std::vector<ChartCell>& row : one.table.rows)
            tasks += std::get<double>(row.back());
        for (const Mark& mark : one.marks)
            if (mark.key.starts_with("range:"))
                for (const std::string& id : idsOf(mark.tasks))
                    behind.push_back(id);
        QCOMPARE(tasks, 5.0);
        std::sort(behind.begin(), behind.end());
        QCOMPARE(behind, (std::vector<std::string>{"1/12", "1/5", "2/40", "2/76", "3/41"}));
        QCOMPARE(idsOf(markOf(one, "level:2")->tasks), (std::vector<std::string>{"2/40", "2/76"}));
        QStringList rules;
        for (const Rule& rule : one.rules)
            rules << rule.label;
        QCOMPARE(rules, (QStringList{"", "Q1 1.00×", "median 1.00×", "Q3 2.00×"}));

        Choices choices;
        choices.failures = Failures::LeftOut;
        double counted = 0;
        for (const std::vector<ChartCell>& row : chart(ChartKind::Distribution, choices).table.rows)
            counted += std::get<double>(row.back());
        QCOMPARE(counted, 4.0);
        // A zero has no place on a logarithmic axis, and is said.
        choices.failures = Failures::Zero;
        QVERIFY(chart(ChartKind::Distribution, choices).note.contains("counted as 0"));
    }

    void severalDevicesAreNamed()
    {
        for (const ChartKind kind : {ChartKind::Distribution, ChartKind::Percentiles, ChartKind::FastP})
            QVERIFY(!chart(kind).note.contains("device models"));
        protocol::Evaluation elsewhere = timed(3, 3, 0.01);
        elsewhere.device.model = "NVIDIA A100";
        add(*m_project, "2/40", "class ModelNew: # elsewhere", "fold_scale", elsewhere); // its best from now on
        elsewhere = timed(2, 2, 0.01);
        elsewhere.device.model = "NVIDIA L4";
        add(*m_project, "1/12", "class ModelNew: # slower elsewhere", "cuda_graph", elsewhere); // and there 4x stays it
        for (const ChartKind kind : {ChartKind::Distribution, ChartKind::Percentiles, ChartKind::FastP})
            QVERIFY2(
                chart(kind).note.startsWith("Best results of 2 device models: 3 on NVIDIA H200, 1 on NVIDIA A100. "),
                qPrintable(chart(kind).note));
    }

    void caveatsAreNotCut()
    {
        protocol::Evaluation elsewhere = timed(3, 3, 0.01);
        elsewhere.device.model = "NVIDIA A100";
        add(*m_project, "2/40", "class ModelNew: # elsewhere", "fold_scale", elsewhere);
        Choices zero;
        zero.failures = Failures::Zero; // more to be said
        for (const auto& [kind, caveat] :
             {std::pair(ChartKind::Distribution,
                        "Best results of 2 device models: 3 on NVIDIA H200, 1 on NVIDIA A100."),
              std::pair(ChartKind::Percentiles, "Best results of 2 device models: 3 on NVIDIA H200, 1 on NVIDIA A100."),
              std::pair(ChartKind::FastP, "Best results of 2 device models: 3 on NVIDIA H200, 1 on NVIDIA A100."),
              std::pair(ChartKind::Devices, "Devices may have judged different tasks: see the cells.")})
            for (const QSizeF size : {QSizeF(960, 540), QSizeF(590, 370), QSizeF(420, 260)}) {
                QStringList texts;
                for (const DrawnShape& shape : layOut(chart(kind, zero), size).shapes)
                    if (shape.kind == DrawnShape::Kind::Text)
                        texts << shape.text;
                QVERIFY2(texts.join(' ').contains(QLatin1String(caveat)), qPrintable(texts.join('|')));
            }
    }

    void fastPFalls()
    {
        const Chart curve = chart(ChartKind::FastP);
        QVERIFY(near(numberIn(curve, "0.5", "all"), 0.8)); // 0.5x counts as 1x
        QVERIFY(near(numberIn(curve, "1", "all"), 0.4));
        QVERIFY(near(numberIn(curve, "2", "all"), 0.2));
        QVERIFY(near(numberIn(curve, "3", "level 1"), 0.5));
        QVERIFY(near(numberIn(curve, "10", "all"), 0));
        std::set<int> dashes; // each curve has its own
        for (const Series& series : curve.series) {
            QVERIFY(dashes.insert(series.pattern).second);
            QVERIFY(!series.points.empty());
            for (std::size_t i = 1; i < series.points.size(); ++i) {
                QVERIFY(series.points[i].x >= series.points[i - 1].x);
                QVERIFY(series.points[i].y <= series.points[i - 1].y);
            }
        }
        const Mark* mark = markOf(curve, "fastp:all:1");
        QVERIFY(mark);
        QCOMPARE(idsOf(mark->tasks), (std::vector<std::string>{"1/12", "3/41"}));
        QCOMPARE(mark->hover, QStringLiteral("all: 2 of 5 (40 %) faster than 1.00×"));
    }

    void scatterAgainstABaseline()
    {
        QVERIFY(chart(ChartKind::Baselines, {Failures::One, "baseline:compile", "best", {}, {}}).isEmpty());
        // With one origin alone its variants are the best ones: not drawn against themselves, unless somebody asks for
        // it.
        const Chart nothing = chart(ChartKind::Baselines);
        QVERIFY(nothing.isEmpty());
        QVERIFY2(nothing.empty.contains(QStringLiteral("cudal1 baselines")), qPrintable(nothing.empty));
        QVERIFY(
            !chart(ChartKind::Baselines, {Failures::One,
                                          "found:" + store::samples::variant("class ModelNew: # origin", "1/12").origin,
                                          "best",
                                          {},
                                          {}})
                 .isEmpty());
        addBaseline("1/12", "compile", 2);
        addBaseline("3/41", "compile", 2.5);
        addBaseline("2/40", "cuda-graph", 1);
        const Chart against = chart(ChartKind::Baselines); // torch.compile is the first baseline
        QCOMPARE(against.title, QStringLiteral("best variant against torch.compile"));
        QCOMPARE(against.table.rows.size(), std::size_t(2));
        QVERIFY(near(numberIn(against, "1/12 GRUBidirectional", "ratio"), 2));
        QVERIFY(near(numberIn(against, "3/41 GRUBidirectional", "ratio"), 0.8));
        QVERIFY2(
            against.note.contains("1 above the line, 1 below, 0 too close to tell; geometric mean of the ratio 1.26×"),
            qPrintable(against.note));
        const Mark* mark = markOf(against, "task:1/12");
        QVERIFY(mark && mark->variant);
        QCOMPARE(must(m_project->variant(mark->variant)).techniques, std::vector<std::string>{"diagonal_as_broadcast"});
        const Chart graph = chart(ChartKind::Baselines, {Failures::One, "baseline:cuda-graph", "best", {}, {}});
        QCOMPARE(graph.table.rows.size(), std::size_t(1));
    }

    void scatterTellsOtherGainsByOutlines()
    {
        protocol::Evaluation other = timed(9, 9, 0.01), questioned = other;
        other.precision.matched = false;
        questioned.labels.push_back({"not_reproduced", "not found again", ""});
        add(*m_project, "2/40", "class ModelNew: # lower", "tf32", other);
        add(*m_project, "2/76", "class ModelNew: # doubtful", "fold_scale", questioned);
        for (const char* task : {"1/12", "2/40", "2/76"})
            addBaseline(task, "compile", 2);
        const Chart against = chart(ChartKind::Baselines);
        std::map<std::string, bool> hollow;
        for (const Series& series : against.series)
            for (const Point& point : series.points)
                hollow[against.marks[std::size_t(point.mark)].key] = point.hollow;
        QCOMPARE(hollow, (std::map<std::string, bool>{{"task:1/12", false}, {"task:2/40", true}, {"task:2/76", true}}));
        QVERIFY2(against.note.contains("3 above the line (of them 1 at another precision, 1 questioned)"),
                 qPrintable(against.note));
        const Series& entry = against.series.back();
        QVERIFY(entry.hollow && entry.points.empty());
        QCOMPARE(entry.name, QStringLiteral("other precision or questioned"));
        QCOMPARE(idsOf(against.marks[std::size_t(entry.mark)].tasks), (std::vector<std::string>{"2/40", "2/76"}));
        const auto outlines = [&](const Drawing& drawing) { // with the one in the legend
            return std::count_if(drawing.shapes.begin(), drawing.shapes.end(), [](const DrawnShape& shape) {
                return shape.kind != DrawnShape::Kind::Text && shape.fill == Ink::Surface;
            });
        };
        QCOMPARE(outlines(layOut(against, {800, 500})), 3);
    }

    void scatterAgainstWhatWasClaimed()
    {
        store::ImportRow row;
        row.task = store::samples::task("1/12");
        row.variant = store::samples::variant("class ModelNew: # broadcast", "1/12");
        row.claim.source = "peer: file";
        row.claim.key = "1/12";
        row.claim.speedup = 40;
        row.claim.correct = true;
        must(m_project->importRows({row}));
        const Chart against = chart(ChartKind::Baselines, {Failures::One, "claimed:peer: file", {}, {}, {}});
        QVERIFY(near(numberIn(against, "1/12 GRUBidirectional", "ratio"), 0.1));
        QVERIFY(against.note.contains("0 above the line, 1 below"));
        QVERIFY(against.note.contains("by others' clock"));

        row.claim.source = "other: file";
        row.claim.speedup = 10;
        must(m_project->importRows({row}));
        const Chart both = chart(ChartKind::Baselines,
                                 {Failures::One, "claimed:peer: file", "claimed:other: file", {}, {}});
        QVERIFY(near(numberIn(both, "1/12 GRUBidirectional", "ratio"), 0.25));
        QVERIFY2(both.note.contains(" 1 task: 0 above"), qPrintable(both.note)); // no device is behind two claims
    }

    void claimsStandBesideWhatWasFound()
    {
        store::ImportRow row;
        row.task = store::samples::task("1/12");
        row.variant = store::samples::variant("class ModelNew: # broadcast", "1/12");
        row.claim.source = "cuda-l1: a100.json";
        row.claim.key = "1/12";
        row.claim.speedup = 40;
        store::ImportRow none = row;
        none.variant = {};
        none.claim.key = "1/13";
        none.claim.speedup = {};
        must(m_project->importRows({row, none}));
        must(m_project->addEvaluation(must(m_project->claims()).front().variant, timed(5, 5, 0.01)));

        const Chart made = chart(ChartKind::Claims);
        QCOMPARE(made.table.rows.size(), std::size_t(1)); // of one level alone
        const QString source = QStringLiteral("cuda-l1: a100.json");
        QVERIFY(near(numberIn(made, source, "rows"), 2) && near(numberIn(made, source, "success"), 1));
        QVERIFY(near(numberIn(made, source, "mean"), 20.5)); // 40, and 1 for the row without
        QVERIFY(near(numberIn(made, source, "max"), 40) && near(numberIn(made, source, "found mean"), 5));
        QVERIFY(near(numberIn(chart(ChartKind::Claims, {Failures::LeftOut, {}, {}, {}, {}}), source, "mean"), 40));
        QVERIFY(made.y.words == QStringList{QStringLiteral("A100, all")});
        QVERIFY(made.marks.front().hover.contains("found here, 1 of 1 correct"));

        const Chart means = chart(ChartKind::ClaimedMeans, {Failures::LeftOut, {}, {}, {}, {}});
        QVERIFY(means.y.words == QStringList{QStringLiteral("A100, over eager")});
        QVERIFY(near(numberIn(means, source, "mean"), 40) && near(numberIn(means, source, "success"), 1));
        QVERIFY(near(means.series.front().points.front().x2, 40) && near(means.series.front().points.front().x, 0));
    }

    void failuresAloneAreNoDistribution()
    {
        const auto project = must(store::Project::open(m_folder->filePath("failed.cudal1").toStdString()));
        must(project->putTask(store::samples::task("1/1")));
        protocol::Evaluation wrong = timed(2, 2, 0.01);
        wrong.verdict = protocol::Verdict::Incorrect;
        wrong.speedup = {};
        must(project->addEvaluation(must(project->addVariant(store::samples::variant("class ModelNew: # w", "1/1"))),
                                    wrong));
        const Chart made = must(chartOf(*project, ChartKind::Distribution));
        QVERIFY(made.isEmpty());
        QVERIFY(made.empty.contains("No task has a correct variant"));
        QVERIFY(made.note.contains("1 tried task, 1 without a correct variant"));
    }

    void effectsAreOfPairsThatDifferByOne()
    {
        store::VariantRecord both = store::samples::variant("class ModelNew: # both", "1/12");
        both.techniques = {"cuda_graph", "diagonal_as_broadcast"};
        must(m_project->addEvaluation(must(m_project->addVariant(both)), timed(5, 5, 0.01)));
        add(*m_project, "2/40", "class ModelNew: # graph 2", "cuda_graph", timed(2, 2, 0.01));
        // 1/12: 1.25 over the reference, 5 / 4 over the broadcast: 1.25. 2/40: 2. Their mean is sqrt(2.5), of two
        // tasks.
        const Chart bring = chart(ChartKind::Effects);
        QVERIFY(near(numberIn(bring, "cuda graph", "effect"), std::sqrt(2.5)));
        QCOMPARE(numberIn(bring, "cuda graph", "pairs"), 3.0);
        QCOMPARE(numberIn(bring, "cuda graph", "tasks"), 2.0);
        // Student's t of one degree of freedom, of ln 1.25 and ln 2: half their distance times 12.706.
        QVERIFY(std::abs(std::log(numberIn(bring, "cuda graph", "high") / numberIn(bring, "cuda graph", "effect")) -
                         12.706 * std::log(1.6) / 2) < 1e-3);
        QVERIFY(near(numberIn(bring, "diagonal as broadcast", "effect"), 4));
        QVERIFY(near(numberIn(bring, "channels last", "effect"), 0.5));
        QCOMPARE(markOf(bring, "technique:channels_last")->technique, std::string("channels_last"));
        QVERIFY(std::isnan(numberIn(bring, "tf32", "effect"))); // wrong wherever it was tried
        QVERIFY(!bring.note.contains("to compare"));
        both.source = "class ModelNew: # two that are never apart";
        both.techniques = {"winograd", "split_k"};
        must(m_project->addEvaluation(must(m_project->addVariant(both)), timed(3, 3, 0.01)));
        const QString note = chart(ChartKind::Effects).note;
        QVERIFY2(note.contains(" 2 techniques have no pairs to compare. "), qPrintable(note));
    }

    void techniquesAreCounted()
    {
        const Chart often = chart(ChartKind::Techniques);
        QCOMPARE(numberIn(often, "cuda graph", "variants"), 1.0);
        QCOMPARE(numberIn(often, "cuda graph", "in the best of tasks"), 0.0);
        QCOMPARE(numberIn(often, "diagonal as broadcast", "in the best of tasks"), 1.0);
        QCOMPARE(numberIn(often, "tf32", "not correct"), 1.0);
        QCOMPARE(idsOf(markOf(often, "technique:tf32")->tasks), std::vector<std::string>{"1/5"});
    }

    void devicesAreSetApart()
    {
        const Chart matrix = chart(ChartKind::Devices);
        QCOMPARE(matrix.x.words, (QStringList{"NVIDIA H200", "Some CPU"}));
        const auto cell = [&](const char* device, const char* level, std::size_t column) {
            for (const std::vector<ChartCell>& row : matrix.table.rows)
                if (textOf(row[0]) == QLatin1String(device) && textOf(row[1]) == QLatin1String(level))
                    return std::get<double>(row[column]);
            return std::nan("");
        };
        QVERIFY(near(cell("NVIDIA H200", "level 2", 4), 1)); // 1x, and 0.5x that keeps the reference
        QCOMPARE(cell("NVIDIA H200", "level 1", 2), 1.0);
        QVERIFY(near(cell("Some CPU", "level 1", 4), 1));
        QCOMPARE(cell("Some CPU", "level 1", 3), 0.0);
        QCOMPARE(markOf(matrix, "device:NVIDIA H200:level 2")->deviceModel, std::string("NVIDIA H200"));
    }

    void progressOfTheProjectEndsAtItsMean()
    {
        const Chart project = chart(ChartKind::Progress);
        QCOMPARE(project.table.rows.size(), std::size_t(4)); // 1.25x after 4x improved nothing
        QVERIFY(near(std::get<double>(project.table.rows.back().back()),
                     charts::summarise(must(m_project->taskRows())).geometricMean));
    }

    /// And leaves a smaller gain in its place, where nothing questions that.
    void everyMeanCountsAQuestionedGainAsTheReference()
    {
        std::string gained, slower; // 2x on level 3, 0.5x on level 2
        for (const store::TaskRow& row : must(m_project->taskRows()))
            if (row.best.valid() && (row.level == 3 || row.best.estimate < 1))
                (row.level == 3 ? gained : slower) = row.id.value;
        protocol::Evaluation questioned = timed(9, 9, 0.01);
        questioned.labels.push_back({"not_reproduced", "not found again", ""});
        for (const std::string& task : {gained, slower})
            must(m_project->addEvaluation(
                must(m_project->addVariant(store::samples::variant("class ModelNew: # nine times", task))),
                questioned));
        for (const store::TaskRow& row : must(m_project->taskRows())) {
            if (row.id.value == gained)
                QVERIFY(near(row.best.estimate, 2) && row.marks.empty());
            if (row.id.value == slower)
                QVERIFY(near(row.best.estimate, 9) && row.marks == "!");
        }
        const double mean = std::pow(8, 0.2); // 4 and 2, and three that count as 1
        QVERIFY(near(charts::summarise(must(m_project->taskRows())).geometricMean, mean));
        QVERIFY(near(numberIn(chart(ChartKind::Percentiles), "all", "geometric mean"), mean));
        QVERIFY(near(std::get<double>(chart(ChartKind::Progress).table.rows.back().back()), mean));
        const Chart matrix = chart(ChartKind::Devices);
        const auto row = std::find_if(matrix.table.rows.begin(), matrix.table.rows.end(), [&](const auto& one) {
            return textOf(one[0]) == QLatin1String("NVIDIA H200") && textOf(one[1]) == QLatin1String("level 2");
        });
        QVERIFY(row != matrix.table.rows.end());
        QVERIFY(near(std::get<double>((*row)[4]), 1));
    }

    void improvementsAreCountedAmongAllEvaluations()
    {
        const auto before = must(m_project->improvements());
        add(*m_project, "1/1", "class ModelNew: # wrong", "tf32",
            store::samples::failure(protocol::Verdict::Incorrect, "wrong", protocol::Precision::Kernelbench));
        const base::VariantId first = add(*m_project, "1/1", "class ModelNew: # first", "tf32",
                                          timed(0.5, 0.5, 0.01)); // the first counts, however slow
        add(*m_project, "1/1", "class ModelNew: # the same", "tf32", timed(0.5, 0.5, 0.01));
        add(*m_project, "1/1", "class ModelNew: # wider", "tf32", timed(0.6, 0.6, 0.4)); // its lower bound is lower
        const base::VariantId best = add(*m_project, "1/1", "class ModelNew: # best", "tf32", timed(3, 3, 0.01));
        const auto after = must(m_project->improvements());
        QCOMPARE(after.size(), before.size() + 2);
        for (std::size_t i = 0; i < before.size(); ++i)
            QVERIFY(after[i].variant == before[i].variant && after[i].number == before[i].number);
        const store::Improvement &one = after[after.size() - 2], &two = after.back();
        QVERIFY(one.variant == first && two.variant == best && two.task.value == "1/1");
        QCOMPARE(two.number - one.number, std::int64_t(3));
        QCOMPARE(one.number, std::int64_t(must(m_project->variantRows()).size()) -
                                 3); // with those that failed, and those of other tasks
        QCOMPARE(two.wall.estimate, 3.0);
    }

    void progressOfARunHasRounds()
    {
        store::RunRecord run;
        run.kind = "optimize";
        run.task = {"1/1"};
        run.parameters = "{}";
        const base::RunId id = must(m_project->startRun(run));
        int number = 0;
        const auto round = [&](std::initializer_list<double> speedups) {
            std::vector<base::VariantId> variants;
            for (std::size_t i = 0; i < speedups.size(); ++i) {
                store::VariantRecord variant = store::samples::variant(
                    "class ModelNew: # run " + std::to_string(++number), "1/1");
                variant.run = id;
                variants.push_back(must(m_project->addVariant(variant)));
            }
            QTest::qSleep(5);
            std::size_t at = 0;
            for (const double speedup : speedups)
                must(m_project->addEvaluation(
                    variants[at++], speedup > 0 ? timed(speedup, speedup, 0.01)
                                                : store::samples::failure(protocol::Verdict::Incorrect, "wrong",
                                                                          protocol::Precision::Kernelbench)));
            QTest::qSleep(5);
        };
        round({1.5, 0, 1.2});
        round({3, 2});
        const Chart rounds = chart(ChartKind::Progress);
        QCOMPARE(rounds.table.rows.size(), std::size_t(5));
        std::vector<double> of, best;
        for (const std::vector<ChartCell>& row : rounds.table.rows) {
            of.push_back(std::get<double>(row[1]));
            best.push_back(std::get<double>(row[7]));
        }
        QCOMPARE(of, (std::vector<double>{1, 1, 1, 2, 2}));
        QCOMPARE(best, (std::vector<double>{1.5, 1.5, 1.5, 3, 3}));
        QVERIFY(rounds.note.startsWith("5 variants in 2 rounds; best 3.00×"));
    }

    void groupsCountTheNewestEvaluationOfAVariant()
    {
        const base::VariantId again = add(*m_project, "1/1", "class ModelNew: # twice", "tf32", timed(8, 8, 0.01));
        must(m_project->addEvaluation(again, timed(2, 2, 0.01)));
        int found = 0;
        for (const store::ResultGroup& group : must(m_project->resultGroups()))
            if (group.task.value == "1/1") {
                ++found;
                QCOMPARE(group.judged, 1);
                QCOMPARE(group.wall.estimate, 2.0);
                QVERIFY(group.best == again);
            }
        QCOMPARE(found, 1);
        for (const store::Improvement& step : must(m_project->improvements()))
            QVERIFY(step.variant != again || step.wall.estimate == 2);
    }

    void everyChartIsDrawnWithinItsPicture()
    {
        addBaseline("1/12", "compile", 2);
        store::ImportRow row;
        row.task = store::samples::task("1/12");
        row.claim.source = "cuda-l1: a100.json";
        row.claim.key = "1/12";
        row.claim.speedup = 40;
        must(m_project->importRows({row}));
        for (const KindInfo& kind : kinds())
            for (const QSizeF size : {QSizeF(960, 540), QSizeF(420, 260)}) {
                const Chart made = chart(kind.kind);
                QVERIFY2(!made.isEmpty(), kind.id.data());
                const Drawing drawing = layOut(made, size);
                QVERIFY(drawing.targets.size() > 0);
                QVERIFY2(drawing.plot.height() > 40, kind.id.data());
                for (const DrawnShape& shape : drawing.shapes)
                    for (const QPointF& point : shape.points)
                        QVERIFY2(QRectF(-1, -1, size.width() + 2, size.height() + 2).contains(point),
                                 qPrintable(QStringLiteral("%1: %2, %3 %4")
                                                .arg(kind.id.data())
                                                .arg(point.x())
                                                .arg(point.y())
                                                .arg(shape.text)));
                for (const Target& target : drawing.targets)
                    QVERIFY(target.mark >= 0 && target.mark < int(made.marks.size()));
            }
    }

    void namesOfAPairAreNotCutShort()
    {
        const std::vector<std::string> toggles{"USE_PRIVATE_STREAM", "USE_STATIC_BUFFERS"};
        ablation::Effects wall;
        wall.mains = {{1, {1.2, 1.1, 1.3}, 2}, {2, {0.9, 0.8, 1}, 2}};
        wall.interactions = {{3, {1.05, 1, 1.1}, 1}};
        const Chart made = ablationEffects(toggles, wall, {});
        const auto texts = [&](const QSizeF& size) {
            QStringList out;
            for (const DrawnShape& shape : layOut(made, size).shapes)
                if (shape.kind == DrawnShape::Kind::Text)
                    out << shape.text;
            return out;
        };
        QVERIFY(texts({900, comfortableHeight(made)}).contains("private stream + static buffers"));
        const QStringList narrow = texts({340, comfortableHeight(made)});
        QVERIFY2(narrow.contains("private stream +") && narrow.count("static buffers") == 2,
                 qPrintable(narrow.join('|')));
        QVERIFY(narrow.contains("0.90×"));
        const QStringList narrower = texts(
            {270, 2 * comfortableHeight(made)}); // with room for large letters below each other, and not beside
        QVERIFY2(narrower.contains("private stream +"), qPrintable(narrower.join('|')));
        // As large as the names of single toggles, already in the least height.
        std::map<QString, double> sizes;
        for (const DrawnShape& shape : layOut(made, {340, leastHeight(made)}).shapes)
            if (shape.kind == DrawnShape::Kind::Text)
                sizes.emplace(shape.text, shape.size);
        QVERIFY(sizes.at("private stream +") > 0.95 * sizes.at("static buffers"));
        const QStringList low = texts({340, 0.76 * leastHeight(made)}); // one line: both names are cut, neither is lost
        QVERIFY2(low.contains(QStringLiteral("private… + static…")), qPrintable(low.join('|')));
        QVERIFY(ablationEffects(toggles, {}, {}).isEmpty());
    }

    void pointingFindsTheBar()
    {
        const Chart made = chart(ChartKind::Distribution);
        const Drawing drawing = layOut(made, {800, 400});
        for (std::size_t mark = 0; mark < made.marks.size(); ++mark) {
            const Target* target = drawing.targetOf(int(mark));
            QVERIFY(target);
            QCOMPARE(drawing.markAt(target->area.center()), int(mark));
        }
        QCOMPARE(drawing.markAt({drawing.plot.right() + 5, drawing.plot.top()}), -1);
    }

    void svgIsWellFormedAndSaysTheNumbers()
    {
        for (const KindInfo& kind : kinds()) {
            const Chart made = chart(kind.kind);
            const QString svg = svgOf(made, {960, 540});
            QXmlStreamReader reader(svg);
            int titles = 0;
            QString text;
            while (!reader.atEnd()) {
                reader.readNext();
                titles += reader.isStartElement() && reader.name() == QLatin1String("title");
                if (reader.isCharacters())
                    text += reader.text();
                if (reader.isStartElement())
                    QVERIFY(!reader.attributes().hasAttribute("href"));
            }
            QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
            QVERIFY(text.contains(made.title));
            QVERIFY(titles > 1 || made.isEmpty());
        }
        QCOMPARE(svgOf(chart(ChartKind::Distribution), {960, 540}).count("class=\"ink-level1\""),
                 2); // its bar and the legend
    }

    void csvAndJsonHoldTheTable()
    {
        const Chart made = chart(ChartKind::Percentiles);
        const QStringList lines = csvOf(made.table).split("\r\n");
        QCOMPARE(
            lines[0],
            QStringLiteral(
                "level,tried,correct,above 1.01,clearly above 1.01,true gains,mean,geometric mean,max,75 %,50 %,25 %"));
        QVERIFY(lines[2].startsWith("level 1,2,1,1,1,1,2.5,"));
        QCOMPARE(lines.size(), 6); // titles, four rows, the end
        const auto json = nlohmann::json::parse(jsonOf(made));
        QCOMPARE(json["chart"].get<std::string>(), std::string("percentiles"));
        QCOMPARE(json["table"].size(), std::size_t(4));
        QCOMPARE(json["table"][1]["mean"].get<double>(), 2.5);
        QVERIFY(made.inWords().contains("level 1"));
    }

    void anEmptyProjectSaysWhy()
    {
        const auto project = must(store::Project::open(m_folder->filePath("empty.cudal1").toStdString()));
        for (const KindInfo& kind : kinds()) {
            const Chart made = must(chartOf(*project, kind.kind));
            QVERIFY(made.isEmpty());
            QVERIFY(!made.empty.isEmpty());
            QVERIFY(svgOf(made, {400, 300}).contains("</svg>"));
            QVERIFY(!nlohmann::json::parse(jsonOf(made))["empty"].get<std::string>().empty());
        }
    }

    void ticksAreRound()
    {
        QCOMPARE(linearTicks(0, 10, 6, true), (std::vector<double>{0, 2, 4, 6, 8, 10}));
        QCOMPARE(linearTicks(0, 1, 5, false), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
        QCOMPARE(linearTicks(0, 3, 12, true), (std::vector<double>{0, 1, 2, 3}));
        QCOMPARE(linearTicks(0, 4, 2, true), (std::vector<double>{0, 4})); // never one alone
        QCOMPARE(linearTicks(0, 0.0033, 2, false), (std::vector<double>{0, 0.0025}));
        QCOMPARE(linearTicks(1.2, 2.3, 2, false), (std::vector<double>{1.5, 2}));
    }
};

QTEST_GUILESS_MAIN(TestCharts)
#include "tst_charts.moc"
