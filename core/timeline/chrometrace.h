// SPDX-License-Identifier: GPL-3.0-or-later
// Timelines as files in Chrome's trace format, which Perfetto opens, and back without loss.
//
// The file is one object. "traceEvents" holds what such viewers show: each side is a process, each track a thread; the
// timed windows are the first row of a side, and a row of marks names what lies outside them; arrows lead from a call
// to what it put on the device. "cudal1_timeline" holds the rest. Times there are nanoseconds, in events microseconds
// with three decimals, all moved by "offset_ns" so that none is negative; both sides' first windows start at the same
// time.
#pragma once

#include "core/base/result.h"
#include "core/protocol/timeline.h"

#include <filesystem>
#include <iosfwd>
#include <stop_token>
#include <string_view>

namespace cudal1::timeline {

inline constexpr int traceVersion = 1;
/// A track's thread is its side's number, 1 for the reference and 2 for the candidate, times this, and its own: viewers
/// want threads to have numbers of their own across processes.
inline constexpr int threadsOfAProcess = 1'000'000;

/// Stops between two events when it is asked to; false then.
bool writeTrace(std::ostream& out, const protocol::TimelineAnswer& answer, std::stop_token stop = {});
/// Written whole or not at all. Unreadable when the file cannot be written, Cancelled when it was stopped.
base::Status saveTrace(const std::filesystem::path& path, const protocol::TimelineAnswer& answer,
                       std::stop_token stop = {});

/// `name` stands in errors. Unreadable for what is no trace or is damaged, InvalidArgument for another program's,
/// TooNew for a later version's.
base::Result<protocol::TimelineAnswer> readTrace(std::string_view text, const std::string& name);
base::Result<protocol::TimelineAnswer> loadTrace(const std::filesystem::path& path);
/// NotFound, or Unreadable for a folder.
base::Status traceFileIsThere(const std::filesystem::path& path);

} // namespace cudal1::timeline
