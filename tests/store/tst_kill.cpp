// SPDX-License-Identifier: GPL-3.0-or-later
// Kill -9 in the middle of writing loses no committed evaluation: the test runs itself as the writer and kills it.
#include "core/store/project.h"
#include "tests/store/storesamples.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QtTest>

#include <cstdio>

using namespace cudal1;
using namespace cudal1::store;

namespace {

/// The child: takes work off the queue for ever and prints each evaluation's id once it is committed.
int writeUntilKilled(const char* path)
{
    auto project = Project::open(path);
    if (!project)
        return 3;
    const auto runs = (*project)->runs(RunState::Running);
    const base::RunId run = runs->empty()
                              ? *(*project)->startRun({{}, "optimize", {"3/41"}, "", RunState::Running, {}, 0, 0})
                              : runs->front().id;
    for (int i = 0;; ++i) {
        if ((*project)->queue(run)->empty()) {
            const auto count = (*project)->variantRows()->size();
            const auto variant = (*project)->addVariant(samples::variant("source " + std::to_string(count)));
            if (!variant || !(*project)->enqueue(run, *variant, i).ok())
                return 4;
        }
        const auto queue = (*project)->queue(run);
        protocol::Evaluation evaluation = samples::evaluation(1.5);
        evaluation.pairs.resize(40, evaluation.pairs.front());
        const auto id = (*project)->finish(queue->front(), evaluation);
        if (!id)
            return 5;
        std::printf("%lld\n", static_cast<long long>(id->value));
        std::fflush(stdout);
    }
}

} // namespace

class TestKill : public QObject {
    Q_OBJECT
private slots:
    void nothingCommittedIsLost();
};

void TestKill::nothingCommittedIsLost()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("project.cudal1");
    {
        auto project = Project::open(path.toStdString());
        QVERIFY(project.ok());
        QVERIFY((*project)->putTask(samples::task()).ok());
    }
    QList<qint64> printed;
    for (int round = 0; round < 3; ++round) {
        QProcess child;
        child.start(QCoreApplication::applicationFilePath(), {"--write-until-killed", path});
        QVERIFY(child.waitForStarted());
        QByteArray output;
        QElapsedTimer timer;
        timer.start();
        // Different amounts, so that the kill meets the writer in different states.
        while (output.count('\n') < 25 + 40 * round && timer.elapsed() < 60000 && child.waitForReadyRead(10000))
            output += child.readAllStandardOutput();
        child.kill();
        QVERIFY(child.waitForFinished());
        QCOMPARE(child.exitStatus(), QProcess::CrashExit);
        output += child.readAllStandardOutput();
        output.truncate(output.lastIndexOf('\n') + 1);
        for (const QByteArray& line : output.split('\n'))
            if (!line.isEmpty())
                printed << line.toLongLong();
        QVERIFY(printed.size() >= 25);

        {
            const auto project = Project::open(path.toStdString());
            QVERIFY2(project.ok(), project.ok() ? "" : project.error().text().c_str());
            for (qint64 id : std::as_const(printed)) {
                const auto evaluation = (*project)->evaluation({id});
                QVERIFY2(evaluation.ok(), qPrintable(QString("evaluation %1 is lost").arg(id)));
                QCOMPARE(evaluation->pairs.size(), std::size_t(40));
            }
            // The run is still there for the next start, and so is at most the one piece of work in flight.
            const auto runs = (*project)->runs(RunState::Running);
            QCOMPARE(runs->size(), std::size_t(1));
            QVERIFY((*project)->queue(runs->front().id)->size() <= 1);
        }
        {
            QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", "check");
            database.setDatabaseName(path);
            QVERIFY(database.open());
            for (const auto& [sql, expected] : {std::pair("PRAGMA integrity_check", "ok"),
                                                std::pair("SELECT count(*) FROM pragma_foreign_key_check", "0")}) {
                QSqlQuery query(sql, database);
                QVERIFY(query.next());
                QCOMPARE(query.value(0).toString(), QString(expected));
            }
        }
        QSqlDatabase::removeDatabase("check");
    }
    QCOMPARE(QSet<qint64>(printed.begin(), printed.end()).size(), printed.size());
}

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    if (argc == 3 && qstrcmp(argv[1], "--write-until-killed") == 0)
        return writeUntilKilled(argv[2]);
    TestKill test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_kill.moc"
