// SPDX-License-Identifier: GPL-3.0-or-later
// Several evaluators in one window: jobs on different devices at a time, searches over many tasks, an evaluator that
// dies.
#include "core/policy/techniquelibrary.h"
#include "tests/ui/shell/windowtest.h"
#include "ui/kit/settings.h"
#include "ui/shell/optimizemanydialog.h"
#include "ui/work/projectmodel.h"
#include "ui/work/runchoice.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTimer>
#include <QToolButton>

#include <algorithm>

#include <csignal>

using namespace cudal1;
using ui::Job;

namespace {

class OnePolicy : public policy::InstantPolicy {
public:
    std::string name() const override { return "one"; }
    policy::Reply propose(const policy::Prompt& prompt) override
    {
        policy::Reply reply;
        if (prompt.round == 0)
            for (const char* word : {"good", "other"})
                reply.proposals.push_back({std::string("# ") + word + " of " + prompt.task.name + "\n",
                                           "analysis",
                                           "design",
                                           "code",
                                           {word},
                                           {}});
        return reply;
    }
};

/// Writes a line at once, and answers when it is told to.
class WritingPolicy : public policy::Policy {
    class Writing : public QObject, public policy::Question {};

public:
    static inline bool over = false;
    std::string name() const override { return "writing"; }
    std::unique_ptr<policy::Question> ask(const policy::Prompt& prompt, policy::Listener listener) override
    {
        auto question = std::make_unique<Writing>();
        listener.partial("Thinking about " + prompt.task.name);
        auto* timer = new QTimer(question.get());
        QObject::connect(timer, &QTimer::timeout, timer, [timer, listener] {
            if (!over)
                return;
            timer->stop();
            listener.partial(", and done");
            listener.replied(policy::Reply());
        });
        timer->start(10);
        return question;
    }
};

const QByteArray answers =
    R"({"on":"graph","reply":{"output_kind":"tensor","total_ns":1000}})"
    "\n"
    R"({"on":"evaluate","delay_ms":150,"reply":{"verdict":"correct","speedup":{"wall":{"estimate":2,"low":1.9,"high":2.1}}}})"
    "\n";

/// Processes whose command line has this text, those of a launcher among them.
std::vector<int> processesWith(const QByteArray& text)
{
    std::vector<int> out;
    for (const QString& name : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        QFile line(QStringLiteral("/proc/") + name + QStringLiteral("/cmdline"));
        if (name.toInt() > 0 && line.open(QIODevice::ReadOnly) && line.readAll().contains(text))
            out.push_back(name.toInt());
    }
    return out;
}

} // namespace

