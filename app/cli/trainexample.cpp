// SPDX-License-Identifier: GPL-3.0-or-later
// The example: answers judged, a model made, three stages, a test of the policy between them.
#include "app/cli/trainexample.h"

#include "app/cli/context.h"
#include "app/cli/exampleprograms.h"
#include "app/cli/interrupt.h"
#include "app/cli/trainstage.h"
#include "app/cli/verbs.h"
#include "core/base/sha256.h"
#include "core/learning/exampledata.h"
#include "core/learning/judgedbatches.h"
#include "core/learning/stagerecord.h"
#include "core/learning/supervisedbatches.h"
#include "core/learning/trainingstart.h"
#include "core/optimize/samplefacts.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QThread>

#include <algorithm>

namespace cudal1::cli {

namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using learning::Stage;
using nlohmann::json;

constexpr int testReplies = 8; ///< to each task

/// What a test of the policy came to.
struct Tested {
    double success = 0, reward = 0, heldOutSuccess = 0, heldOutReward = 0;
    int hacks = 0;
};

Error stopped()
{
    return {ErrorCode::Cancelled, "The training was stopped", {}, "Run the same command again to go on"};
}

class Example {
public:
    Example(Context& context, Interrupt& interrupt, fs::path out, learning::ExampleData data, store::Project& project,
            crew::Crew& crew, protocol::Machine machine)
        : m_context(context), m_interrupt(interrupt), m_out(std::move(out)), m_data(std::move(data)),
          m_project(project), m_crew(crew), m_machine(std::move(machine))
    {
        for (const learning::ExampleTask& one : m_data.learnt)
            m_learnt.push_back(one.task);
        m_all = m_learnt;
        for (const learning::ExampleTask& one : m_data.heldOut)
            m_all.push_back(one.task);
        m_seed = context.settings().seed ? context.settings().seed : 1;
    }

    base::Status prepare();
    base::Result<json> run();

private:
    learning::StageOptions optionsOf(Stage stage, const std::string& model) const;
    learning::JudgeSettings judging(const std::string& policy, base::RunId run) const;
    void test(learning::TrainerClient& trainer, const std::string& checkpoint, std::function<void(base::Status)> then);
    base::Status testFirst();
    base::Result<std::string> stage(const learning::StageOptions& options, int& hacks);
    base::Result<int> hacksOf(base::RunId run) const;

