// SPDX-License-Identifier: GPL-3.0-or-later
// Reads examples, and deals them out to batches.
#include "core/learning/trainingexamples.h"

#include "core/base/sha256.h"
#include "core/language/draws.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

LearnedExample exampleOf(const json& line)
{
    LearnedExample out;
    out.task.id = {line.at("task").get<std::string>()};
    out.task.name = line.value("name", "");
    out.task.level = line.value("level", 0);
    out.task.suite = line.value("suite", "");
    out.task.hash = line.value("task_sha256", "");
    for (const json& message : line.at("prompt"))
        out.prompt.push_back({message.at("role").get<std::string>(), message.at("content").get<std::string>()});
    out.reply = line.at("reply").get<std::string>();
    if (out.prompt.empty() || out.reply.empty())
        throw std::invalid_argument("the prompt or the reply is empty");
    return out;
}

std::vector<std::size_t> orderOf(std::size_t count, std::uint64_t pass, std::uint64_t seed)
{
    std::vector<std::size_t> out(count);
    std::iota(out.begin(), out.end(), std::size_t(0));
    language::Draws draws(language::mixed(seed, pass));
    for (std::size_t i = count; i > 1; --i)
        std::swap(out[i - 1], out[draws.below(i)]);
    return out;
}

} // namespace

base::Result<LearnedData> examplesOf(const std::string& text, const std::string& name)
{
    LearnedData out;
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        if (line.find_first_not_of(" \t\r") == std::string::npos)
            continue;
        try {
            out.examples.push_back(exampleOf(json::parse(line)));
        } catch (const std::exception& failure) {
            return Error{ErrorCode::InvalidArgument,
                         "Line " + std::to_string(number) + " of the data set is no example: " + failure.what(), name,
                         "`cudal1 collect` writes such a file; docs/trainingdata.md has its fields"};
        }
    }
    if (out.examples.empty())
        return Error{ErrorCode::InvalidArgument, "The data set has no examples", name,
                     "Collect some with `cudal1 collect`"};
    out.digest = base::sha256Hex(text);
    return out;
}

base::Result<LearnedData> readExamples(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file)
        return Error{ErrorCode::Unreadable, "The data set cannot be read", path,
                     "Name a file that `cudal1 collect` wrote with --data"};
    return examplesOf(text.str(), path);
}

std::vector<std::size_t> batchOf(std::size_t count, std::size_t size, std::uint64_t number, std::uint64_t seed)
{
    std::vector<std::size_t> out;
    if (count == 0)
        return out;
    out.reserve(size);
    std::uint64_t pass = 0;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t place = number * size + i;
        if (order.empty() || place / count != pass) {
            pass = place / count;
            order = orderOf(count, pass, seed);
        }
        out.push_back(order[place % count]);
    }
    return out;
}

} // namespace cudal1::learning
