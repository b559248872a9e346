// SPDX-License-Identifier: GPL-3.0-or-later
// The folders of templates, by the program's place and the user's settings.
#include "core/language/templatefolders.h"

#include <QCoreApplication>
#include <QStandardPaths>

namespace cudal1::language {

std::filesystem::path ownTemplates()
{
    const QString config = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation);
    return std::filesystem::path(config.toStdString()) / "cudal1-workbench" / "prompts";
}

base::Result<Templates> readTemplates()
{
    const auto folder = Templates::bundled(QCoreApplication::applicationDirPath().toStdString());
    return folder ? Templates::load(*folder, ownTemplates()) : folder.error();
}

} // namespace cudal1::language
