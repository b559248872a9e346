// SPDX-License-Identifier: GPL-3.0-or-later
// The welcome page: one primary action, recent projects, and what this machine can do when asked.
#include "ui/shell/welcomepage.h"

#include "ui/kit/elidedlabel.h"
#include "ui/kit/settings.h"
#include "ui/kit/theme.h"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace cudal1::ui {

namespace {

QLabel* label(const QString& text, const char* look = nullptr)
{
    auto* label = new QLabel(text);
    label->setWordWrap(true);
    if (look)
        label->setProperty("class", QString::fromLatin1(look));
    return label;
}

QLabel* heading(const QString& text)
{
    QLabel* made = label(text);
    made->setFont(Theme::instance().titleFont(2));
    return made;
}

QFrame* card(QVBoxLayout*& layout)
{
    auto* frame = new QFrame;
    frame->setProperty("class", QStringLiteral("card"));
    const int margin = Theme::instance().unit(5);
    layout = new QVBoxLayout(frame);
    layout->setContentsMargins(margin, margin, margin, margin);
    layout->setSpacing(Theme::instance().unit(2));
    return frame;
}

/// Logo, name and purpose of the program.
QLayout* makeHead(double pixelRatio)
{
    const Theme& theme = Theme::instance();
    auto* top = new QHBoxLayout;
    auto* logo = new QLabel;
    logo->setPixmap(
        QIcon(QStringLiteral(":/cudal1-workbench.svg")).pixmap(QSize(theme.unit(14), theme.unit(14)), pixelRatio));
    auto* words = new QVBoxLayout;
    QLabel* title = label(WelcomePage::tr("CUDA-L1 Workbench"));
    title->setFont(theme.titleFont(0));
    words->addWidget(title);
    words->addWidget(label(
        WelcomePage::tr("Faster PyTorch modules, proven correct and measured so that they cannot cheat."), "muted"));
    words->setSpacing(theme.unit(1));
    top->addWidget(logo);
    top->addSpacing(theme.unit(3));
    top->addLayout(words, 1);
    return top;
}

} // namespace

WelcomePage::WelcomePage(QWidget* parent)
    : Page(QStringLiteral("welcome"), tr("Welcome"), QStringLiteral("optimize"), parent), m_primary(new QPushButton),
      m_secondary(new QPushButton), m_sample(new QPushButton(tr("Open the sample project"))),
      m_state(label({}, "muted"))
{
    const Theme& theme = Theme::instance();
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    auto* inside = new QWidget;
    auto* outer = new QHBoxLayout(inside);
    auto* column = new QVBoxLayout;
    column->setSpacing(theme.unit(4));
    outer->addStretch(1);
    outer->addLayout(column, 20);
    outer->addStretch(1);
    column->setContentsMargins(theme.unit(2), theme.unit(8), theme.unit(2), theme.unit(8));

    column->addLayout(makeHead(devicePixelRatioF()));

    QVBoxLayout* body = nullptr;
    column->addWidget(card(body));
    body->addWidget(heading(tr("Start here")));
    body->addWidget(m_state);
    auto* buttons = new QHBoxLayout;
    m_primary->setProperty("class", QStringLiteral("primary"));
    m_primary->setObjectName(QStringLiteral("welcomePrimary"));
    m_secondary->setObjectName(QStringLiteral("welcomeSecondary"));
    buttons->addWidget(m_primary);
    m_sample->setObjectName(QStringLiteral("welcomeSample"));
    m_sample->setToolTip(tr("Look around in variants, timelines and an ablation that this program recorded on a GPU"));
    buttons->addWidget(m_secondary);
    buttons->addWidget(m_sample);
    buttons->addStretch();
    body->addSpacing(theme.unit(1));
    body->addLayout(buttons);

    auto* row = new QHBoxLayout;
    row->setSpacing(theme.unit(4));
    QVBoxLayout* recent = nullptr;
    row->addWidget(card(recent), 1);
    recent->addWidget(heading(tr("Recent projects")));
    m_recent = new QVBoxLayout;
    m_recent->setSpacing(theme.unit(1));
    recent->addLayout(m_recent);
    recent->addStretch();
    makeOthers();
    recent->addWidget(m_others);
    QVBoxLayout* machine = nullptr;
    row->addWidget(card(machine), 1);
    machine->addWidget(heading(tr("This machine")));
    m_machine = label(tr("Not checked yet. The check starts the evaluator, which takes a few seconds."), "muted");
    m_machine->setTextInteractionFlags(Qt::TextSelectableByMouse);
    machine->addWidget(m_machine);
    auto* ask = new QPushButton(tr("Check this machine"));
    ask->setToolTip(tr("Start the evaluator and list devices and what is missing"));
    machine->addWidget(ask, 0, Qt::AlignLeft);
    machine->addStretch();
    column->addLayout(row);
    column->addStretch();

    scroll->setWidget(inside);
    setContent(scroll);
    connect(m_primary, &QPushButton::clicked, this,
            [this] { m_open ? emit firstTaskRequested() : emit newProjectRequested(); });
    connect(m_secondary, &QPushButton::clicked, this,
            [this] { m_open ? emit chooseTaskRequested() : emit openProjectRequested(); });
    connect(m_sample, &QPushButton::clicked, this, &WelcomePage::sampleRequested);
    connect(ask, &QPushButton::clicked, this, [this] {
        m_machine->setText(tr("Starting the evaluator…"));
        emit machineRequested();
    });
    connect(&Settings::instance(), &Settings::recentProjectsChanged, this, &WelcomePage::fillRecent);
    setProjectOpen(false);
    fillRecent();
}

