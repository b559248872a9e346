// SPDX-License-Identifier: GPL-3.0-or-later
// What a variant runs, its lineage, and two variants against each other.
#include "core/store/lineage.h"
#include "core/store/storedversus.h"
#include "tests/store/storesamples.h"

#include <QTemporaryDir>
#include <QTest>

#include <tuple>

using namespace cudal1;
using namespace cudal1::store;

namespace {

protocol::Evaluation correct(double estimate, double low, double high, const char* model)
{
    protocol::Evaluation evaluation;
    evaluation.verdict = protocol::Verdict::Correct;
    evaluation.speedup.wall.speedup = {estimate, low, high};
    evaluation.device.model = model;
    return evaluation;
}

} // namespace

class TestMade : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        auto opened = Project::open(m_folder->filePath("p.cudal1").toStdString());
        QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
        m_project = std::move(*opened);
        QVERIFY(m_project->putTask(samples::task()).ok());
    }
    void cleanup()
    {
        m_project.reset();
        m_folder.reset();
    }

    void countersAreKeptByMeansAndDevice()
    {
        const auto id = *m_project->addVariant(samples::variant("v = 1"));
        protocol::Counters counters;
        counters.device.model = "NVIDIA H200";
        counters.source = protocol::CounterSource::Static;
        counters.reason = "the driver says no";
        counters.reference = {2'000, {{"k", {{1, 2, 3}, {4, 5, 6}, 7, 8, 9}, 1.5, 1'000, 64, {}}}, {"a note"}};
        QVERIFY(m_project->putCounters({"3/41"}, id, counters).ok());
        counters.source = protocol::CounterSource::Cupti;
        counters.recorded_ms = 1; // long ago, and yet before what nobody counted
        counters.reference.kernels[0].measured.emplace();
        counters.reference.kernels[0].measured->occupancy = 0.25;
        counters.reference.kernels[0].measured->stalls = {{"wait", 0.75}};
        QVERIFY(m_project->putCounters({"3/41"}, id, counters).ok());
        counters.reference.kernels[0].launches = 2;
        QVERIFY(m_project->putCounters({"3/41"}, id, counters).ok()); // in place of the one before
        QVERIFY(m_project->putCounters({"3/41"}, {}, counters).ok());
        const auto all = *m_project->counters({"3/41"}, id);
        QCOMPARE(all.size(), std::size_t(2));
        QVERIFY(all[0].counters.source == protocol::CounterSource::Cupti && all[0].taskHash == "a1b2");
        QCOMPARE(all[0].counters.reference, counters.reference);
        QVERIFY(!all[1].counters.reference.kernels[0].measured);
        QCOMPARE(m_project->counters({"3/41"}, {})->size(), std::size_t(1));
        QCOMPARE(m_project->putCounters({"3/41"}, {99}, counters).error().code, base::ErrorCode::NotFound);
        QCOMPARE(m_project->putCounters({"9/9"}, {}, counters).error().code, base::ErrorCode::NotFound);
    }

    void kernelsAreKeptByDevice()
    {
        const auto id = *m_project->addVariant(samples::variant("a = 1"));
        QVERIFY(m_project->kernels(id)->empty());
        protocol::Kernels kernels;
        kernels.device.model = "NVIDIA H200";
        kernels.modules.push_back({{"f"},
                                   std::string("\x7f"
                                               "ELF\0",
                                               5),
                                   5,
                                   {},
                                   {}});
        QVERIFY(m_project->putKernels(id, kernels).ok());
        kernels.modules[0].kernels = {"g"};
        QVERIFY(m_project->putKernels(id, kernels).ok());
        kernels.device.model = "NVIDIA L4";
        QVERIFY(m_project->putKernels(id, kernels).ok());
        const auto all = *m_project->kernels(id);
        QCOMPARE(all.size(), std::size_t(2));
        for (const KernelsRecord& record : all) {
            QVERIFY(record.created_ms > 0);
            QCOMPARE(record.kernels.modules[0].kernels[0], std::string("g"));
            QCOMPARE(record.kernels.modules[0].image.size(), std::size_t(5));
        }
        QCOMPARE(m_project->putKernels({99}, kernels).error().code, base::ErrorCode::NotFound);
    }

    void lineageWalksBothWays()
    {
        const auto add = [&](const char* source, base::VariantId parent) {
            VariantRecord record = samples::variant(source);
            record.parent = parent;
            return *m_project->addVariant(record);
        };
        const auto root = add("a", {}), middle = add("b", root), other = add("c", root), leaf = add("d", middle),
                   leaf2 = add("e", middle);
        const auto under = add("f", leaf);
        const auto rows = *m_project->variantRows(samples::task().id);
        const auto nodes = lineage(rows, middle);
        std::vector<std::pair<base::VariantId, int>> found;
        for (const LineageNode& node : nodes)
            found.emplace_back(node.id, node.depth);
        const std::vector<std::pair<base::VariantId, int>> wanted{
            {root, 0}, {middle, 1}, {leaf, 2}, {under, 3}, {leaf2, 2}};
        QVERIFY(found == wanted);
        QVERIFY(nodes[0].ancestor && !nodes[1].ancestor && !nodes[2].ancestor);
        QCOMPARE(lineage(rows, other).size(), std::size_t(2));
    }

    void aCircleOfParentsEnds()
    {
        std::vector<VariantRow> rows(2);
        rows[0].id = rows[1].parent = {1};
        rows[1].id = rows[0].parent = {2};
        QCOMPARE(lineage(rows, {1}).size(), std::size_t(2));
        QCOMPARE(lineage({}, {5}).size(), std::size_t(1)); // one that is in no list yet
    }

    void versusTakesTheNewestThatCanBeCompared()
    {
        const auto a = *m_project->addVariant(samples::variant("a = 1")),
                   b = *m_project->addVariant(samples::variant("b = 1"));
        QCOMPARE(versus(*m_project, a, b).error().code, base::ErrorCode::InvalidArgument);
        QVERIFY(m_project->addEvaluation(a, correct(4, 3.9, 4.1, "NVIDIA H200")).ok());
        QVERIFY(m_project->addEvaluation(b, correct(2, 1.9, 2.1, "NVIDIA H200")).ok());
        QVERIFY(m_project->addEvaluation(b, correct(9, 8.9, 9.1, "NVIDIA L4")).ok()); // newer, on another device
        const auto found = versus(*m_project, a, b);
        QVERIFY(found.ok());
        QCOMPARE(found->wall.estimate, 2.0);
        QCOMPARE(base::compare(found->wall), base::Comparison::Faster);
        QVERIFY(versus(*m_project, b, a)->wall.estimate < 1);
        QVERIFY(m_project->addEvaluation(a, correct(0, 0, 0, "NVIDIA H200")).ok()); // not timed: the one before counts
        QCOMPARE(versus(*m_project, a, b)->wall.estimate, 2.0);
    }

    void theBestTellsWhatToThinkOfIt()
    {
        const auto a = *m_project->addVariant(samples::variant("a = 1")),
                   b = *m_project->addVariant(samples::variant("b = 1"));
        protocol::Evaluation own = correct(4, 3.9, 4.1, "NVIDIA H200");
        own.precision.matched = false;
        own.precision.candidate = "products bf16";
        own.precision.reference = "products fp32";
        own.labels = {{"library_calls", "", ""}, {"degenerate_task", "results that take no work pass", "zeros"}};
        QVERIFY(m_project->addEvaluation(a, own).ok());
        QCOMPARE(m_project->taskRows()->front().bestVariant, a);
        QCOMPARE(m_project->taskRows()->front().marks, std::string("*BF16!"));
        QCOMPARE(m_project->variantRows()->front().evaluation->marks, std::string("*BF16!"));
        // What is no gain does not stand before it, a gain that nothing speaks against does: in lists, tasks and
        // charts.
        const auto firstOfAll = [this] {
            const auto row = m_project->taskRows()->front();
            const auto first = m_project->variantRows()->front();
            const auto last = m_project->improvements()->back();
            return std::tuple(row.bestVariant, row.best.low, row.marks, first.id, last.variant, last.marks);
        };
        QVERIFY(m_project->addEvaluation(b, correct(1.2, 0.9, 1.5, "NVIDIA H200")).ok());
        QVERIFY(firstOfAll() == std::tuple(a, 3.9, "*BF16!", a, a, "*BF16!"));
        QVERIFY(m_project->addEvaluation(b, correct(2, 1.9, 2.1, "NVIDIA H200")).ok());
        QVERIFY(firstOfAll() == std::tuple(b, 1.9, "", b, b, ""));
        own.labels.clear();
        QVERIFY(m_project->addEvaluation(a, own).ok());
        QVERIFY(m_project->taskRows()->front().bestVariant == b); // nor does another precision
        QVERIFY(m_project->addEvaluation(a, correct(5, 4.9, 5.1, "NVIDIA H200")).ok());
        QVERIFY(m_project->taskRows()->front().bestVariant == a && m_project->taskRows()->front().marks.empty());
        QCOMPARE(m_project->taskRows()->front().best.low, 4.9);
        const auto groups = *m_project->resultGroups();
        QVERIFY(groups.size() == 1 && groups.front().best == a && groups.front().marks.empty());
    }

    /// As 3/41 in the sample: 5.47 beside a reference of 130 ms is less than 5.04 beside one of 89 ms, where both wait
    /// for the host less than the reference does.
    void rivalIsFasterAtOneSpeedOfTheHost()
    {
        const auto measured = [](double speedup, double reference_ns, double busy_ns) {
            protocol::Evaluation e = correct(speedup, speedup * 0.99, speedup * 1.01, "NVIDIA H200");
            e.speedup.wall.reference_ns = reference_ns;
            e.speedup.wall.candidate_ns = reference_ns / speedup;
            e.speedup.gpuBusy.speedup = {1, 0.99, 1.01};
            e.speedup.gpuBusy.reference_ns = e.speedup.gpuBusy.candidate_ns = busy_ns;
            return e;
        };
        const auto slowHost = *m_project->addVariant(samples::variant("a = 1")),
                   quickHost = *m_project->addVariant(samples::variant("b = 1"));
        const auto busy = *m_project->addVariant(samples::variant("c = 1"));
        QVERIFY(m_project->addEvaluation(slowHost, measured(5.47, 130e6, 20e6)).ok());
        QVERIFY(!rivalOf(*m_project->variantRows()));
        QVERIFY(m_project->addEvaluation(quickHost, measured(5.04, 89e6, 17e6)).ok());
        QVERIFY(m_project->addEvaluation(busy, measured(4.9, 130e6, 20e6)).ok()); // as slow a host: no rival
        const auto rows = *m_project->variantRows();
        QCOMPARE(rows.front().id, slowHost);
        const auto rival = rivalOf(rows);
        QVERIFY(rival.has_value());
        QCOMPARE(rival->best, slowHost);
        QCOMPARE(rival->variant, quickHost);
        QCOMPARE(rival->bestReference_ns, 130e6);
        const auto compared = versus(*m_project, quickHost, slowHost); // what `compare` says
        QCOMPARE(rival->ratio.estimate, compared->wall.estimate);
        QCOMPARE(rival->ratio.low, compared->wall.low);
        QVERIFY(!slowHostOf(rows)); // two others do not say what is usual
        const auto quickToo = *m_project->addVariant(samples::variant("d = 1"));
        QVERIFY(m_project->addEvaluation(quickToo, measured(4.8, 90e6, 17e6)).ok());
        const auto slow = slowHostOf(*m_project->variantRows());
        QVERIFY(slow && slow->best == slowHost && slow->bestReference_ns == 130e6 && slow->reference_ns == 90e6);
        QVERIFY(slow->there.estimate < 4.8 && slow->there.estimate > 1); // less than beside the slow host
        QVERIFY(!slowHostOf({rows[1], rows[2], rows[0], rows[0]}));      // beside the quick one nobody was slower
        QVERIFY(!rivalOf({}));
        QVERIFY(!rivalOf({rows[1], rows[2]})); // by its own best nothing is faster
        QVERIFY(rival->marks.empty());
        auto marked = rows;
        marked[1].evaluation->marks = "*FP32";
        QCOMPARE(rivalOf(marked)->marks, std::string("*FP32"));
        marked[1].evaluation->wall = {6.04, 6, 6.1}; // what it gains by its precision can be seen without that
        QVERIFY(!rivalOf(marked));
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Project> m_project;
};

QTEST_GUILESS_MAIN(TestMade)
#include "tst_made.moc"
