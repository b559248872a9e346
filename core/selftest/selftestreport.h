// SPDX-License-Identifier: GPL-3.0-or-later
// What a self-test found, section by section, and what that means for the numbers of this machine.
#pragma once

#include "core/selftest/selftest.h"

#include <string>
#include <vector>

namespace cudal1::selftest {

struct SectionReport {
    TestSection section = TestSection::Canaries;
    bool passed = true;
    int checks = 0, good = 0, off = 0, bad = 0;
    std::string rule;                  ///< the bound, in a sentence
    std::string meaning;               ///< when not passed: what it means for the user's numbers, and the next step
    std::vector<const CheckRow*> rows; ///< of the session that the report was made from
};

struct Report {
    std::vector<SectionReport> sections; ///< those that have rows
    int checks = 0;
    bool passed() const;
};

/// `rows` must outlive the report.
Report summarise(const std::vector<CheckRow>& rows);

} // namespace cudal1::selftest
