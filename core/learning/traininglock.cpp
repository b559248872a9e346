// SPDX-License-Identifier: GPL-3.0-or-later
// The lock file of a training's folder.
#include "core/learning/traininglock.h"

#include <QDir>
#include <QLockFile>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;

TrainingLock::TrainingLock(std::unique_ptr<QLockFile> file) : m_file(std::move(file)) {}

TrainingLock::~TrainingLock() = default;

base::Result<std::unique_ptr<TrainingLock>> TrainingLock::take(const std::string& folder)
{
    const QDir dir(QString::fromStdString(folder));
    if (!dir.mkpath(QStringLiteral(".")))
        return Error{ErrorCode::Unavailable, "The folder for checkpoints cannot be made", folder,
                     "Choose another place with --out"};
    auto file = std::make_unique<QLockFile>(dir.filePath(QStringLiteral("training.lock")));
    file->setStaleLockTime(0); // however long a training takes
    if (file->tryLock(0))
        return std::unique_ptr<TrainingLock>(new TrainingLock(std::move(file)));
    const std::string path = dir.filePath(QStringLiteral("training.lock")).toStdString();
    if (file->error() != QLockFile::LockFailedError)
        return Error{ErrorCode::Unavailable, "The folder of the training cannot be locked", path,
                     "Check its permissions, or choose another place with --out"};
    qint64 process = 0;
    QString host, program;
    file->getLockInfo(&process, &host, &program);
    return Error{ErrorCode::Unavailable,
                 "Another process is training in this folder: process " + std::to_string(process) + " (" +
                     program.toStdString() + ") on " + host.toStdString(),
                 path,
                 "Wait for it or stop it, or name another --out; where it is gone for certain, remove the lock file"};
}

} // namespace cudal1::learning
