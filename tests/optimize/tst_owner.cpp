// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the process that ran something still lives.
#include "core/optimize/owner.h"

#include <QProcess>
#include <QTest>

using namespace cudal1::optimize;

class TestOwner : public QObject {
    Q_OBJECT
private slots:
    void thisProcessLives()
    {
        QVERIFY(!ownProcess().empty());
        QVERIFY(isAlive(ownProcess()));
    }

    void nobodyIsDead()
    {
        QVERIFY(!isAlive({}));
        QVERIFY(!isAlive("nonsense"));
        QVERIFY(!isAlive("boot -4 12"));
    }

    void numbersThatWereUsedAgainAreTold()
    {
        // The same number, started at another moment, or in another boot.
        QString own = QString::fromStdString(ownProcess());
        QVERIFY(!isAlive((own + "1").toStdString()));
        QVERIFY(!isAlive(QString(own).replace('/', "/x").toStdString()));
        // As an earlier version wrote it, without the machine.
        QVERIFY(!isAlive(own.section('/', 2).toStdString(), heartbeatNow()));
    }

    void otherMachinesSayWhetherTheyLive()
    {
        const std::string foreign = "x" + ownProcess();
        QVERIFY(!isAlive(foreign));
        QVERIFY(isAlive(foreign, heartbeatNow()));
        QVERIFY(isAlive(foreign, heartbeatNow() - 120));
        QVERIFY(!isAlive(foreign, heartbeatNow() - 200));
    }

    void hostsMayHaveOneNameAndContainersOneBoot()
    {
        // Another boot may be of a machine with the same name, and in another namespace the same number is another's.
        for (const char* changed : {"/x", "[x"}) {
            const std::string foreign = QString::fromStdString(ownProcess()).replace(changed[0], changed).toStdString();
            QVERIFY(foreign != ownProcess());
            QVERIFY(isAlive(foreign, heartbeatNow()));
            QVERIFY(!isAlive(foreign, heartbeatNow() - 200));
        }
    }

    void deadProcessIsDead()
    {
        // A token of a child, made with this process's boot and the child's numbers, while it lives and after.
        QProcess child;
        child.start("sleep", {"60"});
        QVERIFY(child.waitForStarted());
        const QString number = QString::number(child.processId());
        QFile status("/proc/" + number + "/stat");
        QVERIFY(status.open(QIODevice::ReadOnly));
        const QByteArray text = status.readAll();
        const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
        const QString boot = QString::fromStdString(ownProcess()).section(' ', 0, 0);
        const std::string token = (boot + " " + number + " " + fields.at(19)).toStdString();
        QVERIFY(isAlive(token));
        child.kill();
        QVERIFY(child.waitForFinished());
        QVERIFY(!isAlive(token));
    }
};

QTEST_GUILESS_MAIN(TestOwner)
#include "tst_owner.moc"
