// SPDX-License-Identifier: GPL-3.0-or-later
// The program `cudal1` from outside: every verb, every exit status, kill and resume, against recorded evaluators.
#include "tests/cli/programfolder.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTest>

#include <algorithm>
#include <csignal>

using namespace cudal1;
using nlohmann::json;

using tests::data;
using tests::deadline_ms;
using tests::Ran;

class TestCli : public QObject, private tests::ProgramFolder {
    Q_OBJECT
    /// All requests of a type that the evaluator got, in order.
    std::vector<json> requests(const std::string& type) const
    {
        std::vector<json> found;
        QFile file(m_folder->filePath("log.jsonl"));
        if (!file.open(QIODevice::ReadOnly))
            return found;
        for (const QByteArray& line : file.readAll().split('\n'))
            if (const json request = json::parse(line.begin(), line.end(), nullptr, false);
                request.is_object() && request.value("type", std::string()) == type)
                found.push_back(request);
        return found;
    }

    /// Lines of the list of verbs: "tasks check".
    QStringList allVerbs()
    {
        QStringList names;
        static const QRegularExpression row(
            "^  ([a-z]+( (check|show|new|synthesise|compare|list|import|export|add|fetch|"
            "test|remove|selftest)\\b)?)");
        const QString list = QString::fromUtf8(cudal1({"--help"}).out).section("usage:", 1).section("TASK is", 0, 0);
        for (const QString& line : list.split('\n'))
            if (const auto match = row.match(line); match.hasMatch())
                names += match.captured(1);
        return names;
    }

