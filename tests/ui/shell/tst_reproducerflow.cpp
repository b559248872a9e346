// SPDX-License-Identifier: GPL-3.0-or-later
// Save Reproducer from the menu: the dialog, the file that it writes, and what is said where nothing can be written.
#include "core/report/reproducer.h"
#include "tests/ui/shell/windowtest.h"
#include "ui/kit/messagebar.h"

#include <QAction>
#include <QApplication>
#include <QFileDialog>
#include <QLineEdit>
#include <QProcess>
#include <QTimer>

using namespace cudal1;

class TestReproducerFlow : public WindowTest {
    Q_OBJECT
    base::VariantId m_best, m_other;

    void make()
    {
        {
            auto project = store::Project::open(path("p.cudal1").toStdString());
            QVERIFY(project.ok());
            m_best = samples::addVariant(**project, source("best").toStdString(), 2.0);
            m_other = samples::addVariant(**project, source("other").toStdString(), 1.5);
        }
        makeWindow();
        openProject("1/1", "compare");
    }
    /// Two quotes of a kind, a back slash and a letter beyond ASCII: what a careless literal breaks at.
    static QString source(const QString& name)
    {
        return QStringLiteral("import torch\nimport torch.nn as nn\n\n\nclass ModelNew(nn.Module):\n    \"\"\"The %1 "
                              "one, in 3 µs: '\\\\n'.\"\"\"\n\n"
                              "    def forward(self, x):\n        return x.clamp_min(0)\n")
            .arg(name);
    }
    /// Triggers the action and answers its dialog: with `file`, or Escape for an empty one. Gives the name that was
    /// proposed.
    QString save(const QString& file)
    {
        QString proposed;
        QTimer answer;
        answer.setInterval(20);
        connect(&answer, &QTimer::timeout, this, [&] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            auto* name = dialog ? dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit")) : nullptr;
            if (!name)
                return;
            answer.stop();
            proposed = name->text();
            if (file.isEmpty())
                return QTest::keyClick(dialog, Qt::Key_Escape);
            name->setText(file);
            QTest::keyClick(name, Qt::Key_Return);
        });
        answer.start();
        find<QAction>("saveReproducer")->trigger(); // comes back when the dialog is closed
        return proposed;
    }
    QString told() const { return m_window->findChild<ui::MessageBar*>()->text(); }
    static QByteArray contents(const QString& file)
    {
        QFile one(file);
        return one.open(QIODevice::ReadOnly) ? one.readAll() : QByteArray();
    }

private slots:
    void writesTheVariantThatIsCompared()
    {
        make();
        m_window->selection().compare({}, m_other);
        const QString file = path("reproducer.py");
        QCOMPARE(save(file), QStringLiteral("reproduce-%1.py").arg(m_other.value));
        const QByteArray written = contents(file);
        const std::string literal = report::pythonLiteral(source("other").toStdString());
        QVERIFY2(written.contains(QByteArray::fromStdString(literal)), written);
        QVERIFY(written.contains(
            QByteArray::fromStdString(report::pythonLiteral(m_window->project().taskRecord({"1/1"})->source))));
        QVERIFY(!written.contains("The best one"));
        QVERIFY2(told().contains(file), qPrintable(told()));

        const QString python = QStringLiteral(CUDAL1_PYTHON);
        if (python.isEmpty())
            QSKIP("no Python is configured");
        QProcess compiler;
        compiler.start(python, {"-m", "py_compile", file});
        QVERIFY(compiler.waitForFinished(deadline_ms));
        const QByteArray errors = compiler.readAllStandardError();
        QVERIFY2(compiler.exitStatus() == QProcess::NormalExit && compiler.exitCode() == 0, errors);
        // The literal gives back the source, byte by byte.
        samples::write(path("literal.py"),
                       "import sys\nsys.stdout.buffer.write(" + QByteArray::fromStdString(literal) + ".encode())\n");
        QProcess reader;
        reader.start(python, {path("literal.py")});
        QVERIFY(reader.waitForFinished(deadline_ms));
        QCOMPARE(QString::fromUtf8(reader.readAllStandardOutput()), source("other"));
    }

    void takesTheBestWhereNoneIsChosen()
    {
        make();
        m_window->selection().compare({}, {});
        QCOMPARE(save(path("best.py")), QStringLiteral("reproduce-%1.py").arg(m_best.value));
        QVERIFY(contents(path("best.py")).contains("The best one"));
    }

    void escapeWritesNothing()
    {
        make();
        const QStringList before = QDir(m_folder->path()).entryList(QDir::Files);
        QVERIFY(!save({}).isEmpty());
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), before);
        QCOMPARE(told(), QString());
    }

    void aFolderThatCannotBeWrittenIsTold()
    {
        make();
        save("/proc/reproducer.py");
        QVERIFY2(told().contains("could not be written") && told().contains("Choose another place"),
                 qPrintable(told()));
    }
};

QTEST_MAIN(TestReproducerFlow)
#include "tst_reproducerflow.moc"
