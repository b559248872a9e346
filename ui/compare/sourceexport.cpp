// SPDX-License-Identifier: GPL-3.0-or-later
// Sources as files.
#include "ui/compare/sourceexport.h"

#include "ui/kit/tr.h"

#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QSaveFile>
#include <QTemporaryDir>
#include <QUrl>

namespace cudal1::ui {

namespace {

bool write(QFileDevice& file, const std::string& source)
{
    return file.open(QIODevice::WriteOnly) && file.write(source.data(), qint64(source.size())) == qint64(source.size());
}

} // namespace

QString writeSource(const QString& path, const std::string& source)
{
    QSaveFile file(path);
    return write(file, source) && file.commit() ? QString() : file.errorString();
}

base::Status saveSourceAs(QWidget* parent, const QString& name, const std::string& source)
{
    const QString path = QFileDialog::getSaveFileName(parent, tr("Save source"), name, tr("Python (*.py)"));
    if (path.isEmpty())
        return {};
    if (const QString why = writeSource(path, source); !why.isEmpty())
        return base::Error{base::ErrorCode::Unreadable, tr("The source was not saved: %1").arg(why).toStdString(),
                           path.toStdString(), tr("Choose another folder").toStdString()};
    return {};
}

base::Status openSourceInEditor(const QString& name, const std::string& source)
{
    static const QTemporaryDir folder(
        QDir::temp().filePath(QStringLiteral("cudal1-sources-XXXXXX"))); // goes with the program
    const QString path = folder.filePath(name);
    QFile::remove(path);
    QFile file(path);
    if (!write(file, source))
        return base::Error{base::ErrorCode::Unreadable,
                           tr("The source could not be written: %1").arg(file.errorString()).toStdString(),
                           path.toStdString(), tr("Save it elsewhere and open it there").toStdString()};
    // What is changed there comes back into no project: that is what Edit is for.
    file.setPermissions(QFile::ReadOwner | QFile::ReadUser);
    file.close();
    if (!QDesktopServices::openUrl(QUrl::fromLocalFile(path)))
        return base::Error{
            base::ErrorCode::Unavailable, tr("The system has no program for Python files").toStdString(),
            path.toStdString(),
            tr("Open the file by hand, or name a program for .py files in the desktop's settings").toStdString()};
    return {};
}

} // namespace cudal1::ui
