// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what the page of experiments shows, on a worker with a connection of its own. Values in, const values out.
#pragma once

#include "core/experiment/experimentcurves.h"
#include "core/experiment/experimentrecord.h"

#include <QString>

#include <memory>
#include <vector>

namespace cudal1::ui {

struct ExperimentView {
    std::vector<experiment::ExperimentRecord> all; ///< newest first
    experiment::ExperimentRecord shown;            ///< without an id where there is none
    std::vector<experiment::Arm> arms;
    std::vector<experiment::CellResult> results;
    std::vector<experiment::ExperimentRow> rows;
    std::vector<std::string> units; ///< in which a run has cost something
    models::Ledger::Totals spent;

    int done() const;
    int failed() const;
    QString firstTrouble() const; ///< of a run that failed
};

/// Of `wanted`; without it, or where it is gone, of one that is running, else of the newest.
base::Result<std::shared_ptr<const ExperimentView>> loadExperiment(const QString& projectFile, base::RunId wanted);

} // namespace cudal1::ui
