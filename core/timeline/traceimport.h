// SPDX-License-Identifier: GPL-3.0-or-later
// Reads traces in Chrome's JSON format, of any size: our own, with their timed windows, and those of other programs
// (torch.profiler, Perfetto, browsers).
//
// Complete events ("X"), pairs of begin and end ("B", "E"), instants ("i", "I") and names ("M") are taken; what else
// there is is counted and said in a note. The file is read once, in pieces. A file of another program is one side
// without windows.
#pragma once

#include "core/base/result.h"
#include "core/timeline/jsonreader.h"
#include "core/timeline/model.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace cudal1::timeline {

/// For work that takes long: asked and told every few milliseconds, on the thread that works.
struct Watch {
    std::stop_token stop;
    std::function<void(double fraction)> progress;
};

/// What is shown above each other: a reference, a candidate, or a whole trace of another program.
struct Side {
    std::string title; ///< "reference 3/41", "candidate fast.py", or the file's name
    std::shared_ptr<const Model> model;
};

struct OpenedTrace {
    std::vector<Side> sides; ///< at least one
    bool ours = false;       ///< written by this program, with timed windows
    std::string device;      ///< "NVIDIA H200"; empty when it is not known
};

/// Any thread. Unreadable for what is no trace or is damaged (with the byte), TooNew for a later version's, Cancelled
/// when it was stopped.
base::Result<OpenedTrace> openTrace(const std::filesystem::path& path, const Watch& watch = {});
/// The same of text in pieces; `size` in bytes is for the progress, `name` stands in errors and titles.
base::Result<OpenedTrace> openTrace(JsonReader::Fill fill, std::uint64_t size, const std::string& name,
                                    const Watch& watch = {});

/// The sides of a recording, titled as those of its trace are.
std::vector<Side> sidesOf(const protocol::TimelineAnswer& answer);

} // namespace cudal1::timeline
