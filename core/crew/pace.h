// SPDX-License-Identifier: GPL-3.0-or-later
// How far a piece of work is, and how long the rest of it may take.
#pragma once

#include <QElapsedTimer>

namespace cudal1::crew {

/// The caller chooses the unit in which work is counted, such as evaluations. The time that is left is worked out from
/// all finished units together, since several are under way at a time and the time of one alone says little. Used from
/// one thread.
class Pace {
public:
    /// Adds units to those that are to be done.
    void plan(double more) { m_planned += more; }
    /// What a unit is likely to take, by what is known before any is finished. Later it weighs as much as one of them.
    void expect(double unit_s) { m_expected_s = unit_s; }
    /// Starts the clock. The time from now until pause() counts as spent on the work.
    void go();
    /// Stops the clock. Where `took_s` is above 0, it counts instead of the time since go(): an evaluator may know
    /// better how long it has worked.
    void pause(double took_s = 0);
    /// These units are finished.
    void finish(double units = 1) { m_done += units; }
    /// These units were finished earlier, by a run that this one goes on with: they count as done, and took no time.
    void pass(double units = 1);
    /// How much of the units under way is done by now. It takes the place of what was said before.
    void setPart(double units) { m_part = units; }

    double planned() const { return m_planned; } ///< units that were planned so far
    double done() const { return m_done; }       ///< finished and passed units
    double fraction() const;                     ///< done share of what is planned, from 0 to 1; 0 of nothing
    /// Seconds that a unit takes at the pace so far; -1 while none is finished and nothing was expected.
    double unit_s() const;
    /// Seconds that the rest of what is planned will take at that pace; -1 while it is not known.
    double left_s() const;
    /// No unit is finished: what unit_s() and left_s() say was expected, and is not measured.
    bool isGuess() const { return m_done <= m_passed; }
    double spent_s() const; ///< seconds on the clock so far

private:
    double m_planned = 0, m_done = 0, m_passed = 0, m_part = 0;
    double m_expected_s = -1;
    double m_spent_s = 0;  ///< until the last pause()
    QElapsedTimer m_clock; ///< runs since the last go(); invalid during a pause
};

} // namespace cudal1::crew
