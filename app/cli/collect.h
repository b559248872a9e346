// SPDX-License-Identifier: GPL-3.0-or-later
// Options of `cudal1 collect`.
#pragma once

#include <QCommandLineOption>
#include <QList>

namespace cudal1::cli {

QList<QCommandLineOption> collectOptions();

} // namespace cudal1::cli