    /// What bash completes the last of these words to.
    QStringList completed(const QStringList& words)
    {
        QProcess bash;
        const QString script = R"(source <("$0" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _cudal1
            printf '%s\n' "${COMPREPLY[@]}")";
        bash.start("bash", QStringList{"-c", script, CUDAL1_PROGRAM, "cudal1"} + words);
        bash.waitForFinished();
        return QString::fromUtf8(bash.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts);
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        play(data + "/evaluations.jsonl");
    }

    void helpAndVersion()
    {
        const Ran help = cudal1({"--help"});
        QCOMPARE(help.status, 0);
        for (const char* verb : {"doctor", "tasks", "evaluate", "optimize", "variants", "show", "compare", "timeline",
                                 "import", "rejudge", "report", "reproduce"}) {
            QVERIFY(help.out.contains(verb));
            const Ran own = cudal1({verb, "--help"});
            QCOMPARE(own.status, 0);
            QVERIFY(own.out.startsWith(QByteArray("usage: cudal1 ") + verb));
            QCOMPARE(cudal1({"help", verb}).out, own.out);
        }
        QCOMPARE(cudal1({"help"}).out, help.out);
        const Ran version = cudal1({"--version"});
        QCOMPARE(cudal1({"-V"}).out, version.out);
        QCOMPARE(version.status, 0);
        QVERIFY(QRegularExpression("^cudal1 \\d+\\.\\d+\\.\\d+\n$").match(version.out).hasMatch());
    }

    void wrongUse_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("no verb") << QStringList{} << QByteArray("verb is missing");
        QTest::newRow("unknown verb") << QStringList{"optimise"}
                                      << QByteArray("no verb \"optimise\"; did you mean `optimize`? Try");
        QTest::newRow("verb that nothing is like")
            << QStringList{"frobnicate"} << QByteArray("no verb \"frobnicate\". Try");
        QTest::newRow("nearly an option before the verb")
            << QStringList{"--devcie", "cpu", "variants", "1/12"}
            << QByteArray("Unknown option 'devcie'; did you mean `--device`? ");
        QTest::newRow("option of a verb before it")
            << QStringList{"--json", "--limit", "3", "rejudge"}
            << QByteArray("Unknown option 'limit'. An option of one verb goes behind that verb. Try");
        QTest::newRow("wrong option alone") << QStringList{"--jsno"} << QByteArray("did you mean `--json`?");
        QTest::newRow("help on nothing") << QStringList{"help", "optimise"} << QByteArray("no verb \"optimise\"");
        QTest::newRow("no second word") << QStringList{"judge"} << QByteArray("`judge` needs a second word: selftest");
        QTest::newRow("unknown second word") << QStringList{"judge", "--only", "selftest", "selfcheck"}
                                             << QByteArray("`judge` knows selftest, not \"selfcheck\"");
        QTest::newRow("unknown second word of a verb")
            << QStringList{"tasks", "--search", "x", "chekc"}
            << QByteArray("`tasks` knows check, show, new, synthesise, not \"chekc\"; did you mean `tasks check`?");
        QTest::newRow("facts of level") << QStringList{"tasks", "check", "--level", "0"}
                                        << QByteArray("--level is a number from 1, not \"0\"");
        QTest::newRow("facts in no time") << QStringList{"tasks", "check", "--limit", "0"} << QByteArray("--limit");
        QTest::newRow("no facts") << QStringList{"tasks", "check", "--suite", data + "/suite"}
                                  << QByteArray("Name one with --facts, or make one");
        QTest::newRow("facts of nothing") << QStringList{"tasks", "check", data + "/same.py"} << QByteArray("same.py");
        QTest::newRow("words after two") << QStringList{"judge", "selftest", "again"}
                                         << QByteArray("`judge selftest` takes no arguments");
        QTest::newRow("unknown option") << QStringList{"doctor", "--fast"} << QByteArray("fast");
        QTest::newRow("unknown letter") << QStringList{"doctor", "-x"} << QByteArray("Unknown option 'x'. Try");
        QTest::newRow("nearly an option") << QStringList{"doctor", "--jsno"} << QByteArray("did you mean `--json`?");
        QTest::newRow("too few") << QStringList{"evaluate", "1/1"} << QByteArray("TASK FILE.py");
        QTest::newRow("too many") << QStringList{"doctor", "x"} << QByteArray("no arguments");
        QTest::newRow("device") << QStringList{"doctor", "--device", "tpu"} << QByteArray("--device");
        QTest::newRow("precision") << QStringList{"doctor", "--precision", "fp8"} << QByteArray("--precision");
        QTest::newRow("preset") << QStringList{"doctor", "--preset", "slow"} << QByteArray("--preset");
        const QString chain = data + "/suite/level1/1_Chain.py", same = data + "/same.py";
        const auto paper = [&](const QStringList& more) { return QStringList{"evaluate", chain, same} + more; };
        QTest::newRow("paper minutes") << paper({"--preset", "paper", "--paper-minutes", "0"})
                                       << QByteArray("--paper-minutes");
        QTest::newRow("paper minutes as text")
            << paper({"--preset", "paper", "--paper-minutes", "long"}) << QByteArray("not \"long\"");
        QTest::newRow("paper trials") << paper({"--preset", "paper", "--paper-trials", "0.5"})
                                      << QByteArray("--paper-trials");
        QTest::newRow("rule of the paper") << paper({"--preset", "paper", "--paper-without", "median,silence"})
                                           << QByteArray("no rule \"silence\"; the rules are dedicated, paired, ");
        QTest::newRow("no window, yet minutes")
            << paper({"--preset", "paper", "--paper-without", "window", "--paper-minutes", "5"})
            << QByteArray("give one of them");
        QTest::newRow("rules of another preset")
            << paper({"--paper-without", "median"}) << QByteArray("--paper-without needs --preset paper");
        QTest::newRow("seed") << QStringList{"doctor", "--seed", "-1"} << QByteArray("--seed");
        QTest::newRow("rounds") << QStringList{"optimize", "1/1", "--rounds", "0"} << QByteArray("--rounds");
        QTest::newRow("budget") << QStringList{"optimize", "1/1", "--budget", "soon"} << QByteArray("--budget");
        QTest::newRow("variant") << QStringList{"show", "first"} << QByteArray("no number");
        QTest::newRow("compare without numbers") << QStringList{"compare", "1", "best"} << QByteArray("no number");
        for (const QStringList& verb : {QStringList{"compare", "98", "99"},
                                        {"show", "99"},
                                        {"variants", "9/99"},
                                        {"kernels", "99"},
                                        {"counters", "99"},
                                        {"timeline", "list"},
                                        {"timeline", "show", "99"}})
            QTest::newRow(qPrintable(verb.join(' ') + " without a project")) << verb << QByteArray("no project");
        QTest::newRow("no such candidate")
            << QStringList{"evaluate", data + "/suite/level1/1_Chain.py", "none.py"} << QByteArray("none.py");
        QTest::newRow("kind of import") << QStringList{"import", "hotspot", "f"} << QByteArray("no kind \"hotspot\"");
        QTest::newRow("nothing to import")
            << QStringList{"import", "cuda-l1", "none.jsonl"} << QByteArray("none.jsonl");
        QTest::newRow("rule for failures") << QStringList{"rejudge", "--failures", "two"} << QByteArray("--failures");
        QTest::newRow("limit") << QStringList{"rejudge", "--limit", "0"} << QByteArray("--limit");
        QTest::newRow("nothing to judge again") << QStringList{"rejudge"} << QByteArray("no project");
        QTest::newRow("no project") << QStringList{"report"} << QByteArray("no project");
        QTest::newRow("report format") << QStringList{"report", "--format", "docx"}
                                       << QByteArray("no report format \"docx\"");
        QTest::newRow("ending of a report")
            << QStringList{"report", "-o", "out.docx"} << QByteArray("no report format \"docx\"");
        QTest::newRow("variant to reproduce") << QStringList{"reproduce", "best"} << QByteArray("no number");
        QTest::newRow("nothing to reproduce") << QStringList{"reproduce", "1"} << QByteArray("no project");
    }
    void wrongUse()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, says);
        const Ran ran = cudal1(arguments);
        QCOMPARE(ran.status, 2);
        QVERIFY2(ran.err.startsWith("cudal1: ") && ran.err.contains(says), ran.err);
        QVERIFY(ran.out.isEmpty());
    }

    void whatTheProjectLacksIsNamed()
    {
        QVERIFY(!QFileInfo::exists(projectFile()));
        QCOMPARE(cudal1({"show", "99"}).status, 2);
        QVERIFY(!QFileInfo::exists(projectFile())); // what only reads makes none
        (void)project();                            // makes one
        for (const auto& [arguments, says] : {std::pair(QStringList{"compare", "98", "99"}, "98"),
                                              {{"show", "99"}, "99"},
                                              {{"variants", "9/99"}, "9/99"}}) {
            const Ran ran = cudal1(arguments);
            QVERIFY2(ran.status == 2 && ran.out.isEmpty() && ran.err.startsWith("cudal1: ") && ran.err.contains(says),
                     ran.err);
        }
    }
    void readingWritesNothing()
    {
        const QString missing = m_folder->filePath("missing.cudal1"), empty = m_folder->filePath("empty.cudal1");
        QFile(empty).open(QIODevice::WriteOnly);
        for (const char* words : {"tasks", "tasks show 3/41", "variants 3/41", "show 1", "compare 1 2", "report -o -",
                                  "chart fastp", "timeline list", "kernels 1", "counters 1", "reproduce 1 -o -",
                                  "baselines 3/41 --on H200", "ablate 3/41 1 --on H200", "rejudge --on H200"})
            for (const QString& file : {missing, empty}) {
                if (file == missing && QByteArray(words).startsWith("tasks show"))
                    continue; // what a task is, it says without a project
                QProcess process;
                process.start(QStringLiteral(CUDAL1_PROGRAM),
                              QString::fromLatin1(words).split(' ') + QStringList{"--project", file});
                QVERIFY(process.waitForFinished(60'000));
                const QByteArray said = process.readAllStandardError();
                QVERIFY2(process.exitCode() != 0 && (said.startsWith("cudal1: There is no project") ||
                                                     said.contains("There is nothing in this file")),
                         words + said);
                QVERIFY2(!QFile::exists(missing) && QFileInfo(empty).size() == 0, words);
            }
    }
    void whatCannotBePrintedIsSaid()
    {
        if (!QFileInfo::exists("/dev/full"))
            QSKIP("this system has no /dev/full");
        (void)project(); // makes one
        const QString pipe = m_folder->filePath("pipe");
        for (const char* verb : {"tasks --level 3", "timeline list --json", "chart distribution -o - --format csv",
                                 "report -o - --format md"}) {
            QProcess shell;
            shell.start("sh", {"-c", QStringLiteral("'%1' --project '%2' %3 > /dev/full")
                                         .arg(QStringLiteral(CUDAL1_PROGRAM), projectFile(), QLatin1String(verb))});
            QVERIFY(shell.waitForFinished());
            const QByteArray err = shell.readAllStandardError();
            QVERIFY2(shell.exitCode() == 3 && err.contains("standard output could not be written"), verb + (" " + err));
        }
        QProcess early; // a reader that has seen enough: no error, and the status of a signal; the shell ignores it, as
                        // some callers do
        early.start(
            "bash",
            {"-c", QStringLiteral(
                       "trap '' PIPE; { sleep 0.5; '%1' --project '%2' tasks --level 3; echo status $? >&2; } | true")
                       .arg(QStringLiteral(CUDAL1_PROGRAM), projectFile())});
        QVERIFY(early.waitForFinished());
        QCOMPARE(early.readAllStandardError().trimmed(), QByteArray("status 141"));
        QProcess reader; // what is no file is written into, and stays what it is
        reader.start("sh", {"-c", QStringLiteral("mkfifo '%1' && cat '%1'").arg(pipe)});
        QTRY_VERIFY(QFileInfo::exists(pipe));
        QCOMPARE(cudal1({"report", "--format", "md", "-o", pipe}).status, 0);
        QVERIFY(reader.waitForFinished() && !QFileInfo(pipe).isFile());
        QVERIFY(reader.readAllStandardOutput().startsWith("# Speed-ups"));
    }
    void doctorDescribesTheMachine()
    {
        const Ran ran = cudal1({"doctor"});
        QCOMPARE(ran.status, 0);
        QVERIFY(ran.out.contains("Replay CPU"));
        QVERIFY(!QFile::exists(projectFile())); // looking makes nothing
        const Ran asJson = cudal1({"doctor", "--json"});
        QCOMPARE(asJson.status, 0);
        QVERIFY(asJson.parsed()["machine"]["devices"][0]["name"] == json("cpu"));
    }

    void doctorWithoutAnEvaluator()
    {
        m_evaluator = "/nowhere/cudal1-evaluator";
        const Ran ran = cudal1({"doctor"});
        QCOMPARE(ran.status, 3);
        QVERIFY(ran.out.contains("/nowhere/cudal1-evaluator") && ran.out.contains("CUDAL1_EVALUATOR"));
        const Ran asJson = cudal1({"doctor", "--json"});
        QCOMPARE(asJson.status, 3);
        QVERIFY(asJson.parsed()["evaluator"]["ok"] == json(false));
        QVERIFY(asJson.parsed()["evaluator"]["error"]["code"] == json("unavailable"));
    }

    void everyHelpHasExamplesOfOptionsThatExist()
    {
        const QStringList verbs = allVerbs();
        QVERIFY(verbs.size() > 40);
        static const QRegularExpression option("\\B--[a-z-]+");
        for (const QString& verb : verbs) {
            const QString help = QString::fromUtf8(cudal1(verb.split(' ') + QStringList{"--help"}).out);
            const QString examples = help.section("\nExamples:\n", 1).section("\n\n", 0, 0);
            QVERIFY2(examples.contains("    cudal1 "), qPrintable(verb));
            const QString known = help.section("\nExamples:\n", 0, 0) + help.section("\nOptions of every verb:\n", 1);
            for (auto found = option.globalMatch(examples); found.hasNext();) {
                const QString name = found.next().captured();
                QVERIFY2(known.contains(name), qPrintable(verb + ": " + name));
            }
        }
    }

    void helpFitsItsLines()
    {
        for (const QString& verb : allVerbs())
            for (const QString& line :
                 QString::fromUtf8(cudal1(verb.split(' ') + QStringList{"--help"}).out).split('\n'))
                QVERIFY2(line.size() <= 100 || line.startsWith("    cudal1 "), qPrintable(line));
    }

    void bashCompletesVerbsAndOptions()
    {
        QCOMPARE(completed({"eval"}), QStringList{"evaluate"});
        QCOMPARE(completed({"tasks", "sh"}), QStringList{"show"});
        QCOMPARE(completed({"evaluate", "--par"}), QStringList{"--parent"});
        QCOMPARE(completed({"tasks", "check", "--fac"}), QStringList{"--facts"});
        QCOMPARE(completed({"variants", "1/1", "--js"}), QStringList{"--json"});
        QCOMPARE(completed({"evaluate", "--preset", "st"}), QStringList{"standard"});
        QCOMPARE(completed({"evaluate", "--preset", "=", "st"}), QStringList{"standard"}); // --preset=st
        QCOMPARE(completed({"-p", "x.cudal1", "eval"}), QStringList{"evaluate"}); // options may come before the verb
        QCOMPARE(completed({"--json", "tasks", "check", "--fac"}), QStringList{"--facts"});
        QCOMPARE(completed({"help", "eval"}), QStringList{"evaluate"});
        // What is of one verb is not offered with another of its family, and equal names have values of their own.
        QCOMPARE(completed({"timeline", "show", "--cal"}), QStringList());
        QCOMPARE(completed({"timeline", "--cal"}), QStringList{"--calls"});
        QCOMPARE(completed({"report", "--format", "p"}), QStringList{"pdf"});
        QCOMPARE(completed({"report", "--template", "f"}), QStringList{"full"});
        QCOMPARE(completed({"chart", "--format", "p"}), QStringList{"png"});
        QCOMPARE(completed({"completion", "z"}), QStringList{"zsh"});
        for (const char* shell : {"bash", "zsh", "fish"}) {
            const Ran script = cudal1({"completion", shell});
            QCOMPARE(script.status, 0);
            QVERIFY(script.out.contains("synthesise") && script.out.contains("paper-minutes"));
        }
        const Ran unknown = cudal1({"completion", "tcsh"});
        QCOMPARE(unknown.status, 2);
        QVERIFY(unknown.err.contains("bash, zsh or fish"));
    }

    /// What help names as an option's values is what completion offers, and what the option takes.
    void valuesThatAreOfferedAreTaken()
    {
        for (const char* option : {"--preset", "--precision", "--color", "--device"}) {
            const QStringList offered = completed({"tasks", option, ""});
            QVERIFY2(offered.size() > 1, option);
            for (const QString& value : offered)
                QVERIFY2(cudal1({"manual", option, value}).status == 0, qPrintable(value));
        }
        QCOMPARE(cudal1({"manual", "--preset", "quicker"}).status, 2);
        const QString help = QString::fromUtf8(cudal1({"optimize", "--help"}).out);
        QVERIFY(help.contains("--preset " + completed({"tasks", "--preset", ""}).join('|')));
        QVERIFY(help.contains("--method " + completed({"optimize", "--method", ""}).join('|')));
    }

    /// By the shells themselves, where they are installed.
    void zshAndFishCompleteVerbsAndOptions()
    {
        const QString fish = QStandardPaths::findExecutable("fish"), zsh = QStandardPaths::findExecutable("zsh");
        if (fish.isEmpty() && zsh.isEmpty())
            QSKIP("neither zsh nor fish is installed");
        const QString script = m_folder->filePath("cudal1.fish"), function = m_folder->filePath("_cudal1");
        for (const auto& [shell, path] : {std::pair("fish", script), std::pair("zsh", function)}) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(cudal1({"completion", shell}).out);
        }
        const auto offered = [&](const QString& line) {
            QProcess shell;
            shell.start(fish, {"--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, line});
            shell.waitForFinished(deadline_ms);
            QStringList words;
            for (const QString& row : QString::fromUtf8(shell.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts))
                words += row.section('\t', 0, 0);
            return words;
        };
        if (!fish.isEmpty()) {
            QCOMPARE(offered("cudal1 opt"), QStringList{"optimize"});
            QCOMPARE(offered("cudal1 tasks ch"), QStringList{"check"});
            QCOMPARE(offered("cudal1 -p x optimi"), QStringList{"optimize"});
            QCOMPARE(offered("cudal1 help optimi"), QStringList{"optimize"});
            QCOMPARE(offered("cudal1 tasks check --fac"), QStringList{"--facts"});
            QCOMPARE(offered("cudal1 timeline show --cal"), QStringList());
            QCOMPARE(offered("cudal1 optimize --preset st"), QStringList{"standard"});
            QCOMPARE(offered("cudal1 report --format p"), QStringList{"pdf"});
            QCOMPARE(offered("cudal1 completion z"), QStringList{"zsh"});
        }
        if (!zsh.isEmpty()) {
            QProcess shell;
            shell.start(zsh, {"-f", QString(CUDAL1_SOURCE_DIR) + "/tests/cli/complete.zsh", m_folder->path(),
                              "cudal1 opt", "cudal1 tasks ch", "cudal1 -p x opt", "cudal1 help opt",
                              "cudal1 tasks check --fac", "cudal1 timeline show --cal", "cudal1 optimize --preset st",
                              "cudal1 tasks --preset=qu", "cudal1 report --format pd", "cudal1 completion z"});
            QVERIFY(shell.waitForFinished(deadline_ms));
            QCOMPARE(QString::fromUtf8(shell.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts),
                     (QStringList{"cudal1 optimize ", "cudal1 tasks check ", "cudal1 -p x optimize ",
                                  "cudal1 help optimize ", "cudal1 tasks check --facts ", "cudal1 timeline show --cal",
                                  "cudal1 optimize --preset standard ", "cudal1 tasks --preset=quick ",
                                  "cudal1 report --format pdf ", "cudal1 completion zsh "}));
        }
    }

    void theManualHasEveryVerb()
    {
        const Ran manual = cudal1({"manual"});
        QCOMPARE(manual.status, 0);
        QVERIFY(manual.out.startsWith(".TH CUDAL1 1"));
        for (const QString& verb : allVerbs())
            QVERIFY2(manual.out.contains(".SS \"cudal1 " + verb.toUtf8()), qPrintable(verb));
        static const QRegularExpression requests("^\\.(TH|SH|SS|TP|PP|RS|RE|EX|EE)( |$)");
        for (const QString& line : QString::fromUtf8(manual.out).split('\n'))
            QVERIFY2((!line.startsWith('.') || requests.match(line).hasMatch()) && !line.startsWith('\''),
                     qPrintable(line));
    }

    void coloursAreAsAskedFor()
    {
        const QStringList command = onSuite({"evaluate", "1/1", data + "/same.py"});
        QVERIFY(!cudal1(command + QStringList{"--color", "never"}).out.contains('\033'));
        QVERIFY(cudal1(command + QStringList{"--color", "always"}).out.contains('\033'));
        const Ran wrong = cudal1({"doctor", "--color", "blue"});
        QCOMPARE(wrong.status, 2);
        QVERIFY(wrong.err.contains("auto, always or never"));
    }

    void aVerbWithRelatives()
    {
        (void)project(); // makes one
        const Ran own = cudal1({"tasks", "--help"});
        QVERIFY(own.out.startsWith("usage: cudal1 tasks [options]") &&
                own.out.contains("  tasks check [TASK|FILE ...]"));
        QCOMPARE(cudal1({"help", "tasks"}).out, own.out);
        const Ran related = cudal1({"tasks", "check", "--help"});
        QCOMPARE(related.status, 0);
        QVERIFY(related.out.startsWith("usage: cudal1 tasks check [TASK|FILE ...] [options]") &&
                related.out.contains("--facts FILE"));
        QCOMPARE(cudal1({"help", "tasks", "check"}).out, related.out);
        QCOMPARE(cudal1(onSuite({"tasks", "--search", "check"})).status, 0); // an option's value is no second word
    }

    void tasksAreHeldAgainstTheirFacts()
    {
        const QByteArray most =
            R"("inputs":[],"init_inputs":[],"init_parameters":[],"forward_parameters":[],"initialisation":[],"parameters":[],"buffers":[],"modules":[],"outputs":[],)";
        QFile facts(m_folder->filePath("facts.jsonl"));
        QVERIFY(facts.open(QIODevice::WriteOnly));
        facts.write(R"({"level":1,"id":1,"name":"Chain","input_generators":["randn"],)" + most +
                    R"("operators":[{"repeat":2,"block":["relu"]}]})");
        facts.close();
        const auto check = [&](const QByteArray& answer, const QStringList& more = {}) {
            playLines(R"({"on":"facts","reply":{"items":[{"name":"1/1",)" + answer + "}]}}\n");
            return cudal1(
                QStringList{"tasks", "check", data + "/suite/level1/1_Chain.py", "--facts", facts.fileName()} + more);
        };
        const QByteArray right = R"("facts":{"input_generators":["randn"],)" + most + R"("operators":["relu","relu"]})";
        const Ran good = check(right);
        QCOMPARE(good.status, 0);
        QCOMPARE(good.out, QByteArray("ok   1/1 Chain\n1 checked, 0 failed\n"));
        const Ran bad = check(R"("facts":{"input_generators":["rand"],)" + most + R"("operators":["relu","relu"]})");
        QCOMPARE(bad.status, 1);
        QCOMPARE(bad.out, QByteArray("FAIL 1/1 Chain\n     input_generators has 1 entries, at 0: \"rand\"; the facts "
                                     "say 1 entries, at 0: \"randn\"\n"
                                     "1 checked, 1 failed\n"));
        const Ran raising = check(R"("message":"ValueError: no","line":7)", {"--json"});
        QCOMPARE(raising.status, 1);
        QVERIFY(raising.parsed()["failed"] == json(1));
        QVERIFY(raising.parsed()["tasks"][0]["problems"] == json({"line 7: ValueError: no"}));
        const Ran printed = check(right, {"--print"});
        QCOMPARE(printed.status, 0);
        QVERIFY(printed.parsed()["name"] == json("Chain") && printed.parsed()["level"] == json(1) &&
                printed.parsed()["operators"].size() == 2);
        QCOMPARE(check(R"("message":"ValueError: no","line":7)", {"--print"}).status, 1);
    }

    void tasksAreReadAndImportedOnce()
    {
        (void)project(); // makes one
        const Ran ran = cudal1(onSuite({"tasks", "--json"}));
        QCOMPARE(ran.status, 0);
        const json got = ran.parsed();
        QCOMPARE(got["tasks"].size(), std::size_t(1));
        QVERIFY(got["tasks"][0]["task"] == json("1/1"));
        QCOMPARE(got["problems"].size(), std::size_t(1));
        QVERIFY(QByteArray::fromStdString(got["problems"][0]["path"]).endsWith("2_Broken.py"));
        QCOMPARE(asked("inspect"), 1);
        const Ran again = cudal1(onSuite({"tasks"}));
        QVERIFY(again.out.contains("1/1") && again.out.contains("Chain") && again.out.contains("2_Broken.py"));
        QCOMPARE(asked("inspect"), 1);
        QVERIFY(cudal1(onSuite({"tasks", "--level", "2"})).out.contains("No task"));
        QVERIFY(!cudal1(onSuite({"tasks", "--search", "chAIN"})).out.contains("No task"));
    }

    void aBundledTaskIsKnownBeforeAnythingRuns()
    {
        const Ran ran = cudal1({"tasks", "show", "1/12", "--on", "H200", "--json"});
        QCOMPARE(ran.status, 0);
        const json got = ran.parsed();
        QCOMPARE(got["bytes"]["minimum"].get<double>(), 4.0 * (4096 + 2 * 4096.0 * 4096));
        QCOMPARE(got["flops"]["products"].get<double>(), 2.0 * 4096 * 4096 * 4096);
        QVERIFY(got["floor"]["source"] == json("data_sheet"));
        QVERIFY(got["memory"]["total_bytes"].get<double>() > 1e9);
        QVERIFY(got["split"] == json("train") || got["split"] == json("held_out"));
        QVERIFY(!got["description"].get<std::string>().empty());
        QCOMPARE(got["operators"].size(), std::size_t(2));
        const Ran text = cudal1({"tasks", "show", "3/41", "--operators"});
        QCOMPARE(text.status, 0);
        QVERIFY(text.out.contains("66.4 GFLOP") && text.out.contains("× 512") &&
                text.out.contains("--on H200 goes by a data sheet"));
        QVERIFY(!QFile::exists(projectFile()));
        const Ran small = cudal1({"tasks", "show", "1/11", "--on", "T4"});
        QVERIFY2(small.out.contains("and T4 has 16.0 GiB: it will probably run out of memory"), small.out);
        QCOMPARE(cudal1({"tasks", "show", "9/9"}).status, 2);
        QCOMPARE(cudal1({"tasks", "show", "1/12", "--on", "Abacus"}).status, 2);
        QVERIFY(!QFile::exists(m_folder->filePath("log.jsonl"))); // no evaluator was started
    }

    void anotherTaskIsKnownByItsShapes()
    {
        QFile recorded(data + "/evaluations.jsonl");
        QVERIFY(recorded.open(QIODevice::ReadOnly));
        playLines(
            R"({"on":"graph","reply":{"device":"meta","values":[{"id":0,"shape":[4000000000],"dtype":"float32","name":"x","kind":"input"},)"
            R"({"id":1,"shape":[4000000000],"dtype":"float32"}],"nodes":[{"id":0,"op":"aten.relu.default","args":[{"value":0}],"outputs":[1]}],)"
            R"("inputs":[0],"outputs":[1]}})"
            "\n" +
            recorded.readAll());
        const Ran own = cudal1(onSuite({"tasks", "show", "1/1", "--on", "H200"}));
        QVERIFY2(own.status == 0, own.err);
        QVERIFY2(own.out.contains("traced by shapes alone") && own.out.contains("29.8 GiB must move"), own.out);
        QVERIFY(!QFile::exists(projectFile())); // nothing was judged, so there is nothing to keep it with

        // The recorded machine has 8 GiB; what is known then stays known.
        const Ran judged = cudal1(onSuite({"evaluate", "1/1", data + "/same.py"}));
        QVERIFY2(judged.err.contains("warning: Judging this task needs about "), judged.err);
        playLines(R"({"on":"graph","act":"error","reply":{"code":"unreadable","message":"ValueError: too hot"}})"
                  "\n");
        const Ran again = cudal1(onSuite({"tasks", "show", "1/1"}));
        QCOMPARE(again.status, 0);
        QVERIFY(again.out.contains("traced by shapes alone"));
        QVERIFY(QFile::remove(projectFile()));
        const Ran broken = cudal1(onSuite({"tasks", "show", "1/1"}));
        QCOMPARE(broken.status, 2);
        QVERIFY(broken.err.contains("ValueError: too hot") && broken.out.contains("could not be traced"));
    }

    void whatWillNotFitIsSaidFirst()
    {
        // The recorded machine has 8 GiB.
        const QString same = data + "/same.py";
        const Ran large = cudal1({"evaluate", "1/11", same});
        QCOMPARE(large.status, 0);
        QVERIFY2(large.err.contains("warning: Judging this task needs about "), large.err.constData());
        QVERIFY(!cudal1({"evaluate", "1/1", same}).err.contains("warning"));
    }

    void taskThatDoesNotImportIsNamedWithItsLine()
    {
        (void)project(); // makes one
        playLines(
            R"({"on":"inspect","reply":{"items":[{"name":"1/1","ok":false,"message":"NameError: nope","line":7}]}})");
        const Ran ran = cudal1(onSuite({"tasks"}));
        QCOMPARE(ran.status, 0);
        QVERIFY(ran.out.contains("1_Chain.py:7: NameError: nope"));
        // Without a place to remember what imports, it is found out each time.
        const Ran nowhere = cudal1(
            {"tasks", "--suite", data + "/suite", "--project", m_folder->filePath("none/x.cudal1")});
        QVERIFY2(nowhere.status == 0, nowhere.err);
        QVERIFY(nowhere.out.contains("1_Chain.py:7: NameError: nope"));
    }

    void evaluateStoresWhatItFinds()
    {
        const Ran good = cudal1(onSuite({"evaluate", "1/1", data + "/same.py"}));
        QVERIFY2(good.status == 0, good.err);
        QVERIFY2(good.out.contains("3.86× (3.83–3.89)") && good.out.contains("28.9×"), good.out);
        const Ran bad = cudal1(onSuite({"evaluate", "1/1", data + "/wrong.py"}));
        QCOMPARE(bad.status, 1);
        QVERIFY(bad.out.contains("8192 of 8192 values differ") &&
                bad.out.contains("    line 7")); // the traceback, indented
        QVERIFY(!bad.out.contains("\033["));     // no colours in a pipe
        const Ran asJson = cudal1(onSuite({"evaluate", "1/1", data + "/same.py", "--json", "--seed", "42"}));
        QCOMPARE(asJson.status, 0);
        QVERIFY(asJson.parsed()["verdict"] == json("correct"));
        QVERIFY(asJson.parsed()["seed"] == json(42));

        const json listed = cudal1(onSuite({"variants", "1/1", "--json"})).parsed();
        QCOMPARE(listed["variants"].size(), std::size_t(2)); // the same file is the same variant
        QVERIFY(listed["variants"][0]["verdict"] == json("correct"));
        QVERIFY(listed["variants"][0]["speedup"]["wall"]["low"] == json(3.83));
        QVERIFY(listed["variants"][1]["speedup"]["wall"] == json(nullptr));
        QVERIFY(!listed["variants"][0].contains("id")); // one spelling everywhere
        QCOMPARE(project()->evaluations({listed["variants"][0]["variant"].get<std::int64_t>()})->size(),
                 std::size_t(2));

        const QString id = QString::number(listed["variants"][1]["variant"].get<int>());
        const Ran shown = cudal1({"show", id});
        QCOMPARE(shown.status, 0);
        QVERIFY(shown.out.contains("forgets to add one") && shown.out.contains("8192 of 8192"));
        QVERIFY2(shown.out.contains("[wrong_values]\n    Numbers of the result differ"),
                 shown.out); // and what the code means
        const json shownJson = cudal1({"show", id, "--json"}).parsed();
        QVERIFY(shownJson["origin"] == json("file: wrong.py"));
        QVERIFY(shownJson["evaluations"][0]["reasons"][0]["code"] == json("wrong_values"));

        const QString best = QString::number(listed["variants"][0]["variant"].get<int>());
        QVERIFY(cudal1({"compare", best, best}).err.contains("Both are variant"));
        const Ran refused = cudal1({"compare", best, id});
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.err.contains("not correct"), refused.err);
        QVERIFY2(refused.out.contains("wrong_values: 8192 of 8192"),
                 refused.out); // why each is what it is, all the same

        // Made from another one, and its pairs as a file.
        QCOMPARE(cudal1(onSuite({"evaluate", "1/1", data + "/same.py", "--parent", "99"})).status, 2);
        QFile changed(m_folder->filePath("changed.py")), same(data + "/same.py");
        QVERIFY(changed.open(QIODevice::WriteOnly) && same.open(QIODevice::ReadOnly));
        changed.write("USE_ADD = True\n" + same.readAll());
        changed.close();
        const Ran child = cudal1(onSuite({"evaluate", "1/1", changed.fileName(), "--parent", best, "--json"}));
        QCOMPARE(child.status, 0);
        const QString made = QString::number(child.parsed()["variant"].get<int>());
        const QString csv = m_folder->filePath("pairs.csv");
        const json lineage = cudal1({"show", made, "--json", "--csv", csv}).parsed();
        QVERIFY(lineage["lineage"][0]["variant"] == json(best.toInt()) &&
                lineage["lineage"][1]["variant"] == json(made.toInt()));
        QVERIFY(lineage["named_techniques"][0]["toggle"] == json("USE_ADD"));
        QVERIFY(lineage["prompt"] == json(nullptr));
        QFile pairs(csv);
        QVERIFY(pairs.open(QIODevice::ReadOnly));
        const QByteArrayList lines = pairs.readAll().trimmed().split('\n');
        QCOMPARE(lines.size(), 3);
        QVERIFY2(lines[1].startsWith(made.toLatin1() + ",1,0,reference,"), lines[1]);
        QVERIFY2(lines[2].endsWith(",yes,throttled"), lines[2]);
        const json both = cudal1({"compare", best, made, "--json", "--csv", csv}).parsed();
        QVERIFY(both["ratio"]["wall"]["estimate"] == json(1.0));
        QVERIFY(both["verdict"] == json("unclear")); // 1.2 % to either side, joined to more
        QVERIFY(both["variants"][1]["variant"] == json(made.toInt()) &&
                both["variants"][1]["speedup"]["wall"].contains("estimate")); // as in every other answer
        QVERIFY(both["variants"][1]["lineage"].size() == 2 &&
                both["variants"][0]["labels"][0]["code"] == json("large_speedup"));
        QCOMPARE(cudal1({"show", id, "--csv", csv}).status, 2); // never timed
    }

    void whatPoliciesAnsweredIsShown()
    {
        store::Sample sample;
        {
            const auto made = project();
            QVERIFY(made->putTask({{"1/1"}, "Chain", "suite", 1, "class Model: pass", "hash"}).ok());
            store::VariantRecord variant;
            variant.task = sample.task = {"1/1"};
            variant.source = "ModelNew = Model";
            sample.variant = *made->addVariant(variant);
            sample.policy = "endpoint: m";
            sample.policyVersion = "2507";
            sample.replyTokens = 90;
            sample.cost = 0.0125;
            sample.costUnit = "USD";
            sample.prompt = "make it faster";
            sample.reply = "Nothing can be done.";
            QVERIFY(made->addSamples({sample, sample}).ok());
        }
        const QString id = QString::number(sample.variant.value);
        const json shown = cudal1({"show", id, "--json"}).parsed();
        QCOMPARE(shown["samples"].size(), std::size_t(2));
        QVERIFY(shown["samples"][1]["completion_tokens"] == json(90) &&
                shown["samples"][1]["prompt_tokens"] == json(nullptr));
        QVERIFY(shown["prompt"] == json("make it faster") && shown["reply"] == json("Nothing can be done."));
        const Ran text = cudal1({"show", id});
        QVERIFY2(text.out.contains("endpoint: m 2507, question 1, 90 tokens answered, 0.0125 USD, "), text.out);
        QVERIFY2(text.out.contains("make it faster") && text.out.contains("Nothing can be done."), text.out);
    }

    void paperRulesTravelAndTheNumberStandsBesideOurs()
    {
        const json paper = {{"clock", "event"},
                            {"event",
                             {{"measured", 28.918},
                              {"reported", 28.91},
                              {"bucket_means", {28, 29}},
                              {"variance", 0.004},
                              {"gate_passed", true}}},
                            {"wall",
                             {{"measured", 3.868},
                              {"reported", 3.86},
                              {"bucket_means", {3.8, 3.9}},
                              {"variance", 0.003},
                              {"gate_passed", true}}},
                            {"accepted", true},
                            {"minutes", 0.5},
                            {"seconds", 30},
                            {"attempts", 2},
                            {"discarded", {0.5}},
                            {"rounds", 1234},
                            {"rules",
                             {{{"rule", "dedicated"}, {"state", "impossible"}, {"why", "no NVML"}},
                              {{"rule", "rounding"}, {"state", "applied"}, {"why", ""}},
                              {{"rule", "median"}, {"state", "off"}, {"why", ""}}}},
                            {"verification",
                             {{"why", "28.9 is above 3"},
                              {"run", true},
                              {"where", "fresh processes"},
                              {"ratio", 28.5},
                              {"agreed", true},
                              {"problem", ""}}}};
        json rule = {{"on", "evaluate"},
                     {"reply",
                      {{"verdict", "correct"},
                       {"speedup",
                        {{"wall",
                          {{"estimate", 3.86},
                           {"low", 3.83},
                           {"high", 3.89},
                           {"reference_ns", 20000},
                           {"candidate_ns", 5200}}}}},
                       {"trials", {{"run", 20}, {"passed", 20}}},
                       {"paper", paper}}}};
        playLines(QByteArray::fromStdString(rule.dump()));
        const QStringList command = onSuite({"evaluate", "1/1", data + "/same.py", "--preset", "paper",
                                             "--paper-minutes", "0.5", "--paper-without", "median", "--paper-trials",
                                             "20"});
        const Ran ran = cudal1(command);
        QVERIFY2(ran.status == 0, ran.err);
        QVERIFY2(ran.out.contains("3.86× (3.83–3.89)"), ran.out);
        QVERIFY2(ran.out.contains("28.91× by events (28.9180 before rounding)") && ran.out.contains("3.86× by wall"),
                 ran.out);
        QVERIFY2(ran.out.contains("without the rule median") &&
                     ran.out.contains("rule dedicated could not be applied: no NVML"),
                 ran.out);
        QVERIFY2(ran.out.contains("28.9 is above 3; confirmed by 28.5000×") && ran.out.contains("2 attempts"), ran.out);

        // The second request knows of the first one's speed-up.
        QCOMPARE(cudal1(command).status, 0);
        const std::vector<json> asked = requests("evaluate");
        QCOMPARE(asked.size(), std::size_t(2));
        QVERIFY(asked[0]["preset"] == json("paper"));
        QVERIFY(asked[0]["paper"]["without"] == json({"median"}) && asked[0]["paper"]["minutes"] == json(0.5));
        QVERIFY(asked[0]["paper"]["trials"] == json(20) && asked[0]["paper"]["best_so_far"] == json(0.0));
        QVERIFY(asked[1]["paper"]["best_so_far"] == json(3.86));
    }

    void whatTheMachineCannotDo()
    {
        const Ran gpu = cudal1(onSuite({"evaluate", "1/1", data + "/same.py", "--device", "cuda"}));
        QCOMPARE(gpu.status, 3);
        QVERIFY(gpu.err.contains("cuda:0"));
        playLines(R"({"on":"hello","reply":{"protocol":99}})");
        const Ran version = cudal1(onSuite({"optimize", "1/1", "--json"}));
        QCOMPARE(version.status, 3);
        QVERIFY(version.parsed()["error"]["code"] == json("unavailable"));
        playLines(R"({"on":"evaluate","act":"crash","stderr":"out of luck"})");
        const Ran crash = cudal1(onSuite({"evaluate", "1/1", data + "/same.py"}));
        QCOMPARE(crash.status, 3);
        QVERIFY(crash.err.contains("out of luck"));
    }

    void foreignProjectFileIsRefusedAndUntouched()
    {
        const QByteArray text = "my diary\n";
        QFile file(projectFile());
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        file.close();
        const Ran ran = cudal1(onSuite({"optimize", "1/1"}));
        QCOMPARE(ran.status, 2);
        QVERIFY(ran.err.contains("p.cudal1"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), text);
    }

    void optimizeVariantsReport()
    {
        play(data + "/optimize.jsonl");
        const Ran ran = cudal1(onSuite({"optimize", "1/1", "--json", "--rounds", "1"}));
        QVERIFY2(ran.status == 0, ran.err);
        const json got = ran.parsed();
        QVERIFY(got["state"] == json("finished"));
        QVERIFY(got["judged"].get<int>() >= 2);
        QVERIFY(got["best"]["speedup"]["wall"]["estimate"] == json(3.86));
        QVERIFY(!got["best"]["techniques"].empty());
        const Ran listed = cudal1(onSuite({"variants", "1/1"}));
        QVERIFY(listed.out.contains("3.86× (3.83–3.89)"));

        const Ran written = cudal1({"report", "-o", "out.html", "--json"});
        QCOMPARE(written.status, 0);
        QFile html(m_folder->filePath("out.html"));
        QVERIFY(html.open(QIODevice::ReadOnly));
        QVERIFY(written.parsed()["bytes"] == json(html.size()));
        QVERIFY(html.readAll().contains("1/1"));
        const Ran nowhere = cudal1({"report", "-o", "/proc/none/out.html"});
        QCOMPARE(nowhere.status, 3);

        const auto begins = [this](const QStringList& arguments, const QString& name, const char* text) {
            const Ran made = cudal1(QStringList{"report", "-o", name} + arguments);
            QFile file(m_folder->filePath(name));
            return made.status == 0 && file.open(QIODevice::ReadOnly) && file.readAll().startsWith(text);
        };
        QVERIFY(begins({}, "out.pdf", "%PDF"));
        QVERIFY(begins({"--scope", "task", "1/1"}, "out.md", "# Speed-up of 1/1"));
        QVERIFY(begins({"--task", "1/1", "--template", "summary"}, "out.json", "{"));
        QVERIFY(begins({"--scope", "run 1"}, "out.csv", "task,level,name"));
        QVERIFY(begins({"--scope", "compare", "1,2", "--format", "md"}, "out.txt", "# Variants 1, 2 of 1/1"));
        const auto reported = [this](const QStringList& arguments) {
            return cudal1(QStringList{"report", "--format", "json", "-o", "-"} + arguments).parsed();
        };
        const json plain = reported({}), full = reported({"--template", "full"}); // as the window's page begins
        QVERIFY(plain["template"] == json("summary") && full["template"] == json("full"));
        const auto hasCode = [](const json& document) {
            return document["sections"].dump().find("class ModelNew") != std::string::npos;
        };
        QVERIFY(!hasCode(plain) && hasCode(full));
        QVERIFY(plain["records"] == full["records"]);
        const std::vector<std::pair<QStringList, QByteArray>> wrong{
            {{"--scope", "moon", "1"}, "no scope \"moon\""},
            {{"--scope", "run", "77"}, "no run 77"},
            {{"--scope", "run"}, "--scope is"},
            {{"--scope", "compare", "1"}, "two variants"},
            {{"--template", "long"}, "summary, full, paper or claims"},
            {{"--scope", "task", "9/9"}, "9/9"},
        };
        for (const auto& [arguments, says] : wrong) {
            const Ran ran_ = cudal1(QStringList{"report"} + arguments);
            QVERIFY2(ran_.status == 2 && ran_.err.contains(says), arguments.join(' ').toUtf8() + ran_.err);
        }
        const Ran program = cudal1({"reproduce", "1", "-o", "-"});
        QVERIFY(program.status == 0 && program.out.contains("REFERENCE = ") && program.out.contains("class ModelNew"));
        QCOMPARE(cudal1({"reproduce", "99"}).status, 2);
    }

    /// The recording with every variant at this speed-up.
    void playOptimize(const QByteArray& wall)
    {
        QFile file(data + "/optimize.jsonl");
        QVERIFY(file.open(QIODevice::ReadOnly));
        QByteArray lines = file.readAll();
        const QByteArray recorded = R"("estimate": 3.86, "low": 3.83, "high": 3.89)";
        QVERIFY(lines.contains(recorded));
        playLines(lines.replace(recorded, wall).replace("\"delay_ms\": 400", "\"delay_ms\": 1"));
    }

    void optimizeHandsOverTheReference()
    {
        playOptimize(R"("estimate": 0.61, "low": 0.6, "high": 0.62)");
        const QString file = m_folder->filePath("best.py");
        const Ran ran = cudal1(onSuite({"optimize", "1/1", "--rounds", "1", "--json", "-o", file}));
        QVERIFY2(ran.status == 0, ran.err);
        const json got = ran.parsed();
        QVERIFY(got["best"].is_null() && got["reference_is_best"] == true);
        QVERIFY(got["fastest"]["speedup"]["wall"]["estimate"] == json(0.61));
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QByteArray program = written.readAll();
        QFile task(data + "/suite/level1/1_Chain.py");
        QVERIFY(task.open(QIODevice::ReadOnly));
        QVERIFY2(program.contains("# The reference is best: no variant is faster by its whole interval.") &&
                     program.contains(task.readAll()) && program.contains("class ModelNew(Model):\n    pass"),
                 program);

        const Ran listed = cudal1(onSuite({"variants", "1/1"}));
        QVERIFY2(listed.out.contains("The reference is best") && listed.out.contains("0.61× (0.60–0.62)."), listed.out);
        QVERIFY(cudal1(onSuite({"variants", "1/1", "--json"})).parsed()["best"].is_null());
        const Ran shown = cudal1({"show", "1"});
        QVERIFY2(shown.out.contains("the reference is the better choice"), shown.out);
        const Ran many = cudal1(onSuite({"--device", "cpu,cpu", "optimize", "1/1", "--rounds", "1"}));
        QVERIFY2(many.status == 0 && many.out.contains("the reference") && many.out.contains("0.61× (0.60–0.62) #"),
                 many.out + many.err);
        QVERIFY(cudal1({"report", "--scope", "task", "1/1", "-o", "r.md"}).status == 0);
        QFile report(m_folder->filePath("r.md"));
        QVERIFY(report.open(QIODevice::ReadOnly));
        const QByteArray text = report.readAll();
        QVERIFY2(text.contains("The reference is best") && text.contains("Fastest variant") &&
                     !text.contains("Best variant:"),
                 text);
    }

    void optimizeHandsOverWhatIsFaster()
    {
        playOptimize(R"("estimate": 3.86, "low": 3.83, "high": 3.89)");
        const QString file = m_folder->filePath("best.py");
        const Ran ran = cudal1(onSuite({"optimize", "1/1", "--rounds", "1", "-o", file}));
        QVERIFY2(ran.status == 0 && ran.out.contains("Best: variant ") && !ran.out.contains("The reference is best"),
                 ran.out + ran.err);
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly) && written.readAll().contains("class ModelNew"));
        QVERIFY(cudal1({"variants", "1/1", "--json"}).parsed()["best"].is_number());
        for (const QStringList& wrong :
             {QStringList{"optimize", "--all", "-o", "x.py"}, {"optimize", "1/1", "-o", "-"}})
            QVERIFY(cudal1(onSuite(wrong)).status == 2);
    }

    void optimizeSeveralTasks()
    {
        play(data + "/optimize.jsonl");
        const QStringList command = onSuite({"--device", "cpu,cpu", "optimize", "1/1", "--rounds", "1"});
        const Ran ran = cudal1(command);
        QVERIFY2(ran.status == 0, ran.err);
        QVERIFY2(ran.out.contains("1/1") && ran.out.contains("finished") && ran.out.contains("3.86×"), ran.out);
        QVERIFY2(ran.out.contains("preset quick, about 55 s\n"), ran.out); // what is usual: six of 5 s, and one of 25 s
        const Ran over = cudal1(command);
        QVERIFY2(over.out.contains("preset quick\n"), over.out); // nothing is to be done
        const Ran again = cudal1(command + QStringList{"--json"});
        QVERIFY2(again.status == 0, again.err);
        QVERIFY(again.parsed()["tasks"][0]["before"] == json(true));
        QVERIFY(again.parsed()["tasks"][0]["best"].is_number());
        for (const auto& [arguments, says] : std::vector<std::pair<QStringList, QByteArray>>{
                 {{"optimize"}, "--all or --level"},
                 {{"optimize", "1/1", "--all"}, "Only one of"},
                 {{"optimize", "--level", "x"}, "--level is"},
                 {{"optimize", "--split", "test"}, "--split is train or held-out"},
                 {{"optimize", "1/1", "--split", "train"}, "Only one of"},
                 {{"optimize", "--level", "2", "--split", "train"}, "No task fits"},
                 {{"--device", "cpu,tpu", "optimize", "1/1"}, "--device"}}) {
            const Ran wrong = cudal1(onSuite(arguments));
            QVERIFY2(wrong.status == 2 && wrong.err.contains(says), wrong.err);
        }
    }

    void killedRunIsResumed()
    {
        play(data + "/optimize.jsonl");
        const QStringList command = onSuite({"optimize", "1/1", "--rounds", "1"});
        QProcess process;
        begin(process, command);
        const auto judged = [this] {
            const auto rows = project()->variantRows();
            return std::count_if(rows->begin(), rows->end(),
                                 [](const auto& row) { return row.evaluation.has_value(); });
        };
        QTRY_VERIFY_WITH_TIMEOUT(asked("evaluate") > 1, deadline_ms); // all of the round are on their way
        QTRY_VERIFY_WITH_TIMEOUT(judged() > 0, deadline_ms);
        ::kill(pid_t(process.processId()), SIGKILL);
        QCOMPARE(end(process).status, -9);

        const auto before = int(judged()), planned = int(project()->variantRows()->size());
        QVERIFY(before < planned);
        QCOMPARE(asked("evaluate"), planned);
        const Ran again = cudal1(command);
        QVERIFY2(again.status == 0, again.err);
        QVERIFY2(again.out.contains("Resuming run 1"), again.out);
        QCOMPARE(asked("evaluate"), 2 * planned - before); // what was stored is not asked for twice
        const auto rows = project()->variantRows();
        QCOMPARE(int(rows->size()), planned);
        for (const auto& row : *rows)
            QVERIFY(row.evaluation.has_value());
        QVERIFY(project()->runs(store::RunState::Running)->empty());
    }

    void interruptStopsAndTheNextStartResumes()
    {
        play(data + "/optimize.jsonl");
        const QStringList command = onSuite({"optimize", "1/1", "--rounds", "1"});
        for (const auto& [signal, status] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143)}) {
            const int before = asked("evaluate");
            QProcess process;
            begin(process, command);
            QTRY_VERIFY_WITH_TIMEOUT(asked("evaluate") > before, deadline_ms);
            const auto pid = pid_t(process.processId());
            ::kill(pid, signal);
            QTest::qSleep(
                20); // timeout(1) sends it to the process, then to its group; nobody waits for its end meanwhile
            ::kill(pid, signal);
            const Ran stopped = end(process);
            QCOMPARE(stopped.status, status);
            QVERIFY2(stopped.err.contains("again to resume"), stopped.err);
        }
        QCOMPARE(project()->runs()->size(), std::size_t(1)); // the second start took up the first's run
        QVERIFY(project()->runs()->at(0).state == store::RunState::Stopped);
        const Ran again = cudal1(command);
        QCOMPARE(again.status, 0);
        QVERIFY(again.out.contains("was stopped"));
        QVERIFY(project()->queue({1})->empty());
        const Ran fresh = cudal1(command); // a finished run is not taken up; all is judged already
        QCOMPARE(fresh.status, 0);
        QVERIFY(!fresh.out.contains("Resuming"));
    }

    void secondInterruptQuitsAtOnce()
    {
        playLines(R"({"on":"describe","act":"hang","deaf":true})");
        QProcess process;
        begin(process, onSuite({"evaluate", "1/1", data + "/same.py"}));
        QTRY_COMPARE_WITH_TIMEOUT(asked("describe"), 1, deadline_ms);
        ::kill(pid_t(process.processId()), SIGINT);
        ::kill(pid_t(process.processId()), SIGTERM);
        const Ran ended = end(process);
        QVERIFY(ended.status == 130 || ended.status == 143); // both are pending at once: either may be handled first
        QVERIFY2(ended.err.isEmpty(), ended.err);            // an orderly stop would have said so
    }
};

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