    Context& m_context;
    Interrupt& m_interrupt;
    const fs::path m_out;
    const learning::ExampleData m_data;
    store::Project& m_project;
    crew::Crew& m_crew;
    const protocol::Machine m_machine;
    std::vector<store::TaskRecord> m_learnt, m_all;
    std::vector<learning::LearnedExample> m_examples;
    std::uint64_t m_seed = 1;
    Tested m_tested; ///< by the newest test
    std::unique_ptr<learning::ReplyJudge> m_testJudge;
    std::unique_ptr<learning::GroupSampler> m_sampler;
};

learning::StageOptions Example::optionsOf(Stage stage, const std::string& model) const
{
    learning::StageOptions out;
    out.stage = stage;
    out.model = model;
    out.out = (m_out / wordOf(stage)).string();
    out.seed = m_seed;
    out.numbers = "float32";
    out.threads = std::min(2, QThread::idealThreadCount());
    out.optimizer.weightDecay = 0.01;
    out.maxTokens = 200;
    out.ownExemplars = true;
    switch (stage) {
    case Stage::Supervised:
        out.steps = 200;
        out.batch = 8;
        out.optimizer.learningRate = 2e-3;
        out.optimizer.warmupSteps = 10;
        out.saveEvery = 40;
        break;
    case Stage::SelfSupervised:
        out.steps = 10;
        out.batch = 15;
        out.group = 4;
        out.optimizer.learningRate = 5e-4;
        out.saveEvery = 2;
        break;
    case Stage::Contrastive:
        out.steps = 12;
        out.batch = 15;
        out.group = 8;
        out.minibatches = 3;
        out.plainShare = 0.5; // since the tests show no exemplars
        out.optimizer.learningRate = 2e-4;
        out.saveEvery = 2;
        break;
    }
    return out;
}

learning::JudgeSettings Example::judging(const std::string& policy, base::RunId run) const
{
    learning::JudgeSettings out;
    out.device = m_machine.devices.front(); // the CPU
    out.limit_s = 300;
    out.seed = m_seed;
    out.policy = policy;
    out.run = run;
    return out;
}

base::Status Example::prepare()
{
    auto examples = exampleToLearn(m_context, m_interrupt, m_project, m_crew, m_machine, m_data, m_out / "model",
                                   m_seed);
    if (!examples)
        return examples.error();
    m_examples = std::move(*examples);
    m_context.terminal().print(std::to_string(m_examples.size()) + " examples of " +
                               std::to_string(m_data.learnt.size()) + " tasks");
    return {};
}

void Example::test(learning::TrainerClient& trainer, const std::string& checkpoint,
                   std::function<void(base::Status)> then)
{
    learning::JudgeSettings settings = judging("example test: " + fs::relative(checkpoint, m_out).string(), {});
    settings.policyVersion = checkpoint;
    settings.needsTimes = false; // judging again would take as long as the training
    m_testJudge = std::make_unique<learning::ReplyJudge>(m_project, m_crew, settings);
    m_sampler = std::make_unique<learning::GroupSampler>(m_project, *m_testJudge);
    const learning::StageOptions options = optionsOf(Stage::SelfSupervised, {});
    learning::JudgedBatches maker(options, m_all, {m_machine, m_data.templates}, m_project, *m_testJudge);
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < m_all.size(); ++i)
        all.push_back(i);
    auto questions = maker.questions(all, 0);
    if (!questions)
        return then(questions.error());
    learning::GroupSampler::Draw draw;
    draw.replies = testReplies;
    draw.maxTokens = options.maxTokens;
    draw.seed = 1000003 * m_seed;
    m_sampler->sample(trainer, std::move(*questions), draw,
                      [this, then = std::move(then)](base::Result<std::vector<learning::SampledGroup>> groups) {
                          if (!groups)
                              return then(groups.error());
                          const auto middle = groups->begin() + std::ptrdiff_t(m_learnt.size());
                          const auto learnt = learning::sumOf({groups->begin(), middle});
                          const auto heldOut = learning::sumOf({middle, groups->end()});
                          m_tested = {learnt.success(), learnt.reward, heldOut.success(), heldOut.reward,
                                      learnt.hacksAccepted + heldOut.hacksAccepted};
                          then({});
                      });
}

/// Of the model as it was made.
base::Status Example::testFirst()
{
    learning::TrainerClient trainer;
    QEventLoop loop;
    base::Status status;
    const auto end = [&](const base::Status& how) {
        status = how;
        loop.quit();
    };
    QObject::connect(
        &trainer, &learning::TrainerClient::failed, &loop, [&](const Error& error) { end(error); },
        Qt::QueuedConnection);
    QObject::connect(&m_interrupt, &Interrupt::requested, &loop, [&] { end(stopped()); });
    protocol::OpenTraining open = openOf(optionsOf(Stage::Supervised, (m_out / "model").string()));
    open.out.clear();
    open.saveEvery = 0;
    trainer.open(open, [&](const json&) { test(trainer, (m_out / "model").string(), end); });
    if (m_interrupt.caught())
        return stopped();
    loop.exec();
    if (m_sampler)
        m_sampler->cancel();
    return status;
}

base::Result<int> Example::hacksOf(base::RunId run) const
{
    const auto facts = optimize::sampleFacts(m_project, run);
    if (!facts)
        return facts.error();
    return int(std::count_if(facts->begin(), facts->end(), [](const optimize::SampleFacts& one) {
        return one.evaluation && one.evaluation->verdict == protocol::Verdict::Exploit &&
               one.sample.reward.value_or(0) > 0;
    }));
}

