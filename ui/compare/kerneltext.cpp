// SPDX-License-Identifier: GPL-3.0-or-later
// Modules behind each other, in the order of loading.
#include "ui/compare/kerneltext.h"

namespace cudal1::ui {

std::string kernelText(base::VariantId variant, const std::vector<store::KernelsRecord>& records, CodeKind kind)
{
    const std::string name = "#" + std::to_string(variant.value), what = kind == CodeKind::Ptx ? "PTX" : "SASS";
    // Short lines: half of a small window shows no more than 30 letters.
    if (!variant)
        return "// The reference has only the\n// framework's kernels, which\n// are not captured.\n";
    if (records.empty())
        return "// Kernels of " + name + ": none captured.\n// Capture, above, runs side B\n// once on a GPU and keeps\n// what it loads.\n";
    const protocol::Kernels& newest = records.front().kernels;
    std::string out = "// " + what + " of " + name + ", captured on " + newest.device.model + "\n";
    for (const std::string& note : newest.notes)
        out += "// " + note + "\n";
    for (const protocol::KernelModule& module : newest.modules) {
        const std::string& text = kind == CodeKind::Ptx ? module.ptx : module.sass;
        out += "\n//";
        for (const std::string& kernel : module.kernels)
            out += " " + kernel;
        out += "\n" + (text.empty() ? "// no " + what + " of it\n" : text) + (text.empty() || text.ends_with('\n') ? "" : "\n");
    }
    return out;
}

} // namespace cudal1::ui
