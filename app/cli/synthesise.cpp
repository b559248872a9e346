// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 tasks synthesise`: makes tasks to learn from.
#include "app/cli/context.h"
#include "app/cli/inspectionkey.h"
#include "app/cli/interrupt.h"
#include "app/cli/numberoptions.h"
#include "app/cli/texttable.h"
#include "app/cli/verbs.h"
#include "core/base/sha256.h"
#include "core/base/timetext.h"
#include "core/synthesis/synthesiser.h"
#include "core/synthesis/synthesisfolder.h"
#include "core/tasks/factsfile.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QThread>

#include <algorithm>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;
using synthesis::LeftOut;

struct SynthesisAsked {
    int count = 0, evaluators = 0;
    std::filesystem::path folder;
};

base::Result<SynthesisAsked> readSynthesis(const QCommandLineParser& parser)
{
    SynthesisAsked out;
    NumberOptions numbers(parser);
    out.evaluators = std::max(1, QThread::idealThreadCount());
    numbers.readWhole("count", out.count);
    numbers.readWhole("evaluators", out.evaluators);
    if (numbers.wrong())
        return *numbers.wrong();
    if (out.count < 1 || out.count > 1'000'000)
        return Error{ErrorCode::InvalidArgument,
                     "--count is the number of tasks, from 1 to 1000000",
                     {},
                     "`cudal1 tasks synthesise --count 6000 --seed 1 -o DIR`"};
    if (out.evaluators < 1 || out.evaluators > 256)
        return Error{ErrorCode::InvalidArgument, "--evaluators is a number from 1 to 256", {}, {}};
    out.folder = parser.value("output").toStdString();
    if (out.folder.empty())
        return Error{ErrorCode::InvalidArgument, "The folder for the tasks is missing", {}, "Name it with -o DIR"};
    if (const auto status = synthesis::checkTarget(out.folder); !status)
        return status.error();
    return out;
}

/// What tasks are kept apart from: the held-out tasks of these suites.
struct KeptApart {
    synthesis::Decontamination decontamination; ///< with the training tasks alone
    std::vector<protocol::TaskSource> heldOut;
    std::string pin;
};

void addHeldOut(KeptApart& out, const tasks::Suite& suite)
{
    for (const tasks::Task& task : suite.tasks)
        if (tasks::splitOf(task.level, task.id) == tasks::Split::HeldOut)
            out.heldOut.push_back({task.id.value, task.source});
    out.pin += (out.pin.empty() ? "" : "; ") + suite.pin();
}

/// The bundled suite always, and the one of --suite beside it.
base::Result<KeptApart> keptApart(Context& context)
{
    KeptApart out;
    const auto folder = tasks::bundledSuite(QCoreApplication::applicationDirPath().toStdString());
    if (!folder)
        return folder.error();
    const auto suite = tasks::readSuite(*folder);
    if (!suite)
        return suite.error();
    const auto facts = tasks::FactsFile::read(tasks::factsOfSuite(*folder));
    if (!facts)
        return facts.error();
    addHeldOut(out, *suite);
    out.decontamination.addTraining(*facts);
    if (!context.settings().suite.empty()) {
        const auto other = context.suite();
        if (!other)
            return other.error();
        if (other->digest != suite->digest)
            addHeldOut(out, *other);
    }
    return out;
}

struct Timing {
    double seconds = 0;
    double median_ns = 0, high_ns = 0, highest_ns = 0; ///< of calls on the CPU
};

Timing timingOf(const synthesis::SynthesisResult& result, double seconds)
{
    Timing out{seconds, 0, 0, 0};
    std::vector<double> calls;
    for (const synthesis::KeptTask& one : result.kept)
        calls.push_back(one.call_ns);
    std::sort(calls.begin(), calls.end());
    if (!calls.empty()) {
        out.median_ns = calls[calls.size() / 2];
        out.high_ns = calls[calls.size() * 99 / 100];
        out.highest_ns = calls.back();
    }
    return out;
}

/// All of them were run, so `cudal1 tasks` need not import them once more. A project that cannot be written costs that
/// import, no more.
void noteThatTheyRun(Context& context, const synthesis::SynthesisResult& result)
{
    const auto project = context.project();
    for (const synthesis::KeptTask& one : result.kept)
        if (!project || !(*project)->putCache(inspectionKey(base::sha256Hex(one.task.source)), "ok"))
            return;
}

