// SPDX-License-Identifier: GPL-3.0-or-later
// The manual page.
#include "app/cli/help.h"
#include "app/cli/usageexamples.h"
#include "app/cli/verbs.h"

#include <QCoreApplication>

namespace cudal1::cli {

namespace {

/// Text as troff reads it: hyphens that can be copied, and no line that begins with a control character.
QString troff(QString text)
{
    text = text.simplified();
    text.replace('\\', "\\e");
    text.replace('-', "\\-");
    text.replace('"', "\\(dq");
    text.replace('\'', "\\(aq");
    text.replace('`', "\\(ga");
    return text.startsWith('.') ? "\\&" + text : text;
}

QString optionsText(const QList<QCommandLineOption>& options)
{
    QString out;
    for (const QCommandLineOption& option : options)
        out += ".TP\n\\fB" + troff(optionText(option)) + "\\fR\n" + troff(option.description()) + "\n";
    return out;
}

QString verbText(const Verb& verb)
{
    QString out = ".SS \"cudal1 " + troff(usage(verb)) + "\"\n" + troff(verb.help) + "\n" + optionsText(verb.options);
    for (const UsageExample& example : examplesOf(verb.name))
        out += ".PP\n" + troff(QString(example.what) + ":") + "\n.PP\n.RS 4\n.EX\ncudal1 " + troff(example.command) +
               "\n.EE\n.RE\n";
    return out;
}

} // namespace

QString manualPage()
{
    QString out = ".TH CUDAL1 1 \"\" \"cudal1 " + troff(QCoreApplication::applicationVersion()) +
                  "\" \"User commands\"\n"
                  ".SH NAME\ncudal1 \\- make PyTorch modules faster and prove it\n"
                  ".SH SYNOPSIS\n\\fBcudal1\\fR \\fIVERB\\fR [\\fIoptions\\fR]\n"
                  ".SH DESCRIPTION\n" +
                  troff("A verb is one word or two, and has arguments and options of its own. TASK is LEVEL/ID of the "
                        "suite (3/41), or a file.") +
                  "\n.SH OPTIONS OF EVERY VERB\n" + optionsText(globalOptions()) + ".SH VERBS\n";
    for (const Verb& verb : verbs())
        out += verbText(verb);
    return out + ".SH ENVIRONMENT\n.TP\n\\fBCUDAL1_EVALUATOR\\fR\n" +
           troff("A command that starts the evaluator, such as \"ssh gpu1 cudal1-evaluator\".") +
           "\n.TP\n\\fBNO_COLOR\\fR\n" +
           troff("Where it is set, nothing is coloured, unless --color always is given.") + "\n.SH EXIT STATUS\n" +
           troff(exitStatuses()) + "\n";
}

} // namespace cudal1::cli
