// SPDX-License-Identifier: GPL-3.0-or-later
// The forecast of memory as a message.
#include "ui/work/memorywarning.h"

#include "core/taskfacts/taskfacts.h"
#include "core/tasks/suite.h"
#include "ui/kit/background.h"

#include <QCoreApplication>

namespace cudal1::ui {

void warnOfMemory(QObject* context, const store::TaskRecord& task, const QString& project,
                  const protocol::DeviceInfo& device, std::function<void(const Message&)> raise)
{
    taskfacts::FactsQuestion question{task, {}, device};
    if (const auto suite = tasks::bundledSuite(QCoreApplication::applicationDirPath().toStdString()))
        question.suite = *suite;
    inBackground(
        context,
        [question = std::move(question), file = project.toStdString()] {
            const auto opened = file.empty() ? base::Result<std::unique_ptr<store::Project>>(nullptr)
                                             : store::Project::open(file);
            return taskfacts::memoryWarning(taskfacts::gather(question, opened ? opened->get() : nullptr));
        },
        [raise = std::move(raise), id = QString::fromStdString(task.id.value)](const std::string& warning) {
            if (warning.empty())
                return;
            Message message;
            message.kind = Message::Kind::Warning;
            message.cause = QStringLiteral("%1: %2.").arg(id, QString::fromStdString(warning));
            message.nextStep = QCoreApplication::translate(
                "cudal1::ui::MemoryWarning", "It is tried all the same, since a forecast may be wrong; Stop ends it.");
            raise(message);
        });
}

} // namespace cudal1::ui
