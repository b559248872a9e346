// SPDX-License-Identifier: GPL-3.0-or-later
// Model, data set and file of the example's experiment.
#include "app/cli/experimentexample.h"

#include "app/cli/context.h"
#include "app/cli/exampleprograms.h"
#include "app/cli/interrupt.h"
#include "core/language/templates.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QSaveFile>

namespace cudal1::cli {

namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using nlohmann::json;

base::Status write(const QString& path, const std::string& text)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), qint64(text.size())) != qint64(text.size()) ||
        !file.commit())
        return Error{ErrorCode::Unavailable,
                     "A file of the example cannot be written: " + file.errorString().toStdString(), path.toStdString(),
                     "Choose another place with --out"};
    return {};
}

/// As `cudal1 collect` writes them.
std::string linesOf(const std::vector<learning::LearnedExample>& examples)
{
    std::string out;
    for (const learning::LearnedExample& one : examples) {
        json prompt = json::array();
        for (const policy::ChatMessage& message : one.prompt)
            prompt.push_back({{"role", message.role}, {"content", message.content}});
        out += json{{"task", one.task.id.value},
                    {"level", one.task.level},
                    {"hash", one.task.hash},
                    {"prompt", std::move(prompt)},
                    {"reply", one.reply}}
                   .dump(-1, ' ', false, json::error_handler_t::replace) +
               "\n";
    }
    return out;
}

} // namespace

base::Result<QString> makeExperimentExample(Context& context, Interrupt& interrupt, Client& client,
                                            const QString& folder)
{
    const fs::path programs = QCoreApplication::applicationDirPath().toStdString();
    const auto tasks = learning::exampleFolder(programs);
    if (!tasks)
        return tasks.error();
    const auto prompts = language::Templates::bundled(programs);
    if (!prompts)
        return prompts.error();
    const auto data = learning::readExampleData(*tasks, *prompts);
    if (!data)
        return data.error();
    const QDir out(QDir(folder).absolutePath());
    if (!out.mkpath(QStringLiteral(".")))
        return Error{ErrorCode::Unavailable, "The folder for the example cannot be made", folder.toStdString(),
                     "Choose another place with --out"};
    const QString file = out.filePath(QStringLiteral("experiment.json"));
    if (QFile::exists(file)) // which is written last
        return file;
    QFile pattern(QString::fromStdString((*tasks / "experiment.json").string()));
    if (!pattern.open(QIODevice::ReadOnly))
        return Error{ErrorCode::Unreadable, "The file of the example's experiment cannot be read",
                     pattern.fileName().toStdString(), "Install the program's data again"};
    const auto project = context.project();
    if (!project)
        return project.error();
    const auto machine = context.describe(client);
    if (!machine)
        return machine.error();
    const auto examples = exampleToLearn(context, interrupt, **project, client.crew(), *machine, *data,
                                         out.filePath(QStringLiteral("model")).toStdString(),
                                         context.settings().seed ? context.settings().seed : 1);
    if (!examples)
        return examples.error();
    if (const auto status = write(out.filePath(QStringLiteral("data.jsonl")), linesOf(*examples)); !status)
        return status.error();
    QString text = QString::fromUtf8(pattern.readAll());
    text.replace(QStringLiteral("@out@"), out.path());
    text.replace(QStringLiteral("@tasks@"), QString::fromStdString(fs::absolute(*tasks).string()));
    if (const auto status = write(file, text.toStdString()); !status)
        return status.error();
    return file;
}

} // namespace cudal1::cli
