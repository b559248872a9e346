// SPDX-License-Identifier: GPL-3.0-or-later
// What is shown before there is anything to show: what this program does, and the first step.
#pragma once

#include "core/protocol/messages.h"
#include "ui/kit/page.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace cudal1::ui {

class WelcomePage : public Page {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);

    /// With a project open the first step is to choose a task, else to open or make a project.
    void setProjectOpen(bool open);
    void showMachine(const protocol::Machine& machine);

signals:
    void firstTaskRequested();
    void chooseTaskRequested();
    void newProjectRequested();
    void openProjectRequested();
    void sampleRequested();
    void recentRequested(const QString& path);
    void machineRequested();

private:
    void fillRecent();
    void makeOthers();

    QPushButton* m_primary;
    QPushButton* m_secondary;
    QPushButton* m_sample;
    QVBoxLayout* m_recent;
    QWidget* m_others = nullptr; ///< ways to another project
    QLabel* m_machine;
    QLabel* m_state;
    bool m_open = false;
};

} // namespace cudal1::ui
