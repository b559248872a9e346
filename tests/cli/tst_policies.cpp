// SPDX-License-Identifier: GPL-3.0-or-later
// Policies on the command line: which can be named, prompts without sending them, and samples as the project has them.
#include "tests/cli/programfolder.h"

#include <QDir>
#include <QTest>

using namespace cudal1;
using nlohmann::json;

using tests::data;
using tests::Ran;

class TestPolicies : public QObject, private tests::ProgramFolder {
    Q_OBJECT
private:
    Ran prompt(const QStringList& more) const { return cudal1(onSuite({"prompt", "1/1"}) + more); }

    /// A project with one conversation: a wrong reply, its repair, a reply without a program, one that waits.
    void fill() const
    {
        const auto made = project();
        QVERIFY(made->putTask({{"1/1"}, "Chain", "suite", 1, "class Model: pass", "h"}).ok());
        store::RunRecord run;
        run.kind = "optimize";
        run.task = {"1/1"};
        const auto id = *made->startRun(run);
        const auto variant = [&](const char* source, protocol::Verdict verdict, double speedup) {
            store::VariantRecord record;
            record.task = {"1/1"};
            record.source = source;
            const auto out = *made->addVariant(record);
            protocol::Evaluation evaluation;
            evaluation.verdict = verdict;
            evaluation.device.model = "Replay CPU";
            if (verdict == protocol::Verdict::Correct)
                evaluation.speedup.wall.speedup = {speedup, speedup - 0.01, speedup + 0.01};
            else
                evaluation.reasons = {{"wrong_values", "Off by 3.5", {}}};
            if (speedup >= 0 && !made->addEvaluation(out, evaluation))
                qFatal("the store does not work");
            return out;
        };
        store::Sample sample;
        sample.run = id;
        sample.task = {"1/1"};
        sample.policy = "endpoint: qwen3";
        sample.method = "contrastive";
        sample.settings = R"({"temperature":0.5})";
        sample.prompt = "<|user|>\nmake it faster\n";
        sample.promptTokens = 100;
        sample.replyTokens = 40;
        sample.cost = 0.5;
        sample.costUnit = "USD";
        sample.reply = "first reply";
        sample.variant = variant("a = 1", protocol::Verdict::Incorrect, 0);
        store::Sample none = sample, late = sample;
        none.variant = {};
        none.unusable = "It has no block of code.";
        late.variant = variant("b = 1", protocol::Verdict::Correct, -1);
        late.reply.clear();
        const auto first = *made->addSamples({sample, none, late});
        store::Sample mended = sample;
        mended.variant = variant("c = 1", protocol::Verdict::Correct, 2.119);
        mended.prompt = "<|user|>\nmend it\n";
        mended.turn = 1;
        mended.parent = first[0];
        mended.repair = true;
        mended.shown = {sample.variant};
        QVERIFY(made->addSamples({mended}).ok());
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        playLines(
            R"({"on":"graph","reply":{"output_kind":"tensor","total_ns":45000,"nodes":[{"id":0,"op":"aten.relu.default","time_ns":30000}]}})"
            "\n");
        qputenv("XDG_CONFIG_HOME", m_folder->filePath("config").toUtf8());
    }

