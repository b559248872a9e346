// SPDX-License-Identifier: GPL-3.0-or-later
// Runs with language models from outside: a scripted server as an endpoint, a recorded evaluator as the judge. Replay
// of a project without network, ledger and limits of a run, and that no key is in any file.
#include "tests/cli/programfolder.h"
#include "tests/models/scriptedserver.h"

#include <QDirIterator>
#include <QEventLoop>
#include <QTest>

#include <algorithm>

using namespace cudal1;
using nlohmann::json;
using tests::Ran;
using tests::ScriptedServer;

namespace {

const QByteArray key = "sk-Zq81mmVeryPrivate77xKw";

/// The three sections around a program that says `mark`.
std::string whole(char mark)
{
    return std::string(
               "## Performance Analysis\nanalysis\n\n## Algorithm Design\n1. design\n\n## Code Implementation\n") +
           "```python\nclass ModelNew:\n    mark = '" + mark + "'\n```\n";
}

} // namespace

class TestModelRuns : public QObject, private tests::ProgramFolder {
    Q_OBJECT
    std::unique_ptr<ScriptedServer> m_server;
    QByteArray m_written; ///< all that was printed

    /// The server of a test answers meanwhile.
    Ran run(const QStringList& arguments)
    {
        QProcess process;
        QEventLoop loop;
        connect(&process, &QProcess::finished, &loop, &QEventLoop::quit);
        QTimer::singleShot(tests::deadline_ms, &loop, &QEventLoop::quit);
        begin(process, arguments);
        loop.exec();
        if (process.state() != QProcess::NotRunning)
            qFatal("cudal1 did not end");
        const Ran out{process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -9,
                      process.readAllStandardOutput(), process.readAllStandardError()};
        m_written += out.out + out.err;
        return out;
    }
    Ran optimize(const QStringList& more) { return run(onSuite({"optimize", "1/1", "--seed", "5"}) + more); }
    void add(const QString& name, const QStringList& more = {})
    {
        const Ran added = run(QStringList{"models", "add", name, "--url", QString::fromStdString(m_server->url()),
                                          "--model", "m", "--retries", "0"} +
                              more);
        QVERIFY2(added.status == 0, added.err);
    }
    /// One reply a request: A (right), B (wrong), text without a program, C (right), and so on.
    void serve()
    {
        m_server = std::make_unique<ScriptedServer>([](QTcpSocket& socket, const ScriptedServer::Request& request) {
            const int turn = request.number % 4;
            const std::string text = turn == 2 ? "I am sorry" : whole("AB?C"[turn]);
            socket.write(
                ScriptedServer::stream({text.substr(0, 40), text.substr(std::min(text.size(), std::size_t(40)))}));
        });
    }

    struct Kept {
        std::vector<std::string> samples, variants;
        bool operator==(const Kept&) const = default;
    };
    Kept kept() const
    {
        Kept out;
        const auto made = project();
        const auto records = made->samplesOf();
        const auto rows = made->variantRows({"1/1"});
        if (!records || !rows)
            qFatal("the project cannot be read");
        for (const auto& record : *records) {
            const auto one = *made->sample(record.id);
            out.samples.push_back(one.policy + "|" + one.method + "|" + one.prompt + "|" + one.reply + "|" +
                                  one.unusable + "|" + std::to_string(one.reward.value_or(-1)) + "|" + one.settings +
                                  "|" + one.policyVersion + "|" + std::to_string(one.replyTokens.value_or(-1)));
        }
        for (const auto& row : *rows)
            out.variants.push_back(made->variant(row.id)->source);
        std::sort(out.variants.begin(), out.variants.end());
        return out;
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_written.clear();
        qputenv("XDG_CONFIG_HOME", m_folder->filePath("config").toUtf8());
        qputenv("TINY_KEY", key);
        const auto judged = [](const char* mark, const char* reply) {
            return QByteArray("{\"on\":\"evaluate\",\"candidate_contains\":\"mark = '") + mark +
                   "'\",\"reply\":" + reply + "}\n";
        };
        playLines(R"({"on":"graph","reply":{"output_kind":"tensor","total_ns":1000}})"
                  "\n" +
                  judged("A", R"({"verdict":"correct","speedup":{"wall":{"estimate":1.5,"low":1.4,"high":1.6}}})") +
                  judged("B", R"({"verdict":"incorrect","reasons":[{"code":"wrong_values","text":"Off by 3.5"}]})") +
                  judged("C", R"({"verdict":"correct","speedup":{"wall":{"estimate":2.5,"low":2.4,"high":2.6}}})"));
        serve();
    }

