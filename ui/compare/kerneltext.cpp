// SPDX-License-Identifier: GPL-3.0-or-later
// Modules behind each other, in the order of loading.
#include "ui/compare/kerneltext.h"

#include "core/kernels/sourcelines.h"

#include <sstream>

namespace cudal1::ui {

namespace {

/// nvdisasm writes each instruction's address before it: one more instruction, and all that follow would differ.
std::string withoutAddresses(const std::string& sass)
{
    std::istringstream lines(sass);
    std::string out, line;
    while (std::getline(lines, line)) {
        const std::size_t begin = line.find_first_not_of(" \t");
        const std::size_t end = begin != std::string::npos && line.compare(begin, 2, "/*") == 0 ? line.find("*/", begin)
                                                                                                : std::string::npos;
        const bool address = end != std::string::npos && end > begin + 2 &&
                             line.find_first_not_of("0123456789abcdef", begin + 2) == end;
        const std::size_t instruction = address ? line.find_first_not_of(" \t", end + 2) : std::string::npos;
        if (instruction != std::string::npos)
            out += "    " + line.substr(instruction) + "\n";
        else if (!address)
            out += line + "\n";
    }
    return out;
}

} // namespace

std::string kernelText(base::VariantId variant, const std::vector<store::KernelsRecord>& records, CodeKind kind,
                       const std::vector<base::VariantId>& captured, const std::string& source)
{
    const std::string name = "#" + std::to_string(variant.value), what = kind == CodeKind::Ptx ? "PTX" : "SASS";
    // Short lines: half of a small window shows no more than 30 letters.
    if (!variant)
        return "// The reference has only the\n// framework's kernels, which\n// are not captured.\n";
    if (records.empty()) {
        std::string others;
        for (const base::VariantId id : captured)
            others += (others.empty() ? "// The task has those of" : ",") + std::string(" #") +
                      std::to_string(id.value);
        return "// Kernels of " + name +
               ": none captured.\n// Capture, above, runs side B\n// once on a GPU and keeps\n// what it loads.\n" +
               others + (others.empty() ? "" : ".\n");
    }
    const protocol::Kernels& newest = records.front().kernels;
    std::string out = "// " + what + ", captured on " + newest.device.model +
                      "\n"; // whose is said above it: the same code is the same text
    for (const std::string& note : newest.notes)
        if (kind == CodeKind::Ptx || !note.starts_with("The PTX of "))
            out += "// " + note + "\n";
    const std::vector<kernels::LineSource> lines = kernels::lineSourcesOf(source);
    for (const protocol::KernelModule& module : newest.modules) {
        const std::string text = kernels::withSourceLines(
            kind == CodeKind::Ptx ? module.ptx : withoutAddresses(module.sass), lines);
        out += "\n//";
        for (const std::string& kernel : module.kernels)
            out += " " + kernel;
        out += "\n" + (text.empty() ? "// no " + what + " of it\n" : text) +
               (text.empty() || text.ends_with('\n') ? "" : "\n");
    }
    return out;
}

} // namespace cudal1::ui
