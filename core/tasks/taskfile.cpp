// SPDX-License-Identifier: GPL-3.0-or-later
// Names, definitions and hash of a task file.
#include "core/tasks/taskfile.h"

#include "core/base/sha256.h"
#include "core/tasks/modulescan.h"

#include <array>
#include <charconv>

namespace cudal1::tasks {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;

std::string asWritten(std::string_view name)
{
    return name == "Model" ? "class Model" : "def " + std::string(name) + "()";
}

/// What to say about a name that the module does not bind, at the line where the author probably meant to.
FileFlaw missing(const ModuleScan& scan, std::string_view name)
{
    FileFlaw flaw{ErrorCode::InvalidArgument, scan.lines, "the file ends without a module-level " + asWritten(name),
                  "A task defines Model, get_inputs and get_init_inputs"};
    for (const Binding& binding : scan.bindings) {
        if (binding.name == name) {
            flaw.line = binding.line;
            flaw.message = asWritten(name) + " stands inside of another definition, not at module level";
            return flaw;
        }
    }
    if (const Binding* variant = name == "Model" ? scan.find("ModelNew") : nullptr) {
        flaw.line = variant->line;
        flaw.message = "the file defines ModelNew but no Model: it is a variant, not a task";
    }
    return flaw;
}

FileFlaw firstFlaw(std::string_view source)
{
    const ModuleScan scan = scanModule(source);
    if (scan.flaw)
        return {ErrorCode::Unreadable, scan.flaw->line, scan.flaw->message, {}};
    for (const std::string_view name : std::array<std::string_view, 3>{"Model", "get_inputs", "get_init_inputs"}) {
        if (!scan.find(name))
            return missing(scan, name);
    }
    return {};
}

} // namespace

int parseNumber(std::string_view digits)
{
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    return whole && digits.front() != '-' && number <= 999999 ? number : 0;
}

std::optional<TaskFileName> parseTaskFileName(const fs::path& file)
{
    const std::string stem = file.stem().string();
    const std::size_t underscore = stem.find('_');
    if (file.extension() != ".py" || underscore == std::string::npos || underscore == 0 ||
        underscore + 1 == stem.size())
        return std::nullopt;
    const int number = parseNumber(std::string_view(stem).substr(0, underscore));
    if (number == 0)
        return std::nullopt;
    return TaskFileName{number, stem.substr(underscore + 1)};
}

TaskFile loadTaskFile(const fs::path& file)
{
    SourceFile read = readSource(file);
    if (!read.ok())
        return {{}, std::move(read.flaw)};
    if (FileFlaw flaw = firstFlaw(read.text); !flaw.message.empty())
        return {{}, std::move(flaw)};

    TaskFile out;
    std::error_code error;
    out.task.path = fs::absolute(file, error).lexically_normal();
    out.task.id.value = out.task.path.string();
    const auto name = parseTaskFileName(file);
    out.task.name = name ? name->name : file.stem().string();
    out.task.hash = base::sha256Hex(read.text);
    out.task.source = std::move(read.text);
    return out;
}

base::Result<Task> taskOfText(const std::string& source)
{
    if (source.find('\0') != std::string::npos)
        return base::Error{ErrorCode::InvalidArgument, "the reference holds binary data", {}, "Send Python text"};
    if (FileFlaw flaw = firstFlaw(source); !flaw.message.empty())
        return base::Error{ErrorCode::InvalidArgument, "the reference is no task: " + flaw.message,
                           flaw.line > 0 ? "line " + std::to_string(flaw.line) : std::string(), flaw.hint};
    Task out;
    out.hash = base::sha256Hex(source);
    out.name = "text " + shortHash(out.hash);
    out.id.value = "text/" + out.hash.substr(0, 16);
    out.source = source;
    return out;
}

} // namespace cudal1::tasks
