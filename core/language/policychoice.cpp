// SPDX-License-Identifier: GPL-3.0-or-later
// Policies by name.
#include "core/language/policychoice.h"

#include "core/agents/agentpolicy.h"
#include "core/base/cuttext.h"
#include "core/language/combinedpolicy.h"
#include "core/language/languagepolicy.h"
#include "core/language/templatefolders.h"
#include "core/policy/techniquelibrary.h"

#include <algorithm>

namespace cudal1::language {

using base::Error;
using base::ErrorCode;

namespace {

using Made = base::Result<std::unique_ptr<policy::Policy>>;

bool namesModel(const std::string& name)
{
    return name.starts_with("endpoint:") || name.starts_with("local:") || name.starts_with("replay:");
}

bool namesAgent(const std::string& name)
{
    return name.starts_with("agent:");
}

std::vector<std::string> split(const std::string& text, const std::string& between)
{
    std::vector<std::string> out;
    std::size_t begin = 0;
    for (std::size_t at; (at = text.find(between, begin)) != text.npos; begin = at + between.size())
        out.emplace_back(base::trimmed(std::string_view(text).substr(begin, at - begin)));
    out.emplace_back(base::trimmed(std::string_view(text).substr(begin)));
    return out;
}

/// Stands for one that cannot be made any more, because a file went away, say: its search ends with the error.
class FailedPolicy : public policy::Policy {
public:
    explicit FailedPolicy(Error why) : m_why(std::move(why)) {}
    std::string name() const override { return "none"; }
    std::unique_ptr<policy::Question> ask(const policy::Prompt&, policy::Listener listener) override
    {
        listener.replied(m_why);
        return nullptr;
    }

private:
    Error m_why;
};

} // namespace

std::string storedName(const std::string& policy)
{
    if (policy == "library")
        return policy::TechniqueLibrary::storedName;
    const std::size_t colon = policy.find(':');
    return colon == std::string::npos ? policy : policy.substr(0, colon) + ": " + policy.substr(colon + 1);
}

base::Result<PolicyChoice> PolicyChoice::of(const std::string& names, const AskMethod& method)
{
    return of(split(names, ","), method);
}

base::Result<PolicyChoice> PolicyChoice::of(const std::vector<std::string>& names, const AskMethod& method)
{
    PolicyChoice out;
    out.m_names.clear();
    out.m_method = method;
    if (names.empty())
        return Error{ErrorCode::InvalidArgument, "No policy is chosen", {}, "Choose the library or a model"};
    for (const std::string& name : names) {
        const std::size_t colon = name.find(':');
        if (name != "library" && ((!namesModel(name) && !namesAgent(name)) || colon + 1 == name.size()))
            return Error{ErrorCode::InvalidArgument,
                         "There is no policy \"" + name + "\"",
                         {},
                         "A policy is library, endpoint:NAME, local:NAME, agent:NAME or replay:FILE; several are named "
                         "with commas between "
                         "them"};
        if (std::find(out.m_names.begin(), out.m_names.end(), name) != out.m_names.end())
            return Error{ErrorCode::InvalidArgument, "The policy " + name + " is named twice", {}, {}};
        out.m_names.push_back(name);
    }
    return out;
}

base::Result<PolicyChoice> PolicyChoice::ofRun(const std::string& policyName, const std::string& methodText)
{
    if (methodText.empty())
        return PolicyChoice();
    const auto method = methodFromJson(methodText);
    if (!method)
        return method.error();
    std::vector<std::string> names;
    for (const std::string& stored : split(policyName, " + ")) {
        const std::size_t colon = stored.find(": ");
        names.push_back(colon == stored.npos ? stored : stored.substr(0, colon) + ":" + stored.substr(colon + 2));
        if (stored == policy::TechniqueLibrary().name())
            names.back() = "library";
    }
    return of(names, *method);
}

bool PolicyChoice::asksModel() const
{
    return std::any_of(m_names.begin(), m_names.end(), &namesModel);
}

bool PolicyChoice::asksAgent() const
{
    return std::any_of(m_names.begin(), m_names.end(), &namesAgent);
}

std::string PolicyChoice::firstModel() const
{
    const auto found = std::find_if(m_names.begin(), m_names.end(), &namesModel);
    return found == m_names.end() ? std::string() : *found;
}

std::string PolicyChoice::namesText() const
{
    std::string out;
    for (const std::string& name : m_names)
        out += (out.empty() ? "" : ",") + name;
    return out;
}

std::string PolicyChoice::policyName() const
{
    std::string out;
    for (const std::string& name : m_names)
        out += (out.empty() ? "" : " + ") + storedName(name);
    return out;
}

std::string PolicyChoice::methodText() const
{
    return asksModel() || asksAgent() ? toJson(m_method) : std::string();
}

Made PolicyChoice::makeModel(const std::string& name, const AskMethod& method, const models::ModelSources& sources)
{
    auto templates = readTemplates();
    if (!templates)
        return templates.error();
    auto model = models::makeChatModel(name, sources);
    if (!model)
        return model.error();
    return Made(std::make_unique<LanguagePolicy>(std::move(*model), PromptBuilder(method, std::move(*templates))));
}

Made PolicyChoice::make(const LibraryFactory& library, const models::ModelSources& sources) const
{
    std::vector<std::unique_ptr<policy::Policy>> all;
    for (const std::string& name : m_names) {
        auto one = namesModel(name) ? makeModel(name, m_method, sources)
                 : namesAgent(name) ? agents::makeAgentPolicy(name.substr(name.find(':') + 1), sources)
                 : library          ? Made(library())
                                    : Made(std::make_unique<policy::TechniqueLibrary>());
        if (!one)
            return one.error();
        all.push_back(std::move(*one));
    }
    if (all.size() == 1)
        return Made(std::move(all.front()));
    return Made(std::make_unique<CombinedPolicy>(std::move(all)));
}

std::unique_ptr<policy::Policy> PolicyChoice::makeOrFail(const LibraryFactory& library,
                                                         const models::ModelSources& sources) const
{
    auto made = make(library, sources);
    return made ? std::move(*made) : std::make_unique<FailedPolicy>(made.error());
}

} // namespace cudal1::language