class TestManyFlow : public WindowTest {
    Q_OBJECT
    QString second() const
    {
        return QStringLiteral(CUDAL1_BINARY_DIR "/tests/replay_evaluator ") + path("second.jsonl");
    }
    void make(const QByteArray& first, const QByteArray& other)
    {
        record(first);
        samples::write(path("second.jsonl"), other);
        ui::Settings::instance().set("evaluators", second());
        makeWindow<OnePolicy>();
        openProject("1/1", "task");
    }
    ui::OptimizeManyDialog* dialog()
    {
        find<QAction>("optimizeManyAction")->trigger();
        auto* out = m_window->findChild<ui::OptimizeManyDialog*>();
        [out] { QVERIFY(out); }();
        return out;
    }
    static bool check(ui::OptimizeManyDialog& dialog, const QString& device)
    {
        auto* list = dialog.findChild<QListWidget*>("manyDevices");
        for (int row = 0; row < list->count(); ++row)
            if (list->item(row)->data(Qt::UserRole) == device) {
                list->item(row)->setCheckState(Qt::Checked);
                return true;
            }
        return false;
    }
    const Job* newest() const { return m_window->jobs().at(0); }
    int judged(protocol::Verdict verdict) const
    {
        const auto rows = m_window->project().project()->variantRows();
        return int(std::count_if(rows->begin(), rows->end(), [verdict](const auto& row) {
            return row.evaluation && row.evaluation->verdict == verdict;
        }));
    }

private slots:
    void twoEvaluatorsSearchAtTheSameTime()
    {
        make(answers, answers);
        auto* many = dialog();
        auto* start = many->findChild<QAbstractButton*>("manyStart");
        QVERIFY(start->isEnabled());                                                    // the chosen device is checked
        QTRY_VERIFY_WITH_TIMEOUT(check(*many, "cpu on replay_evaluator"), deadline_ms); // when it has said what it has
        auto* settings = many->findChild<QLabel*>("manySettings");
        QVERIFY2(settings->text().contains("quick, the best with standard"), qPrintable(settings->text()));
        // What is usual: six variants and two more a round of 5 s, and the best once more of 25 s.
        auto* sum = many->findChild<QLabel*>("manySum");
        ui::RunChoice& choice = m_window->choice();
        const auto about = [&](int rounds, int inARow) {
            choice.setRounds(rounds);
            return QStringLiteral("3 searches, 2 at a time, about %1 in all. What was searched")
                .arg(ui::durationText(inARow * ((6 + 2 * (rounds - 1)) * 5.0 + 25)));
        };
        const QString five = about(5, 2);
        QVERIFY(sum->text().startsWith("3 searches, 2 at a time"));
        QTRY_VERIFY2_WITH_TIMEOUT(sum->text().startsWith(five), qPrintable(sum->text()), deadline_ms);
        const QString two = about(2, 2);
        QVERIFY(two != five);
        QTRY_VERIFY2_WITH_TIMEOUT(sum->text().startsWith(two), qPrintable(sum->text()), deadline_ms);
        QTest::mouseClick(start, Qt::LeftButton);
        bool together = false;
        connect(&m_window->jobs(), &ui::JobsModel::jobChanged, this,
                [&] { together |= newest()->progress.text.find("; ") != std::string::npos; });
        QVERIFY(newest() && newest()->kind() == ui::JobKind::OptimizeMany);
        QCOMPARE(newest()->request.subject(), QStringLiteral("3 tasks"));
        QCOMPARE(newest()->request.place(), QStringLiteral("cpu and cpu on replay_evaluator"));
        QTRY_VERIFY_WITH_TIMEOUT(!newest()->isActive(), deadline_ms);
        QVERIFY2(newest()->state == Job::State::Finished,
                 qPrintable(newest()->message + '\n' + newest()->log.join('\n')));
        QVERIFY(together);
        QCOMPARE(judged(protocol::Verdict::Correct), 6);
        QVERIFY(find<QLabel>("evaluatorState")->text().contains("2 of 2 evaluators ready"));

        // Once more, as it was: everything has come to its end.
        const int before = m_window->project().project()->runs()->size();
        const quint64 first = newest()->id;
        QMetaObject::invokeMethod(m_window->findChild<QWidget*>("jobs"), "repeatRequested", Q_ARG(quint64, first));
        QVERIFY(newest()->id != first && newest()->kind() == ui::JobKind::OptimizeMany);
        QTRY_VERIFY_WITH_TIMEOUT(!newest()->isActive(), deadline_ms);
        QCOMPARE(int(m_window->project().project()->runs()->size()), before);
    }

