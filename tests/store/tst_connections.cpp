// SPDX-License-Identifier: GPL-3.0-or-later
// Several connections of one process, and another process that comes and goes: no commit may get lost.
#include "core/store/project.h"

#include <QCoreApplication>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>

using namespace cudal1;

namespace {

base::VariantId add(store::Project& project, const std::string& source)
{
    store::VariantRecord variant;
    variant.task = {"1/1"};
    variant.taskHash = "hash";
    variant.source = source;
    const auto id = project.addVariant(variant);
    return id ? *id : base::VariantId();
}

} // namespace

class TestConnections : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    std::unique_ptr<store::Project> open(const QString& file)
    {
        auto project = store::Project::open(file.toStdString());
        return project ? std::move(project.value()) : nullptr;
    }
    /// What another process sees, which opens the project and closes it again; -1 when it cannot.
    int variantsElsewhere(const QString& file)
    {
        QProcess other;
        other.start(QCoreApplication::applicationFilePath(), {"--count", file});
        bool isNumber = false;
        const int count = other.waitForFinished() ? other.readAllStandardOutput().trimmed().toInt(&isNumber) : -1;
        return isNumber ? count : -1;
    }

private slots:
    void anotherProcessThatComesAndGoesLosesNothing()
    {
        const QString file = m_folder.filePath("p.cudal1");
        const auto first = open(file);
        QVERIFY(first && first->putTask({{"1/1"}, "Relu", "suite", 1, "source", "hash"}).ok());
        // As the window does: one connection a thread. Opening the second must not take the locks of the first away.
        const auto second = open(file);
        QVERIFY(second);
        QVERIFY(add(*first, "a"));
        QCOMPARE(variantsElsewhere(file), 1);
        QVERIFY2(QFile::exists(file + "-wal"), "the other process removed the log of this one");
        QVERIFY(add(*second, "b"));
        QCOMPARE(variantsElsewhere(file), 2);
        QVERIFY(add(*first, "c"));
        QCOMPARE(variantsElsewhere(file), 3);
        QCOMPARE(first->variantRows()->size(), std::size_t(3));
    }

    void aThirdConnectionAfterAClosedOneKeepsTheLog()
    {
        const QString file = m_folder.filePath("q.cudal1");
        const auto first = open(file);
        QVERIFY(first && first->putTask({{"1/1"}, "Relu", "suite", 1, "source", "hash"}).ok());
        QVERIFY(open(file)); // opened and closed at once
        QVERIFY(add(*first, "a"));
        QCOMPARE(variantsElsewhere(file), 1);
        QVERIFY(add(*first, "b"));
        QCOMPARE(variantsElsewhere(file), 2);
    }

    void aDamagedFileIsStillRefusedBesideAnOpenOne()
    {
        const auto good = open(m_folder.filePath("r.cudal1"));
        QVERIFY(good);
        QFile bad(m_folder.filePath("bad.cudal1"));
        QVERIFY(bad.open(QIODevice::WriteOnly) && bad.write(QByteArray(500, 'x')) == 500);
        bad.close();
        const auto refused = store::Project::open(bad.fileName().toStdString());
        QVERIFY(!refused && refused.error().code == base::ErrorCode::Corrupt);
    }
};

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    if (argc == 3 && QByteArray(argv[1]) == "--count") {
        const auto project = store::Project::open(argv[2]);
        if (!project)
            return 1;
        std::printf("%zu\n", (*project)->variantRows()->size());
        return 0;
    }
    TestConnections test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_connections.moc"
