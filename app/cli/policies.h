// SPDX-License-Identifier: GPL-3.0-or-later
// Which policies a verb asks, and how: --policy, --method and what belongs to them.
#pragma once

#include "core/language/askmethod.h"
#include "core/language/templates.h"
#include "core/models/makechatmodel.h"
#include "core/policy/policy.h"

#include <QCommandLineOption>
#include <QCommandLineParser>
#include <QList>

#include <memory>
#include <string>
#include <vector>

namespace cudal1::cli {

/// --policy, those of a method, and limits of what models may take.
QList<QCommandLineOption> policyOptions();
/// --method, --samples, --turns, --no-repair, --sampler and --without, for verbs that ask a model anyway.
QList<QCommandLineOption> methodOptions();
/// InvalidArgument for a word or a number that is none.
base::Result<language::AskMethod> readMethod(const QCommandLineParser& parser);
/// The program's templates with the user's own, from the folder that ownTemplates() names.
base::Result<language::Templates> readTemplates();
std::filesystem::path ownTemplates();
/// "endpoint: qwen3" of "endpoint:qwen3": as samples and variants name it.
std::string storedName(const std::string& policy);

class PolicyChoice {
public:
    /// InvalidArgument for a name that is none, for a policy named twice, and for options of a method without a model.
    static base::Result<PolicyChoice> read(const QCommandLineParser& parser);
    /// The same of names as --policy has them.
    static base::Result<PolicyChoice> of(const std::string& names, const language::AskMethod& method);

    /// A policy of its own each time. NotFound and Unavailable as chatModel(); errors of templates.
    base::Result<std::unique_ptr<policy::Policy>> make(const models::ModelSources& sources = {}) const;
    /// What a run remembers of the method; empty where no model is asked.
    std::string methodText() const;
    const std::vector<std::string>& names() const { return m_names; }

private:
    base::Result<std::unique_ptr<policy::Policy>> make(const std::string& name,
                                                       const models::ModelSources& sources) const;

    std::vector<std::string> m_names;
    language::AskMethod m_method;
};

} // namespace cudal1::cli
