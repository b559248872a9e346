// SPDX-License-Identifier: GPL-3.0-or-later
// Help as text.
#include "app/cli/help.h"

#include "app/cli/terminal.h"
#include "app/cli/usageexamples.h"
#include "app/cli/verbs.h"

#include <QRegularExpression>

#include <algorithm>
#include <cstdio>

namespace cudal1::cli {

namespace {

constexpr int leftColumns = 28;

void printParagraph(const QString& text, int indent = 0)
{
    std::printf("%s\n", qPrintable(wrapped(text, outputWidth(), indent, indent)));
}

/// `left` in a column of its own, and what it means beside it, or below where it is too long.
void printRow(const QString& left, const QString& meaning)
{
    constexpr int indent = 2, gap = 2, from = indent + leftColumns + gap;
    const bool beside = left.size() <= leftColumns;
    if (!beside)
        std::printf("  %s\n", qPrintable(left));
    QString text = wrapped(meaning, outputWidth(), from, from);
    if (beside)
        text.replace(0, from, QString(indent, ' ') + left.leftJustified(leftColumns + gap));
    std::printf("%s\n", qPrintable(text));
}

void printOptions(const QList<QCommandLineOption>& options)
{
    for (const QCommandLineOption& option : options)
        printRow(optionText(option), option.description());
}

void printAllVerbs()
{
    std::printf("cudal1 makes PyTorch modules faster and proves it.\n\nusage: cudal1 VERB [options]\n\n");
    for (const Verb& verb : verbs())
        printRow(usage(verb), verb.summary);
    std::printf("\n");
    printParagraph("TASK is LEVEL/ID of the suite (3/41), or a file. `cudal1 VERB --help` tells more.");
}

void printExamples(const Verb& verb)
{
    std::printf("\nExamples:\n");
    for (const UsageExample& example : examplesOf(verb.name)) {
        printParagraph(QString(example.what) + ":", 2);
        std::printf("    cudal1 %s\n", example.command);
    }
}

/// With the rest of its family, where the verb is the one that stands for it.
void printOwnHelp(const Verb& verb)
{
    std::printf("usage: cudal1 %s [options]\n\n", qPrintable(usage(verb)));
    printParagraph(verb.help);
    if (!verb.options.isEmpty()) {
        std::printf("\n");
        printOptions(verb.options);
    }
    printExamples(verb);
    const auto all = family(wordsOf(verb)[0]);
    if (all[0] != &verb || all.size() == 1)
        return;
    if (wordsOf(verb).size() == 1)
        std::printf("\nVerbs of its own, each with --help:\n");
    else
        std::printf("\nThe other verbs of `%s`, each with --help:\n", qPrintable(wordsOf(verb)[0]));
    for (const Verb* one : all)
        if (one != &verb)
            printRow(usage(*one), one->summary);
}

} // namespace

QList<QCommandLineOption> globalOptions()
{
    return {
        {{"p", "project"}, "Project file (default: in the user's data folder).", "FILE"},
        {{"s", "suite"}, "Folder of tasks instead of the bundled suite.", "DIR"},
        {{"d", "device"}, "Where to run (default: the first GPU, else the CPU).", "cpu|cuda[:N]"},
        {"precision", "What both sides may compute with, and whose results count (default kernelbench).",
         "kernelbench|ieee|tf32", "kernelbench"},
        {"preset", "How much is measured (default standard); paper is the paper's protocol, 20 minutes a candidate.",
         "quick|standard|paper", "standard"},
        {"seed", "Seed of inputs and initialisation (default: drawn, and reported).", "N"},
        {{"j", "json"}, "Print one JSON object."},
        {{"q", "quiet"}, "Print results, warnings and errors alone: no progress."},
        {"color", "Colours (default auto: on a terminal, unless NO_COLOR is set).", "auto|always|never", "auto"},
        {{"h", "help"}, "Print this help."},
        {{"V", "version"}, "Print the version."},
    };
}

QString usage(const Verb& verb)
{
    return QString("%1 %2").arg(verb.name, verb.arguments).trimmed();
}

QStringList wordsOf(const Verb& verb)
{
    return QString(verb.name).split(' ');
}

std::vector<const Verb*> family(const QString& word)
{
    std::vector<const Verb*> found;
    for (const Verb& verb : verbs())
        if (wordsOf(verb)[0] == word)
            found.push_back(&verb);
    return found;
}

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
        if (const QString word = wordsOf(verb)[0]; !words.contains(word))
            words += word;
    return words;
}

QString optionText(const QCommandLineOption& option)
{
    QString text;
    for (const QString& name : option.names())
        text += (text.isEmpty() ? "" : ", ") + QString(name.size() == 1 ? "-" : "--") + name;
    return option.valueName().isEmpty() ? text : text + " " + option.valueName();
}

QStringList choicesOf(const QString& placeholder)
{
    static const QRegularExpression optional("\\[[^\\]]*\\]");
    return placeholder.contains('|') ? QString(placeholder).remove(optional).split('|') : QStringList();
}

QString exitStatuses()
{
    return "Exit status: 0 done (evaluate: the verdict is correct), 1 the verdict is another (judge: it failed, tasks "
           "check: it differs, import: part of the file was left out), 2 wrong use, 3 this machine cannot do "
           "it; 128 + N when signal N stopped it.";
}

QString wrapped(const QString& text, int width, int indent, int hanging)
{
    QStringList paragraphs;
    for (const QString& paragraph : text.split("\n\n")) {
        QStringList lines;
        QString line(paragraphs.isEmpty() ? indent : hanging, ' ');
        bool empty = true;
        for (const QString& word : paragraph.simplified().split(' ')) {
            if (!empty && line.size() + 1 + word.size() > width) {
                lines += line;
                line = QString(hanging, ' ');
                empty = true;
            }
            line += (empty ? "" : " ") + word;
            empty = false;
        }
        paragraphs += (lines + QStringList{line}).join('\n');
    }
    return paragraphs.join("\n\n");
}

void printHelp(const Verb* verb)
{
    if (verb)
        printOwnHelp(*verb);
    else
        printAllVerbs();
    std::printf("\nOptions of every verb:\n");
    printOptions(globalOptions());
    std::printf("\n");
    printParagraph("The environment variable CUDAL1_EVALUATOR names another evaluator: a command such as \"ssh gpu1 "
                   "cudal1-evaluator\". " +
                   exitStatuses());
}

} // namespace cudal1::cli