/// While no project is open, Start here offers them.
void WelcomePage::makeOthers()
{
    m_others = new QWidget;
    auto* others = new QHBoxLayout(m_others);
    others->setContentsMargins(0, 0, 0, 0);
    const auto offer = [this, others](const QString& text, const char* name, auto signal) {
        auto* button = new QPushButton(text);
        button->setObjectName(QLatin1String(name));
        connect(button, &QPushButton::clicked, this, signal);
        others->addWidget(button);
    };
    offer(tr("New project…"), "welcomeNew", &WelcomePage::newProjectRequested);
    offer(tr("Open project…"), "welcomeOpen", &WelcomePage::openProjectRequested);
    others->addStretch();
}

void WelcomePage::setProjectOpen(bool open)
{
    m_open = open;
    m_others->setVisible(open);
    m_state->setText(open ? tr("Choose a task and press Optimize: variants of its code are proposed, proven correct, "
                               "measured against the "
                               "reference and laid side by side, best first.")
                          : tr("No project is open. A project is one file that holds tasks, variants and everything "
                               "that was measured."));
    m_primary->setText(open ? tr("Show the first task") : tr("New project…"));
    m_secondary->setText(open ? tr("Choose a task…") : tr("Open project…"));
}

void WelcomePage::fillRecent()
{
    while (QLayoutItem* item = m_recent->takeAt(0)) {
        if (QWidget* old = item->widget())
            old->deleteLater();
        delete item;
    }
    for (const QString& path : Settings::instance().recentProjects().mid(0, 5)) {
        const QFileInfo file(path);
        auto* button = new QPushButton(file.fileName());
        button->setProperty("class", QStringLiteral("quiet"));
        button->setToolTip(path);
        connect(button, &QPushButton::clicked, this, [this, path] { emit recentRequested(path); });
        auto* folder = new ElidedLabel;
        folder->setProperty("class", QStringLiteral("muted"));
        folder->setText(QDir::toNativeSeparators(file.absolutePath()));
        auto* row = new QWidget;
        auto* line = new QHBoxLayout(row);
        line->setContentsMargins(0, 0, 0, 0);
        line->addWidget(button);
        line->addWidget(folder, 1);
        m_recent->addWidget(row);
    }
    if (m_recent->count() == 0)
        m_recent->addWidget(label(tr("None yet."), "muted"));
}

void WelcomePage::showMachine(const protocol::Machine& machine)
{
    QStringList lines;
    for (const protocol::DeviceInfo& device : machine.devices)
        lines << QStringLiteral("✓ %1: %2")
                     .arg(QString::fromStdString(device.name), QString::fromStdString(device.model).toHtmlEscaped());
    for (const protocol::Reason& missing : machine.missing) {
        lines << QStringLiteral("– %1").arg(QString::fromStdString(missing.text).toHtmlEscaped());
        if (!missing.evidence.empty())
            lines.last() +=
                QStringLiteral("<br>&nbsp;&nbsp;%1").arg(QString::fromStdString(missing.evidence).toHtmlEscaped());
    }
    m_machine->setText(lines.join(QStringLiteral("<br>")));
}

} // namespace cudal1::ui
