// SPDX-License-Identifier: GPL-3.0-or-later
// Bounds of values, against bounds worked out by hand.
#include "core/policy/intervals.h"

#include <QtTest>

#include <cmath>

using namespace cudal1;
using namespace cudal1::policy;
using nlohmann::json;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A chain over one input of shape [4, 6]: each step reads the result of the one before as {"value": -1}.
struct Chain {
    protocol::OperatorGraph graph;

    Chain()
    {
        protocol::GraphValue x;
        x.id = 0;
        x.shape = {4, 6};
        x.dtype = "float32";
        x.name = "x";
        x.kind = protocol::GraphValue::Kind::Input;
        graph.values.push_back(x);
        graph.inputs = {0};
        graph.outputs = {0};
        graph.outputKind = "tensor";
    }

    int add(const std::string& op, json args, std::vector<std::int64_t> shape = {4, 6})
    {
        protocol::GraphValue value;
        value.id = static_cast<int>(graph.values.size());
        value.shape = std::move(shape);
        value.dtype = "float32";
        protocol::GraphNode node;
        node.op = op;
        node.args = std::move(args);
        node.outputs = {value.id};
        graph.values.push_back(value);
        graph.nodes.push_back(node);
        graph.outputs = {value.id};
        return value.id;
    }

    Bounds result() const { return boundsOf(Graph(graph))[static_cast<std::size_t>(graph.outputs[0])]; }
};

json ref(int id)
{
    return {{"value", id}};
}

} // namespace

class TestIntervals : public QObject {
    Q_OBJECT
private slots:
    void inputsAreUnbounded()
    {
        Chain c;
        c.add("aten.mul.Tensor", {ref(0), 2.0});
        QCOMPARE(c.result().low, -infinity);
        QCOMPARE(c.result().high, infinity);
    }

    void minimumWithZeroThenClampIsZero()
    {
        Chain c;
        const int low = c.add("aten.clamp_max.default", {ref(0), 0.0});
        c.add("aten.clamp.default", {ref(low), 0.0, 1.0});
        QCOMPARE(c.result().low, 0.0);
        QCOMPARE(c.result().high, 0.0);
    }

    void numbersThatForwardMakesAreBounds() // clamp(min(x, tensor(-2)), -2, 1) = -2
    {
        Chain c;
        const int made = c.add("aten.lift_fresh.default",
                               {{{"literal", "torch.tensor(-2.0, dtype=torch.float32, device='cuda:1')"}}}, {});
        const int low = c.add("aten.minimum.default", {ref(0), ref(made)});
        c.add("aten.clamp.default", {ref(low), -2.0, 1.0});
        QCOMPARE(c.result().low, -2.0);
        QCOMPARE(c.result().high, -2.0);
    }

    void affineOfSigmoid() // 3 * [0, 1] - 1 = [-1, 2]; 1 - that = [-1, 2]
    {
        Chain c;
        const int s = c.add("aten.sigmoid.default", {ref(0)});
        const int m = c.add("aten.mul.Tensor", {ref(s), 3.0});
        const int d = c.add("aten.sub.Tensor", {ref(m), 1.0});
        QCOMPARE(c.result().low, -1.0);
        QCOMPARE(c.result().high, 2.0);
        c.add("aten.rsub.Scalar", {ref(d), 1});
        QCOMPARE(c.result().low, -1.0);
        QCOMPARE(c.result().high, 2.0);
    }

    void negativeFactorSwapsBounds() // [0, inf) * -2 = (-inf, 0]; relu of it is 0
    {
        Chain c;
        const int r = c.add("aten.relu.default", {ref(0)});
        const int m = c.add("aten.mul.Tensor", {ref(r), -2.0});
        QCOMPARE(c.result().high, 0.0);
        c.add("aten.relu.default", {ref(m)});
        QCOMPARE(c.result().low, 0.0);
        QCOMPARE(c.result().high, 0.0);
    }

    void divisionByWhatMayBeZeroIsUnbounded()
    {
        Chain c;
        const int t = c.add("aten.tanh.default", {ref(0)});
        c.add("aten.div.Tensor", {ref(t), ref(t)});
        QCOMPARE(c.result().low, -infinity);
    }

    void meanOverOneElementIsTheElement()
    {
        Chain c;
        const int m = c.add("aten.amax.default", {ref(0), json::array({1}), true}, {4, 1});
        const int mean = c.add("aten.mean.dim", {ref(m), json::array({1}), true}, {4, 1});
        c.add("aten.sub.Tensor", {ref(m), ref(mean)}, {4, 1});
        QCOMPARE(c.result().low, 0.0);
        QCOMPARE(c.result().high, 0.0);
    }

    void meanOverSixElementsIsNot()
    {
        Chain c;
        const int mean = c.add("aten.mean.dim", {ref(0), json::array({1}), true}, {4, 1});
        c.add("aten.sub.Tensor", {ref(0), ref(mean)});
        QCOMPARE(c.result().low, -infinity);
        QCOMPARE(c.result().high, infinity);
    }

    void sumCountsItsElements() // six values in [0, 1]
    {
        Chain c;
        const int s = c.add("aten.sigmoid.default", {ref(0)});
        c.add("aten.sum.dim_IntList", {ref(s), json::array({1}), true}, {4, 1});
        QCOMPARE(c.result().low, 0.0);
        QCOMPARE(c.result().high, 6.0);
    }

    void softmaxOverOneElementIsOne()
    {
        Chain c;
        const int m = c.add("aten.amax.default", {ref(0), json::array({1}), true}, {4, 1});
        c.add("aten._softmax.default", {ref(m), 1, false}, {4, 1});
        QCOMPARE(c.result().low, 1.0);
        QCOMPARE(c.result().high, 1.0);
    }
};

QTEST_APPLESS_MAIN(TestIntervals)
#include "tst_intervals.moc"
