// SPDX-License-Identifier: GPL-3.0-or-later
// How long a project of 10,000 judged variants takes to open and to list: the numbers behind the window's start.
#include "core/store/project.h"
#include "tests/store/storesamples.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>

using namespace cudal1;
using namespace cudal1::store;

namespace {

constexpr int tasks = 250, variants = 10000;

/// The median of seven calls, in milliseconds.
template<class Body> double timed(Body&& body)
{
    std::vector<double> times;
    for (int i = 0; i < 7; ++i) {
        QElapsedTimer timer;
        timer.start();
        body();
        times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    return base::median(times);
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    QTemporaryDir folder;
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        std::fprintf(stderr, "usage: %s [PROJECT]\n", argv[0]);
        return 2;
    }
    // A path as argument keeps the project, for a window or a command to open.
    const std::filesystem::path path = argc > 1 ? argv[1] : folder.filePath("bench.cudal1").toStdString();
    {
        auto project = Project::open(path);
        if (!project) {
            std::fprintf(stderr, "%s\n", project.error().text().c_str());
            return 1;
        }
        for (int i = 0; i < tasks; ++i) {
            TaskRecord task = samples::task(std::to_string(i / 100 + 1) + "/" + std::to_string(i % 100 + 1));
            task.level = i / 100 + 1;
            if (!(*project)->putTask(task))
                return 1;
        }
        QElapsedTimer timer;
        timer.start();
        for (int i = 0; i < variants; ++i) {
            const int n = i % tasks;
            const std::string task = std::to_string(n / 100 + 1) + "/" + std::to_string(n % 100 + 1);
            const auto id = (*project)->addVariant(samples::variant(std::string(4000, 'x') + std::to_string(i), task));
            protocol::Evaluation evaluation = i % 3
                                                ? samples::evaluation(0.5 + i % 97 * 0.05, task)
                                                : samples::failure(protocol::Verdict::Incorrect, "The values differ");
            if (!id || !(*project)->addEvaluation(*id, evaluation))
                return 1;
        }
        std::printf("add a variant and its evaluation   %8.3f ms each\n",
                    static_cast<double>(timer.elapsed()) / variants);
        protocol::Evaluation large = samples::evaluation(2);
        large.pairs.front().reference_ns.assign(20000, 12345.678);
        for (double& sample : large.pairs.front().reference_ns)
            sample += static_cast<double>(&sample - large.pairs.front().reference_ns.data()) / 7;
        std::printf("add an evaluation of 20,000 samples%8.3f ms\n",
                    timed([&] { (void)(*project)->addEvaluation({1}, large).ok(); }));
    }
    std::unique_ptr<Project> project;
    std::printf("open                               %8.3f ms\n", timed([&] {
                    project.reset();
                    project = Project::open(path).value();
                }));
    std::printf("taskRows of 250 tasks              %8.3f ms\n", timed([&] { (void)project->taskRows().ok(); }));
    std::printf("variantRows of 10,000 variants     %8.3f ms\n", timed([&] { (void)project->variantRows().ok(); }));
    std::printf("variantRows of one task            %8.3f ms\n",
                timed([&] { (void)project->variantRows({"1/12"}).ok(); }));
    std::printf("dataVersion                        %8.3f ms\n", timed([&] { (void)project->dataVersion().ok(); }));
    return 0;
}