    void aProjectIsReplayedWithoutNetwork()
    {
        add("tiny", {"--price-in", "1", "--price-out", "2", "--parallel", "1"});
        const QStringList how{"--method", "contrastive", "--samples", "3", "--rounds", "3"};
        const Ran first = optimize(how + QStringList{"--policy", "endpoint:tiny"});
        QVERIFY2(first.status == 0, first.err);
        const Kept made = kept();
        QVERIFY(made.samples.size() >= 9 && made.variants.size() >= 3);
        QCOMPARE(made.samples.size(), m_server->requests.size());

        m_server.reset(); // nobody can be asked any more
        QVERIFY(QFile::rename(projectFile(), m_folder->filePath("recorded.cudal1")));
        QVERIFY(!QFile::exists(projectFile() + "-wal"));
        const QStringList replayed = how + QStringList{"--policy", "replay:" + m_folder->filePath("recorded.cudal1")};
        const Ran again = optimize(replayed);
        QVERIFY2(again.status == 0, again.err);
        QVERIFY(kept() == made);
        const auto samples = project()->samplesOf();
        for (const auto& record : *samples)
            QVERIFY(!record.cost); // nothing was paid
        // Another seed was never asked with.
        const Ran none = optimize({"--samples", "2", "--rounds", "1", "--seed", "6", "--policy",
                                   "replay:" + m_folder->filePath("recorded.cudal1")});
        QVERIFY2(none.status != 0 && (none.err.contains("recorded with other settings") ||
                                      none.err.contains("Nothing is recorded for this prompt")),
                 none.err);
    }

    void whatCannotBeReplayed()
    {
        add("tiny");
        add("other");
        const Ran both = optimize(
            {"--samples", "1", "--rounds", "1", "--no-repair", "--policy", "endpoint:tiny,endpoint:other"});
        QVERIFY2(both.status == 0, both.err);
        QVERIFY(QFile::rename(projectFile(), m_folder->filePath("two.cudal1")));
        const QString file = "replay:" + m_folder->filePath("two.cudal1");
        const Ran which = optimize({"--policy", file});
        QVERIFY2(which.status == 2 && which.err.contains("endpoint: other, endpoint: tiny"), which.err);
        QVERIFY(optimize({"--policy", file + "#endpoint:third"}).err.contains("no replies of endpoint: third"));
        m_server.reset();
        const Ran again = optimize({"--samples", "1", "--rounds", "1", "--no-repair", "--policy",
                                    file + "#endpoint:tiny," + file + "#endpoint:other"});
        QVERIFY2(again.status == 0, again.err);
        QCOMPARE(project()->samplesOf()->size(), std::size_t(2));
        QCOMPARE(optimize({"--policy", "replay:/nowhere/x.cudal1"}).status, 2);
    }

    void aTaskFileIsNamedWithoutItsFolder()
    {
        // Servers need not know where the user keeps files, and a recording is found again in another folder.
        add("tiny");
        const QStringList how{"--method", "vanilla", "--samples", "1", "--rounds", "1", "--no-repair", "--seed", "5"};
        const auto run = [&](const QString& folder, const QString& policy) {
            QDir().mkpath(m_folder->filePath(folder));
            const QString file = m_folder->filePath(folder + "/mine.py");
            QFile::copy(tests::data + "/suite/level1/1_Chain.py", file);
            return this->run(QStringList{"optimize", file, "--policy", policy} + how);
        };
        const Ran first = run("one", "endpoint:tiny");
        QVERIFY2(first.status == 0, first.err);
        const std::string sent = m_server->requests.at(0).body.dump();
        QVERIFY(sent.find("- Task: mine.py mine\\n") != std::string::npos);
        QVERIFY(sent.find(m_folder->path().toStdString()) == std::string::npos);
        m_server.reset();
        QVERIFY(QFile::rename(projectFile(), m_folder->filePath("recorded.cudal1")));
        const Ran again = run("two", "replay:" + m_folder->filePath("recorded.cudal1"));
        QVERIFY2(again.status == 0, again.err);
    }

