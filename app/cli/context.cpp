// SPDX-License-Identifier: GPL-3.0-or-later
// Shared parts of the verbs.
#include "app/cli/context.h"

#include "app/cli/interrupt.h"
#include "app/cli/texttable.h"
#include "app/cli/verbs.h"
#include "core/base/timetext.h"
#include "core/farm/answer.h"
#include "core/optimize/options.h"
#include "core/optimize/outcometext.h"
#include "core/protocol/wireerror.h"

#include <QCoreApplication>
#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>
#include <map>

namespace cudal1::cli {

using base::Error;
using base::ErrorCode;

Context::Context(CommandSettings settings)
    : m_settings(std::move(settings)), m_terminal(m_settings.json, m_settings.quiet, m_settings.color)
{
    QObject::connect(&m_reminder, &QTimer::timeout, &m_reminder, [this] { m_terminal.remind(); });
    m_reminder.start(std::chrono::seconds(1));
    store::Project::countAt(m_settings.precision);
}

void Context::tellWhatCounts(const store::Project& project)
{
    const auto counted = project.countedPrecision();
    if (!counted || !counted->counts || (counted->all.size() == 1 && *counted->counts == m_settings.precision))
        return;
    std::string others;
    for (const protocol::Precision one : counted->all)
        if (one != *counted->counts)
            others += (others.empty() ? "" : ", ") + std::string(protocol::toString(one));
    m_terminal.complain("cudal1: results at --precision " + std::string(protocol::toString(*counted->counts)) +
                        (others.empty() ? " are all that the project has" : " count; the project also has: " + others));
}

std::filesystem::path Context::projectPath() const
{
    return m_settings.project.empty() ? store::Project::defaultPath() : m_settings.project;
}

base::Result<store::Project*> Context::project()
{
    if (!m_project) {
        auto opened = store::Project::open(projectPath());
        if (!opened)
            return opened.error();
        m_project = std::move(*opened);
    }
    return m_project.get();
}

base::Result<store::Project*> Context::storedProject()
{
    std::error_code ignored;
    if (m_project)
        return m_project.get();
    if (!std::filesystem::exists(projectPath(), ignored))
        return Error{ErrorCode::NotFound, "There is no project yet", projectPath().string(),
                     "`cudal1 optimize TASK` makes one; --project names another"};
    auto opened = store::Project::openExisting(projectPath());
    if (!opened)
        return opened.error();
    m_project = std::move(*opened);
    return m_project.get();
}

base::Result<tasks::Suite> Context::suite() const
{
    if (!m_settings.suite.empty())
        return tasks::readSuite(m_settings.suite);
    const auto folder = tasks::bundledSuite(QCoreApplication::applicationDirPath().toStdString());
    if (!folder)
        return folder.error();
    return tasks::readSuite(*folder);
}

store::Project* Context::existingProject()
{
    const auto opened = storedProject();
    return opened ? *opened : nullptr;
}

base::Result<tasks::Task> Context::taskOfSuite(const std::string& text) const
{
    const auto read = suite();
    if (read)
        return tasks::resolve(*read, text);
    // A single file needs no suite.
    std::error_code ignored;
    if (std::filesystem::is_regular_file(text, ignored))
        return tasks::readTask(text);
    return read.error();
}

base::Result<tasks::Task> Context::task(const QString& text)
{
    auto task = taskOfSuite(text.toStdString());
    store::Project* known = existingProject();
    if (!known)
        return task;
    if (!task) {
        const auto record = known->task({text.toStdString()});
        if (!record)
            return task;
        tasks::Task out;
        out.id = record->id;
        out.level = record->level;
        out.name = record->name;
        out.suite = record->suite;
        out.source = record->source;
        out.hash = record->hash;
        return out;
    }
    // A project that cannot be read says so where it is used.
    if (const auto id = known->idOf(recordOf(*task)); id && *id != task->id) {
        const auto other = known->task(task->id);
        m_terminal.complain("cudal1: " + task->id.value + " of " + task->suite + " is kept as " + id->value +
                            ": the project has " + task->id.value + " of " + (other ? other->suite : std::string()) +
                            " already.");
        task->id = *id;
    }
    return task;
}

base::Result<std::vector<store::TaskRecord>> Context::recordsOf(const tasks::Suite& suite)
{
    std::vector<store::TaskRecord> out;
    store::Project* known = existingProject();
    for (const tasks::Task& task : suite.tasks) {
        store::TaskRecord& record = out.emplace_back(recordOf(task));
        if (!known)
            continue;
        auto id = known->idOf(record);
        if (!id)
            return id.error();
        record.id = std::move(*id);
    }
    return out;
}

base::Result<protocol::Machine> Context::describe(Client& client, const std::string& ahead)
{
    m_terminal.live(ahead + "Starting the evaluator …");
    auto machine = client.describe(
        [this](const protocol::Progress& progress) { m_terminal.note("cudal1: " + progress.text); });
    m_terminal.clearLive();
    return machine;
}

base::Result<std::vector<store::TaskRecord>> Context::tasks(const QStringList& names, int level,
                                                            std::optional<tasks::Split> split)
{
    std::vector<store::TaskRecord> out;
    for (const QString& name : names) {
        const auto task = this->task(name);
        if (!task)
            return task.error();
        if (std::none_of(out.begin(), out.end(), [&](const store::TaskRecord& one) { return one.id == task->id; }))
            out.push_back(recordOf(*task));
    }
    if (names.isEmpty()) {
        const auto suite = this->suite();
        if (!suite)
            return suite.error();
        auto records = recordsOf(*suite);
        if (!records)
            return records.error();
        out = std::move(*records);
    }
    if (level > 0)
        std::erase_if(out, [level](const store::TaskRecord& task) { return task.level != level; });
    if (split)
        std::erase_if(out,
                      [split](const store::TaskRecord& task) { return tasks::splitOf(task.level, task.id) != *split; });
    if (out.empty())
        return Error{ErrorCode::NotFound, "No task fits", {}, "`cudal1 tasks` lists the tasks of the suite"};
    return out;
}

base::Result<protocol::DeviceInfo> Context::device(const protocol::Machine& machine) const
{
    return optimize::deviceOf(machine, m_settings.device);
}

base::Result<protocol::DeviceInfo> Context::device(Client& client, const std::string& ahead)
{
    const auto machine = describe(client, ahead);
    return machine ? device(*machine) : machine.error();
}

base::Result<std::vector<protocol::DeviceInfo>> Context::devices(const protocol::Machine& machine) const
{
    std::vector<protocol::DeviceInfo> out;
    for (const QString& word : QString::fromStdString(m_settings.device).split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const auto one = optimize::deviceOf(machine, word.trimmed().toStdString());
        if (!one)
            return one.error();
        out.push_back(*one);
    }
    if (!out.empty())
        return out;
    const auto one = device(machine);
    if (!one)
        return one.error();
    return std::vector{*one};
}

base::Result<std::vector<protocol::DeviceInfo>> Context::devicesOfOneModel(const protocol::Machine& machine) const
{
    auto out = devices(machine);
    if (out)
        for (const protocol::DeviceInfo& one : *out)
            if (one.model != out->front().model)
                return Error{ErrorCode::InvalidArgument, "Speed-ups on devices of different models do not compare",
                             out->front().name + " is " + out->front().model + ", and " + one.name + " is " + one.model,
                             "Name devices of one model with --device"};
    return out;
}

int Context::fail(const Error& error)
{
    if (m_settings.json)
        printJson({{"error", toJson(error)}});
    m_terminal.complain("cudal1: " + error.text());
    return statusOf(error);
}

int Context::fail(const Error& error, const Interrupt& interrupt, const std::string& notDone)
{
    m_terminal.clearLive();
    if (!interrupt.caught())
        return fail(error);
    m_terminal.complain("cudal1: stopped; " + notDone + ".");
    return 128 + interrupt.caught();
}

Client::OnProgress Context::showing()
{
    return [this, clock = QElapsedTimer()](const protocol::Progress& progress) mutable {
        constexpr double leastShare = 0.1; // before that much is done, the rest is a guess
        if (!clock.isValid() || progress.phase == "wait")
            clock.start();
        const std::string phase = optimize::phaseText(progress.phase);
        std::string line = progress.text.starts_with(phase) ? progress.text : phase + " … " + progress.text;
        if (progress.fraction > 0 && progress.fraction <= 1)
            line = bar(progress.fraction, 12) + " " + line;
        if (progress.fraction >= leastShare && progress.fraction < 1)
            line += " · about " +
                    base::durationText(double(clock.elapsed()) / 1000 * (1 - progress.fraction) / progress.fraction) +
                    " left";
        m_terminal.live(line);
    };
}

int Context::statusOf(const Error& error)
{
    switch (error.code) {
    case ErrorCode::InvalidArgument:
    case ErrorCode::NotFound:
    case ErrorCode::Unreadable:
    case ErrorCode::Corrupt:
    case ErrorCode::TooNew: return WrongUse;
    default: return CannotDoIt;
    }
}

void Context::printJson(const nlohmann::json& object) const
{
    const std::string text = object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);
}

