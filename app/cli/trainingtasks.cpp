// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks of --tasks and --level, less held-out ones.
#include "app/cli/trainingtasks.h"

#include "app/cli/context.h"
#include "app/cli/numberoptions.h"
#include "core/collect/heldout.h"

#include <algorithm>

namespace cudal1::cli {

using base::Error;
using base::ErrorCode;

base::Result<std::vector<store::TaskRecord>> tasksOf(Context& context, const QString& text)
{
    std::vector<store::TaskRecord> out;
    for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const QString word = part.trimmed();
        std::error_code ignored;
        if (!std::filesystem::is_directory(word.toStdString(), ignored)) {
            const auto task = context.task(word);
            if (!task)
                return task.error();
            out.push_back(recordOf(*task));
            continue;
        }
        const auto suite = tasks::readSuite(word.toStdString());
        if (!suite)
            return suite.error();
        auto records = context.recordsOf(*suite);
        if (!records)
            return records.error();
        out.insert(out.end(), records->begin(), records->end());
    }
    return out;
}

base::Result<ChosenTasks> chosenTasks(Context& context, const QCommandLineParser& parser, const tasks::Suite& bundled,
                                      bool heldOut)
{
    ChosenTasks out;
    const auto isHeld = [&](const store::TaskRecord& task) { return !collect::heldOutAmong({task}, bundled).empty(); };
    const auto add = [&](std::vector<store::TaskRecord> some, bool named) -> base::Status {
        if (named && !heldOut)
            if (const auto fine = collect::refuseHeldOut(
                    collect::heldOutAmong(some, bundled), {},
                    "Leave them out, or give --held-out where the programs are not for training");
                !fine)
                return fine;
        for (store::TaskRecord& task : some) {
            if (!heldOut && isHeld(task))
                ++out.leftOut;
            else if (std::none_of(out.tasks.begin(), out.tasks.end(),
                                  [&](const store::TaskRecord& one) { return one.id == task.id; }))
                out.tasks.push_back(std::move(task));
        }
        return {};
    };
    const auto addSuite = [&](const base::Result<tasks::Suite>& suite) -> base::Status {
        if (!suite)
            return suite.error();
        auto records = context.recordsOf(*suite);
        return records ? add(std::move(*records), false) : records.error();
    };
    QStringList words;
    for (const QString& value : parser.values("tasks"))
        words += value.split(QLatin1Char(','), Qt::SkipEmptyParts);
    base::Status status;
    if (words.isEmpty())
        status = addSuite(context.suite());
    for (const QString& word : words) {
        if (!status)
            break;
        std::error_code ignored;
        if (std::filesystem::is_directory(word.trimmed().toStdString(), ignored)) {
            status = addSuite(tasks::readSuite(word.trimmed().toStdString()));
            continue;
        }
        const auto task = context.task(word.trimmed());
        status = task ? add({recordOf(*task)}, true) : task.error();
    }
    if (!status)
        return status.error();
    int level = 0;
    NumberOptions numbers(parser);
    numbers.readWhole("level", level);
    if (numbers.wrong())
        return *numbers.wrong();
    if (parser.isSet("level"))
        std::erase_if(out.tasks, [level](const store::TaskRecord& task) { return task.level != level; });
    if (out.tasks.empty())
        return Error{ErrorCode::NotFound, "No task fits", {}, "`cudal1 tasks` lists the tasks of the suite"};
    return out;
}

} // namespace cudal1::cli
