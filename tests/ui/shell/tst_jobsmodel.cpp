// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs as rows: states, places in the queue, progress, and the words for them.
#include "ui/work/jobsmodel.h"

#include "tests/ui/jobs.h"
#include "ui/kit/theme.h"
#include "ui/shell/jobsview.h"
#include "ui/work/commandline.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QSignalSpy>
#include <QTest>

using namespace cudal1;
using namespace cudal1::ui;

class TestJobsModel : public QObject {
    Q_OBJECT
private slots:
    void keepsTheRulesOfModels()
    {
        JobsModel jobs;
        QAbstractItemModelTester tester(&jobs, QAbstractItemModelTester::FailureReportingMode::Fatal);
        const quint64 a = jobs.add(tests::optimizing("1/1"));
        const quint64 b = jobs.add(tests::optimizing("1/2"));
        jobs.setState(a, Job::State::Running);
        optimize::SearchProgress progress;
        progress.done = 3;
        progress.planned = 8;
        progress.fraction = 0.4;
        progress.secondsLeft = 70;
        progress.bestWall = {3.861, 3.8, 3.9};
        jobs.setProgress(a, progress);
        QCOMPARE(jobs.rowCount(), 2);
        const auto text = [&](int row, int column) { return jobs.index(row, column).data().toString(); };
        QCOMPARE(text(1, JobsModel::ProgressColumn), QStringLiteral("3 of 8"));
        QCOMPARE(text(1, JobsModel::Best), QStringLiteral("3.86×"));
        QCOMPARE(text(1, JobsModel::TimeLeft), QStringLiteral("1 min 10 s"));
        QCOMPARE(timeLeftText(progress), QStringLiteral("1 min 10 s left"));
        progress.guessed = true;
        QCOMPARE(timeLeftText(progress), QStringLiteral("about 1 min 10 s left"));
        QCOMPARE(timeLeftText({}), QString());
        progress.bestMarks = "*TF32";
        jobs.setProgress(a, progress);
        QCOMPARE(text(1, JobsModel::Best), QStringLiteral("3.86× (TF32)"));
        progress.bestWall = {1.2, 0.9, 1.5}; // which may be slower than the reference
        jobs.setProgress(a, progress);
        QCOMPARE(text(1, JobsModel::Best), QStringLiteral("the reference"));
        jobs.setState(a, Job::State::Finished);
        QCOMPARE(text(1, JobsModel::TimeLeft), QString());
        jobs.clearEnded();
        QCOMPARE(jobs.rowCount(), 1);
        QVERIFY(jobs.job(b) && !jobs.job(a));
    }

    /// As in the overview.
    void onlyAPlainGainIsGreen()
    {
        JobsModel jobs;
        JobsView view(jobs);
        view.resize(400, 200);
        const quint64 job = jobs.add(tests::optimizing("1/1"));
        jobs.setState(job, Job::State::Running);
        const auto green = [&](const base::Interval& best, const char* marks) {
            optimize::SearchProgress progress;
            progress.bestWall = best;
            progress.bestMarks = marks;
            jobs.setProgress(job, progress);
            const QImage image = view.grab().toImage();
            int count = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    count += image.pixelColor(x, y) == Theme::instance().color(Role::GainText);
            return count;
        };
        QVERIFY(green({3.861, 3.8, 3.9}, "") > 0);
        QCOMPARE(green({3.861, 3.8, 3.9}, "*TF32"), 0);
        QCOMPARE(green({3.861, 3.8, 3.9}, "!"), 0);
        QCOMPARE(green({0.5, 0.4, 0.6}, ""), 0);
    }

