// SPDX-License-Identifier: GPL-3.0-or-later
// Completion for shells.
#include "app/cli/help.h"
#include "app/cli/verbs.h"

namespace cudal1::cli {

namespace {

/// What options of a verb complete to: "--json --quiet".
QString optionWords(const QList<QCommandLineOption>& options)
{
    QStringList words;
    for (const QCommandLineOption& option : options)
        for (const QString& name : option.names())
            words += (name.size() == 1 ? "-" : "--") + name;
    return words.join(' ');
}

/// Values of options that have few: "quick standard paper".
struct Values {
    const char* option;
    const char* words;
};
const Values values[] = {
    {"preset", "quick standard paper"},
    {"precision", "kernelbench ieee tf32"},
    {"color", "auto always never"},
    {"device", "cpu cuda cuda:0"},
    {"method", "vanilla evolve contrastive multi-turn"},
    {"split", "train held-out"},
};

/// For bash, and for zsh by its emulation of bash's completion.
QString bashScript()
{
    QString out = "_cudal1()\n{\n"
                  "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} first=${COMP_WORDS[1]}\n"
                  "    local second=${COMP_WORDS[2]} own=\n    COMPREPLY=()\n"
                  "    case $before in\n";
    for (const Values& one : values)
        out += QString("        --%1) COMPREPLY=($(compgen -W \"%2\" -- \"$word\")); return ;;\n")
                   .arg(one.option, one.words);
    out += "    esac\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"" +
           (firstWords() + QStringList{"help"}).join(' ') +
           "\" -- \"$word\"))\n        return\n    fi\n    case \"$first $second\" in\n";
    for (const Verb& verb : verbs())
        if (wordsOf(verb).size() == 2)
            out += QString("        \"%1\") own=\"%2\" ;;\n").arg(verb.name, optionWords(verb.options));
    for (const Verb& verb : verbs())
        if (wordsOf(verb).size() == 1)
            out += QString("        \"%1 \"*) own=\"%2\" ;;\n").arg(verb.name, optionWords(verb.options));
    out += "    esac\n    case $word in\n        -*) COMPREPLY=($(compgen -W \"$own " + optionWords(globalOptions()) +
           "\" -- \"$word\")); return ;;\n    esac\n    if [ \"$COMP_CWORD\" -eq 2 ]; then\n        case $first in\n";
    for (const QString& word : firstWords())
        if (const QStringList seconds = secondWords(family(word)); !seconds.isEmpty())
            out += QString("            %1) COMPREPLY=($(compgen -W \"%2\" -- \"$word\")) ;;\n")
                       .arg(word, seconds.join(' '));
    return out + "        esac\n    fi\n    COMPREPLY+=($(compgen -f -- \"$word\"))\n}\n"
                 "complete -o filenames -F _cudal1 cudal1\n";
}

QString fishText(QString text)
{
    return "'" + text.replace('\\', "\\\\").replace('\'', "\\'") + "'";
}

QString fishOptions(const QList<QCommandLineOption>& options, const QString& condition)
{
    QString out;
    for (const QCommandLineOption& option : options) {
        out += "complete -c cudal1" + (condition.isEmpty() ? QString() : " -n " + fishText(condition));
        for (const QString& name : option.names())
            out += (name.size() == 1 ? " -s " : " -l ") + name;
        for (const Values& one : values)
            if (option.names().contains(one.option))
                out += QString(" -x -a \"%1\"").arg(one.words);
        if (!option.valueName().isEmpty() && !out.endsWith('"'))
            out += " -r";
        out += " -d " + fishText(option.description()) + "\n";
    }
    return out;
}

QString fishScript()
{
    QString out;
    for (const Verb& verb : verbs()) {
        const QStringList words = wordsOf(verb);
        const QString condition = words.size() == 1 ? "__fish_use_subcommand"
                                                    : "__fish_seen_subcommand_from " + words[0];
        out += QString("complete -c cudal1 -n %1 -a %2 -d %3\n")
                   .arg(fishText(condition), words.last(), fishText(verb.summary));
        const QString own =
            words.size() == 1
                ? "__fish_seen_subcommand_from " + words[0]
                : QString("__fish_seen_subcommand_from %1; and __fish_seen_subcommand_from %2").arg(words[0], words[1]);
        out += fishOptions(verb.options, own);
    }
    for (const QString& word : firstWords())
        if (const auto members = family(word); wordsOf(*members[0]).size() == 2)
            out += QString("complete -c cudal1 -n __fish_use_subcommand -a %1\n").arg(word);
    return out + fishOptions(globalOptions(), {});
}

} // namespace

QString completionScript(const QString& shell)
{
    if (shell == "bash")
        return bashScript();
    if (shell == "zsh")
        return "#compdef cudal1\nautoload -U +X bashcompinit && bashcompinit\n" + bashScript();
    return shell == "fish" ? fishScript() : QString();
}

} // namespace cudal1::cli