    void aPromptIsEditedAndSentAgainWordForWord()
    {
        add("tiny");
        const auto write = [&](const QString& name, const QByteArray& text) {
            QFile file(m_folder->filePath(name));
            if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
                qFatal("cannot write");
        };
        const QStringList policy{"--policy", "endpoint:tiny"};
        const QStringList how = policy + QStringList{"--samples", "1", "--rounds", "1", "--no-repair"};
        const Ran shown = run(onSuite({"prompt", "1/1"}) + policy);
        QVERIFY2(shown.status == 0, shown.err);
        QByteArray edited = shown.out;
        edited.replace("# Requirements", "# Requirements, of which the first is the one that counts");
        QVERIFY(edited != shown.out);
        write("edited.txt", edited);
        const Ran ran = optimize(how + QStringList{"--prompt", "edited.txt"});
        QVERIFY2(ran.status == 0, ran.err);
        QVERIFY(m_server->requests.at(0).body.dump().find("of which the first is the one that counts") !=
                std::string::npos);
        QCOMPARE(project()->sample({1})->prompt, edited.toStdString());

        // What a sample was asked is sent once more: the same messages and, with the run's seed, the same seed.
        const Ran kept = run({"samples", "show", "1", "--prompt"});
        QVERIFY2(kept.status == 0 && kept.out == edited, kept.err);
        write("again.txt", kept.out);
        const Ran again = optimize(how + QStringList{"--prompt", "again.txt", "--fresh"});
        QVERIFY2(again.status == 0, again.err);
        QCOMPARE(m_server->requests.size(), std::size_t(2));
        QVERIFY(m_server->requests[1].body == m_server->requests[0].body);

        write("bare.txt", "make it fast\n");
        const auto wrong = [&](const QStringList& more) { return optimize(how + more); };
        for (const Ran& bad : {wrong({"--prompt", "bare.txt"}), wrong({"--prompt", "nowhere.txt"}),
                               wrong({"--prompt", "edited.txt", "--without", "costs"}),
                               run(onSuite({"optimize", "--all", "--prompt", "edited.txt"}) + policy)})
            QVERIFY2(bad.status == 2 && bad.err.contains("prompt"), bad.err);
        QCOMPARE(m_server->requests.size(), std::size_t(2));
    }

    void theLedgerOfARun()
    {
        add("tiny", {"--price-in", "1", "--price-out", "2", "--currency", "EUR"});
        const Ran ran = optimize({"--policy", "endpoint:tiny", "--samples", "2", "--rounds", "1", "--json"});
        QVERIFY2(ran.status == 0, ran.err);
        const auto number = m_server->requests.size();
        const json ledger = ran.parsed()["ledger"];
        QCOMPARE(ledger["requests"].get<std::size_t>(), number);
        QCOMPARE(ledger["replies"].get<std::size_t>(), number);
        QCOMPARE(ledger["prompt_tokens"].get<std::size_t>(), 10 * number);
        QCOMPARE(ledger["completion_tokens"].get<std::size_t>(), 4 * number);
        QCOMPARE(ledger["cost"]["EUR"].get<double>(), double(number) * (10 * 1 + 4 * 2) / 1e6);
        const json rows = run({"samples", "--json"}).parsed()["ledger"];
        QCOMPARE(rows.size(), std::size_t(1));
        QVERIFY(rows[0]["task"] == "1/1" && rows[0]["policy"] == "endpoint: tiny" && rows[0]["run"] == 1);
        QVERIFY(rows[0]["samples"] == number && rows[0]["prompt_tokens"] == 10 * number &&
                rows[0]["completion_tokens"] == 4 * number && rows[0]["cost"]["EUR"] == ledger["cost"]["EUR"]);
        const Ran text = optimize(
            {"--policy", "endpoint:tiny", "--samples", "1", "--rounds", "1", "--no-repair", "--fresh"});
        QVERIFY2(text.out.contains("Models: 1 request; 1 reply; 10 tokens in, 4 out; 1.8e-05 EUR; ") &&
                     text.out.contains(" since the first request."),
                 text.out);
        QVERIFY(optimize({"--rounds", "1", "--fresh"}).out.indexOf("Models:") < 0); // the library costs nothing
    }

