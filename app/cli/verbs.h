// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs of `cudal1` and what each is called with.
#pragma once

#include <QCommandLineOption>
#include <QCommandLineParser>
#include <QList>
#include <QStringList>

#include <vector>

namespace cudal1::cli {

class Context;

/// Exit statuses, the same for every verb. A signal that ends a verb gives 128 + its number, as shells have it.
enum Exit : int {
    Done = 0,         ///< for evaluate: the verdict is correct
    OtherVerdict = 1, ///< evaluate; judge selftest: it failed; tasks check: something differs
    WrongUse = 2,
    CannotDoIt = 3, ///< this machine, or its evaluator, cannot
};

struct Verb {
    const char* name;      ///< one word, or two: "evaluate", "judge selftest"
    const char* arguments; ///< "TASK FILE.py"
    int least, most;       ///< number of positional arguments
    const char* summary;   ///< one line of the list of verbs
    const char* help;      ///< the paragraph of its own help
    QList<QCommandLineOption> options;
    int (*run)(Context& context, const QCommandLineParser& options, const QStringList& arguments);
};

const std::vector<Verb>& verbs();

/// Parses the arguments (without the program's name), runs the verb and returns the exit status.
int run(const QStringList& arguments);

int doctor(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int sample(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int listTasks(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int checkTasks(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int showTask(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int newTask(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int synthesise(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int evaluate(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int optimize(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int prompt(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int samples(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int showSample(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int collectPrograms(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int train(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int compareCheckpoints(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int experiment(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int variants(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int show(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int compare(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int compareSuite(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int counters(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int kernels(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int claims(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int importResults(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int rejudge(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int baselines(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int ablate(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int timeline(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int listTimelines(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int showTimeline(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int importTimeline(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int exportTimeline(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int addModel(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int listModels(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int testModel(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int exportModel(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int fetchModel(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int removeModel(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int selfTest(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int serve(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int mcp(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int chart(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int report(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int completion(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int manual(Context& context, const QCommandLineParser& options, const QStringList& arguments);
int reproduce(Context& context, const QCommandLineParser& options, const QStringList& arguments);

} // namespace cudal1::cli
