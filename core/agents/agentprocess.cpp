// SPDX-License-Identifier: GPL-3.0-or-later
// The keeper as a QProcess.
#include "core/agents/agentprocess.h"

#include <QCoreApplication>

#include <csignal>
#include <utility>

#include <unistd.h>

namespace cudal1::agents {

namespace {

constexpr int endWait_ms = 5000;

/// What a program in a terminal finds, its own settings among it, and how the network is reached.
QProcessEnvironment environmentOf(const std::vector<std::string>& variables, const QString& folder)
{
    static const QStringList usual{"HOME",
                                   "PATH",
                                   "USER",
                                   "LOGNAME",
                                   "SHELL",
                                   "LANG",
                                   "LANGUAGE",
                                   "TZ",
                                   "TMPDIR",
                                   "XDG_CONFIG_HOME",
                                   "XDG_DATA_HOME",
                                   "XDG_CACHE_HOME",
                                   "XDG_STATE_HOME",
                                   "XDG_RUNTIME_DIR",
                                   "HTTP_PROXY",
                                   "HTTPS_PROXY",
                                   "NO_PROXY",
                                   "ALL_PROXY",
                                   "http_proxy",
                                   "https_proxy",
                                   "no_proxy",
                                   "all_proxy",
                                   "SSL_CERT_FILE",
                                   "SSL_CERT_DIR",
                                   "REQUESTS_CA_BUNDLE",
                                   "NODE_EXTRA_CA_CERTS"};
    const QProcessEnvironment own = QProcessEnvironment::systemEnvironment();
    QProcessEnvironment out;
    for (const QString& name : own.keys())
        if (usual.contains(name) || name.startsWith(QLatin1String("LC_")))
            out.insert(name, own.value(name));
    for (const std::string& name : variables)
        if (const QString key = QString::fromStdString(name); own.contains(key))
            out.insert(key, own.value(key));
    out.insert(QStringLiteral("PWD"), folder);
    out.insert(QStringLiteral("TERM"), QStringLiteral("dumb"));
    out.insert(QStringLiteral("NO_COLOR"), QStringLiteral("1"));
    return out;
}

} // namespace

AgentProcess::AgentProcess(QObject* parent) : QObject(parent)
{
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    m_process.setStandardInputFile(QProcess::nullDevice());
    const auto tell = [this](int status) {
        if (std::exchange(m_told, true))
            return;
        if (const QByteArray rest = m_process.readAll(); !rest.isEmpty())
            emit written(rest);
        emit ended(status);
    };
    connect(&m_process, &QProcess::readyRead, this, [this] { emit written(m_process.readAll()); });
    connect(&m_process, &QProcess::finished, this, [tell](int status, QProcess::ExitStatus how) {
        tell(how == QProcess::CrashExit ? 128 + SIGKILL : status);
    });
    connect(&m_process, &QProcess::errorOccurred, this, [tell](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            tell(-1);
    });
}

AgentProcess::~AgentProcess()
{
    m_process.disconnect(this);
    kill();
    m_process.waitForFinished(endWait_ms);
}

void AgentProcess::start(const QStringList& keeper, const QStringList& command, const QString& folder,
                         const std::vector<std::string>& variables, const std::vector<std::string>& hidden)
{
    QStringList words = keeper.mid(1);
    words << QStringLiteral("run") << QStringLiteral("--parent") << QString::number(QCoreApplication::applicationPid());
    for (const std::string& file : hidden)
        words << QStringLiteral("--hide") << QString::fromStdString(file);
    words << QStringLiteral("--") << command;
    m_process.setWorkingDirectory(folder);
    m_process.setProcessEnvironment(environmentOf(variables, folder));
    m_process.start(keeper.value(0), words);
}

void AgentProcess::askToEnd()
{
    if (isRunning() && m_process.processId() > 0)
        ::kill(pid_t(m_process.processId()), SIGTERM);
}

void AgentProcess::kill()
{
    if (isRunning() && m_process.processId() > 0)
        ::kill(pid_t(m_process.processId()), SIGINT);
}

} // namespace cudal1::agents
