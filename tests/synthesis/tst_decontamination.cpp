// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of graphs, and the comparison with held-out tasks.
#include "core/synthesis/decontamination.h"
#include "core/synthesis/graphsignature.h"
#include "core/tasks/split.h"
#include "tests/synthesis/graphs.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace cudal1;
using namespace cudal1::synthesis;
using tests::GraphMaker;

namespace {

/// x -> linear layer -> ReLU -> a product with a number, at some sizes.
GraphMaker chain(std::int64_t in, std::int64_t out, const char* activation = "aten.relu.default", double factor = 2)
{
    GraphMaker made;
    const int x = made.value({8, in}), w = made.weight({out, in}), b = made.weight({out});
    const int t = made.op("aten.t.default", {w}, {in, out});
    const int y = made.op("aten.addmm.default", {b, x, t}, {8, out});
    const int z = made.op(activation, {y}, {8, out});
    made.op("aten.mul.Tensor", {z}, {8, out}, {factor});
    return made;
}

/// Operators of one argument, one after the other.
GraphMaker row(const std::vector<std::string>& operators)
{
    GraphMaker made;
    int x = made.value({4, 64});
    for (const std::string& name : operators)
        x = made.op("aten." + name + ".default", {x}, {4, 64});
    return made;
}

} // namespace

class TestDecontamination : public QObject {
    Q_OBJECT
private slots:
    void plainNames()
    {
        QCOMPARE(plainOperator("aten.addmm.default"), std::string("mm"));
        QCOMPARE(plainOperator("aten.relu_.default"), std::string("relu"));
        QCOMPARE(plainOperator("add.Tensor"), std::string("add"));
        QCOMPARE(plainOperator("aten._softmax.default"), std::string("_softmax"));
        QVERIFY(isMovement("transpose") && !isMovement("cat"));
        QCOMPARE(computeSequence(chain(16, 32).graph), (std::vector<std::string>{"mm", "relu", "mul"}));
        const auto facts = nlohmann::json::parse(
            R"([["t",["[3,2]"],{}],{"repeat":2,"block":[["mm",["[1,2]","[2,3]"],{}],["relu_",["[1,3]"],{}]]}])");
        QCOMPARE(computeSequence(facts), (std::vector<std::string>{"mm", "relu", "mm", "relu"}));
    }

    void taskKeysTellTasksApart()
    {
        const auto key = taskKey(chain(100, 200).graph);
        QCOMPARE(taskKey(chain(100, 200).graph), key);
        QCOMPARE(taskKey(chain(100, 200, "aten.relu_.default").graph), key);   // in place or not
        QCOMPARE(taskKey(chain(100, 200, "aten.relu.default", 3).graph), key); // another fraction
        QCOMPARE(taskKey(chain(120, 250).graph), key);                         // the same powers of two below
        QVERIFY(taskKey(chain(100, 600).graph) != key);
        QVERIFY(taskKey(chain(100, 200, "aten.gelu.default").graph) != key);
        // A whole number is part of the task: a softmax over another dimension is another task.
        GraphMaker a, b;
        a.op("aten._softmax.default", {a.value({8, 8})}, {8, 8}, {0, false});
        b.op("aten._softmax.default", {b.value({8, 8})}, {8, 8}, {1, false});
        QVERIFY(taskKey(a.graph) != taskKey(b.graph));
        QCOMPARE(flowKey(a.graph), flowKey(b.graph));
    }

    /// Two branches that are written in the other order, and a sum with its sides changed, are the same graph.
    void orderDoesNotCount()
    {
        GraphMaker first, second;
        const int x = first.value({4, 16}), y = second.value({4, 16});
        const int a = first.op("aten.tanh.default", {x}, {4, 16}), b = first.op("aten.exp.default", {x}, {4, 16});
        first.op("aten.add.Tensor", {a, b}, {4, 16});
        const int d = second.op("aten.exp.default", {y}, {4, 16}), c = second.op("aten.tanh.default", {y}, {4, 16});
        second.op("aten.add.Tensor", {d, c}, {4, 16});
        QCOMPARE(taskKey(first.graph), taskKey(second.graph));
        QCOMPARE(flowKey(first.graph), flowKey(second.graph));
        // But a difference has sides.
        GraphMaker third;
        const int z = third.value({4, 16});
        const int e = third.op("aten.tanh.default", {z}, {4, 16}), f = third.op("aten.exp.default", {z}, {4, 16});
        third.op("aten.sub.Tensor", {e, f}, {4, 16});
        GraphMaker fourth = third;
        std::swap(fourth.graph.nodes.back().args[0], fourth.graph.nodes.back().args[1]);
        QVERIFY(taskKey(third.graph) != taskKey(fourth.graph));
    }