    void limitsStopARun_data()
    {
        QTest::addColumn<QStringList>("limit");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("tokens") << QStringList{"--limit-tokens", "20"}
                                << QByteArray("The run has reached its limit of tokens, 20");
        QTest::newRow("money") << QStringList{"--limit-cost", "0.00003 EUR"}
                               << QByteArray("The run has reached its limit of money, 3e-05 EUR");
    }
    void limitsStopARun()
    {
        // Both models of the run count against the one limit: two replies are beyond it, one is not.
        QFETCH(QStringList, limit);
        QFETCH(QByteArray, says);
        for (const char* name : {"tiny", "other"})
            add(name, {"--price-in", "1", "--price-out", "2", "--currency", "EUR"});
        const QStringList how =
            QStringList{"--samples", "1", "--rounds", "3", "--no-repair", "--policy", "endpoint:tiny,endpoint:other"} +
            limit;
        const Ran ran = optimize(how);
        QVERIFY2(ran.status == 3 && ran.err.contains(says) && ran.err.contains("Run the same command again to resume"),
                 ran.err);
        QCOMPARE(m_server->requests.size(), std::size_t(2));
        QCOMPARE(project()->samplesOf()->size(), std::size_t(2));
        const Ran many = run(onSuite({"optimize", "--all", "--fresh"}) + how);
        QVERIFY2(many.status == 3 && many.err.contains(says), many.err);
        // The same command again goes on counting, hence asks nothing more; with a limit that is raised it goes on.
        const auto before = project()->samplesOf()->size();
        for (const QStringList& which : {QStringList{"optimize", "1/1", "--seed", "5"}, {"optimize", "--all"}}) {
            const Ran again = run(onSuite(which) + how);
            QVERIFY2(again.status == 3 && again.err.contains(says), again.err);
            QCOMPARE(project()->samplesOf()->size(), before);
        }
        QStringList raised = how;
        raised.last() = raised.contains("--limit-tokens") ? "40" : "0.00006 EUR";
        QCOMPARE(optimize(raised).status, 3);
        QCOMPARE(project()->samplesOf()->size(), before + 2);
    }

    void limitsEndAnExperimentAndGoOnCounting()
    {
        // Each reply takes 14 tokens and 1.8e-05 EUR. Two are beyond 20 tokens; 50 allow for four.
        add("tiny", {"--price-in", "1", "--price-out", "2", "--currency", "EUR"});
        const auto write = [&](const QByteArray& limits) {
            QFile file(m_folder->filePath("experiment.json"));
            const QByteArray text =
                R"({"policies":["endpoint:tiny"],"methods":[{"method":"vanilla","samples":1,"repair":false}],)"
                R"("tasks":["1/1"],"seeds":[1,2,3,4,5])" +
                (limits.isEmpty() ? QByteArray() : ",\"limits\":" + limits) + "}";
            if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
                qFatal("cannot write the experiment");
        };
        const QStringList command = onSuite({"experiment", "experiment.json", "--json"});
        write(R"({"tokens":20})");
        const Ran first = run(command);
        QVERIFY2(first.status == 3 && first.err.contains("The run has reached its limit of tokens, 20") &&
                     first.err.contains("2 of 5 runs are done. Run the same command again to go on."),
                 first.err);
        json out = first.parsed();
        QVERIFY(out["done"] == 2 && out["ledger"]["requests"] == 2 && out["error"]["code"] == "limit_reached");
        // The same again: what was taken counts.
        QCOMPARE(run(command).status, 3);
        QCOMPARE(m_server->requests.size(), std::size_t(2));
        // The command line goes before the file, and the second process adds to what the first has taken.
        out = run(command + QStringList{"--limit-tokens", "50"}).parsed();
        QVERIFY(out["done"] == 4 && out["ledger"]["requests"] == 4 && out["ledger"]["prompt_tokens"] == 40);
        QCOMPARE(m_server->requests.size(), std::size_t(4));
        write(R"({"cost":1,"unit":"EUR","seconds":1000})");
        const Ran last = run(command);
        QVERIFY2(last.status == 0, last.err);
        out = last.parsed();
        QVERIFY(out["done"] == 5 && out["ledger"]["requests"] == 5 && !out.contains("error"));
        QVERIFY(out["runs"][0]["steps"].size() == 1 && out["runs"][0]["steps"][0]["tokens"] == 14);
        const Ran shown = run(onSuite({"experiment", "experiment.json", "--show"}));
        QVERIFY2(shown.out.contains("Models: 5 requests; 5 replies; 50 tokens in, 20 out"), shown.out);
        for (const char* wrong : {R"({"tokens":0})", R"({"money":1})", R"({"cost":"much"})", "5"}) {
            write(wrong);
            const Ran ran = run(command);
            QVERIFY2(ran.status == 2 && ran.err.contains("experiment"), ran.err);
        }
    }

