// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps numbers over many tasks to one version of a dataset: other versions give the same ids to other work.
#pragma once

#include "core/store/project.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace cudal1::charts {

/// Which tasks a statistic is about. Single files belong to no version and always count.
struct OneVersion {
    std::string suite;                  ///< of the tasks that count; empty when only single files do
    std::vector<bool> counts;           ///< for each row
    std::map<std::string, int> leftOut; ///< tried tasks of other versions, by suite
    int otherTexts = 0;                 ///< judged variants for another text of a task that counts

    /// What is left out, as a sentence or two; empty when nothing is.
    std::string sentence() const;
};

/// While none was tried all count, since they are in no number. The version is that of the rows that `preferred` says
/// yes to, when one of them was tried; else the one with most tried tasks.
OneVersion oneVersion(std::span<const store::TaskRow> rows,
                      const std::function<bool(const store::TaskRow&)>& preferred = {});

} // namespace cudal1::charts
