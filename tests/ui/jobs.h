// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs of the window, for tests that start none.
#pragma once

#include "ui/work/jobsmodel.h"

namespace cudal1::tests {

using ui::Job;

inline Job optimizing(const char* task, const char* device = "cpu")
{
    ui::OptimizeJob what;
    what.options.task.id = {task};
    Job job;
    job.request.places = {{{}, QString::fromLatin1(device), QString::fromLatin1(device)}};
    job.request.what = what;
    return job;
}

} // namespace cudal1::tests
