// SPDX-License-Identifier: GPL-3.0-or-later
// Plain sentences; a new page or word of the window gets its own here.
#include "ui/shell/helptexts.h"

#include <QCoreApplication>

#include <algorithm>

namespace cudal1::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("Help", text);
}

struct PageText {
    const char* page;
    const char* text; ///< paragraphs, with blank lines between
};

constexpr PageText pageTexts[] = {
    {"welcome",
     QT_TRANSLATE_NOOP("Help", "Begin here: open the sample project to look around, or make a project of your own. A "
                               "project is one file with tasks, variants and all that was measured.\n\nCheck this "
                               "machine starts the evaluator and says which devices there are and what is missing.")},
    {"overview",
     QT_TRANSLATE_NOOP(
         "Help",
         "What the whole project has found.\n\nThe cards at the top are the project's numbers. The first card counts"
         " true gains: at the reference's precision, and with nothing that puts them in question. Gains by another "
         "precision and questioned ones stand beside it. The other cards give the mean and the median speed-up, and "
         "how many tasks have a correct variant.\n\nThe tabs choose a chart. By level, below the chart, gives the "
         "numbers of each level; its chooser says how tasks without a correct variant enter them. Tasks by speed-up,"
         " beside the chart, ranks the tasks.\n\nA click on a bar, a point or a number filters every list; the "
         "filter stands as a chip above the tasks and goes with its cross.\n\nWhat to do next: double-click a task "
         "to open it and see its variants. Where a task has no gain yet, open it and press Optimize. Where a gain is"
         " questioned, open the task and click the word to read the reason.")},
    {"task",
     QT_TRANSLATE_NOOP(
         "Help", "One task: its variants, its reference, what is known of it before anything runs, and its run.\n\n"
                 "Optimize proposes variants, proves them correct and measures them; the best one comes first. What is "
                 "said under the heading Variants names what a direct comparison found.\n\nDouble-click a variant to "
                 "compare it with the reference. Two selected ones are compared with each other. A click on a word "
                 "such as “questioned” or “TF32” opens the reason.\n\nThe tabs Source and Operators show the "
                 "reference; the facts can be folded, and the log can have the page's height.")},
    {"compare",
     QT_TRANSLATE_NOOP(
         "Help",
         "Two programs of a task side by side: A on the left, B on the right. Choose them above: a click shows "
         "a variant on the right, Shift and a click on the left. Of many variants, filter by words, or show "
         "them as a list.\n\nF9 gives the code the whole window. The button for reading has one column, "
         "wrapped lines, and white space shown or ignored.\n\nEvidence says why the verdict is what it is, "
         "with both clocks and every pair of rounds. Analysis names the techniques and their lines. Counters says "
         "what holds up the kernels of both sides.\n\nEdit a "
         "copy opens the variant beside itself; what you change is marked while you write, and Judge makes a "
         "variant of it.")},
    {"timeline",
     QT_TRANSLATE_NOOP(
         "Help",
         "What ran when in one call: operators and CUDA calls of the host, kernels and copies of the device. "
         "Reference and variant stand one above the other, at the same scale.\n\nDrag to move, turn the wheel "
         "with Ctrl to zoom, double-click an event to zoom to it. What was not timed is hatched.\n\nThe tables "
         "below say what took the time: kernels and copies, operators, CUDA calls. Record makes new recordings; a "
         "recorded call is slower than a timed one.")},
    {"ablation",
     QT_TRANSLATE_NOOP(
         "Help", "Which optimisation of a variant does what. Its toggles are switched on and off, and each combination "
                 "is judged as a variant of its own.\n\nChoose the variant and the design, look at the plan beside "
                 "Run, and run it. The effect of a toggle is the ratio of two combinations that differ by it "
                 "alone.\n\nFindings says in sentences what the numbers show, and what they do not.")},
    {"samples",
     QT_TRANSLATE_NOOP(
         "Help", "Every reply of a policy, also the useless ones: prompt, reply, tokens, cost, verdict and reward. "
                 "Replies to one question are a group.\n\nThe ledger adds up what language models have cost.")},
    {"experiment",
     QT_TRANSLATE_NOOP(
         "Help", "Policies and methods against each other, over the same tasks and seeds. Each row is a policy; each "
                 "cell says how many tasks it improved and by how much.")},
    {"training",
     QT_TRANSLATE_NOOP(
         "Help", "How a language model learns from what the judge found, in three stages. Each card begins, follows "
                 "and stops one.\n\nCurves show reward, success and length; Groups show replies with their advantage; "
                 "Checkpoints compares them on tasks that were left out.")},
    {"report",
     QT_TRANSLATE_NOOP(
         "Help", "What the project knows as one document. Choose what it is about, how much it tells and the kind of "
                 "file; the preview shows it. The summary has numbers, charts and tables; the full report has all code "
                 "and every verdict with its reasons, and many pages.")},
};

