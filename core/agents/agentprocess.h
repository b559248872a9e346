// SPDX-License-Identifier: GPL-3.0-or-later
// The processes of an agent, kept by `cudal1-agent run`.
#pragma once

#include <QObject>
#include <QProcess>
#include <QStringList>

#include <string>
#include <vector>

namespace cudal1::agents {

/// Starts once. Its standard input is empty; what it writes to the standard output and error comes together.
class AgentProcess : public QObject {
    Q_OBJECT
public:
    explicit AgentProcess(QObject* parent = nullptr);
    ~AgentProcess() override; ///< kills all of its processes, and waits until they are gone

    /// `keeper`: the words of `cudal1-agent`. Variables of the environment are those that programs of a terminal need
    /// and those of `variables`; nothing of this program is among them.
    void start(const QStringList& keeper, const QStringList& command, const QString& folder,
               const std::vector<std::string>& variables, const std::vector<std::string>& hidden);
    bool isRunning() const { return m_process.state() != QProcess::NotRunning; }
    void askToEnd(); ///< SIGTERM to all of its processes, and SIGKILL three seconds later
    void kill();     ///< at once

signals:
    void written(const QByteArray& bytes);
    void ended(int status); ///< 128 and more: the signal; -1: the keeper itself could not be started

private:
    QProcess m_process;
    bool m_told = false;
};

} // namespace cudal1::agents
