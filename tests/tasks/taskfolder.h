// SPDX-License-Identifier: GPL-3.0-or-later
// A temporary folder that tests fill with task files.
#pragma once

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <filesystem>
#include <stdexcept>

namespace cudal1::tests {

inline const QByteArray GoodTask = "class Model:\n    pass\n\ndef get_inputs():\n    return []\n\n"
                                   "def get_init_inputs():\n    return []\n";

/// Throws std::runtime_error where the disk refuses: the test could not mean anything.
class TaskFolder {
public:
    TaskFolder()
    {
        if (!m_folder.isValid())
            throw std::runtime_error(m_folder.errorString().toStdString());
    }

    /// Writes a file, with the folders that lead to it.
    std::filesystem::path write(const QString& name, const QByteArray& text = GoodTask) const
    {
        const QString path = m_folder.filePath(name);
        QFile file(path);
        if (!QDir().mkpath(QFileInfo(path).path()) || !file.open(QIODevice::WriteOnly) ||
            file.write(text) != text.size())
            throw std::runtime_error(path.toStdString());
        return path.toStdString();
    }

    std::filesystem::path path(const QString& name = {}) const
    {
        return name.isEmpty() ? m_folder.path().toStdString() : m_folder.filePath(name).toStdString();
    }

private:
    QTemporaryDir m_folder;
};

} // namespace cudal1::tests