struct KeyText {
    const char* page;
    const char* keys;
    const char* what;
};

constexpr KeyText keyTexts[] = {
    {"", "Tab, Shift+Tab", QT_TRANSLATE_NOOP("Help", "To the next and the previous control")},
    {"", "Esc",
     QT_TRANSLATE_NOOP("Help", "Close what is open in front; stop the job of the chosen task; dismiss a "
                               "message")},
    {"", "Ctrl+I", QT_TRANSLATE_NOOP("Help", "Open the reason of the word beside a speed-up, in a list")},
    {"", "Ctrl+C, Ctrl+Shift+C", QT_TRANSLATE_NOOP("Help", "Copy the selected rows of a table, also as CSV")},
    {"", "Ctrl+F, F3", QT_TRANSLATE_NOOP("Help", "Find in a table or in code; the next match")},
    {"compare", "A, B", QT_TRANSLATE_NOOP("Help", "In the variants above: show the current one on that side")},
    {"compare", "Ctrl+Return", QT_TRANSLATE_NOOP("Help", "In an edited copy: judge it")},
    {"timeline", "W, S", QT_TRANSLATE_NOOP("Help", "Zoom in and out")},
    {"timeline", "A, D", QT_TRANSLATE_NOOP("Help", "Move left and right")},
    {"timeline", "F, Home", QT_TRANSLATE_NOOP("Help", "Fit the timed calls; fit everything")},
    {"timeline", "Arrows", QT_TRANSLATE_NOOP("Help", "To the next event, and to the track above or below")},
    {"timeline", "M", QT_TRANSLATE_NOOP("Help", "Measure from the chosen event")},
    {"timeline", "P, Shift+P",
     QT_TRANSLATE_NOOP("Help", "Pin the chosen event's place, or take the pin away; to the "
                               "next pin")},
    {"timeline", "N", QT_TRANSLATE_NOOP("Help", "Name the closest pin; a double click on its flag does too")},
    {"timeline", "C, Shift+C", QT_TRANSLATE_NOOP("Help", "Fold the track; fold those without work on a device")},
    {"timeline", "/", QT_TRANSLATE_NOOP("Help", "Search events by name")},
    {"report", "Ctrl++, Ctrl+-, Ctrl+0",
     QT_TRANSLATE_NOOP("Help", "Make the preview larger, smaller, or as wide as "
                               "the window")},
};

struct WordText {
    const char* word;
    const char* meaning;
};

