// SPDX-License-Identifier: GPL-3.0-or-later
// The copy of the sample project.
#include "core/store/samplecopy.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace cudal1;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, const char* text)
{
    fs::create_directories(path.parent_path());
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
        const fs::path prefix = path("prefix"), recording = prefix / "share/cudal1/sample";
        write(recording / "sample.cudal1", "first");
        write(recording / "sample.cudal1-wal", "of somebody who looks at it");
        write(recording / "sft/steps.jsonl", "steps");
        fs::permissions(recording / "sample.cudal1", fs::perms::owner_read);
        const auto copy = store::sampleProject(prefix / "bin", path("data/deeper"));
        QVERIFY(copy.ok());
        QCOMPARE(read(*copy), "first");
        QCOMPARE(copy->parent_path().parent_path(), path("data/deeper"));
        QCOMPARE(read(copy->parent_path() / "sft/steps.jsonl"), "steps");
        QVERIFY(!fs::exists(copy->parent_path() / "sample.cudal1-wal"));
        QCOMPARE(QDir(m_folder->filePath("data/deeper")).entryList(QDir::AllEntries | QDir::NoDotAndDotDot).size(), 1);
        write(*copy, "worked in");
        QCOMPARE(store::sampleProject(prefix / "bin", path("data/deeper")).value(), *copy);
        QCOMPARE(read(*copy), "worked in");
        // Another recording gets a copy of its own.
        write(recording / "sft/steps.jsonl", "other steps");
        const auto other = store::sampleProject(prefix / "bin", path("data/deeper"));
        QVERIFY(other.ok() && *other != *copy);
        QCOMPARE(read(*other), "first");
        QCOMPARE(read(*copy), "worked in");
    }

    void theVariableComesFirst()
    {
        write(path("own/sample.cudal1"), "own");
        qputenv("CUDAL1_SAMPLE", QByteArray::fromStdString(path("own").string()));
        QCOMPARE(read(store::sampleProject("/nowhere/bin", path("data")).value()), "own");
        write(path("other/file"), "no sample");
        qputenv("CUDAL1_SAMPLE", QByteArray::fromStdString(path("other").string()));
        QCOMPARE(store::sampleProject("/nowhere/bin", path("data")).error().code, base::ErrorCode::NotFound);
        qputenv("CUDAL1_SAMPLE", "/no/such/file");
        const auto none = store::sampleProject("/nowhere/bin", path("data"));
        QCOMPARE(none.error().code, base::ErrorCode::NotFound);
        QVERIFY(none.error().text().find("CUDAL1_SAMPLE") != std::string::npos);
    }

    void aFolderThatCannotBeWritten()
    {
        write(path("own/sample.cudal1"), "own");
        write(path("file"), "no folder");
        qputenv("CUDAL1_SAMPLE", QByteArray::fromStdString(path("own").string()));
        QCOMPARE(store::sampleProject("/nowhere/bin", path("file/data")).error().code, base::ErrorCode::Unavailable);
    }

private:
    fs::path path(const char* name) const { return fs::path(m_folder->path().toStdString()) / name; }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestSample)
#include "tst_samplecopy.moc"
