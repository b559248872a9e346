// SPDX-License-Identifier: GPL-3.0-or-later
// Controls of what writes to the project.
#pragma once

#include "ui/work/projectmodel.h"

#include <QVariant>

namespace cudal1::ui {

/// Turns a button or an action on where `possible`. In a project that may not be written it is off, and its tool tip
/// says so in place of its own, which is the one that it had at the first call. `writes`: for what it does now.
template<class Control>
void enableWriting(Control& control, const ProjectModel& project, bool possible = true, bool writes = true)
{
    constexpr const char* own = "tipWhereWritable";
    if (!control.property(own).isValid())
        control.setProperty(own, control.toolTip());
    const QString why = writes ? project.readOnlyReason() : QString();
    control.setEnabled(possible && why.isEmpty());
    control.setToolTip(why.isEmpty() ? control.property(own).toString() : why);
}

} // namespace cudal1::ui
