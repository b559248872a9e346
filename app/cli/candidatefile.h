// SPDX-License-Identifier: GPL-3.0-or-later
// A candidate's source from a file that the user named.
#pragma once

#include "core/base/result.h"

#include <QString>

#include <string>

namespace cudal1::cli {

base::Result<std::string> readCandidate(const QString& path);

} // namespace cudal1::cli
