// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/work/modelfile.h"

#include "ui/kit/tr.h"

#include <QFileDialog>
#include <QFileInfo>

namespace cudal1::ui {

QString chooseModelFile(QWidget* parent, const QString& title, const QString& now)
{
    const QString files = tr("Models (*.gguf config.json);;All files (*)");
    const QString file = QFileDialog::getOpenFileName(parent, title, now, files);
    return file.isEmpty() ? file : modelOfFile(file);
}

QString modelOfFile(const QString& file)
{
    const QFileInfo info(file);
    return info.suffix().compare(QLatin1String("gguf"), Qt::CaseInsensitive) == 0 ? file : info.path();
}

} // namespace cudal1::ui
