// SPDX-License-Identifier: GPL-3.0-or-later
// Options of verbs that ask policies: --policy, --method and what belongs to them.
#pragma once

#include "core/language/policychoice.h"

#include <QCommandLineOption>
#include <QCommandLineParser>
#include <QList>

namespace cudal1::cli {

/// --policy, those of a method, and limits of what models may take.
QList<QCommandLineOption> policyOptions();
/// --method, --samples, --turns, --no-repair, --sampler and --without, for verbs that ask a model anyway.
QList<QCommandLineOption> methodOptions();
/// InvalidArgument for a word or a number that is none.
base::Result<language::AskMethod> readMethod(const QCommandLineParser& parser);
/// InvalidArgument for a name that is none, for a policy named twice, and for options of a method without a model.
base::Result<language::PolicyChoice> readPolicies(const QCommandLineParser& parser);

} // namespace cudal1::cli
