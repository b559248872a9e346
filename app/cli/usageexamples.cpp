// SPDX-License-Identifier: GPL-3.0-or-later
// The examples of all verbs.
#include "app/cli/usageexamples.h"

namespace cudal1::cli {

namespace {

struct Row {
    std::string_view verb;
    UsageExample example;
};

const Row rows[] = {
    {"doctor", {"doctor", "what this machine can do"}},
    {"sample", {"report --project \"$(cudal1 sample)\" -o sample.html", "a report of the sample project"}},
    {"tasks", {"tasks --level 1 --search softmax", "tasks of level 1 with softmax in their names"}},
    {"tasks check", {"tasks check 1/12 3/41", "whether two tasks are what their facts say"}},
    {"tasks show", {"tasks show 3/41 --on H200", "what 3/41 computes and moves, and its floor on an H200"}},
    {"tasks new",
     {"tasks new block.py --input \"randn(8, 64, 56, 56)\" --init 64", "a task of the module in block.py"}},
    {"tasks synthesise", {"tasks synthesise --count 6000 --seed 1 -o made", "6,000 tasks to learn from"}},
    {"evaluate", {"evaluate 1/12 fast.py", "judge fast.py against task 1/12"}},
    {"evaluate", {"evaluate 1/12 fast.py --preset quick --json", "the same in less time, as JSON"}},
    {"optimize", {"optimize 1/12", "three rounds of the technique library on task 1/12"}},
    {"optimize", {"optimize 1/12 -o fast.py", "the same, and its best program as a file"}},
    {"optimize", {"optimize --level 2 --device cuda:0,cuda:1", "all tasks of level 2, two at a time"}},
    {"optimize",
     {"optimize 1/12 --policy library,endpoint:qwen --method contrastive", "with a language model beside it"}},
    {"prompt", {"prompt 1/12 --method contrastive", "the first question to a language model"}},
    {"samples", {"samples 1/12 --find shared", "replies for 1/12 that speak of shared memory, say"}},
    {"samples show", {"samples show 7", "prompt and reply of sample 7"}},
    {"collect", {"collect --policy library,local:smollm2 -o data.jsonl", "a data set of two policies' programs"}},
    {"train", {"train --example", "all three stages with a tiny model on the CPU"}},
    {"train", {"train sft --model smollm2 --data data.jsonl --out stage1", "the first stage with a model of yours"}},
    {"train compare", {"train compare stage1 stage2", "two trainings on the held-out tasks"}},
    {"experiment", {"experiment matrix.json", "begin what matrix.json plans, or go on with it"}},
    {"experiment", {"experiment matrix.json --show", "what the project has of it"}},
    {"variants", {"variants 1/12", "the variants of task 1/12, best first"}},
    {"show", {"show 14", "everything about variant 14"}},
    {"compare", {"compare 14 12", "whether variant 14 is faster than variant 12"}},
    {"compare-suite", {"compare-suite --on H200", "what the project has of an H200, beside baselines and imports"}},
    {"compare-suite", {"compare-suite --precision tf32 --json", "the same with TF32 on both sides, as JSON"}},
    {"kernels", {"kernels 14 --capture --sass kernels.sass", "the machine code of variant 14's kernels"}},
    {"kernels", {"kernels 14 --ptx kernels.ptx --lines", "their PTX, with the lines that it came from"}},
    {"counters", {"counters 14", "what holds up the kernels of variant 14 and of its reference"}},
    {"counters", {"counters 14 --capture --json", "count on a GPU, and print all of it as JSON"}},
    {"counters", {"counters 14 --against 131", "kernel by kernel, where variant 14 gains over variant 131"}},
    {"import", {"import cuda-l1 h100.json", "the kernels that CUDA-L1's authors released for the H100"}},
    {"import", {"import project elsewhere.cudal1", "all that another project has"}},
    {"claims", {"claims", "the tables of what was imported, by device and level"}},
    {"rejudge", {"rejudge --origin cuda-l1 --level 1", "judge imported variants of level 1 again"}},
    {"baselines", {"baselines --level 3", "eager, torch.compile and the others on all tasks of level 3"}},
    {"baselines", {"baselines --on \"NVIDIA H200\" --preset quick", "what the project has of that device"}},
    {"ablate", {"ablate 3/41 14 --plan", "how long taking variant 14 apart would take"}},
    {"ablate", {"ablate 3/41 14", "which of variant 14's optimisations does what"}},
    {"timeline", {"timeline 3/41 14 -o trace.json", "record reference and variant 14 as a trace for Perfetto"}},
    {"timeline list", {"timeline list 3/41", "the timelines of task 3/41"}},
    {"timeline show", {"timeline show 2", "what took the time in timeline 2"}},
    {"timeline import", {"timeline import trace.json 14", "keep a trace as one of variant 14"}},
    {"timeline export", {"timeline export 2 -o trace.json", "timeline 2 as a file for Perfetto"}},
    {"models add",
     {"models add qwen --url http://localhost:8000/v1 --model Qwen/Qwen3-8B", "a model that vLLM serves here"}},
    {"models fetch", {"models fetch smollm2", "a small model for this machine, 98 MB"}},
    {"models export", {"models export stage1/step-00100 --type Q8_0 -o stage1.gguf", "a checkpoint for llama.cpp"}},
    {"models list", {"models list", "the models and agents that are connected"}},
    {"models test", {"models test qwen", "one question to the model qwen"}},
    {"models remove", {"models remove qwen", "forget the model qwen"}},
    {"judge selftest", {"judge selftest --device cpu", "whether this machine's figures can be trusted"}},
    {"serve", {"serve --port 8080 --device cuda:0,cuda:1", "the judge with two GPUs, over HTTP"}},
    {"mcp", {"mcp --project agent.cudal1", "the judge as tools of a coding agent"}},
    {"chart", {"chart distribution -o speedups.svg", "the distribution of the best speed-ups as a picture"}},
    {"report", {"report -o report.pdf", "the project's numbers, charts and tables"}},
    {"report", {"report --scope task 3/41 --template full", "all that is known of one task, as a page"}},
    {"reproduce", {"reproduce 14 -o fast.py", "variant 14 as a file that runs with torch alone"}},
    {"completion", {"completion bash > ~/.local/share/bash-completion/completions/cudal1", "complete words in bash"}},
    {"manual", {"manual | man -l -", "read the manual page"}},
};

} // namespace

std::vector<UsageExample> examplesOf(std::string_view verb)
{
    std::vector<UsageExample> out;
    for (const Row& row : rows)
        if (row.verb == verb)
            out.push_back(row.example);
    return out;
}

} // namespace cudal1::cli
