// SPDX-License-Identifier: GPL-3.0-or-later
// The command line as a verb, its options and the options of all verbs.
#include "app/cli/context.h"
#include "app/cli/help.h"
#include "app/cli/nearest.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cstdio>

namespace cudal1::cli {

namespace {

int wrongUse(const QString& message, const QString& hint = QStringLiteral("Try `cudal1 --help`"))
{
    std::fprintf(stderr, "cudal1: %s%s %s.\n", qPrintable(message), message.endsWith('?') ? "" : ".", qPrintable(hint));
    return WrongUse;
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
const Verb* chosenVerb(const std::vector<const Verb*>& family, const QStringList& words)
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

/// Why chosenVerb() gave nothing.
QString notChosen(const std::vector<const Verb*>& family, const QStringList& words)
{
    if (family.empty())
        return "There is no verb \"" + words[0] + "\"" + didYouMean(words[0], firstWords());
    if (words.size() < 2)
        return QString("`%1` needs a second word: %2").arg(words[0], secondWords(family).join(", "));
    return QString("`%1` knows %2, not \"%3\"").arg(words[0], secondWords(family).join(", "), words[1]) +
           didYouMean(words[1], secondWords(family), words[0] + " ");
}

/// Those of all members, each once.
QList<QCommandLineOption> optionsOf(const std::vector<const Verb*>& family)
{
    QList<QCommandLineOption> options;
    QStringList added;
    for (const Verb* verb : family) {
        for (const QCommandLineOption& option : verb->options) {
            if (!added.contains(option.names().last()))
                options += option;
            added += option.names();
        }
    }
    return options;
}

/// What is wrong with an option before the first word, which may be its value and no verb; empty if nothing is.
QString wrongBefore(const QStringList& words)
{
    QCommandLineParser parser;
    parser.addOptions(globalOptions());
    QStringList before;
    for (const QString& word : words) {
        before += word;
        if (!parser.parse(before) && !parser.unknownOptionNames().isEmpty())
            return wrongOptions(parser, {});
        if (!parser.positionalArguments().isEmpty())
            break;
    }
    return {};
}

int helped(const Verb* verb)
{
    printHelp(verb);
    return Done;
}

/// An error message, or empty.
QString readCommandSettings(const QCommandLineParser& parser, CommandSettings& out)
{
    out.project = parser.value("project").toStdString();
    out.suite = parser.value("suite").toStdString();
    out.json = parser.isSet("json");
    out.quiet = parser.isSet("quiet");
    const QString color = parser.value("color");
    if (color != "auto" && color != "always" && color != "never")
        return "--color is auto, always or never, not \"" + color + "\"";
    out.color = color == "auto" ? Color::Auto : color == "always" ? Color::Always : Color::Never;
    out.device = parser.value("device").toStdString();
    static const QRegularExpression devices("^(cpu|cuda(:[0-9]+)?)(,(cpu|cuda(:[0-9]+)?))*$");
    if (parser.isSet("device") && !devices.match(parser.value("device")).hasMatch())
        return "--device is cpu or cuda[:N], or several with commas between where a command can use them, not \"" +
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
    if (named.isEmpty() && help)
        return helped(nullptr);
    if (named.isEmpty()) {
        const QString before = wrongBefore(words);
        return wrongUse(before.isEmpty() ? "A verb is missing" : before);
    }
    const auto members = family(named[0]);
    // The verb's own options must be known to tell their values from words.
    const QList<QCommandLineOption> own = optionsOf(members);
    QCommandLineParser ofFamily;
    ofFamily.addOptions(globalOptions() + own);
    ofFamily.parse(words);
    if (!helpVerb)
        named = ofFamily.positionalArguments();
    const Verb* verb = chosenVerb(members, named);
    if (help && (verb || (!members.empty() && named.size() == 1)))
        return helped(verb ? verb : members[0]);
    if (!verb) {
        // What follows an unknown option may be its value, and no second word.
        const bool wrongOption = !members.empty() && !ofFamily.unknownOptionNames().isEmpty();
        if (const QString before = members.empty() ? wrongBefore(words) : QString(); !before.isEmpty())
            return wrongUse(before, "An option of one verb goes behind that verb. Try `cudal1 --help`");
        return wrongUse(wrongOption ? wrongOptions(ofFamily, own) : notChosen(members, named),
                        members.empty() ? "Try `cudal1 --help`" : QString("Try `cudal1 %1 --help`").arg(named[0]));
    }

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
    if (const QString message = readCommandSettings(parser, settings); !message.isEmpty())
        return wrongUse(message, ownHelp);
    Context context(std::move(settings));
    const int status = verb->run(context, parser, positional);
    if (const auto printed = flushOutput(); !printed && status == Done)
        return context.fail(printed.error());
    return status;
}

} // namespace cudal1::cli
