// SPDX-License-Identifier: GPL-3.0-or-later
// Suites and tasks of a user's module in the window, by clicks and keys, against a recorded evaluator. With
// CUDAL1_SCREENSHOTS=FOLDER the dialog and the window are also written there as PNG.
#include "tests/ui/shell/windowtest.h"
#include "ui/editor/codeview.h"
#include "ui/kit/settings.h"
#include "ui/kit/theme.h"
#include "ui/tasks/newtaskdialog.h"
#include "ui/variants/infoview.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>

using namespace cudal1;
using ui::NewTaskDialog;

namespace {

const QByteArray netSource =
    "import torch\nimport torch.nn as nn\n\n\nclass Block(nn.Module):\n    pass\n\n\nclass Net(nn.Module):\n"
    "    def __init__(self, width):\n        super().__init__()\n        self.linear = nn.Linear(width, 10)\n\n"
    "    def forward(self, x, scale):\n        return self.linear(x) * scale\n";
const QByteArray good =
    "{\"on\":\"graph\",\"reply\":{\"device\":\"meta\",\"values\":[{\"id\":0,\"shape\":[8,64],\"dtype\":\"float32\"},"
    "{\"id\":1,\"shape\":[8,10],\"dtype\":\"float32\"}],\"inputs\":[0],\"outputs\":[1]}}\n";
const QByteArray bad = "{\"on\":\"graph\",\"times\":2,\"act\":\"error\",\"reply\":{\"code\":\"unreadable\",\"message\":"
                       "\"The reference of Net cannot be traced: RuntimeError: mat1 and mat2 "
                       "shapes cannot be multiplied (line 15)\"}}\n";
const QByteArray hanging = "{\"on\":\"graph\",\"times\":1,\"act\":\"hang\"}\n";

} // namespace

class TestNewTaskFlow : public WindowTest {
    Q_OBJECT
    void make(const QByteArray& recording)
    {
        record(recording);
        samples::write(path("net.py"), netSource);
        makeWindow();
        openProject();
    }
    NewTaskDialog* dialog() { return m_window->findChild<NewTaskDialog*>(); }
    void openDialog()
    {
        find<QAction>("newTaskFromModule")->trigger();
        QVERIFY(dialog());
        dialog()->activateWindow(); // a desktop does it by itself
        QTRY_COMPARE(QApplication::activeWindow(), dialog());
    }
    void type(const char* field, const QString& text)
    {
        auto* edit = find<QLineEdit>(field);
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, text);
    }
    /// The form as a person would fill it in.
    void fill()
    {
        type("newTaskFile", path("net.py"));
        type("newTaskInput1", "randn(8, 64)");
        click("newTaskAdd");
        QCOMPARE(QApplication::focusWidget()->objectName(), QString("newTaskInput2"));
        type("newTaskInput2", "0.5");
        type("newTaskArguments", "64");
        QTRY_VERIFY(find<QPushButton>("newTaskMake")->isEnabled());
    }
    QString facts()
    {
        for (const ui::InfoView* view : m_window->findChildren<ui::InfoView*>())
            if (view->accessibleName() == QLatin1String("Facts of the task"))
                return view->toPlainText();
        return {};
    }
    QString problem()
    {
        return find<QLabel>("newTaskProblem")->isHidden() ? QString() : find<QLabel>("newTaskProblem")->text();
    }
    void shoot(QWidget* widget, const QString& name)
    {
        const QString folder = qEnvironmentVariable("CUDAL1_SCREENSHOTS");
        if (folder.isEmpty())
            return;
        for (const bool dark : {false, true}) {
            ui::Theme::instance().setMode(dark ? ui::Theme::Mode::Dark : ui::Theme::Mode::Light);
            QTest::qWait(100);
            QVERIFY(widget->grab().save(QStringLiteral("%1/%2-%3-%4x.png")
                                            .arg(folder, name, dark ? "dark" : "light")
                                            .arg(qApp->devicePixelRatio())));
        }
        ui::Theme::instance().setMode(ui::Theme::Mode::Light);
    }

