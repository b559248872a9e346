// SPDX-License-Identifier: GPL-3.0-or-later
// Modules behind each other, in the order of loading.
#include "ui/compare/kerneltext.h"

namespace cudal1::ui {

std::string kernelText(base::VariantId variant, const std::vector<store::KernelsRecord>& records, CodeKind kind)
{
    const std::string name = "#" + std::to_string(variant.value), what = kind == CodeKind::Ptx ? "PTX" : "SASS";
    if (!variant)
        return "// The reference launches the framework's kernels:\n// they are not captured.\n";
    if (records.empty())
        return "// No kernels of " + name + " were captured yet.\n// Capture, above, runs the variant of side B once\n// on a GPU and keeps what it loads.\n";
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
