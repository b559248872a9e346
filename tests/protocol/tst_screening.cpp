// SPDX-License-Identifier: GPL-3.0-or-later
// Screenings travel whole, and older or odd ones are read as far as they go.
#include "core/protocol/screening.h"

#include <QTest>

using namespace cudal1::protocol;
using nlohmann::json;

class TestScreening : public QObject {
    Q_OBJECT
private slots:
    void aRequestTravels()
    {
        const ScreenRequest sent{{{"a", "class Model"}}, 5, 77, 9.5};
        const ScreenRequest got = json(sent).get<ScreenRequest>();
        QVERIFY(got.tasks.size() == 1 && got.tasks[0].name == "a" && got.tasks[0].source == "class Model");
        QVERIFY(got.trials == 5 && got.seed == 77 && got.limit_s == 9.5);
        const ScreenRequest bare = json::parse(R"({"tasks":[]})").get<ScreenRequest>();
        QVERIFY(bare.trials == 3 && bare.seed == 1 && bare.limit_s == 60);
    }

    void anAnswerTravels()
    {
        Screening sent;
        sent.items.resize(2);
        sent.items[0].name = "a";
        sent.items[0].graph.nodes.push_back({0, "aten.relu.default", "", json::array(), json::object(), {1}, 0});
        sent.items[0].trials = 3;
        sent.items[0].nulls = {"zeros"};
        sent.items[0].call_ns = 1500;
        sent.items[1].name = "b";
        sent.items[1].message = "RuntimeError: no";
        sent.items[1].line = 7;
        sent.items[1].finite = false;
        const Screening got = json(sent).get<Screening>();
        QCOMPARE(got.items.size(), std::size_t(2));
        QVERIFY(got.items[0].runs() && got.items[0].degenerate() && got.items[0].call_ns == 1500);
        QVERIFY(got.items[0].graph.nodes.size() == 1 && got.items[0].graph.nodes[0].op == "aten.relu.default");
        QVERIFY(!got.items[1].runs() && !got.items[1].degenerate() && got.items[1].line == 7 && !got.items[1].finite);
        QVERIFY(!json(sent)["items"][1].contains("graph"));
    }

    /// Without a trial nothing was tried, so nothing has passed.
    void degenerateNeedsATrial()
    {
        Screening::Item item;
        item.nulls = {"zeros"};
        QVERIFY(!item.degenerate());
        item.trials = 1;
        QVERIFY(item.degenerate());
        item.nulls.clear();
        QVERIFY(!item.degenerate());
    }
};

QTEST_APPLESS_MAIN(TestScreening)
#include "tst_screening.moc"
