// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks as a client may name them: of the suite, of the project, or as the text of a reference. Never a path, since a
// client may not read files of this machine.
#pragma once

#include "core/store/project.h"
#include "core/tasks/suite.h"

#include <string>

namespace cudal1::serve {

/// Used on the project's thread; the project must outlive it.
class TaskBook {
public:
    TaskBook(tasks::Suite suite, const store::Project& project);

    /// Whether ofText() takes anything. A reference is run where no candidate is, so who sends one is trusted.
    void setTakesTexts(bool takes) { m_takesTexts = takes; }

    const tasks::Suite& suite() const { return m_suite; }
    /// "3/41", the name of a task of a suite without levels, or the id of a task that the project has, under the id
    /// that the project keeps this text under. NotFound with what is near.
    base::Result<store::TaskRecord> named(const std::string& id) const;
    /// The task of the suite with this very text, else a task of its own: its id is "text/" and the start of its hash.
    /// InvalidArgument when the text defines no task, or none is taken.
    base::Result<store::TaskRecord> ofText(const std::string& reference) const;

private:
    base::Result<store::TaskRecord> kept(const tasks::Task& task) const;

    tasks::Suite m_suite;
    const store::Project& m_project;
    bool m_takesTexts = true;
};

} // namespace cudal1::serve
