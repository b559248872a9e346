// SPDX-License-Identifier: GPL-3.0-or-later
// Files by way of a second one that takes their name, everything else as it comes.
#include "app/cli/output.h"

#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace cudal1::cli {

base::Status write(const QString& path, std::string_view bytes, const char* what, const char* next)
{
    if (path == "-") {
        std::fwrite(bytes.data(), 1, bytes.size(), stdout);
        return flushOutput();
    }
    const QFileInfo there(path);
    const bool asFile = !there.exists() || there.isFile() || there.isDir(); // of a folder the error says what is wrong
    std::unique_ptr<QFileDevice> file;
    if (asFile)
        file = std::make_unique<QSaveFile>(path);
    else
        file = std::make_unique<QFile>(path);
    bool good = file->open(QIODevice::WriteOnly) && file->write(bytes.data(), qint64(bytes.size())) == qint64(bytes.size());
    good = good && (asFile ? static_cast<QSaveFile&>(*file).commit() : file->flush());
    if (good)
        return {};
    return base::Error{base::ErrorCode::Unavailable, std::string(what) + " could not be written: " + file->errorString().toStdString(), path.toStdString(), next};
}

base::Status flushOutput()
{
    errno = 0;
    if (std::fflush(stdout) == 0 && !std::ferror(stdout))
        return {};
    const char* why = errno ? std::strerror(errno) : "an earlier write failed";
    return base::Error{base::ErrorCode::Unavailable, "The standard output could not be written: " + std::string(why), {}, "Check the disk or the program that it goes to"};
}

} // namespace cudal1::cli
