// SPDX-License-Identifier: GPL-3.0-or-later
// How far work is, and how long the rest may take.
#pragma once

#include <QElapsedTimer>

namespace cudal1::crew {

/// Counts in units of the caller, such as evaluations. The time left follows from the whole rather than from each unit,
/// since several are under way at a time.
class Pace {
public:
    void plan(double more) { m_planned += more; }
    /// Until pause() the time counts as spent on the work.
    void go();
    /// `took_s` takes the place of the time since go() where it is above 0: what an evaluator says of its work.
    void pause(double took_s = 0);
    void finish(double units = 1) { m_done += units; }
    /// What was done before, and took no time now.
    void pass(double units = 1);
    /// What is done of the units that are under way.
    void setPart(double units) { m_part = units; }

    double planned() const { return m_planned; }
    double done() const { return m_done; }
    double fraction() const; ///< of what is planned
    /// Seconds for the rest of what is planned; -1 before the first unit is finished.
    double left_s() const;
    double spent_s() const;

private:
    double m_planned = 0, m_done = 0, m_passed = 0, m_part = 0;
    double m_spent_s = 0;  ///< before the last pause
    QElapsedTimer m_clock; ///< since the last go(); not valid in a pause
};

} // namespace cudal1::crew