    void whatCannotBeAskedIsSaid_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const QStringList& options, int status, const char* says) {
            QTest::newRow(name) << options << status << QByteArray(says);
        };
        row("no such policy", {"--policy", "magic"}, 2, "no policy \"magic\"");
        row("no name", {"--policy", "endpoint:"}, 2, "no policy \"endpoint:\"");
        row("nothing", {"--policy", ""}, 2, "no policy \"\"");
        row("twice", {"--policy", "library,library"}, 2, "named twice");
        row("an agent that is not there", {"--policy", "agent:mine"}, 2, "no model mine");
        row("no such method", {"--policy", "endpoint:m", "--method", "chain"}, 2, "no method \"chain\"");
        row("samples", {"--policy", "endpoint:m", "--samples", "0"}, 2, "from 1 to 1024, not 0");
        row("samples as text", {"--policy", "endpoint:m", "--samples", "many"}, 2, "--samples is a whole number");
        row("turns", {"--policy", "endpoint:m", "--method", "multi-turn", "--turns", "0"}, 2, "turns");
        row("turns of another method", {"--policy", "endpoint:m", "--turns", "2"}, 2, "--method multi-turn");
        row("sampler", {"--policy", "endpoint:m", "--method", "evolve", "--sampler", "luck"}, 2, "\"luck\"");
        row("sampler for nothing", {"--policy", "endpoint:m", "--sampler", "best"}, 2, "shows no exemplars");
        row("parts", {"--policy", "endpoint:m", "--without", "costs,price"}, 2, "no part \"price\"");
        row("a method for the library", {"--samples", "8"}, 2, "--samples is for a language model");
        row("no repair of the library", {"--no-repair"}, 2, "--no-repair is for a language model");
    }
    void whatCannotBeAskedIsSaid()
    {
        QFETCH(QStringList, options);
        QFETCH(int, status);
        QFETCH(QByteArray, says);
        for (const QStringList& verb : {QStringList{"optimize", "1/1"}, {"optimize", "--all"}}) {
            const Ran ran = cudal1(onSuite(verb + options));
            QVERIFY2(ran.status == status && ran.err.startsWith("cudal1: ") && ran.err.contains(says), ran.err);
            QVERIFY(ran.out.isEmpty() && asked("describe") == 0);
        }
        QVERIFY(!QFile::exists(projectFile()));
    }

    void aModelThatIsNotThereIsSaid()
    {
        // Before an evaluator is started, whatever else is asked.
        for (const char* names : {"endpoint:nobody-has-this", "library,endpoint:nobody-has-this"})
            for (const QStringList& verb : {QStringList{"optimize", "1/1"}, {"optimize", "--all"}}) {
                const Ran ran = cudal1(onSuite(verb + QStringList{"--policy", names}));
                QVERIFY2((ran.status == 2 || ran.status == 3) && ran.err.contains("nobody-has-this"), ran.err);
                QCOMPARE(asked("describe"), 0);
            }
    }

    void aPromptIsPrintedAndNothingKept()
    {
        const Ran ran = prompt({"--seed", "5"});
        QVERIFY2(ran.status == 0, ran.err);
        QVERIFY(ran.out.startsWith("<|system|>\n") && ran.out.contains("\n<|user|>\n# Task"));
        QVERIFY(ran.out.contains("class Model(nn.Module)") || ran.out.contains("class Model("));
        QVERIFY(ran.out.contains("aten.relu.default: 30.0 \xc2\xb5s") && ran.out.contains("## Code Implementation"));
        QVERIFY2(ran.err.contains("About ") && ran.err.contains(" tokens; 4 replies asked for; seed 5."), ran.err);
        QVERIFY(!QFile::exists(projectFile()));
        const Ran less = prompt({"--without", "operators,reference"});
        QVERIFY(!less.out.contains("aten.relu") && !less.out.contains("class Model(") &&
                less.out.contains("## Code Implementation"));
    }

    void aPromptAsJson()
    {
        const Ran ran = prompt({"--json", "--method", "contrastive", "--samples", "2", "--seed", "5"});
        QVERIFY2(ran.status == 0, ran.err);
        const json j = ran.parsed();
        QVERIFY(j["messages"].size() == 2 && j["messages"][0]["role"] == "system");
        QVERIFY(j["replies"] == 2 && j["seed"] == 5 && j["settings"]["method"] == "contrastive");
        QVERIFY(j["parts"]["reference"].get<int>() > 20 && j["parts"]["exemplars"] == 0);
        int sum = 0;
        for (const auto& [part, tokens] : j["parts"].items())
            sum += tokens.get<int>();
        const int all = j["tokens"].get<int>();
        QVERIFY2(sum > all / 2 && sum < all, qPrintable(QString("%1 of %2").arg(sum).arg(all)));
    }

    void exemplarsComeFromTheProject()
    {
        {
            const Ran tasks = cudal1(onSuite({"optimize", "1/1", "--rounds", "1"})); // makes the project and the task
            Q_UNUSED(tasks)
        }
        const auto made = project();
        const auto task = *made->task({"1/1"});
        for (const double speedup : {1.2, 2.5}) {
            store::VariantRecord variant;
            variant.task = task.id;
            variant.taskHash = task.hash;
            variant.source = "EXEMPLAR = " + std::to_string(speedup);
            protocol::Evaluation evaluation;
            evaluation.verdict = protocol::Verdict::Correct;
            evaluation.device.model = "Replay CPU";
            evaluation.speedup.wall.speedup = {speedup, speedup - 0.01, speedup + 0.01};
            QVERIFY(made->addEvaluation(*made->addVariant(variant), evaluation).ok());
        }
        const Ran ran = prompt({"--method", "contrastive", "--seed", "3"});
        QVERIFY2(ran.out.contains("EXEMPLAR = 1.2") && ran.out.contains("EXEMPLAR = 2.5") &&
                     ran.out.contains("score 2.50"),
                 ran.out + ran.err);
        QVERIFY(ran.err.contains("Exemplars: variant "));
        QVERIFY(!prompt({"--seed", "3"}).out.contains("EXEMPLAR")); // vanilla
        QCOMPARE(prompt({"--method", "contrastive", "--seed", "3"}).out, ran.out);
    }

    void theUsersTemplatesAreRead()
    {
        const QString folder = m_folder->filePath("config/cudal1-workbench/prompts");
        QVERIFY(QDir().mkpath(folder));
        const auto write = [&](const QByteArray& text) {
            QFile file(folder + "/toggles.md");
            return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
        };
        QVERIFY(write("Never mind switches.\n"));
        const Ran ran = prompt({});
        QVERIFY2(ran.out.contains("Never mind switches.") && !ran.out.contains("USE_FUSED_KERNEL"), ran.err);
        QVERIFY(ran.err.contains("Templates of your own: 1"));
        QVERIFY(write("x\n{{switches}}\n"));
        const Ran wrong = prompt({});
        QCOMPARE(wrong.status, 2);
        QVERIFY2(wrong.err.contains("{{switches}}") && wrong.err.contains("toggles.md:2"), wrong.err);
    }

    void samplesAsJson()
    {
        fill();
        const Ran ran = cudal1({"samples", "1/1", "--json"});
        QVERIFY2(ran.status == 0, ran.err);
        const json list = ran.parsed()["samples"];
        QCOMPARE(list.size(), std::size_t(4));
        for (const json& one : list) {
            for (const char* field : {"sample", "task", "policy", "method", "group", "prompt_tokens",
                                      "completion_tokens", "cost", "verdict", "reward", "variant"})
                QVERIFY2(one.contains(field), field);
            QVERIFY(one["task"] == "1/1" && one["policy"] == "endpoint: qwen3" && one["method"] == "contrastive" &&
                    one["prompt_tokens"] == 100 && one["completion_tokens"] == 40 && one["cost"] == 0.5);
        }
        QVERIFY(list[0]["verdict"] == "incorrect" && list[0]["reward"] == 0.0 && list[0]["variant"] == 1);
        QVERIFY(list[1]["verdict"] == "unusable" && list[1]["reward"] == 0.0 && list[1]["variant"].is_null());
        QVERIFY(list[2]["verdict"].is_null() && list[2]["reward"].is_null() && list[2]["variant"] == 2);
        QVERIFY(list[3]["verdict"] == "correct" && list[3]["reward"] == 2.11 && list[3]["group"] == 2 &&
                list[3]["repair"] == true && list[3]["parent"] == list[0]["sample"] && list[3]["exemplars"] == json{1});
        QCOMPARE(cudal1({"samples", "--json"}).parsed()["samples"].size(), std::size_t(4));
    }

    void samplesAsATable()
    {
        fill();
        const Ran ran = cudal1({"samples"});
        QCOMPARE(ran.status, 0);
        for (const char* text : {"endpoint: qwen3", "contrastive", "no program", "incorrect", "2.11", "repair of 1",
                                 "4 samples, of them 1 repair (1 correct), 400 tokens asked, 160 answered, 2 USD."})
            QVERIFY2(ran.out.contains(text), ran.out);
        // The words of a reply, and those of a prompt that three replies share.
        QCOMPARE(cudal1({"samples", "--find", "B = 1", "--json"}).parsed()["samples"].size(), std::size_t(1));
        QCOMPARE(cudal1({"samples", "--find", "make it", "--json"}).parsed()["samples"].size(), std::size_t(3));
        QVERIFY(cudal1({"samples", "--find", "nowhere"}).out.contains("has \"nowhere\""));
        const Ran shown = cudal1({"samples", "show", "1"});
        QVERIFY2(shown.out.contains("make it faster") && shown.out.contains("first reply") &&
                     shown.out.contains("\"temperature\":0.5"),
                 shown.out);
        QVERIFY(cudal1({"samples", "show", "2"}).out.contains("It has no block of code."));
        QVERIFY(cudal1({"samples", "show", "3"}).out.contains("b = 1")); // the variant has all of it
        const json j = cudal1({"samples", "show", "1", "--json"}).parsed();
        QVERIFY(j["prompt"] == "<|user|>\nmake it faster\n" && j["reply"] == "first reply" &&
                j["settings"]["temperature"] == 0.5);
    }

    void anExperimentIsMadeOnce()
    {
        play(data + "/optimize.jsonl");
        const auto write = [&](const QByteArray& text) {
            QFile file(m_folder->filePath("experiment.json"));
            if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
                qFatal("cannot write the experiment");
        };
        write(R"({"policies":["library"],"tasks":["1/1"],"seeds":[1,2]})");
        const QStringList command = onSuite({"experiment", "experiment.json", "--json"});
        const Ran first = cudal1(command);
        QVERIFY2(first.status == 0, first.err);
        const json made = first.parsed();
        QVERIFY(made["planned"] == 2 && made["done"] == 2 && made["runs"].size() == 2 && made["rows"].size() == 1);
        const json row = made["rows"][0];
        QVERIFY(row["policy"] == "library" && row["method"].is_null() && row["success"] == 2 &&
                row["above_1_01"] == 2 && row["mean"] == 3.86 && row["p25"] == 3.86 && row["samples"].get<int>() >= 4);
        QVERIFY(made["runs"][0]["run"] != made["runs"][1]["run"] && made["runs"][1]["score"] == 3.86);
        const int judged = asked("evaluate");
        const Ran again = cudal1(command);
        QVERIFY(again.parsed()["rows"] == made["rows"] && again.parsed()["runs"] == made["runs"]);
        QCOMPARE(asked("evaluate"), judged);
        const Ran shown = cudal1(onSuite({"experiment", "experiment.json", "--show"}));
        QVERIFY2(shown.status == 0 && shown.out.contains("2 of them done before") && shown.out.contains("2/2"),
                 shown.out);

        for (const auto& [text, says] : {std::pair<QByteArray, QByteArray>{"[]", "JSON object"},
                                         {R"({"policies":["magic"],"tasks":["1/1"]})", "no policy \"magic\""},
                                         {R"({"policies":["library"],"tasks":["9/9"]})", "9/9"},
                                         {R"({"policies":["library"],"split":"test"})", "\"test\""},
                                         {R"({"policies":["library,endpoint:m"],"tasks":["1/1"]})", "one alone"}}) {
            write(text);
            const Ran ran = cudal1(command);
            QVERIFY2(ran.status == 2 && ran.err.contains(says), ran.err);
        }
        QCOMPARE(cudal1(onSuite({"experiment", "none.json"})).status, 2);
    }

    void samplesThatAreNotThere()
    {
        QCOMPARE(cudal1({"samples"}).status, 2); // no project
        (void)project();
        QVERIFY(cudal1({"samples"}).out.contains("no samples"));
        QVERIFY(cudal1({"samples", "--json"}).parsed()["samples"].empty());
        const Ran none = cudal1({"samples", "show", "7"});
        QVERIFY2(none.status == 2 && none.err.contains("no sample 7"), none.err);
        QVERIFY(cudal1({"samples", "show", "first"}).err.contains("not \"first\""));
    }
};

QTEST_GUILESS_MAIN(TestPolicies)
#include "tst_policies.moc"
