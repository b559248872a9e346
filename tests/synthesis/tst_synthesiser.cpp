// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks that are planted among composed ones, with a real evaluator: each is kept or left out for the right reason.
#include "core/synthesis/synthesiser.h"
#include "core/synthesis/synthesisfolder.h"
#include "core/tasks/suite.h"

#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using namespace cudal1::synthesis;

namespace {

constexpr int deadline_ms = 240'000;

std::string task(const std::string& forward, const std::string& input = "torch.randn(4, 64)",
                 const std::string& init = "pass")
{
    return "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n    def __init__(self):\n"
           "        super().__init__()\n        " +
           init + "\n\n    def forward(self, x):\n        return " + forward + "\n\n\ndef get_inputs():\n    return [" +
           input + "]\n\n\ndef get_init_inputs():\n    return []\n";
}

struct Planted {
    const char* name;
    std::string source;
    std::optional<LeftOut> why; ///< empty: it is kept
};

const std::string linear = "self.layer = nn.Linear(64, 48)";

/// In this order.
std::vector<Planted> planted()
{
    return {
        {"good", task("torch.tanh(self.layer(x)) * x[:, :48]", "torch.randn(4, 64)", linear), {}},
        {"softmax_of_one", task("torch.softmax(x.sum(dim=1, keepdim=True), dim=1)"), LeftOut::Degenerate},
        {"relu_of_less_than_zero", task("torch.relu(-x * x)"), LeftOut::Degenerate},
        {"itself", task("x.flip(0).flip(0)"), LeftOut::Degenerate},
        {"indifferent", task("torch.arange(64.0, device=x.device) * 0.5 + 0 * x"), LeftOut::Degenerate},
        {"raises", task("x.view(3, 3)"), LeftOut::DoesNotRun},
        {"no_task", "import torch\n", LeftOut::DoesNotRun},
        {"infinite", task("x / 0"), LeftOut::NotFinite},
        {"like_good", task("torch.tanh_(self.layer(x)) * x[:, :48]", "torch.randn(5, 64)", linear), LeftOut::Duplicate},
        // The held-out one below, with other names, at other sizes.
        {"copy", task("torch.exp(self.gate(x)).cumsum(1)", "torch.randn(8, 32)", "self.gate = nn.Linear(32, 100)"),
         LeftOut::HeldOutGraph},
        {"long_copy", task("torch.exp(x).sin().cos().erf().abs() - 1"), LeftOut::HeldOutOperators},
        {"idle_end", task("torch.relu(torch.sigmoid(x))"), LeftOut::Degenerate},
        // A product copies its bias first: that is no operator of the task, and what lies in its memory no result.
        {"plain_linear", task("self.layer(x)", "torch.randn(4, 64)", linear), {}},
        {"good_too", task("torch.sigmoid(x).cumsum(1)"), {}},
    };
}

} // namespace

class TestSynthesiser : public QObject {
    Q_OBJECT

    std::unique_ptr<crew::Crew> m_crew;

    SynthesisOptions options() const
    {
        SynthesisOptions out;
        out.count = 3;
        out.heldOut = {
            {"1/7", task("torch.exp(self.a(x)).cumsum(1)", "torch.randn(16, 64)", "self.a = nn.Linear(64, 24)")},
            {"2/9", task("torch.tanh(x).exp().sin().cos().erf()")}};
        out.make = [all = planted()](std::uint64_t number) {
            const std::size_t place = number % all.size();
            return Composition{all[place].name, all[place].source};
        };
        return out;
    }
    bool run(Synthesiser& synthesiser, const SynthesisOptions& wanted)
    {
        QSignalSpy finished(&synthesiser, &Synthesiser::finished);
        synthesiser.start(wanted);
        if (finished.isEmpty() && !finished.wait(deadline_ms))
            qFatal("the synthesiser did not end");
        return finished[0][0].toBool();
    }

private slots:
    void init()
    {
        m_crew = std::make_unique<crew::Crew>();
        m_crew->add(farm::Launcher{QString(EVALUATOR)});
    }

    void whatIsPlantedIsLeftOut()
    {
        Synthesiser synthesiser(*m_crew, {});
        QVERIFY2(run(synthesiser, options()), synthesiser.error().text().c_str());
        const SynthesisResult& result = synthesiser.result();
        const auto all = planted();
        QCOMPARE(result.composed, std::uint64_t(all.size())); // the last of them is the third that is kept
        std::map<std::string, std::string> found;
        for (const LeftOutTask& one : result.examples)
            found[one.name] = std::string(toString(one.why)) + ": " + one.evidence;
        for (const KeptTask& one : result.kept)
            found[one.task.name] = "kept";
        for (const Planted& one : all) {
            const std::string wanted = one.why ? std::string(toString(*one.why)) : "kept";
            QVERIFY2(found[one.name].starts_with(wanted), (one.name + (" is " + found[one.name])).c_str());
        }
        QVERIFY(found["softmax_of_one"].find("the mean of the result") != std::string::npos);
        QVERIFY(found["relu_of_less_than_zero"].find("zeros") != std::string::npos);
        QVERIFY(found["itself"].find("a copy of an input") != std::string::npos);
        QVERIFY(found["indifferent"].find("the result of other inputs") != std::string::npos);
        QVERIFY(found["idle_end"].find("last operator left out") != std::string::npos);
        QVERIFY(found["like_good"].ends_with("as good"));
        QVERIFY(found["copy"].ends_with("as 1/7"));
        QVERIFY(found["long_copy"].find("exp, sin, cos, erf, as in 2/9") != std::string::npos);
        QVERIFY(found["no_task"].find("Model") != std::string::npos);
        QVERIFY(result.kept[0].call_ns > 0 && result.kept[0].operators >= 3);

        QTemporaryDir folder;
        const std::filesystem::path to = folder.filePath("made").toStdString();
        QVERIFY(writeFolder(to, result, {1, 3, "cudal1", "2", "suite", 2, 2}).ok());
        QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList{"made"});
        const auto suite = tasks::readSuite(to);
        QVERIFY(suite.ok() && suite->tasks.size() == 3 && suite->problems.empty());
        QVERIFY(suite->kind == tasks::Suite::Kind::Folder);
        QCOMPARE(suite->tasks[2].path.filename().string(), std::string("00003_good_too.py"));
        const auto again = writeFolder(to, result, {});
        QVERIFY(!again.ok() && again.error().code == base::ErrorCode::InvalidArgument);
    }

    void itGivesUpWhereNothingIsNew()
    {
        SynthesisOptions wanted = options();
        wanted.count = 4; // there are three
        wanted.mostComposed = 64;
        Synthesiser synthesiser(*m_crew, {});
        QVERIFY(!run(synthesiser, wanted));
        QVERIFY(synthesiser.error().code == base::ErrorCode::LimitReached);
    }

    void aHeldOutTaskThatDoesNotRunIsSaid()
    {
        SynthesisOptions wanted = options();
        wanted.heldOut.push_back({"3/1", task("x.view(3, 3)")});
        Synthesiser synthesiser(*m_crew, {});
        QVERIFY(!run(synthesiser, wanted));
        QVERIFY(synthesiser.error().message.find("3/1") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestSynthesiser)
#include "tst_synthesiser.moc"
