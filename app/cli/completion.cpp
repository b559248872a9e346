// SPDX-License-Identifier: GPL-3.0-or-later
// Completion for shells. Each script does the same: it looks for the verb among the words that are neither options nor
// their values, and then offers values of the option before, options, verbs, what the first argument can be, and files.
#include "app/cli/help.h"
#include "app/cli/verbs.h"

#include <QRegularExpression>

#include <functional>
#include <set>

namespace cudal1::cli {

namespace {

/// "-o", "--output".
QStringList dashed(const QCommandLineOption& option)
{
    QStringList out;
    for (const QString& name : option.names())
        out += (name.size() == 1 ? "-" : "--") + name;
    return out;
}

QString optionWords(const QList<QCommandLineOption>& options)
{
    QStringList words;
    for (const QCommandLineOption& option : options)
        words += dashed(option);
    return words.join(' ');
}

/// Options that are followed by a value, whatever the verb. One that takes none with another verb is left out.
QStringList valued()
{
    QStringList with;
    std::set<QString> without;
    QList<QCommandLineOption> all = globalOptions();
    for (const Verb& verb : verbs())
        all += verb.options;
    for (const QCommandLineOption& option : all)
        for (const QString& name : dashed(option))
            if (option.valueName().isEmpty())
                without.insert(name);
            else if (!with.contains(name))
                with += name;
    with.removeIf([&without](const QString& name) { return without.contains(name); });
    return with;
}

/// What the first argument of a verb can be, where it is one of few words.
QStringList firstArguments(const Verb& verb)
{
    return choicesOf(QString(verb.arguments).section(' ', 0, 0)).filter(QRegularExpression("^[a-z][a-z0-9-]*$"));
}

/// Calls `each` with the name of every verb and option of few values: the verb's name is * for the options of all.
void eachChoice(
    const std::function<void(const QString& verb, const QStringList& names, const QStringList& words)>& each)
{
    for (const Verb& verb : verbs())
        for (const QCommandLineOption& option : verb.options)
            if (const QStringList words = choicesOf(option.valueName()); !words.isEmpty())
                each(verb.name, dashed(option), words);
    for (const QCommandLineOption& option : globalOptions())
        if (const QStringList words = choicesOf(option.valueName()); !words.isEmpty())
            each("*", dashed(option), words);
}

QString bashWords(const QStringList& words)
{
    return "COMPREPLY=($(compgen -W \"" + words.join(' ') + "\" -- \"$word\"))";
}

/// `values`: what comes before verbs and options.
QString bashVerbs(const QString& values)
{
    QString own, arguments, seconds, two;
    for (const Verb& verb : verbs()) {
        own += QString("            \"%1\") own=\"%2\" ;;\n").arg(verb.name, optionWords(verb.options));
        if (wordsOf(verb).size() == 2)
            two += (two.isEmpty() ? "\"" : "|\"") + QString(verb.name) + "\"";
        if (const QStringList words = firstArguments(verb); !words.isEmpty())
            arguments += QString("            \"%1 %2\") %3 ;;\n")
                             .arg(verb.name)
                             .arg(wordsOf(verb).size())
                             .arg(bashWords(words));
    }
    for (const QString& word : firstWords())
        if (const QStringList words = secondWords(family(word)); !words.isEmpty())
            seconds += QString("            \"%1 1\") %2 ;;\n").arg(word, bashWords(words));
    return "    case \"${plain[0]} ${plain[1]}\" in\n        " + two +
           ") verb=\"${plain[0]} ${plain[1]}\" ;;\n        *) verb=${plain[0]} ;;\n    esac\n" + values +
           "    if [[ $word == -* ]]; then\n        case $verb in\n" + own +
           "        esac\n        COMPREPLY=($(compgen -W \"$own " + optionWords(globalOptions()) +
           "\" -- \"$word\"))\n        return\n    fi\n"
           "    if [ ${#plain[@]} -eq 0 ] || [ \"${plain[*]}\" = help ]; then\n        " +
           bashWords(firstWords() + QStringList{"help"}) +
           "\n        return\n    fi\n    case \"$verb ${#plain[@]}\" in\n" + seconds + arguments + "    esac\n";
}

QString bashScript()
{
    QString choices;
    eachChoice([&choices](const QString& verb, const QStringList& names, const QStringList& words) {
        for (const QString& name : names)
            choices += QString("        %1) %2; return ;;\n")
                           .arg(verb == "*" ? "*\" " + name + "\"" : "\"" + verb + " " + name + "\"", bashWords(words));
    });
    const QString options = valued().join('|');
    return "_cudal1()\n{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb= own= i\n"
           "    local -a plain=()\n    COMPREPLY=()\n"
           "    [ \"$word\" = = ] && word=\n" // --preset=quick is three words
           "    [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
           "    for ((i = 1; i < COMP_CWORD; ++i)); do\n        case ${COMP_WORDS[i]} in\n            " +
           options +
           ")\n                [ \"${COMP_WORDS[i+1]}\" = = ] && ((++i))\n                ((++i)) ;;\n"
           "            -*) ;;\n            *) plain+=(\"${COMP_WORDS[i]}\") ;;\n        esac\n    done\n" +
           bashVerbs("    case \"$verb $before\" in\n" + choices + "    esac\n    case $before in\n        " + options +
                     ") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n    esac\n") +
           "    COMPREPLY+=($(compgen -f -- \"$word\"))\n}\ncomplete -o filenames -F _cudal1 cudal1\n";
}

/// In single quotes; zsh's way with one inside.
QString zshText(QString text)
{
    return "'" + text.replace('\'', "'\\''") + "'";
}

QString zshDescribed(const QString& word, const QString& description)
{
    return zshText(QString(word).replace(':', "\\:") + ":" + description.simplified());
}

QString zshOptions(const QList<QCommandLineOption>& options)
{
    QStringList words;
    for (const QCommandLineOption& option : options)
        for (const QString& name : dashed(option))
            words += zshDescribed(name, option.description());
    return words.join(' ');
}

QString zshVerbs(const QString& values)
{
    QString own, arguments, seconds;
    QStringList two, first;
    for (const Verb& verb : verbs()) {
        own += QString("        (%1) found=(%2) ;;\n").arg(zshText(verb.name), zshOptions(verb.options));
        if (wordsOf(verb).size() == 2)
            two += zshText(verb.name);
        if (const QStringList words = firstArguments(verb); !words.isEmpty())
            arguments += QString("        (%1) compadd -- %2 ;;\n")
                             .arg(zshText(QString("%1 %2").arg(verb.name).arg(wordsOf(verb).size())), words.join(' '));
    }
    for (const QString& word : firstWords()) {
        const auto members = family(word);
        first += zshDescribed(word, members[0]->summary);
        QStringList words;
        for (const Verb* verb : members)
            if (wordsOf(*verb).size() == 2)
                words += zshDescribed(wordsOf(*verb)[1], verb->summary);
        if (!words.isEmpty())
            seconds += QString("        (%1) found=(%2); _describe -t verbs verb found ;;\n")
                           .arg(zshText(word + " 1"), words.join(' '));
    }
    first += zshDescribed("help", "help of a verb");
    return "    case \"$plain[1] $plain[2]\" in\n        (" + two.join('|') +
           ") verb=\"$plain[1] $plain[2]\" ;;\n        (*) verb=$plain[1] ;;\n    esac\n" + values +
           "    if [[ $PREFIX == -* ]]; then\n    case $verb in\n" + own + "    esac\n    found+=(" +
           zshOptions(globalOptions()) +
           ")\n    _describe -o -t options option found\n    return\n    fi\n"
           "    if (( ! $#plain )) || [[ \"$plain\" == help ]]; then\n    found=(" +
           first.join(' ') +
           ")\n    _describe -t verbs verb found\n    return\n    fi\n    case \"$verb $#plain\" in\n" + seconds +
           arguments + "    esac\n";
}

QString zshScript()
{
    QString choices;
    eachChoice([&choices](const QString& verb, const QStringList& names, const QStringList& words) {
        for (const QString& name : names)
            choices += QString("        (%1) compadd -- %2; return ;;\n")
                           .arg(verb == "*" ? "*" + zshText(" " + name) : zshText(verb + " " + name), words.join(' '));
    });
    const QString options = "(" + valued().join('|') + ")";
    return "#compdef cudal1\n_cudal1()\n{\n    local before=$words[CURRENT-1] verb= i\n    local -a plain found\n"
           "    for ((i = 2; i < CURRENT; ++i)); do\n        case $words[i] in\n            " +
           options +
           " ((++i)) ;;\n            (-*) ;;\n            (*) plain+=(\"$words[i]\") ;;\n        esac\n    done\n"
           "    if [[ $words[CURRENT] == --*=* ]]; then\n        before=${words[CURRENT]%%=*}\n"
           "        compset -P '*='\n    fi\n" +
           zshVerbs("    case \"$verb $before\" in\n" + choices + "    esac\n    case $before in\n        " + options +
                    " _files; return ;;\n    esac\n") +
           "    _files\n}\n"
           // Loaded by zsh when it is first needed, or sourced.
           "if [[ $funcstack[1] == _cudal1 ]]; then _cudal1 \"$@\"; else compdef _cudal1 cudal1; fi\n";
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
        if (const QStringList words = choicesOf(option.valueName()); !words.isEmpty())
            out += " -x -a " + fishText(words.join(' '));
        else if (!option.valueName().isEmpty())
            out += " -r";
        out += " -d " + fishText(option.description()) + "\n";
    }
    return out;
}

QString fishFunctions()
{
    QStringList two;
    for (const Verb& verb : verbs())
        if (wordsOf(verb).size() == 2)
            two += fishText(verb.name);
    return "function __cudal1_plain\n    set -l value no\n    for word in (commandline -opc)[2..-1]\n"
           "        if test $value = yes\n            set value no\n            continue\n        end\n"
           "        switch $word\n            case " +
           valued().join(' ') +
           "\n                set value yes\n            case '-*'\n            case '*'\n                echo $word\n"
           "        end\n    end\nend\n"
           "function __cudal1_at\n    set -l plain (__cudal1_plain)\n    set -l verb $plain[1]\n"
           "    switch \"$plain[1] $plain[2]\"\n        case " +
           two.join(' ') +
           "\n            set verb \"$plain[1] $plain[2]\"\n    end\n    test \"$verb\" = \"$argv\"\nend\n" +
           "function __cudal1_after\n    set -l plain (__cudal1_plain)\n    test \"$plain\" = \"$argv\"\nend\n";
}

QString fishScript()
{
    QString out = fishFunctions();
    const auto offer = [&out](const QString& after, const QString& words, const QString& what, bool files) {
        out += "complete -c cudal1 -n " + fishText("__cudal1_after" + (after.isEmpty() ? QString() : " " + after)) +
               (files ? "" : " -f") + " -a " + fishText(words) +
               (what.isEmpty() ? QString() : " -d " + fishText(what)) + "\n";
    };
    for (const QString& word : firstWords()) {
        const auto members = family(word);
        offer({}, word, members[0]->summary, false);
        offer("help", word, members[0]->summary, false);
        for (const Verb* verb : members)
            if (wordsOf(*verb).size() == 2)
                offer(word, wordsOf(*verb)[1], verb->summary, wordsOf(*members[0]).size() == 1 && members[0]->most > 0);
    }
    offer({}, "help", "help of a verb", false);
    for (const Verb& verb : verbs()) {
        if (const QStringList words = firstArguments(verb); !words.isEmpty())
            offer(verb.name, words.join(' '), {}, false);
        out += fishOptions(verb.options, "__cudal1_at " + QString(verb.name));
    }
    return out + fishOptions(globalOptions(), {});
}

} // namespace

QString completionScript(const QString& shell)
{
    return shell == "bash" ? bashScript() : shell == "zsh" ? zshScript() : shell == "fish" ? fishScript() : QString();
}

} // namespace cudal1::cli