private slots:
    void makesATaskAndOpensIt()
    {
        make(good);
        openDialog();
        QVERIFY(!find<QPushButton>("newTaskMake")->isEnabled());
        QCOMPARE(problem(), QString()); // nothing was done yet, so nothing is wrong
        fill();
        QCOMPARE(find<QComboBox>("newTaskClass")->currentText(), QString("Net")); // the last one
        QCOMPARE(find<QComboBox>("newTaskClass")->count(), 2);
        QVERIFY(find<ui::CodeView>("newTaskPreview")->code().contains("return [torch.randn(8, 64), 0.5]"));
        QCOMPARE(find<QLineEdit>("newTaskOutput")->text(), path("Net_task.py"));
        shoot(dialog(), "newtask");
        const QPointer<NewTaskDialog> gone = dialog();
        QTest::keyClick(find<QLineEdit>("newTaskArguments"), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(!gone, deadline_ms);
        const std::string file = path("Net_task.py").toStdString();
        QVERIFY(QFile::exists(path("Net_task.py")));
        QTRY_COMPARE_WITH_TIMEOUT(m_window->selection().task().value, file, deadline_ms);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->project().entry({file}), deadline_ms);
        QVERIFY(m_window->findChild<ui::MessageBar*>()->text().contains("float32[8, 64] → float32[8, 10]"));
        // It is known by its shapes before anything is judged.
        QTRY_VERIFY_WITH_TIMEOUT(facts().contains("8 × 10 float32"), deadline_ms);
        shoot(m_window.get(), "newtask-made");
    }

    void whatCannotRunOnItsShapesSaysWhy()
    {
        record("{\"on\":\"graph\",\"act\":\"error\",\"reply\":{\"code\":\"unreadable\",\"message\":\"ValueError: too "
               "hot\"}}\n");
        makeWindow();
        openProject("1/1", "task");
        QTRY_VERIFY_WITH_TIMEOUT(facts().contains("are not known: ValueError: too hot"), deadline_ms);
    }

    void aFailedCheckStaysInTheDialog()
    {
        make(bad + good);
        openDialog();
        fill();
        click("newTaskMake");
        QVERIFY(!find<QLineEdit>("newTaskInput1")->isEnabled()); // while it runs
        QTRY_VERIFY_WITH_TIMEOUT(
            problem().contains("does not run: RuntimeError: mat1 and mat2 shapes cannot be multiplied (net.py)"),
            deadline_ms);
        QVERIFY(!QFile::exists(path("Net_task.py")));
        shoot(dialog(), "newtask-failed");
        const QPointer<NewTaskDialog> gone = dialog();
        click("newTaskMake"); // corrected, and once more
        QTRY_VERIFY_WITH_TIMEOUT(!gone, deadline_ms);
        QVERIFY(QFile::exists(path("Net_task.py")));
    }

    void escStopsTheCheckThenCloses()
    {
        make(hanging + good);
        openDialog();
        fill();
        click("newTaskMake");
        QTest::keyClick(dialog(), Qt::Key_Escape);
        QVERIFY(dialog() && dialog()->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(problem(), QString("Stopped; nothing was written."), deadline_ms);
        QVERIFY(!QFile::exists(path("Net_task.py")));
        const QPointer<NewTaskDialog> gone = dialog();
        QTest::keyClick(dialog(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!gone, deadline_ms);
        QVERIFY(!QFile::exists(path("Net_task.py")));
    }

    void wrongEntriesAreSaidAndNothingCanBeMade()
    {
        make(good);
        openDialog();
        fill();
        type("newTaskInput2", "randn(8,,3)");
        QTRY_VERIFY2(problem().contains("input 2, column 9: randn(8,»,3)"), qPrintable(problem()));
        QVERIFY(!find<QPushButton>("newTaskMake")->isEnabled());
        shoot(dialog(), "newtask-wrong");
        click("newTaskRemove2");
        QTRY_COMPARE(problem(), QString());
        QCOMPARE(QApplication::focusWidget()->objectName(), QString("newTaskInput1"));
        QVERIFY(find<ui::CodeView>("newTaskPreview")
                    ->code()
                    .contains("def forward(self, x):\n        return super().forward(x)"));
        click("newTaskAdd");
        QTRY_VERIFY(problem().contains("remove the empty row"));
        click("newTaskRemove2");
        samples::write(path("Net_task.py"), "there already");
        type("newTaskArguments", "65");
        QTRY_VERIFY(problem().contains("exists already"));
        QVERIFY(!find<QPushButton>("newTaskMake")->isEnabled());
        type("newTaskFile", path("nowhere.py"));
        QTRY_VERIFY(problem().contains("nowhere.py") || problem().contains("no such file", Qt::CaseInsensitive));
        QCOMPARE(find<QComboBox>("newTaskClass")->count(), 0);
    }

    void withoutACheckNoEvaluatorStarts()
    {
        make("{\"on\":\"hello\",\"act\":\"exit\"}\n"); // it would fail
        openDialog();
        fill();
        QTest::mouseClick(find<QCheckBox>("newTaskCheck"), Qt::LeftButton, {},
                          QPoint(8, find<QCheckBox>("newTaskCheck")->height() / 2));
        QVERIFY(!find<QCheckBox>("newTaskCheck")->isChecked());
        click("newTaskMake");
        QVERIFY(QFile::exists(path("Net_task.py")));
        QTRY_VERIFY(m_window->findChild<ui::MessageBar*>()->text().contains("not checked"));
    }

    void everyFieldHasANameAndItsPlaceInTheTabOrder()
    {
        make(good);
        openDialog();
        click("newTaskAdd");
        for (const QWidget* widget : dialog()->findChildren<QWidget*>())
            if (widget->focusPolicy() & Qt::TabFocus && widget->isVisible() &&
                widget->objectName().startsWith("newTask"))
                QVERIFY2(!widget->accessibleName().isEmpty(), qPrintable(widget->objectName()));
        find<QLineEdit>("newTaskFile")->setFocus();
        QStringList order;
        for (int i = 0; i < 10; ++i) {
            order << QApplication::focusWidget()->objectName();
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        }
        QCOMPARE(order,
                 (QStringList{"newTaskFile", "newTaskChooseFile", "newTaskClass", "newTaskInput1", "newTaskRemove1",
                              "newTaskInput2", "newTaskRemove2", "newTaskAdd", "newTaskArguments", "newTaskOutput"}));
    }

    void anotherSuiteStandsBesideTheMeasuredOne()
    {
        make({});
        samples::addVariant(*m_window->project().project(), "a", 2.0); // of 1/1, as the open suite has it
        m_window->project().changedHere();
        QTRY_COMPARE_WITH_TIMEOUT(m_window->project().entry({"1/1"})->row.variants, 1, deadline_ms);
        samples::write(path("new/level1/1_Relu.py"), samples::taskSource() + "N = 4096\n");
        QSignalSpy changed(&m_window->project(), &ui::ProjectModel::suiteChanged);
        m_window->openSuite(path("new"));
        QVERIFY(changed.wait(deadline_ms));
        const auto tasks = m_window->project().tasks();
        QCOMPARE(tasks->size(), 2u); // what the project measured, and what the suite has
        const auto theirs = std::find_if(tasks->begin(), tasks->end(),
                                         [](const ui::TaskEntry& one) { return one.inSuite; });
        QVERIFY(theirs->id.value.starts_with("1/1@"));
        QCOMPARE(theirs->row.variants, 0);
        QCOMPARE(m_window->project().taskRecord(theirs->id)->source,
                 (samples::taskSource() + "N = 4096\n").toStdString());
        QVERIFY(find<QLabel>("suite")->text().contains("other sizes in 1 task"));
        QCOMPARE(ui::Settings::instance().text("suite"), path("new"));
        // Nothing of the open suite was tried: the numbers are those of the other version.
        QVERIFY(find<QLabel>("leftOut")->isHidden());

        // Both measured: the open suite's counts, and the other is said to be left out.
        auto record = *m_window->project().taskRecord(theirs->id);
        auto& project = *m_window->project().project();
        QVERIFY(project.putTask(record).ok());
        store::VariantRecord variant;
        variant.task = record.id;
        variant.taskHash = record.hash;
        variant.source = "b";
        QVERIFY(project.addEvaluation(*project.addVariant(variant), samples::evaluation(4.0)).ok());
        m_window->project().changedHere();
        QTRY_VERIFY_WITH_TIMEOUT(find<QLabel>("leftOut")->text().contains("1 task of another version is left out"),
                                 deadline_ms);
        m_window->selection().selectPage("overview");
        shoot(m_window.get(), "two-suites");
    }

    void aFolderWithoutTasksChangesNothing()
    {
        make({});
        QVERIFY(QDir(m_folder->path()).mkdir("empty"));
        QSignalSpy failed(&m_window->project(), &ui::ProjectModel::failed);
        m_window->openSuite(path("empty"));
        QVERIFY(failed.wait(deadline_ms));
        QVERIFY(m_window->findChild<ui::MessageBar*>()->text().contains("holds no task files"));
        QCOMPARE(m_window->project().tasks()->size(), 3u);
        QCOMPARE(ui::Settings::instance().text("suite"), QString());
    }

    void changedFilesAreSaidAndTakenWhenAsked()
    {
        make({});
        auto& project = *m_window->project().project();
        const auto record = *m_window->project().taskRecord({"1/2"});
        QVERIFY(project.putTask(record).ok());
        samples::write(path("suite/level1/2_Twice.py"), samples::taskSource() + "# newer\n");
        m_window->project().changedHere();
        QSignalSpy rows(&m_window->project(), &ui::ProjectModel::tasksChanged);
        QVERIFY(rows.wait(deadline_ms));
        QSignalSpy changed(&m_window->project(), &ui::ProjectModel::suiteChanged);
        m_window->openSuite(path("suite"));
        QVERIFY(changed.wait(deadline_ms));
        auto* messages = m_window->findChild<ui::MessageBar*>();
        QVERIFY2(messages->text().contains("task 1/2 was changed"), qPrintable(messages->text()));
        QCOMPARE(m_window->project().taskRecord({"1/2"})->hash, record.hash);
        for (auto* button : messages->findChildren<QPushButton*>())
            if (button->text() == "Take the new texts")
                QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(m_window->project().taskRecord({"1/2"})->source, (samples::taskSource() + "# newer\n").toStdString());
    }
};

QTEST_MAIN(TestNewTaskFlow)
#include "tst_newtaskflow.moc"
