// SPDX-License-Identifier: GPL-3.0-or-later
// Policies and methods from options.
#include "app/cli/policies.h"

#include "app/cli/runlimits.h"

#include <QFile>

namespace cudal1::cli {

using base::Error;
using base::ErrorCode;
using language::AskMethod;

namespace {

constexpr const char* ofMethods[] = {"method",  "prompt",  "samples",      "turns",      "no-repair",
                                     "sampler", "without", "limit-tokens", "limit-cost", "limit-seconds"};

base::Result<int> numberOf(const QCommandLineParser& parser, const char* name)
{
    bool good = false;
    const int value = parser.value(name).toInt(&good);
    if (good)
        return value;
    return Error{ErrorCode::InvalidArgument,
                 "--" + std::string(name) + " is a whole number from 1, not \"" + parser.value(name).toStdString() +
                     "\"",
                 {},
                 {}};
}

} // namespace

QList<QCommandLineOption> methodOptions()
{
    return {
        {"method", "How a model is asked (default vanilla).", "vanilla|evolve|contrastive|multi-turn", "vanilla"},
        {"samples", "Replies of a model to a question (default 4); of multi-turn, conversations side by side.", "N",
         "4"},
        {"turns", "multi-turn: replies of a conversation (default 3).", "N", "3"},
        {"no-repair", "Do not ask a model to mend what the judge has rejected."},
        {"sampler", "Which exemplars are shown (default: bucket with contrastive, islands with evolve).",
         "bucket|islands|random|best"},
        {"without",
         "Leave parts out of prompts: task, reference, costs, operators, timeline, exemplars, failures, effects, "
         "protocol, toggles, restrictions.",
         "PARTS"},
        {"prompt",
         "Ask with the text of FILE, word for word, in place of the prompt that is built: what `cudal1 prompt TASK` "
         "printed, edited as you like, or what `cudal1 samples show SAMPLE --prompt` prints.",
         "FILE"}};
}

QList<QCommandLineOption> policyOptions()
{
    return QList<QCommandLineOption>{
               {"policy",
                "Who proposes: library (default), endpoint:NAME, local:NAME, agent:NAME, or replay:FILE.cudal1, what "
                "a model has answered in that project; several with commas between.",
                "NAMES", "library"}} +
           methodOptions() + limitOptions();
}

base::Result<AskMethod> readMethod(const QCommandLineParser& parser)
{
    AskMethod method;
    const auto kind = language::kindFromText(parser.value("method").toStdString());
    if (!kind)
        return kind.error();
    method.kind = *kind;
    const auto samples = numberOf(parser, "samples"), turns = numberOf(parser, "turns");
    if (!samples)
        return samples.error();
    if (!turns)
        return turns.error();
    method.samples = *samples;
    method.turns = *turns;
    method.repair = !parser.isSet("no-repair");
    method.sampler = parser.value("sampler").toStdString();
    const auto without = language::partsFromText(parser.value("without").toStdString());
    if (!without)
        return without.error();
    method.without = *without;
    if (parser.isSet("prompt")) {
        QFile file(parser.value("prompt"));
        if (!file.open(QIODevice::ReadOnly))
            return Error{ErrorCode::Unreadable, "The prompt cannot be read: " + file.errorString().toStdString(),
                         parser.value("prompt").toStdString(), "Check the path"};
        method.text = file.readAll().toStdString();
        if (method.text.empty())
            return Error{ErrorCode::InvalidArgument, "The prompt is empty", parser.value("prompt").toStdString(), {}};
        for (const char* name : {"without", "sampler"})
            if (parser.isSet(name))
                return Error{ErrorCode::InvalidArgument,
                             "--" + std::string(name) + " changes nothing in a prompt that --prompt gives whole",
                             {},
                             {}};
    }
    if (method.kind != AskMethod::Kind::MultiTurn && parser.isSet("turns"))
        return Error{ErrorCode::InvalidArgument, "--turns needs --method multi-turn", {}, {}};
    if (const auto status = language::check(method); !status)
        return status.error();
    return method;
}

base::Result<language::PolicyChoice> readPolicies(const QCommandLineParser& parser)
{
    const auto method = readMethod(parser);
    if (!method)
        return method.error();
    auto out = language::PolicyChoice::of(parser.value("policy").toStdString(), *method);
    if (!out || out->asksModel())
        return out;
    for (const char* name : ofMethods)
        if (parser.isSet(name))
            return Error{ErrorCode::InvalidArgument,
                         "--" + std::string(name) + " is for a language model, and none is asked",
                         {},
                         "Name one with --policy endpoint:NAME"};
    return out;
}

} // namespace cudal1::cli
