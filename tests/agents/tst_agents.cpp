// SPDX-License-Identifier: GPL-3.0-or-later
// What needs no agent: commands, transcripts, workspaces; and a keeper with small commands of the system.
#include "core/agents/agentprocess.h"
#include "core/agents/transcript.h"
#include "core/agents/workspace.h"
#include "core/models/agentsettings.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using agents::AgentProcess;
using agents::Transcript;
using agents::Workspace;
using models::AgentSettings;

namespace {

constexpr int deadline_ms = 20'000;

AgentSettings settingsOf(const std::string& command)
{
    AgentSettings out;
    out.name = "a";
    out.command = command;
    return out;
}

std::vector<models::Secret> secretOf(const char* text)
{
    std::vector<models::Secret> out;
    out.emplace_back(text);
    return out;
}

bool isAlive(qint64 pid)
{
    QFile file(QStringLiteral("/proc/%1/stat").arg(pid));
    return file.open(QIODevice::ReadOnly) && !file.readAll().contains(") Z ");
}

} // namespace

class TestAgents : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    QByteArray m_written;
    int m_status = -2;

    void run(AgentProcess& process, const QStringList& command, const std::vector<std::string>& variables = {})
    {
        connect(&process, &AgentProcess::written, this, [this](const QByteArray& bytes) { m_written += bytes; });
        connect(&process, &AgentProcess::ended, this, [this](int status) { m_status = status; });
        process.start({QStringLiteral(CUDAL1_AGENT_PROGRAM)}, command, m_folder.path(), variables, {});
    }

