// SPDX-License-Identifier: GPL-3.0-or-later
// What a task costs in sum.
#pragma once

#include "core/costs/program.h"

namespace cudal1::costs {

/// Bytes unless a name says otherwise.
struct Costs {
    Flops flops;
    double read_bytes = 0;    ///< inputs and parameters once, and no more than the operators as written read
    double written_bytes = 0; ///< outputs once
    double input_bytes = 0, parameter_bytes = 0, buffer_bytes = 0;
    double parameter_count = 0;
    double intermediates_bytes = 0; ///< most that results and intermediates hold at once
    double operator_bytes = 0;      ///< what the operators move if each reads and writes its own; of a table its rows
    std::size_t operators = 0;
    bool complete = true; ///< false: the list of operators ends early, so flops and intermediates are too low

    /// What any implementation must move at least, when it reads each input and parameter and writes each output once.
    double minimum_bytes() const { return read_bytes + written_bytes; }
    /// What one process holds at the height of a forward.
    double forward_bytes() const { return input_bytes + parameter_bytes + buffer_bytes + intermediates_bytes; }
};

Costs costsOf(const Program& program);

} // namespace cudal1::costs
