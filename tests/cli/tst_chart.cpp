// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 chart` from outside: every kind in every format, and what it refuses.
#include "tests/cli/programfolder.h"
#include "tests/report/sampleproject.h"

#include <QImage>
#include <QTest>
#include <QXmlStreamReader>

using namespace cudal1;
using tests::Ran;

class TestChart : public QObject, private tests::ProgramFolder {
    Q_OBJECT
    QByteArray written(const QString& name) const
    {
        QFile file(m_folder->filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        report::samples::smallProject(projectFile().toStdString());
    }

    void kindsAreListed()
    {
        const Ran list = cudal1({"chart"});
        QCOMPARE(list.status, 0);
        for (const char* kind :
             {"distribution", "percentiles", "fastp", "baselines", "effects", "techniques", "progress", "devices"})
            QVERIFY(list.out.contains(QByteArray("\n") + kind + ' ') || list.out.startsWith(kind));
    }

    void everyFormat()
    {
        for (const char* kind :
             {"distribution", "percentiles", "fastp", "baselines", "effects", "techniques", "progress", "devices"}) {
            QCOMPARE(cudal1({"chart", kind}).status, 0);
            QCOMPARE(cudal1({"chart", kind, "-o", "c.svg"}).status, 0);
            QXmlStreamReader svg(written("c.svg"));
            while (!svg.atEnd())
                svg.readNext();
            QVERIFY2(!svg.hasError(), kind);
            QCOMPARE(cudal1({"chart", kind, "-o", "c.png", "--size", "400x300"}).status, 0);
            QCOMPARE(QImage::fromData(written("c.png")).size(), QSize(2 * 400, 2 * 300));
            QVERIFY(cudal1({"chart", kind, "--json"}).parsed()["chart"] == kind);
        }
        const Ran csv = cudal1({"chart", "percentiles", "--format", "csv"});
        QVERIFY(csv.out.contains("level 1,2,1,1,1,1,2.5,"));
        const Ran zero = cudal1({"chart", "percentiles", "--format", "csv", "--failures", "zero"});
        QVERIFY(zero.out.contains("level 1,2,1,1,1,1,2,0,"));
        QVERIFY(cudal1({"chart", "percentiles"}).out.contains("level 1"));
    }

    void wrongUse_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("kind") << QStringList{"pie"} << QByteArray("There are distribution, percentiles");
        QTest::newRow("rule") << QStringList{"devices", "--failures", "two"} << QByteArray("one, zero or left-out");
        QTest::newRow("baseline") << QStringList{"baselines", "--against", "baseline:rust"} << QByteArray("\"best\"");
        QTest::newRow("device") << QStringList{"effects", "--on", "TPU"} << QByteArray("NVIDIA H200");
        QTest::newRow("run") << QStringList{"progress", "--run", "7"} << QByteArray("no optimise run \"7\"");
        QTest::newRow("size") << QStringList{"fastp", "--size", "1x1"} << QByteArray("WIDTHxHEIGHT");
        QTest::newRow("scale") << QStringList{"fastp", "--scale", "99"} << QByteArray("0.5 to 8");
        QTest::newRow("ending") << QStringList{"fastp", "-o", "c.bmp"} << QByteArray("svg, png, csv, json or txt");
        QTest::newRow("two at once") << QStringList{"fastp", "--json", "--format", "svg"} << QByteArray("both want");
    }
    void wrongUse()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, says);
        const Ran ran = cudal1(QStringList{"chart"} + arguments);
        QVERIFY(ran.status != 0);
        QVERIFY2(ran.err.contains(says), ran.err.constData());
    }

    void noProject()
    {
        QFile::remove(projectFile());
        const Ran ran = cudal1({"chart", "fastp"});
        QVERIFY(ran.status != 0);
        QVERIFY(ran.err.contains("no project yet"));
        QVERIFY(!QFile::exists(projectFile()));
    }
};

QTEST_GUILESS_MAIN(TestChart)
#include "tst_chart.moc"
