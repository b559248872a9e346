// SPDX-License-Identifier: GPL-3.0-or-later
// Comparison of derived and recorded facts: what counts as equal, and what is said of a difference.
#include "core/tasks/factscheck.h"
#include "core/tasks/suite.h"

#include <QTest>

using namespace cudal1;
using nlohmann::json;

namespace {

json facts()
{
    return json::parse(
        R"({"input_generators": ["randn"], "inputs": [{"shape": [2, 3], "dtype": "float32"}], "init_inputs": [3, 1.5],
        "init_parameters": ["n", "s"], "forward_parameters": ["x"], "initialisation": [], "parameters": [["w", [3]]], "buffers": [],
        "modules": [], "outputs": {"shape": [2, 3], "dtype": "float32"},
        "operators": [["add", ["[2]", 1], {"out": "[2]"}], ["relu", ["[2]"], {"out": "[2]"}], ["relu", ["[2]"], {"out": "[2]"}]]})");
}

json row()
{
    json out = facts();
    out.update({{"level", 1}, {"id", 2}, {"name", "A"}});
    return out;
}

} // namespace

class TestFactsCheck : public QObject {
    Q_OBJECT

private slots:
    void equal()
    {
        QVERIFY(tasks::differences(facts(), row()).empty());
        json folded = row();
        folded["operators"] = json::parse(
            R"([["add", ["[2]", 1], {"out": "[2]"}], {"repeat": 2, "block": [["relu", ["[2]"], {"out": "[2]"}]]}])");
        QVERIFY(tasks::differences(facts(), folded).empty());
        QVERIFY(tasks::differences(folded, row()).size() == 0);
    }

    void differencesAreSentences_data()
    {
        QTest::addColumn<QByteArray>("patch");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("int for float") << QByteArray(R"({"init_inputs": [3.0, 1.5]})")
                                       << QByteArray(
                                              "init_inputs has 2 entries, at 0: 3.0; the facts say 2 entries, at 0: 3");
        QTest::newRow("bool for int")
            << QByteArray(R"({"operators": [["add", ["[2]", true], {"out": "[2]"}]]})")
            << QByteArray(
                   R"(operators has 1 entries, at 0: ["add",["[2]",true],{"out":"[2]"}]; the facts say 3 entries, at 0: ["add",["[2]",1],{"out":"[2]"}])");
        QTest::newRow("too long")
            << QByteArray(R"({"parameters": [["w", [3]], ["b", [3]]]})")
            << QByteArray(R"(parameters has 2 entries, at 1: ["b",[3]]; the facts say 1 entries, at 1: none)");
        QTest::newRow("object")
            << QByteArray(R"({"outputs": {"shape": [2, 3], "dtype": "int64"}})")
            << QByteArray(
                   R"(outputs has {"dtype":"int64","shape":[2,3]}; the facts say {"dtype":"float32","shape":[2,3]})");
        QTest::newRow("order")
            << QByteArray(R"({"init_parameters": ["s", "n"]})")
            << QByteArray(R"(init_parameters has 2 entries, at 0: "s"; the facts say 2 entries, at 0: "n")");
    }
    void differencesAreSentences()
    {
        QFETCH(QByteArray, patch);
        QFETCH(QByteArray, says);
        json derived = facts();
        derived.update(json::parse(patch.toStdString()));
        const auto found = tasks::differences(derived, row());
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(QByteArray::fromStdString(found[0]), says);
    }

    void everyFactIsCompared()
    {
        const json all = facts();
        for (const auto& [name, value] : all.items()) {
            json derived = facts();
            derived[name] = "another";
            QVERIFY2(tasks::differences(derived, row()).size() == 1, name.c_str());
            derived.erase(name);
            QVERIFY2(tasks::differences(derived, row()) == std::vector<std::string>{name + " was not derived"},
                     name.c_str());
            json less = row();
            less.erase(name);
            QVERIFY2(tasks::differences(facts(), less) == std::vector<std::string>{name + " is not among the facts"},
                     name.c_str());
        }
        json more = row();
        more["flops"] = 3;
        QVERIFY(tasks::differences(facts(), more) ==
                std::vector<std::string>{"the fact flops is one that nothing checks"});
    }

    void longValuesAreCut()
    {
        json derived = facts();
        derived["modules"] = json::array({std::string(5000, 'x')});
        const auto found = tasks::differences(derived, row());
        QCOMPARE(found.size(), std::size_t(1));
        QVERIFY(found[0].size() < 500 && found[0].find("…") != std::string::npos);
    }

    void idsOfPaths()
    {
        QCOMPARE(tasks::idOfPath("/x/level3/41_GRUBidirectional.py").value, std::string("3/41"));
        for (const char* path :
             {"/x/41_GRUBidirectional.py", "/x/level3/GRU.py", "/x/level0/1_A.py", "/x/level3/41_A.txt"})
            QVERIFY2(tasks::idOfPath(path).empty(), path);
    }
};

QTEST_APPLESS_MAIN(TestFactsCheck)
#include "tst_factscheck.moc"