void printSynthesis(Context& context, const SynthesisAsked& asked, const synthesis::SynthesisResult& result,
                    const synthesis::Decontamination& apart, const Timing& timing)
{
    Terminal& terminal = context.terminal();
    terminal.print(terminal.toned(Terminal::Tone::Strong, std::to_string(result.kept.size()) + " tasks") + " in " +
                   asked.folder.string() + ", seed " + std::to_string(context.settings().seed) + ", of " +
                   std::to_string(result.composed) + " that were composed; " + base::durationText(timing.seconds) +
                   ", " + std::to_string(static_cast<int>(double(result.composed) / timing.seconds)) + " a second");
    terminal.print("A call on the CPU: median " + base::timeText(timing.median_ns) + ", 99 % below " +
                   base::timeText(timing.high_ns) + ", longest " + base::timeText(timing.highest_ns));
    terminal.print("\n" + synthesis::Decontamination::rule() + ". Here: " + std::to_string(apart.heldOut()) +
                   " graphs of held-out tasks and " + std::to_string(apart.sequences()) +
                   " rows of operators that only they have.\n");
    TextTable table({{"left out"}, {"tasks", TextTable::Align::Right}, {"for example"}});
    for (const LeftOut why : {LeftOut::DoesNotRun, LeftOut::NotFinite, LeftOut::Degenerate, LeftOut::Duplicate,
                              LeftOut::HeldOutGraph, LeftOut::HeldOutOperators}) {
        const auto count = result.leftOut.find(why);
        const auto example = std::find_if(result.examples.begin(), result.examples.end(),
                                          [&](const auto& one) { return one.why == why; });
        table.add({std::string(synthesis::textOf(why)),
                   std::to_string(count == result.leftOut.end() ? 0 : count->second),
                   example == result.examples.end() ? "" : example->name + ": " + elided(example->evidence, 60)});
    }
    terminal.print(table.text());
    terminal.print("\n`cudal1 tasks --suite " + asked.folder.string() + "` lists them.");
}

} // namespace

int synthesise(Context& context, const QCommandLineParser& parser, const QStringList&)
{
    const auto asked = readSynthesis(parser);
    if (!asked)
        return context.fail(asked.error());
    if (context.settings().seed == 0)
        return context.fail({ErrorCode::InvalidArgument,
                             "The seed is missing, from which the tasks follow",
                             {},
                             "Name it with --seed, a number from 1"});
    auto apart = keptApart(context);
    if (!apart)
        return context.fail(apart.error());

    crew::Crew crew(crew::Rules{2, 2, 3});
    for (int i = 0; i < asked->evaluators; ++i)
        crew.add(farm::Launcher::standard());
    synthesis::SynthesisOptions options;
    options.count = asked->count;
    options.seed = context.settings().seed;
    options.seats = asked->evaluators;
    options.heldOut = apart->heldOut;
    Interrupt interrupt;
    QElapsedTimer clock;
    clock.start();
    Terminal& terminal = context.terminal();
    terminal.live("Tracing " + std::to_string(options.heldOut.size()) + " held-out tasks …");
    synthesis::Synthesiser synthesiser(crew, std::move(apart->decontamination));
    bool good = false;
    QEventLoop loop;
    QObject::connect(&synthesiser, &synthesis::Synthesiser::progress, &loop, [&](int kept, int wanted) {
        terminal.live(bar(double(kept) / wanted, 12) + " " + std::to_string(kept) + " of " + std::to_string(wanted) +
                      " tasks · " + base::durationText(double(clock.elapsed()) / 1000));
    });
    QObject::connect(
        &synthesiser, &synthesis::Synthesiser::finished, &loop,
        [&](bool how) {
            good = how;
            loop.quit();
        },
        Qt::QueuedConnection);
    QObject::connect(&crew, &crew::Crew::log, &loop,
                     [&](const QString& line) { terminal.complain("cudal1: " + line.toStdString()); });
    QObject::connect(&interrupt, &Interrupt::requested, &synthesiser, &synthesis::Synthesiser::stop);
    synthesiser.start(options);
    if (interrupt.caught())
        synthesiser.stop();
    loop.exec();
    terminal.clearLive();
    if (!good)
        return context.fail(synthesiser.error(), interrupt, "nothing was written");

    const synthesis::SynthesisResult& result = synthesiser.result();
    const synthesis::Provenance provenance{options.seed,
                                           options.trials,
                                           "cudal1 " + QCoreApplication::applicationVersion().toStdString(),
                                           crew.hello().torch,
                                           apart->pin,
                                           options.heldOut.size(),
                                           synthesiser.decontamination().sequences()};
    if (const auto status = synthesis::writeFolder(asked->folder, result, provenance); !status)
        return context.fail(status.error());
    noteThatTheyRun(context, result);
    const Timing timing = timingOf(result, double(clock.elapsed()) / 1000);
    printSynthesis(context, *asked, result, synthesiser.decontamination(), timing);
    if (context.settings().json) {
        nlohmann::json out = synthesis::manifestOf(result, provenance);
        out.erase("tasks"); // they are in the manifest
        out["folder"] = asked->folder.string();
        out["seconds"] = timing.seconds;
        out["call_ns"] = {
            {"median", timing.median_ns}, {"percentile_99", timing.high_ns}, {"longest", timing.highest_ns}};
        context.printJson(out);
    }
    return Done;
}

} // namespace cudal1::cli
