// SPDX-License-Identifier: GPL-3.0-or-later
// A recording in a folder of the test's, the command that plays it, and what the player was asked.
#pragma once

#include <QFile>
#include <QStringList>
#include <QTemporaryDir>

namespace cudal1::recording {

inline QStringList command(const QTemporaryDir& folder, const QByteArray& lines)
{
    QFile file(folder.filePath("recording.jsonl"));
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(lines) != lines.size())
        qFatal("cannot write the recording");
    return {QString(CUDAL1_BINARY_DIR) + "/tests/replay_evaluator", file.fileName(), "--log",
            folder.filePath("log.jsonl")};
}

/// How often an evaluation was asked for, in all processes that played in this folder.
inline int evaluationsAsked(const QTemporaryDir& folder)
{
    QFile file(folder.filePath("log.jsonl"));
    return file.open(QIODevice::ReadOnly) ? int(file.readAll().count("\"type\":\"evaluate\"")) : 0;
}

} // namespace cudal1::recording
