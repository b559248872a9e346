// SPDX-License-Identifier: GPL-3.0-or-later
// The workbench: reads its command line, makes the window, opens the project beside that.
#include "app/workbench/pages.h"
#include "app/workbench/screenshot.h"
#include "app/workbench/starttimes.h"
#include "core/policy/techniquelibrary.h"
#include "ui/kit/settings.h"
#include "ui/kit/theme.h"
#include "ui/shell/mainwindow.h"
#include "ui/shell/pageroom.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QTabBar>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

using namespace cudal1;

namespace {

bool isScale(const QByteArray& factor)
{
    bool isNumber = false;
    const double value = factor.toDouble(&isNumber);
    return isNumber && value >= 0.5 && value <= 8;
}

/// Qt reads the scale before there is an application, hence before its parser.
void applyScale(int argc, char** argv)
{
    for (int i = 1; i + 1 < argc; ++i)
        if (std::strcmp(argv[i], "--scale") == 0 && isScale(argv[i + 1]))
            qputenv("QT_SCALE_FACTOR", argv[i + 1]);
}

/// Help and version are for terminals without a display too.
void printWithoutDisplay(int argc, char** argv)
{
    const bool printed = std::any_of(argv + 1, argv + argc, [](const char* word) {
        const std::string_view option(word);
        return option == "--help" || option == "-h" || option == "--help-all" || option == "--version" ||
               option == "-v";
    });
    if (printed && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
}

/// The tab of this name, so that a picture can be taken of what stands behind it.
bool openTab(const ui::MainWindow& window, const QString& name)
{
    for (QTabBar* bar : window.findChildren<QTabBar*>())
        for (int tab = 0; tab < bar->count(); ++tab)
            if (bar->tabText(tab) == name) {
                bar->setCurrentIndex(tab);
                return true;
            }
    return false;
}

/// The button with this object name, for the same.
bool pressButton(const ui::MainWindow& window, const QString& name)
{
    auto* button = window.findChild<QAbstractButton*>(name);
    if (button && button->isEnabled())
        button->click();
    return button && button->isEnabled();
}

/// By the text of their menu entry, without its ellipsis and key; else by that of a tab, or by the name of a button.
void runActions(ui::MainWindow& window, const QStringList& names)
{
    for (const QString& name : names) {
        const auto all = window.findChildren<QAction*>();
        const auto found = std::find_if(all.begin(), all.end(), [&name](const QAction* action) {
            QString text = action->text().section(QLatin1Char('\t'), 0, 0);
            return text.remove(QLatin1Char('&')).remove(QStringLiteral("…")) == name;
        });
        if (found == all.end() && (openTab(window, name) || pressButton(window, name)))
            continue;
        if (found == all.end() || !(*found)->isEnabled())
            std::fprintf(stderr, "There is no action %s now\n", qPrintable(name));
        else
            (*found)->trigger();
    }
}

int wrongUse(const QString& why)
{
    std::fprintf(stderr, "%s\n", qPrintable(why));
    return 2;
}

const QStringList& pageNames()
{
    static const QStringList names{QStringLiteral("overview"),   QStringLiteral("task"),     QStringLiteral("compare"),
                                   QStringLiteral("timeline"),   QStringLiteral("ablation"), QStringLiteral("samples"),
                                   QStringLiteral("experiment"), QStringLiteral("training"), QStringLiteral("report")};
    return names;
}

void describeOptions(QCommandLineParser& parser)
{
    parser.setApplicationDescription(
        QStringLiteral("Makes PyTorch modules faster, proves them correct and measures them."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(
        QStringLiteral("PROJECT"),
        QStringLiteral("Project file; made when it does not exist. Default: the one in your data folder."),
        QStringLiteral("[PROJECT]"));
    const auto option = [&parser](const char* name, const char* what, const char* value) {
        parser.addOption({QString::fromLatin1(name), QString::fromLatin1(what), QString::fromLatin1(value)});
    };
    option("suite", "Folder of tasks with level1, level2, ...", "DIR");
    option("task", "Task to show, for example 1/12.", "TASK");
    parser.addOption({QStringLiteral("page"),
                      QStringLiteral("Page to show: %1.").arg(pageNames().join(QStringLiteral(", "))),
                      QStringLiteral("PAGE")});
    option("theme", "light, dark or system.", "THEME");
    option(
        "run",
        "Action to run once the project is open, by its name in the menus, for example Optimize, or tab to open by its "
        "text, or button to press by its object name; may be repeated.",
        "ACTION");
    option("delay", "Wait so long before the picture is taken.", "MS");
    option("screenshot", "Write a picture of the window to FILE and end.", "FILE.png");
    option("size", "Size of the window, for example 1280x800.", "WxH");
    option("scale", "Scale of everything, for example 2.", "FACTOR");
    parser.addOption({QStringLiteral("measure-start"),
                      QStringLiteral("Print the times to the first frame and to the list of tasks, and end.")});
}

/// What the command line says, once it is checked.
struct Wishes {
    QString project, suite, task, page, screenshot;
    ui::Theme::Mode theme = ui::Theme::Mode::System;
    int delay_ms = 0;
    std::optional<QSize> size;
    QStringList actions;
    bool measureStart = false;
};

/// What is wrong with the command line; empty when it is good, and `wishes` is filled then.
QString readWishes(const QCommandLineParser& parser, Wishes& wishes)
{
    const auto value = [&parser](const char* name) { return parser.value(QString::fromLatin1(name)); };
    if (parser.positionalArguments().size() > 1)
        return QStringLiteral("One project at a time; see --help.");
    wishes.project = parser.positionalArguments().value(0,
                                                        QString::fromStdString(store::Project::defaultPath().string()));
    wishes.suite = value("suite");
    wishes.task = value("task");
    wishes.screenshot = value("screenshot");
    wishes.actions = parser.values(QStringLiteral("run"));
    wishes.measureStart = parser.isSet(QStringLiteral("measure-start"));
    if (parser.isSet(QStringLiteral("scale")) && !isScale(value("scale").toUtf8()))
        return QStringLiteral("--scale takes a factor from 0.5 to 8, not %1.").arg(value("scale"));
    bool isDelay = true;
    if (parser.isSet(QStringLiteral("delay")))
        wishes.delay_ms = value("delay").toInt(&isDelay);
    if (!isDelay || wishes.delay_ms < 0)
        return QStringLiteral("--delay takes whole milliseconds, not %1.").arg(value("delay"));
    wishes.page = value("page");
    if (!wishes.page.isEmpty() && !pageNames().contains(wishes.page))
        return QStringLiteral("There is no page %1: %2.").arg(wishes.page, pageNames().join(QStringLiteral(", ")));
    const QString theme = parser.isSet(QStringLiteral("theme")) ? value("theme")
                                                                : ui::Settings::instance().text("theme");
    if (theme == QLatin1String("dark"))
        wishes.theme = ui::Theme::Mode::Dark;
    else if (theme == QLatin1String("light"))
        wishes.theme = ui::Theme::Mode::Light;
    else if (theme != QLatin1String("system"))
        return QStringLiteral("There is no theme %1: light, dark or system.").arg(theme);
    if (parser.isSet(QStringLiteral("size"))) {
        const QStringList size = value("size").split(QLatin1Char('x'));
        bool wide = false, high = false;
        wishes.size = QSize(size.value(0).toInt(&wide), size.value(1).toInt(&high));
        if (!wide || !high || size.size() != 2)
            return QStringLiteral("--size takes WxH, for example 1280x800.");
    }
    return {};
}

} // namespace

int main(int argc, char** argv)
{
    QElapsedTimer sinceStart;
    sinceStart.start();
    applyScale(argc, argv);
    printWithoutDisplay(argc, argv);
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("cudal1"));
    QApplication::setApplicationName(QStringLiteral("workbench"));
    QApplication::setApplicationVersion(QStringLiteral(CUDAL1_VERSION));
    QApplication::setApplicationDisplayName(QStringLiteral("CUDA-L1 Workbench"));
    QApplication::setDesktopFileName(QStringLiteral("cudal1-workbench"));

    QCommandLineParser parser;
    describeOptions(parser);
    parser.process(application);
    Wishes wishes;
    if (const QString wrong = readWishes(parser, wishes); !wrong.isEmpty())
        return wrongUse(wrong);
    ui::Theme& theme = ui::Theme::instance();
    theme.setMode(wishes.theme);
    theme.prepare(application, ui::Settings::instance().number("textSize"));

    ui::MainWindow window([] { return std::make_unique<policy::TechniqueLibrary>(); });
    // Read on another thread while the pages are made.
    window.selectWhenOpen(wishes.task, wishes.page);
    window.openProject(wishes.project, wishes.suite);
    workbench::addPages(window);
    theme.dress();
    if (wishes.size)
        window.resize(*wishes.size);
    else if (QGuiApplication::platformName() != "offscreen") // where pictures are taken that are larger than its screen
        ui::fitScreen(window);
    if (wishes.measureStart)
        new workbench::StartTimes(window, sinceStart);
    if (!wishes.screenshot.isEmpty())
        workbench::takeScreenshot(window, wishes.screenshot, wishes.delay_ms);
    QObject::connect(
        &window.project(), &ui::ProjectModel::opened, &window,
        [&window, actions = wishes.actions] { runActions(window, actions); }, Qt::QueuedConnection);
    QObject::connect(
        &window.project(), &ui::ProjectModel::failed, &window,
        [&window, actions = wishes.actions] {
            if (!window.project().isOpen())
                runActions(window, actions);
        },
        Qt::QueuedConnection);
    window.show();
    return QApplication::exec();
}
