// SPDX-License-Identifier: GPL-3.0-or-later
// What a person writes for one input of a module or for its constructor, checked and put into the form of a task file.
#pragma once

#include "core/base/result.h"
#include "core/tasks/modulescan.h"

#include <string>
#include <string_view>
#include <vector>

namespace cudal1::tasks {

/// The generators of torch that an input may call: "randn", "randint", …
const std::vector<std::string>& inputGenerators();

/// `randn(8,3,dtype=float16)` becomes `torch.randn(8, 3, dtype=torch.float16)`; a number, bool or string stays what it
/// is. Arguments are numbers, strings, bools, None, tuples and lists of those, dtypes, and names that `module` binds at
/// its top level. InvalidArgument, with the place in its context, for anything else: the text is never run to find out.
base::Result<std::string> inputExpression(std::string_view spec, const ModuleScan& module);

/// `64, 10, bias` as its values, each in the form of a task file: Python literals (dictionaries too) and names that
/// `module` binds. A text that is blank has none.
base::Result<std::vector<std::string>> constructorValues(std::string_view text, const ModuleScan& module);

} // namespace cudal1::tasks
