// SPDX-License-Identifier: GPL-3.0-or-later
// The copy of the sample project.
#include "core/store/sample.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace cudal1;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, const char* text)
{
    QFile file(QString::fromStdString(path.string()));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(file.write(text) > 0);
}

QByteArray read(const fs::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestSample : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        qunsetenv("CUDAL1_SAMPLE");
    }

    void copiesOnceAndKeepsWhatWasDone()
    {
        const fs::path prefix = path("prefix");
        fs::create_directories(prefix / "share/cudal1");
        fs::create_directories(prefix / "bin");
        write(prefix / "share/cudal1/sample.cudal1", "first");
        const auto copy = store::sampleProject(prefix / "bin", path("data/deeper"));
        QVERIFY(copy.ok());
        QCOMPARE(read(*copy), "first");
        QCOMPARE(copy->parent_path(), path("data/deeper"));
        write(*copy, "worked in");
        QCOMPARE(store::sampleProject(prefix / "bin", path("data/deeper")).value(), *copy);
        QCOMPARE(read(*copy), "worked in");
        // Another recording gets a copy of its own.
        write(prefix / "share/cudal1/sample.cudal1", "second");
        const auto other = store::sampleProject(prefix / "bin", path("data/deeper"));
        QVERIFY(other.ok() && *other != *copy);
        QCOMPARE(read(*other), "second");
        QCOMPARE(read(*copy), "worked in");
    }

    void theVariableComesFirst()
    {
        write(path("own"), "own");
        qputenv("CUDAL1_SAMPLE", QByteArray::fromStdString(path("own").string()));
        QCOMPARE(read(store::sampleProject("/nowhere/bin", path("data")).value()), "own");
        qputenv("CUDAL1_SAMPLE", "/no/such/file");
        const auto none = store::sampleProject("/nowhere/bin", path("data"));
        QCOMPARE(none.error().code, base::ErrorCode::NotFound);
        QVERIFY(none.error().text().find("CUDAL1_SAMPLE") != std::string::npos);
    }

    void aFolderThatCannotBeWritten()
    {
        write(path("own"), "own");
        write(path("file"), "no folder");
        qputenv("CUDAL1_SAMPLE", QByteArray::fromStdString(path("own").string()));
        QCOMPARE(store::sampleProject("/nowhere/bin", path("file/data")).error().code, base::ErrorCode::Unavailable);
    }

private:
    fs::path path(const char* name) const { return fs::path(m_folder->path().toStdString()) / name; }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestSample)
#include "tst_sample.moc"
