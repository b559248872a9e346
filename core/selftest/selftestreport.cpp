// SPDX-License-Identifier: GPL-3.0-or-later
// Bounds of each section and the words for what failed.
#include "core/selftest/selftestreport.h"

#include "core/base/percenttext.h"
#include "core/protocol/codes.h"
#include "core/selftest/bounds.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cudal1::selftest {

namespace {

// What is promised of one session (docs/measuring/trusting.md): its interval holds the truth in at least 92 of 100, is
// above 1.01 for equal work in at most 1 of 100, and finds 5 % in at least 98.
constexpr double mostBeside = 0.08, mostFalseGains = 0.01, mostUnseen = 0.02;
constexpr double falseGain = 1.01;
constexpr int surelySeen = 5; ///< per cent

std::string count(int number, const std::string& what)
{
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

template<class Test> int counted(const SectionReport& section, Test test)
{
    return int(
        std::count_if(section.rows.begin(), section.rows.end(), [&](const CheckRow* row) { return test(*row); }));
}

template<class Test> std::string named(const SectionReport& section, Test test)
{
    std::string out;
    for (const CheckRow* row : section.rows)
        if (test(*row))
            out += (out.empty() ? "" : ", ") + row->check.name;
    return out;
}

bool isBad(const CheckRow& row)
{
    return !row.finding.good();
}

bool wasBusy(const CheckRow& row)
{
    return machineWasBusy(row.answer);
}

/// How far the estimates lie from what they should be, at most.
double worstError(const SectionReport& section)
{
    double worst = 0;
    for (const CheckRow* row : section.rows)
        if (const base::Interval wall = row->answer.wall(); wall.valid())
            worst = std::max(worst, std::abs(wall.estimate / ratioOfSlower(row->check.percent) - 1));
    return worst;
}

std::string busyText(const SectionReport& section)
{
    const int busy = counted(section, wasBusy);
    if (busy == 0)
        return "None of these sessions says that other work wanted the machine, yet it may have: repeat with nothing "
               "else running; if that "
               "does not help, its clock moves (governor, heat, power limit).";
    return std::to_string(busy) + " of " + count(section.checks, "session") + " say" + (busy == 1 ? "s" : "") +
           " that other work wanted the machine: end that, and repeat.";
}

/// Rows whose verdict, not whose time, is wrong.
bool hasNoTime(const CheckRow& row)
{
    return !row.answer.wall().valid();
}

void judgeSessions(SectionReport& section)
{
    const int beside = section.off + section.bad, mostAllowed = allowedMisses(section.checks, mostBeside);
    section.rule = "at most " + std::to_string(mostAllowed) + " of " + count(section.checks, "interval") +
                   " beside the truth or wider than ±10 %, none beside it by more than 5 %";
    section.passed = section.bad == 0 && beside <= mostAllowed;
    if (section.section == TestSection::Same) {
        const int gains = counted(section, [](const CheckRow& row) {
            return row.answer.wall().valid() && row.answer.wall().low > falseGain;
        });
        const int allowed = allowedMisses(section.checks, mostFalseGains);
        section.rule += ", at most " + std::to_string(allowed) + " above 1.01";
        section.passed = section.passed && gains <= allowed;
    } else {
        const auto isLarge = [](const CheckRow& row) { return row.check.percent == surelySeen; };
        const int large = counted(section, isLarge), allowed = allowedMisses(large, mostUnseen);
        const int seen = counted(section, [&](const CheckRow& row) {
            return isLarge(row) && row.answer.wall().valid() && row.answer.wall().high < 1;
        });
        section.rule += ", at least " + std::to_string(large - allowed) + " of " + std::to_string(large) +
                        " of 5 % found";
        section.passed = section.passed && large - seen <= allowed;
    }
    if (section.passed)
        return;
    if (counted(section, hasNoTime) > 0) {
        section.meaning = "Correct code got no time here (" + named(section, hasNoTime) +
                          "): trust no verdict of this machine before that is solved.";
        return;
    }
    const std::string worst = base::finePercentText(worstError(section));
    section.meaning = (section.section == TestSection::Same
                           ? "Equal work came out up to " + worst +
                                 " apart, so a speed-up of that size means nothing here. "
                           : "Known slow-downs came out up to " + worst +
                                 " wrong, so gains and losses of a few per cent are not seen here. ") +
                      busyText(section);
}

void judgePrograms(SectionReport& section)
{
    section.passed = section.off + section.bad == 0;
    const std::string names = named(section, isBad);
    switch (section.section) {
    case TestSection::Canaries:
        section.rule = "every one";
        if (std::all_of(section.rows.begin(), section.rows.end(),
                        [](const CheckRow* row) { return row->finding.mark != Grade::Bad || wasBusy(*row); })) {
            section.meaning = "Other work wanted the machine, or its clock moved, each time that " + names +
                              " was judged, so that nothing follows: end other work, and repeat.";
            break;
        }
        section.meaning = "The judge does not see what nobody could miss (" + names +
                          "): trust neither verdicts nor speed-ups of this machine before that is solved.";
        break;
    case TestSection::Exploits:
        section.rule = "none may be accepted with a gain";
        section.meaning = "These cheats got through: " + names +
                          ". A speed-up of code that you did not write may be one of them; read the winner, and do not "
                          "use the numbers as a reward.";
        break;
    default:
        section.rule = "none may be rejected or labelled";
        section.meaning = "Honest code was taken for a cheat (" + names +
                          "): a good variant may be lost here. Look at its reasons with --json, and report them.";
    }
    if (section.passed)
        section.meaning.clear();
}

} // namespace

bool Report::passed() const
{
    return std::all_of(sections.begin(), sections.end(), [](const SectionReport& section) { return section.passed; });
}

Report summarise(const std::vector<CheckRow>& rows)
{
    Report out;
    for (const TestSection wanted : allSections) {
        SectionReport section;
        section.section = wanted;
        for (const CheckRow& row : rows) {
            if (row.check.section != wanted)
                continue;
            section.rows.push_back(&row);
            ++section.checks;
            ++(row.finding.mark == Grade::Good  ? section.good
               : row.finding.mark == Grade::Off ? section.off
                                                : section.bad);
        }
        if (section.rows.empty())
            continue;
        std::stable_sort(section.rows.begin(), section.rows.end(), [](const CheckRow* a, const CheckRow* b) {
            return a->check.percent != b->check.percent ? a->check.percent < b->check.percent
                                                        : a->check.name < b->check.name;
        });
        const bool planted = wanted != TestSection::Same && wanted != TestSection::Slower;
        planted ? judgePrograms(section) : judgeSessions(section);
        out.checks += section.checks;
        out.sections.push_back(std::move(section));
    }
    return out;
}

} // namespace cudal1::selftest
