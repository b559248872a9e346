// SPDX-License-Identifier: GPL-3.0-or-later
// Copies the recording under a name that holds its digest, so that a new version's sample does not take a worked-in
// copy's place.
#include "core/store/sample.h"

#include "core/base/bundled.h"

#include <QCryptographicHash>
#include <QFile>
#include <QSaveFile>

namespace cudal1::store {

using base::Error;
using base::ErrorCode;
namespace fs = std::filesystem;

base::Result<fs::path> sampleProject(const fs::path& programFolder, const fs::path& folder)
{
    const auto recording = base::findBundled({"CUDAL1_SAMPLE", "sample.cudal1", CUDAL1_SOURCE_SAMPLE,
                                              "the sample project is",
                                              "Open a project of your own, or set CUDAL1_SAMPLE to a project file",
                                              [](const fs::path& file) {
                                                  std::error_code ignored;
                                                  return fs::is_regular_file(file, ignored);
                                              }},
                                             programFolder);
    if (!recording)
        return recording.error();
    QFile file(QString::fromStdString(recording->string()));
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::Unreadable,
                     "The sample project could not be read: " + file.errorString().toStdString(),
                     recording->string(),
                     {}};
    const QByteArray bytes = file.readAll();
    const QByteArray digest = QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex().left(8);
    const fs::path copy = folder / ("sample-" + digest.toStdString() + ".cudal1");
    std::error_code ignored;
    if (fs::exists(copy, ignored))
        return copy;
    fs::create_directories(folder, ignored); // a failure shows as a file that cannot be opened
    QSaveFile out(QString::fromStdString(copy.string()));
    if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit())
        return Error{ErrorCode::Unavailable,
                     "The sample project could not be copied: " + out.errorString().toStdString(), copy.string(),
                     "Make room or a writable folder there"};
    return copy;
}

} // namespace cudal1::store