    /// What is written in place is another value from then on.
    void writingInPlaceIsFollowed()
    {
        GraphMaker apart, place;
        const int x = apart.value({4, 16}), y = apart.op("aten.tanh.default", {x}, {4, 16});
        apart.op("aten.exp.default", {y}, {4, 16});
        const int a = place.value({4, 16});
        place.op("aten.tanh_.default", {a}, {4, 16});
        place.graph.nodes.back().outputs = {a};
        place.op("aten.exp.default", {a}, {4, 16});
        QCOMPARE(flowKey(place.graph), flowKey(apart.graph));
    }

    void aCopyAtOtherSizesIsFound()
    {
        Decontamination apart;
        apart.addHeldOut("1/1", chain(100, 200).graph);
        const auto hit = apart.hitOf(chain(48, 1000, "aten.relu.default", 0.5).graph);
        QVERIFY(hit && hit->evidence == Decontamination::Evidence::Graph && hit->task == "1/1" && hit->what.empty());
        // With a transposed weight that needs no transposing, and no bias.
        GraphMaker other;
        const int x = other.value({4, 32}), w = other.weight({32, 8});
        const int y = other.op("aten.mm.default", {x, w}, {4, 8}), z = other.op("aten.relu.default", {y}, {4, 8});
        other.op("aten.mul.Tensor", {z}, {4, 8}, {2.0});
        const auto close = apart.hitOf(
            other.graph); // the bias makes it another graph; all three operators give it away
        QVERIFY(close && close->evidence == Decontamination::Evidence::Operators);
        QCOMPARE(close->what, std::string("mm, relu, mul"));
        QVERIFY(!apart.hitOf(chain(48, 1000, "aten.gelu.default").graph));
    }

    void rowsOfOperatorsAreFoundUnlessTrainingHasThem()
    {
        Decontamination apart;
        apart.addHeldOut("2/7", row({"tanh", "exp", "abs", "sin", "cos"}).graph);
        QCOMPARE(apart.sequences(), std::size_t(2));
        const auto hit = apart.hitOf(row({"relu", "exp", "abs", "sin", "cos", "relu"}).graph);
        QVERIFY(hit && hit->evidence == Decontamination::Evidence::Operators && hit->task == "2/7");
        QCOMPARE(hit->what, std::string("exp, abs, sin, cos"));
        QVERIFY(!apart.hitOf(row({"tanh", "exp", "abs", "relu", "sin", "cos"}).graph)); // three in a row at most
        apart.addTraining({"relu", "exp", "abs", "sin", "cos"});
        QCOMPARE(apart.sequences(), std::size_t(1));
        QVERIFY(!apart.hitOf(row({"relu", "exp", "abs", "sin", "cos", "relu"}).graph));
        QVERIFY(
            apart.hitOf(row({"relu", "tanh", "exp", "abs", "sin"}).graph)); // that one is of the held-out task alone
    }

    void trainingTasksComeFromFacts()
    {
        int train = 1, held = 1;
        while (tasks::splitOf(1, train) != tasks::Split::Train)
            ++train;
        while (tasks::splitOf(1, held) != tasks::Split::HeldOut)
            ++held;
        QTemporaryDir folder;
        const std::string path = folder.filePath("facts.jsonl").toStdString();
        const std::string operators = R"([["exp",[],{}],["abs",[],{}],["sin",[],{}],["cos",[],{}]])";
        const auto fileOf = [&](int id) {
            std::ofstream(path) << R"({"level":1,"id":)" << id << R"(,"name":"x","operators":)" << operators << "}\n";
            auto read = tasks::FactsFile::read(path);
            if (!read)
                qFatal("%s", read.error().text().c_str());
            return std::move(*read);
        };
        for (const auto& [id, expected] : {std::pair{held, true}, std::pair{train, false}}) {
            Decontamination apart;
            apart.addHeldOut("2/7", row({"tanh", "exp", "abs", "sin", "cos"}).graph);
            apart.addTraining(fileOf(id)); // a held-out task's operators excuse nothing
            QCOMPARE(apart.hitOf(row({"exp", "abs", "sin", "cos"}).graph).has_value(), expected);
        }
    }
};

QTEST_APPLESS_MAIN(TestDecontamination)
#include "tst_decontamination.moc"