base::Result<std::string> Example::stage(const learning::StageOptions& options, int& hacks)
{
    const auto after = [this](learning::TrainerClient& trainer, const std::string& checkpoint,
                              std::function<void(base::Status)> then) { test(trainer, checkpoint, std::move(then)); };
    base::Result<std::string> checkpoint = Error{};
    if (options.stage == Stage::Supervised) {
        std::string text;
        for (const learning::LearnedExample& one : m_examples)
            text += one.prompt.back().content + one.reply;
        const std::string digest = base::sha256Hex(text);
        auto record = learning::readRecord(options, digest);
        if (!record)
            return record.error();
        record->tasks.clear();
        for (const store::TaskRecord& task : m_learnt)
            record->tasks.push_back(task.id);
        if (const auto status = learning::writeRecord(options, digest, *record); !status)
            return status.error();
        learning::SupervisedBatches maker(m_examples, options.batch, options.seed);
        checkpoint = runStage(m_context, m_interrupt, options, maker, after);
    } else {
        const auto run = learning::startJudged(m_project, options, m_learnt);
        if (!run)
            return run.error();
        learning::JudgeSettings settings = judging("example: " + std::string(wordOf(options.stage)), *run);
        settings.needsTimes = options.stage == Stage::Contrastive;
        learning::ReplyJudge judge(m_project, m_crew, settings);
        learning::JudgedBatches maker(options, m_learnt, {m_machine, m_data.templates}, m_project, judge);
        checkpoint = runStage(m_context, m_interrupt, options, maker, after);
        if (const auto status = learning::endJudged(m_project, *run, checkpoint); !status)
            return status.error();
        const auto accepted = hacksOf(*run);
        if (!accepted)
            return accepted.error();
        hacks = *accepted;
    }
    if (m_sampler)
        m_sampler->cancel();
    return checkpoint;
}

base::Result<json> Example::run()
{
    if (const auto status = testFirst(); !status)
        return status.error();
    json stages = json::array();
    std::string model = (m_out / "model").string();
    for (const Stage which : {Stage::Supervised, Stage::SelfSupervised, Stage::Contrastive}) {
        const Tested before = m_tested;
        int hacks = 0;
        const auto checkpoint = stage(optionsOf(which, model), hacks);
        if (!checkpoint)
            return checkpoint.error();
        model = *checkpoint;
        stages.push_back({{"stage", wordOf(which)},
                          {"success_before", before.success},
                          {"success_after", m_tested.success},
                          {"reward_before", before.reward},
                          {"reward_after", m_tested.reward},
                          {"held_out_success_before", before.heldOutSuccess},
                          {"held_out_success_after", m_tested.heldOutSuccess},
                          {"held_out_reward_before", before.heldOutReward},
                          {"held_out_reward_after", m_tested.heldOutReward},
                          {"hacks_accepted", hacks + m_tested.hacks},
                          {"checkpoint", model}});
        m_context.terminal().print(std::string(wordOf(which)) + ": " + std::to_string(before.success) + " -> " +
                                   std::to_string(m_tested.success) + " correct, reward " +
                                   std::to_string(before.reward) + " -> " + std::to_string(m_tested.reward));
    }
    return json{{"stages", std::move(stages)}};
}

} // namespace

int trainExample(Context& context, const QCommandLineParser& parser)
{
    const fs::path programs = QCoreApplication::applicationDirPath().toStdString();
    std::error_code failed;
    const fs::path out = fs::absolute(parser.isSet("out") ? parser.value("out").toStdString() : "train-example", failed)
                             .lexically_normal();
    fs::create_directories(out, failed);
    if (failed)
        return context.fail({ErrorCode::Unavailable, "The folder for the example cannot be made: " + failed.message(),
                             out.string(), "Choose another place with --out"});
    const auto folder = learning::exampleFolder(programs);
    if (!folder)
        return context.fail(folder.error());
    const auto prompts = language::Templates::bundled(programs);
    if (!prompts)
        return context.fail(prompts.error());
    auto data = learning::readExampleData(*folder, *prompts);
    if (!data)
        return context.fail(data.error());
    const auto project = store::Project::open(out / "example.cudal1");
    if (!project)
        return context.fail(project.error());
    Interrupt interrupt;
    Client client(interrupt);
    const auto machine = context.describe(client);
    if (interrupt.caught())
        return 128 + interrupt.caught();
    if (!machine)
        return context.fail(machine.error());
    Example example(context, interrupt, out, std::move(*data), **project, client.crew(), *machine);
    const base::Status ready = example.prepare();
    const base::Result<json> result = ready ? example.run() : base::Result<json>(ready.error());
    if (!result && result.error().code == ErrorCode::Cancelled) {
        context.terminal().complain("cudal1: stopped; run the same command again to go on.");
        return interrupt.caught() ? 128 + interrupt.caught() : CannotDoIt;
    }
    if (!result)
        return context.fail(result.error());
    if (context.settings().json)
        printLine(*result);
    return Done;
}

} // namespace cudal1::cli
