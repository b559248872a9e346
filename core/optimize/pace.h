// SPDX-License-Identifier: GPL-3.0-or-later
// How far the evaluations of an optimise loop are, and how long the rest may take.
#pragma once

#include "core/protocol/messages.h"

#include <QElapsedTimer>

namespace cudal1::optimize {

class Pace {
public:
    void plan(int more) { m_planned += more; }
    void beginEvaluation();
    /// What the evaluator says of the evaluation that was begun.
    void see(const protocol::Progress& progress) { m_seen = progress; }
    /// The evaluation is over. `total_s` as the evaluator says, or 0 when it does not: then our own clock counts.
    void endEvaluation(double total_s);

    int done() const { return m_done; }
    int planned() const { return m_planned; }
    const protocol::Progress& seen() const { return m_seen; }
    double fraction() const; ///< of what is planned, with the part of the evaluation that was begun
    /// Seconds for the rest of what is planned, by the mean of what is done; -1 before the first.
    double left_s() const;

private:
    int m_done = 0, m_planned = 0;
    double m_seconds = 0; ///< spent in evaluations so far
    protocol::Progress m_seen;
    QElapsedTimer m_clock; ///< of the evaluation that was begun; not valid between evaluations
};

} // namespace cudal1::optimize
