// SPDX-License-Identifier: GPL-3.0-or-later
// QProcess as lines.
#include "core/farm/lineprocess.h"

#include <QProcess>

#include <algorithm>
#include <csignal>

#include <unistd.h>

namespace cudal1::farm {

namespace {

constexpr qsizetype keptError = 64 << 10;
constexpr qsizetype shownError = 2000;

} // namespace

LineProcess::LineProcess(QObject* parent) : QObject(parent), m_process(new QProcess(this))
{
    m_process->setChildProcessModifier([] { ::setpgid(0, 0); });
    connect(m_process, &QProcess::readyReadStandardOutput, this, [this] {
        m_reader.append(m_process->readAllStandardOutput());
        emit readable();
    });
    connect(m_process, &QProcess::readyReadStandardError, this, &LineProcess::readError);
    connect(m_process, &QProcess::finished, this, [this](int status, QProcess::ExitStatus how) {
        m_reader.append(m_process->readAllStandardOutput());
        readError();
        emit ended(how == QProcess::CrashExit, status);
    });
    connect(
        m_process, &QProcess::errorOccurred, this,
        [this](QProcess::ProcessError error) {
            if (error == QProcess::FailedToStart)
                emit notStarted(m_process->errorString());
        },
        Qt::QueuedConnection);
}

LineProcess::~LineProcess()
{
    m_process->disconnect(this);
    if (m_process->state() == QProcess::NotRunning)
        return;
    kill();
    m_process->waitForFinished(1000);
}

void LineProcess::start(const QStringList& words)
{
    m_process->start(words.value(0), words.mid(1));
}

void LineProcess::write(const QByteArray& bytes)
{
    m_process->write(bytes);
}

std::optional<QByteArray> LineProcess::takeLine()
{
    std::optional<QByteArray> line = m_reader.take();
    while (line && line->isEmpty())
        line = m_reader.take();
    return line;
}

void LineProcess::readError()
{
    const QByteArray more = m_process->readAllStandardError();
    m_error = (m_error + more).right(keptError);
    m_complaints.append(more);
    while (const auto line = m_complaints.take())
        if (!line->trimmed().isEmpty())
            emit complained(QString::fromUtf8(line->trimmed()));
}

std::string LineProcess::lastWords() const
{
    const QByteArray text = m_error.trimmed();
    return text.mid(std::max<qsizetype>(0, text.size() - shownError)).toStdString();
}

void LineProcess::kill()
{
    if (m_process->processId() <= 0)
        return;
    ::kill(-pid_t(m_process->processId()), SIGKILL);
    m_process->kill(); // the group does not exist in the moment between fork and setpgid
}

void LineProcess::shutDown(const QByteArray& farewell)
{
    m_process->disconnect(this);
    if (m_process->state() == QProcess::NotRunning)
        return;
    m_process->write(farewell);
    m_process->closeWriteChannel();
    if (m_process->waitForFinished(500))
        return;
    m_process->terminate();
    if (m_process->waitForFinished(300))
        return;
    kill();
    m_process->waitForFinished(1000);
}

} // namespace cudal1::farm
