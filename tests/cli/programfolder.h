// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the program `cudal1` in a folder of its own, against a recorded evaluator.
#pragma once

#include "core/store/project.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include <memory>

namespace cudal1::tests {

inline constexpr int deadline_ms = 60'000;
inline const QString data = QString(CUDAL1_SOURCE_DIR) + "/tests/cli/data";

struct Ran {
    int status = -1;
    QByteArray out, err;
    nlohmann::json parsed() const { return nlohmann::json::parse(out.toStdString(), nullptr, false); }
};

/// What a test class of the command line inherits; it makes a new folder in its init().
class ProgramFolder {
protected:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_evaluator;

    /// The thread sanitizer hands a signal to a program when it next does something: one that waits is not told.
    static bool holdsSignals() { return qEnvironmentVariableIsSet("TSAN_OPTIONS"); }

    QString projectFile() const { return m_folder->filePath("p.cudal1"); }
    void play(const QString& recording)
    {
        m_evaluator =
            QString("\"%1\" \"%2\" --log \"%3\"").arg(REPLAY_EVALUATOR, recording, m_folder->filePath("log.jsonl"));
    }
    void playLines(const QByteArray& lines)
    {
        QFile file(m_folder->filePath("recording.jsonl"));
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write("# test\n" + lines) < 0)
            qFatal("cannot write the recording");
        play(file.fileName());
    }
    int asked(const QByteArray& type) const
    {
        QFile file(m_folder->filePath("log.jsonl"));
        return file.open(QIODevice::ReadOnly) ? int(file.readAll().count("\"type\":\"" + type + "\"")) : 0;
    }

    void begin(QProcess& process, const QStringList& arguments) const
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("CUDAL1_EVALUATOR", m_evaluator);
        environment.insert("XDG_DATA_HOME", m_folder->filePath("share"));
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(m_folder->path());
        process.start(CUDAL1_PROGRAM, arguments + QStringList{"--project", projectFile()});
    }
    static Ran end(QProcess& process)
    {
        if (!process.waitForFinished(deadline_ms))
            qFatal("cudal1 did not end");
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -9, process.readAllStandardOutput(),
                process.readAllStandardError()};
    }
    Ran cudal1(const QStringList& arguments) const
    {
        QProcess process;
        begin(process, arguments);
        return end(process);
    }
    QStringList onSuite(const QStringList& arguments) const
    {
        return arguments + QStringList{"--suite", data + "/suite"};
    }

    std::unique_ptr<store::Project> project() const
    {
        auto opened = store::Project::open(projectFile().toStdString());
        if (!opened)
            qFatal("%s", opened.error().text().c_str());
        return std::move(*opened);
    }
};

} // namespace cudal1::tests
