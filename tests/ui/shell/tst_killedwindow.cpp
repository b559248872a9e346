// SPDX-License-Identifier: GPL-3.0-or-later
// The real program, killed in the middle of a run: nothing committed is lost, the next start offers to resume, and
// does.
#include "app/workbench/pages.h"
#include "core/policy/techniquelibrary.h"
#include "ui/kit/messagebar.h"
#include "ui/kit/theme.h"
#include "ui/shell/mainwindow.h"

#include <QAbstractButton>
#include <QApplication>
#include <QProcess>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace cudal1;

namespace {

constexpr int deadline_ms = 60'000;

using Judged = std::map<std::int64_t, std::int64_t>; ///< evaluation of each judged variant

} // namespace

class TestKilledWindow : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    const QString m_data = QStringLiteral(CUDAL1_CLI_DATA);

    QString file() const { return m_folder.filePath("p.cudal1"); }
    void start(QProcess& process, const QString& action)
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("QT_QPA_PLATFORM", "offscreen");
        environment.insert("XDG_CONFIG_HOME", m_folder.filePath("config"));
        environment.insert("XDG_RUNTIME_DIR", m_folder.path());
        environment.insert("CUDAL1_EVALUATOR",
                           QStringLiteral("\"%1\" \"%2/optimize.jsonl\"").arg(QStringLiteral(CUDAL1_REPLAY), m_data));
        process.setProcessEnvironment(environment);
        process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        process.start(QStringLiteral(CUDAL1_WORKBENCH),
                      {file(), "--suite", m_data + "/suite", "--task", "1/1", "--run", action});
        QVERIFY(process.waitForStarted());
    }
    /// Null while the program has not made the file.
    std::unique_ptr<store::Project> project() const
    {
        if (!QFile::exists(file()))
            return nullptr;
        auto opened = store::Project::open(file().toStdString());
        return opened ? std::move(opened.value()) : nullptr;
    }
    Judged judged() const
    {
        Judged out;
        const auto now = project();
        if (const auto rows = now ? now->variantRows({"1/1"}) : base::Error{}; rows)
            for (const store::VariantRow& row : *rows)
                if (row.evaluation)
                    out.emplace(row.id.value, row.evaluation->id.value);
        return out;
    }

private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("cudal1-test-killedwindow"));
        QSettings().clear();
        ui::Theme::instance().install(*qApp);
        QVERIFY(m_folder.isValid());
    }

    void killedInMidRun()
    {
        QProcess process;
        start(process, "Optimize");
        QTRY_VERIFY_WITH_TIMEOUT(judged().size() >= 1, deadline_ms);
        process.kill();
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitStatus(), QProcess::CrashExit);
        const auto left = project();
        QCOMPARE(left->runs(store::RunState::Running)->size(), std::size_t(1));
        QVERIFY2(!left->queue(left->runs()->front().id)->empty(), "the run was over before it was killed");
    }

    void theNextStartOffersToResume()
    {
        ui::MainWindow window([] { return std::make_unique<policy::TechniqueLibrary>(); });
        workbench::addPages(window);
        window.show();
        QSignalSpy opened(&window.project(), &ui::ProjectModel::opened);
        window.openProject(file(), m_data + "/suite");
        QVERIFY(opened.wait(deadline_ms));
        const auto* messages = window.findChild<ui::MessageBar*>();
        QVERIFY2(messages->text().contains("1/1"), qPrintable(messages->text()));
        const auto buttons = messages->findChildren<QAbstractButton*>();
        QVERIFY(std::any_of(buttons.begin(), buttons.end(),
                            [](const QAbstractButton* button) { return button->text() == "Resume"; }));
        QVERIFY(window.findChild<QAction*>("resume")->isEnabled());
    }

    void theProgramGoesOnWhereItWasKilled()
    {
        const Judged before = judged();
        QVERIFY(!before.empty());
        const std::size_t planned = project()->variantRows({"1/1"})->size();
        QVERIFY(planned > before.size());
        QProcess process;
        start(process, "Resume Interrupted Runs");
        QTRY_VERIFY_WITH_TIMEOUT(project()->runs()->front().state == store::RunState::Finished, deadline_ms);
        process.kill();
        QVERIFY(process.waitForFinished());
        const Judged after = judged();
        for (const auto& [variant, evaluation] : before)
            QCOMPARE(after.at(variant), evaluation); // what was committed was not judged again
        QVERIFY(after.size() >= planned);
        QCOMPARE(project()->runs()->size(), std::size_t(1));
        QVERIFY(project()->queue(project()->runs()->front().id)->empty());
    }

    void cleanupTestCase() { QSettings().clear(); }
};

QTEST_MAIN(TestKilledWindow)
#include "tst_killedwindow.moc"
