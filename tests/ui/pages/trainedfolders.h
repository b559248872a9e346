// SPDX-License-Identifier: GPL-3.0-or-later
// Trainings for tests of the page: the library's own loop, judge and sampler make them, against a scripted trainer and
// a recorded evaluator.
#pragma once

#include "core/base/sha256.h"
#include "core/language/templatefolders.h"
#include "core/learning/judgedbatches.h"
#include "core/learning/stagerun.h"
#include "core/learning/supervisedbatches.h"
#include "core/learning/trainingstart.h"

#include <QDir>
#include <QEventLoop>
#include <QFile>
#include <QTimer>

#include <functional>
#include <memory>

namespace cudal1::tests {

inline bool writeFile(const QString& path, const QByteArray& text)
{
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

/// A reply with a program that the recorded evaluator knows by a word.
inline std::string replyWith(const std::string& word)
{
    return "```python\nimport torch\n\n\nclass ModelNew(torch.nn.Module):\n"
           "    def forward(self, A, B):\n        return " +
           word + "\n```";
}

class TrainedFolders {
public:
    /// `python`: the interpreter that runs the scripted trainer.
    TrainedFolders(QString folder, QString python) : m_folder(std::move(folder)), m_python(std::move(python))
    {
        writeFile(path("model/config.json"),
                  R"({"model_type":"llama","num_hidden_layers":2,"hidden_size":64,"intermediate_size":128,
                      "num_attention_heads":4,"num_key_value_heads":2,"vocab_size":500,"tie_word_embeddings":true})");
        QByteArray examples;
        for (int i = 0; i < 5; ++i)
            examples += R"({"task":"file)" + QByteArray::number(i % 3) +
                        R"(","level":0,"prompt":[{"role":"user","content":"P"}],"reply":"R"})"
                        "\n";
        writeFile(path("data.jsonl"), examples);
        writeFile(
            path("evaluator.jsonl"),
            R"({"on":"evaluate","candidate_contains":"fast","reply":{"verdict":"correct","speedup":{"wall":{"estimate":2,"low":2,"high":2,"reference_ns":1e6,"candidate_ns":5e5}}}})"
            "\n"
            R"({"on":"evaluate","candidate_contains":"even","reply":{"verdict":"correct","speedup":{"wall":{"estimate":1,"low":1,"high":1,"reference_ns":1e6,"candidate_ns":1e6}}}})"
            "\n"
            R"({"on":"evaluate","candidate_contains":"cheat","reply":{"verdict":"exploit","reasons":[{"code":"cached","text":"It keeps its result","evidence":""}]}})"
            "\n");
    }

    QString path(const QString& name) const { return QDir(m_folder).filePath(name); }

    learning::StageOptions options(learning::Stage stage, int steps) const
    {
        learning::StageOptions out;
        out.stage = stage;
        out.model = path("model").toStdString();
        out.out = path("runs/" + QString::fromUtf8(learning::wordOf(stage).data())).toStdString();
        out.steps = steps;
        out.batch = 2;
        out.saveEvery = 2;
        return out;
    }

    /// `seen` is called after each step, with the run.
    base::Error supervised(int steps, const std::function<void(learning::StageRun&)>& seen = {}) const
    {
        const learning::StageOptions asked = options(learning::Stage::Supervised, steps);
        auto data = learning::startSupervised(asked, path("data.jsonl").toStdString(), {});
        if (!data)
            return data.error();
        learning::SupervisedBatches maker(std::move(data->examples), asked.batch, asked.seed);
        return run(asked, maker, {}, seen);
    }

    /// A prompt a step, answered by a fast program, an even one, a cheat and words without a program.
    base::Error contrastive(store::Project& project, const store::TaskRecord& task, int steps) const
    {
        learning::StageOptions asked = options(learning::Stage::Contrastive, steps);
        asked.batch = 1;
        asked.group = 4;
        const auto id = learning::startJudged(project, asked, {task});
        if (!id)
            return id.error();
        crew::Crew crew;
        crew.add(evaluator());
        learning::JudgeSettings judging;
        judging.device.name = "cpu";
        judging.device.model = "scripted";
        judging.policy = "training: contrastive";
        judging.run = *id;
        learning::ReplyJudge judge(project, crew, judging);
        const auto templates = language::readTemplates();
        if (!templates)
            return templates.error();
        learning::JudgedBatches maker(asked, {task}, {protocol::Machine(), *templates}, project, judge);
        return run(asked, maker, {replyWith("fast"), replyWith("even"), replyWith("cheat"), "I cannot."});
    }

    farm::Launcher evaluator() const
    {
        return farm::Launcher::fromText(QStringLiteral("\"%1/tests/replay_evaluator\" \"%2\"")
                                            .arg(QStringLiteral(CUDAL1_BINARY_DIR), path("evaluator.jsonl")));
    }

private:
    base::Error run(const learning::StageOptions& asked, learning::BatchMaker& maker,
                    const std::vector<std::string>& replies,
                    const std::function<void(learning::StageRun&)>& seen = {}) const
    {
        writeFile(path("script.json"), QByteArray::fromStdString(nlohmann::json{{"replies", replies}}.dump()));
        learning::StageRun run(
            asked, maker,
            farm::Launcher::fromText(QStringLiteral("\"%1\" -B \"%2\" \"%3\"")
                                         .arg(m_python,
                                              QStringLiteral(CUDAL1_SOURCE_DIR "/tests/learning/scripted_trainer.py"),
                                              path("script.json"))));
        QEventLoop loop;
        base::Error out{base::ErrorCode::Internal, "The training did not end in time", {}, {}};
        QTimer::singleShot(60'000, &loop, &QEventLoop::quit);
        QObject::connect(
            &run, &learning::StageRun::finished, &loop,
            [&](const base::Error& error) {
                out = error;
                loop.quit();
            },
            Qt::QueuedConnection);
        if (seen)
            QObject::connect(&run, &learning::StageRun::stepped, &loop, [&] { seen(run); });
        run.start();
        loop.exec();
        return out;
    }

    QString m_folder, m_python;
};

} // namespace cudal1::tests