private slots:
    void init()
    {
        m_written.clear();
        m_status = -2;
        qputenv("CUDAL1_AGENT", CUDAL1_AGENT_PROGRAM);
        qputenv("CUDAL1_PRIVATE", "a project's path");
        qputenv("WANTED", "yes");
    }

    void placeholdersAreWordsOfTheirOwn()
    {
        const AgentSettings settings = settingsOf("prog -p {prompt} --in {workspace}/x \"two words\"");
        const std::vector<models::Placeholder> values{{"prompt", "say \"{workspace}\"; rm 'x'"}, {"workspace", "/w s"}};
        QCOMPARE(models::commandWords(settings, values),
                 QStringList({"prog", "-p", "say \"{workspace}\"; rm 'x'", "--in", "/w s/x", "two words"}));
        AgentSettings shell = settingsOf("prog {prompt} > out");
        shell.shell = true;
        QCOMPARE(models::commandWords(shell, values),
                 QStringList({"/bin/sh", "-c", "prog 'say \"{workspace}\"; rm '\\''x'\\''' > out"}));
    }
    void readyMadeCommandsAreGood_data()
    {
        QTest::addColumn<QString>("name");
        for (const std::string& name : models::agentTemplateNames())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    void readyMadeCommandsAreGood()
    {
        QFETCH(QString, name);
        const AgentSettings settings = settingsOf(models::agentTemplate(name.toStdString()));
        QVERIFY(models::check(settings));
        const QStringList words = models::commandWords(
            settings, {{"prompt", "the prompt"}, {"mcp_program", "/p/cudal1-agent"}, {"mcp_socket", "/s"}});
        QCOMPARE(words.first(), name);
        QVERIFY(words.contains("the prompt"));
        if (name == "codex") { // values are TOML
            QVERIFY(words.contains("mcp_servers.cudal1.command=\"/p/cudal1-agent\""));
            QVERIFY(words.contains("mcp_servers.cudal1.args=[\"connect\",\"/s\"]"));
        }
    }
    void settingsAreKeptAsJson()
    {
        AgentSettings settings = settingsOf("prog {prompt}");
        QCOMPARE(models::toJson(settings).dump(), std::string(R"({"command":"prog {prompt}","name":"a"})"));
        settings.shell = settings.keepWorkspace = true;
        settings.minutes = 2.5;
        settings.evaluations = 3;
        settings.variables = {"A_KEY"};
        const auto again = models::agentOf(models::toJson(settings));
        QVERIFY(again && models::toJson(*again) == models::toJson(settings));
        QVERIFY(!models::agentOf({{"name", "a"}, {"command", "x"}, {"variables", {"A=b"}}}));
        QVERIFY(!models::agentOf({{"name", "a"}, {"command", "x"}, {"turns", 3}}));
        QVERIFY(!models::agentOf({{"name", "a"}, {"command", "x {nothing}"}}));
    }

    void aTranscriptIsCleanAndBounded()
    {
        Transcript transcript(secretOf("sk-0123456789abcdef"));
        QCOMPARE(transcript.add("one\ntw"), std::string("one\n"));
        QCOMPARE(transcript.add("o \x1b[31msk-0123456789abcdef\x1b[0m\r\n\xff"), std::string("two [key]\n"));
        QCOMPARE(transcript.add("\n1 %\r2 %\rall of it\r\n"), std::string("\xef\xbf\xbd\nall of it\n"));
        QCOMPARE(transcript.note("done"), std::string("[done]\n"));
        QCOMPARE(transcript.takePiece(), std::string("one\ntwo [key]\n\xef\xbf\xbd\nall of it\n[done]\n"));
        QCOMPARE(transcript.takePiece(), std::string());
        for (int line = 0; line < 100'000; ++line)
            transcript.add("line " + std::to_string(line) + "\n");
        const std::string piece = transcript.takePiece();
        QVERIFY(piece.size() < Transcript::mostPiece + 100 && piece.size() > Transcript::mostPiece / 2);
        QVERIFY(piece.starts_with("line 0\n") && piece.ends_with("line 99999\n"));
        QVERIFY(piece.find(" KiB left out") != std::string::npos);
    }

    void aWorkspaceIsPrivateAndGoes()
    {
        policy::Prompt prompt;
        prompt.task = {"1/12", "class Model: pass\n"};
        policy::Exemplar best{"fast", {}, protocol::Verdict::Correct, {2, 1.9, 2.1}, {}, {7}, "technique library", {}};
        policy::Exemplar wrong{"wrong", {}, protocol::Verdict::Incorrect, {}, "off", {8}, "x", {}};
        prompt.exemplars = {best, wrong};
        QString path;
        {
            const auto made = Workspace::make(prompt, settingsOf("x"), 3);
            QVERIFY2(made.ok(), made ? "" : made.error().text().c_str());
            const Workspace& workspace = **made;
            path = workspace.path();
            QCOMPARE(QFileInfo(path).permissions() & 0x0fff, QFileInfo(path).permissions() & 0x0f00);
            QVERIFY(workspace.shown() == std::vector<base::VariantId>{{7}});
            QCOMPARE(*workspace.read("best/1_variant_7.py"), std::string("fast"));
            QVERIFY(workspace.read("best/README.md")->find("2.00× (1.90–2.10), by technique library") !=
                    std::string::npos);
            QVERIFY(workspace.taskText().find("Evaluations: 3.") != std::string::npos);
            QVERIFY(!workspace.read("../x") && !workspace.read("/etc/passwd") && !workspace.read("best"));
            QFile::link("/etc/passwd", path + "/link.py");
            QVERIFY(!workspace.read("link.py"));
        }
        QVERIFY(!QFileInfo::exists(path));
        AgentSettings kept = settingsOf("x");
        kept.keepWorkspace = true;
        path = (*Workspace::make(prompt, kept, 3))->path();
        QVERIFY(QFileInfo::exists(path));
        QDir(path).removeRecursively();
    }

    void itsEnvironmentIsClean()
    {
        AgentProcess process;
        run(process, {"/bin/sh", "-c", "env; pwd; read line; echo \"[$line]\"; exit 7"}, {"WANTED", "MISSING"});
        QTRY_COMPARE_WITH_TIMEOUT(m_status, 7, deadline_ms);
        QVERIFY(!m_written.contains("CUDAL1") && !m_written.contains("project"));
        QVERIFY(m_written.contains("WANTED=yes") && m_written.contains("PATH=") && m_written.contains("[]"));
        QVERIFY(m_written.contains(m_folder.path().toUtf8()));
    }
    void aProgramThatIsNotThere()
    {
        AgentProcess process;
        run(process, {"/no/such/program"});
        QTRY_COMPARE_WITH_TIMEOUT(m_status, 127, deadline_ms);
        QVERIFY2(m_written.contains("/no/such/program could not be started"), m_written);
        AgentProcess other;
        m_status = -2;
        connect(&other, &AgentProcess::ended, this, [this](int status) { m_status = status; });
        other.start({"/no/such/keeper"}, {"x"}, m_folder.path(), {}, {});
        QTRY_COMPARE_WITH_TIMEOUT(m_status, -1, deadline_ms);
    }
    void allOfItIsEnded_data()
    {
        QTest::addColumn<bool>("atOnce");
        QTest::newRow("asked") << false;
        QTest::newRow("killed") << true;
    }
    void allOfItIsEnded()
    {
        QFETCH(bool, atOnce);
        AgentProcess process;
        // One process ignores requests to end, and another has left its session and its parent.
        run(process, {"/bin/sh", "-c", "trap '' TERM; (setsid sleep 600 & echo $!; exec sleep 600) & echo $!; wait"});
        QTRY_VERIFY_WITH_TIMEOUT(m_written.count('\n') >= 2, deadline_ms);
        if (atOnce)
            process.kill();
        else
            process.askToEnd();
        QTRY_VERIFY_WITH_TIMEOUT(m_status != -2, deadline_ms);
        for (const QByteArray& pid : m_written.split('\n'))
            if (pid.toLongLong() > 0)
                QVERIFY2(!isAlive(pid.toLongLong()), pid);
    }
};

QTEST_GUILESS_MAIN(TestAgents)
#include "tst_agents.moc"
