// SPDX-License-Identifier: GPL-3.0-or-later
// A variant as one Python file that runs with torch alone.
#include "core/report/reproducer.h"

#include "core/charts/numbertext.h"
#include "core/report/cells.h"
#include "core/report/reproducerprogram.h"

#include <QStringList>

namespace cudal1::report {

namespace {

/// A comment line each; foreign text cannot leave its comment.
std::string comment(const QString& text)
{
    QString out;
    for (const QString& line : charts::visible(text).split(QLatin1Char('\n')))
        out += (QStringLiteral("# ") + line).trimmed() + QLatin1Char('\n');
    return out.toStdString();
}

QString clockText(const char* name, const protocol::ClockSpeedup& clock)
{
    if (!clock.valid())
        return {};
    return QStringLiteral("%1: %2 (%3), %4 -> %5 a call\n")
        .arg(QLatin1String(name), charts::speedupText(clock.speedup), charts::intervalText(clock.speedup),
             charts::timeText(clock.reference_ns), charts::timeText(clock.candidate_ns));
}

QString judgementText(const protocol::Evaluation& e, std::int64_t when)
{
    QString text = QStringLiteral("Judged %1 UTC: %2\n").arg(charts::dateText(when), charts::verdictText(e.verdict));
    for (const auto* list : {&e.reasons, &e.labels})
        for (const protocol::Reason& reason : *list)
            text += QStringLiteral("  ") + fromUtf8(reason.text) + QStringLiteral(" [") + fromUtf8(reason.code) +
                    QStringLiteral("]\n");
    text += clockText("Speed-up by the wall clock", e.speedup.wall) + clockText("By events", e.speedup.event);
    text += QStringLiteral("Trials passed: %1 of %2; seed %3\n").arg(e.trials.passed).arg(e.trials.run).arg(e.seed);
    text += QStringLiteral("Device: ") + fromUtf8(e.device.model.empty() ? e.device.name : e.device.model) +
            (e.device.driver.empty() ? QString() : QStringLiteral(", driver ") + fromUtf8(e.device.driver)) +
            QLatin1Char('\n');
    text += QStringLiteral("Software: torch ") + fromUtf8(e.environment.torch) +
            (e.environment.cuda.empty() ? QString() : QStringLiteral(", CUDA ") + fromUtf8(e.environment.cuda)) +
            QStringLiteral(", Python ") + fromUtf8(e.environment.python) + QStringLiteral(", ") +
            fromUtf8(e.environment.os) + QLatin1Char('\n');
    return text;
}

} // namespace

std::string pythonLiteral(const std::string& text)
{
    const bool raw = text.find("'''") == std::string::npos && text.find('\r') == std::string::npos &&
                     text.find('\0') == std::string::npos &&
                     (text.empty() || (text.back() != '\\' && text.back() != '\''));
    if (raw)
        return "r'''" + text + "'''";
    std::string out = "'''";
    for (const char c : text) {
        if (c == '\\' || c == '\'')
            out += '\\';
        if (c == '\r')
            out += "\\r";
        else if (c == '\0')
            out += "\\x00";
        else
            out += c;
    }
    return out + "'''";
}

base::Result<std::string> reproducerOf(const store::Project& project, base::VariantId id)
{
    const auto variant = project.variant(id);
    if (!variant)
        return variant.error();
    const auto task = project.task(variant->task);
    if (!task)
        return task.error();
    if (variant->taskHash != task->hash)
        return base::Error{base::ErrorCode::InvalidArgument,
                           "The variant was made for another text of " + task->id.value,
                           "variant " + std::to_string(id.value),
                           "The project has only the present text; reproduce a variant of that"};
    const auto counted = project.countedEvaluation(id);
    if (!counted)
        return counted.error();

    QString head = QStringLiteral("Variant %1 of task %2 %3, from CUDA-L1 Workbench (%4).\n")
                       .arg(QString::number(id.value), fromUtf8(task->id.value), fromUtf8(task->name),
                            fromUtf8(variant->origin));
    head += QStringLiteral(
        "Compares it with the reference on several seeds and times both in pairs: python FILE --help\n"
        "It needs torch and nothing else. It runs the variant in this very process, without the judge's protection\n"
        "against programs that cheat, and with a simpler clock: expect its number near the judge's, not equal to "
        "it.\n\n");
    std::string precision = "kernelbench", device = "cuda";
    if (!*counted) {
        head += QStringLiteral("It was not judged yet.\n");
    } else {
        const auto evaluation = project.evaluation((*counted)->id);
        if (!evaluation)
            return evaluation.error();
        head += judgementText(*evaluation, (*counted)->created_ms);
        precision = protocol::toString(evaluation->precision.mode);
        device = evaluation->device.name == "cpu" ? "cpu" : "cuda";
    }
    std::string out = "#!/usr/bin/env python3\n" + comment(head.trimmed()) + "\n";
    out += "PRECISION = \"" + precision + "\"\nDEVICE = \"" + device + "\"\n\n";
    out += "REFERENCE = " + pythonLiteral(task->source) + "\n\n";
    out += "VARIANT = " + pythonLiteral(variant->source) + "\n";
    return out + reproducerProgram;
}

} // namespace cudal1::report
