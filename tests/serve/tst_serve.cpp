// SPDX-License-Identifier: GPL-3.0-or-later
// Rewards, code in replies, tokens and paths: what needs no server.
#include "core/base/base64.h"
#include "core/mcp/jsontext.h"
#include "core/mcp/toolbox.h"
#include "core/serve/access.h"
#include "core/serve/httpmessage.h"
#include "core/serve/mcpschemas.h"
#include "core/serve/trainerreward.h"

#include <QTest>

using namespace cudal1;
using protocol::Verdict;

namespace {

protocol::Evaluation correct(double speedup)
{
    protocol::Evaluation out;
    out.verdict = Verdict::Correct;
    out.speedup.wall.speedup = {speedup, speedup * 0.99, speedup * 1.01};
    return out;
}

} // namespace

class TestServe : public QObject {
    Q_OBJECT
private slots:
    void rewards_data()
    {
        QTest::addColumn<double>("speedup");
        QTest::addColumn<double>("reward");
        // The paper's two examples, and what lies about 1.
        QTest::newRow("faster") << 1.118 << 1.11;
        QTest::newRow("almost as fast") << 0.992 << 1.00;
        QTest::newRow("slower") << 0.987 << 0.99;
        QTest::newRow("a little faster") << 1.009 << 1.00;
        QTest::newRow("much faster") << 28.999 << 28.99;
    }
    void rewards()
    {
        QFETCH(double, speedup);
        QFETCH(double, reward);
        const serve::Reward found = serve::rewardOf(correct(speedup));
        QCOMPARE(found.paper.value(), reward);
        QCOMPARE(found.estimate.value(), speedup);
    }
    void failuresAreWorthNothing()
    {
        for (const Verdict verdict : {Verdict::Incorrect, Verdict::DoesNotBuild, Verdict::Crashed, Verdict::TimedOut,
                                      Verdict::OutOfMemory, Verdict::Exploit}) {
            protocol::Evaluation failed = correct(5); // a time that was taken before it failed counts for nothing
            failed.verdict = verdict;
            QCOMPARE(serve::rewardOf(failed).paper.value(), 0.0);
            QCOMPARE(serve::rewardOf(failed).estimate.value(), 0.0);
        }
    }
    void whatSaysNothingHasNoReward()
    {
        protocol::Evaluation untimed = correct(2);
        untimed.speedup.wall = {};
        protocol::Evaluation lost = correct(2);
        lost.verdict = Verdict::ReferenceFailed;
        protocol::Evaluation crowded = correct(2);
        crowded.labels = {{"precision", "", ""}, {"crowded", "", ""}};
        for (const protocol::Evaluation& one : {untimed, lost, crowded}) {
            const serve::Reward found = serve::rewardOf(one);
            QVERIFY(!found.paper && !found.estimate && !found.why.empty());
            nlohmann::json object;
            serve::addReward(object, found);
            QVERIFY(object["reward"].is_null() && object["reward_why"].is_string());
        }
    }
    void thePapersProtocolDecidesWhereItMeasured()
    {
        protocol::Evaluation evaluation = correct(3.3);
        evaluation.paper.emplace();
        evaluation.paper->clock = "event";
        evaluation.paper->event = {1.234, 1.23, {}, 0.001, true};
        evaluation.paper->wall = {3.1, 3.1, {}, 0.001, true};
        evaluation.paper->accepted = true;
        QCOMPARE(serve::rewardOf(evaluation).paper.value(), 1.23);
        QCOMPARE(serve::rewardOf(evaluation).estimate.value(), 3.3);
        evaluation.paper->accepted = false;
        QVERIFY(!serve::rewardOf(evaluation).paper);
        QVERIFY(serve::rewardOf(evaluation).why.find("verification") != std::string::npos);
        evaluation.paper->event.gatePassed = false;
        QVERIFY(serve::rewardOf(evaluation).why.find("gate") != std::string::npos);
    }