constexpr WordText wordTexts[] = {
    {QT_TRANSLATE_NOOP("Help", "ablation"),
     QT_TRANSLATE_NOOP("Help", "Judging a variant with its toggles on and off, to learn what each of them brings.")},
    {QT_TRANSLATE_NOOP("Help", "baseline"),
     QT_TRANSLATE_NOOP("Help", "What a switch of the framework alone makes of a task, such as torch.compile; measured "
                               "like a variant.")},
    {QT_TRANSLATE_NOOP("Help", "budget"), QT_TRANSLATE_NOOP("Help", "The time after which a run begins nothing new.")},
    {QT_TRANSLATE_NOOP("Help", "checkpoint"),
     QT_TRANSLATE_NOOP("Help",
                       "A model as it was at some step of its training, as a folder that other programs load.")},
    {QT_TRANSLATE_NOOP("Help", "claim"),
     QT_TRANSLATE_NOOP("Help", "A speed-up that a publication names. It is shown beside what was judged here.")},
    {QT_TRANSLATE_NOOP("Help", "degenerate task"),
     QT_TRANSLATE_NOOP(
         "Help", "A task on which a result that takes no work, or less, passes too, so that a gain tells little.")},
    {QT_TRANSLATE_NOOP("Help", "device"),
     QT_TRANSLATE_NOOP("Help", "Where variants are judged: the CPU or a GPU, of this machine or another.")},
    {QT_TRANSLATE_NOOP("Help", "evaluator"),
     QT_TRANSLATE_NOOP("Help", "The program that judges. It runs on this machine or, started by ssh or srun, on "
                               "another.")},
    {QT_TRANSLATE_NOOP("Help", "events"),
     QT_TRANSLATE_NOOP("Help", "The clock of the GPU's stream. It misses what happens beside that stream, so the wall "
                               "clock counts.")},
    {QT_TRANSLATE_NOOP("Help", "exemplar"),
     QT_TRANSLATE_NOOP("Help", "An earlier variant with its score that a language model is shown.")},
    {QT_TRANSLATE_NOOP("Help", "exploit"),
     QT_TRANSLATE_NOOP("Help", "The verdict for a program that cheats: it moves work off the clock, or gives results "
                               "that it did not compute.")},
    {QT_TRANSLATE_NOOP("Help", "floor"),
     QT_TRANSLATE_NOOP("Help",
                       "The time that the device needs to move the bytes of inputs and result once, below which "
                       "no call can come. Floor share says how near a variant is to it; one that multiplies "
                       "large matrices stays far above it, since its time goes into products.")},
    {QT_TRANSLATE_NOOP("Help", "gain, true gain"),
     QT_TRANSLATE_NOOP("Help", "A variant that is faster by its whole interval. A true gain comes at the reference's "
                               "precision, and nothing puts it in question.")},
    {QT_TRANSLATE_NOOP("Help", "group"), QT_TRANSLATE_NOOP("Help", "The replies of a policy to one question.")},
    {QT_TRANSLATE_NOOP("Help", "held out"),
     QT_TRANSLATE_NOOP("Help", "A task that no policy learns from, so that it can be tested on it.")},
    {QT_TRANSLATE_NOOP("Help", "interval"),
     QT_TRANSLATE_NOOP("Help", "Where the speed-up lies with 95 % certainty: 3.83–3.89.")},
    {QT_TRANSLATE_NOOP("Help", "label"),
     QT_TRANSLATE_NOOP("Help", "What else there is to know of an evaluation, such as “precision” or “crowded”.")},
    {QT_TRANSLATE_NOOP("Help", "method"),
     QT_TRANSLATE_NOOP("Help", "How a language model is asked: alone, with exemplars, or in a conversation.")},
    {QT_TRANSLATE_NOOP("Help", "occupancy"),
     QT_TRANSLATE_NOOP("Help", "Groups of threads that are on the GPU at a time, of those that fit at most. Registers, "
                               "shared memory and the size of blocks limit it.")},
    {QT_TRANSLATE_NOOP("Help", "pair"),
     QT_TRANSLATE_NOOP("Help", "A round of the reference and one of the variant, in an order that is drawn. The "
                               "speed-up is the median of the pairs' ratios.")},
    {QT_TRANSLATE_NOOP("Help", "policy"),
     QT_TRANSLATE_NOOP("Help", "Who proposes variants: the technique library, a language model or a coding agent.")},
    {QT_TRANSLATE_NOOP("Help", "precision"),
     QT_TRANSLATE_NOOP("Help", "What both sides may compute with: kernelbench (the framework's defaults), ieee (no "
                               "TF32) or tf32.")},
    {QT_TRANSLATE_NOOP("Help", "preset"),
     QT_TRANSLATE_NOOP("Help", "How much is measured: quick for searching, standard for what counts, paper for the "
                               "paper's protocol.")},
    {QT_TRANSLATE_NOOP("Help", "questioned"),
     QT_TRANSLATE_NOOP("Help", "A gain that something speaks against. Click the word for the reason.")},
    {QT_TRANSLATE_NOOP("Help", "reference"),
     QT_TRANSLATE_NOOP("Help", "The task's own program, against which every variant is checked and measured.")},
    {QT_TRANSLATE_NOOP("Help", "reward"),
     QT_TRANSLATE_NOOP("Help", "The speed-up as a policy learns from it, rounded towards 1.")},
    {QT_TRANSLATE_NOOP("Help", "roofline"),
     QT_TRANSLATE_NOOP("Help",
                       "A picture of work per second over work per byte. The slope is what memory gives, and the "
                       "level parts are what the arithmetic gives.")},
    {QT_TRANSLATE_NOOP("Help", "round"),
     QT_TRANSLATE_NOOP("Help", "Of a search: new proposals, knowing what came of the earlier ones. Of a measurement: a "
                               "block of calls of one side.")},
    {QT_TRANSLATE_NOOP("Help", "run"),
     QT_TRANSLATE_NOOP("Help", "A search, ablation or training as you started it. It can be stopped, and resumed.")},
    {QT_TRANSLATE_NOOP("Help", "sample"),
     QT_TRANSLATE_NOOP("Help", "One reply of a policy. Several replies may be one variant.")},
    {QT_TRANSLATE_NOOP("Help", "speed-up"),
     QT_TRANSLATE_NOOP("Help", "The reference's time by the variant's: 2× is half the time.")},
    {QT_TRANSLATE_NOOP("Help", "stale"),
     QT_TRANSLATE_NOOP("Help", "A variant of an earlier text of its task. It is kept, and counts nowhere.")},
    {QT_TRANSLATE_NOOP("Help", "suite"), QT_TRANSLATE_NOOP("Help", "A set of tasks with a version.")},
    {QT_TRANSLATE_NOOP("Help", "task"),
     QT_TRANSLATE_NOOP("Help", "A problem of KernelBench, or of your own: a module, and what makes its inputs. 3/41 is "
                               "number 41 of level 3.")},
    {QT_TRANSLATE_NOOP("Help", "technique"),
     QT_TRANSLATE_NOOP("Help", "One named optimisation, such as a fused kernel or a CUDA graph.")},
    {QT_TRANSLATE_NOOP("Help", "toggle"),
     QT_TRANSLATE_NOOP("Help", "A line USE_… = True or False in a variant that switches one technique.")},
    {QT_TRANSLATE_NOOP("Help", "trial"),
     QT_TRANSLATE_NOOP("Help", "One input drawn, given to both sides, and the results compared.")},
    {QT_TRANSLATE_NOOP("Help", "unclear"),
     QT_TRANSLATE_NOOP("Help", "The interval holds 1, so that neither side is known to be faster.")},
    {QT_TRANSLATE_NOOP("Help", "variant"),
     QT_TRANSLATE_NOOP("Help", "One candidate program for a task, with where it came from.")},
    {QT_TRANSLATE_NOOP("Help", "verdict"),
     QT_TRANSLATE_NOOP("Help", "What the judge says of a variant: correct, incorrect, does not build, crashed, timed "
                               "out, out of memory, exploit, or that the reference failed.")},
    {QT_TRANSLATE_NOOP("Help", "wall clock"),
     QT_TRANSLATE_NOOP("Help", "The time of a call from an idle device to an idle device. This is the number that "
                               "counts.")},
};

} // namespace

QString pageHelp(const QString& page)
{
    const auto* found = std::find_if(std::begin(pageTexts), std::end(pageTexts),
                                     [&page](const PageText& one) { return page == QLatin1String(one.page); });
    if (found == std::end(pageTexts))
        return {};
    return QStringLiteral("<p>%1</p>")
        .arg(tr(found->text).toHtmlEscaped().replace(QStringLiteral("\n\n"), QStringLiteral("</p><p>")));
}

std::vector<std::pair<QString, QString>> pageKeys(const QString& page)
{
    std::vector<std::pair<QString, QString>> keys;
    for (const KeyText& one : keyTexts)
        if (page == QLatin1String(one.page))
            keys.emplace_back(QLatin1String(one.keys), tr(one.what));
    return keys;
}

const std::vector<std::pair<QString, QString>>& glossary()
{
    static const auto all = [] {
        std::vector<std::pair<QString, QString>> words;
        for (const WordText& one : wordTexts)
            words.emplace_back(tr(one.word), tr(one.meaning));
        return words;
    }();
    return all;
}

} // namespace cudal1::ui