    /// kill -9 while some replies of a turn have come and others have not: those that came are not paid for twice.
    void aKilledRunKeepsTheRepliesThatCame()
    {
        std::map<json, char> marks; // by seed: what each reply is, whenever it is asked for
        bool holds = true;
        m_server = std::make_unique<ScriptedServer>([&](QTcpSocket& socket, const ScriptedServer::Request& request) {
            const char mark = marks.try_emplace(request.body["seed"], "ABCB"[marks.size() % 4]).first->second;
            if (!holds || mark == 'B')
                socket.write(ScriptedServer::stream({whole(mark)}));
        });
        add("tiny", {"--price-in", "1", "--price-out", "2", "--parallel", "4"});
        const QStringList how{"--policy", "endpoint:tiny", "--samples", "4", "--rounds", "1", "--no-repair", "--json"};
        QProcess process;
        begin(process, onSuite({"optimize", "1/1", "--seed", "5"}) + how);
        const auto came = [&] {
            return QFile::exists(projectFile()) ? project()->caches("arrived/")->size() : std::size_t(0);
        };
        QTRY_COMPARE_WITH_TIMEOUT(came(), std::size_t(2), tests::deadline_ms);
        QVERIFY(project()->samplesOf()->empty()); // the turn is not over
        process.kill();
        QVERIFY(process.waitForFinished(tests::deadline_ms));
        holds = false;
        const Ran again = optimize(how);
        QVERIFY2(again.status == 0, again.err);
        QCOMPARE(m_server->requests.size(), std::size_t(6)); // four, and the two that had not come
        QVERIFY(marks.size() == 4);
        QCOMPARE(project()->caches("arrived/")->size(), std::size_t(0));

        // Stored is what a run that nobody killed stores: in one group, in the same order, each with its price. What
        // was taken back by the kill counts as asked.
        const auto samples = *project()->samplesOf();
        QCOMPARE(samples.size(), std::size_t(4));
        for (const auto& one : samples)
            QVERIFY(one.group == samples.front().group && one.cost);
        std::vector<std::string> seen, wanted;
        for (const auto& one : samples)
            seen.push_back(project()->sample(one.id)->reply);
        std::sort(seen.begin(), seen.end());
        for (const char mark : {'A', 'B', 'B', 'C'})
            wanted.push_back(whole(mark));
        QVERIFY(seen == wanted);
        const json spent = again.parsed()["ledger"];
        QVERIFY2(spent["replies"] == 4 && spent["requests"] == 6, spent.dump().c_str());
    }