std::string conditionsText(const std::vector<protocol::DeviceInfo>& devices, protocol::Precision precision,
                           protocol::Preset preset)
{
    std::string names;
    for (const protocol::DeviceInfo& device : devices)
        names += (names.empty() ? "" : ", ") + device.name;
    return names + ", " + devices.front().model + ", precision " + std::string(protocol::toString(precision)) +
           ", preset " + std::string(protocol::toString(preset));
}

std::string conditionsText(const protocol::DeviceInfo& device, protocol::Precision precision, protocol::Preset preset)
{
    return conditionsText(std::vector{device}, precision, preset);
}

store::TaskRecord recordOf(const tasks::Task& task)
{
    return {task.id, task.name, task.suite, task.level, task.source, task.hash};
}

std::string versionsText(const std::vector<store::TaskRecord>& tasks)
{
    std::map<std::string, int> versions;
    for (const store::TaskRecord& task : tasks)
        if (!task.suite.empty())
            ++versions[task.suite];
    if (versions.empty())
        return "Single files.";
    if (versions.size() == 1)
        return "Tasks of " + versions.begin()->first + ".";
    std::string out;
    for (const auto& [suite, number] : versions)
        out += (out.empty() ? "" : ", ") + std::to_string(number) + " of " + suite;
    return "These numbers put tasks of " + std::to_string(versions.size()) + " versions together: " + out + ".";
}

nlohmann::json toJson(const Error& error)
{
    return protocol::wireError(error);
}

} // namespace cudal1::cli
