// SPDX-License-Identifier: GPL-3.0-or-later
// Copies the recording under a name that holds its digest, so that a new version's sample does not take a worked-in
// copy's place.
#include "core/store/samplecopy.h"

#include "core/base/bundled.h"

#include <QCryptographicHash>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <map>

namespace cudal1::store {

using base::Error;
using base::ErrorCode;
namespace fs = std::filesystem;

namespace {

constexpr const char* projectFile = "sample.cudal1";

using Files = std::map<QString, QByteArray>; ///< by their paths within the folder

base::Result<Files> readFolder(const QDir& folder)
{
    Files out;
    QDirIterator entry(folder.path(), QDir::Files, QDirIterator::Subdirectories);
    while (entry.hasNext()) {
        QFile file(entry.next());
        if (file.fileName().endsWith(QLatin1String("-wal")) || file.fileName().endsWith(QLatin1String("-shm")))
            continue; // of somebody who looks at the recording itself
        if (!file.open(QIODevice::ReadOnly))
            return Error{ErrorCode::Unreadable,
                         "The sample project could not be read: " + file.errorString().toStdString(),
                         file.fileName().toStdString(),
                         {}};
        out[folder.relativeFilePath(file.fileName())] = file.readAll();
    }
    return out;
}

QString digestOf(const Files& files)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const auto& [name, bytes] : files) {
        hash.addData(name.toUtf8());
        hash.addData(QCryptographicHash::hash(bytes, QCryptographicHash::Sha256));
    }
    return QString::fromLatin1(hash.result().toHex().left(8));
}

base::Status writeFolder(const QDir& folder, const Files& files)
{
    for (const auto& [name, bytes] : files) {
        QFile file(folder.filePath(name));
        folder.mkpath(QFileInfo(name).path()); // a failure shows as a file that cannot be opened
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.flush())
            return Error{ErrorCode::Unavailable,
                         "The sample project could not be copied: " + file.errorString().toStdString(),
                         file.fileName().toStdString(), "Make room or a writable folder there"};
    }
    return {};
}

} // namespace

base::Result<fs::path> sampleProject(const fs::path& programFolder, const fs::path& folder)
{
    const auto recording = base::findBundled(
        {"CUDAL1_SAMPLE", "sample", CUDAL1_SOURCE_SAMPLE, "the sample project is",
         "Open a project of your own, or set CUDAL1_SAMPLE to a folder that has a file sample.cudal1",
         [](const fs::path& place) {
             std::error_code ignored;
             return fs::is_regular_file(place / projectFile, ignored);
         }},
        programFolder);
    if (!recording)
        return recording.error();
    const auto files = readFolder(QDir(QString::fromStdString(recording->string())));
    if (!files)
        return files.error();
    if (!files->contains(QLatin1String(projectFile)))
        return Error{ErrorCode::NotFound, "The folder of the sample has no file " + std::string(projectFile),
                     recording->string(), "Unset CUDAL1_SAMPLE to use the one that comes with the program"};
    const QDir place(QString::fromStdString(folder.string()));
    const QString copy = place.filePath(QStringLiteral("sample-") + digestOf(*files));
    const fs::path project = fs::path(copy.toStdString()) / projectFile;
    if (QFileInfo::exists(copy))
        return project;
    place.mkpath(QStringLiteral(".")); // a failure shows as a folder that cannot be made
    QTemporaryDir part(copy + QStringLiteral(".XXXXXX"));
    if (!part.isValid())
        return Error{ErrorCode::Unavailable,
                     "The sample project could not be copied: " + part.errorString().toStdString(), copy.toStdString(),
                     "Make room or a writable folder there"};
    if (const base::Status written = writeFolder(QDir(part.path()), *files); !written)
        return written.error();
    if (QDir().rename(part.path(), copy))
        part.setAutoRemove(false);
    else if (!QFileInfo::exists(copy)) // by another process meanwhile
        return Error{ErrorCode::Unavailable, "The sample project could not be copied", copy.toStdString(),
                     "Make room or a writable folder there"};
    return project;
}

} // namespace cudal1::store