    void whatModelsWriteIsSeenOnThePageOfEachTask()
    {
        WritingPolicy::over = false;
        record(answers);
        samples::write(path("second.jsonl"), answers);
        ui::Settings::instance().set("evaluators", second());
        makeWindow<WritingPolicy>();
        openProject("1/1", "task");
        auto* many = dialog();
        QTRY_VERIFY_WITH_TIMEOUT(check(*many, "cpu on replay_evaluator"), deadline_ms);
        QTest::mouseClick(many->findChild<QAbstractButton*>("manyStart"), Qt::LeftButton);
        auto* reply = find<QPlainTextEdit>("partialReply");
        QTRY_COMPARE_WITH_TIMEOUT(reply->toPlainText(), QStringLiteral("Thinking about 1/1"), deadline_ms);
        QTRY_VERIFY(reply->isVisible());
        QCOMPARE(find<QToolButton>("partialReplyTitle")->text(), QStringLiteral("A reply is being written"));
        // The other search at the same time writes on the page of its own task.
        m_window->selection().select({"1/2"}, {}, {}, "task");
        QTRY_COMPARE_WITH_TIMEOUT(reply->toPlainText(), QStringLiteral("Thinking about 1/2"), deadline_ms);
        m_window->selection().select({"2/1"}, {}, {}, "task"); // it waits for its turn
        QTRY_VERIFY(!reply->isVisible());
        m_window->selection().select({"1/1"}, {}, {}, "task");
        QTRY_COMPARE(reply->toPlainText(), QStringLiteral("Thinking about 1/1"));
        WritingPolicy::over = true;
        QTRY_VERIFY_WITH_TIMEOUT(!newest()->isActive(), deadline_ms);
        QVERIFY2(newest()->state == Job::State::Finished, qPrintable(newest()->message));
        const auto& replies = newest()->replies;
        QVERIFY(replies.size() == 3 && replies.at({"2/1"}).over);
        QCOMPARE(replies.at({"1/1"}).text, QStringLiteral("Thinking about 1/1, and done"));
    }

