// SPDX-License-Identifier: GPL-3.0-or-later
// Which policies are asked, and how: by names that a person gives.
#pragma once

#include "core/language/askmethod.h"
#include "core/models/makechatmodel.h"
#include "core/policy/policy.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cudal1::language {

/// "library" is the technique library, "endpoint:NAME" and "local:NAME" are models that the user has named,
/// "agent:NAME" is a coding agent that the user has named, and "replay:FILE" is what a model has answered before.
class PolicyChoice {
public:
    /// What stands for the library.
    using LibraryFactory = std::function<std::unique_ptr<policy::Policy>()>;

    PolicyChoice() = default; ///< the library alone

    /// InvalidArgument for a name that is none and for a policy named twice.
    static base::Result<PolicyChoice> of(const std::vector<std::string>& names, const AskMethod& method);
    /// The same of names with commas between.
    static base::Result<PolicyChoice> of(const std::string& names, const AskMethod& method);
    /// The choice that a run was begun with, by what its row says of policy and method. The library where the run has
    /// no method, since then neither a model nor an agent was asked. InvalidArgument for a policy that cannot be told
    /// from its name.
    static base::Result<PolicyChoice> ofRun(const std::string& policyName, const std::string& methodText);

    /// A policy of its own each time. NotFound and Unavailable as models::makeChatModel() and
    /// agents::makeAgentPolicy(); errors of templates.
    base::Result<std::unique_ptr<policy::Policy>> make(const LibraryFactory& library = {},
                                                       const models::ModelSources& sources = {}) const;
    /// Where it cannot be made: a policy that answers every question with the error.
    std::unique_ptr<policy::Policy> makeOrFail(const LibraryFactory& library = {},
                                               const models::ModelSources& sources = {}) const;

    const std::vector<std::string>& names() const { return m_names; }
    std::string namesText() const; ///< with commas between
    /// What policy::Policy::name() of the made policy says, without making it, which may ask for a key: "technique
    /// library + endpoint: qwen3". A replay has the name of its file here.
    std::string policyName() const;
    const AskMethod& method() const { return m_method; }
    bool asksModel() const; ///< a language model, by prompts of ours
    bool asksAgent() const;
    std::string firstModel() const; ///< "endpoint:qwen3"; empty where none is asked
    /// What a run remembers of the method; empty where neither a model nor an agent is asked.
    std::string methodText() const;

    bool operator==(const PolicyChoice&) const = default;

private:
    static base::Result<std::unique_ptr<policy::Policy>> makeModel(const std::string& name, const AskMethod& method,
                                                                   const models::ModelSources& sources);

    std::vector<std::string> m_names{"library"};
    AskMethod m_method;
};

/// "endpoint: qwen3" of "endpoint:qwen3", "technique library" of "library": as samples and variants name it.
std::string storedName(const std::string& policy);

} // namespace cudal1::language
