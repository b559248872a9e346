// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are no source are refused before they fill the memory, and the error names what is wrong with them.
#include "core/tasks/sourcefile.h"
#include "tests/tasks/taskfolder.h"

#include <QTest>

using namespace cudal1;

class TstSourceFile : public QObject {
    Q_OBJECT

private slots:
    void readsText();
    void refuses_data();
    void refuses();
    void refusesWhatIsNoFile_data();
    void refusesWhatIsNoFile();
    void refusesMoreThanTheLimit();

private:
    tests::TaskFolder m_folder;
};

void TstSourceFile::readsText()
{
    const auto source = tasks::readCandidate(m_folder.write("candidate.py", "\xef\xbb\xbfx = '\xc3\xa4'\n"));
    QVERIFY(source.ok());
    QCOMPARE(*source, std::string("x = '\xc3\xa4'\n"));
}

void TstSourceFile::refuses_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("says");
    QTest::addRow("empty") << QByteArray(" \n") << "the file is empty";
    QTest::addRow("binary") << QByteArray("x = 1\n\0\1", 8) << "the file holds binary data";
    QTest::addRow("another encoding") << QByteArray("x = 1\ny = '\xe4'\n") << "line 2";
}

void TstSourceFile::refuses()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, says);
    const auto source = tasks::readCandidate(m_folder.write("candidate.py", bytes));
    QVERIFY(!source.ok());
    const QString text = QString::fromStdString(source.error().text());
    QVERIFY2(text.contains(says), qPrintable(text));
    QVERIFY2(text.contains("candidate.py"), qPrintable(text));
}

void TstSourceFile::refusesWhatIsNoFile_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("says");
    QTest::addRow("a device without end") << "/dev/zero"
                                          << "a device, pipe or socket";
    QTest::addRow("a folder") << "/dev"
                              << "a folder";
    QTest::addRow("nothing") << "/dev/nothing-here.py"
                             << "there is no such file";
}

void TstSourceFile::refusesWhatIsNoFile()
{
    QFETCH(QString, path);
    QFETCH(QString, says);
    const auto source = tasks::readCandidate(path.toStdString());
    QVERIFY(!source.ok());
    const QString text = QString::fromStdString(source.error().text());
    QVERIFY2(text.contains(says), qPrintable(text));
    QVERIFY2(text.contains("Give a Python file that defines ModelNew"), qPrintable(text));
}

void TstSourceFile::refusesMoreThanTheLimit()
{
    const std::filesystem::path path = m_folder.write("candidate.py", "x = 1\n");
    std::filesystem::resize_file(path, tasks::MaxSourceBytes);
    QVERIFY(!tasks::readCandidate(path).ok()); // read, and found to hold zeros
    std::filesystem::resize_file(path, tasks::MaxSourceBytes + 1);
    const QString text = QString::fromStdString(tasks::readCandidate(path).error().text());
    QVERIFY2(text.contains("a source file has at most"), qPrintable(text));
}

QTEST_APPLESS_MAIN(TstSourceFile)
#include "tst_sourcefile.moc"
