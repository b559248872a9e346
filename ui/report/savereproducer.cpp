// SPDX-License-Identifier: GPL-3.0-or-later
// Asks where to, and writes a variant's reproducer.
#include "ui/report/savereproducer.h"

#include "core/report/reproducer.h"
#include "ui/report/reportbuilder.h"
#include "ui/work/projectmodel.h"

#include <QFileDialog>

namespace cudal1::ui {

base::Result<QString> saveReproducer(QWidget* parent, const ProjectModel& project, base::VariantId variant)
{
    const auto program = report::reproducerOf(*project.project(), variant);
    if (!program)
        return program.error();
    const QString path = QFileDialog::getSaveFileName(parent, QObject::tr("Save the reproducer"),
                                                      QStringLiteral("reproduce-%1.py").arg(variant.value),
                                                      QObject::tr("Python files (*.py)"));
    if (path.isEmpty())
        return QString();
    if (const auto status = writeFile(path, QByteArray::fromStdString(*program)); !status)
        return status.error();
    return path;
}

} // namespace cudal1::ui
