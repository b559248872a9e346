// SPDX-License-Identifier: GPL-3.0-or-later
// Command lines for a shell.
#include "core/counters/nsightcommand.h"

#include "core/counters/kernelfacts.h"

namespace cudal1::counters {

namespace {

/// As one word for a shell.
std::string quoted(const std::string& text)
{
    std::string out = "'";
    for (const char c : text)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string programOf(base::VariantId variant, const std::string& project)
{
    const std::string number = std::to_string(variant.value);
    return "cudal1 --project " + quoted(project) + " reproduce " + number + " -o reproduce-" + number + ".py";
}

/// ncu's -k knows a kernel by its bare name: without namespaces and arguments.
std::string bareKernel(const std::string& name)
{
    std::string out = shortName(name, 1'000'000);
    out = out.substr(0, out.find('<'));
    const std::size_t space = out.rfind("::");
    return space == std::string::npos ? out : out.substr(space + 2);
}

} // namespace

std::string ncuCommand(base::VariantId variant, const std::string& project, const std::string& kernel)
{
    const std::string number = std::to_string(variant.value), report = "variant-" + number;
    const std::string which = kernel.empty() ? "--launch-count 20"
                                             : "-k " + quoted(bareKernel(kernel)) + " --launch-skip 2 --launch-count 1";
    return programOf(variant, project) + " && ncu --set full --import-source yes --clock-control none " + which +
           " -f -o " + report + " python3 reproduce-" + number + ".py --pairs 0 && ncu-ui " + report + ".ncu-rep";
}

std::string nsysCommand(base::VariantId variant, const std::string& project)
{
    const std::string number = std::to_string(variant.value), report = "variant-" + number;
    return programOf(variant, project) + " && nsys profile --trace cuda,nvtx,osrt -f true -o " + report +
           " python3 reproduce-" + number + ".py && nsys-ui " + report + ".nsys-rep";
}

} // namespace cudal1::counters