    void loopbackNames()
    {
        for (const char* ours :
             {"localhost", "LOCALHOST:80", "127.0.0.1", "127.0.0.1:8000", "127.3.2.1", "[::1]", "[::1]:80"})
            QVERIFY2(serve::isLoopbackName(ours), ours);
        for (const char* others : {"", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:127",
                                   "10.0.0.1", "[::2]", "0.0.0.0", "127.evil.example"})
            QVERIFY2(!serve::isLoopbackName(others), others);
    }
    void tokensLetIn()
    {
        const std::string token = serve::freshToken();
        QCOMPARE(token.size(), std::size_t(64));
        QVERIFY(token != serve::freshToken());
        const auto access = serve::Access::withTokens(
            {serve::tokenOf("alice", token), serve::tokenOf({}, token + "x")});
        const auto client = [&](const std::string& authorization, const std::string& path = "/evaluate") {
            int status = 0;
            const auto found = access.check({path, authorization, "judge.example", {}, "10.0.0.7"}, status);
            return found ? *found : std::to_string(status);
        };
        QCOMPARE(client("Bearer " + token), std::string("alice"));
        QCOMPARE(client("bEARER   " + token), std::string("alice"));
        QCOMPARE(client("Bearer " + token + "x"), std::string("10.0.0.7")); // a token without a name: by address
        QCOMPARE(client("Basic " + base::toBase64("me:" + token)), std::string("alice"));
        for (const std::string& wrong :
             {std::string(), std::string("Bearer"), std::string("Bearer "), token, "Bearer " + token.substr(1),
              "Basic " + base::toBase64(token), std::string("Basic x")})
            QCOMPARE(client(wrong), std::string("401"));
        QCOMPARE(client({}, "/health"), std::string("10.0.0.7"));
        int status = 0;
        QVERIFY(!access.check({"/health", {}, "judge.example", "https://evil.example", {}}, status));
        QCOMPARE(status, 403);
        QVERIFY(access.check({"/evaluate", "Bearer " + token, "judge.example", "https://judge.example", {}}, status));
    }

    void targets()
    {
        std::string path;
        std::map<std::string, std::string> query;
        QVERIFY(serve::splitTarget("/a%20b/c?wait=3&name=x+y%3D&flag", path, query));
        QCOMPARE(path, std::string("/a b/c"));
        QCOMPARE(query, (std::map<std::string, std::string>{{"wait", "3"}, {"name", "x y="}, {"flag", ""}}));
        for (const char* wrong : {"", "*", "http://host/", "/%", "/%4", "/%zz", "/?%"})
            QVERIFY2(!serve::splitTarget(wrong, path, query), wrong);
    }

    void depthOfJson()
    {
        QVERIFY(!mcp::readJson("[" + std::string(60, '[') + std::string(60, ']') + "]").is_discarded());
        QVERIFY(mcp::readJson(std::string(65, '[') + std::string(65, ']')).is_discarded());
        QVERIFY(!mcp::readJson("\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"").is_discarded());
        QVERIFY(mcp::readJson("{\"a\":").is_discarded());
    }

    void argumentsAreChecked()
    {
        QVERIFY(!mcp::toolNamed(serve::toolList(), "fly"));
        const nlohmann::json& evaluate = *mcp::toolNamed(serve::toolList(), "evaluate");
        QVERIFY(mcp::checkArguments(evaluate, {{"task", "1/1"}, {"source", "x"}, {"seed", 3.0}}));
        for (const nlohmann::json& wrong : std::vector<nlohmann::json>{{{"task", "1/1"}},
                                                                       {{"source", nullptr}},
                                                                       {{"source", "x"}, {"seed", 3.5}},
                                                                       {{"source", "x"}, {"cached", 1}},
                                                                       {{"source", "x"}, {"preset", "fast"}},
                                                                       {{"source", "x"}, {"sauce", "y"}},
                                                                       nlohmann::json::array()})
            QVERIFY2(!mcp::checkArguments(evaluate, wrong), wrong.dump().c_str());
    }
};

QTEST_GUILESS_MAIN(TestServe)
#include "tst_serve.moc"
