// SPDX-License-Identifier: GPL-3.0-or-later
// The help of the command and of its verbs, as text that fits the terminal, as a manual page, and as completion for
// shells. All of it follows from the table of verbs.
#pragma once

#include <QCommandLineOption>
#include <QList>
#include <QString>
#include <QStringList>

#include <vector>

namespace cudal1::cli {

struct Verb;

/// The options of every verb.
QList<QCommandLineOption> globalOptions();
/// "tasks show TASK".
QString usage(const Verb& verb);
/// The one or two words of its name.
QStringList wordsOf(const Verb& verb);
/// The verbs that begin with this word, in the order of the table: `tasks`, `tasks check`.
std::vector<const Verb*> family(const QString& word);
/// The second words that a family knows: "check", "new"; none when its verb is one word.
QStringList secondWords(const std::vector<const Verb*>& family);
/// The first words of all verbs, each once.
QStringList firstWords();
/// "-o, --output FILE".
QString optionText(const QCommandLineOption& option);
/// The values of an option that has few, of the placeholder in which its help names them: "cpu|cuda[:N]" gives "cpu"
/// and "cuda". None for another.
QStringList choicesOf(const QString& placeholder);
/// What the exit statuses mean, in one paragraph.
QString exitStatuses();

/// The paragraphs of `text` in lines of at most `width` columns, where words allow it. A single line break is a space;
/// an empty line stays. The first line begins after `indent` spaces, which are written, and all others after `hanging`.
QString wrapped(const QString& text, int width, int indent = 0, int hanging = 0);

/// Prints the help of the verb, or of the command where there is none.
void printHelp(const Verb* verb);
/// The manual page, for `man`: troff with the macros of man(7).
QString manualPage();
/// The script that completes words in "bash", "zsh" or "fish"; empty for another shell.
QString completionScript(const QString& shell);

} // namespace cudal1::cli
