// SPDX-License-Identifier: GPL-3.0-or-later
// Policies by name.
#include "app/cli/policies.h"

#include "app/cli/chatmodels.h"
#include "core/language/combinedpolicy.h"
#include "core/language/languagepolicy.h"
#include "core/policy/techniquelibrary.h"

#include <QCoreApplication>
#include <QStandardPaths>
#include <QStringList>

#include <algorithm>

namespace cudal1::cli {

using base::Error;
using base::ErrorCode;
using language::AskMethod;

namespace {

constexpr const char* ofMethods[] = {"method",  "samples",      "turns",      "no-repair",    "sampler",
                                     "without", "limit-tokens", "limit-cost", "limit-seconds"};

bool asksModel(const std::string& name)
{
    return name.starts_with("endpoint:") || name.starts_with("local:") || name.starts_with("replay:");
}

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
        {"method", "How a model is asked: vanilla (default), evolve, contrastive or multi-turn.", "NAME", "vanilla"},
        {"samples", "Replies of a model to a question (default 4); of multi-turn, conversations side by side.", "N",
         "4"},
        {"turns", "multi-turn: replies of a conversation (default 3).", "N", "3"},
        {"no-repair", "Do not ask a model to mend what the judge has rejected."},
        {"sampler", "Exemplars by bucket (default of contrastive), islands (default of evolve), random or best.",
         "NAME"},
        {"without",
         "Leave parts out of prompts: task, reference, costs, operators, timeline, exemplars, failures, effects, protocol, "
         "toggles, restrictions.",
         "PARTS"}};
}

QList<QCommandLineOption> policyOptions()
{
    return QList<QCommandLineOption>{
               {"policy",
                "Who proposes: library (default), endpoint:NAME, local:NAME, or replay:FILE.cudal1, what a model has "
                "answered in that project; several with commas between.",
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
    if (method.kind != AskMethod::Kind::MultiTurn && parser.isSet("turns"))
        return Error{ErrorCode::InvalidArgument, "--turns needs --method multi-turn", {}, {}};
    if (const auto status = language::check(method); !status)
        return status.error();
    return method;
}

std::filesystem::path ownTemplates()
{
    const QString config = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation);
    return std::filesystem::path(config.toStdString()) / "cudal1-workbench" / "prompts";
}

base::Result<language::Templates> readTemplates()
{
    const auto folder = language::Templates::bundled(QCoreApplication::applicationDirPath().toStdString());
    return folder ? language::Templates::load(*folder, ownTemplates()) : folder.error();
}

std::string storedName(const std::string& policy)
{
    const std::size_t colon = policy.find(':');
    return colon == std::string::npos ? policy : policy.substr(0, colon) + ": " + policy.substr(colon + 1);
}

base::Result<PolicyChoice> PolicyChoice::read(const QCommandLineParser& parser)
{
    const auto method = readMethod(parser);
    if (!method)
        return method.error();
    auto out = of(parser.value("policy").toStdString(), *method);
    if (!out || !out->methodText().empty())
        return out;
    for (const char* name : ofMethods)
        if (parser.isSet(name))
            return Error{ErrorCode::InvalidArgument,
                         "--" + std::string(name) + " is for a language model, and none is asked",
                         {},
                         "Name one with --policy endpoint:NAME"};
    return out;
}

base::Result<PolicyChoice> PolicyChoice::of(const std::string& names, const AskMethod& method)
{
    PolicyChoice out;
    out.m_method = method;
    for (const QString& word : QString::fromStdString(names).split(QLatin1Char(','))) {
        const std::string name = word.trimmed().toStdString();
        if (name.starts_with("agent:"))
            return Error{ErrorCode::Unavailable, "This build has no agents", name, "--policy library needs none"};
        const std::size_t colon = name.find(':');
        if (name != "library" && (!asksModel(name) || colon + 1 == name.size()))
            return Error{
                ErrorCode::InvalidArgument,
                "There is no policy \"" + name + "\"",
                {},
                "--policy is library, endpoint:NAME, local:NAME or replay:FILE, or several of them with commas between"};
        if (std::find(out.m_names.begin(), out.m_names.end(), name) != out.m_names.end())
            return Error{ErrorCode::InvalidArgument, "The policy " + name + " is named twice", {}, {}};
        out.m_names.push_back(name);
    }
    return out;
}

std::string PolicyChoice::methodText() const
{
    return std::any_of(m_names.begin(), m_names.end(), &asksModel) ? language::toJson(m_method) : std::string();
}

base::Result<std::unique_ptr<policy::Policy>> PolicyChoice::make(const std::string& name,
                                                                 const models::ModelSources& sources) const
{
    if (!asksModel(name))
        return std::unique_ptr<policy::Policy>(std::make_unique<policy::TechniqueLibrary>());
    auto templates = readTemplates();
    if (!templates)
        return templates.error();
    auto model = chatModel(name, sources);
    if (!model)
        return model.error();
    return std::unique_ptr<policy::Policy>(std::make_unique<language::LanguagePolicy>(
        std::move(*model), language::PromptBuilder(m_method, std::move(*templates))));
}

base::Result<std::unique_ptr<policy::Policy>> PolicyChoice::make(const models::ModelSources& sources) const
{
    if (m_names.size() == 1)
        return make(m_names.front(), sources);
    std::vector<std::unique_ptr<policy::Policy>> all;
    for (const std::string& name : m_names) {
        auto one = make(name, sources);
        if (!one)
            return one.error();
        all.push_back(std::move(*one));
    }
    return std::unique_ptr<policy::Policy>(std::make_unique<language::CombinedPolicy>(std::move(all)));
}

} // namespace cudal1::cli
