// SPDX-License-Identifier: GPL-3.0-or-later
// Time from the start of the real program to its first painted frame and to the list of tasks, with a project of 10,000
// variants.
//
//   bench_start [RUNS]
//
// Prints milliseconds: as seen from outside (process start to the line that the program prints) and from inside (since
// main). It is a measurement, not a test: it asserts nothing.
#include "core/store/project.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace cudal1;

namespace {

constexpr int tasks = 250;
constexpr int variantsEach = 40;

bool fill(const QString& file)
{
    auto project = store::Project::open(file.toStdString());
    if (!project)
        return false;
    for (int task = 0; task < tasks; ++task) {
        const base::TaskId id{std::to_string(1 + task / 100) + "/" + std::to_string(1 + task % 100)};
        if (!(*project)->putTask(
                {id, "Task" + std::to_string(task), "suite", 1 + task / 100, "source", "hash" + std::to_string(task)}))
            return false;
        for (int i = 0; i < variantsEach; ++i) {
            store::VariantRecord variant;
            variant.task = id;
            variant.taskHash = "hash" + std::to_string(task);
            variant.source = "# variant " + std::to_string(i) + "\n";
            variant.origin = "technique library";
            variant.techniques = {"cuda_graph"};
            const auto added = (*project)->addVariant(variant);
            protocol::Evaluation evaluation;
            evaluation.verdict = protocol::Verdict::Correct;
            const double speedup = 0.8 + 0.1 * i;
            evaluation.speedup.wall = {{speedup, speedup * 0.99, speedup * 1.01}, 1e6, 1e6 / speedup};
            if (!added || !(*project)->addEvaluation(*added, evaluation))
                return false;
        }
    }
    return true;
}

void print(const char* what, std::vector<double> times)
{
    std::sort(times.begin(), times.end());
    std::printf("%s  median %.0f ms  best %.0f ms  worst %.0f ms  (%zu runs)\n", what, times[times.size() / 2],
                times.front(), times.back(), times.size());
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    const int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 9;
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("bench.cudal1"));
    if (!fill(file)) {
        std::fprintf(stderr, "The project cannot be made\n");
        return 1;
    }
    std::vector<double> outside, inside, listed;
    for (int run = 0; run < runs; ++run) {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        if (!environment.contains(QStringLiteral("QT_QPA_PLATFORM")))
            environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), folder.path());
        process.setProcessEnvironment(environment);
        QElapsedTimer timer;
        timer.start();
        process.start(QStringLiteral(CUDAL1_WORKBENCH), {QStringLiteral("--measure-start"), file});
        QByteArray text;
        while (!text.contains('\n') && process.waitForReadyRead(30'000))
            text += process.readAllStandardOutput();
        const double seen = double(timer.nsecsElapsed()) / 1e6;
        const bool ended = process.waitForFinished(30'000);
        text += process.readAllStandardOutput();
        const QList<QByteArray> lines = text.split('\n');
        if (!ended || !lines.value(0).startsWith("first-paint ") || !lines.value(1).startsWith("tasks-listed ")) {
            std::fprintf(stderr, "The workbench did not report its first frame and its tasks: %s\n",
                         process.readAllStandardError().constData());
            return 1;
        }
        outside.push_back(seen);
        inside.push_back(lines[0].mid(12).toDouble());
        listed.push_back(lines[1].mid(13).toDouble());
    }
    std::printf("%d variants of %d tasks\n", tasks * variantsEach, tasks);
    print("process start to first frame", outside);
    print("main to first frame         ", inside);
    print("main to the list of tasks   ", listed);
    return 0;
}
