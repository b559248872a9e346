// SPDX-License-Identifier: GPL-3.0-or-later
// Files by way of a second one that takes their name, everything else as it comes.
#include "app/cli/output.h"

#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

namespace cudal1::cli {

namespace {

/// As `head` does when it has seen enough. Starting a process has Qt ignore the signal that ends a program then.
bool readerIsGone()
{
    pollfd standardOutput{STDOUT_FILENO, POLLOUT, 0};
    return ::poll(&standardOutput, 1, 0) > 0 && (standardOutput.revents & (POLLERR | POLLHUP));
}

} // namespace

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
    bool good = file->open(QIODevice::WriteOnly) &&
                file->write(bytes.data(), qint64(bytes.size())) == qint64(bytes.size());
    good = good && (asFile ? static_cast<QSaveFile&>(*file).commit() : file->flush());
    if (good)
        return {};
    return base::Error{base::ErrorCode::Unavailable,
                       std::string(what) + " could not be written: " + file->errorString().toStdString(),
                       path.toStdString(), next};
}

base::Status flushOutput()
{
    errno = 0;
    if (std::fflush(stdout) == 0 && !std::ferror(stdout))
        return {};
    const int failure = errno;
    if (failure == EPIPE || readerIsGone()) {
        std::signal(SIGPIPE, SIG_DFL);
        std::raise(SIGPIPE);
    }
    const char* why = failure ? std::strerror(failure) : "an earlier write failed";
    return base::Error{base::ErrorCode::Unavailable,
                       "The standard output could not be written: " + std::string(why),
                       {},
                       "Check the disk or the program that it goes to"};
}

} // namespace cudal1::cli
