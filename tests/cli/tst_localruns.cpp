// SPDX-License-Identifier: GPL-3.0-or-later
// Runs with `cudal1-model` itself and a tiny random model: replies nobody can use are kept, and a kill in mid-run loses
// nothing.
#include "tests/cli/programfolder.h"

#include <QDir>
#include <QTest>

#include <csignal>

using namespace cudal1;
using nlohmann::json;
using tests::Ran;

class TestLocalRuns : public QObject, private tests::ProgramFolder {
    Q_OBJECT

    /// The tiny model of the decoder's tests with a context that holds a prompt.
    QString model() const
    {
        const QDir from(QString(CUDAL1_SOURCE_DIR) + "/tests/decoder/data/llama");
        const QString to = m_folder->filePath("llama");
        if (QDir().exists(to))
            return to;
        QDir().mkpath(to);
        for (const QString& name : from.entryList(QDir::Files))
            if (!QFile::copy(from.filePath(name), to + "/" + name))
                qFatal("cannot copy the model");
        QFile config(to + "/config.json");
        if (!config.setPermissions(QFile::ReadOwner | QFile::WriteOwner) || !config.open(QIODevice::ReadWrite))
            qFatal("cannot read the model's config.json");
        json facts = json::parse(config.readAll().toStdString());
        facts["max_position_embeddings"] = 32768;
        config.resize(0);
        config.seek(0);
        config.write(QByteArray::fromStdString(facts.dump()));
        return to;
    }
    void add(int maxTokens, const QStringList& more = {})
    {
        const Ran added = cudal1(QStringList{"models", "add", "tiny", "--path", model(), "--device", "cpu", "--context",
                                             "32768", "--cache-mib", "128", "--max-tokens",
                                             QString::number(maxTokens)} +
                                 more);
        QVERIFY2(added.status == 0, added.err);
    }
    QStringList optimize(const QStringList& more) const
    {
        // Short prompts: the model's tokens are hardly more than bytes.
        return QStringList{"optimize",  "1/12",
                           "--policy",  "local:tiny",
                           "--samples", "2",
                           "--seed",    "5",
                           "--without", "reference,costs,operators,protocol,toggles,restrictions"} +
               more;
    }

private slots:
    void initTestCase()
    {
        if (!QFile::exists(CUDAL1_MODEL_PROGRAM))
            QSKIP("cudal1-model is not built");
        QProcess python;
        python.start(CUDAL1_PYTHON_PROGRAM, {"-c", "import tokenizers, jinja2"});
        if (!python.waitForFinished(tests::deadline_ms) || python.exitCode() != 0)
            QSKIP("Python lacks tokenizers or Jinja");
    }
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("XDG_CONFIG_HOME", m_folder->filePath("config").toUtf8());
        qputenv("CUDAL1_MODEL", CUDAL1_MODEL_PROGRAM);
        playLines(R"({"on":"graph","reply":{"output_kind":"tensor","total_ns":1000}})"
                  "\n");
    }

    void answersATrial()
    {
        add(5000);
        const Ran ran = cudal1({"models", "test", "tiny", "--json"});
        QVERIFY2(ran.status == 0, ran.err);
        const json j = ran.parsed();
        QVERIFY(j["completion_tokens"] == 64 || j["end"] == "stop");
        QVERIFY(j["facts"]["family"] == "llama" && j["facts"]["context"] == 32768);
        QVERIFY(j["currency"] == "CPU s" && j["cost"].get<double>() > 0);
        const Ran text = cudal1({"models", "test", "tiny"});
        for (const char* part : {"answers", "context    32768 tokens", "runs on    cpu"})
            QVERIFY2(text.out.contains(part), text.out);
    }

    void repliesNobodyCanUseAreKept()
    {
        add(40);
        const Ran ran = cudal1(optimize({"--rounds", "1", "--json"}));
        QVERIFY2(ran.status == 0, ran.err);
        QVERIFY(ran.parsed()["state"] == "finished" && ran.parsed()["best"].is_null());
        const json list = cudal1({"samples", "--json"}).parsed()["samples"];
        QCOMPARE(list.size(), std::size_t(4)); // and a repair of each
        for (const json& one : list) {
            QVERIFY(one["verdict"] == "unusable" && one["policy"] == "local: tiny" && one["cost_unit"] == "CPU s");
            QVERIFY(one["prompt_tokens"].get<int>() > 256 && one["completion_tokens"].get<int>() <= 40);
            QVERIFY(one["policy_version"] == "llama");
        }
        // The same seed draws the same.
        const auto reply = [&] { return cudal1({"samples", "show", "1", "--json"}).parsed()["reply"]; };
        const json before = reply();
        QVERIFY(QFile::rename(projectFile(), m_folder->filePath("before.cudal1")));
        QCOMPARE(cudal1(optimize({"--rounds", "1"})).status, 0);
        QVERIFY(reply() == before);
    }

    void aPromptThatIsTooLongIsSaid()
    {
        const Ran added = cudal1({"models", "add", "tiny", "--path", model(), "--context", "256"});
        QVERIFY2(added.status == 0, added.err);
        const Ran ran = cudal1(optimize({"--rounds", "1"}));
        QVERIFY2(ran.status == 2 && ran.err.contains("the context holds 256 with the reply"), ran.err);
    }

    /// kill -9 of the model's process in the middle of a reply.
    void aKillLosesNothing()
    {
        const QString wrapper = m_folder->filePath("model.sh");
        QFile script(wrapper);
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/bash\necho $$ >> '" + m_folder->filePath("pids").toUtf8() + "'\nexec '" +
                     CUDAL1_MODEL_PROGRAM + "' \"$@\" > >(tee -a '" + m_folder->filePath("said").toUtf8() + "')\n");
        script.close();
        QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        add(1000);
        qputenv("CUDAL1_MODEL", wrapper.toUtf8());
        const auto textOf = [&](const char* name) {
            QFile file(m_folder->filePath(name));
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        QProcess process;
        begin(process, optimize({"--rounds", "2", "--no-repair", "--samples", "8"}));
        QVERIFY(QTest::qWaitFor([&] { return textOf("said").contains("\"partial\""); }, tests::deadline_ms));
        const pid_t pid = textOf("pids").trimmed().toInt();
        QVERIFY(pid > 0 && textOf("said").count("\"type\":\"reply\"") < 8); // some are under way
        QCOMPARE(::kill(pid, SIGKILL), 0);
        const Ran ran = end(process);
        QVERIFY2(ran.status == 0, ran.err);
        QCOMPARE(textOf("pids").trimmed().split('\n').size(), 2);
        const auto samples = *project()->samplesOf();
        QCOMPARE(samples.size(), std::size_t(16));
        for (const auto& one : samples)
            QVERIFY(!one.unusable.empty() && one.replyTokens.value_or(0) > 0);
    }
};

QTEST_GUILESS_MAIN(TestLocalRuns)
#include "tst_localruns.moc"
