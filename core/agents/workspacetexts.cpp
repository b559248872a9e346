// SPDX-License-Identifier: GPL-3.0-or-later
// Pages of a workspace.
#include "core/agents/workspacetexts.h"

#include "core/base/timetext.h"
#include "core/policy/prompttext.h"

namespace cudal1::agents {

std::string promptOfAgent()
{
    return "Read TASK.md in this folder and do what it says, from beginning to end and without asking anybody. The MCP "
           "server cudal1 has the judge; its tool evaluate tells whether a program is correct and how fast it is.";
}

std::string taskPage(const policy::Prompt& prompt, const models::AgentSettings& settings, int evaluations)
{
    std::string out =
        "# Make this PyTorch module faster\n\n"
        "`reference.py` defines a module `Model`. Write a Python file that defines `ModelNew`: the same "
        "constructor arguments, the same parameters and buffers by the same names, the same results of "
        "`forward`, in less time on the device below.\n\n"
        "Work in this folder. Have each version judged by the tool `evaluate` of the MCP server `cudal1`, "
        "with `{\"file\": \"new.py\"}` or `{\"source\": \"…\"}` and, in `analysis`, what you changed and why it "
        "should be faster. An agent that has a shell and no MCP runs `./judge evaluate '{\"file\": "
        "\"new.py\"}'`. The other tools are `show_task`, `variants`, `compare` and `timeline`. `JUDGE.md` "
        "tells what the judge does. `best/` has the best versions so far; start from them or from the "
        "reference, and do not submit what was judged before.\n\n"
        "Only what was judged counts, and what you say of it counts nothing: when you have a version that is "
        "correct and faster, try to beat it until the budget is used up or you have no better idea. Then end "
        "with a short summary.\n\n## Budget\n\n";
    out += "- Evaluations: " + std::to_string(evaluations) + ".\n";
    out += "- Time: " + base::durationText(settings.minutes * 60) +
           ", without what you wait for the tool `evaluate`. Then this folder and all of your processes are ended.\n\n";
    if (prompt.least && prompt.least->floor_ns > 0)
        out += "Moving the bytes that have to be moved takes " + base::timeText(prompt.least->floor_ns) +
               ", so hardly any correct call is faster.\n\n";
    std::string facts = policy::promptText(prompt);
    if (facts.starts_with("# ")) // its title becomes a part of this page
        facts = "#" + facts;
    out += facts;
    if (!prompt.timeline.empty())
        out += "\n## Timeline of the best variant\n\n```\n" + prompt.timeline +
               (prompt.timeline.ends_with('\n') ? "```\n" : "\n```\n");
    return out;
}

std::string judgePage(const policy::Prompt& prompt)
{
    const bool gpu = prompt.device.name.starts_with("cuda");
    return std::string(
               "# The judge\n\n"
               "It runs your program in a process of its own, beside the reference in another one. Inputs are drawn "
               "anew for "
               "every call, by a seed that nobody knows before, with other values than those of `get_inputs` among "
               "them. It "
               "compares shape, type and values of every result, and that inputs, parameters and buffers are left as "
               "the "
               "reference leaves them. Then it times calls of both sides in random order and gives the ratio with an "
               "interval.\n\n"
               "Not accepted are: results that are kept from one call for another, work that goes on after `forward` "
               "has "
               "returned, results that depend on how often or from where it was called, other parameters than the "
               "constructor's, precision that is lower than asked for, and anything that touches clocks, comparison or "
               "other "
               "processes. Weights may be prepared once if they are prepared again when they change.\n\n"
               "A verdict is `correct`, `incorrect`, `does_not_build`, `crashed`, `timed_out`, `out_of_memory` or "
               "`exploit`, "
               "with reasons. `interval` is that of the speed-up: where it straddles 1, nothing is gained. `reward` is "
               "the "
               "speed-up rounded toward 1, and 0 for what is not correct.\n\n") +
           (gpu ? "Available are PyTorch, CUDA graphs and Triton" : "Available are PyTorch") +
           (prompt.cudaCompiler.empty() || !gpu ? "" : ", and CUDA C++ by torch.utils.cpp_extension.load_inline") +
           (prompt.compiler.empty()
                ? ". There is no C++ compiler on the judge's machine, so torch.compile and C++ do not work.\n"
                : ", torch.compile, and C++ by torch.utils.cpp_extension.load_inline.\n") +
           "Building and the first calls are not timed. Your own machine may be another one than the judge's: what you "
           "measure "
           "yourself is a hint, and what runs beside the judge makes its times worse.\n";
}

} // namespace cudal1::agents
