// SPDX-License-Identifier: GPL-3.0-or-later
// The command line as a verb, its options and the options of all verbs.
#include "app/cli/context.h"
#include "app/cli/nearest.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cstdio>

namespace cudal1::cli {

namespace {

const char* const statuses =
    "Exit status: 0 done (evaluate: the verdict is correct), 1 the verdict is another (judge: it failed, tasks\n"
    "check: it differs), 2 wrong use, 3 this machine cannot do it; 128 + N when signal N stopped it.\n";

QList<QCommandLineOption> globalOptions()
{
    return {
        {"project", "Project file (default: in the user's data folder).", "FILE"},
        {"suite", "Folder of tasks instead of the bundled suite.", "DIR"},
        {"device", "cpu or cuda[:N] (default: the first GPU, else the CPU).", "DEVICE"},
        {"precision", "kernelbench (default), ieee or tf32.", "MODE", "kernelbench"},
        {"preset", "quick, standard (default) or paper (the paper's protocol, 20 minutes a candidate).", "PRESET",
         "standard"},
        {"seed", "Seed of inputs and initialisation (default: drawn, and reported).", "N"},
        {"json", "Print one JSON object."},
        {{"h", "help"}, "Print this help."},
        {{"V", "version"}, "Print the version."},
    };
}

int wrongUse(const QString& message, const QString& hint = QStringLiteral("Try `cudal1 --help`"))
{
    std::fprintf(stderr, "cudal1: %s%s %s.\n", qPrintable(message), message.endsWith('?') ? "" : ".", qPrintable(hint));
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

QString usage(const Verb& verb)
{
    return QString("%1 %2").arg(verb.name, verb.arguments).trimmed();
}

QStringList wordsOf(const Verb& verb)
{
    return QString(verb.name).split(' ');
}

/// The verbs that begin with this word, in the order of the table: `tasks`, `tasks check`.
std::vector<const Verb*> family(const QString& word)
{
    std::vector<const Verb*> found;
    for (const Verb& verb : verbs())
        if (wordsOf(verb)[0] == word)
            found.push_back(&verb);
    return found;
}

/// The second words that a family knows: "check", "new"; none when its verb is one word.
QStringList secondWords(const std::vector<const Verb*>& family)
{
    QStringList words;
    for (const Verb* verb : family)
        words += wordsOf(*verb).mid(1);
    return words;
}

QStringList firstWords()
{
    QStringList words;
    for (const Verb& verb : verbs())
        words += wordsOf(verb)[0];
    return words;
}

/// "; did you mean `optimize`", or nothing when none is near.
QString didYouMean(const QString& word, const QStringList& known, const QString& before = {})
{
    const QString meant = nearest(word, known);
    return meant.isEmpty() ? QString() : QString("; did you mean `%1%2`?").arg(before, meant);
}

/// What is wrong with the options, and what may have been meant.
QString wrongOptions(const QCommandLineParser& parser, const QList<QCommandLineOption>& own)
{
    QStringList known;
    for (const QCommandLineOption& option : globalOptions() + own)
        known += option.names().last(); // the long one; one letter is like any other
    QString message = parser.errorText();
    while (message.endsWith('.'))
        message.chop(1);
    const QStringList unknown = parser.unknownOptionNames();
    return unknown.isEmpty() ? message : message + didYouMean(unknown[0], known, "--");
}

/// The member of the family that the words name: two words before one. Null when none does.
const Verb* chosen(const std::vector<const Verb*>& family, const QStringList& words)
{
    const Verb* alone = nullptr;
    for (const Verb* verb : family) {
        const QStringList name = wordsOf(*verb);
        if (name.size() == 2 && name[1] == words.value(1))
            return verb;
        if (name.size() == 1)
            alone = verb;
    }
    const bool another = words.size() > 1 && alone && alone->most == 0 && family.size() > 1;
    return another ? nullptr : alone;
}

/// Why chosen() gave nothing.
QString notChosen(const std::vector<const Verb*>& family, const QStringList& words)
{
    if (family.empty())
        return "There is no verb \"" + words[0] + "\"" + didYouMean(words[0], firstWords());
    if (words.size() < 2)
        return QString("`%1` needs a second word: %2").arg(words[0], secondWords(family).join(", "));
    return QString("`%1` knows %2, not \"%3\"").arg(words[0], secondWords(family).join(", "), words[1]) +
           didYouMean(words[1], secondWords(family), words[0] + " ");
}

/// The words that are no options: the verb's and its arguments. Its own options must be known to tell their values from
/// words.
QStringList positionalWords(const QStringList& words, const std::vector<const Verb*>& family)
{
    QCommandLineParser parser;
    parser.addOptions(globalOptions());
    QStringList added;
    for (const Verb* verb : family) {
        for (const QCommandLineOption& option : verb->options) {
            if (!added.contains(option.names().last()))
                parser.addOption(option);
            added += option.names();
        }
    }
    parser.parse(words);
    return parser.positionalArguments();
}

void printAllVerbs()
{
    std::printf("cudal1 makes PyTorch modules faster and proves it.\n\nusage: cudal1 VERB [options]\n\n");
    for (const Verb& verb : verbs())
        std::printf("  %-22s  %s\n", qPrintable(usage(verb)), verb.summary);
    std::printf("\nTASK is LEVEL/ID of the suite (3/41), or a file. `cudal1 VERB --help` tells more.\n");
}

/// With the rest of its family, where the verb is the one that stands for it.
void printOwnHelp(const Verb& verb)
{
    std::printf("usage: cudal1 %s [options]\n\n%s\n", qPrintable(usage(verb)), verb.help);
    if (!verb.options.isEmpty()) {
        std::printf("\n");
        printOptions(verb.options);
    }
    const auto all = family(wordsOf(verb)[0]);
    if (all[0] != &verb || all.size() == 1)
        return;
    if (wordsOf(verb).size() == 1)
        std::printf("\nVerbs of its own, each with --help:\n");
    else
        std::printf("\nThe other verbs of `%s`, each with --help:\n", qPrintable(wordsOf(verb)[0]));
    for (const Verb* one : all)
        if (one != &verb)
            std::printf("  %-22s  %s\n", qPrintable(usage(*one)), one->summary);
}

int printHelp(const Verb* verb)
{
    if (verb)
        printOwnHelp(*verb);
    else
        printAllVerbs();
    std::printf("\nOptions of every verb:\n");
    printOptions(globalOptions());
    std::printf(" The environment variable CUDAL1_EVALUATOR names another evaluator: a command such as \"ssh gpu1\n"
                "cudal1-evaluator\". %s",
                statuses);
    return Done;
}

/// An error message, or empty.
QString readSettings(const QCommandLineParser& parser, CommandSettings& out)
{
    out.project = parser.value("project").toStdString();
    out.suite = parser.value("suite").toStdString();
    out.json = parser.isSet("json");
    out.device = parser.value("device").toStdString();
    static const QRegularExpression devices("^(cpu|cuda(:[0-9]+)?)(,(cpu|cuda(:[0-9]+)?))*$");
    if (parser.isSet("device") && !devices.match(parser.value("device")).hasMatch())
        return "--device is cpu or cuda[:N], or for `optimize` several with commas between, not \"" +
               parser.value("device") + "\"";
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
    if (first.isSet("version")) {
        std::printf("cudal1 %s\n", qPrintable(QCoreApplication::applicationVersion()));
        return Done;
    }
    QStringList named = first.positionalArguments();
    const bool helpVerb = named.value(0) == "help";
    if (helpVerb)
        named.removeFirst();
    const bool help = helpVerb || first.isSet("help");
    if (named.isEmpty())
        return help ? printHelp(nullptr) : wrongUse("A verb is missing");
    const auto members = family(named[0]);
    if (!helpVerb)
        named = positionalWords(words, members);
    const Verb* verb = chosen(members, named);
    if (help && (verb || (!members.empty() && named.size() == 1)))
        return printHelp(verb ? verb : members[0]);
    if (!verb)
        return wrongUse(notChosen(members, named),
                        members.empty() ? "Try `cudal1 --help`" : QString("Try `cudal1 %1 --help`").arg(named[0]));

    QCommandLineParser parser;
    parser.addOptions(globalOptions());
    parser.addOptions(verb->options);
    const QString ownHelp = QString("Try `cudal1 %1 --help`").arg(verb->name);
    if (!parser.parse(words))
        return wrongUse(wrongOptions(parser, verb->options), ownHelp);
    const QStringList positional = parser.positionalArguments().mid(wordsOf(*verb).size());
    if (positional.size() < verb->least || positional.size() > verb->most)
        return wrongUse(verb->most == 0 ? QString("`%1` takes no arguments").arg(verb->name)
                                        : QString("`%1` takes %2").arg(verb->name, verb->arguments),
                        ownHelp);
    CommandSettings settings;
    if (const QString message = readSettings(parser, settings); !message.isEmpty())
        return wrongUse(message, ownHelp);
    Context context(std::move(settings));
    const int status = verb->run(context, parser, positional);
    if (const auto printed = flushOutput(); !printed && status == Done)
        return context.fail(printed.error());
    return status;
}

} // namespace cudal1::cli
