// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever a person can act on has a name for a screen reader, on every page.
#include "app/workbench/pages.h"
#include "tests/ui/shell/flowsamples.h"
#include "ui/kit/page.h"
#include "ui/shell/mainwindow.h"

#include <QAbstractItemView>
#include <QAccessible>
#include <QDockWidget>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace cudal1;

namespace {

class NoPolicy : public policy::InstantPolicy {
public:
    std::string name() const override { return "none"; }
    policy::Reply propose(const policy::Prompt&) override { return {}; }
};

/// Qt's own parts, which Qt names, or which belong to a widget that has the name.
bool isPartOfAWidget(const QWidget* widget)
{
    return widget->objectName().startsWith(QLatin1String("qt_")) ||
           widget->objectName() == QLatin1String("ScrollLeftButton") ||
           widget->objectName() == QLatin1String("ScrollRightButton") ||
           widget->inherits("QAbstractScrollAreaScrollBarContainer") || widget->inherits("QHeaderView") ||
           widget->inherits("QTableCornerButton") || widget->inherits("QToolBarExtension") ||
           widget->inherits("QMenuBar") || widget->inherits("QSplitterHandle") ||
           widget->parentWidget()->inherits("QComboBoxPrivateContainer");
}

QString described(const QWidget* widget)
{
    QStringList path;
    for (; widget && path.size() < 5; widget = widget->parentWidget())
        path.prepend(QString::fromLatin1(widget->metaObject()->className()) +
                     (widget->objectName().isEmpty() ? QString() : QLatin1Char('#') + widget->objectName()));
    return path.join(QStringLiteral(" > "));
}

/// What is shown only once it has something to say, which is its name then.
bool waitsForItsText(const QWidget& window, const QWidget* widget)
{
    const auto* button = qobject_cast<const QPushButton*>(widget);
    return !widget->isVisibleTo(&window) && (widget->inherits("QLabel") || (button && button->text().isEmpty()));
}

/// Of all pages, tabs and docks, shown or not. `visited` counts the widgets that were asked.
QStringList nameless(QWidget& window, int& visited)
{
    QStringList out;
    for (QWidget* widget : window.findChildren<QWidget*>()) {
        if (widget->focusPolicy() == Qt::NoFocus || isPartOfAWidget(widget) || waitsForItsText(window, widget))
            continue;
        // An area that only scrolls takes the focus for its keys; what is in it is named.
        if (widget->metaObject()->className() == QByteArray("QScrollArea") ||
            widget->metaObject()->className() == QByteArray("QStackedWidget"))
            continue;
        ++visited;
        QAccessibleInterface* told = QAccessible::queryAccessibleInterface(widget);
        if (!told || told->text(QAccessible::Name).trimmed().isEmpty())
            out << described(widget);
    }
    return out;
}

} // namespace

class TestAccessible : public QObject {
    Q_OBJECT
private slots:
    void everyWidgetThatTakesTheFocusHasAName_data()
    {
        QTest::addColumn<QString>("page");
        for (const char* page : {"welcome", "overview", "task", "compare", "timeline", "ablation", "samples",
                                 "experiment", "training", "report"})
            QTest::newRow(page) << QString::fromLatin1(page);
    }

    void everyWidgetThatTakesTheFocusHasAName()
    {
        QFETCH(QString, page);
        QStandardPaths::setTestModeEnabled(true);
        QTemporaryDir folder;
        const QString file = folder.filePath("p.cudal1");
        {
            auto project = store::Project::open(file.toStdString());
            QVERIFY(project.ok());
            if (page != QLatin1String("welcome")) // which a project without results opens with
                samples::addVariant(**project, "USE_GRAPH = True\nclass ModelNew: pass\n", 2);
        }
        ui::MainWindow window([] { return std::make_unique<NoPolicy>(); });
        workbench::addPages(window);
        window.show();
        QSignalSpy opened(&window.project(), &ui::ProjectModel::opened);
        window.openProject(file, samples::suite(folder.filePath("suite")));
        QVERIFY(opened.wait(20'000));
        if (page != QLatin1String("welcome"))
            window.selection().select({"1/1"}, {}, {}, page);
        QTRY_COMPARE(window.findChild<QStackedWidget*>()->currentWidget()->objectName(), page);
        QTest::qWait(300); // what is read on a worker
        int visited = 0;
        const QStringList found = nameless(window, visited);
        QVERIFY2(visited > 10, qPrintable(QString::number(visited)));
        QVERIFY2(found.isEmpty(), qPrintable(QStringLiteral("no name:\n") + found.join(QLatin1Char('\n'))));
    }

    void cleanupTestCase() { QSettings().clear(); }
};

QTEST_MAIN(TestAccessible)
#include "tst_accessible.moc"
