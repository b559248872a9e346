// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 judge selftest`: whether this machine's judge can be trusted.
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/progresstext.h"
#include "app/cli/selftesttable.h"
#include "app/cli/verbs.h"
#include "core/farm/launcher.h"
#include "core/optimize/outcometext.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QStandardPaths>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;

Error wrongSelftest(const std::string& message)
{
    return {ErrorCode::InvalidArgument, message, {}, "Try `cudal1 judge selftest --help`"};
}

base::Result<selftest::SelfTestOptions> readSelfTestOptions(const QCommandLineParser& parser,
                                                            const CommandSettings& settings)
{
    selftest::SelfTestOptions out;
    out.precision = settings.precision;
    out.seed = settings.seed;
    // The bounds are for quick evaluations; a longer preset has to be asked for.
    out.preset = parser.isSet("preset") ? settings.preset : protocol::Preset::Quick;
    if (parser.isSet("quick") && parser.isSet("full"))
        return wrongSelftest("--quick and --full exclude each other");
    out.full = parser.isSet("full");
    if (parser.isSet("sessions")) {
        bool good = false;
        out.sessions = parser.value("sessions").toInt(&good);
        if (!good || out.sessions < 1 || out.sessions > 10'000)
            return wrongSelftest("--sessions is a whole number from 1 to 10000, not \"" +
                                 parser.value("sessions").toStdString() + "\"");
    }
    if (parser.isSet("only")) {
        out.sections.clear();
        for (const QString& word : parser.value("only").split(',')) {
            selftest::TestSection section;
            if (!selftest::fromString(word.trimmed().toStdString(), section))
                return wrongSelftest("--only is a list of canaries, same, slower, exploits and lookalikes, not \"" +
                                     word.toStdString() + "\"");
            out.sections.insert(section);
        }
    }
    return out;
}

/// ninja and the processor are looked for here: an evaluator does not tell of them, and as a rule it runs on such a
/// machine too.
selftest::Equipment equipmentOf(const protocol::Machine& machine)
{
    return {!machine.compiler.empty(), !machine.nvcc.empty(), !QStandardPaths::findExecutable("ninja").isEmpty(),
            QSysInfo::currentCpuArchitecture() == QLatin1String("x86_64")};
}

/// Asked of a process that is gone afterwards: the self-test starts its own, and they would share the machine.
base::Result<protocol::Machine> describe(Context& context, Interrupt& interrupt)
{
    Client client(interrupt);
    return context.describe(client);
}

selftest::Ended judgeAll(Context& context, Interrupt& interrupt, selftest::SelfTest& session,
                         const selftest::SelfTestOptions& options, selftest::SelfTestPlan plan)
{
    Terminal& terminal = context.terminal();
    selftest::Ended ended = selftest::Ended::Finished;
    QEventLoop loop;
    QObject::connect(&session, &selftest::SelfTest::log, &loop,
                     [&](const QString& line) { terminal.complain("cudal1: " + line.toStdString()); });
    QObject::connect(&session, &selftest::SelfTest::progress, &loop,
                     [&](const selftest::SelfTestProgress& progress) { terminal.live(progressText(progress)); });
    QObject::connect(&session, &selftest::SelfTest::finished, &loop, [&](selftest::Ended how) {
        ended = how;
        loop.quit();
    });
    QObject::connect(&interrupt, &Interrupt::requested, &loop, [&] {
        terminal.live("Stopping …");
        session.stop();
    });
    session.start(options, std::move(plan));
    if (interrupt.caught())
        session.stop();
    loop.exec();
    terminal.clearLive();
    return ended;
}

std::string lastLine(const Terminal& terminal, const selftest::Report& report, selftest::Ended ended, int planned)
{
    if (ended != selftest::Ended::Finished)
        return terminal.toned(Terminal::Tone::Warn, "selftest not finished: " + std::to_string(report.checks) + " of " +
                                                        std::to_string(planned) + " checks");
    if (report.passed())
        return terminal.toned(Terminal::Tone::Good, "selftest passed: " + std::to_string(report.checks) + " checks");
    return terminal.toned(Terminal::Tone::Bad, "selftest failed") + "\n" + meaningText(terminal, report);
}

} // namespace

int selfTest(Context& context, const QCommandLineParser& parser, const QStringList&)
{
    auto options = readSelfTestOptions(parser, context.settings());
    if (!options)
        return context.fail(options.error());
    const auto folder = selftest::bundledCorpus(QCoreApplication::applicationDirPath().toStdString());
    if (!folder)
        return context.fail(folder.error());
    const auto corpus = selftest::readCorpus(*folder);
    if (!corpus)
        return context.fail(corpus.error());

    Interrupt interrupt;
    Terminal& terminal = context.terminal();
    const auto machine = describe(context, interrupt);
    if (interrupt.caught())
        return 128 + interrupt.caught();
    if (!machine)
        return context.fail(machine.error());
    const auto device = context.device(*machine);
    if (!device)
        return context.fail(device.error());
    options->device = *device;
    options->equipment = equipmentOf(*machine);
    const selftest::SelfTestPlan plan = selftest::makePlan(*corpus, *options);
    const int planned = int(plan.checks.size());

    terminal.print(terminal.toned(Terminal::Tone::Strong, std::to_string(planned) + " checks") + " on " +
                   conditionsText(*device, options->precision, options->preset));
    for (const std::string& line : plan.leftOut)
        terminal.print(terminal.toned(Terminal::Tone::Dim, "left out: " + line));
    selftest::SelfTest session(farm::Launcher::standard());
    const selftest::Ended ended = judgeAll(context, interrupt, session, *options, plan);

    const selftest::Report report = selftest::summarise(session.rows());
    for (const selftest::SectionReport& section : report.sections)
        terminal.print("\n" + sectionText(terminal, section, options->full && !context.settings().json));
    if (context.settings().json) {
        nlohmann::json sections = nlohmann::json::array();
        for (const selftest::SectionReport& section : report.sections)
            sections.push_back(toJson(section));
        nlohmann::json out = {{"passed", ended == selftest::Ended::Finished && report.passed()},
                              {"complete", ended == selftest::Ended::Finished},
                              {"checks", report.checks},
                              {"planned", planned},
                              {"device", *device},
                              {"precision", protocol::toString(options->precision)},
                              {"preset", protocol::toString(options->preset)},
                              {"left_out", plan.leftOut},
                              {"sections", std::move(sections)}};
        if (ended == selftest::Ended::Failed)
            out["error"] = toJson(session.error());
        context.printJson(out);
    }
    terminal.print("\n" + lastLine(terminal, report, ended, planned));
    if (ended == selftest::Ended::Failed) {
        terminal.complain("cudal1: " + session.error().text());
        return CannotDoIt;
    }
    if (ended == selftest::Ended::Stopped)
        return 128 + interrupt.caught();
    return report.passed() ? Done : OtherVerdict;
}

} // namespace cudal1::cli
