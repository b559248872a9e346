// SPDX-License-Identifier: GPL-3.0-or-later
// Where a program finds its templates of prompts and the user's own.
#pragma once

#include "core/language/templates.h"

namespace cudal1::language {

/// cudal1-workbench/prompts in the user's folder of settings; the same for command line and window.
std::filesystem::path ownTemplates();
/// The program's templates with the user's own in their place. Errors as of Templates.
base::Result<Templates> readTemplates();

} // namespace cudal1::language
