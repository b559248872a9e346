// SPDX-License-Identifier: GPL-3.0-or-later
// Where a project keeps that a task file was imported by the evaluator.
#pragma once

#include "core/farm/launcher.h"

#include <string>

namespace cudal1::cli {

/// An import that worked stays known for this text of the file and this evaluator. One that failed is tried again: what
/// it lacked may have been installed since.
inline std::string inspectionKey(const std::string& hash)
{
    return "inspection/1/" + farm::Launcher::standard().text().toStdString() + "/" + hash;
}

} // namespace cudal1::cli
