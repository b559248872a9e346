// SPDX-License-Identifier: GPL-3.0-or-later
// The command line as a verb, its options and the options of all verbs.
#include "app/cli/context.h"
#include "app/cli/verbs.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cstdio>

namespace cudal1::cli {

namespace {

const char* const statuses = "Exit status: 0 done (evaluate: the verdict is correct), 1 the verdict is another (judge: it failed), 2 wrong use,\n"
                             "3 this machine cannot do it; 128 + N when signal N stopped it.\n";

QList<QCommandLineOption> globalOptions()
{
    return {
        {"project", "Project file (default: in the user's data folder).", "FILE"},
        {"suite", "Folder of tasks instead of the bundled suite.", "DIR"},
        {"device", "cpu or cuda[:N] (default: the first GPU, else the CPU).", "DEVICE"},
        {"precision", "kernelbench (default), ieee or tf32.", "MODE", "kernelbench"},
        {"preset", "quick, standard (default) or paper (the paper's protocol, 20 minutes a candidate).", "PRESET", "standard"},
        {"seed", "Seed of inputs and initialisation (default: drawn, and reported).", "N"},
        {"json", "Print one JSON object."},
        {{"h", "help"}, "Print this help."},
        {"version", "Print the version."},
    };
}

int wrongUse(const QString& message, const QString& hint = QStringLiteral("Try `cudal1 --help`"))
{
    std::fprintf(stderr, "cudal1: %s. %s.\n", qPrintable(message), qPrintable(hint));
    return WrongUse;
}

void printOptions(const QList<QCommandLineOption>& options)
{
    for (const QCommandLineOption& option : options) {
        QString left;
        for (const QString& name : option.names())
            left += (left.isEmpty() ? "" : ", ") + QString(name.size() == 1 ? "-" : "--") + name;
        if (!option.valueName().isEmpty())
            left += " " + option.valueName();
        std::printf("  %-18s  %s\n", qPrintable(left), qPrintable(option.description()));
    }
}

int printHelp(const Verb* verb)
{
    if (!verb) {
        std::printf("cudal1 makes PyTorch modules faster and proves it.\n\nusage: cudal1 VERB [options]\n\n");
        for (const Verb& one : verbs())
            std::printf("  %-22s  %s\n", qPrintable(QString("%1 %2").arg(one.name, one.arguments).trimmed()), one.summary);
        std::printf("\nTASK is LEVEL/ID of the suite (3/41), or a file. `cudal1 VERB --help` tells more.\n");
    } else {
        std::printf("usage: cudal1 %s [options]\n\n%s\n", qPrintable(QString("%1 %2").arg(verb->name, verb->arguments).trimmed()),
                    verb->help);
        if (!verb->options.isEmpty()) {
            std::printf("\n");
            printOptions(verb->options);
        }
    }
    std::printf("\nOptions of every verb:\n");
    printOptions(globalOptions());
    std::printf("\nThe environment variable CUDAL1_EVALUATOR names another evaluator: a command such as \"ssh gpu1 cudal1-evaluator\".\n%s",
                statuses);
    return Done;
}

/// An error message, or empty.
QString readSettings(const QCommandLineParser& parser, Settings& out)
{
    out.project = parser.value("project").toStdString();
    out.suite = parser.value("suite").toStdString();
    out.json = parser.isSet("json");
    out.device = parser.value("device").toStdString();
    static const QRegularExpression devices("^(cpu|cuda(:[0-9]+)?)$");
    if (parser.isSet("device") && !devices.match(parser.value("device")).hasMatch())
        return "--device is cpu or cuda[:N], not \"" + parser.value("device") + "\"";
    if (!protocol::fromString(parser.value("precision").toStdString(), out.precision))
        return "--precision is kernelbench, ieee or tf32, not \"" + parser.value("precision") + "\"";
    if (!protocol::fromString(parser.value("preset").toStdString(), out.preset))
        return "--preset is quick, standard or paper, not \"" + parser.value("preset") + "\"";
    if (parser.isSet("seed")) {
        bool good = false;
        out.seed = parser.value("seed").toULongLong(&good);
        if (!good || out.seed == 0 || out.seed >> 53)
            return "--seed is a whole number from 1 to 2^53 - 1, not \"" + parser.value("seed") + "\"";
    }
    for (const char* path : {"project", "suite"})
        if (parser.isSet(path) && parser.value(path).isEmpty())
            return QString("--%1 needs a path").arg(path);
    return {};
}

} // namespace

int run(const QStringList& arguments)
{
    QStringList words{QCoreApplication::applicationName()};
    words += arguments;

    // Unknown options are the verb's business and judged below; the first word that is no option's value is the verb.
    QCommandLineParser first;
    first.addOptions(globalOptions());
    first.parse(words);
    const QString name = first.positionalArguments().value(0);
    if (first.isSet("version")) {
        std::printf("cudal1 %s\n", qPrintable(QCoreApplication::applicationVersion()));
        return Done;
    }
    const auto verb = std::find_if(verbs().begin(), verbs().end(), [&](const Verb& one) { return name == one.name; });
    if (name.isEmpty() || name == "help") {
        if (first.isSet("help") || name == "help")
            return printHelp(nullptr);
        return wrongUse("A verb is missing");
    }
    if (verb == verbs().end())
        return wrongUse("There is no verb \"" + name + "\"");

    QCommandLineParser parser;
    parser.addOptions(globalOptions());
    parser.addOptions(verb->options);
    const QString ownHelp = QString("Try `cudal1 %1 --help`").arg(verb->name);
    const bool parsed = parser.parse(words);
    if (parser.isSet("help"))
        return printHelp(&*verb);
    if (!parsed) {
        QString message = parser.errorText();
        while (message.endsWith('.'))
            message.chop(1);
        return wrongUse(message, ownHelp);
    }
    const QStringList positional = parser.positionalArguments().mid(1);
    if (positional.size() < verb->least || positional.size() > verb->most)
        return wrongUse(verb->most == 0 ? QString("`%1` takes no arguments").arg(verb->name)
                                        : QString("`%1` takes %2").arg(verb->name, verb->arguments),
                        ownHelp);
    Settings settings;
    if (const QString message = readSettings(parser, settings); !message.isEmpty())
        return wrongUse(message, ownHelp);
    Context context(std::move(settings));
    return verb->run(context, parser, positional);
}

} // namespace cudal1::cli