    void aKilledExperimentGoesOnAndCounts()
    {
        // The third question is never answered the first time.
        bool holds = true;
        m_server = std::make_unique<ScriptedServer>([&](QTcpSocket& socket, const ScriptedServer::Request& request) {
            if (!holds || request.number < 2)
                socket.write(ScriptedServer::stream({whole('A')}));
        });
        add("tiny");
        QFile file(m_folder->filePath("experiment.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"policies":["endpoint:tiny"],"methods":[{"method":"vanilla","samples":1,"repair":false}],)"
                   R"("tasks":["1/1"],"seeds":[1,2,3]})");
        file.close();
        const QStringList command = onSuite({"experiment", "experiment.json", "--json"});
        QProcess process;
        begin(process, command);
        QTRY_COMPARE_WITH_TIMEOUT(m_server->requests.size(), std::size_t(3), tests::deadline_ms);
        process.kill();
        QVERIFY(process.waitForFinished(tests::deadline_ms));
        holds = false;
        const Ran again = run(command);
        QVERIFY2(again.status == 0, again.err);
        const json out = again.parsed();
        // The question that was taken back by the kill was asked, and counts as asked.
        QVERIFY(out["done"] == 3 && out["ledger"]["requests"] == 4 && out["ledger"]["replies"] == 3);
        QCOMPARE(project()->samplesOf()->size(), std::size_t(3));
    }

    void wrongLimits()
    {
        for (const auto& [option, value] : {std::pair{"--limit-tokens", "0"},
                                            {"--limit-tokens", "many"},
                                            {"--limit-cost", "-1"},
                                            {"--limit-cost", "EUR 3"},
                                            {"--limit-seconds", "0"}}) {
            const Ran ran = optimize({"--policy", "endpoint:tiny", option, value});
            QVERIFY2(ran.status == 2 && ran.err.contains(option), ran.err);
        }
        QVERIFY(optimize({"--limit-tokens", "5"}).err.contains("--limit-tokens is for a language model"));
    }

    /// A run with replies, a server that refuses and quotes the key, and a file of each kind that the program writes.
    void noKeyIsInAnyFile()
    {
        add("tiny", {"--key-env", "TINY_KEY"});
        const Ran good = optimize({"--policy", "endpoint:tiny", "--samples", "2", "--rounds", "1"});
        QVERIFY2(good.status == 0, good.err);
        QCOMPARE(m_server->requests.at(0).header("Authorization"), "Bearer " + key);
        m_server->script = [](QTcpSocket& socket, const ScriptedServer::Request& request) {
            socket.write(ScriptedServer::http(request.number % 2 ? 401 : 400,
                                              "{\"error\": {\"message\": \"Incorrect API key " + key + "\"}}"));
        };
        const Ran bad = optimize({"--policy", "endpoint:tiny", "--samples", "2", "--rounds", "1", "--fresh", "--json"});
        QCOMPARE(bad.status, 2);
        QCOMPARE(run({"samples", "--json"}).status, 0);
        for (std::size_t id = 1; id <= project()->samplesOf()->size(); ++id) // the project keeps long texts compressed
            QCOMPARE(run({"samples", "show", QString::number(id), "--json"}).status, 0);
        QVERIFY(m_written.contains("## Code Implementation") && m_written.contains("mark = 'A'"));
        QVERIFY(run({"report", "--output", "report.html"}).status == 0);

        const QList<QByteArray> needles{key, key.left(key.size() / 2), key.right(key.size() / 2),
                                        key.toBase64().chopped(4), key.toHex()};
        const auto found = [&](const QByteArray& text) {
            return std::any_of(needles.begin(), needles.end(), [&](const auto& one) { return text.contains(one); });
        };
        QVERIFY2(!found(m_written), m_written);
        int files = 0;
        bool samples = false;
        QDirIterator all(m_folder->path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        for (; all.hasNext(); ++files) {
            QFile file(all.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray bytes = file.readAll();
            QVERIFY2(!found(bytes), qPrintable(file.fileName()));
            samples = samples || (file.fileName() == projectFile() && bytes.contains("endpoint: tiny"));
        }
        QVERIFY(files >= 4 && samples && found("x" + key)); // what a project holds can be found in its bytes
    }
};

QTEST_GUILESS_MAIN(TestModelRuns)
#include "tst_modelruns.moc"
