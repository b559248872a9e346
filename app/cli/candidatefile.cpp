// SPDX-License-Identifier: GPL-3.0-or-later
// A candidate's source from a file.
#include "app/cli/candidatefile.h"

#include <QFile>
#include <QFileInfo>

namespace cudal1::cli {

using base::Error;
using base::ErrorCode;

base::Result<std::string> readCandidate(const QString& path)
{
    QFile file(path);
    if (!file.exists())
        return Error{ErrorCode::NotFound,
                     "There is no file " + path.toStdString(),
                     {},
                     "Give a Python file that defines ModelNew"};
    if (QFileInfo(path).isDir() || !file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::Unreadable, "The candidate cannot be read", path.toStdString(), {}};
    return file.readAll().toStdString();
}

} // namespace cudal1::cli
