// SPDX-License-Identifier: GPL-3.0-or-later
// Judges the example's programs and makes examples of them.
#include "app/cli/exampleprograms.h"

#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "core/language/promptbuilder.h"
#include "core/learning/examplemodel.h"
#include "core/learning/replyjudge.h"
#include "core/learning/stageoptions.h"

#include <QEventLoop>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;

class ExamplePrograms {
public:
    ExamplePrograms(Context& context, Interrupt& interrupt, store::Project& project, crew::Crew& crew,
                    const protocol::Machine& machine, const learning::ExampleData& data, std::uint64_t seed)
        : m_context(context), m_interrupt(interrupt), m_project(project), m_crew(crew), m_machine(machine),
          m_data(data), m_seed(seed)
    {
    }

    base::Status judgePrograms();
    std::vector<learning::LearnedExample> examples();

private:
    void addExamples(const learning::ExampleTask& one, bool answerGood, bool copyGood);

    Context& m_context;
    Interrupt& m_interrupt;
    store::Project& m_project;
    crew::Crew& m_crew;
    const protocol::Machine& m_machine;
    const learning::ExampleData& m_data;
    const std::uint64_t m_seed;
    std::vector<bool> m_answersGood, m_copiesGood;
    std::vector<learning::LearnedExample> m_examples;
};

/// Both programs of each task, by the judge: nothing is learnt from one that is not correct.
base::Status ExamplePrograms::judgePrograms()
{
    m_answersGood.resize(m_data.learnt.size());
    m_copiesGood.resize(m_data.learnt.size());
    learning::JudgeSettings settings;
    settings.device = m_machine.devices.front(); // the CPU
    settings.limit_s = 300;
    settings.seed = m_seed;
    settings.policy = "example programs";
    settings.certain = settings.leap = 1e9; // no reward is made of them
    settings.needsTimes = false;
    learning::ReplyJudge judge(m_project, m_crew, settings);
    QEventLoop loop;
    base::Status status;
    std::size_t left = 2 * m_data.learnt.size();
    const auto stop = [&](const Error& error) {
        status = error;
        loop.quit();
    };
    QObject::connect(&judge, &learning::ReplyJudge::failed, &loop, stop, Qt::QueuedConnection);
    QObject::connect(&m_interrupt, &Interrupt::requested, &loop, [&] {
        stop({ErrorCode::Cancelled, "Stopped", {}, "Run the same command again to go on"});
    });
    const auto take = [&](std::vector<bool>& good, std::size_t at) {
        return [&, at](const learning::JudgedReply& judged) {
            good[at] = judged.correct();
            m_context.terminal().live("Judging the example's programs, " + std::to_string(left) + " left");
            if (--left == 0)
                QMetaObject::invokeMethod(&loop, &QEventLoop::quit, Qt::QueuedConnection);
        };
    };
    for (std::size_t i = 0; i < m_data.learnt.size(); ++i) {
        const learning::ExampleTask& one = m_data.learnt[i];
        judge.judge(one.task, learning::exampleReply(one.answer), false, take(m_answersGood, i));
        judge.judge(one.task, learning::exampleReply(one.copy), false, take(m_copiesGood, i));
    }
    if (m_interrupt.caught())
        return Error{ErrorCode::Cancelled, "Stopped", {}, "Run the same command again to go on"};
    loop.exec();
    m_context.terminal().clearLive();
    return status;
}

/// Asked without exemplars, either program is an answer; where one of them or both are shown, the faster one is.
void ExamplePrograms::addExamples(const learning::ExampleTask& one, bool answerGood, bool copyGood)
{
    const auto questionWith = [&](const std::vector<policy::Exemplar>& exemplars) {
        learning::StageOptions options;
        options.stage = learning::Stage::Contrastive;
        options.exemplars = exemplars.empty() ? "none" : "bucket";
        const language::PromptBuilder builder(askMethodOf(options), m_data.templates);
        policy::Prompt prompt;
        prompt.task = {one.task.id.value, one.task.source};
        prompt.taskName = one.task.name;
        prompt.device = m_machine.devices.front();
        prompt.exemplars = exemplars;
        return builder.questions(prompt, {}).front().request.messages;
    };
    const auto shown = [](const std::string& source, double speed, std::int64_t variant) {
        policy::Exemplar out;
        out.source = source;
        out.verdict = protocol::Verdict::Correct;
        out.wall = {speed, speed, speed};
        out.variant = {variant};
        return out;
    };
    if (copyGood)
        m_examples.push_back({one.task, questionWith({}), learning::exampleReply(one.copy)});
    if (answerGood)
        m_examples.push_back({one.task, questionWith({}), learning::exampleReply(one.answer)});
    if (!answerGood || !copyGood)
        return;
    const policy::Exemplar slow = shown(one.copy, 1, 1), fast = shown(one.answer, 4, 2);
    for (const std::vector<policy::Exemplar>& some : {std::vector{fast, slow}, std::vector{slow}, std::vector{fast}})
        m_examples.push_back({one.task, questionWith(some), learning::exampleReply(one.answer)});
}

std::vector<learning::LearnedExample> ExamplePrograms::examples()
{
    for (std::size_t i = 0; i < m_data.learnt.size(); ++i)
        addExamples(m_data.learnt[i], m_answersGood[i], m_copiesGood[i]);
    return std::move(m_examples);
}

} // namespace

base::Result<std::vector<learning::LearnedExample>>
exampleToLearn(Context& context, Interrupt& interrupt, store::Project& project, crew::Crew& crew,
               const protocol::Machine& machine, const learning::ExampleData& data, const std::filesystem::path& folder,
               std::uint64_t seed)
{
    std::vector<std::string> texts;
    for (const auto* some : {&data.learnt, &data.heldOut})
        for (const learning::ExampleTask& one : *some)
            if (const auto status = project.putTask(one.task); !status)
                return status.error();
    for (const learning::ExampleTask& one : data.learnt)
        texts.insert(texts.end(), {one.task.source, one.answer});
    ExamplePrograms programs(context, interrupt, project, crew, machine, data, seed);
    if (const auto status = programs.judgePrograms(); !status)
        return status.error();
    auto out = programs.examples();
    if (out.empty())
        return Error{ErrorCode::Unavailable,
                     "The judge found none of the example's programs correct",
                     {},
                     "`cudal1 doctor` says what this machine lacks"};
    if (const auto made = learning::makeExampleModel(folder, texts, seed); !made)
        return made.error();
    return out;
}

} // namespace cudal1::cli
