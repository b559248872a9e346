// SPDX-License-Identifier: GPL-3.0-or-later
// A data set of `cudal1 collect` as something to learn from, and which part of it a batch is.
#pragma once

#include "core/base/result.h"
#include "core/policy/chatmodel.h"
#include "core/store/project.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::learning {

struct LearnedExample {
    store::TaskRecord task; ///< without its source
    std::vector<policy::ChatMessage> prompt;
    std::string reply;
};

struct LearnedData {
    std::vector<LearnedExample> examples;
    std::string digest; ///< SHA-256 of the file
};

/// Lines of docs/trainingdata.md. Unreadable for a file that cannot be read; InvalidArgument, with the line, for what
/// is no example, and for a file without any.
base::Result<LearnedData> readExamples(const std::string& path);
/// The same of a text; `name` stands for the file in errors.
base::Result<LearnedData> examplesOf(const std::string& text, const std::string& name);

/// Which `size` of `count` things batch `number` has: they are gone through in an order that is drawn anew for each
/// pass, so that each comes once before one comes again. It follows from the arguments alone, on every machine. None of
/// none.
std::vector<std::size_t> batchOf(std::size_t count, std::size_t size, std::uint64_t number, std::uint64_t seed);

} // namespace cudal1::learning
