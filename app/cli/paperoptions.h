// SPDX-License-Identifier: GPL-3.0-or-later
// The options of the preset `paper` and what the project knows for its rules.
#pragma once

#include "app/cli/settings.h"
#include "core/base/result.h"
#include "core/store/project.h"

#include <QCommandLineOption>
#include <QCommandLineParser>
#include <QList>

#include <string>
#include <vector>

namespace cudal1::cli {

QList<QCommandLineOption> paperOptions();
/// An error names the option or the word that is wrong. Options of this preset are refused with another.
base::Result<protocol::PaperRules> paperRules(const QCommandLineParser& parser, const Settings& settings);
/// The largest speed-up of a correct variant in these rows on this device model with this precision, by events where
/// there are any, as the paper counts; 0 when there is none.
double bestSoFar(const std::vector<store::VariantRow>& rows, const std::string& deviceModel,
                 protocol::Precision precision);

} // namespace cudal1::cli