    void aJobIsACommandLine()
    {
        Job job = tests::optimizing("1/12", "cuda:0");
        auto& search = std::get<OptimizeJob>(job.request.what);
        search.options.rounds = 5;
        search.options.preset = protocol::Preset::Quick;
        QCOMPARE(commandLine(job.request, "/my projects/p.cudal1"),
                 QStringLiteral("cudal1 optimize 1/12 --rounds 5 --precision kernelbench --preset quick "
                                "--device cuda:0 --project '/my projects/p.cudal1'"));
        job.request.places.front().launcher = farm::Launcher{"ssh", "gpu1", "cudal1-evaluator"};
        QVERIFY(
            commandLine(job.request, "p").startsWith("CUDAL1_EVALUATOR='ssh gpu1 cudal1-evaluator' cudal1 optimize"));

        AblationJob ablation;
        ablation.task.id = {"3/41"};
        ablation.variant.id = base::VariantId{14};
        ablation.request.toggles = {"USE_A", "USE_B"};
        QCOMPARE(commandLine({{}, ablation}, "p"),
                 QStringLiteral("cudal1 ablate 3/41 14 --toggles USE_A,USE_B --design full --precision kernelbench "
                                "--preset standard --project p"));
        TimelineJob timeline;
        timeline.task.id = {"1/1"};
        QCOMPARE(commandLine({{}, timeline}, "p"),
                 QStringLiteral("cudal1 timeline 1/1 --precision kernelbench --project p"));
        QCOMPARE(commandLine({{}, EvaluateJob{}}, "p"), QString()); // the command judges files
    }

    void theMenuOfAJobDoesWhatItSays()
    {
        JobsModel jobs;
        JobsView view(jobs);
        view.resize(400, 200);
        const quint64 job = jobs.add(tests::optimizing("1/1"));
        view.setCurrentIndex(jobs.index(0, 0));
        const auto trigger = [&view](const char* text) {
            for (QAction* action : view.actions())
                if (action->text() == QLatin1String(text))
                    return action->trigger();
            QFAIL(text);
        };
        QSignalSpy result(&view, &JobsView::resultRequested), again(&view, &JobsView::repeatRequested);
        trigger("Open the result");
        QCOMPARE(result.size(), 1);
        QCOMPARE(result.first().first().toULongLong(), job);
        trigger("Run this job again");
        QCOMPARE(again.size(), 1);
        trigger("Copy as command line");
        QVERIFY(QApplication::clipboard()->text().startsWith("cudal1 optimize 1/1 "));
    }

    void theQueueIsFirstComeFirstServed()
    {
        JobsModel jobs;
        const quint64 a = jobs.add(tests::optimizing("1/1"));
        const quint64 b = jobs.add(tests::optimizing("1/2"));
        const quint64 c = jobs.add(tests::optimizing("1/3"));
        QCOMPARE(jobs.active()->id, a);
        jobs.setState(a, Job::State::Running);
        QCOMPARE(jobs.queuePosition(a), 0);
        QCOMPARE(jobs.queuePosition(b), 1);
        QCOMPARE(jobs.queuePosition(c), 2);
        jobs.setState(a, Job::State::Stopped);
        jobs.setState(b, Job::State::Stopped);
        QCOMPARE(jobs.active()->id, c);
        QCOMPARE(jobs.queuePosition(c), 1);
    }

    void theJobOfATaskIsTheOneThatMatters()
    {
        JobsModel jobs;
        QVERIFY(!jobs.jobOf({"1/1"}));
        const quint64 first = jobs.add(tests::optimizing("1/1"));
        const quint64 second = jobs.add(tests::optimizing("1/1"));
        jobs.setState(first, Job::State::Running);
        QCOMPARE(jobs.jobOf({"1/1"})->id, first);
        jobs.setState(first, Job::State::Finished);
        QCOMPARE(jobs.jobOf({"1/1"})->id, second);
        jobs.setState(second, Job::State::Failed);
        QCOMPARE(jobs.jobOf({"1/1"})->id, second);
    }

    void theLogIsBounded()
    {
        JobsModel jobs;
        const quint64 id = jobs.add(tests::optimizing("1/1"));
        QSignalSpy added(&jobs, &JobsModel::logAdded);
        for (int i = 0; i < 5600; ++i)
            jobs.addLog(id, QString::number(i));
        QCOMPARE(added.size(), 5600);
        QVERIFY(jobs.job(id)->log.size() <= 5000);
        QCOMPARE(jobs.job(id)->log.last(), QStringLiteral("5599"));
    }

    void durations()
    {
        QCOMPARE(durationText(-1), QString());
        QCOMPARE(durationText(59.4), QStringLiteral("59 s"));
        QCOMPARE(durationText(59.6), QStringLiteral("1 min 00 s"));
        QCOMPARE(durationText(3725), QStringLiteral("1 h 02 min"));
    }
};

QTEST_MAIN(TestJobsModel)
#include "tst_jobsmodel.moc"