    void deathOfOneLosesNothingAndIsBlamedOnTheRightVariant()
    {
        const QByteArray crash = R"({"on":"evaluate","candidate_contains":"other of 1/2","delay_ms":60,"act":"crash"})"
                                 "\n" +
                                 answers;
        make(crash, crash);
        auto* many = dialog();
        QTRY_VERIFY_WITH_TIMEOUT(check(*many, "cpu on replay_evaluator"), deadline_ms);
        QTest::mouseClick(many->findChild<QAbstractButton*>("manyStart"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!newest()->isActive(), deadline_ms);
        QVERIFY2(newest()->state == Job::State::Finished, qPrintable(newest()->message));
        QCOMPARE(judged(protocol::Verdict::Correct), 5);
        const auto rows = m_window->project().project()->variantRows({"1/2"});
        QCOMPARE(std::count_if(rows->begin(), rows->end(),
                               [](const auto& row) { return row.evaluation->verdict == protocol::Verdict::Crashed; }),
                 1);
    }

    void jobsOnDifferentDevicesRunAtTheSameTime()
    {
        const QByteArray slow = QByteArray(answers).replace("\"delay_ms\":150", "\"delay_ms\":1500");
        make(slow, slow);
        dialog()->reject(); // which has asked for the devices
        auto& choice = m_window->choice();
        QTRY_COMPARE_WITH_TIMEOUT(choice.devices().size(), std::size_t(2), deadline_ms);
        click("optimizeButton");
        choice.setDevice("cpu on replay_evaluator");
        m_window->selection().selectTask({"1/2"});
        click("optimizeButton");
        choice.setDevice("cpu");
        m_window->selection().selectTask({"2/1"});
        click("optimizeButton");
        QCOMPARE(m_window->jobs().running(), 2);
        QVERIFY(job("2/1")->state == Job::State::Queued); // its device is taken
        QTRY_VERIFY_WITH_TIMEOUT(!job("1/1")->isActive() && !job("1/2")->isActive() && !job("2/1")->isActive(),
                                 deadline_ms);
        for (const char* task : {"1/1", "1/2", "2/1"})
            QVERIFY2(job(task)->state == Job::State::Finished, qPrintable(job(task)->message));
        QCOMPARE(judged(protocol::Verdict::Correct), 6);

        // Another list of evaluators: the second one's devices are gone.
        ui::Settings::instance().set("evaluators", QString());
        QCOMPARE(choice.devices().size(), std::size_t(1));
    }

    void anotherProjectsJobIsNotRepeated()
    {
        make(answers, answers);
        click("optimizeButton");
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        const quint64 first = job()->id;
        QSignalSpy opened(&m_window->project(), &ui::ProjectModel::opened);
        m_window->openProject(path("other.cudal1"), path("suite"));
        QVERIFY(opened.wait(deadline_ms));
        QMetaObject::invokeMethod(m_window->findChild<QWidget*>("jobs"), "repeatRequested", Q_ARG(quint64, first));
        QCOMPARE(newest()->id, first);
        QVERIFY(m_window->project().project()->variantRows()->empty());
    }

    void oneMachinesCpuIsNotSharedWithItsGpu()
    {
        make(
            R"({"on":"describe","reply":{"devices":[{"name":"cpu","model":"C"},{"name":"cuda:0","model":"G"},{"name":"cuda:1","model":"G"}]}})"
            "\n" +
                answers,
            answers);
        auto* many = dialog();
        auto* start = many->findChild<QAbstractButton*>("manyStart");
        QTRY_VERIFY_WITH_TIMEOUT(check(*many, "cuda:0"), deadline_ms);
        QVERIFY(!start->isEnabled());
        QVERIFY(many->findChild<QLabel*>("manySum")->text().contains("would disturb"));
        many->findChild<QListWidget*>("manyDevices")->item(0)->setCheckState(Qt::Unchecked);
        QVERIFY(check(*many, "cuda:1") && start->isEnabled());
        many->reject();
    }

    /// Minutes, so only where it is asked for: real evaluators that share this machine's CPU, one of which is killed at
    /// work.
    void realEvaluators()
    {
        if (!qEnvironmentVariableIsSet("CUDAL1_REAL_EVALUATORS"))
            QSKIP("CUDAL1_REAL_EVALUATORS is not set");
        const QString program = QStringLiteral(CUDAL1_BINARY_DIR "/bin/cudal1-evaluator");
        qunsetenv("CUDAL1_EVALUATOR");
        ui::Settings::instance().set("evaluator", QStringLiteral("env CUDAL1_LEASES=one ") + program);
        ui::Settings::instance().set("evaluators", QStringLiteral("env CUDAL1_LEASES=two ") + program);
        ui::Settings::instance().set("preset", QStringLiteral("quick"));
        ui::Settings::instance().set("rounds", 1);
        makeWindow<policy::TechniqueLibrary>();
        openProject("1/1", "task");
        auto* many = dialog();
        QTRY_VERIFY_WITH_TIMEOUT(check(*many, "cpu on evaluator 2"), 10 * deadline_ms);
        const QString shots = qEnvironmentVariable("CUDAL1_REAL_EVALUATORS");
        if (!shots.startsWith(QLatin1Char('/')) || !many->grab().save(shots + QStringLiteral("/dialog.png")))
            qInfo("no pictures");
        QTest::mouseClick(many->findChild<QAbstractButton*>("manyStart"), Qt::LeftButton);
        bool killed = false, together = false;
        connect(&m_window->jobs(), &ui::JobsModel::jobChanged, this, [&] {
            const std::string& text = newest()->progress.text;
            const auto end = text.find("; ");
            together |= end != std::string::npos;
            // Both are at work on a variant, and the second one is killed in the midst of it.
            if (killed || end == std::string::npos || text.find("timing") == std::string::npos)
                return;
            m_window->grab().save(shots + QStringLiteral("/both.png"));
            for (const int process : processesWith("cudal1-evaluator")) {
                QFile environment(QStringLiteral("/proc/%1/environ").arg(process));
                if (environment.open(QIODevice::ReadOnly) && environment.readAll().contains("CUDAL1_LEASES=two"))
                    killed |= ::kill(process, SIGKILL) == 0;
            }
        });
        QTRY_VERIFY_WITH_TIMEOUT(!newest()->isActive(), 60 * deadline_ms);
        m_window->grab().save(shots + QStringLiteral("/done.png"));
        qInfo("%s", qPrintable(newest()->log.join('\n')));
        QVERIFY2(newest()->state == Job::State::Finished, qPrintable(newest()->message));
        QVERIFY(together && killed);
        QCOMPARE(judged(protocol::Verdict::Crashed), 0); // whoever was with it is judged again, and blamed for nothing
        const auto rows = m_window->project().project()->variantRows();
        QVERIFY(std::all_of(rows->begin(), rows->end(), [](const auto& row) { return row.evaluation.has_value(); }));
        for (const char* task : {"1/1", "1/2", "2/1"})
            QVERIFY(!m_window->project().project()->variantRows({task})->empty());
    }
};

QTEST_MAIN(TestManyFlow)
#include "tst_manyflow.moc"
