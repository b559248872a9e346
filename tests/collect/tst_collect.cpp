// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 collect` against a recorded evaluator: what is kept, near-duplicates, held-out tasks, and a kill in mid-run.
#include "core/base/sha256.h"
#include "core/policy/chattext.h"
#include "core/tasks/split.h"
#include "tests/cli/programfolder.h"

#include <QDir>
#include <QTest>

#include <csignal>

using namespace cudal1;
using nlohmann::json;
using tests::Ran;

namespace {

std::string reply(const std::string& body)
{
    return "## Performance Analysis\n\nslow\n\n## Algorithm Design\n\n1. less\n\n## Code Implementation\n\n"
           "```python\nimport torch\n\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n" +
           body + "```\n";
}

const std::string first = reply("        y = torch.relu(x * 2 + 1)\n        return y\n");
const std::string renamed = reply("        # the same with another name\n        result = torch.relu(x * 2 + 1)\n"
                                  "        return result\n");
const std::string other = reply("        return torch.clamp(torch.addcmul(x, x, x), min=0).contiguous().view_as(x)\n");
const std::string thinking = "<think>\nhm\n</think>\n" + other;

} // namespace

class TestCollect : public QObject, private tests::ProgramFolder {
    Q_OBJECT

    QString task(const QString& name = "task.py") const
    {
        const QString path = m_folder->filePath(name);
        QDir().mkpath(QFileInfo(path).path());
        QFile from(tests::data + "/suite/level1/1_Chain.py"), to(path);
        if (!from.open(QIODevice::ReadOnly) || !to.open(QIODevice::WriteOnly))
            qFatal("cannot write the task");
        to.write(from.readAll() + "# " + name.toUtf8() + "\n");
        return path;
    }
    static QStringList oneShot()
    {
        return {"--without", "exemplars,costs,operators,timeline,failures,effects,toggles"};
    }
    /// A project in which a model has answered the question about the task so, one reply after the other.
    QString answered(const QString& task, const std::vector<std::string>& replies)
    {
        const Ran asked = cudal1(QStringList{"prompt", task, "--json"} + oneShot());
        if (asked.status != 0)
            qFatal("%s", asked.err.constData());
        std::vector<policy::ChatMessage> messages;
        const json said = asked.parsed();
        for (const json& one : said.at("messages"))
            messages.push_back({one.at("role"), one.at("content")});
        const QString path = m_folder->filePath("answers.cudal1");
        const auto project = store::Project::open(path.toStdString());
        if (!project)
            qFatal("%s", project.error().text().c_str());
        if (!(*project)->putTask({{"1/1"}, "Chain", {}, 1, "text", "hash"}))
            qFatal("cannot store the task");
        for (const std::string& text : replies) {
            store::Sample sample;
            sample.task = {"1/1"};
            sample.policy = "endpoint: m";
            sample.prompt = policy::messagesText(messages);
            sample.reply = text;
            sample.unusable = "kept to be given again";
            if (!(*project)->addSamples({sample}))
                qFatal("cannot store the sample");
        }
        return path;
    }
    static std::vector<json> linesOf(const QString& path)
    {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly))
            qFatal("no data set");
        std::vector<json> out;
        for (const QByteArray& line : file.readAll().split('\n'))
            if (!line.isEmpty())
                out.push_back(json::parse(line.toStdString()));
        return out;
    }
    QString dataset() const { return m_folder->filePath("collected.jsonl"); }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("XDG_CONFIG_HOME", m_folder->filePath("config").toUtf8());
        play(tests::data + "/optimize.jsonl");
    }

    void aModelsAnswersAreCollected()
    {
        const QString file = task();
        const QString answers = answered(file, {"no program at all", first, renamed, thinking, first, first});
        const int traced = this->asked("graph");
        const Ran ran = cudal1({"collect", "--policy", "replay:" + answers, "--tasks", file, "--per-task", "6",
                                "--successes", "3", "--samples", "2", "--json"});
        QVERIFY2(ran.status == 0, ran.err);
        QCOMPARE(this->asked("graph"), traced); // a question without operators needs no trace
        const json said = ran.parsed();
        const json& yield = said["yield"][0];
        QVERIFY2(yield["trials"] == 4 && yield["unusable"] == 1 && yield["correct"] == 3, yield.dump().c_str());
        QVERIFY2(yield["near_duplicates"] == 1 && yield["kept"] == 2 && yield["tasks_with_success"] == 1,
                 yield.dump().c_str());
        QCOMPARE(said["examples"].get<int>(), 2);
        const auto lines = linesOf(dataset());
        QCOMPARE(lines.size(), std::size_t(2));
        const json& one = lines[0];
        QCOMPARE(one["verdict"].get<std::string>(), std::string("correct"));
        QVERIFY(one["speedup"].get<double>() > 3);
        QCOMPARE(one["reply"].get<std::string>(), first);
        QVERIFY(one["source"].get<std::string>().find("class ModelNew") != std::string::npos);
        QCOMPARE(one["prompt"][0]["role"].get<std::string>(), std::string("system"));
        const std::string question = one["prompt"][1]["content"];
        QVERIFY(question.find("class Model(") != std::string::npos &&
                question.find("# Operators") == std::string::npos && question.find("USE_") == std::string::npos);
        QVERIFY(lines[1]["reply"].get<std::string>().find("think") == std::string::npos); // not what it thought
        QCOMPARE(QString::fromStdString(lines[1]["reply"].get<std::string>()).trimmed(),
                 QString::fromStdString(other).trimmed());

        // Everything is there already: nothing is asked or judged again, and the file is the same.
        QFile before(dataset());
        QVERIFY(before.open(QIODevice::ReadOnly));
        const QByteArray text = before.readAll();
        const int asked = this->asked("evaluate");
        const Ran again = cudal1({"collect", "--policy", "replay:" + answers, "--tasks", file, "--per-task", "6",
                                  "--successes", "3", "--samples", "2"});
        QVERIFY2(again.status == 0, again.err);
        QCOMPARE(this->asked("evaluate"), asked);
        QFile after(dataset());
        QVERIFY(after.open(QIODevice::ReadOnly) && after.readAll() == text);
    }

    void itStopsAtTheTrials()
    {
        const QString file = task();
        const QString answers = answered(file, {"nothing", "nothing", "nothing", first});
        const Ran ran = cudal1({"collect", "--policy", "replay:" + answers, "--tasks", file, "--per-task", "3",
                                "--successes", "2", "--json"}); // of an odd number, one at a time
        QVERIFY2(ran.status == 0, ran.err);
        const json yield = ran.parsed()["yield"][0];
        QVERIFY2(yield["trials"] == 3 && yield["unusable"] == 3 && yield["kept"] == 0, yield.dump().c_str());
        QCOMPARE(linesOf(dataset()).size(), std::size_t(0));
    }

    void whatIsNotCorrectIsNotKept()
    {
        playLines(
            R"({"on":"graph","reply":{"output_kind":"tensor","total_ns":1000}})"
            "\n"
            R"({"on":"evaluate","candidate_contains":"addcmul","reply":{"verdict":"exploit","reasons":[{"code":"late_device_work","text":"late"}]}})"
            "\n"
            R"({"on":"evaluate","candidate_contains":"result","reply":{"verdict":"correct","labels":[{"code":"degenerate_task","text":"tells little"}],"speedup":{"wall":{"estimate":2,"low":1.9,"high":2.1}}}})"
            "\n"
            R"({"on":"evaluate","reply":{"verdict":"incorrect","reasons":[{"code":"wrong_values","text":"wrong"}]}})"
            "\n");
        const QString file = task();
        const QString answers = answered(file, {other, renamed, first});
        const Ran ran = cudal1({"collect", "--policy", "replay:" + answers, "--tasks", file, "--per-task", "3",
                                "--successes", "3", "--samples", "3", "--json"});
        QVERIFY2(ran.status == 0, ran.err);
        const json yield = ran.parsed()["yield"][0];
        QVERIFY2(yield["exploits"] == 1 && yield["correct"] == 1 && yield["degenerate"] == 1 && yield["kept"] == 0,
                 yield.dump().c_str());
    }

    void theLibraryAnswersInSections()
    {
        const Ran ran = cudal1(onSuite({"collect", "--tasks", "1/1", "--held-out", "--json"}));
        QVERIFY2(ran.status == 0, ran.err);
        const json yield = ran.parsed()["yield"][0];
        QVERIFY2(yield["policy"] == "library" && yield["level"] == 1 && yield["correct"] == 2, yield.dump().c_str());
        const auto lines = linesOf(dataset());
        QVERIFY(!lines.empty());
        const std::string text = lines[0]["reply"];
        QVERIFY(text.find("Performance Analysis") < text.find("Algorithm Design") &&
                text.find("Algorithm Design") < text.find("Code Implementation"));
        QVERIFY(text.find(lines[0]["source"].get<std::string>()) != std::string::npos);
        QCOMPARE(lines[0]["policy"].get<std::string>(), std::string("technique library"));
        QVERIFY(lines[0]["prompt"][1]["content"].get<std::string>().find("class Model(") != std::string::npos);
        // It is stopped at two, though it had proposed more.
        QVERIFY(project()->variantRows()->size() > 2);
    }

    void longProgramsAreLeftOut()
    {
        const auto longestOf = [this](const std::vector<json>& lines) {
            std::size_t out = 0;
            for (const json& line : lines)
                out = std::max(out, line["source"].get<std::string>().size());
            return out;
        };
        const QStringList command = onSuite({"collect", "--tasks", "1/1", "--held-out", "--successes", "8", "--json"});
        QVERIFY(cudal1(command).status == 0);
        const std::size_t longest = longestOf(linesOf(dataset()));
        QVERIFY(longest > 1500);
        const Ran ran = cudal1(command + QStringList{"--longest", "1500"});
        QVERIFY2(ran.status == 0, ran.err);
        const auto lines = linesOf(dataset());
        QVERIFY(!lines.empty() && longestOf(lines) <= 1500);

        // What a model wrote is judged all the same, and not kept.
        const QString file = task();
        const QString answers = answered(
            file, {first, reply(std::string(1500, '#').insert(0, "        ") + "\n        return x\n")});
        const Ran asked = cudal1({"collect", "--policy", "replay:" + answers, "--tasks", file, "--per-task", "2",
                                  "--longest", "1500", "--json"});
        QVERIFY2(asked.status == 0, asked.err);
        const json yield = asked.parsed()["yield"][0];
        QVERIFY2(yield["correct"] == 2 && yield["too_long"] == 1 && yield["kept"] == 1, yield.dump().c_str());
        const Ran wrong = cudal1({"collect", "--longest", "-1"});
        QVERIFY(wrong.status == 2 && wrong.err.contains("whole number"));
    }

    void aKilledCollectionGoesOn()
    {
        const QStringList command{"collect",     "--tasks", task("t/a.py") + "," + task("t/b.py"), "--per-task", "8",
                                  "--successes", "3"};
        QProcess process;
        begin(process, command);
        const auto judged = [this] {
            const auto rows = project()->variantRows();
            return int(
                std::count_if(rows->begin(), rows->end(), [](const auto& row) { return row.evaluation.has_value(); }));
        };
        QTRY_VERIFY_WITH_TIMEOUT(judged() > 0, tests::deadline_ms);
        ::kill(pid_t(process.processId()), SIGKILL);
        QCOMPARE(end(process).status, -9);
        QVERIFY(!QFile::exists(dataset()));
        QVERIFY(judged() < 6);
        const auto first = project()->runs();
        QVERIFY(first->size() == 1);

        const Ran again = cudal1(command + QStringList{"--json"});
        QVERIFY2(again.status == 0, again.err);
        const json yield = again.parsed()["yield"][0];
        QVERIFY2(yield["tasks"] == 2 && yield["tasks_with_success"] == 2 && yield["correct"] == 6,
                 yield.dump().c_str());
        QVERIFY(project()->runs()->size() == 2); // the first one went on
        QVERIFY(project()->runs(store::RunState::Running)->empty());
        QVERIFY(!linesOf(dataset()).empty());
    }

    void heldOutTasksAreRefused()
    {
        int held = 1;
        while (tasks::splitOf(1, held) != tasks::Split::HeldOut)
            ++held;
        const QString copy = task("level1/" + QString::number(held) + "_Copy.py");
        const Ran refused = cudal1({"collect", "--tasks", copy});
        QVERIFY2(refused.status == 2 && refused.err.contains("Held-out") && refused.err.contains("--held-out"),
                 refused.err);
        QCOMPARE(asked("evaluate"), 0);
        const Ran folder = cudal1({"collect", "--tasks", m_folder->path()}); // the only task of the folder
        QVERIFY2(folder.status == 2 && folder.err.contains("No task fits"), folder.err);
        const Ran meant = cudal1({"collect", "--tasks", copy, "--held-out"});
        QVERIFY2(meant.status == 0, meant.err);
    }

    void wrongUseIsSaid()
    {
        for (const auto& [arguments, says] :
             std::vector<std::pair<QStringList, QByteArray>>{{{"--per-task", "0"}, "trials"},
                                                             {{"--successes", "21"}, "successes"},
                                                             {{"--samples", "3"}, "divide"},
                                                             {{"--policy", "oracle"}, "oracle"},
                                                             {{"--policy", "library,library"}, "named twice"},
                                                             {{"--tasks", "no.py"}, "no.py"},
                                                             {{"--level", "x"}, "--level"},
                                                             {{"--level", "9"}, "No task fits"}}) {
            const Ran wrong = cudal1(onSuite(QStringList{"collect"} + arguments));
            QVERIFY2(wrong.status == 2 && wrong.err.contains(says), wrong.err);
        }
    }
};

QTEST_GUILESS_MAIN(TestCollect)
#include "tst_collect.moc"
